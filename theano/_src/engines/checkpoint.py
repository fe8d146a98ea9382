"""Values of shared variables in files, one a process and step, whole or not there at all.

A checkpoint is a folder ``step-N``. Process k of n writes ``part-k-of-n.RUN.safetensors`` under
another name, and renames it when it is on the disk. The checkpoint exists when all parts of one run
are there: no manifest, no barrier, no collective. A part holds what its process has of each
variable, once over all processes, under names ``variable@start:stop,...``.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import threading
from collections.abc import Iterable, Mapping
from math import prod
from typing import Any, NamedTuple

import numpy as np

from theano._src.engines.mesh_devices import named_sharding
from theano._src.engines.xla import backend
from theano._src.engines.xla.processes import process_count, process_index, run_name
from theano._src.ground.documented import documented_in
from theano._src.types.randomstate import is_generator
from theano._src.types.shared import Cell, SharedVariable

_STEP = re.compile(r"step-(\d+)$")
_PART = re.compile(r"part-(\d+)-of-(\d+)\.(\w+)\.safetensors$")
#: where in the whole a piece is: from and to, for each dimension
Place = tuple[tuple[int, int], ...]


def _library() -> Any:
    try:
        import safetensors.numpy
    except ImportError as error:
        raise ImportError(
            f"checkpoints are written by safetensors ({error}): pip install theano-xla[distributed]"
        ) from None
    return safetensors


# saving


class _Writer:
    """Writes one part after another in a thread; what went wrong is raised by the next call."""

    def __init__(self) -> None:
        self._thread: threading.Thread | None = None
        self._error: BaseException | None = None

    def start(self, *what: Any) -> None:
        self.wait()
        self._thread = threading.Thread(target=self._run, args=what, name="theano checkpoint")
        self._thread.start()

    def _run(self, *what: Any) -> None:
        try:
            _write(*what)
        except BaseException as error:
            self._error = error

    def wait(self) -> None:
        if self._thread is not None:
            self._thread.join()
            self._thread = None
        if self._error is not None:
            error, self._error = self._error, None
            raise error


_writer = _Writer()


@documented_in("theano.distributed")
def save(
    folder: str | os.PathLike[str],
    step: int,
    variables: Mapping[str, SharedVariable] | Iterable[SharedVariable],
    note: Any = None,
    keep: int = 2,
    wait: bool = False,
) -> str:
    """Write the values of shared variables; called by all processes, each writes its own part.

    The values are those of this moment; they are written by a thread while calls go on. A
    checkpoint that a crash has cut off is not seen by ``load``.

    Parameters
    ----------
    folder : path
        That all processes see.
    step : int
    variables : dict, or list
        Shared variables, of arrays or random streams, by name; of a list, by their own names.
    note : optional
        What else ``load`` shall give, as JSON takes it.
    keep : int
        How many checkpoints to keep.
    wait : bool
        Whether to return only when it is on the disk.

    Returns
    -------
    str
        Its path.

    Raises
    ------
    OSError
        If this or the last one could not be written.

    Examples
    --------
    >>> import tempfile, numpy as np, theano
    >>> from theano import distributed as dist
    >>> W = theano.shared(np.ones(3), "W")
    >>> folder = tempfile.mkdtemp()
    >>> _ = dist.save(folder, 10, [W], wait=True)
    >>> W.set_value(np.zeros(3))
    >>> dist.load(folder, [W]), W.get_value().tolist()
    ((10, None), [1.0, 1.0, 1.0])
    """
    _library()
    k, n = process_index(), process_count()
    path = os.path.join(os.fspath(folder), f"step-{step:010d}")
    pieces: dict[str, np.ndarray] = {}
    shapes: dict[str, list[int]] = {}
    dtypes: dict[str, str] = {}
    streams: dict[str, Any] = {}
    for name, v in _named(variables).items():
        cell: Any = v.container.storage
        with cell.lock:
            value = cell[0]
            if is_generator(value):
                streams[name] = _plain(value.get_state(legacy=False))
                continue
            shapes[name], dtypes[name] = list(np.shape(value)), str(value.dtype)
            for place, part in _own_pieces(value, k):
                at = ",".join(f"{a}:{b}" for a, b in place)
                pieces[f"{name}@{at}"] = _storable(part)
    facts = {
        "step": step,
        "note": note,
        "shapes": shapes,
        "dtypes": dtypes,
        "streams": streams if k == 0 else {},
    }
    final = os.path.join(path, f"part-{k}-of-{n}.{run_name()}.safetensors")
    sweep = (os.fspath(folder), keep) if k == 0 else None
    _writer.start(final, pieces, {"theano": json.dumps(facts)}, sweep)
    if wait:
        _writer.wait()
    return path


def _write(
    final: str, pieces: dict[str, np.ndarray], facts: dict[str, str], sweep: tuple[str, int] | None
) -> None:
    os.makedirs(os.path.dirname(final), exist_ok=True)
    unfinished = f"{final}.unfinished"
    _library().numpy.save_file(pieces, unfinished, metadata=facts)
    with open(unfinished, "rb+") as file:
        os.fsync(file.fileno())
    os.rename(unfinished, final)
    if os.name == "posix":
        entry = os.open(os.path.dirname(final), os.O_RDONLY)
        try:
            os.fsync(entry)  # the name too
        finally:
            os.close(entry)
    if sweep is not None:
        _sweep(*sweep)


def _named(
    variables: Mapping[str, SharedVariable] | Iterable[SharedVariable],
) -> dict[str, SharedVariable]:
    if isinstance(variables, Mapping):
        named = list(variables.items())
    else:
        named = [(str(v.name), v) for v in variables]
    found = dict(named)
    if len(found) < len(named) or "None" in found:
        raise ValueError(
            "a checkpoint takes shared variables of different names, got "
            f"{[name for name, _ in named]}; give a dict"
        )
    for name, v in found.items():
        if not isinstance(getattr(getattr(v, "container", None), "storage", None), Cell):
            raise TypeError(f"a checkpoint takes shared variables, got {v!r} as {name!r}")
    return found


def _own_pieces(value: Any, k: int) -> list[tuple[Place, np.ndarray]]:
    """What this process is to write of a value: over all processes each element once."""
    if not hasattr(value, "addressable_shards"):
        whole = tuple((0, n) for n in np.shape(value))
        return [(whole, np.array(value))] if k == 0 else []
    return [
        (
            tuple(s.indices(n)[:2] for s, n in zip(p.index, value.shape, strict=True)),
            np.array(p.data),
        )
        for p in value.addressable_shards
        if p.replica_id == 0 and (k == 0 or len(value.sharding.device_set) > 1)
    ]


def _storable(part: np.ndarray) -> np.ndarray:
    """A complex array as pairs of real numbers, which the format has."""
    held = np.array(part, order="C")
    return held if held.dtype.kind != "c" else held[..., None].view(held.real.dtype)


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(x) for key, x in value.items()}
    return value.tolist() if isinstance(value, np.ndarray) else value


# looking


class Checkpoint(NamedTuple):
    """A step that was written: its files, by the number of their process, if all are there."""

    step: int
    path: str
    parts: list[str]

    @property
    def is_whole(self) -> bool:
        return bool(self.parts)


def checkpoints_in(folder: str | os.PathLike[str]) -> list[Checkpoint]:
    """All checkpoints, the last one last."""
    found = []
    folder = os.fspath(folder)
    for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else ():
        step = _STEP.match(name)
        path = os.path.join(folder, name)
        if step is not None and os.path.isdir(path):
            found.append(Checkpoint(int(step[1]), path, _parts_in(path)))
    return found


def _parts_in(path: str) -> list[str]:
    runs: dict[tuple[str, int], dict[int, str]] = {}
    for name in os.listdir(path):
        part = _PART.match(name)
        if part is not None:
            file = os.path.join(path, name)
            runs.setdefault((part[3], int(part[2])), {})[int(part[1])] = file
    whole = [files for (_, n), files in runs.items() if len(files) == n]
    if not whole:
        return []
    newest = max(whole, key=lambda files: os.path.getmtime(files[0]))
    return [newest[k] for k in sorted(newest)]


@documented_in("theano.distributed")
def latest(folder: str | os.PathLike[str]) -> int | None:
    """The step of the last whole checkpoint; None if there is none.

    >>> import tempfile
    >>> from theano import distributed as dist
    >>> print(dist.latest(tempfile.mkdtemp()))
    None
    """
    _writer.wait()
    whole = [c.step for c in checkpoints_in(folder) if c.is_whole]
    return whole[-1] if whole else None


def _sweep(folder: str, keep: int) -> None:
    """Remove what is older than the last ``keep`` whole checkpoints."""
    found = checkpoints_in(folder)
    whole = [c.step for c in found if c.is_whole]
    if len(whole) >= keep > 0:
        for old in found:
            if old.step < whole[-keep]:
                shutil.rmtree(old.path, ignore_errors=True)


# loading


@documented_in("theano.distributed")
def load(
    folder: str | os.PathLike[str],
    variables: Mapping[str, SharedVariable] | Iterable[SharedVariable],
    step: int | None = None,
) -> tuple[int, Any] | None:
    """Set shared variables to the last whole checkpoint.

    The mesh, and the number of processes, may be others than those that wrote it: each process
    reads what its devices need.

    Parameters
    ----------
    folder : path
    variables : dict, or list
        As for ``save``.
    step : int, optional
        Another than the last one.

    Returns
    -------
    (int, object) or None
        Its step and its note; None if there is none.

    Raises
    ------
    KeyError
        If the checkpoint lacks one of the variables.
    ValueError
        If a value has another type.

    Examples
    --------
    >>> import tempfile, theano
    >>> from theano import distributed as dist
    >>> print(dist.load(tempfile.mkdtemp(), [theano.shared(1.0, "W")]))
    None
    """
    named = _named(variables)
    _writer.wait()
    whole = [c for c in checkpoints_in(folder) if c.is_whole and step in (None, c.step)]
    if not whole:
        return None
    read = Reader(whole[-1])
    values = {name: read.value(name, v) for name, v in named.items()}
    for name, v in named.items():
        cell: Any = v.container.storage
        with cell.lock:
            cell[0] = values[name]
            cell.borrowed = False
            cell.on_mesh = hasattr(values[name], "addressable_shards")
    return read.step, read.note


class Reader:
    """The values of one checkpoint."""

    def __init__(self, found: Checkpoint) -> None:
        safetensors = _library()
        self.path = found.path
        self._pieces: dict[str, list[tuple[Place, Any, str]]] = {}
        self._streams: dict[str, Any] = {}
        facts: dict[str, Any] = {}
        for path in found.parts:
            file = safetensors.safe_open(path, "numpy")
            facts = json.loads(file.metadata()["theano"])
            self._streams |= facts["streams"]
            for key in file.keys():  # noqa: SIM118, no dict
                name, _, at = key.rpartition("@")
                place = tuple(_pair(text) for text in at.split(",")) if at else ()
                self._pieces.setdefault(name, []).append((place, file, key))
        self.step, self.note = facts["step"], facts["note"]
        self._shapes, self._dtypes = facts["shapes"], facts["dtypes"]

    def value(self, name: str, v: SharedVariable) -> Any:
        """The value of a variable, on the host or over its mesh."""
        if name in self._streams:
            state = np.random.RandomState()
            state.set_state(self._streams[name])
            return v.type.filter(state)
        if name not in self._shapes:
            have = sorted([*self._shapes, *self._streams])
            raise KeyError(f"the checkpoint {self.path} has no {name!r}; it has {have}")
        shape, dtype = tuple(self._shapes[name]), np.dtype(self._dtypes[name])
        type_ = v.type
        if getattr(type_, "dtype", None) != str(dtype) or type_.ndim != len(shape):
            raise ValueError(
                f"{name!r} holds {type_}, and the checkpoint {self.path} has {dtype} of shape "
                f"{shape}"
            )
        cell: Any = v.container.storage
        if cell.sharding is None:
            return self._read(name, tuple((0, n) for n in shape), dtype)
        import jax

        def part(index: tuple[slice, ...]) -> np.ndarray:
            want = tuple(s.indices(n)[:2] for s, n in zip(index, shape, strict=True))
            return self._read(name, want, dtype)

        with backend.x64():
            where = named_sharding(cell.sharding)
            return jax.make_array_from_callback(shape, where, part)

    def contents(self) -> dict[str, str]:
        """What is in it: the type of each value, by name."""
        arrays = {n: f"{self._dtypes[n]}{shape}" for n, shape in self._shapes.items()}
        return arrays | dict.fromkeys(self._streams, "random state")

    def problem(self) -> str | None:
        """What is missing, after reading all of it; None if nothing is."""
        for name, shape in self._shapes.items():
            pieces = self._pieces.get(name, [])
            held = sum(prod(b - a for a, b in place) for place, _, _ in pieces)
            if held != prod(shape):
                return f"{name!r} has {held} elements of {prod(shape)}"
            for _, file, key in pieces:
                file.get_tensor(key)
        return None

    def _read(self, name: str, want: Place, dtype: np.dtype) -> np.ndarray:
        out = np.empty([b - a for a, b in want], dtype)
        for place, file, key in self._pieces.get(name, ()):
            cut = [(max(a, c), min(b, d)) for (a, b), (c, d) in zip(want, place, strict=True)]
            if any(a >= b for a, b in cut):
                continue
            of = tuple(slice(a - c, b - c) for (a, b), (c, _) in zip(cut, place, strict=True))
            to = tuple(slice(a - c, b - c) for (a, b), (c, _) in zip(cut, want, strict=True))
            part = file.get_slice(key)[of] if of else file.get_tensor(key)
            out[to] = part.view(dtype)[..., 0] if dtype.kind == "c" else part
        return out


def _pair(text: str) -> tuple[int, int]:
    a, _, b = text.partition(":")
    return int(a), int(b)


def problem_of(found: Checkpoint) -> str | None:
    """What is wrong with the files of a checkpoint; None if every element is there once."""
    if not found.is_whole:
        return "not all parts are there"
    try:
        return Reader(found).problem()
    except Exception as error:
        return f"cannot be read: {error}"
