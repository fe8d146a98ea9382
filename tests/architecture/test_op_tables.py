"""Tables by class of ops name classes that exist (ADR 26)."""

import functools
import importlib
import pkgutil

import pytest

import theano._src
from theano._src.compile.files.op_props import file_forms
from theano._src.engines.node_kinds import takes_none
from theano._src.graph import old_state
from theano._src.show import plan
from theano._src.types import checked


@functools.cache
def names_of_classes():
    """What every class of the package says it is called."""
    found = set()
    for info in pkgutil.walk_packages(theano._src.__path__, "theano._src."):
        for value in vars(importlib.import_module(info.name)).values():
            if isinstance(value, type):
                found.add(f"{value.__module__}.{value.__qualname__}")
    return found


TABLES = {
    "graph files": file_forms,
    "pickles of Theano 1.0": old_state._REMADE,
    "conditions": checked._CHECKED,
    "flags": checked._WITH_FLAGS,
    "reasons for the host": plan._WHY_HOST,
    "inputs that may be None": takes_none,
}


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
def test_a_table_names_existing_classes(table):
    assert set(table.names()) <= names_of_classes()
