"""Names that the original's tests use and that Python, NumPy and nose no longer have."""

import collections
import collections.abc
import functools
import inspect
import re
import sys
import unittest
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from types import ModuleType, SimpleNamespace
from typing import Any
from unittest import mock

import numpy as np
import scipy.linalg
import scipy.special

OF_COLLECTIONS = "Callable Hashable Iterable Mapping MutableMapping MutableSet Sequence Set".split()
OF_NUMPY: dict[str, Any] = {
    **{"bool": bool, "int": int, "float": float, "complex": complex, "object": object},
    **{"str": str, "long": int},
    **{"float_": np.float64, "complex_": np.complex128, "int0": np.intp},
    **{"unicode_": np.str_, "string_": np.bytes_},
    **{"Inf": np.inf, "PINF": np.inf, "NINF": -np.inf, "NaN": np.nan},
    **{"product": np.prod, "cumproduct": np.cumprod, "sometrue": np.any, "alltrue": np.all},
    **{"round_": np.round, "rank": np.ndim, "in1d": np.isin, "mat": np.asmatrix, "MAXDIMS": 64},
    "asscalar": lambda array: array.item(),
    "asfarray": lambda array, dtype=np.float64: np.asarray(array, dtype=dtype),
}
WARNINGS = "VisibleDeprecationWarning ComplexWarning AxisError RankWarning".split()
# Functions whose dtype for small integers was the least float that holds them.
ROUNDING = "ceil floor trunc".split()
SPECIAL = "erf erfc erfcx erfinv erfcinv gamma gammaln psi j0 j1 i0 i1 polygamma".split()
KINDS = {"b": 0, "i": 1, "u": 1, "f": 2, "c": 3}


class Casts:
    """`numpy.cast[dtype](value)`."""

    def __getitem__(self, dtype: Any) -> Callable[[Any], np.ndarray]:
        return lambda value: np.asarray(value).astype(dtype)


def find_common_type(arrays: list[Any], scalars: list[Any]) -> np.dtype:
    """The dtype of NumPy before 2: scalars count only where their kind is the higher."""
    if not arrays or not scalars:
        return np.result_type(*(np.dtype(dtype) for dtype in [*arrays, *scalars]))
    array, scalar = (np.result_type(*map(np.dtype, dtypes)) for dtypes in (arrays, scalars))
    higher = KINDS[scalar.kind] > KINDS[array.kind]
    return np.result_type(array, scalar) if higher else array


