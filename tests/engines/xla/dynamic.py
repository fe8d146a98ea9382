"""How a program whose sizes change from call to call is written down, and compared with NumPy."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

import theano
import theano.tensor as T

XLA = theano.Mode("xla")

flags = partial(T.vector, dtype="bool")
flag_matrix = partial(T.matrix, dtype="bool")
halves = partial(T.vector, dtype="float16")


@dataclass(frozen=True)
class Program:
    """A program, the same in NumPy, and what it is called with.

    ``stages`` is how many compiled programs it must take, where that is asserted.
    """

    name: str
    types: Sequence[Callable[..., Any]]
    build: Callable[..., Any]
    numpy: Callable[..., Any]
    calls: Sequence[tuple[Any, ...]]
    rtol: float = 0.0
    stages: int | None = None

    def __str__(self) -> str:
        return self.name

    def compiled(self) -> Any:
        inputs = [t(f"in{i}") for i, t in enumerate(self.types)]
        return theano.function(inputs, self.build(*inputs), mode=XLA, on_unused_input="ignore")


def vector(n: int) -> np.ndarray:
    """``n`` numbers that are not in order."""
    return np.random.default_rng(n).normal(size=n)


def matrix(rows: int, columns: int) -> np.ndarray:
    return np.random.default_rng([rows, columns]).normal(size=(rows, columns))


def same(found: Any, wanted: Any, rtol: float = 0.0) -> None:
    """Equal as arrays: shape, dtype and every value (up to ``rtol``), nan being itself."""
    if isinstance(wanted, list):
        assert isinstance(found, list)
        assert len(found) == len(wanted)
        for f, w in zip(found, wanted, strict=True):
            same(f, w, rtol)
        return
    wanted = np.asarray(wanted)
    assert isinstance(found, np.ndarray)
    assert (found.shape, found.dtype) == (wanted.shape, wanted.dtype)
    np.testing.assert_allclose(found, wanted, rtol=rtol, atol=0, equal_nan=True)


def check(program: Program) -> None:
    """All calls give what NumPy gives; none of them, made again, compiles anything."""
    f = program.compiled()
    with np.errstate(all="ignore"):
        wanted = [program.numpy(*args) for args in program.calls]
    for args, value in zip(program.calls, wanted, strict=True):
        same(f(*args), value, program.rtol)
    before = f.fn.compilations
    for args, value in zip(program.calls, wanted, strict=True):
        same(f(*args), value, program.rtol)
    assert f.fn.compilations == before
    if program.stages is not None:
        assert len(f.fn.stages) == program.stages
