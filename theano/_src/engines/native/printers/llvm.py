"""Prints functions as LLVM's text, and compiles that to machine code by llvmlite."""

from __future__ import annotations

import platform
import struct
from collections.abc import Collection, Mapping, Sequence
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from itertools import count
from typing import Any

from theano._src.engines.disk_cache import kept_entries
from theano._src.engines.native import ir

_TYPES = {
    "f64": "double", "f32": "float", "bool": "i1", "p": "ptr",
    "i64": "i64", "i32": "i32", "i16": "i16", "i8": "i8",
    "u64": "i64", "u32": "i32", "u16": "i16", "u8": "i8",
}  # fmt: skip
_INTRINSICS = {
    "sqrt": "llvm.sqrt", "abs": "llvm.fabs", "floor": "llvm.floor",
    "ceil": "llvm.ceil", "trunc": "llvm.trunc", "rint": "llvm.rint",
}  # fmt: skip
_END = """
attributes #0 = { nounwind }
attributes #1 = { nounwind noinline optnone }
"""


def module_text(
    functions: Sequence[ir.Function],
    table: int,
    exported: Collection[str],
    elsewhere: Mapping[str, int] | None = None,
) -> str:
    """A module of LLVM with these functions and a table ``T`` of addresses.

    Parameters
    ----------
    functions : list of Function
    table : int
        How many addresses the table has.
    exported : names of functions
        Those that others may call.
    elsewhere : dict, optional
        Functions of other modules, and where in the table they are.
    """
    printer = _Printer(elsewhere or {})
    texts = [printer.function(f, f.name in exported) for f in functions]
    head = [f"@T = global [{max(1, table)} x ptr] zeroinitializer", *sorted(printer.declared)]
    return "\n".join([*head, *texts]) + _END


def _at(index: int) -> str:
    return f"getelementptr (ptr, ptr @T, i64 {index})"


