"""Tables by class of ops name classes that exist (ADR 26)."""

import functools
import importlib
import pkgutil

import theano._src
from theano._src.compile.files.op_props import file_forms
from theano._src.graph import old_state


@functools.cache
def names_of_classes():
    """What every class of the package says it is called."""
    found = set()
    for info in pkgutil.walk_packages(theano._src.__path__, "theano._src."):
        for value in vars(importlib.import_module(info.name)).values():
            if isinstance(value, type):
                found.add(f"{value.__module__}.{value.__qualname__}")
    return found


def test_the_table_of_graph_files_names_existing_classes():
    assert set(file_forms.names()) <= names_of_classes()


def test_the_table_of_old_pickles_names_existing_classes():
    assert set(old_state._REMADE.names()) <= names_of_classes()
