"""Zip files of a pickle and its arrays, which have the names of their shared variables."""

from __future__ import annotations

import io
import pickle
import zipfile
from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from theano._src.ground.documented import documented_in
from theano._src.ground.utils import Scratchpad
from theano._src.ground.version import __version__ as version
from theano._src.types.shared import SharedVariable, on_host


@documented_in("theano.misc.pkl_utils")
class PersistentNdarrayID:
    """Write arrays to a zip file during pickling, as ``array_0``, ``array_1`` ...

    An instance is a ``persistent_id`` of a Pickler: it returns ``'ndarray.<name>'`` for an array.
    """

    def __init__(self, zip_file: zipfile.ZipFile) -> None:
        self.zip_file = zip_file
        self.count = 0
        self.seen: dict[int, tuple[str, Any]] = {}

    def name_of(self, obj: Any) -> str:
        """Return the name of an array in the zip file."""
        self.count += 1
        return f"array_{self.count - 1}"

    def __call__(self, obj: Any) -> str | None:
        if type(obj) is not np.ndarray or obj.dtype.hasobject:
            return None
        if id(obj) not in self.seen:
            name = self.name_of(obj)
            with self.zip_file.open(name, "w", force_zip64=True) as f:
                np.lib.format.write_array(f, obj, allow_pickle=False)
            # keep a reference: no other array may get the same id meanwhile
            self.seen[id(obj)] = (f"ndarray.{name}", obj)
        return self.seen[id(obj)][0]


@documented_in("theano.misc.pkl_utils")
class PersistentSharedVariableID(PersistentNdarrayID):
    """A PersistentNdarrayID that names arrays after their shared variables: ``w``, ``w_2`` ...

    Parameters
    ----------
    zip_file : ZipFile
    allow_unnamed : bool
        Whether shared variables may have no name; if False, that raises ValueError.
    allow_duplicates : bool
        Whether several may have the same name; if False, that raises ValueError.
    """

    def __init__(
        self, zip_file: zipfile.ZipFile, allow_unnamed: bool = True, allow_duplicates: bool = True
    ) -> None:
        super().__init__(zip_file)
        self.allow_unnamed, self.allow_duplicates = allow_unnamed, allow_duplicates
        self._names: dict[int, str] = {}
        self._taken: Counter[str] = Counter()

    def name_of(self, obj: Any) -> str:
        name = self._names.get(id(obj))
        if name is None:
            return super().name_of(obj)
        self._taken[name] += 1
        if self._taken[name] == 1:
            return name
        if not self.allow_duplicates:
            raise ValueError(f"several shared variables are called {name}; give each its own name")
        return f"{name}_{self._taken[name]}"

    def __call__(self, obj: Any) -> str | None:
        if isinstance(obj, SharedVariable):
            if obj.name == "pkl":
                raise ValueError("a shared variable called pkl cannot be saved: rename it")
            if obj.name:
                cell = obj.container.storage
                cell[0] = on_host(cell[0])  # the value may be on a device
                self._names[id(cell[0])] = obj.name
            elif not self.allow_unnamed:
                raise ValueError(f"the shared variable {obj} has no name; give it one")
        return super().__call__(obj)


@documented_in("theano.misc.pkl_utils")
class PersistentNdarrayLoad:
    """Read the arrays that PersistentNdarrayID wrote to a zip file."""

    def __init__(self, zip_file: zipfile.ZipFile) -> None:
        self.zip_file = zip_file
        self.cache: dict[str, Any] = {}

    def __call__(self, persid: str) -> Any:
        name = persid.partition(".")[2]
        if name not in self.cache:
            with self.zip_file.open(name) as f:
                self.cache[name] = np.lib.format.read_array(f)
        return self.cache[name]


class _ArrayPickler(pickle.Pickler):
    def __init__(self, file: Any, protocol: int, taken_out: Callable[[Any], Any]) -> None:
        super().__init__(file, protocol=protocol)
        self._taken_out = taken_out

    def persistent_id(self, obj: Any) -> Any:
        return self._taken_out(obj)


#: names in pickles of earlier versions, and the current names, both as ``"module:name"``
MOVED = {
    f"theano._src.{old}:{name}": f"theano._src.{new}:{name}"
    for old, new, name in (
        ("compile.debugmode.mode", "compile.debug.debugmode.mode", "DebugMaker"),
        ("compile.debugmode.mode", "compile.debug.debugmode.mode", "_restored"),
        ("engines.choice", "engines.choice.choice", "AutoLinker"),
        ("engines.numpy_engine", "engines.numpy.engine", "NumpyLinker"),
    )
}


class _FindsMoved:
    """A mixin for unpicklers: find moved names, and explain names that no longer exist."""

    def find_class(self, module: str, name: str) -> Any:
        place = MOVED.get(f"{module}:{name}", f"{module}:{name}")
        home, _, attribute = place.partition(":")
        try:
            return super().find_class(home, attribute)  # type: ignore[misc]
        except (ImportError, AttributeError) as error:
            if module.partition(".")[0] != "theano":
                raise
            raise pickle.UnpicklingError(
                f"the pickle names {module}.{name}, which theano {version} has not ({error}). Load "
                "it by the version that made it, and save the values there: by theano.checkpoint, "
                "or what get_value() gives"
            ) from error


