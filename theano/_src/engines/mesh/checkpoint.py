"""Values of shared variables in files, one per process and step; complete or not there at all.

A checkpoint is a folder ``step-N``. Process k of n writes ``part-k-of-n.RUN.safetensors`` under
another name, and renames it once it is on disk. The checkpoint exists when all parts of one run do:
there is no manifest, barrier or collective. A part holds the pieces of each variable that its
process has, each piece once over all processes, under names ``variable@start:stop,...``. Runs that
write the same step have different numbers in their parts: each run uses one more than the largest
that it finds.
"""

from __future__ import annotations

import json
import operator
import os
import re
import threading
import warnings
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any

import numpy as np

from theano._src.engines.mesh.checkpoint_names import Named, check_value, named
from theano._src.engines.mesh.checkpoint_reader import (
    PART,
    Checkpoint,
    Damaged,
    Place,
    Reader,
    checkpoints_in,
    defect_of,
    facts_of,
    generation_of,
)
from theano._src.engines.mesh.processes import process_count, process_index, run_name
from theano._src.ground.array_files import safetensors_for, storable
from theano._src.ground.atomic_files import flush_names
from theano._src.ground.documented import documented_in
from theano._src.ground.process_group import process_group
from theano._src.types.randomstate import is_generator
from theano._src.types.shared import SharedVariable

_UNFINISHED = re.compile(r"part-\d+-of-\d+\.[0-9a-f]{12}\.safetensors\.unfinished$")
_OS_ERROR = re.compile(r"\(os error (\d+)\)")
#: shared variables by name, or an iterable of shared variables and functions that use them
Saved = Mapping[str, SharedVariable] | Iterable[Any] | SharedVariable


# saving


class _Writer:
    """Writes one part after the other in a thread; the next call raises an error of the thread."""

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
    """Write the values of shared variables, completely or not at all.

    The values are those at the time of the call; a thread writes them while calls go on. ``load``
    ignores a checkpoint that a crash has cut off. With several processes all must call this, and
    each writes its own part.

    Parameters
    ----------
    folder : path
        A folder that all processes can access.
    step : int
        Not less than the last step in the folder.
    variables : function, shared variable, list of them, or dict
        Shared variables of arrays or random streams: named by the keys of a dict or by their own
        names, or all that functions use. Those of functions are numbered if several have the same
        name, or none.
    note : optional
        Further data for ``load`` to return, which must be JSON-serializable.
    keep : int
        The number of checkpoints to keep; 0 keeps all.
    wait : bool
        Whether to return only when it is on disk.

    Returns
    -------
    str
        The path of the checkpoint.

    Raises
    ------
    OSError
        If this checkpoint or the last one could not be written.
    TypeError
        If a variable holds another kind of value, such as a sparse matrix; nothing is written.
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
    safetensors_for("theano.checkpoint")
    step, keep = _count(step, "step"), _count(keep, "keep")
    result = named(variables)
    _writer.wait()
    _check_no_later(folder, step)
    k, n = process_index(), process_count()
    path = os.path.join(os.fspath(folder), f"step-{step:010d}")
    pieces, facts = _snapshot(result, k)
    generation = _generation_after(path)
    text = json.dumps({"step": step, "note": note, "generation": generation, **facts})
    final = os.path.join(path, f"part-{k}-of-{n}.{run_name()}.safetensors")
    sweep = (os.fspath(folder), keep) if k == 0 else None
    _writer.start(final, pieces, {"theano": text}, sweep)
    if wait:
        _writer.wait()
    return path


def _snapshot(result: Named, k: int) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    """The part of the current values that process k writes: arrays, and facts for JSON."""
    pieces: dict[str, np.ndarray] = {}
    shapes: dict[str, list[int]] = {}
    dtypes: dict[str, str] = {}
    streams: dict[str, Any] = {}
    for name, v in result.variables.items():
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
        "numbered": result.numbered,
    }
    return pieces, facts


def _count(number: Any, what: str) -> int:
    result = operator.index(number)
    if result < 0:
        raise ValueError(f"a checkpoint takes a {what} of 0 or more, got {number}")
    return result


def _check_no_later(folder: str | os.PathLike[str], step: int) -> None:
    """Raise ValueError if there is a later step: it would be the last, and this one removed."""
    later = [c for c in checkpoints_in(folder, after=step) if defect_of(c) is None]
    if later:
        raise ValueError(
            f"{os.fspath(folder)} has a checkpoint of step {later[-1].step}, which is later than "
            f"step {step}: go on from there, remove {later[-1].path}, or save elsewhere"
        )


def _generation_after(path: str) -> float:
    """A number greater than those of other runs that have written the step."""
    own = f".{run_name()}.safetensors"
    names = os.listdir(path) if os.path.isdir(path) else ()
    others = [n for n in names if PART.match(n) and not n.endswith(own)]
    return 1 + max((generation_of(os.path.join(path, n)) for n in others), default=0)


def _write(
    final: str, pieces: dict[str, np.ndarray], facts: dict[str, str], sweep: tuple[str, int] | None
) -> None:
    os.makedirs(os.path.dirname(final), exist_ok=True)
    unfinished = f"{final}.unfinished"
    safetensors = safetensors_for("theano.checkpoint")
    try:
        try:
            safetensors.numpy.save_file(pieces, unfinished, metadata=facts)
        except safetensors.SafetensorError as error:
            raise _as_os_error(error, unfinished) from error
        with open(unfinished, "rb+") as file:
            os.fsync(file.fileno())
        os.replace(unfinished, final)
    except BaseException:
        with suppress(OSError):
            os.unlink(unfinished)  # frees space on a full disk
        raise
    # names must be on disk too before older files are removed: the file's and the folder's
    flush_names(os.path.dirname(final))
    flush_names(os.path.dirname(os.path.dirname(final)) or ".")
    if sweep is not None:
        _sweep(*sweep)


def _as_os_error(error: Exception, path: str) -> OSError:
    """The system's error, which safetensors has only as text."""
    number = _OS_ERROR.search(str(error))
    if number is None:
        return OSError(f"{path} could not be written: {error}")
    return OSError(int(number[1]), os.strerror(int(number[1])), path)


