"""A call on abstract arrays: the programs that a function would run, for chips that are elsewhere.

The function's own call path runs, with its own stages, sizes and donation. Its names are bound to
functions that return shapes, dtypes and shardings; nothing is computed and nothing is stored.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from functools import partial
from math import prod
from typing import Any, NamedTuple

import numpy as np

from theano._src.engines.jax import backend
from theano._src.engines.jax.constant_work import is_large
from theano._src.engines.jax.devices import compiling_for, target
from theano._src.engines.jax.kept_programs import NOT_AHEAD
from theano._src.engines.jax.mesh_devices import check_even, named_sharding, parts_of
from theano._src.engines.jax.settings import for_programs
from theano._src.engines.link import Job, copied
from theano._src.engines.xla.linker import XlaProgram
from theano._src.engines.xla.program import DeviceProgram
from theano._src.engines.xla.tracing import CheckFailed, RunsOnHost, StateChangesShape
from theano._src.graph.graph import Apply, Variable
from theano._src.ground.config import config
from theano._src.types.sharding import Sharding
from theano._src.types.shared import Cell, on_host
from theano._src.types.tensor import TensorType
from theano._src.types.topology import Topology


class Held(NamedTuple):
    """An array that a program takes.

    Attributes
    ----------
    number : int
        The position of its variable among the function's inputs; -1 for what is no input.
    name : str
    shape : tuple of int
    dtype : str
    parts : int
        The number of parts that it is split into; 1 if each device has the whole.
    is_shared, is_state : bool
        Whether it is a shared variable, and whether the program replaces it.
    """

    number: int
    name: str
    shape: tuple[int, ...]
    dtype: str
    parts: int
    is_shared: bool
    is_state: bool

    @property
    def nbytes(self) -> int:
        """The bytes of the whole array."""
        return prod(self.shape) * np.dtype(self.dtype).itemsize

    @property
    def nbytes_each(self) -> int:
        """The bytes that each device holds."""
        return self.nbytes // self.parts


class Traced(NamedTuple):
    """A program as it is passed to XLA.

    Attributes
    ----------
    title : str
    nodes : list of Apply
    held : list of Held
    exported : bytes
        The program, by ``jax.export``.
    donate : list of int
        The positions of arguments that results may overwrite.
    options : dict, optional
        Options of the compiler.
    is_wide : bool
        Whether it computes with arrays of float64.
    precision : str
        Of its float32 products, as in the flag ``xla.precision``.
    """

    title: str
    nodes: list[Apply]
    held: list[Held]
    exported: bytes
    donate: list[int]
    options: dict[str, str] | None
    is_wide: bool
    precision: str = "fast"


class DryCall(NamedTuple):
    """The programs of a call, and why the rest of it cannot be planned, or None."""

    programs: list[Traced]
    left: str | None


class NeedsValue(Exception):
    """The host reads a value of which only the shape is known."""


def dry_call(job: Job, topology: Topology, values: Sequence[Any]) -> DryCall:
    """Call a function on abstract arrays.

    Parameters
    ----------
    job : Job
    topology : Topology
    values : list
        For each input that is not a shared variable, a value or what ``abstract`` returns.
    """
    with compiling_for(topology):
        program = XlaProgram(job._replace(times=None))
        inputs = [program.fgraph.inputs[i] for i in program.writer.params]
        names = {id(value): str(v) for v, value in zip(inputs, values, strict=True)}
        backend.load()
        while True:
            programs: list[Traced] = []
            run = _call_path(program, names, programs)
            try:
                run(*values)
            except NeedsValue as e:
                return DryCall(programs, str(e))
            except CheckFailed as e:
                raise ValueError(f"{e} for these shapes") from None
            except (RunsOnHost, StateChangesShape) as e:
                program.restages_for(e)
            else:
                return DryCall(programs, None)


def abstract(shape: Sequence[int], dtype: Any) -> Any:
    """A value of which the shape and dtype are known."""
    return backend.like(shape, dtype)


def _is_abstract(value: Any) -> bool:
    import jax

    return isinstance(value, jax.ShapeDtypeStruct)


class _Copy(list[Any]):
    """The content of a cell for a call that stores nothing outside."""

    on_mesh = False
    borrowed = True


def _call_path(
    program: XlaProgram, names: dict[int, str], programs: list[Traced]
) -> Callable[..., Any]:
    """The call path of a program, bound to functions for abstract arrays."""
    space = dict(program.writer.space)
    to_host = partial(_to_host, names)
    for name, content in program.writer.space.items():
        if isinstance(content, DeviceProgram):
            space[name] = _DryProgram(content, program, programs)
        elif re.fullmatch(r"c\d+", name):
            space[name] = _Copy(content)
    space.update(
        ndarray=np.ndarray,
        array=np.array,
        asarray=to_host,
        copied=copied,
        hold=lambda: None,
        on_host=to_host,
        owned=_itself,
        taken=_itself,
        put=_second,
        placed=_placed,
        joined=_joined,
        own_part=_itself,
        same=_itself,
        group=_Alone(),
        one_at_a_time=nullcontext(),
        ready=_itself,
        spared=lambda *values: (values, ()),
        writeable=_itself,
        x64=for_programs,
    )
    return program.writer.text.function(space)


class _Alone:
    """The group of a process that has joined no others."""

    joined = False


def _itself(value: Any, *rest: Any) -> Any:
    return value


def _second(cell: Any, value: Any) -> Any:
    return value


def _placed(cell: Any, value: Any, sharding: Sharding, name: str) -> Any:
    return _joined(value, sharding, name)


def _joined(value: Any, sharding: Sharding, name: str) -> Any:
    check_even(tuple(value.shape), sharding, name)
    return backend.like(value.shape, value.dtype, named_sharding(sharding))


def _to_host(names: dict[int, str], value: Any) -> Any:
    """A value for the host; ``names`` has those of the inputs, by their identity."""
    if not _is_abstract(value):
        return on_host(value)
    name = names.get(id(value))
    if name is not None:
        raise NeedsValue(f"the host reads the value of {name}: give it in shapes")
    raise NeedsValue(f"the host reads a computed array of {value.dtype}{value.shape}")


class _DryProgram:
    """A program of a stage in a dry call: it is traced, recorded, and gives abstract results."""

    #: no call before has compiled a form, and nothing is overwritten
    key = last = need = None

    def __init__(self, stage: DeviceProgram, program: XlaProgram, programs: list[Traced]) -> None:
        self._stage, self._programs = stage, programs
        self._plan = program.plan
        self._inputs = {v: i for i, v in enumerate(program.fgraph.inputs)}
        self._shared = {v for v, cell in program.storage_map.items() if isinstance(cell, Cell)}

    def find(self, key: Any) -> Callable[..., list[Any]]:
        return partial(self._call, key)

    def constants(self) -> list[Any]:
        return [c.data for c in self._stage.large]

    def packed(self) -> list[tuple[Any]]:
        return [(c,) for c in self.constants()]

    def _call(self, key: Any, *args: Any) -> list[Any]:
        stage = self._stage
        rest = None if stage.replicated is None else named_sharding(stage.replicated)
        likes = [
            backend.like(a.shape, a.dtype, (a.sharding if _is_abstract(a) else None) or rest)
            for a in args
        ]
        exported = _exported(stage.form(key).jitted, likes)
        text = str(exported.mlir_module())
        self._programs.append(
            Traced(
                str(stage),
                stage.nodes,
                self._held(likes),
                bytes(exported.serialize()),
                list(stage.donate),
                NOT_AHEAD if is_large(text) else None,
                re.search(r"x(f64|complex<f64>)>", text) is not None,
                config.xla.precision,
            )
        )
        where = stage.shardings() or [None] * len(exported.out_avals)
        n = len(stage.results)
        results = [
            backend.like(o.shape, o.dtype, s or rest)
            for o, s in zip(exported.out_avals[:n], where[:n], strict=True)
        ]
        return [*results, *(np.ones(flags.shape, bool) for flags in exported.out_avals[n:])]

    def _held(self, likes: Sequence[Any]) -> list[Held]:
        stage = self._stage
        state = {i for i, _ in stage.state}
        names = [*map(str, stage.operands), *(f"a constant of {c.type}" for c in stage.large)]
        return [
            Held(
                self._inputs.get(v, -1),
                name,
                tuple(like.shape),
                str(like.dtype),
                self._parts(v),
                v in self._shared,
                i in state,
            )
            for i, (v, name, like) in enumerate(
                zip((*stage.operands, *stage.large), names, likes, strict=True)
            )
        ]

    def _parts(self, v: Variable) -> int:
        """The parts of an operand; those of a result in between are as XLA chooses."""
        if self._plan is None or not isinstance(v.type, TensorType):
            return 1
        sharding = self._plan.held.get(v) or self._plan.given.get(v)
        return 1 if sharding is None else prod(parts_of(sharding))


def _exported(jitted: Any, likes: Sequence[Any]) -> Any:
    """A program by ``jax.export``, for the platform that programs are planned for."""
    from jax import export

    platform = _PLATFORMS.get(target(), target())
    allowed: list[Any] = []
    while True:
        tracing = export.export(jitted, platforms=[platform], disabled_checks=allowed)
        try:
            return tracing(*likes)
        except ValueError as error:
            # jax promises nothing for files with these calls; this one is read at once
            calls = set(re.findall(r"custom_call @(\w+)", str(error)))
            more = [export.DisabledSafetyCheck.custom_call(name) for name in sorted(calls)]
            if not more or allowed:
                raise
            allowed = more


#: names of platforms for ``jax.export``, where they are others
_PLATFORMS = {"gpu": "cuda"}
