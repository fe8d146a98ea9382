"""A staged graph as a function of arrays that jax may trace (ADR 19)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NoReturn

import numpy as np

from theano._src.engines.error_report import describe
from theano._src.engines.jax import backend
from theano._src.engines.jax.arrays.jax_xp import jax_xp
from theano._src.engines.jax.arrays.symbolic_lengths import (
    as_traced,
    is_symbolic,
    is_traced,
    length,
    run_on_lengths,
    shape_array,
)
from theano._src.engines.jax.settings import for_tracing
from theano._src.engines.xla.make_stages import programs_of
from theano._src.engines.xla.replay import Replay, blame
from theano._src.engines.xla.stage import Stage
from theano._src.engines.xla.staging import Staging
from theano._src.engines.xla.tracing import CheckFailed, RunsOnHost, Tracing
from theano._src.graph.fg import FunctionGraph
from theano._src.graph.graph import Apply, Constant, Variable
from theano._src.graph.op import Op
from theano._src.ops.shape.shape import Shape, Shape_i
from theano._src.show.plan import why_host
from theano._src.types.run_node import has_compiled_form, lower_node, runner_of
from theano._src.types.tensor import TensorType


class LengthOfValue(NotImplementedError):
    """A length depends on a value that jax traces."""

    def __init__(self, variable: Variable, text: str) -> None:
        super().__init__(text)
        self.variable = variable


#: a program, its vector of flags, and the nodes that the flags belong to
Flags = tuple[Stage, Any, Sequence[Apply | None]]


class TracedGraph:
    """A rewritten graph as a function of input values, which jax may trace."""

    xp: Any = jax_xp

    def __init__(self, fgraph: FunctionGraph) -> None:
        backend.load()
        self.fgraph = fgraph
        self._wide = any(
            isinstance(v.type, TensorType) and v.type.dtype in ("float64", "complex128")
            for v in (*fgraph.inputs, *fgraph.outputs)
        )
        self._staging = Staging(fgraph)
        # state belongs to the caller: no program overwrites it
        self._stages: list[Stage] = programs_of(self._staging, {}, set(), Stage, True)  # type: ignore[arg-type,assignment]

    def __call__(self, values: Sequence[Any]) -> list[Any]:
        import jax

        if self._wide and not jax.config.jax_enable_x64:
            raise ValueError(
                "this graph has values of 64 bits, which jax makes 32 bits of: "
                "jax.config.update('jax_enable_x64', True), or build it with floatX='float32'"
            )
        # lengths and positions have 64 bits, whatever precision the caller uses
        with for_tracing():
            return self._run(values)

    def _run(self, values: Sequence[Any]) -> list[Any]:
        env: dict[Variable, Any] = {
            v: self._fitted(v, value) for v, value in zip(self.fgraph.inputs, values, strict=True)
        }
        fine: list[Flags] = []
        sections = self._staging.sections
        for k in range(max(len(sections), len(self._stages))):
            for node in sections[k] if k < len(sections) else ():
                _on_host(self.xp, node, env)
            if k < len(self._stages):
                self._program(self._stages[k], env, fine)
        return self._checked(env, fine)

    @staticmethod
    def _fitted(v: Variable, value: Any) -> Any:
        """An input value as a jax array of the type's dtype; raise TypeError if it does not fit."""
        kind = v.type
        if not isinstance(kind, TensorType):
            raise TypeError(
                f"as_jax takes arrays, and {v} is a {kind}; use MRG streams for random draws"
            )
        array = jax_xp.asarray(value)
        if array.ndim != kind.ndim:
            raise TypeError(
                f"{v} takes {kind.ndim} dimensions, got an array of shape {array.shape}"
            )
        if not np.can_cast(array.dtype, kind.numpy_dtype, "same_kind"):
            raise TypeError(f"{v} takes {kind.dtype}, got {array.dtype}")
        for axis, (n, one) in enumerate(zip(array.shape, kind.broadcastable, strict=True)):
            if one and n != 1:
                raise TypeError(
                    f"{v} has length 1 along axis {axis}, got an array of {array.shape}"
                )
        return array if array.dtype == kind.numpy_dtype else array.astype(kind.numpy_dtype)

    def _program(self, stage: Stage, env: dict[Variable, Any], fine: list[Flags]) -> None:
        sizes = [length(_concrete(e, env)) for e in stage.sizes]
        operands = [
            *(as_traced(self.xp, _value(v, env)) for v in stage.operands),
            *(c.data for c in stage.large),
        ]
        tracing = self._tracing(stage, sizes, operands)
        try:
            result = tracing.run()
        except RunsOnHost as refused:
            _refuse(refused.node, "has no compiled form for what it is given")
        except CheckFailed as error:
            self._blame(stage, env, None, error)
        env.update(zip(stage.results, result, strict=False))
        if len(result) > len(stage.results):
            fine.append((stage, result[-1], tracing.flagged))

    def _tracing(self, stage: Stage, sizes: Sequence[Any], operands: Sequence[Any]) -> Tracing:
        return Tracing(stage, sizes, [jax_xp.asarray(x) for x in operands])

    def _blame(
        self,
        stage: Stage,
        env: dict[Variable, Any],
        node: Apply | None,
        error: CheckFailed | None = None,
    ) -> NoReturn:
        """Raise the error that the node raises on NumPy, if its values are known."""
        if any(map(is_traced, env.values())):
            raise error or ValueError(f"a check of {node} fails")
        at_hand = {v: value for v, value in env.items() if v not in stage.results}
        blame(stage.nodes, Replay(at_hand, {}), {}, error, node)

    def _checked(self, env: dict[Variable, Any], fine: list[Flags]) -> list[Any]:
        """The outputs; raise if a known check fails, and set NaN where a traced check fails."""
        outputs = [as_traced(self.xp, _value(v, env)) for v in self.fgraph.outputs]
        traced = []
        for stage, flags, nodes in fine:
            if is_traced(flags):
                traced.append(jax_xp.all(flags))
            elif not np.all(flags):
                self._blame(stage, env, nodes[int(np.argmin(flags))])
        if not traced:
            return outputs
        ok = jax_xp.all(jax_xp.stack(traced))
        return [
            jax_xp.where(ok, x, jax_xp.asarray(np.nan, x.dtype)) if x.dtype.kind in "fc" else x
            for x in map(jax_xp.asarray, outputs)
        ]


