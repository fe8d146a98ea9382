"""Public modules: a docstring and a table that says where each name comes from.

The table is text: the modules of a second one are imported at the first use of one of their names.
``tools/stubs.py`` writes what type checkers and editors read, ``module.pyi``, from both.
"""

import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from types import ModuleType
from typing import Any

from theano._src.ground.absent import ABSENT, GPU_MODULES, explaining, reason, row
from theano._src.ground.documented import short_traceback
from theano._src.ground.suggest import asked_as_written, asked_by_import, meant, refusal

#: what explains its absence, by path: two imports give the same object
_explaining: dict[str, Any] = {}


def rows(table: str) -> Iterator[tuple[str, str, str]]:
    """(module, name there, public name) of each name of a table.

    >>> list(rows("theano._src.graph.graph: Apply Node=Tagged theano._src.graph.op: Op"))
    [('theano._src.graph.graph', 'Apply', 'Apply'), ('theano._src.graph.graph', 'Tagged', 'Node'),
     ('theano._src.graph.op', 'Op', 'Op')]
    """
    home = ""
    for word in table.split():
        if word.endswith(":"):
            home = word[:-1]
        else:
            public_name, _, name = word.partition("=")
            yield home, name or public_name, public_name


def public(module: str, names: str = "", at_first_use: str = "") -> Callable[[str], Any]:
    """Give a public module its names; what is returned is its ``__getattr__``.

    It loads the names of the second table, and says why a documented name is absent. A name of
    ``ABSENT`` that ``from module import name`` imports explains itself once it is used.

    Parameters
    ----------
    module : str
        The ``__name__`` of the module.
    names : str
        ``"module.that.has.them: name name"``, any number of times. A submodule is a name too,
        ``new=name`` gives a name another one, and ``*`` stands for all names of a module but
        those that it loads at first use.
    at_first_use : str
        The same, for names that few programs use. A name from elsewhere takes the place of a
        submodule of that name, if the module has imported that: later its import would take the
        place of the name.

    >>> import theano.compile
    >>> get = public("theano.compile", at_first_use="theano._src.rules.pipeline: optdb")
    >>> get("optdb") is theano.compile.optdb
    True
    >>> public("theano.sandbox.cuda")("GpuOp")
    Traceback (most recent call last):
    ...
    AttributeError: theano.sandbox.cuda.GpuOp is not carried: it is an internal of ... device.
    """
    own = vars(sys.modules[module])
    for home, name, public_name in rows(names):
        own |= _star(home) if name == "*" else {public_name: _imported(home, name)}
    later = {public_name: (home, name) for home, name, public_name in rows(at_first_use)}

    @short_traceback
    def __getattr__(name: str) -> Any:
        if name in later:
            return own.setdefault(name, _imported(*later[name]))
        path = f"{module}.{name}"
        text = reason(path)
        if text is not None and f"{path}.*" not in ABSENT and asked_by_import(2):
            if path not in _explaining:
                _explaining[path] = explaining(path, *row(path))  # type: ignore[misc]
            return _explaining[path]
        if text is None:
            text = f"module {module!r} has no attribute {name!r}"
            if asked_as_written(2):
                text += meant(name, module, {*own, *later})
        raise refusal(text, name, module, 2)

    for name, (home, _) in later.items():
        if home != module:
            # a submodule of that name, imported before: it stays importable, the name is not its
            own.pop(name, None)
    if later:
        # for dir() and completion, and for `from module import *`
        own.setdefault("__dir__", lambda: sorted({*own, *later}))
        own.setdefault("__all__", sorted({*(n for n in own if not n.startswith("_")), *later}))
    return __getattr__


def _imported(home: str, name: str) -> Any:
    """The object of ``from home import name``."""
    module = import_module(home)
    if hasattr(module, "__path__") and name not in vars(module):
        return import_module(f"{home}.{name}")
    return getattr(module, name)


def _star(home: str) -> dict[str, Any]:
    """The public names of a module, without those that it loads at first use."""
    names = vars(import_module(home))
    return {name: value for name, value in names.items() if not name.startswith("_")}


class _AbsentModules:
    """Comes last of the finders: a module that is documented and absent says why it is absent.

    Those of GPU back-ends are imported, and their names explain themselves.
    """

    # importlib.abc has a base class for this: importing it takes a tenth of the import of theano
    @staticmethod
    def find_spec(fullname: str, path: Any = None, target: Any = None) -> Any:
        if not fullname.startswith("theano."):
            return None
        if fullname in GPU_MODULES:
            from importlib.machinery import ModuleSpec  # slow to import

            return ModuleSpec(fullname, _GpuModule)  # type: ignore[arg-type]
        if text := reason(fullname):
            raise ModuleNotFoundError(text, name=fullname)
        return None


class _GpuModule:
    """The loader of a module whose names are all absent."""

    @staticmethod
    def create_module(spec: Any) -> None:
        """As Python makes a module."""

    @staticmethod
    def exec_module(module: ModuleType) -> None:
        module.__doc__ = "Part of a GPU back-end, which is absent here."
        module.__dict__["__getattr__"] = public(module.__name__)


sys.meta_path.append(_AbsentModules)