class _ArrayUnpickler(_FindsMoved, pickle.Unpickler):
    def __init__(self, file: Any, taken_out: Callable[[Any], Any]) -> None:
        super().__init__(file)
        self._taken_out = taken_out

    def persistent_load(self, pid: Any) -> Any:
        return self._taken_out(pid)


@documented_in("theano.misc.pkl_utils")
def dump(
    obj: Any,
    file_handler: Any,
    protocol: int = pickle.DEFAULT_PROTOCOL,
    persistent_id: Callable[[zipfile.ZipFile], Any] = PersistentSharedVariableID,
) -> None:
    """Save an object as a zip file: a pickle, and each array in NumPy's format.

    ``numpy.load`` reads the arrays; those of shared variables have the variables' names.

    Parameters
    ----------
    obj : object
    file_handler : file, open for writing bytes
    protocol : int
        The pickle protocol.
    persistent_id : function of a ZipFile
        Returns the ``persistent_id`` function of the pickler, which stores objects elsewhere.

    >>> import io
    >>> import numpy as np, theano
    >>> from theano.misc.pkl_utils import dump, load
    >>> file = io.BytesIO()
    >>> dump([theano.shared(np.zeros(3), "w"), np.ones(2)], file)
    >>> file.seek(0)
    0
    >>> list(np.load(file))
    ['w', 'array_0', 'pkl']
    >>> load(file)[0].get_value().tolist()
    [0.0, 0.0, 0.0]
    """
    with zipfile.ZipFile(file_handler, "w", zipfile.ZIP_DEFLATED, allowZip64=True) as zip_file:
        result = io.BytesIO()
        _ArrayPickler(result, protocol, persistent_id(zip_file)).dump(obj)
        zip_file.writestr("pkl", result.getvalue())


@documented_in("theano.misc.pkl_utils")
def load(f: Any, persistent_load: Callable[[zipfile.ZipFile], Any] = PersistentNdarrayLoad) -> Any:
    """Load an object that ``dump`` saved; only from files that you trust, as it is a pickle.

    Parameters
    ----------
    f : file, open for reading bytes
    persistent_load : function of a ZipFile
        Returns the ``persistent_load`` function of the unpickler.

    >>> import io
    >>> from theano.misc.pkl_utils import dump, load
    >>> file = io.BytesIO()
    >>> dump({"a": 1}, file)
    >>> load(file)
    {'a': 1}
    """
    with zipfile.ZipFile(f, "r") as zip_file:
        result = io.BytesIO(zip_file.read("pkl"))
        return _ArrayUnpickler(result, persistent_load(zip_file)).load()


@documented_in("theano.misc.pkl_utils")
class StripPickler(pickle.Pickler):
    """Pickle graphs without source lines and test values, which only help readers.

    Parameters
    ----------
    file : file, open for writing bytes
    protocol : int
    extra_tag_to_remove : list of str, optional
        Further attributes of ``tag`` to leave out.

    >>> import io, pickle
    >>> import theano.tensor as T
    >>> from theano.misc.pkl_utils import StripPickler
    >>> x = T.dscalar("x")
    >>> x.tag.test_value, x.tag.unit = 3.0, "m"
    >>> file = io.BytesIO()
    >>> StripPickler(file, protocol=-1).dump(x)
    >>> vars(pickle.loads(file.getvalue()).tag)
    {'unit': 'm'}
    """

    def __init__(
        self, file: Any, protocol: int = 0, extra_tag_to_remove: Iterable[str] | None = None
    ) -> None:
        super().__init__(file, protocol)
        self.tag_to_remove = ["trace", "test_value", *(extra_tag_to_remove or ())]

    def reducer_override(self, obj: Any) -> Any:
        """Pickle the tag of a variable or node without the removed attributes."""
        if not isinstance(obj, Scratchpad):
            return NotImplemented
        kept = {k: v for k, v in vars(obj).items() if k not in self.tag_to_remove}
        return (Scratchpad, (), kept)


# the Python implementation: in that of C, load_reduce cannot be overridden
_Unpickler: Any = pickle._Unpickler


@documented_in("theano.misc.pkl_utils")
class CompatUnpickler(_FindsMoved, _Unpickler):  # type: ignore[misc]
    """Load pickles of Python 2; pass ``encoding="latin1"`` for their arrays.

    Strings of Python 2 are read as text. If an object cannot be created from text, its creation
    is tried again with bytes. Names of Theano that this version does not have raise a clear error.
    """

    dispatch = dict(_Unpickler.dispatch)

    def load_reduce(self) -> None:
        args = self.stack.pop()
        make = self.stack[-1]
        try:
            result = make(*args)
        except Exception:
            raw = tuple(a.encode(self.encoding) if isinstance(a, str) else a for a in args)
            if raw == args:
                raise
            result = make(*raw)
        self.stack[-1] = result

    dispatch[pickle.REDUCE[0]] = load_reduce
