"""``imp``, which Python 3.12 removed: the functions that load modules from files."""

from __future__ import annotations

import importlib.util
import sys
from importlib import reload as reload
from types import ModuleType
from typing import Any

__all__ = ["load_module", "find_module", "load_source", "new_module", "reload"]

PY_SOURCE, PKG_DIRECTORY = 1, 5


def load_source(name: str, pathname: str, file: Any = None) -> ModuleType:
    """Load a module from a file."""
    spec = importlib.util.spec_from_file_location(name, pathname)
    if spec is None or spec.loader is None:
        raise ImportError(f"load_source takes the path of a Python file, got {pathname!r}")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def find_module(name: str, path: list[str] | None = None) -> tuple[None, str, tuple[str, str, int]]:
    """Find a module in ``path`` or ``sys.path``; return a tuple for ``load_module``."""
    import importlib.machinery

    spec = importlib.machinery.PathFinder.find_spec(name, path)
    if spec is None or spec.origin is None:
        raise ImportError(f"No module named {name}", name=name)
    return None, spec.origin, ("", "", PY_SOURCE)


def load_module(name: str, file: Any, pathname: str, description: Any) -> ModuleType:
    """Load a module that ``find_module`` found."""
    return load_source(name, pathname)


def new_module(name: str) -> ModuleType:
    return ModuleType(name)
