"""Tables by class of ops: each row names a class that exists."""

import importlib
import pkgutil
from functools import cache

import pytest

import theano._src
from theano._src.engines.numpy.lines import host_text
from theano._src.engines.undo import written_at
from theano._src.graph.op import PureOp
from theano._src.ops.core.composite_loop import plain_calls
from theano._src.ops.core.scalar_c import c_text
from theano._src.rules.inplace import inplace_forms


@cache
def names_of_ops() -> frozenset[str]:
    """The names of all classes of ops, with the modules that they say they are of."""
    for module in pkgutil.walk_packages(theano._src.__path__, "theano._src."):
        importlib.import_module(module.name)
    found, waiting = set(), [PureOp]
    while waiting:
        cls = waiting.pop()
        found.add(f"{cls.__module__}.{cls.__qualname__}")
        waiting += cls.__subclasses__()
    return frozenset(found)


@pytest.mark.parametrize("table", [host_text, written_at, inplace_forms, c_text, plain_calls])
def test_lines_and_forms_in_place_name_existing_classes(table):
    assert set(table.names()) <= names_of_ops()
