"""Functions and classes for removed names that have no replacement elsewhere."""

from __future__ import annotations

import ast
import builtins
import inspect
import os
import pickle
import sys
import time
import unittest
from collections import namedtuple
from collections.abc import Callable, Iterable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from theano._src.ground.old_packages.hook import compile_file

# Python

StringTypes = (str,)
ArgSpec = namedtuple("ArgSpec", "args varargs keywords defaults")

#: processor time, and on Windows the time since the first call
clock = time.perf_counter if os.name == "nt" else time.process_time


def getargspec(function: Callable[..., Any]) -> ArgSpec:
    """Return the names and defaults of arguments, as ``inspect.getargspec`` did."""
    result = inspect.getfullargspec(function)
    if result.kwonlyargs or result.annotations:
        raise ValueError(
            f"getargspec takes functions without keyword-only arguments and annotations, got "
            f"{function!r}; use inspect.signature"
        )
    return ArgSpec(result.args, result.varargs, result.varkw, result.defaults)


def formatargspec(
    args: Sequence[str],
    varargs: str | None = None,
    varkw: str | None = None,
    defaults: Sequence[Any] | None = None,
) -> str:
    """Format an argument list, as ``inspect.formatargspec`` did for its first four arguments."""
    values = list(defaults or ())
    plain, given = args[: len(args) - len(values)], args[len(args) - len(values) :]
    parts = [*plain, *(f"{name}={value!r}" for name, value in zip(given, values, strict=True))]
    parts += [f"*{varargs}"] * (varargs is not None) + [f"**{varkw}"] * (varkw is not None)
    return f"({', '.join(parts)})"


def makeSuite(case: type[unittest.TestCase], prefix: str = "test") -> unittest.TestSuite:
    loader = unittest.TestLoader()
    loader.testMethodPrefix = prefix
    return loader.loadTestsFromTestCase(case)


def join(words: Iterable[str], between: str = " ") -> str:
    return between.join(words)


def maketrans(old: str, new: str) -> dict[int, int]:
    return str.maketrans(old, new)


def cmp(a: Any, b: Any) -> int:
    """Return -1, 0 or 1, as ``cmp`` of Python 2."""
    return int(a > b) - int(a < b)


def execfile(path: str, variables: dict[str, Any] | None = None) -> None:
    """Run a file in the caller's globals, or in ``variables``."""
    if variables is None:
        variables = sys._getframe(1).f_globals
    exec(compile_file(os.path.abspath(path), Path(path).read_bytes()), variables)


# NumPy

NINF = -np.inf
NZERO = -0.0
PZERO = 0.0
loads = pickle.loads

#: types of each kind, smallest first
sctypes = {
    "int": [np.int8, np.int16, np.int32, np.int64],
    "uint": [np.uint8, np.uint16, np.uint32, np.uint64],
    "float": [np.float16, np.float32, np.float64, np.longdouble],
    "complex": [np.complex64, np.complex128, np.clongdouble],
    "others": [bool, object, bytes, str, np.void],
}


class _Cast:
    """``np.cast[dtype](x)`` is an array of that type."""

    def __getitem__(self, dtype: Any) -> Callable[[Any], Any]:
        return lambda x: np.asarray(x).astype(dtype)


class _Nbytes:
    """``np.nbytes[dtype]`` is the number of bytes of an element."""

    def __getitem__(self, dtype: Any) -> int:
        return int(np.dtype(dtype).itemsize)


cast = _Cast()
nbytes = _Nbytes()


class MachAr:
    """Limits of floats: the attributes of ``np.MachAr`` that ``finfo`` has."""

    def __init__(self, float_conv: Any = float, *_: Any, **__: Any) -> None:
        facts = np.finfo(float)
        self.eps = self.epsilon = facts.eps
        self.tiny = self.xmin = facts.tiny
        self.huge = self.xmax = facts.max
        self.precision, self.resolution = facts.precision, facts.resolution
        self.maxexp, self.minexp = facts.maxexp, facts.minexp


def alen(a: Any) -> int:
    return len(np.atleast_1d(a))


def asfarray(a: Any, dtype: Any = np.float64) -> Any:
    return np.asarray(a, dtype=dtype if np.issubdtype(dtype, np.inexact) else np.float64)


def asscalar(a: Any) -> Any:
    return a.item()


def in1d(a: Any, b: Any, assume_unique: bool = False, invert: bool = False) -> Any:
    return np.isin(np.ravel(a), b, assume_unique=assume_unique, invert=invert)


def msort(a: Any) -> Any:
    return np.sort(a, axis=0)


def obj2sctype(rep: Any, default: Any = None) -> Any:
    try:
        return np.dtype(rep).type
    except TypeError:
        return default


def issctype(rep: Any) -> bool:
    return isinstance(rep, type | np.dtype) and obj2sctype(rep) not in (None, np.object_)


def issubsctype(a: Any, b: Any) -> bool:
    return issubclass(obj2sctype(a), obj2sctype(b))


