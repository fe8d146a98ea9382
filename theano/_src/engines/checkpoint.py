"""Values of shared variables in files, one a process and step, whole or not there at all.

A checkpoint is a folder ``step-N``. Process k of n writes ``part-k-of-n.RUN.safetensors`` under
another name, and renames it when it is on the disk. The checkpoint exists when all parts of one run
are there: no manifest, no barrier, no collective. A part holds what its process has of each
variable, once over all processes, under names ``variable@start:stop,...``.
"""

from __future__ import annotations

import json
import operator
import os
import re
import shutil
import threading
from collections.abc import Iterable, Mapping
from math import prod
from typing import Any, NamedTuple

import numpy as np

from theano._src.engines.checkpoint_names import Named, check_fits, check_value, named
from theano._src.engines.mesh_devices import named_sharding
from theano._src.engines.xla import backend
from theano._src.engines.xla.processes import process_count, process_index, run_name
from theano._src.ground.array_files import restored, safetensors_for, storable
from theano._src.ground.atomic_files import flush_names
from theano._src.ground.documented import documented_in
from theano._src.types.randomstate import RandomStateType, is_generator
from theano._src.types.shared import SharedVariable
from theano._src.types.tensor import TensorType

_STEP = re.compile(r"step-(\d+)$")
_PART = re.compile(r"part-(\d+)-of-(\d+)\.(\w+)\.safetensors$")
#: shared variables by name, or some of them and functions of them
Saved = Mapping[str, SharedVariable] | Iterable[Any] | SharedVariable
#: where in the whole a piece is: from and to, for each dimension
Place = tuple[tuple[int, int], ...]


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


@documented_in("theano.checkpoint")
def save(
    folder: str | os.PathLike[str],
    step: int,
    variables: Saved,
    note: Any = None,
    keep: int = 2,
    wait: bool = False,
) -> str:
    """Write the values of shared variables, whole or not at all.

    The values are those of this moment; they are written by a thread while calls go on. A
    checkpoint that a crash has cut off is not seen by ``load``. Of several processes all call it,
    and each writes its own part.

    Parameters
    ----------
    folder : path
        That all processes see.
    step : int
        Not before the last one that is there.
    variables : function, shared variable, list of them, or dict
        Shared variables, of arrays or random streams: by the names of a dict, by their own, or all
        that functions use. Those of functions that have one name, or none, are numbered.
    note : optional
        What else ``load`` shall give, as JSON takes it.
    keep : int
        How many checkpoints to keep; 0 keeps all.
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
    TypeError
        If a variable holds anything else, such as a sparse matrix; nothing is written.
    ValueError
        If names are missing or equal, or the folder has a checkpoint of a later step.

    Examples
    --------
    >>> import tempfile, numpy as np, theano
    >>> from theano import checkpoint
    >>> W = theano.shared(np.ones(3), "W")
    >>> train = theano.function([], updates=[(W, W * 2)])
    >>> folder = tempfile.mkdtemp()
    >>> _ = checkpoint.save(folder, 10, train, wait=True)
    >>> train()
    >>> checkpoint.load(folder, train), W.get_value().tolist()
    ((10, None), [1.0, 1.0, 1.0])
    """
    safetensors_for("checkpoints", "distributed")
    step, keep = _count(step, "step"), _count(keep, "keep")
    found = named(variables)
    _writer.wait()
    _check_no_later(folder, step)
    k, n = process_index(), process_count()
    path = os.path.join(os.fspath(folder), f"step-{step:010d}")
    pieces, facts = _snapshot(found, k)
    text = json.dumps({"step": step, "note": note, **facts})
    final = os.path.join(path, f"part-{k}-of-{n}.{run_name()}.safetensors")
    sweep = (os.fspath(folder), keep) if k == 0 else None
    _writer.start(final, pieces, {"theano": text}, sweep)
    if wait:
        _writer.wait()
    return path


def _snapshot(found: Named, k: int) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    """What process k writes of the values of this moment: arrays, and what JSON holds."""
    pieces: dict[str, np.ndarray] = {}
    shapes: dict[str, list[int]] = {}
    dtypes: dict[str, str] = {}
    streams: dict[str, Any] = {}
    for name, v in found.variables.items():
        cell: Any = v.container.storage
        with cell.lock:
            value = cell[0]
            check_value(name, value)
            if is_generator(value):
                streams[name] = _plain(value.get_state(legacy=False))
                continue
            shapes[name], dtypes[name] = list(np.shape(value)), str(value.dtype)
            for place, part in _own_pieces(value, k):
                at = ",".join(f"{a}:{b}" for a, b in place)
                pieces[f"{name}@{at}"] = storable(part)
    facts = {
        "shapes": shapes,
        "dtypes": dtypes,
        "streams": streams if k == 0 else {},
        "numbered": found.numbered,
    }
    return pieces, facts


def _count(number: Any, what: str) -> int:
    found = operator.index(number)
    if found < 0:
        raise ValueError(f"a checkpoint takes a {what} of 0 or more, got {number}")
    return found


def _check_no_later(folder: str | os.PathLike[str], step: int) -> None:
    """ValueError if there is a later one: it would be taken for the last, and this one swept."""
    later = [c for c in checkpoints_in(folder, after=step) if c.is_whole]
    if later:
        raise ValueError(
            f"{os.fspath(folder)} has a checkpoint of step {later[-1].step}, which is later than "
            f"step {step}: go on from there, remove {later[-1].path}, or save elsewhere"
        )


