"""``theano-cache check``: run many formulas many times on XLA, and compare each call with NumPy.

Compilers have bugs too, and a race between threads may show in one call of a hundred. So each
formula is called many times on large arrays, in the mode that forces XLA, on all processors.
"""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple, TypeVar

import numpy as np

from theano._src.compile.function import function
from theano._src.compile.mode import Mode
from theano._src.types.tensor import TensorType

__all__ = ["FORMULAS", "QUICK", "Formula", "Wrong", "check"]

T = TypeVar("T")

Array = (
    Any  #: a NumPy array while a reference is computed, a symbolic variable while a graph is built
)


class Formula(NamedTuple):
    """A function written with NumPy functions, which runs on arrays and on variables.

    Attributes
    ----------
    name : str
        What it computes, for the report.
    inputs : str
        One letter per input: ``m`` for a matrix, ``r`` for a row, ``c`` for a column.
    compute : callable
    shape : pair of int
        The shape of the matrix; row and column have the same lengths.
    """

    name: str
    inputs: str
    compute: Callable[..., Array]
    shape: tuple[int, int]

    def values(self, dtype: str) -> list[Array]:
        """Return positive inputs around one: sums do not cancel, and logarithms exist."""
        rows, columns = self.shape
        shapes = {"m": (rows, columns), "r": (columns,), "c": (rows, 1)}
        draw = np.random.default_rng(rows + columns)
        return [draw.uniform(0.5, 1.5, shapes[letter]).astype(dtype) for letter in self.inputs]


class Wrong(NamedTuple):
    """A formula with wrong results in some calls."""

    formula: Formula
    dtype: str
    calls: int
    wrong: int
    error: float  #: the largest error, relative to the reference

    def __str__(self) -> str:
        rows, columns = self.formula.shape
        return (
            f"{self.formula.name}, {rows} x {columns} {self.dtype}: {self.wrong} of {self.calls} "
            f"calls wrong, by up to {self.error:.2g} of the value"
        )


# fmt: off
#: what is reduced: (name, inputs, function of an elementwise f, the number of rows, and the inputs)
_SOURCES: list[tuple[str, str, Callable[..., Array]]] = [
    ("a row stretched over rows",       "r",  lambda f, n, r: f(_stretched(r, n))),
    ("a row, then stretched",           "r",  lambda f, n, r: _stretched(f(r), n)),
    ("a row tiled",                     "r",  lambda f, n, r: np.tile(f(r), (n, 1))),
    ("a column and a row",              "cr", lambda f, n, c, r: f(c + r)),
    ("a column times a stretched row",  "cr", lambda f, n, c, r: c * f(_stretched(r, n))),
    ("a matrix",                        "m",  lambda f, n, m: f(m)),
    ("a matrix and a row",              "mr", lambda f, n, m, r: f(m) * r),
    ("a transposed matrix",             "m",  lambda f, n, m: f(m.T)),
    ("a matrix reshaped",               "m",  lambda f, n, m: f(m.reshape((-1, 8)))),
]

_ELEMENTWISE: list[tuple[str, Callable[[Array], Array]]] = [
    ("exp", np.exp), ("tanh", np.tanh), ("square", np.square), ("x", lambda x: x),
    ("sigmoid", lambda x: 1 / (1 + np.exp(-x))), ("2x + 1", lambda x: 2 * x + 1),
    ("relu", lambda x: np.where(x > 1, x, 0 * x)), ("1 / x", lambda x: 1 / x), ("cos", np.cos),
    ("log1p", np.log1p), ("sqrt", np.sqrt),
]

_FOLDS: list[tuple[str, Callable[[Array], Array]]] = [
    ("sum",                 lambda x: x.sum()),
    ("sum(0)",              lambda x: x.sum(axis=0)),
    ("sum(1)",              lambda x: x.sum(axis=1)),
    ("sum(0).sum(0)",       lambda x: x.sum(axis=0).sum(axis=0)),
    ("sum(1).sum(0)",       lambda x: x.sum(axis=1).sum(axis=0)),
    ("mean",                lambda x: x.mean()),
    ("mean(0)",             lambda x: x.mean(axis=0)),
    ("mean(1)",             lambda x: x.mean(axis=1)),
    ("var",                 lambda x: x.var()),
    ("var(0)",              lambda x: x.var(axis=0)),
    ("var(1)",              lambda x: x.var(axis=1)),
    ("std",                 lambda x: x.std()),
    ("2-norm",              lambda x: np.sqrt(np.square(x).sum())),
    ("1-norm",              lambda x: np.abs(x).sum()),
    ("2-norm of rows",      lambda x: np.sqrt(np.square(x).sum(axis=1))),
    ("sum of 3-d (0, 1, 2)", lambda x: _three(x).sum()),
    ("mean of 3-d (0, 2)",  lambda x: _three(x).mean(axis=(0, 2))),
    ("var of 3-d (0, 1)",   lambda x: _three(x).var(axis=(0, 1))),
    ("log sum exp",         lambda x: np.log(np.exp(x - 1).sum())),
    ("log sum exp of rows", lambda x: np.log(np.exp(x - x.max(axis=1, keepdims=True)).sum(axis=1))),
    ("softmax of rows",     lambda x: (np.exp(x) / np.exp(x).sum(1, keepdims=True)).max(1)),
    ("cross entropy",       lambda x: -(x * np.log(x + 1) + (1 - x) * np.log(2 + x)).sum()),
    ("ij->",                lambda x: np.einsum("ij->", x)),
    ("ij,ij->",             lambda x: np.einsum("ij,ij->", x, x)),
    ("ij,ij->i",            lambda x: np.einsum("ij,ij->i", x, x)),
    ("sum of a slice",      lambda x: x[1:, ::2].sum()),
    ("max",                 lambda x: x.max()),
    ("min(0)",              lambda x: x.min(axis=0)),
    ("argmax(1)",           lambda x: x.argmax(axis=1)),
    ("product",             lambda x: (1 + 1e-7 * x).prod()),
    ("count",               lambda x: (x > 1).sum()),
    ("any(0)",              lambda x: (x > 1.2).any(axis=0)),
    ("cumsum(1)",           lambda x: x.cumsum(axis=1)[:, -1]),
    ("product with a row",  lambda x: np.dot(x, x[0])),
]
# fmt: on

