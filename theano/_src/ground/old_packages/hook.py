"""The import hooks for old packages: finders, and names on demand.

The ``__getattr__`` of a module provides the names. Python calls it only for missing names, so
nothing that exists is replaced, and no library is imported before a program needs it.
"""

from __future__ import annotations

import builtins
import importlib
import os
import sys
import sysconfig
import warnings
from collections.abc import Callable, Iterable, Sequence
from fnmatch import fnmatchcase
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import decode_source
from operator import attrgetter
from types import CodeType, ModuleType
from typing import Any, NoReturn

from theano._src.ground.old_packages.corrections import CORRECTIONS
from theano._src.ground.old_packages.names import BUILTINS, METHODS, MODULES, NAMES, Gone, Source
from theano._src.ground.old_packages.python2 import compile_python2, compile_with_lines_of

__all__ = ["compile_file", "converted", "enable", "enable_and_getattr", "python2_files"]

#: patterns of files to treat as Python 2, even if Python 3 can read them
python2_files: list[str] = []
#: the files converted so far
converted: list[str] = []

_STANDARD_LIBRARY = sysconfig.get_path("stdlib")


def enable() -> None:
    """Add the names of the tables to modules, whether they are imported already or later."""
    if any(isinstance(finder, _Finder) for finder in sys.meta_path):
        return
    sys.meta_path.insert(0, _Finder())
    sys.meta_path.append(_Missing())
    for name, source in BUILTINS.items():
        if not hasattr(builtins, name):
            setattr(builtins, name, _value(name, source))
    for name in sorted(_PATCHED):
        if name in sys.modules:
            _patch(sys.modules[name])


def enable_and_getattr(module: str) -> Callable[[str], Any]:
    """Call ``enable`` and return a ``__getattr__`` for the public module ``module``."""
    enable()

    def __getattr__(name: str) -> NoReturn:
        raise AttributeError(f"module {module!r} has no attribute {name!r}")

    return __getattr__


_PATCHED = {*NAMES, *(place.partition(":")[0] for place in METHODS)}


class _Finder(MetaPathFinder):
    """Delegates to the other finders; patches modules in the tables, loads by _Source."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        spec = _found_by_others(self, fullname, path, target)
        if spec is None or spec.loader is None:
            return None
        if type(spec.loader) is SourceFileLoader:
            spec.loader = _Source(spec.loader.name, spec.loader.path)
        if fullname in _PATCHED:
            spec.loader = _Patching(spec.loader)
        return spec


class _Missing(MetaPathFinder):
    """The last finder: finds modules of the table that no other finder finds."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        return ModuleSpec(fullname, _StandIn()) if fullname in MODULES else None


def _found_by_others(
    self: MetaPathFinder, fullname: str, path: Sequence[str] | None, target: ModuleType | None
) -> ModuleSpec | None:
    for finder in sys.meta_path:
        if finder is not self and hasattr(finder, "find_spec"):
            spec = finder.find_spec(fullname, path, target)
            if spec is not None:
                return spec
    return None


class _Patching(Loader):
    """Loads a module by its own loader and adds names; the module keeps its own loader."""

    def __init__(self, loader: Any) -> None:
        self._loader = loader

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        result: ModuleType | None = self._loader.create_module(spec)
        return result

    def exec_module(self, module: ModuleType) -> None:
        module.__loader__ = self._loader
        if module.__spec__ is not None:
            module.__spec__.loader = self._loader
        self._loader.exec_module(module)
        _patch(module)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._loader, name)


class _StandIn(Loader):
    """Loads another module in place of a removed one."""

    def create_module(self, spec: ModuleSpec) -> None:
        return None

    def exec_module(self, module: ModuleType) -> None:
        other = importlib.import_module(MODULES[module.__name__])
        if module.__name__ in NAMES:
            _patch(other, module.__name__)
        sys.modules[module.__name__] = other


class _Source(SourceFileLoader):
    """Reads a source as Python 3, with corrections from the table, or else as Python 2."""

    def get_code(self, fullname: str) -> CodeType | None:
        path = self.get_filename(fullname)
        corrections = CORRECTIONS.get(fullname, ())
        if not corrections and not is_python2(path):
            try:
                with warnings.catch_warnings():
                    # old sources compare numbers by `is`
                    warnings.simplefilter("ignore", SyntaxWarning)
                    return super().get_code(fullname)
            except SyntaxError:
                pass
        return compile_file(path, self.get_data(path), corrections)


def compile_file(path: str, data: bytes, corrections: Iterable[Any] = ()) -> CodeType:
    """Compile a file of Python 3 or 2, with its own line numbers."""
    written = _decoded(data)
    changed = written
    for correction in corrections:
        changed = changed.replace(correction.old, correction.new)
    if not is_python2(path):
        try:
            return compile_with_lines_of(written, changed, path)
        except SyntaxError:
            pass
    code = compile_python2(changed, path)
    shown = path.removeprefix(os.path.join(os.getcwd(), ""))
    print(f"{shown} is Python 2: converted", file=sys.stderr)
    converted.append(path)
    return code


def is_python2(path: str) -> bool:
    """Whether to convert a file whatever its contents."""
    path = os.path.realpath(path)
    if "site-packages" in path or path.startswith(_STANDARD_LIBRARY):
        return False
    return any(fnmatchcase(path, pattern) for pattern in python2_files)


def _decoded(data: bytes) -> str:
    try:
        return decode_source(data)
    except UnicodeDecodeError:
        return data.decode("latin1")


def _patch(module: ModuleType, name: str | None = None) -> None:
    """Add names of the tables to a module, and methods to its classes."""
    name = name or module.__name__
    if name in NAMES:
        _add_names(module, NAMES[name])
    for place, methods in METHODS.items():
        where, _, path = place.partition(":")
        if where == name and hasattr(module, path):
            for method, source in methods.items():
                if not hasattr(getattr(module, path), method):
                    setattr(getattr(module, path), method, _value(method, source))


def _add_names(module: ModuleType, table: dict[str, Source]) -> None:
    own = vars(module).get("__getattr__")
    rest = table.get("*")

    def __getattr__(name: str) -> Any:
        error: Exception = AttributeError(
            f"module {module.__name__!r} has no attribute {name!r}", name=name, obj=module
        )
        if own is not None:
            try:
                return own(name)
            except (AttributeError, ImportError) as raised:
                error = raised
        if name in table:
            return _value(f"{module.__name__}.{name}", table[name])
        other = (
            None if name.startswith("__") or rest is None else importlib.import_module(str(rest))
        )
        if hasattr(other, name):
            return getattr(other, name)
        raise error

    module.__getattr__ = __getattr__  # type: ignore[method-assign]


def _value(name: str, source: Source) -> Any:
    if isinstance(source, Gone):
        return _unavailable(name, source.remedy)
    module, _, path = source.partition(":")
    result = importlib.import_module(module)
    return attrgetter(path)(result) if path else result


def _unavailable(name: str, remedy: str) -> Callable[..., NoReturn]:
    def unavailable(*_: Any, **__: Any) -> NoReturn:
        raise RuntimeError(f"{name} is gone: {remedy}")

    unavailable.__name__ = unavailable.__qualname__ = name.rpartition(".")[2]
    unavailable.__doc__ = remedy
    return unavailable
