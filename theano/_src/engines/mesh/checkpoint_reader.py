"""Reading checkpoints: those in a folder, and the values of one of them."""

from __future__ import annotations

import json
import math
import os
import re
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from theano._src.engines.jax import backend
from theano._src.engines.jax.mesh_devices import named_sharding
from theano._src.engines.mesh.checkpoint_names import check_fits
from theano._src.ground.array_files import restored, safetensors_for
from theano._src.types.randomstate import RandomStateType
from theano._src.types.shared import SharedVariable
from theano._src.types.tensor import TensorType

_STEP = re.compile(r"step-(\d+)$")
PART = re.compile(r"part-(\d+)-of-(\d+)\.(\w+)\.safetensors$")
#: where a piece is in the whole: start and stop for each dimension
Place = tuple[tuple[int, int], ...]


class Checkpoint(NamedTuple):
    """The files that one run has written for a step, one per process; empty unless all exist."""

    step: int
    path: str
    parts: list[str]

    @property
    def is_whole(self) -> bool:
        return bool(self.parts)


def checkpoints_in(folder: str | os.PathLike[str], after: int = -1) -> list[Checkpoint]:
    """All checkpoints of steps after ``after``, the latest last."""
    results = []
    folder = os.fspath(folder)
    for name in os.listdir(folder) if os.path.isdir(folder) else ():
        step = _STEP.match(name)
        path = os.path.join(folder, name)
        if step is not None and int(step[1]) > after and os.path.isdir(path):
            results.append((int(step[1]), path))
    return [Checkpoint(*each, parts) for each in sorted(results) for parts in _runs_in(each[1])]


def _runs_in(path: str) -> list[list[str]]:
    """The parts of each complete run in a folder, the latest last; ``[[]]`` if there is none."""
    runs: dict[tuple[str, int], dict[int, str]] = {}
    try:
        names = os.listdir(path)
    except FileNotFoundError:
        names = []  # another process has just removed it
    for name in names:
        part = PART.match(name)
        if part is not None:
            file = os.path.join(path, name)
            runs.setdefault((part[3], int(part[2])), {})[int(part[1])] = file
    whole = {run: [files[k] for k in sorted(files)] for run, files in runs.items()}
    whole = {run: files for run, files in whole.items() if len(files) == run[1]}
    if len(whole) > 1:
        return [whole[run] for run in sorted(whole, key=lambda run: _age(run, whole[run][0]))]
    return list(whole.values()) or [[]]


def _age(run: tuple[str, int], first: str) -> tuple[float, float, tuple[str, int]]:
    """A sort key: later runs come last, and after them unreadable ones, which are tried first."""
    generation = generation_of(first, damaged=math.inf)
    # files of the first release have no number: their modification time decides
    return generation, 0.0 if generation else os.path.getmtime(first), run


def generation_of(path: str, damaged: float = 0) -> float:
    """The number of the run that wrote a part; 0 if it has none."""
    try:
        return int(facts_of(path).get("generation", 0))
    except Exception:
        return damaged


def facts_of(path: str) -> dict[str, Any]:
    """The metadata of a part; raises some error if the file is not a part of a checkpoint."""
    with safetensors_for("theano.checkpoint").safe_open(path, "numpy") as file:
        facts = json.loads(file.metadata()["theano"])
    if not isinstance(facts, dict):
        raise ValueError(f"{path} is not a part of a checkpoint")
    return facts


class Damaged(OSError):
    """The files of a checkpoint cannot be read, or are incomplete."""


