"""The classes of ops in the package: everything of ``theano`` is imported for them."""

import importlib
import pkgutil
from functools import cache

import theano
from theano._src.graph.op import PureOp


@cache
def op_classes() -> dict[str, type]:
    """Every class of ops of ours, by the name that it says it has."""
    for module in pkgutil.walk_packages(theano.__path__, "theano."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    found: dict[str, type] = {}
    todo = [PureOp]
    while todo:
        cls = todo.pop()
        todo += cls.__subclasses__()
        if cls.__module__.startswith("theano."):
            found[f"{cls.__module__}.{cls.__qualname__}"] = cls
    return found