def _own_pieces(value: Any, k: int) -> list[tuple[Place, np.ndarray]]:
    """The pieces of a value that this process writes: over all processes, each element once."""
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


# listing


@documented_in("theano.checkpoint")
def latest(folder: str | os.PathLike[str]) -> int | None:
    """Return the step of the last complete and undamaged checkpoint, or None.

    >>> import tempfile
    >>> from theano import checkpoint
    >>> print(checkpoint.latest(tempfile.mkdtemp()))
    None
    """
    _writer.wait()
    good = (c.step for c in reversed(checkpoints_in(folder)) if defect_of(c) is None)
    return next(good, None)


def _sweep(folder: str, keep: int) -> None:
    """Remove what was saved before the last ``keep`` readable steps, and nothing else."""
    if keep == 0:
        return
    checkpoints = checkpoints_in(folder)
    good: set[int] = set()
    for c in reversed(checkpoints):
        if defect_of(c) is None:
            good.add(c.step)
        if len(good) == keep:
            for old in {old.path for old in checkpoints if old.step < c.step}:
                _remove_parts(old)
            return


def _remove_parts(path: str) -> None:
    """Remove the parts of checkpoints in a folder, and the folder if nothing else is in it."""
    if os.path.islink(path):
        return
    with suppress(OSError):
        for entry in os.scandir(path):
            if entry.is_file(follow_symlinks=False) and _is_own(entry.name, entry.path):
                os.unlink(entry.path)
        os.rmdir(path)


def _is_own(name: str, path: str) -> bool:
    """Whether ``save`` has written a file; a finished part has metadata that shows it."""
    if PART.match(name) is None:
        return _UNFINISHED.match(name) is not None
    with suppress(Exception):
        return "step" in facts_of(path)
    return False


# loading


@documented_in("theano.checkpoint")
def load(
    folder: str | os.PathLike[str],
    variables: Saved,
    step: int | None = None,
    strict: bool = True,
) -> tuple[int, Any] | None:
    """Set shared variables to the last complete checkpoint: all of them, or none on an error.

    A damaged checkpoint is skipped with a RuntimeWarning, and the one before it is used. The mesh
    and the number of processes may differ from those that wrote it: each process reads what its
    devices need. Other variables in the checkpoint are not read.

    Parameters
    ----------
    folder : path
    variables : function, shared variable, list of them, or dict
        As for ``save``.
    step : int, optional
        A step other than the last one; it is not skipped if it is damaged.
    strict : bool
        Whether the checkpoint must have all variables, with their current shapes. Otherwise
        variables that it lacks are left unchanged.

    Returns
    -------
    (int, object) or None
        The step and the note of the checkpoint; None if there is none.

    Raises
    ------
    KeyError
        If the checkpoint lacks one of the variables.
    OSError
        If there are checkpoints, and all of them are damaged.
    ValueError
        If a value has another type or shape, or the number of variables with one name differs.

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
    read, values = _last_good(whole, wanted, strict)
    cells: list[Any] = [v.container.storage for v in wanted.variables.values()]
    if any(cell.sharding is not None for cell in cells):
        process_group.note(f"loading step {read.step} of run {read.run}")
    for name, value in values.items():
        cell: Any = wanted.variables[name].container.storage
        with cell.lock:
            cell[0] = value
            cell.borrowed = False
            cell.on_mesh = hasattr(value, "addressable_shards")
    return read.step, read.note


def _last_good(
    whole: list[Checkpoint], wanted: Named, strict: bool
) -> tuple[Reader, dict[str, Any]]:
    """The last undamaged checkpoint and its values; the last one's error if all are damaged."""
    first: Damaged | None = None
    for c in reversed(whole):
        try:
            read = Reader(c)
            read.check_numbers(wanted.numbered)
            values = {
                name: read.value(name, v, strict)
                for name, v in wanted.variables.items()
                if strict or read.has(name)
            }
        except Damaged as error:
            first = first or error
            continue
        if first is not None:
            warnings.warn(
                f"{first}; it is passed over, and step {c.step} is loaded", RuntimeWarning, 4
            )
        return read, values
    assert first is not None
    raise first
