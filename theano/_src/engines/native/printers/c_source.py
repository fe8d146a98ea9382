"""Prints functions as C99 that people read: typed pointers, expressions, names of variables.

`c99` prints what a machine reads. Here each pointer gets the type of what is read and written
through it, values that are read once become part of the expression that reads them, and the context
of an inner function is a struct.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from theano._src.engines.native import ir
from theano._src.engines.native.ir import Number, Operand, Value
from theano._src.engines.native.printers.pointers import (
    C_TYPES,
    Pointer,
    Pointers,
    Struct,
    walk,
)
from theano._src.engines.native.standalone.simplify import operands

_OPERATORS = {
    "add": "+", "sub": "-", "mul": "*", "div": "/", "and": "&", "or": "|", "xor": "^",
    "lt": "<", "le": "<=", "gt": ">", "ge": ">=", "eq": "==", "ne": "!=",
}  # fmt: skip
#: how tightly operators bind; operands of & | ^ are put in parentheses
_BINDING = {
    "mul": 12, "div": 12, "add": 11, "sub": 11,
    "lt": 9, "le": 9, "gt": 9, "ge": 9, "eq": 8, "ne": 8, "and": 7, "xor": 6, "or": 5, "select": 2,
}  # fmt: skip
_UNARY, _ATOM = 14, 16
#: from so many characters on an expression is a value of its own
_LONG = 70


class Source(Pointers):
    """The C of some functions.

    Parameters
    ----------
    functions : list of Function
        Each after those that it calls.
    structs : dict
        For inner functions, their contexts.
    addresses : dict
        For places of the table of addresses: the C expression, and the type of its elements.
    is_constant : function
        Whether what is at a place of the table never changes.
    doubles : str
        The C type of float64.
    procedures : set of str
        The functions that return nothing.
    """

    def __init__(
        self,
        functions: Sequence[ir.Function],
        structs: Mapping[str, Struct],
        addresses: Mapping[int, tuple[str, str]],
        is_constant: Callable[[int], bool],
        doubles: str = "double",
        procedures: Collection[str] = (),
    ) -> None:
        kinds = {at: kind for at, (_, kind) in addresses.items()}
        super().__init__(functions, structs, kinds, is_constant)
        self.structs, self.addresses = structs, addresses
        self.types = C_TYPES | {"f64": doubles}
        self._doubles = doubles
        self.procedures = procedures
        self._codes = self._find_codes()
        self._given = {f.name: set(f.names.values()) for f in functions}

    def c_type(self, pointer: Pointer) -> str:
        return pointer.type if pointer.type != "double" else self._doubles

    def name(self, f: ir.Function, v: Value) -> str:
        """The name of a value: the user's, or that of its function if no other value has it."""
        if v.name in f.names:
            return f.names[v.name]
        return f"{v.name}_" if v.name in self._given[f.name] else v.name

    def param(self, f: ir.Function, p: Value, restrict: bool = True) -> str:
        name = self.name(f, p)
        if p.type != "p":
            return f"{self.types[p.type]} {name}"
        if name == "scratch":
            return "void *scratch"
        const = "const " if self.is_const((f.name, p.name)) else ""
        alone = "restrict " if p.name in f.alone and restrict else ""
        return f"{const}{self.c_type(self.pointer(f, p))} *{alone}{name}"

    def result(self, f: ir.Function) -> str:
        """The C type of what a function returns."""
        return "int" if f.name in self._codes else self.types[f.result]

    def _find_codes(self) -> set[str]:
        """The functions that return a code: a small number, or a code of another function."""
        codes: set[str] = set()
        for name, f in self.functions.items():
            known: set[Operand] = set()
            others: set[Value] = set()  # variables that are something else at times
            returned: list[Operand] = []
            for ins in walk(f.body):
                match ins:
                    case ir.Call(Value() as out, target) if target == "self" or target in codes:
                        known.add(out)
                    case ir.Compute(out, "or" | "select", args) if {
                        a for a in args if isinstance(a, Value) and a.type != "bool"
                    } <= known:
                        known.add(out)
                    case ir.Compute(out, "cast", (a,)) if a.type == "bool":
                        known.add(out)
                    case ir.Declare(v, value) | ir.Put(v, value):
                        (known if isinstance(value, Number) or value in known else others).add(v)
                    case ir.Get(out, v) if v in known:
                        known.add(out)
                    case ir.Return(value):
                        returned.append(value)
            is_code = all(isinstance(v, Number) or v in known for v in returned)
            if f.result == "i64" and is_code and not others:
                codes.add(name)
        return codes

    def struct_text(self, inner: str) -> str:
        struct = self.structs[inner]
        lines = []
        for word, (name, kind) in struct.fields.items():
            if word not in self.accessed[struct.name]:
                continue
            if kind != "p":
                lines.append(f"  int64_t {name};")
            elif word == 0:
                lines.append(f"  unsigned char *{name};")
            else:
                const = "const " if self.is_const(("field", struct.name, word)) else ""
                pointer = self.field_pointer(struct.name, word)
                lines.append(f"  {const}{self.c_type(pointer)} *{name};")
        return "\n".join([f"struct {struct.name} {{", *lines, "};"])

    def function_text(self, f: ir.Function, head: str) -> str:
        return f"{head}\n{{\n{_Body(self, f).text}}}\n"

    def head(self, f: ir.Function) -> str:
        params = ", ".join(self.param(f, p) for p in f.params)
        result = "void" if f.name in self.procedures else self.result(f)
        return f"static {result} {f.name}({params or 'void'})"