def _write(
    final: str, pieces: dict[str, np.ndarray], facts: dict[str, str], sweep: tuple[str, int] | None
) -> None:
    os.makedirs(os.path.dirname(final), exist_ok=True)
    unfinished = f"{final}.unfinished"
    safetensors_for("checkpoints", "distributed").numpy.save_file(
        pieces, unfinished, metadata=facts
    )
    with open(unfinished, "rb+") as file:
        os.fsync(file.fileno())
    os.replace(unfinished, final)
    # names too are to be on the disk before older ones are removed: the file's, and the folder's
    flush_names(os.path.dirname(final))
    flush_names(os.path.dirname(os.path.dirname(final)) or ".")
    if sweep is not None:
        _sweep(*sweep)


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


def checkpoints_in(folder: str | os.PathLike[str], after: int = -1) -> list[Checkpoint]:
    """All checkpoints of later steps than ``after``, the last one last."""
    found = []
    folder = os.fspath(folder)
    for name in os.listdir(folder) if os.path.isdir(folder) else ():
        step = _STEP.match(name)
        path = os.path.join(folder, name)
        if step is not None and int(step[1]) > after and os.path.isdir(path):
            found.append(Checkpoint(int(step[1]), path, _parts_in(path)))
    return sorted(found)


def _parts_in(path: str) -> list[str]:
    runs: dict[tuple[str, int], dict[int, str]] = {}
    try:
        names = os.listdir(path)
    except FileNotFoundError:
        return []  # another process has just removed it
    for name in names:
        part = _PART.match(name)
        if part is not None:
            file = os.path.join(path, name)
            runs.setdefault((part[3], int(part[2])), {})[int(part[1])] = file
    whole = [files for (_, n), files in runs.items() if len(files) == n]
    if not whole:
        return []
    newest = max(whole, key=lambda files: os.path.getmtime(files[0]))
    return [newest[k] for k in sorted(newest)]


@documented_in("theano.checkpoint")
def latest(folder: str | os.PathLike[str]) -> int | None:
    """The step of the last whole checkpoint; None if there is none.

    >>> import tempfile
    >>> from theano import checkpoint
    >>> print(checkpoint.latest(tempfile.mkdtemp()))
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


@documented_in("theano.checkpoint")
def load(
    folder: str | os.PathLike[str],
    variables: Saved,
    step: int | None = None,
    strict: bool = True,
) -> tuple[int, Any] | None:
    """Set shared variables to the last whole checkpoint: all of them, or none if one does not fit.

    The mesh, and the number of processes, may be others than those that wrote it: each process
    reads what its devices need. What it has of other variables is not read.

    Parameters
    ----------
    folder : path
    variables : function, shared variable, list of them, or dict
        As for ``save``.
    step : int, optional
        Another than the last one.
    strict : bool
        Whether all variables must be there, with the shapes that they have now. Otherwise those
        that are not there are left as they are.

    Returns
    -------
    (int, object) or None
        Its step and its note; None if there is none.

    Raises
    ------
    KeyError
        If the checkpoint lacks one of the variables.
    ValueError
        If a value has another type or shape, or variables of one name are more or fewer.

    Examples
    --------
    >>> import tempfile, theano
    >>> from theano import checkpoint
    >>> print(checkpoint.load(tempfile.mkdtemp(), [theano.shared(1.0, "W")]))
    None
    """
    wanted = named(variables)
    _writer.wait()
    whole = [c for c in checkpoints_in(folder) if c.is_whole and step in (None, c.step)]
    if not whole:
        return None
    read = Reader(whole[-1])
    read.check_numbers(wanted.numbered)
    values = {
        name: read.value(name, v, strict)
        for name, v in wanted.variables.items()
        if strict or read.has(name)
    }
    for name, value in values.items():
        cell: Any = wanted.variables[name].container.storage
        with cell.lock:
            cell[0] = value
            cell.borrowed = False
            cell.on_mesh = hasattr(value, "addressable_shards")
    return read.step, read.note


class Reader:
    """The values of one checkpoint."""

    def __init__(self, found: Checkpoint) -> None:
        safetensors = safetensors_for("checkpoints", "distributed")
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
        self._numbered = facts.get("numbered", {})

    def has(self, name: str) -> bool:
        """Whether it has a value of that name."""
        return name in self._streams or name in self._shapes

    def check_numbers(self, numbered: dict[str, int]) -> None:
        """ValueError if other variables than those of now may have had their numbers."""
        for name, n in numbered.items():
            had = self._numbered.get(name, 0)
            if had != n:
                raise ValueError(
                    f"functions use {n} variables {name} that only a number tells apart, and the "
                    f"checkpoint {self.path} has {had}; give a dict, with names as in "
                    f"{sorted(self.contents())}"
                )

    def value(self, name: str, v: SharedVariable, strict: bool = False) -> Any:
        """The value of a variable, on the host or over its mesh."""
        where = f"the checkpoint {self.path}"
        if name in self._streams:
            if not isinstance(v.type, RandomStateType):
                raise ValueError(f"{name!r} holds {v.type}, and {where} has a random state")
            state = np.random.RandomState()
            state.set_state(self._streams[name])
            return state
        if name not in self._shapes:
            raise KeyError(f"{where} has no {name!r}; it has {sorted(self.contents())}")
        shape, dtype = tuple(self._shapes[name]), np.dtype(self._dtypes[name])
        check_fits(name, v, shape, dtype, strict, where)
        cell: Any = v.container.storage
        if cell.sharding is None:
            whole = self._read(name, tuple((0, n) for n in shape), dtype)
            return whole if isinstance(v.type, TensorType) else whole[()]
        import jax

        def part(index: tuple[slice, ...]) -> np.ndarray:
            want = tuple(s.indices(n)[:2] for s, n in zip(index, shape, strict=True))
            return self._read(name, want, dtype)

        with backend.x64():
            sharding = named_sharding(cell.sharding)
            return jax.make_array_from_callback(shape, sharding, part)

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
            out[to] = restored(part, dtype)
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
