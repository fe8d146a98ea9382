"""plan: what a function needs on chips that this machine need not have (ADR 31)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from theano._src.engines.jax import backend
from theano._src.engines.jax.devices import compiling_for
from theano._src.engines.jax.mesh_devices import lengths_of
from theano._src.engines.link import Job
from theano._src.engines.mesh.plan import mesh_of
from theano._src.engines.planning.compiler import check_packages, compiled_for
from theano._src.engines.planning.dry_call import abstract, dry_call
from theano._src.engines.planning.report import Plan, ProgramPlan
from theano._src.graph.graph import Variable
from theano._src.ground.documented import documented_in
from theano._src.ground.packages import load_for
from theano._src.types.sharding import Mesh
from theano._src.types.shared import Cell
from theano._src.types.tensor import TensorType
from theano._src.types.topology import Topology, topology as topology_of


@documented_in("theano.distributed")
def plan(f: Any, shapes: Mapping[Any, Any] | None = None, topology: Any = None) -> Plan:
    """Compile a function for chips that this machine need not have, and say what it needs there.

    The programs are those that a call would run on XLA, compiled by the compilers of TPUs and GPUs
    in a process of its own. Nothing runs, and shared variables stay as they are.

    Parameters
    ----------
    f : compiled function
    shapes : dict, optional
        For each input, by name or variable, its shape as a tuple. An input whose value decides
        about shapes has its value instead, as a number or an array. Scalars may be left out.
    topology : Topology or str, optional
        The chips, as ``theano.distributed.topology`` takes them; by default those of the
        function's mesh.

    Returns
    -------
    Plan

    Raises
    ------
    ImportError
        If the compiler for these chips is not installed.
    ValueError
        If a shape is missing, or shapes do not fit the function.

    Examples
    --------
    >>> import numpy as np, theano, theano.tensor as T
    >>> from theano import distributed as dist
    >>> x, W = T.fmatrix("x"), theano.shared(np.zeros((64, 16), "float32"), "W")
    >>> f = theano.function([x], T.tanh(T.dot(x, W)))
    >>> report = dist.plan(f, shapes={"x": (32, 64)}, topology="cpu:1")
    >>> report.flops
    65536
    """
    job = _job_of(f)
    mesh = mesh_of(job.fgraph, job.cells)
    there = _topology_of(topology, mesh)
    check_packages(there)
    backend.needs_jax("theano.distributed.plan")
    load_for("theano.distributed.plan", "flatbuffers")
    values = _values(f, job, shapes or {})
    call = dry_call(job, there, values)
    if not call.programs:
        why = f": {call.left}" if call.left else ""
        raise ValueError(f"plan takes a function that runs programs on XLA, got {f}{why}")
    axes = None
    if mesh is not None:
        with compiling_for(there):
            axes = lengths_of(mesh)
    compiled = compiled_for(there, axes, call.programs)
    pairs = zip(call.programs, compiled, strict=True)
    return Plan(there, axes, [ProgramPlan.of(t, c) for t, c in pairs], call.left)


def _job_of(f: Any) -> Job:
    job = getattr(getattr(f, "fn", None), "job", None)
    if job is None:
        raise TypeError(
            f"plan takes a compiled function that may run on XLA, got {f!r}; "
            "theano.function makes one, in the default mode or with mode=theano.Mode('xla')"
        )
    return job  # type: ignore[no-any-return]


def _topology_of(given: Any, mesh: Mesh | None) -> Topology:
    result = topology_of(given) if isinstance(given, str) else given
    own = None if mesh is None else mesh.topology
    if result is None and own is None:
        raise TypeError(
            "plan takes the chips to compile for, as in topology='v5e:16x16', unless the "
            "function's mesh has them"
        )
    if result is not None and not isinstance(result, Topology):
        raise TypeError(f"plan takes a topology or its text, as in 'v5e:16x16', got {given!r}")
    if own is not None and result is not None and own != result:
        raise ValueError(f"plan is for {result.name}, and the function's mesh is {mesh}")
    return result if result is not None else own  # type: ignore[return-value]


def _values(f: Any, job: Job, shapes: Mapping[Any, Any]) -> list[Any]:
    """For each input that is no shared variable, its value or an abstract array."""
    left = dict(shapes)
    values = []
    for i, v in enumerate(job.fgraph.inputs):
        if isinstance(job.cells[v], Cell):
            continue
        spec = f.maker.inputs[i]
        keys = [k for k in (spec.variable, spec.name) if k is not None and k in left]
        stored = f.input_storage[i].storage[0]
        if keys:
            values.append(_value(v, spec.name or str(v), left.pop(keys[0])))
        elif stored is not None:
            values.append(stored)
        elif isinstance(v.type, TensorType) and v.type.ndim == 0:
            values.append(abstract((), v.type.dtype))
        else:
            raise ValueError(
                f"plan takes the shape of each input, and {spec.name or v} of type {v.type} has "
                f"none: shapes={{{str(spec.name or v)!r}: (...)}}"
            )
    if left:
        raise ValueError(
            f"plan takes shapes of inputs, got one of {', '.join(map(repr, left))}; the inputs are "
            f"{', '.join(str(s.name or s.variable) for s in f.maker.inputs if not s.shared)}"
        )
    return values


def _value(v: Variable, name: str, given: Any) -> Any:
    """An input as ``shapes`` has it: abstract for a tuple of lengths, otherwise a value."""
    if not isinstance(v.type, TensorType):
        return v.type.filter(given)
    if not isinstance(given, tuple):
        return v.type.filter(np.asarray(given, v.type.dtype))
    fits = len(given) == v.type.ndim and all(
        isinstance(n, int) and n >= 0 and not (one and n != 1)
        for n, one in zip(given, v.type.broadcastable, strict=False)
    )
    if not fits:
        raise ValueError(f"plan takes the shape of {name}, of type {v.type}, got {given!r}")
    return abstract(given, v.type.dtype)