@dataclass
class _Text:
    """An expression that is not written yet: whether it reads memory, and how tightly it binds."""

    text: str
    binding: int = _ATOM
    reads: bool = False
    #: of a place in an array: the pointer to it, and the index
    within: tuple[str, str] | None = None


def number_text(v: Number, doubles: str = "double") -> str:
    if v.type in ir.FLOATS:
        value = float(v.value)
        if math.isnan(value):
            return "NAN"
        if math.isinf(value):
            return "INFINITY" if value > 0 else "-INFINITY"
        if v.type == "f32" or doubles == "float":
            text = str(np.float32(value))
            return text + ("f" if "." in text or "e" in text or "E" in text else ".0f")
        return repr(value)
    if v.type == "p":
        return "NULL"
    value = int(v.value)
    if v.type == "bool":
        return str(value)
    if v.type == "u64":
        return f"UINT64_C({value})"
    if v.type in ir.UNSIGNED:
        return f"{value}u"
    if value == -(2**63):
        return "INT64_MIN"
    return f"INT64_C({value})" if abs(value) >= 2**31 else str(value)


class _Body:
    """The text of a function's body."""

    def __init__(self, source: Source, f: ir.Function) -> None:
        self._source, self._f = source, f
        self._types = source.types
        self._bases = source.bases(f)
        self._pending: dict[Value, _Text] = {}
        self._lines: list[str] = []
        self._uses: Counter[Value] = Counter()
        self._block_of: dict[Value, int] = {}
        self._count_uses(f.body)
        has_addresses = any(isinstance(i, ir.Address) for i in walk(f.body))
        unused = [
            p for p in f.params if not self._uses[p] and not (p.name == "state" and has_addresses)
        ]
        self._rooms = {i.out: i.size for i in walk(f.body) if isinstance(i, ir.Room)}
        for p in unused:
            self._lines.append(f"  (void){self._name(p)};")
        self._block(f.body, 1)
        self.text = "\n".join(self._lines) + "\n"

    def _count_uses(self, body: Sequence[ir.Instruction]) -> None:
        for ins in body:
            twice = isinstance(ins, ir.Compute) and ins.op in ("min", "max")
            for v in operands(ins):
                if isinstance(v, Value):
                    self._uses[v] += 2 if twice else 1
                    self._block_of[v] = id(body)
            if isinstance(ins, ir.Loop | ir.If):
                self._count_uses(ins.body)

    # operands

    def _name(self, v: Value) -> str:
        return self._source.name(self._f, v)

    def _take(self, v: Operand) -> _Text:
        if isinstance(v, Number):
            text = number_text(v, self._source._doubles)
            return _Text(text, _UNARY if text.startswith("-") else _ATOM)
        if v in self._pending:
            return self._pending.pop(v)
        if v in self._rooms and self._source.pointer(self._f, v).root.struct is not None:
            return _Text(f"&{self._name(v)}", _UNARY)
        return _Text(self._name(v))

    def _within(self, v: Operand, binding: int) -> tuple[str, bool]:
        """An operand's text, in parentheses if it binds less, and whether it reads memory."""
        t = self._take(v)
        return (t.text if t.binding >= binding else f"({t.text})"), t.reads

    # statements

    def _emit(self, depth: int, text: str) -> None:
        self._lines.append("  " * depth + text)

    def _flush(self, depth: int) -> None:
        """Write the expressions that wait and read memory, before something changes it."""
        for v in [v for v, t in self._pending.items() if t.reads]:
            self._declare(depth, v, self._pending.pop(v))

    def _declare(self, depth: int, v: Value, t: _Text) -> None:
        const = "" if v.type == "p" else "const "
        self._emit(depth, f"{const}{self._value_type(v)}{self._name(v)} = {t.text};")

    def _value_type(self, v: Value) -> str:
        return f"{self._pointer_type(v)} *" if v.type == "p" else f"{self._types[v.type]} "

    def _pointer_type(self, v: Value) -> str:
        bases = self._bases.get(v, set())
        const = any(map(self._source.is_const, bases))
        name = self._source.c_type(self._source.pointer(self._f, v))
        return f"const {name}" if const else name

    def _block(self, body: Sequence[ir.Instruction], depth: int) -> None:
        for ins in body:
            self._statement(ins, body, depth)

    def _statement(self, ins: ir.Instruction, body: Any, depth: int) -> None:
        match ins:
            case ir.Note(text):
                self._flush(depth)
                self._emit(depth, f"/* {comment(text)} */")
            case ir.Loop(counter, length, inner):
                text, _ = self._within(length, 10)
                self._flush(depth)
                i = self._name(counter)
                self._emit(depth, f"for (int64_t {i} = 0; {i} < {text}; {i}++) {{")
                self._block(inner, depth + 1)
                self._emit(depth, "}")
            case ir.If(condition, inner):
                text = self._take(condition).text
                self._flush(depth)
                self._emit(depth, f"if ({text}) {{")
                self._block(inner, depth + 1)
                self._emit(depth, "}")
            case ir.Store(pointer, at, value):
                right = self._take(value).text
                place = self._place(pointer, at, value.type)[0]
                self._flush(depth)
                self._emit(depth, f"{place} = {right};")
            case ir.Room(out, size):
                self._emit(depth, f"{self._room(out, size)};")
            case ir.Declare(v, value):
                text = self._take(value).text
                self._emit(depth, f"{self._value_type(v)}{self._name(v)} = {text};")
            case ir.Put(v, value):
                text = self._take(value).text
                self._flush(depth)
                self._emit(depth, f"{self._name(v)} = {text};")
            case ir.Return() if self._f.name in self._source.procedures:
                if body is not self._f.body:
                    self._emit(depth, "return;")
            case ir.Return(value):
                text = self._take(value).text
                self._emit(depth, f"return {text};")
            case ir.Call(None, target, args) if target not in self._source.functions:
                call = f"{target}({', '.join(self._take(a).text for a in args)})"
                self._flush(depth)
                self._emit(depth, f"{call};")
            case ir.Call(out, target, args) if target in self._source.functions or target == "self":
                call = self._call(ins)
                self._flush(depth)
                if out is None or not self._uses[out]:
                    self._emit(depth, f"{call};")
                else:
                    callee = self._f if target == "self" else self._source.functions[str(target)]
                    kind = self._source.result(callee)
                    self._emit(depth, f"const {kind} {self._name(out)} = {call};")
            case _:
                self._define(ins, body, depth)

    def _define(self, ins: Any, body: Any, depth: int) -> None:
        """A value: it waits for the expression that reads it, if there is one, or gets a name."""
        out: Value = ins.out
        text = self._value(ins)
        if (
            self._uses[out] == 1
            and self._block_of.get(out) == id(body)
            and len(text.text) < _LONG
            and out.name not in self._f.names
        ):
            self._pending[out] = text
        else:
            self._declare(depth, out, text)

    def _room(self, out: Value, size: int) -> str:
        pointer = self._source.pointer(self._f, out)
        name, kind = self._name(out), pointer.type
        if pointer.root.struct is not None:
            return f"{kind} {name}"
        types = {C_TYPES[t]: ir.SIZES[t] for t in pointer.root.types}
        if len(types) == 1:
            return f"{self._source.c_type(pointer)} {name}[{size // types[kind]}]"
        return f"unsigned char {name}[{size}]"

    def _call(self, ins: ir.Call) -> str:
        callee = self._f if ins.target == "self" else self._source.functions[str(ins.target)]
        texts = [self._take(a).text for a in ins.args]
        return f"{callee.name}({', '.join(texts)})"

    def _place(self, pointer: Operand, at: Operand, type: str) -> tuple[str, bool]:
        """A place in memory, and whether its address reads memory."""
        mine = self._source.pointer(self._f, pointer)
        struct = mine.root.struct
        if struct is not None:
            assert isinstance(at, Number)
            fields = next(s for s in self._source.structs.values() if s.name == struct).fields
            name, reads = self._within(pointer, _ATOM)
            dot = "." if pointer in self._rooms else "->"
            return f"{name.lstrip('(&').rstrip(')')}{dot}{fields[at.value][0]}", reads
        if mine.type == "unsigned char" and C_TYPES[type] != "unsigned char":
            raise TypeError(f"{self._f.name}: {pointer} is read as several types")
        is_first = isinstance(at, Number) and at.value == 0
        pending = self._pending.get(pointer) if isinstance(pointer, Value) else None
        if is_first and pending is not None and pending.within is not None:
            del self._pending[pointer]  # type: ignore[arg-type]
            return f"{pending.within[0]}[{pending.within[1]}]", pending.reads
        base, reads = self._within(pointer, _ATOM)
        if is_first and pointer not in self._rooms:
            return f"*{base}", reads
        index = self._take(at)
        return f"{base}[{index.text}]", reads or index.reads

    # values

    def _value(self, ins: Any) -> _Text:
        match ins:
            case ir.Compute(out, op, args):
                return self._compute(out, op, args)
            case ir.Load(out, pointer, at):
                place, _ = self._place(pointer, at, out.type)
                return _Text(place, _UNARY if place[0] == "*" else _ATOM, True)
            case ir.Get(_, variable):
                return _Text(self._name(variable), _ATOM, True)
            case ir.Address(_, at):
                return _Text(self._source.addresses[at][0], _ATOM)
            case ir.Offset(out, pointer, at, size):
                return self._offset(out, pointer, at, size)
            case ir.Call(_, target, args):
                texts = [self._take(a) for a in args]
                inside = ", ".join(t.text for t in texts)
                return _Text(f"{target}({inside})", _ATOM, any(t.reads for t in texts))
        raise TypeError(ins)

    def _offset(self, out: Value, pointer: Operand, at: Operand, size: int) -> _Text:
        kind = self._pointer_type(out)
        mine = self._source.pointer(self._f, pointer)
        base, reads = self._within(pointer, 11)
        index = self._take(at)
        reads = reads or index.reads
        same = mine.root is self._source.pointer(self._f, out).root
        if same:
            each = max((ir.SIZES[t] for t in mine.root.types), default=size)
            text = index.text if index.binding > 11 else f"({index.text})"
            if size % each:
                raise TypeError(f"{self._f.name}: {out} is {size} bytes a step")
            if size > each:
                index = _Text(f"{size // each} * {text}", 12)
                text = index.text
            place = (base, index.text) if base.isidentifier() else None
            return _Text(f"{base} + {text}", 11, reads, place)
        # memory without a type
        text = index.text if index.binding > 11 else f"({index.text})"
        bytes_ = base if "->" in base else f"(unsigned char *){base}"
        inside = f"{bytes_} + {text}" if text != "0" else base
        return _Text(f"({kind} *)({inside})" if text != "0" else f"({kind} *){base}", 13, reads)

    def _compute(self, out: Value, op: str, args: Sequence[Operand]) -> _Text:
        if op in ("min", "max"):
            (a, r), (b, s) = (self._within(x, 10) for x in args)
            sign = "<" if op == "min" else ">"
            if args[0].type in ir.FLOATS:
                return _Text(f"{a} {sign} {b} || {a} != {a} ? {a} : {b}", 2, r or s)
            return _Text(f"{a} {sign} {b} ? {a} : {b}", 2, r or s)
        if op in _OPERATORS:
            return self._operator(out, op, args)
        if op == "select":
            # clang warns of & and | before a question mark
            (c, r), (a, s), (b, t) = map(self._within, args, (8, 3, 3))
            return _Text(f"{c} ? {a} : {b}", 2, r or s or t)
        a, reads = self._within(args[0], _UNARY)
        if op == "cast":
            return self._cast(out, args[0], a, reads)
        if op == "neg":
            return _Text(f"-{a}" if a[0] != "-" else f"-({a})", _UNARY, reads)
        if op == "not" and out.type == "bool":
            return _Text(f"!{a}", _UNARY, reads)
        if op == "not":
            return self._cast(out, args[0], f"~{a}", reads)
        plain = a[1:-1] if a[0] == "(" and a[-1] == ")" and _matches(a) else a
        name = "fabs" if op == "abs" else op
        is_float = self._types[args[0].type] == "float"
        return _Text(f"{name}{'f' if is_float else ''}({plain})", _ATOM, reads)

    def _cast(self, out: Value, since: Operand, a: str, reads: bool) -> _Text:
        if out.type == "bool":
            return _Text(f"{a} != 0", 8, reads) if since.type != "bool" else _Text(a, 0, reads)
        return _Text(f"({self._types[out.type]}){a}", _UNARY - 1, reads)

    def _operator(self, out: Value, op: str, args: Sequence[Operand]) -> _Text:
        binding = _BINDING[op]
        # a - (b - c), and the order of sums and products, are kept; so is what compilers warn of
        left = binding if op in ("add", "sub", "mul", "div") else 10
        if op in ("and", "or", "xor"):
            left = 13
        (a, r), (b, s) = self._within(args[0], left), self._within(args[1], max(left, binding + 1))
        # of two factors of 16 bits C computes an int, which overflows
        first = f"(uint32_t){a}" if (op, out.type) == ("mul", "u16") else a
        text = f"{first} {_OPERATORS[op]} {b}"
        if out.type in ("i16", "i8", "u16", "u8") and op in ("add", "sub", "mul", "div"):
            return _Text(f"({self._types[out.type]})({text})", 13, r or s)
        return _Text(text, binding, r or s)


def _matches(text: str) -> bool:
    """Whether the first parenthesis of a text is closed by the last."""
    depth = 0
    for i, c in enumerate(text):
        depth += (c == "(") - (c == ")")
        if not depth:
            return i == len(text) - 1
    return False


def comment(text: str) -> str:
    """A text that stays within a comment.

    >>> comment("a */ b")
    'a * / b'
    """
    return text.replace("*/", "* /").replace("/*", "/ *").replace("\\", "/").replace("??", "? ?")