class Reader:
    """Reads the values of one checkpoint; raises Damaged if it is incomplete."""

    def __init__(self, checkpoint: Checkpoint) -> None:
        safetensors = safetensors_for("theano.checkpoint")
        self.step, self.path = checkpoint.step, checkpoint.path
        #: the run, of several that may have written the step
        self.run = os.path.basename(checkpoint.parts[0]).split(".")[1]
        self._pieces: dict[str, list[tuple[Place, Any, str]]] = {}
        self._streams: dict[str, Any] = {}
        for path in reversed(checkpoint.parts):  # so that the facts of the first part win
            try:
                file = safetensors.safe_open(path, "numpy")
                facts = json.loads(file.metadata()["theano"])
                if facts["step"] != checkpoint.step:
                    raise ValueError(f"it is of step {facts['step']}")
                self.note, self._numbered = facts["note"], facts.get("numbered", {})
                self._shapes, self._dtypes = facts["shapes"], facts["dtypes"]
                self._streams |= facts["streams"]
                for key in file.keys():  # noqa: SIM118, no dict
                    name, _, at = key.rpartition("@")
                    place = tuple(_pair(text) for text in at.split(",")) if at else ()
                    self._pieces.setdefault(name, []).append((place, file, key))
            except Exception as error:
                raise Damaged(f"{path} is damaged, and cannot be read: {error}") from error

    def has(self, name: str) -> bool:
        return name in self._streams or name in self._shapes

    def check_numbers(self, numbered: dict[str, int]) -> None:
        """Raise ValueError if numbers may have belonged to other variables than now."""
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
            try:
                state.set_state(self._streams[name])
            except Exception as error:
                raise Damaged(f"{self.path} is damaged: {name!r} is no state: {error}") from error
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
        """The types of all values, by name."""
        arrays = {n: f"{self._dtypes[n]}{shape}" for n, shape in self._shapes.items()}
        return arrays | dict.fromkeys(self._streams, "random state")

    def check(self) -> None:
        """Raise Damaged if elements are missing; reads no values."""
        for name, shape in self._shapes.items():
            held = sum(
                math.prod(b - a for a, b in place) for place, *_ in self._pieces.get(name, ())
            )
            if held != math.prod(shape):
                raise Damaged(
                    f"{self.path} is damaged: {name!r} has {held} elements of {math.prod(shape)}"
                )

    def check_all(self) -> None:
        """Raise Damaged if elements are missing or cannot be read."""
        for name, shape in self._shapes.items():
            self._read(name, tuple((0, n) for n in shape), np.dtype(self._dtypes[name]))

    def _read(self, name: str, want: Place, dtype: np.dtype) -> np.ndarray:
        out = np.empty([b - a for a, b in want], dtype)
        missing = np.ones(out.shape, bool)
        try:
            for place, file, key in self._pieces.get(name, ()):
                cut = [(max(a, c), min(b, d)) for (a, b), (c, d) in zip(want, place, strict=True)]
                if any(a >= b for a, b in cut):
                    continue
                of = tuple(slice(a - c, b - c) for (a, b), (c, _) in zip(cut, place, strict=True))
                to = tuple(slice(a - c, b - c) for (a, b), (c, _) in zip(cut, want, strict=True))
                part = restored(file.get_slice(key)[of] if of else file.get_tensor(key), dtype)
                if part.shape != out[to].shape or part.dtype != dtype:
                    raise ValueError(f"a piece {key} is {part.dtype} of shape {part.shape}")
                out[to] = part
                missing[to] = False
        except Exception as error:
            raise Damaged(f"{self.path} is damaged: {name!r} cannot be read: {error}") from error
        if missing.any():
            raise Damaged(
                f"{self.path} is damaged: {name!r} lacks {int(missing.sum())} of {missing.size} "
                "elements"
            )
        return out


def _pair(text: str) -> tuple[int, int]:
    a, _, b = text.partition(":")
    return int(a), int(b)


def defect_of(checkpoint: Checkpoint) -> str | None:
    """Describe damage of a checkpoint that the headers of its files show; None if intact."""
    return _defect(checkpoint, Reader.check)


def problem_of(checkpoint: Checkpoint) -> str | None:
    """Describe damage of the files of a checkpoint; None if every element can be read."""
    return _defect(checkpoint, Reader.check_all)


def _defect(checkpoint: Checkpoint, check: Callable[[Reader], None]) -> str | None:
    if not checkpoint.is_whole:
        return "not all parts are there"
    try:
        check(Reader(checkpoint))
    except Damaged as error:
        return str(error)
    return None