def _value(v: Variable, env: dict[Variable, Any]) -> Any:
    return v.data if isinstance(v, Constant) else env[v]


def _concrete(v: Variable, env: dict[Variable, Any]) -> Any:
    """A value that the host needs for lengths; raise if jax traces it."""
    value = _value(v, env)
    if is_traced(value):
        v = _origin(v, env)
        raise LengthOfValue(
            v,
            f"as_jax: lengths depend on the value of {v}, which jax traces: make it a constant of "
            f"the graph, as_jax(..., givens={{{v}: ...}}), or call it outside of jit",
        )
    return np.asarray(value)


def _origin(v: Variable, env: dict[Variable, Any]) -> Variable:
    """The variable that a traced value comes from: an input, or a result of a program."""
    while v.owner is not None:
        before = [u for u in v.owner.inputs if is_traced(env.get(u))]
        if not before:
            break
        v = before[0]
    return v


def _on_host(xp: Any, node: Apply, env: dict[Variable, Any]) -> None:
    values = [_value(v, env) for v in node.inputs]
    if isinstance(node.op, Shape | Shape_i):
        shape = shape_array(values[0].shape)
        results = [shape if isinstance(node.op, Shape) else np.asarray(shape[node.op.i])]
    elif any(map(is_symbolic, values)):
        results = run_on_lengths(node, values) or _in_program(xp, node, values)
    elif any(map(is_traced, values)) and _can_be_traced(node):
        results = _in_program(xp, node, values)  # only its low cost had put it on the host
    else:
        if any(map(is_traced, values)) and not has_compiled_form(node):
            _refuse(node, f"runs on the host ({why_host(node.op) or 'its op has no compute'})")
        # copy what a node overwrites: demands, which are not in the graph, may read it later
        missing = {i for item in node.op.destroy_map.values() for i in item}
        args = [_concrete(v, env) for v in node.inputs]
        results = runner_of(node)(*[x.copy() if i in missing else x for i, x in enumerate(args)])
    env.update(zip(node.outputs, results, strict=True))


def _can_be_traced(node: Apply) -> bool:
    return has_compiled_form(node) and type(node.op).demands is Op.demands


def _in_program(xp: Any, node: Apply, values: Sequence[Any]) -> list[Any]:
    """The traced outputs of a node that needs the value of a symbolic length."""
    if not _can_be_traced(node):
        _refuse(node, "runs on the host, and is given lengths that are symbolic")
    dtypes = [v.type.numpy_dtype for v in node.inputs]
    args = [xp.asarray(as_traced(xp, x, d)) for x, d in zip(values, dtypes, strict=True)]
    return lower_node(xp, node, (), args)[0]


def _refuse(node: Apply, why: str) -> NoReturn:
    raise NotImplementedError(f"as_jax: {node.op} {why}\n{describe(node, None)}")
