"""How functions of numbers are written: as instructions, or by the loops that NumPy would call."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from theano._src.engines.native import inline
from theano._src.engines.native.inline import TYPES
from theano._src.engines.native.ir import NULL, ONE, ZERO, Function, Number, Operand, integer
from theano._src.engines.native.loops import call_loop, loop_address

Dtypes = tuple[np.dtype[Any], ...]
#: a pointer and a stride in elements
Place = tuple[Operand, Operand]


class Functions:
    """The functions of numbers of a program: it calls NumPy's inner loops by address.

    ``addresses`` is the program's table.
    """

    #: whether the numpy engine takes the numbers that a step leaves
    beside_numpy = True
    #: whether results have the digits of NumPy's
    has_numpy_digits = True

    def __init__(self, addresses: Any) -> None:
        self._place = addresses.place

    def is_instruction(self, name: str, types: Sequence[str | None], out: str | None) -> bool:
        """Whether `write` writes a step on numbers of these types, one by one."""
        known = [t for t in types if t is not None]
        return out is not None and len(known) == len(types) and self._is_inline(name, known, out)

    def _is_inline(self, name: str, types: Sequence[str], out: str) -> bool:
        return inline.is_inline(name, types, out) or self.may_leave(name, types, out)

    def may_leave(self, name: str, types: Sequence[str | None], out: str | None) -> bool:
        """Whether a step leaves some numbers to NumPy, whose digits there are the processor's."""
        known = [t for t in types if t is not None]
        if not self.beside_numpy or out is None or not known:
            return False
        return inline.is_checked_cast(name, known, out)

    def leaves(self, f: Function, args: Sequence[Operand], out: str) -> Operand:
        """Whether a step that `may_leave` numbers to NumPy does."""
        return inline.outside(f, args[0], out)

    def write(self, f: Function, name: str, args: Sequence[Operand], out: str) -> Operand:
        """Write a step on numbers that `is_instruction`."""
        if self.may_leave(name, [a.type for a in args], out):
            a = args[0]
            return f.cast(out, f.select(inline.outside(f, a, out), Number(a.type, 0.0), a))
        return inline.write(f, name, args, out)

    def is_pure(self, name: str) -> bool:
        """Whether a function that is called by its name only gives a value for values."""
        return False

    def check(self, ufunc: np.ufunc, dtypes: Dtypes) -> None:
        """Raise NotNative if `call` cannot call a ufunc on arrays of these dtypes."""
        loop_address(ufunc, dtypes)

    def call(
        self, f: Function, ufunc: np.ufunc, dtypes: Dtypes, places: Sequence[Place], count: Operand
    ) -> None:
        """Write a call of a ufunc on ``count`` elements; the last place is that of the output."""
        call_loop(f, self._place, ufunc, dtypes, places, count)

    def multiply(
        self,
        f: Function,
        dtype: np.dtype[Any],
        pointers: Sequence[Operand],
        counts: Sequence[Operand],
        strides: Sequence[Operand],
    ) -> None:
        """Write a product of an n x k and a k x p matrix by NumPy's own loop, which calls its BLAS.

        Parameters
        ----------
        pointers : of the two matrices and of the product, which has no gaps
        counts : n, k, p
        strides : rows and columns of the first matrix, rows and columns of the second
        """
        size = integer(dtype.itemsize)
        places, lengths, steps = f.room(24), f.room(32), f.room(72)
        for i, pointer in enumerate(pointers):
            f.store(places, integer(i), pointer)
        for i, count in enumerate((ONE, *counts)):
            f.store(lengths, integer(i), count)
        for i, stride in enumerate([ZERO, ZERO, ZERO, *strides, counts[-1], ONE]):
            f.store(steps, integer(i), f.mul(stride, size))
        loop, _ = loop_address(np.matmul, (dtype,) * 3)
        function = f.address(self._place(("matmul", dtype.name), loop))
        f.call(function, None, [places, lengths, steps, NULL])


class FunctionsAlone(Functions):
    """Those of a program that runs without the numpy engine."""

    beside_numpy = False


def copied_as(dtype: np.dtype[Any]) -> tuple[str, int]:
    """The type of numbers that elements of a dtype are copied as, and how many of them one is."""
    kind = TYPES.get(dtype)
    if kind is not None:
        return ("u8" if kind == "bool" else kind), 1
    size = dtype.itemsize
    return ("i64", size // 8) if size >= 8 else (f"i{8 * size}", 1)