#: shapes where races have appeared, and a nearly square one; the largest is slow, and so is rare
_SHAPES = (*((5, 100_000), (16, 16_384)) * 5, (500, 400), (50, 100_000))


def _stretched(row: Array, rows: int) -> Array:
    return np.broadcast_to(row, (rows, row.shape[0]))


def _three(x: Array) -> Array:
    return x.reshape((4, -1, 4))


def _formulas() -> Iterator[Formula]:
    for i, (source, inputs, arrange) in enumerate(_SOURCES):
        for j, (fold, folded) in enumerate(_FOLDS):
            element, f = _ELEMENTWISE[(7 * i + j) % len(_ELEMENTWISE)]
            shape = _SHAPES[(i + j) % len(_SHAPES)]
            compute = partial(_computed, folded, partial(arrange, f, shape[0]))
            yield Formula(f"{fold} of {element} of {source}", inputs, compute, shape)


def _computed(fold: Callable[[Array], Array], arrange: Callable[..., Array], *args: Array) -> Array:
    return fold(arrange(*args))


#: all formulas, and the subset for a short check
FORMULAS: tuple[Formula, ...] = tuple(_formulas())
QUICK: tuple[Formula, ...] = FORMULAS[::6]

#: largest relative errors due to rounding: sums have at most five million positive terms
_ROUNDING = {"float32": 1e-4, "float64": 1e-9}


def check(
    formulas: Sequence[Formula] = FORMULAS,
    calls: int = 50,
    dtypes: Sequence[str] = ("float32", "float64"),
    linker: str | None = "xla",
    compiled: Callable[..., Callable[..., Array]] = function,
) -> list[Wrong]:
    """Call each formula many times and return those with a call that differs from NumPy.

    Parameters
    ----------
    formulas : sequence of Formula
    calls : int
        The number of calls of each formula, for each dtype.
    dtypes : sequence of str
    linker : str or None
        The engine; None chooses it automatically, as in the default mode.
    compiled : callable
        Compiles a function from inputs, outputs and a mode.

    Returns
    -------
    list of Wrong

    Examples
    --------
    >>> from theano._src.compile.debug.engine_check import QUICK, check
    >>> check(QUICK[:1], calls=3, dtypes=["float64"])
    []
    """
    results = []
    for formula in with_progress(formulas, "checking XLA"):
        for dtype in dtypes:
            values = formula.values(dtype)
            right = np.asarray(formula.compute(*(v.astype("float64") for v in values)))
            variables = [
                TensorType(dtype, (False,) * (v.ndim - 1) + (v.shape[-1] == 1,))() for v in values
            ]
            mode = None if linker is None else Mode(linker)
            f = compiled(variables, formula.compute(*variables), mode=mode)
            errors = [_error(f(*values), right) for _ in range(calls)]
            wrong = sum(not e <= _ROUNDING[dtype] for e in errors)
            if wrong:
                results.append(Wrong(formula, dtype, calls, wrong, max(errors)))
    return results


def _error(got: Array, right: Array) -> float:
    """The largest difference, relative to the larger of the right value and one thousandth."""
    got = np.asarray(got, "float64")
    if got.shape != right.shape:
        return np.inf
    difference = np.abs(got - right) / np.maximum(np.abs(right), 1e-3)
    return np.inf if np.isnan(difference).any() else float(difference.max(initial=0.0))


def with_progress(things: Iterable[T], title: str) -> Iterable[T]:
    """Iterate with a progress bar, if stderr is a terminal and rich is installed."""
    if not sys.stderr.isatty() or importlib.util.find_spec("rich") is None:
        return things
    from rich.console import Console
    from rich.progress import track

    bar: Iterable[T] = track(list(things), title, console=Console(stderr=True))
    return bar