def kron(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """`scipy.linalg.kron`, which took more than matrices."""
    outer = np.multiply.outer(left, right)
    for _ in range(2):
        outer = np.concatenate(list(outer), axis=1)
    return outer


def of_any_iterable(stack: Callable) -> Callable:
    """`numpy.vstack` and its kin, which took generators."""
    return functools.wraps(stack)(lambda arrays, *args, **kw: stack(list(arrays), *args, **kw))


def of_floats(function: Callable, least: type[np.floating]) -> Callable:
    """The function with integers taken as floats, as it was."""

    @functools.wraps(function)
    def old(*args: Any, **kwargs: Any) -> Any:
        *others, last = args
        if np.asarray(last).dtype.kind not in "iu":
            return function(*args, **kwargs)
        dtype = np.result_type(last, least)
        made = function(*others, np.asarray(last, dtype), **kwargs)
        return made if "sig" in kwargs else made.astype(dtype)

    for count in ("nin", "nout"):
        if hasattr(function, count):
            setattr(old, count, getattr(function, count))
    return old


@contextmanager
def old_dtypes() -> Iterator[None]:
    """While a test module is imported, functions that it compares with have their old dtypes."""
    with ExitStack() as stack:
        for module, names, least in (
            (np, ROUNDING, np.float16),
            (scipy.special, SPECIAL, np.float32),
        ):
            for name in names:
                old = of_floats(getattr(module, name), least)
                stack.enter_context(mock.patch.object(module, name, old))
        yield


def get_numeric_subclasses(cls: type = np.number, ignore: list[int] | None = None) -> list[type]:
    """The helper of `test_basic`; NumPy 2 has no dtype for abstract classes.

    What it used to take them for comes first, as it did.
    """
    kinds = [np.int64, np.float64, np.complex128, *np.ScalarType]
    ignore = [] if ignore is None else ignore
    found = []
    for kind in kinds:
        numeric = isinstance(kind, type) and issubclass(kind, cls) and issubclass(kind, np.number)
        if numeric and np.dtype(kind).num not in ignore:
            ignore.append(np.dtype(kind).num)
            found.append(kind)
    return found


def reduce_bitwise_and(x: np.ndarray, axis: int = -1, dtype: Any = "int8") -> np.ndarray:
    """The helper of `test_elemwise`; NumPy 2 takes no -1 for unsigned integers."""
    return np.bitwise_and.reduce(x, axis=axis)


REPLACED = {
    "get_numeric_subclasses": get_numeric_subclasses,
    "reduce_bitwise_and": reduce_bitwise_and,
}


def skipping_if(condition: Any, message: str | None = None) -> Callable[[Callable], Callable]:
    """Both decorators of `numpy.testing.dec` that the tests use: a known failure is not run."""

    def decorate(test: Callable) -> Callable:
        @functools.wraps(test)
        def checked(*args: Any, **kwargs: Any) -> Any:
            if condition() if callable(condition) else condition:
                raise unittest.SkipTest(message or "the condition of skipif holds")
            return test(*args, **kwargs)

        return checked

    return decorate


def raises(*kinds: type[BaseException]) -> Callable[[Callable], Callable]:
    """`nose.tools.raises`."""

    def decorate(test: Callable) -> Callable:
        @functools.wraps(test)
        def checked(*args: Any, **kwargs: Any) -> None:
            with unittest.TestCase().assertRaises(kinds):
                test(*args, **kwargs)

        return checked

    return decorate


def attr(*names: str) -> Callable[[Any], Any]:
    """`nose.plugins.attrib.attr`: marks such as `slow`, which nobody reads: all tests are run."""
    return lambda test: test


def nose() -> dict[str, ModuleType]:
    """As much of nose as the tests import: asserts of unittest as functions, and decorators."""
    case = unittest.TestCase()
    camel = [name for name in dir(case) if re.fullmatch(r"assert[A-Z]\w*", name)]
    asserts = {re.sub("([A-Z])", r"_\1", name).lower(): getattr(case, name) for name in camel}
    contents: dict[str, dict[str, Any]] = {
        "nose": {"SkipTest": unittest.SkipTest},
        "nose.tools": {**asserts, "assert_equals": case.assertEqual, "raises": raises},
        "nose.plugins": {},
        "nose.plugins.attrib": {"attr": attr},
        "nose.plugins.skip": {"SkipTest": unittest.SkipTest},
    }
    modules = {name: ModuleType(name) for name in contents}
    for name, values in contents.items():
        vars(modules[name]).update(values)
        parent, _, leaf = name.rpartition(".")
        if parent:
            setattr(modules[parent], leaf, modules[name])
    return modules


def restore() -> None:
    """Put the names back where they are absent."""
    sys.modules.update(nose())
    for name in OF_COLLECTIONS:
        fill(collections, name, getattr(collections.abc, name))
    fill(inspect, "getargspec", inspect.getfullargspec)
    for name, value in OF_NUMPY.items():
        fill(np, name, value)
    fill(np, "find_common_type", find_common_type)
    fill(np, "cast", Casts())
    fill(scipy.linalg, "kron", kron)
    for name in ("vstack", "hstack", "dstack"):
        setattr(np, name, of_any_iterable(getattr(np, name)))
    for name in WARNINGS:
        if hasattr(np, "exceptions"):
            fill(np, name, getattr(np.exceptions, name))
    decorators = SimpleNamespace(
        skipif=skipping_if,
        knownfailureif=skipping_if,
        setastest=lambda wanted=True: lambda test: test,
        slow=lambda test: test,
    )
    np.testing.dec = decorators  # type: ignore[attr-defined]


def fill(module: ModuleType, name: str, value: Any) -> None:
    # Not hasattr: NumPy warns when it is asked for a name that it has dropped.
    if name not in vars(module):
        setattr(module, name, value)
