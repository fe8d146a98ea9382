"""Nests: elementwise work on arrays of the same lengths, and sums of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from theano._src.engines.native.functions import Functions
from theano._src.engines.native.inline import TYPES
from theano._src.engines.native.ir import (
    Number,
    Operand,
    Value,
)
from theano._src.engines.native.loops import NotNative
from theano._src.engines.native.steps import Dtype
from theano._src.graph.graph import Variable
from theano._src.types.tensor import TensorType


@dataclass(eq=False)
class Array:
    """A value of the graph while a program is written.

    It is a ``number``, or in memory at ``pointer``, or made by ``nest`` as its element ``at``.
    ``flat`` says that its elements lie one after another in the order of its indices, ``ordered``
    that it lies in memory as NumPy's own would, the last dimension closest together. It is there
    once what belongs to ``level`` has run.
    """

    dtype: Dtype
    lengths: list[Operand]
    strides: list[Operand] = field(default_factory=list)  # in elements
    pointer: Operand | None = None
    number: Operand | None = None
    level: int = 0
    flat: bool = True
    ordered: bool = True
    turned: bool = False  # whether its transpose is flat
    flat_rows: bool = False  # whether what an index into its first dimension gives is flat
    nest: Nest | None = None
    at: int = -1
    variable: Any = None
    constant: np.ndarray | None = None
    #: its elements, where they are known one by one
    numbers: list[Operand] | None = None
    #: whether its memory is the program's own, and the output of the function that has it
    owned: bool = False
    output: int | None = None

    @property
    def type(self) -> str | None:
        """The type of its elements; None where they are never in a register."""
        return TYPES.get(self.dtype)


#: what a function of a program returns where the arena is too small, where Python has raised, and
#: where the numpy engine does what the program does not
NO_ROOM, RAISED, NOT_HERE = -1, -2, -3


def ndim_of(v: Variable) -> int:
    """The number of dimensions of a variable; 0 if it is not an array."""
    return v.type.ndim if isinstance(v.type, TensorType) else 0


#: indices that cannot be out of bounds: from 0 on, or counted from the end too
IN_BOUNDS, FROM_THE_END = 0, -1


@dataclass
class Element:
    """An element in a nest: of an array, a number, or the result of a step.

    The step ``take`` reads ``source`` at an index that another element is; ``stop`` is what the
    kernel returns where that is out of bounds, or one of the codes above.
    """

    dtype: Dtype
    array: Array | None = None
    number: Operand | None = None
    name: str = ""
    ufunc: np.ufunc | None = None
    args: tuple[int, ...] = ()
    source: Array | None = None
    stop: int = 0

    @property
    def type(self) -> str | None:
        return TYPES.get(self.dtype)


@dataclass
class Total:
    """A sum of all elements, which is in ``result`` after the nest."""

    arg: int
    result: Value


@dataclass
class Scatter:
    """Elements that are added to, or put into, ``target`` at indices, one after another."""

    value: int
    index: int
    target: Array
    stop: int
    add: bool


class Nest:
    """Work on arrays of some lengths. Numbers of elements are known by their places in a list.

    ``functions`` writes its steps.
    """

    def __init__(self, level: int, lengths: list[Operand], functions: Functions) -> None:
        self.level, self.lengths, self.functions = level, lengths, functions
        #: the positions of the nodes whose work it does
        self.positions: list[int] = []
        self.elements: list[Element] = []
        self.totals: list[Total] = []
        self.scatters: list[Scatter] = []
        #: elements that others read, as the arrays that they are written to
        self.written: dict[int, Array] = {}
        self._known: dict[Any, int] = {}
        self._taken: set[int] = set()

    def _add(self, key: Any, element: Element) -> int:
        if key not in self._known:
            self._known[key] = len(self.elements)
            self.elements.append(element)
        return self._known[key]

    def read(self, array: Array) -> int:
        return self._add(("read", id(array)), Element(array.dtype, array=array))

    def given(self, number: Operand, dtype: Dtype) -> int:
        """A number: the same for all elements."""
        key = repr(number.value) if isinstance(number, Number) else id(number)
        return self._add(("number", number.type, key), Element(dtype, number=number))

    def step(self, name: str, ufunc: np.ufunc | None, args: Sequence[int], dtype: Dtype) -> int:
        types = [self.elements[a].type for a in args]
        if not self.functions.is_instruction(name, types, TYPES.get(dtype)):
            if ufunc is None:
                raise NotNative(f"{name} to {dtype} is left to NumPy")
            self.functions.check(ufunc, (*(self.elements[a].dtype for a in args), dtype))
        key = ("step", name, ufunc, tuple(args), dtype)
        return self._add(key, Element(dtype, name=name, ufunc=ufunc, args=tuple(args)))

    def take(self, source: Array, index: int, stop: int) -> int:
        """The element of a vector at an index."""
        if source.type is None:
            raise NotNative(f"an index into {source.dtype}")
        element = Element(source.dtype, name="take", args=(index,), source=source, stop=stop)
        return self._add(("take", id(source), index), element)

    def own(self, at: int) -> int:
        """An element for a variable of its own: a copy, if it is that of another variable."""
        if at in self._taken:
            element = self.elements[at]
            if element.type is None:
                raise NotNative(f"a second array of the same {element.dtype}")
            self.elements.append(Element(element.dtype, name="cast", args=(at,)))
            at = len(self.elements) - 1
        self._taken.add(at)
        return at

    @property
    def can_stop(self) -> bool:
        """Whether an index may be out of bounds, or a number be left to NumPy."""
        return (
            any(e.stop > 0 for e in self.elements)
            or any(s.stop > 0 for s in self.scatters)
            or any(map(self.may_leave, range(len(self.elements))))
        )

    def may_leave(self, at: int) -> bool:
        """Whether an element may be one that is left to NumPy."""
        element = self.elements[at]
        types = [self.elements[a].type for a in element.args]
        return self.functions.may_leave(element.name, types, element.type)

    def is_call(self, at: int) -> bool:
        """Whether an element is the result of a loop that is called on a block."""
        element = self.elements[at]
        if element.name in ("", "take"):
            return False
        types = [self.elements[a].type for a in element.args]
        return not self.functions.is_instruction(element.name, types, element.type)
