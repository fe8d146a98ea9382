"""The variables of a checkpoint: shared variables by name, given directly or by functions.

In a file a variable has the name that a dict gives it, or its own. Functions may use several
variables with the same name, or with none; those get a number: ``W#1`` and ``W#2``,
``<RandomStateType>#1``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np

from theano._src.types.randomstate import is_generator
from theano._src.types.shared import Cell, SharedVariable
from theano._src.types.tensor import TensorType


class Named(NamedTuple):
    """Variables by their names in a file, and the number of numbered variables for each name."""

    variables: dict[str, SharedVariable]
    numbered: dict[str, int]


def named(what: Any) -> Named:
    """The variables that a dict, a list, a variable or a function stands for.

    >>> import numpy as np, theano
    >>> w, v = theano.shared(np.ones(2), "w"), theano.shared(np.ones(3))
    >>> list(named([w]).variables), list(named(theano.function([], w.sum() + v.sum())).variables)
    (['w'], ['w', '<TensorType(float64, vector)>#1'])
    """
    if isinstance(what, Mapping):
        return Named({_text(key): _checked(v, key) for key, v in what.items()}, {})
    given, of_functions = _variables(what)
    held = [*given, *of_functions]
    several = Counter(map(str, held))
    free = {str(v) for v in of_functions}  # names that several may share
    counted: Counter[str] = Counter()
    result: dict[str, SharedVariable] = {}
    for k, v in enumerate(held):
        name = str(v)
        if v.name is None and k < len(given):
            raise ValueError(
                f"a checkpoint takes shared variables with names, got {v}, which has none; name "
                "it, or give a dict"
            )
        if several[name] > 1 or v.name is None:
            if name not in free:
                raise ValueError(
                    "a checkpoint takes shared variables of different names, got "
                    f"{several[name]} called {name!r}; give a dict"
                )
            counted[name] += 1
            name += f"#{counted[name]}"
        if name in result:
            raise ValueError(f"a checkpoint takes different names, got {name!r} twice; give a dict")
        result[name] = v
    return Named(result, dict(counted))


def _variables(what: Any) -> tuple[list[SharedVariable], list[SharedVariable]]:
    """The variables that are given, and those that come from functions; each value once."""
    items = what if isinstance(what, Iterable) and not _is_one(what) else [what]
    given: dict[int, SharedVariable] = {}
    of_functions: dict[int, SharedVariable] = {}
    for k, item in enumerate(items):
        if not _is_function(item):
            given.setdefault(_cell_of(item, k), item)
            continue
        for spec in item.maker.inputs:
            if spec.update is not None and not spec.shared:
                raise TypeError(
                    f"a checkpoint takes functions whose values are in shared variables, and {item}"
                    f" holds that of its input {spec.variable} itself; make it a shared variable"
                )
        for v in item.get_shared():
            of_functions.setdefault(_cell_of(v, v), v)
    rest = [v for cell, v in of_functions.items() if cell not in given]
    return list(given.values()), rest


def _is_one(what: Any) -> bool:
    return isinstance(what, SharedVariable) or _is_function(what)


def _is_function(what: Any) -> bool:
    return hasattr(what, "get_shared") and hasattr(what, "maker")


def _cell_of(v: Any, name: Any) -> int:
    return id(_checked(v, name).container.storage)


def _checked(v: Any, name: Any) -> SharedVariable:
    if not isinstance(v, SharedVariable) or not isinstance(v.container.storage, Cell):
        raise TypeError(f"a checkpoint takes shared variables and functions, got {v!r} as {name!r}")
    return v


def _text(key: Any) -> str:
    if not isinstance(key, str):
        raise TypeError(f"a checkpoint takes a dict with names as keys, got {key!r}")
    return key


def check_value(name: str, value: Any) -> None:
    """Raise TypeError for a value that files of arrays cannot hold."""
    if is_generator(value) or hasattr(value, "addressable_shards"):
        return
    if isinstance(value, np.ndarray | np.generic) and value.dtype.kind in "biufc":
        return
    raise TypeError(
        f"a checkpoint takes arrays and random states, and {name!r} holds "
        f"{type(value).__name__}; give the variables to be saved without it, and save it by pickle"
    )


def check_fits(
    name: str, v: SharedVariable, shape: tuple[int, ...], dtype: np.dtype, strict: bool, where: str
) -> None:
    """Raise ValueError if a variable cannot hold an array, or with ``strict`` differs in shape."""
    type_ = v.type
    ndim = getattr(type_, "ndim", 0)
    fits = getattr(type_, "dtype", None) == str(dtype) and ndim == len(shape)
    if isinstance(type_, TensorType):
        fits = fits and all(
            n == 1 for n, one in zip(shape, type_.broadcastable, strict=False) if one
        )
    else:
        fits = fits and ndim == 0
    if not fits:
        raise ValueError(f"{name!r} holds {type_}, and {where} has {dtype} of shape {shape}")
    has = np.shape(v.container.storage[0])
    if strict and v.container.storage[0] is not None and has != shape:
        raise ValueError(
            f"{name!r} has shape {has}, and in {where} it has shape {shape}; strict=False takes it"
        )
