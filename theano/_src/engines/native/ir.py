"""The language that native programs are written in: typed values, loops, branches, calls.

A `Function` is built by its methods, each of which appends an instruction and returns its value.
Every value is assigned once, except variables (`declare`, `get`, `put`). `llvm` and `c99` print it.

Types: floats ``f64 f32``, integers ``i64 i32 i16 i8 u64 u32 u16 u8``, ``bool`` and pointers ``p``.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import Any, NamedTuple

#: bytes of a value in memory
SIZES = {
    "f64": 8, "f32": 4, "i64": 8, "i32": 4, "i16": 2, "i8": 1,
    "u64": 8, "u32": 4, "u16": 2, "u8": 1, "bool": 1, "p": 8,
}  # fmt: skip

FLOATS = frozenset({"f64", "f32"})
SIGNED = frozenset({"i64", "i32", "i16", "i8"})
UNSIGNED = frozenset({"u64", "u32", "u16", "u8"})
INTEGERS = SIGNED | UNSIGNED

#: the unsigned types of signed ones whose overflow C leaves undefined; shorter ones become int
_UNSIGNED = {"i64": "u64", "i32": "u32"}

#: operations on two values of one type, on one value, and comparisons
BINARY = frozenset("add sub mul div min max and or xor".split())
UNARY = frozenset("neg abs sqrt floor ceil trunc rint not".split())
COMPARISONS = frozenset("lt le gt ge eq ne".split())


class Value:
    """A value that an instruction makes, or a parameter."""

    __slots__ = ("name", "type")

    def __init__(self, type: str, name: str) -> None:
        self.type, self.name = type, name

    def __repr__(self) -> str:
        return f"{self.type} {self.name}"


class Number(NamedTuple):
    """A number that is known."""

    type: str
    value: Any


Operand = Value | Number


class Compute(NamedTuple):
    """``out = op(args)``: an operation of the sets above, ``select`` or ``cast``."""

    out: Value
    op: str
    args: tuple[Operand, ...]


class Load(NamedTuple):
    out: Value
    pointer: Operand
    at: Operand


class Store(NamedTuple):
    pointer: Operand
    at: Operand
    value: Operand


class Offset(NamedTuple):
    """``out = pointer + at * size``, ``size`` in bytes."""

    out: Value
    pointer: Operand
    at: Operand
    size: int


class Address(NamedTuple):
    """``out``: entry ``at`` of the address table."""

    out: Value
    at: int


class Room(NamedTuple):
    """``out``: ``size`` bytes on the stack, for as long as the function runs."""

    out: Value
    size: int


class Call(NamedTuple):
    """A call of a function by its name or its address; ``"self"`` is the function itself."""

    out: Value | None
    target: str | Value
    args: tuple[Operand, ...]


class Declare(NamedTuple):
    variable: Value
    value: Operand


class Get(NamedTuple):
    out: Value
    variable: Value


class Put(NamedTuple):
    variable: Value
    value: Operand


class Return(NamedTuple):
    value: Operand


class Loop(NamedTuple):
    """``body`` for each ``counter`` from 0 to ``length - 1``."""

    counter: Value
    length: Operand
    body: list[Any]


class If(NamedTuple):
    condition: Operand
    body: list[Any]


class Note(NamedTuple):
    """A comment; one in C alone."""

    text: str


Instruction = (
    Compute | Load | Store | Offset | Address | Room | Call
    | Declare | Get | Put | Return | Loop | If | Note
)  # fmt: skip

_FOLDED: dict[str, Callable[[int, int], int]] = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "min": min,
    "max": max,
}


def integer(value: int) -> Number:
    return Number("i64", value)


ZERO, ONE, NULL = integer(0), integer(1), Number("p", 0)


class Function:
    """A function of the language.

    Parameters
    ----------
    name : str
    params : pairs of name and type
    result : str
        The type that it returns.
    once : bool
        Whether it runs once a call: compiling it with care would take longer than it saves.

    >>> f = Function("twice", [("x", "f64")], "f64")
    >>> f.give(f.add(f.params[0], f.params[0]))
    >>> f.body
    [Compute(out=f64 v1, op='add', args=(f64 x, f64 x)), Return(value=f64 v1)]
    """

    def __init__(
        self, name: str, params: Sequence[tuple[str, str]], result: str = "i64", once: bool = False
    ) -> None:
        self.name, self.result, self.once = name, result, once
        self.params = [Value(type, each) for each, type in params]
        #: better names for its values, where they are printed for people
        self.names: dict[str, str] = {}
        #: names of the pointers that no other pointer of the function overlaps
        self.alone: set[str] = set()
        self.body: list[Instruction] = []
        self._block = self.body
        self._count = 0
        self._taken = {p.name for p in self.params}

    @property
    def size(self) -> int:
        """The number of its instructions."""
        blocks, size = [self.body], 0
        while blocks:
            block = blocks.pop()
            size += len(block)
            blocks += [ins.body for ins in block if isinstance(ins, Loop | If)]
        return size

    @cached_property
    def text(self) -> str:
        """Its printed form: two functions with one text are alike."""
        return repr((self.params, sorted(self.alone), self.result, self.body))

    def new(self, type: str, hint: str = "v") -> Value:
        self._count += 1
        name = f"{hint}{self._count}"
        return Value(type, f"{name}_" if name in self._taken else name)

    def append(self, instruction: Instruction) -> None:
        self._block.append(instruction)

    @contextmanager
    def writing(self, block: list[Instruction]) -> Iterator[None]:
        """Append to ``block`` for a while."""
        outer, self._block = self._block, block
        try:
            yield
        finally:
            self._block = outer

    # values

    def compute(self, op: str, *args: Operand, type: str | None = None) -> Operand:
        out = self.new(type or args[0].type)
        self.append(Compute(out, op, args))
        return out

    def binary(self, op: str, a: Operand, b: Operand) -> Operand:
        if a.type == "i64":
            known = folded(op, a, b)
            if known is not None:
                return known
        return self.compute(op, a, b)

    def add(self, a: Operand, b: Operand) -> Operand:
        return self.binary("add", a, b)

    def sub(self, a: Operand, b: Operand) -> Operand:
        return self.binary("sub", a, b)

    def mul(self, a: Operand, b: Operand) -> Operand:
        return self.binary("mul", a, b)

    def on_elements(self, op: str, a: Operand, b: Operand) -> Operand:
        """``add``, ``sub`` or ``mul`` of elements of arrays: integers wrap, as those of NumPy do.

        `binary` is for lengths and places, which never are that large.
        """
        unsigned = _UNSIGNED.get(a.type)
        if unsigned is None:
            return self.compute(op, a, b)
        wide = self.compute(op, self.cast(unsigned, a), self.cast(unsigned, b))
        return self.cast(a.type, wide)

    def compare(self, op: str, a: Operand, b: Operand) -> Operand:
        return self.compute(op, a, b, type="bool")

    def is_nan(self, a: Operand) -> Operand:
        return self.compare("ne", a, a)

    def select(self, condition: Operand, a: Operand, b: Operand) -> Operand:
        return self.compute("select", condition, a, b, type=a.type)

    def cast(self, type: str, a: Operand) -> Operand:
        return a if a.type == type else self.compute("cast", a, type=type)

    # memory

    def load(self, type: str, pointer: Operand, index: Operand = ZERO) -> Value:
        out = self.new(type)
        self.append(Load(out, pointer, index))
        return out

    def store(self, pointer: Operand, index: Operand, value: Operand) -> None:
        self.append(Store(pointer, index, value))

    def offset(self, pointer: Operand, index: Operand, size: int) -> Operand:
        if isinstance(index, Number) and index.value == 0:
            return pointer
        out = self.new("p")
        self.append(Offset(out, pointer, index, size))
        return out

    def address(self, at: int) -> Value:
        out = self.new("p")
        self.append(Address(out, at))
        return out

    def room(self, size: int) -> Value:
        out = self.new("p", "room")
        self.append(Room(out, size))
        return out

    # variables

    def declare(self, value: Operand) -> Value:
        variable = self.new(value.type, "x")
        self.append(Declare(variable, value))
        return variable

    def get(self, variable: Value) -> Value:
        out = self.new(variable.type)
        self.append(Get(out, variable))
        return out

    def put(self, variable: Value, value: Operand) -> None:
        self.append(Put(variable, value))

    # control

    def call(self, target: str | Value, type: str | None, args: Sequence[Operand]) -> Any:
        """Call a function; ``type`` is what it returns, None for nothing."""
        out = None if type is None else self.new(type)
        self.append(Call(out, target, tuple(args)))
        return out

    def give(self, value: Operand) -> None:
        """Return ``value`` from the function."""
        self.append(Return(value))

    @contextmanager
    def loop(self, count: Operand) -> Iterator[Value]:
        index = self.new("i64", "i")
        body: list[Instruction] = []
        with self.writing(body):
            yield index
        self.append(Loop(index, count, body))

    @contextmanager
    def when(self, condition: Operand) -> Iterator[None]:
        body: list[Instruction] = []
        with self.writing(body):
            yield
        self.append(If(condition, body))


def folded(op: str, a: Operand, b: Operand) -> Operand | None:
    """The value of an operation on lengths, where numbers that are known decide it."""
    if isinstance(a, Number) and isinstance(b, Number):
        return integer(_FOLDED[op](a.value, b.value)) if op in _FOLDED else None
    if isinstance(b, Number):
        if (op, b.value) in (("add", 0), ("sub", 0), ("mul", 1)):
            return a
        if (op, b.value) == ("mul", 0):
            return b
    if isinstance(a, Number):
        if (op, a.value) in (("add", 0), ("mul", 1)):
            return b
        if (op, a.value) == ("mul", 0):
            return a
    return None
