"""Functions of numbers as C has them: libm's, and those of our own that are written along."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from theano._src.engines.native.functions import Dtypes, FunctionsAlone, Place
from theano._src.engines.native.inline import TYPES
from theano._src.engines.native.ir import FLOATS, Function, Operand
from theano._src.engines.native.loops import NotNative
from theano._src.engines.native.standalone import c_library


class CFunctions(FunctionsAlone):
    """Each function of numbers is an instruction, or a call of a C function.

    With ``singles`` those of float64 are those of float32.
    """

    has_numpy_digits = False

    def __init__(self, addresses: Any, singles: bool = False) -> None:
        super().__init__(addresses)
        self._singles = singles
        #: the source files that functions need, by the names of these
        self.needs: dict[str, tuple[str, ...]] = {}

    def is_pure(self, name: str) -> bool:
        """Whether a function of C only gives a value for values."""
        return name in self.needs

    def _function_for(self, name: str, types: Sequence[str], out: str) -> Any:
        if self._singles:
            types = ["f32" if t == "f64" else t for t in types]
            out = "f32" if out == "f64" else out
        return c_library.c_function(name, types, out)

    def _is_inline(self, name: str, types: Sequence[str], out: str) -> bool:
        return (
            super()._is_inline(name, types, out) or self._function_for(name, types, out) is not None
        )

    def write(self, f: Function, name: str, args: Sequence[Operand], out: str) -> Operand:
        types = [a.type for a in args]
        if super()._is_inline(name, types, out):
            return super().write(f, name, args, out)
        known = self._function_for(name, types, out)
        self.needs[known.name] = known.needs
        # where float64 is a float, both are one type
        is_out = known.gives == known.out or (self._singles and known.gives in FLOATS)
        result: Operand = f.call(known.name, out if is_out else known.gives, args)
        return f.cast(out, result)

    def check(self, ufunc: np.ufunc, dtypes: Dtypes) -> None:
        types = [TYPES.get(d) for d in dtypes]
        if not self.is_instruction(ufunc.__name__, types[:-1], types[-1]):
            names = ", ".join(d.name for d in dtypes[:-1])
            raise NotNative(f"C has no {ufunc.__name__} of {names}")

    def call(
        self, f: Function, ufunc: np.ufunc, dtypes: Dtypes, places: Sequence[Place], count: Operand
    ) -> None:
        self.check(ufunc, dtypes)
        kinds = [TYPES[d] for d in dtypes]
        with f.loop(count) as i:
            *values, (target, step) = places
            args = [
                f.load(kind, pointer, f.mul(i, stride))
                for kind, (pointer, stride) in zip(kinds, values, strict=False)
            ]
            f.store(target, f.mul(i, step), self.write(f, ufunc.__name__, args, kinds[-1]))

    def multiply(
        self,
        f: Function,
        dtype: np.dtype[Any],
        pointers: Sequence[Operand],
        counts: Sequence[Operand],
        strides: Sequence[Operand],
    ) -> None:
        f.call(f"matmul_{TYPES[dtype]}", None, [*pointers, *counts, *strides])
