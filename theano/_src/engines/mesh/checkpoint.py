"""Values of shared variables in files, one a process and step, whole or not there at all.

A checkpoint is a folder ``step-N``. Process k of n writes ``part-k-of-n.RUN.safetensors`` under
another name, and renames it when it is on the disk. The checkpoint exists when all parts of one run
are there: no manifest, no barrier, no collective. A part holds what its process has of each
variable, once over all processes, under names ``variable@start:stop,...``. Runs that write the same
step have different numbers in their parts: each run writes one more than the largest that it found.
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
#: shared variables by name, or some of them and functions of them
Saved = Mapping[str, SharedVariable] | Iterable[Any] | SharedVariable


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
    """What process k writes of the values of this moment: arrays, and what JSON holds."""
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
    """ValueError if there is a later one: it would be taken for the last, and this one swept."""
    later = [c for c in checkpoints_in(folder, after=step) if defect_of(c) is None]
    if later:
        raise ValueError(
            f"{os.fspath(folder)} has a checkpoint of step {later[-1].step}, which is later than "
            f"step {step}: go on from there, remove {later[-1].path}, or save elsewhere"
        )


def _generation_after(path: str) -> float:
    """A number above those of other runs that have written the step."""
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
            os.unlink(unfinished)  # a full disk has no room for it
        raise
    # names too are to be on the disk before older ones are removed: the file's, and the folder's
    flush_names(os.path.dirname(final))
    flush_names(os.path.dirname(os.path.dirname(final)) or ".")
    if sweep is not None:
        _sweep(*sweep)


def _as_os_error(error: Exception, path: str) -> OSError:
    """What the system said, which safetensors has as text only."""
    number = _OS_ERROR.search(str(error))
    if number is None:
        return OSError(f"{path} could not be written: {error}")
    return OSError(int(number[1]), os.strerror(int(number[1])), path)


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


@documented_in("theano.checkpoint")
def latest(folder: str | os.PathLike[str]) -> int | None:
    """The step of the last checkpoint that is whole and not damaged; None if there is none.

    >>> import tempfile
    >>> from theano import checkpoint
    >>> print(checkpoint.latest(tempfile.mkdtemp()))
    None
    """
    _writer.wait()
    good = (c.step for c in reversed(checkpoints_in(folder)) if defect_of(c) is None)
    return next(good, None)


def _sweep(folder: str, keep: int) -> None:
    """Remove what was saved before the last ``keep`` steps that can be read, and nothing else."""
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
    """Whether ``save`` has written a file: it says so itself, if it was finished."""
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
    """Set shared variables to the last whole checkpoint: all of them, or none if one does not fit.

    One that is damaged is passed over with a RuntimeWarning, and the one before it is taken. The
    mesh, and the number of processes, may be others than those that wrote it: each process reads
    what its devices need. What it has of other variables is not read.

    Parameters
    ----------
    folder : path
    variables : function, shared variable, list of them, or dict
        As for ``save``.
    step : int, optional
        Another than the last one; it is not passed over.
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
    OSError
        If there are checkpoints, and each of them is damaged.
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
    """The values of the last checkpoint that is not damaged; the error of the last if all are."""
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
