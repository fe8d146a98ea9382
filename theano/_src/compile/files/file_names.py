"""The names of ops, types and some functions in graph files; files can name nothing else."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

from theano._src import control, ops, rules, types
from theano._src.graph.op import PureOp
from theano._src.graph.type import PureType
from theano._src.ops.core import output_types, upcast
from theano._src.ops.random import distributions
from theano._src.types.generic import Generic
from theano._src.types.sharding import Mesh, Sharding

#: other classes whose instances are arguments of ops and types
_OTHERS = (
    Mesh,
    Sharding,
    upcast.specific_out,
    upcast.transfer_type,
    output_types.unary_out_lookup,
)
#: former names of classes, which older files have
RENAMED = {"theano.gof.type.Generic": "Generic"}


def name_of(cls: type) -> str | None:
    """Return the name of a class of this package in files; None for other classes.

    >>> import theano.sparse
    >>> name_of(theano.tensor.elemwise.Elemwise), name_of(theano.sparse.basic.Dot)
    ('Elemwise', 'sparse.Dot')
    """
    if not issubclass(cls, (PureOp, PureType, *_OTHERS)) or "<locals>" in cls.__qualname__:
        return None
    home = cls.__module__.removeprefix("theano.").removeprefix("_src.ops.").split(".")[0]
    if not cls.__module__.startswith("theano."):
        return None
    # base classes are no ops; the other types in gof hold C code
    if home == "gof" and cls is not Generic:
        return None
    # their ops have the same names as ops on arrays
    return f"{home}.{cls.__name__}" if home in ("sparse", "typed_list") else cls.__name__


def class_named(name: str) -> type | None:
    """Return the class with this name in files; None if there is none."""
    name = RENAMED.get(name, name)
    result = _loaded().get(name)
    if result is None:
        _load_all()
        result = _loaded().get(name)
    return result


def _loaded() -> dict[str, type]:
    every = [*_subclasses(PureOp), *_subclasses(PureType), *_OTHERS]
    return {name: cls for cls in every if (name := name_of(cls)) is not None}


def _subclasses(cls: type) -> Iterator[type]:
    seen = {cls}
    todo: list[Any] = [cls]
    while todo:
        for sub in todo.pop().__subclasses__():
            if sub not in seen:
                seen.add(sub)
                todo.append(sub)
                yield sub


@cache
def _load_all() -> None:
    """Import the modules that ``import theano`` imports lazily."""
    for package in (types, ops, control, rules):
        for info in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            importlib.import_module(info.name)


@cache
def _functions() -> dict[str, Callable[..., Any]]:
    """The functions that ops hold as attributes: dtype rules, and distributions."""
    return {
        name: thing
        for module in (upcast, output_types, distributions)
        for name, thing in vars(module).items()
        if inspect.isfunction(thing) and not name.startswith("_")
    }


def function_name(thing: Any) -> str | None:
    """Return the name in files of a function that ops hold; None for other objects."""
    name = getattr(thing, "__name__", "")
    return name if _functions().get(name) is thing else None


def function_named(name: str) -> Callable[..., Any] | None:
    return _functions().get(name)