def sctype2char(sctype: Any) -> str:
    return str(np.dtype(sctype).char)


def safe_eval(text: str) -> Any:
    return ast.literal_eval(text)


def find_common_type(array_types: Sequence[Any], scalar_types: Sequence[Any]) -> Any:
    """Return the common type of the arrays, or that of the scalars if their kind is higher."""
    arrays = np.result_type(*array_types) if array_types else None
    scalars = np.result_type(*scalar_types) if scalar_types else None
    if arrays is None or scalars is None:
        return arrays if scalars is None else scalars
    kinds = "biufcSUVOMm"
    return scalars if kinds.index(scalars.kind) > kinds.index(arrays.kind) else arrays


def random_integers(low: int, high: int | None = None, size: Any = None) -> Any:
    """Return random integers up to and including ``high``."""
    low, high = (1, low) if high is None else (low, high)
    return np.random.randint(low, high + 1, size)


class Tester:
    """``package.test()`` of packages that ran their tests with nose."""

    def __init__(self, package: Any = None, *_: Any, **__: Any) -> None:
        self.package = package

    def test(self, *_: Any, **__: Any) -> NoReturn:
        raise RuntimeError(
            "numpy.testing.Tester ran tests with nose, which is gone; "
            "run them with pytest --pyargs PACKAGE"
        )

    bench = test


# SciPy


def derivative(
    func: Callable[..., Any], x0: float, dx: float = 1.0, n: int = 1, args: Any = (), order: int = 3
) -> Any:
    """Return the ``n``-th derivative at a point by central differences on ``order`` points."""
    weights = central_diff_weights(order, n)
    half = order // 2
    steps = (w * func(x0 + (k - half) * dx, *args) for k, w in enumerate(weights))
    return builtins.sum(steps) / dx**n


def central_diff_weights(points: int, order: int = 1) -> Any:
    """Return central difference weights that are exact for polynomials of degree < ``points``."""
    if points % 2 == 0 or points < order + 1:
        raise ValueError(
            f"central_diff_weights takes an odd number of points above the order {order}, "
            f"got {points}"
        )
    half = points // 2
    offsets = np.arange(-half, half + 1.0)
    powers = offsets[None, :] ** np.arange(points)[:, None]
    wanted = np.zeros(points)
    wanted[order] = np.prod(np.arange(1.0, order + 1))
    return np.linalg.solve(powers, wanted)


def sph_harm(m: Any, n: Any, theta: Any, phi: Any) -> Any:
    from scipy.special import sph_harm_y

    return sph_harm_y(n, m, phi, theta)


def binom_test(x: Any, n: Any = None, p: float = 0.5, alternative: str = "two-sided") -> float:
    from scipy.stats import binomtest

    k, total = (x, n) if np.size(x) == 1 else (x[0], x[0] + x[1])
    return float(binomtest(int(k), int(total), p, alternative=alternative).pvalue)


def chisqprob(chisq: Any, df: Any) -> Any:
    from scipy.special import chdtrc

    return chdtrc(df, chisq)


def itemfreq(a: Any) -> Any:
    return np.array(np.unique(a, return_counts=True)).T


# matplotlib


def get_cmap(name: Any = None, lut: int | None = None) -> Any:
    import matplotlib

    cmap = matplotlib.colormaps.get_cmap(name or matplotlib.rcParams["image.cmap"])
    return cmap if lut is None else cmap.resampled(lut)


def register_cmap(name: str | None = None, cmap: Any = None, *, override: bool = False) -> None:
    import matplotlib

    matplotlib.colormaps.register(cmap, name=name, force=override)


def normpdf(x: Any, mu: Any, sigma: Any) -> Any:
    from scipy.stats import norm

    return norm.pdf(x, mu, sigma)


def hold(*arguments: Any) -> None:
    """Keep the existing drawing, as ``hold(True)`` did; ``hold(False)`` is not available."""
    if arguments and arguments[-1] is False:
        raise RuntimeError(
            "matplotlib has no hold(False): clear the axes with cla() before drawing"
        )


def ishold() -> bool:
    return True


# pandas and h5py


def as_matrix(self: Any, columns: Any = None) -> Any:
    return (self if columns is None else self[columns]).to_numpy()


def append_rows(self: Any, other: Any, ignore_index: bool = False, **options: Any) -> Any:
    """Return the rows of both, as ``append`` of DataFrame and Series did."""
    pandas = import_module("pandas")
    others = list(other) if isinstance(other, list | tuple) else [other]
    if self.ndim == 2:
        others = [o.to_frame().T if getattr(o, "ndim", 0) == 1 else o for o in others]
        others = [pandas.DataFrame([o]) if isinstance(o, dict) else o for o in others]
    return pandas.concat([self, *others], ignore_index=ignore_index, **options)


@property  # type: ignore[misc]
def value(self: Any) -> Any:
    return self[()]


@property  # type: ignore[misc]
def fid(self: Any) -> Any:
    return self.id