class _Printer:
    def __init__(self, elsewhere: Mapping[str, int]) -> None:
        self.elsewhere = elsewhere
        self.declared: set[str] = set()

    def function(self, f: ir.Function, exported: bool) -> str:
        params = ", ".join(
            f"{_TYPES[p.type]}{' noalias' if p.name in f.alone else ''} %{p.name}" for p in f.params
        )
        linkage = "" if exported else "internal "
        head = f"define {linkage}{_TYPES[f.result]} @{f.name}({params}) #{int(f.once)} {{"
        self._lines: list[str] = []
        self._rooms: list[str] = []
        self._label, self._count, self._name = "entry", 0, f.name
        self._body(f.body)
        return "\n".join([head, "entry:", *self._rooms, *self._lines, " unreachable", "}"])

    # pieces

    def _new(self) -> str:
        self._count += 1
        return f"%t.{self._count}"

    def _emit(self, line: str) -> None:
        self._lines.append(f" {line}")

    def _begin(self, label: str) -> None:
        self._lines.append(f"{label}:")
        self._label = label

    def _text(self, v: ir.Operand) -> str:
        if isinstance(v, ir.Value):
            return f"%{v.name}"
        if v.type == "f64":
            return f"0x{struct.unpack('<Q', struct.pack('<d', v.value))[0]:016X}"
        if v.type == "f32":
            rounded = struct.unpack("<f", struct.pack("<f", v.value))[0]
            return f"0x{struct.unpack('<Q', struct.pack('<d', rounded))[0]:016X}"
        if v.type == "bool":
            return "true" if v.value else "false"
        return "null" if v.type == "p" else str(int(v.value))

    def _typed(self, v: ir.Operand) -> str:
        return f"{_TYPES[v.type]} {self._text(v)}"

    def _body(self, body: Sequence[ir.Instruction]) -> None:
        for instruction in body:
            getattr(self, f"_{type(instruction).__name__.lower()}")(instruction)

    # instructions

    def _compute(self, ins: ir.Compute) -> None:
        out, op, args = ins
        if op in ir.COMPARISONS:
            self._emit(f"%{out.name} = {self._comparison(op, *args)}")
        elif op in ir.BINARY:
            self._emit(f"%{out.name} = {self._binary(op, *args)}")
        elif op == "select":
            self._emit(f"%{out.name} = select {', '.join(map(self._typed, args))}")
        elif op == "cast":
            self._emit(f"%{out.name} = {self._cast(args[0], out.type)}")
        else:
            self._emit(f"%{out.name} = {self._unary(op, args[0])}")

    def _comparison(self, op: str, a: ir.Operand, b: ir.Operand) -> str:
        if a.type in ir.FLOATS:
            word = f"fcmp {'u' if op == 'ne' else 'o'}{op}"
        elif op in ("eq", "ne"):
            word = f"icmp {op}"
        else:
            word = f"icmp {'s' if a.type in ir.SIGNED else 'u'}{op}"
        return f"{word} {self._typed(a)}, {self._text(b)}"

    def _binary(self, op: str, a: ir.Operand, b: ir.Operand) -> str:
        pair = f"{self._typed(a)}, {self._text(b)}"
        if op in ("min", "max"):
            first = self._new()
            self._emit(f"{first} = {self._comparison('lt' if op == 'min' else 'gt', a, b)}")
            if a.type in ir.FLOATS:  # NaN comes out, as from NumPy's minimum
                is_nan, smaller, first = self._new(), first, self._new()
                self._emit(f"{is_nan} = fcmp uno {self._typed(a)}, {self._text(a)}")
                self._emit(f"{first} = or i1 {smaller}, {is_nan}")
            return f"select i1 {first}, {self._typed(a)}, {self._typed(b)}"
        if a.type in ir.FLOATS:
            return f"f{op} {pair}"
        if op == "div":
            return f"{'udiv' if a.type in ir.UNSIGNED else 'sdiv'} {pair}"
        return f"{op} {pair}"

    def _unary(self, op: str, a: ir.Operand) -> str:
        kind = _TYPES[a.type]
        if op == "neg":
            return (
                f"fneg {self._typed(a)}"
                if a.type in ir.FLOATS
                else f"sub {kind} 0, {self._text(a)}"
            )
        if op == "not":
            return f"xor {kind} {self._text(a)}, {'true' if a.type == 'bool' else '-1'}"
        name = f"{_INTRINSICS[op]}.{a.type}"
        self.declared.add(f"declare {kind} @{name}({kind})")
        return f"call {kind} @{name}({self._typed(a)})"

    def _cast(self, a: ir.Operand, to: str) -> str:
        since = a.type
        if to == "bool":
            zero = "fcmp une" if since in ir.FLOATS else "icmp ne"
            return f"{zero} {self._typed(a)}, {'0.0' if since in ir.FLOATS else '0'}"
        wider = ir.SIZES[to] > ir.SIZES[since]
        if since in ir.FLOATS and to in ir.FLOATS:
            op = "fpext" if wider else "fptrunc"
        elif to in ir.FLOATS:
            op = "sitofp" if since in ir.SIGNED else "uitofp"
        elif since in ir.FLOATS:
            op = "fptosi" if to in ir.SIGNED else "fptoui"
        elif since == "bool":
            op = "zext"
        elif ir.SIZES[to] == ir.SIZES[since]:
            op = "bitcast"
        elif wider:
            op = "sext" if since in ir.SIGNED else "zext"
        else:
            op = "trunc"
        return f"{op} {self._typed(a)} to {_TYPES[to]}"

    def _place(self, pointer: ir.Operand, index: ir.Operand, type: str) -> str:
        if isinstance(index, ir.Number) and index.value == 0:
            return self._text(pointer)
        place = self._new()
        kind = "i8" if type == "bool" else _TYPES[type]
        self._emit(
            f"{place} = getelementptr {kind}, ptr {self._text(pointer)}, {self._typed(index)}"
        )
        return place

    def _load(self, ins: ir.Load) -> None:
        place = self._place(ins.pointer, ins.at, ins.out.type)
        if ins.out.type == "bool":
            byte = self._new()
            self._emit(f"{byte} = load i8, ptr {place}")
            self._emit(f"%{ins.out.name} = icmp ne i8 {byte}, 0")
        else:
            self._emit(f"%{ins.out.name} = load {_TYPES[ins.out.type]}, ptr {place}")

    def _store(self, ins: ir.Store) -> None:
        place = self._place(ins.pointer, ins.at, ins.value.type)
        if ins.value.type == "bool":
            byte = self._new()
            self._emit(f"{byte} = zext {self._typed(ins.value)} to i8")
            self._emit(f"store i8 {byte}, ptr {place}")
        else:
            self._emit(f"store {self._typed(ins.value)}, ptr {place}")

    def _offset(self, ins: ir.Offset) -> None:
        self._emit(
            f"%{ins.out.name} = getelementptr [{ins.size} x i8], ptr {self._text(ins.pointer)}, "
            f"{self._typed(ins.at)}"
        )

    def _address(self, ins: ir.Address) -> None:
        self._emit(f"%{ins.out.name} = load ptr, ptr {_at(ins.at)}")

    def _room(self, ins: ir.Room) -> None:
        self._rooms.append(f" %{ins.out.name} = alloca i8, i64 {ins.size}, align 64")

    def _call(self, ins: ir.Call) -> None:
        if isinstance(ins.target, ir.Value):
            target = f"%{ins.target.name}"
        elif ins.target in self.elsewhere:
            target = self._new()
            self._emit(f"{target} = load ptr, ptr {_at(self.elsewhere[ins.target])}")
        else:
            target = f"@{self._name if ins.target == 'self' else ins.target}"
        kind = "void" if ins.out is None else _TYPES[ins.out.type]
        left = "" if ins.out is None else f"%{ins.out.name} = "
        self._emit(f"{left}call {kind} {target}({', '.join(map(self._typed, ins.args))})")

    def _note(self, ins: ir.Note) -> None: ...

    def _declare(self, ins: ir.Declare) -> None:
        self._rooms.append(f" %{ins.variable.name} = alloca {_TYPES[ins.variable.type]}")
        self._emit(f"store {self._typed(ins.value)}, ptr %{ins.variable.name}")

    def _get(self, ins: ir.Get) -> None:
        self._emit(f"%{ins.out.name} = load {_TYPES[ins.variable.type]}, ptr %{ins.variable.name}")

    def _put(self, ins: ir.Put) -> None:
        self._emit(f"store {self._typed(ins.value)}, ptr %{ins.variable.name}")

    def _return(self, ins: ir.Return) -> None:
        self._emit(f"ret {self._typed(ins.value)}")
        self._count += 1
        self._begin(f"after.{self._count}")

    def _loop(self, ins: ir.Loop) -> None:
        index, label, before = ins.counter.name, f"loop.{ins.counter.name}", self._label
        self._emit(f"br label %{label}")
        self._begin(label)
        phi = len(self._lines)
        self._lines.append("")
        self._emit(f"%{index}.c = icmp slt i64 %{index}, {self._text(ins.length)}")
        self._emit(f"br i1 %{index}.c, label %{label}.b, label %{label}.e")
        self._begin(f"{label}.b")
        self._body(ins.body)
        self._emit(f"%{index}.n = add nsw i64 %{index}, 1")
        self._lines[phi] = f" %{index} = phi i64 [ 0, %{before} ], [ %{index}.n, %{self._label} ]"
        self._emit(f"br label %{label}")
        self._begin(f"{label}.e")

    def _if(self, ins: ir.If) -> None:
        self._count += 1
        label = f"if.{self._count}"
        self._emit(f"br {self._typed(ins.condition)}, label %{label}, label %{label}.e")
        self._begin(label)
        self._body(ins.body)
        self._emit(f"br label %{label}.e")
        self._begin(f"{label}.e")


