"""The targets of the pointers of a function, and the writes through them.

The language has pointers without types. C wants the types of what is read and written through them,
and `const` where nothing is written.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from theano._src.engines.native import ir
from theano._src.engines.native.ir import Number, Operand, Value
from theano._src.engines.native.standalone.c_library import pointers_of

C_TYPES = {
    "f64": "double", "f32": "float", "bool": "uint8_t",
    "i64": "int64_t", "i32": "int32_t", "i16": "int16_t", "i8": "int8_t",
    "u64": "uint64_t", "u32": "uint32_t", "u16": "uint16_t", "u8": "uint8_t",
}  # fmt: skip


class Struct(NamedTuple):
    """The context of an inner function: for its words, names and types (``p`` for pointers)."""

    name: str
    fields: dict[int, tuple[str, str]]


@dataclass
class Pointer:
    """The facts about a pointer and all equal ones: a node of a forest."""

    parent: Pointer | None = None
    types: set[str] = field(default_factory=set)
    struct: str | None = None

    @property
    def root(self) -> Pointer:
        node = self
        while node.parent is not None:
            node = node.parent
        return node

    def join(self, other: Pointer) -> None:
        a, b = self.root, other.root
        if a is not b:
            b.parent = a
            a.types |= b.types
            a.struct = a.struct or b.struct

    @property
    def type(self) -> str:
        """The C type of what it points to."""
        root = self.root
        if root.struct is not None:
            return f"struct {root.struct}"
        types = {C_TYPES[t] for t in root.types}
        return types.pop() if len(types) == 1 else "unsigned char"


class Pointers:
    """The pointers of some functions.

    Parameters
    ----------
    functions : list of Function
        Each after those that it calls.
    structs : dict
        For inner functions, their contexts.
    addresses : dict
        For places of the table of addresses, the type of what is there.
    is_constant : function
        Whether what is at a place of the table never changes.
    """

    def __init__(
        self,
        functions: Sequence[ir.Function],
        structs: Mapping[str, Struct],
        addresses: Mapping[int, str],
        is_constant: Callable[[int], bool],
    ) -> None:
        self.functions = {f.name: f for f in functions}
        self._is_constant = is_constant
        #: the words of structs that functions read or write
        self.accessed: dict[str, set[int]] = defaultdict(set)
        self._pointers: dict[Any, Pointer] = defaultdict(Pointer)
        for name, struct in structs.items():
            self._pointers[name, "context"].struct = struct.name
        for at, kind in addresses.items():
            self._pointers["address", at].types.add(kind)
        for f in functions:
            self._infer(f)
        self._find_accessed()
        self.written = self._find_written()

    def pointer(self, f: ir.Function, v: Operand) -> Pointer:
        return self._pointers[f.name, v.name if isinstance(v, Value) else "null"]

    def field_pointer(self, struct: str, word: int) -> Pointer:
        return self._pointers["field", struct, word]

    def _infer(self, f: ir.Function) -> None:
        raw = {p for p in f.params if p.name == "scratch"}
        for ins in walk(f.body):
            match ins:
                case ir.Load(out, pointer, at):
                    struct = self.pointer(f, pointer).root.struct
                    if struct is None:
                        self.pointer(f, pointer).root.types.add(out.type)
                    elif out.type == "p":
                        assert isinstance(at, Number)
                        self.field_pointer(struct, at.value).join(self.pointer(f, out))
                        if at.value == 0:
                            raw.add(out)
                case ir.Store(pointer, at, value):
                    struct = self.pointer(f, pointer).root.struct
                    if struct is None:
                        self.pointer(f, pointer).root.types.add(value.type)
                    elif isinstance(value, Value) and value.type == "p":
                        assert isinstance(at, Number)
                        self.field_pointer(struct, at.value).join(self.pointer(f, value))
                case ir.Offset(out, pointer, _, _):
                    if pointer not in raw:
                        self.pointer(f, pointer).join(self.pointer(f, out))
                case ir.Address(out, at):
                    self._pointers["address", at].join(self.pointer(f, out))
                case ir.Declare(v, value) | ir.Put(v, value) | ir.Get(value, v):
                    if v.type == "p" and isinstance(value, Value):
                        self.pointer(f, v).join(self.pointer(f, value))
                case ir.Compute(out, "select", (_, a, b)):
                    if out.type == "p":
                        for each in (a, b):
                            self.pointer(f, out).join(self.pointer(f, each))
                case ir.Call(_, str() as target, args):
                    callee = f if target == "self" else self.functions.get(target)
                    if callee is None:
                        for arg in args[: pointers_of(target)]:
                            self.pointer(f, arg).root.types.add(target[-3:])
                        continue
                    for param, arg in zip(callee.params, args, strict=True):
                        if param.type == "p" and isinstance(arg, Value) and arg not in raw:
                            self.pointer(callee, param).join(self.pointer(f, arg))

    def _find_accessed(self) -> None:
        for f in self.functions.values():
            for ins in walk(f.body):
                if isinstance(ins, ir.Load | ir.Store) and isinstance(ins.at, Number):
                    struct = self.pointer(f, ins.pointer).root.struct
                    if struct is not None:
                        self.accessed[struct].add(ins.at.value)

    # what is written through pointers

    def _find_written(self) -> set[Any]:
        """Parameters, fields and rooms that something is written through."""
        written: set[Any] = set()
        before = -1
        while before != len(written):
            before = len(written)
            for f in self.functions.values():
                bases = self.bases(f)
                for ins in walk(f.body):
                    match ins:
                        case ir.Store(pointer, _, _):
                            written |= bases.get(pointer, set())
                        case ir.Call(_, str() as target, args):
                            callee = f if target == "self" else self.functions.get(target)
                            if callee is None:
                                if count := pointers_of(target):
                                    written |= bases.get(args[count - 1], set())
                                continue
                            for param, arg in zip(callee.params, args, strict=True):
                                if (callee.name, param.name) in written:
                                    written |= bases.get(arg, set())
        return written

    def bases(self, f: ir.Function) -> dict[Any, set[Any]]:
        """Where pointers of a function come from: its parameters, fields, rooms and addresses."""
        bases: dict[Any, set[Any]] = {
            p: {(f.name, p.name)} for p in f.params if p.type == "p"
        }  # fmt: skip
        for _ in range(2):  # a loop may read what its last turn has put
            for ins in walk(f.body):
                match ins:
                    case ir.Load(out, pointer, at) if out.type == "p":
                        struct = self.pointer(f, pointer).root.struct
                        bases[out] = {("field", struct, at.value if isinstance(at, Number) else -1)}
                    case ir.Offset(out, pointer, _, _):
                        bases[out] = bases.get(pointer, set())
                    case ir.Room(out, _):
                        bases[out] = {(f.name, out.name)}
                    case ir.Address(out, at):
                        bases[out] = {("address", at, f.name)}
                    case ir.Declare(v, value) | ir.Put(v, value):
                        if v.type == "p":
                            bases[v] = bases.get(v, set()) | bases.get(value, set())
                    case ir.Get(out, v) if out.type == "p":
                        bases[out] = bases.get(v, set())
                    case ir.Compute(out, "select", (_, a, b)) if out.type == "p":
                        bases[out] = bases.get(a, set()) | bases.get(b, set())
        return bases

    def is_const(self, base: Any) -> bool:
        """Whether a pointer of this origin points to constants."""
        if base[0] == "address":
            return self._is_constant(base[1]) or base not in self.written
        if base[0] == "field":
            return base not in self.written and base[2] != 0
        f = self.functions[base[0]]
        return base not in self.written and any(p.name == base[1] for p in f.params)


def walk(body: Sequence[ir.Instruction]) -> Iterator[ir.Instruction]:
    stack = [iter(body)]
    while stack:
        for ins in stack[-1]:
            yield ins
            if isinstance(ins, ir.Loop | ir.If):
                stack.append(iter(ins.body))
                break
        else:
            stack.pop()