# compiling


@cache
def load() -> Any:
    """llvmlite, which takes 0.1 s to load: when a program is compiled first."""
    return import_module("llvmlite.binding")


@cache
def has_llvm() -> bool:
    """Whether llvmlite is installed; nothing is loaded."""
    try:
        return find_spec("llvmlite") is not None
    except ImportError:
        return False


_targets: list[Any] = []


def _target() -> tuple[str, str]:
    """Name and features of this processor, looked up once."""
    if not _targets:
        binding = load()
        binding.initialize_native_target()
        binding.initialize_native_asmprinter()
        features = [binding.get_host_cpu_features().flatten()]
        if platform.machine().lower() in ("x86_64", "amd64"):
            # many processors read single elements faster than a gather does
            features.append("+prefer-no-gather")
        _targets.append((binding.get_host_cpu_name(), ",".join(filter(None, features))))
    name, features = _targets[0]
    return name, features


def _machine(level: int) -> Any:
    name, features = _target()
    target = load().Target.from_default_triple()
    return target.create_target_machine(cpu=name, features=features, opt=level)


@cache
def _linker() -> Any:
    """Loads object code: one for all programs, for each would take megabytes."""
    return load().create_lljit_compiler(_machine(0))


_names = count()


def _object_code(text: str, level: int) -> tuple[bytes, int]:
    """Object code of a text, and its level: what is on disk may be of a higher one."""
    entries = kept_entries()
    if entries is None:
        return _compiled(text, level), level
    for better in (2, 1, 0)[: 3 - level]:
        code = entries.get(_key(text, better))
        if code is not None:
            return code, better
    code = _compiled(text, level)
    entries.put(_key(text, level), code)
    return code, level


def _key(text: str, level: int) -> str:
    import hashlib

    name, features = _target()
    version = import_module("llvmlite").__version__
    parts = (version, str(load().llvm_version_info), name, features, str(level))
    return f"native-{hashlib.sha256(chr(0).join((*parts, text)).encode()).hexdigest()}"


def _compiled(text: str, level: int) -> bytes:
    binding = load()
    machine = _machine(level)
    module = binding.parse_assembly(text, binding.create_context())
    module.verify()  # LLVM ends the process on a module that is not valid
    module.triple, module.data_layout = machine.triple, str(machine.target_data)
    if level:
        options = binding.create_pipeline_tuning_options(speed_level=level)
        # a third of the compile time for a tenth of the speed
        options.slp_vectorization = options.loop_unrolling = False
        options.loop_vectorization = level > 1
        builder = binding.create_pass_builder(machine, options)
        builder.getModulePassManager().run(module, builder)
    code: bytes = machine.emit_object(module)
    return code


class Module:
    """Machine code of a module's text, which lives as long as this object.

    Object code is kept on disk; ``level`` is that of what was taken from there.

    Parameters
    ----------
    text : str
    level : int
        0 compiles at once, 2 with loops made wide.
    exported : names
        The functions that have an `address`.
    """

    def __init__(self, text: str, level: int, exported: Collection[str]) -> None:
        code, self.level = _object_code(text, level)
        library = load().JITLibraryBuilder().add_object_img(code)
        for name in ("T", *sorted(exported)):
            library.export_symbol(name)
        self._library = library.link(_linker(), f"theano{next(_names)}")

    def address(self, name: str) -> int:
        address: int = self._library[name]
        return address

    @property
    def table(self) -> int:
        """Where its table of addresses is."""
        return self.address("T")
