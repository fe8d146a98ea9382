"""OpFromGraph: a graph used as an op."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from theano._src.control.inner import on_numpy, value_of
from theano._src.grad.driver import grad, pattern_of
from theano._src.graph import trace
from theano._src.graph.clone import clone, rebuild
from theano._src.graph.node import Apply
from theano._src.graph.op import Op, meaning_of
from theano._src.graph.variable import Constant, Variable
from theano._src.graph.walk import inputs as roots_of
from theano._src.graph.walk import nodes_of
from theano._src.ground.documented import documented_in
from theano._src.ground.errors import MissingInputError, ShapeError
from theano._src.ground.utils import MethodNotDefined
from theano._src.ops import shape as shape_ops
from theano._src.ops.elemwise import Elemwise
from theano._src.ops.join import make_vector
from theano._src.ops.known import as_length
from theano._src.ops.misc import view_op
from theano._src.types.convert import constant
from theano._src.types.nothing import DisconnectedType
from theano._src.types.shared import SharedVariable
from theano._src.types.tensor import TensorType, tensor_type


@documented_in("theano.compile.builders")
class OpFromGraph(Op):
    """An op that computes ``outputs`` from ``inputs``, whatever graph lies between them.

    Shared variables of the inner graph become further inputs of each node by themselves.

    Parameters
    ----------
    inputs, outputs : lists of Variables
    name : str, optional
    lop_overrides, grad_overrides, rop_overrides : optional
        What gives a derivative instead of the inner graph: a function of lists of variables,
        ``lop(inputs, outputs, output_grads)``, ``grad(inputs, output_grads)`` or
        ``rop(inputs, eval_points)``, that returns a list; an OpFromGraph that takes the same;
        a variable of NullType or DisconnectedType; or a list with one of these, or 'default',
        for each input (each output of rop).
    connection_pattern : list of lists of bool, optional
        For each input and output, whether the one matters to the other; found from the graph
        unless given.
    **kwargs
        Accepted for programs that pass compile options of the inner graph; it is part of the
        outer one here and compiled with it.

    >>> import theano, theano.tensor as T
    >>> x, y = T.dscalars("xy")
    >>> op = theano.OpFromGraph([x, y], [x + 2 * y])
    >>> op(x, op(y, x)).eval({x: 1, y: 2}).item()
    9.0
    """

    def __init__(
        self,
        inputs: Sequence[Variable],
        outputs: Sequence[Variable],
        name: str | None = None,
        *,
        lop_overrides: Any = "default",
        grad_overrides: Any = "default",
        rop_overrides: Any = "default",
        connection_pattern: list[list[bool]] | None = None,
        **kwargs: Any,
    ) -> None:
        if not (_is_default(lop_overrides) or _is_default(grad_overrides)):
            raise ValueError("lop_overrides and grad_overrides are mutually exclusive; give one")
        for v in (*inputs, *outputs):
            if not isinstance(v, Variable):
                raise TypeError(f"OpFromGraph takes lists of Variables, got {v!r}")
        if any(isinstance(v, (SharedVariable, Constant)) for v in inputs):
            raise TypeError(
                "OpFromGraph takes no constants and no shared variables as inputs: it finds those "
                "it needs by itself"
            )
        roots = roots_of(outputs, inputs)
        self.shared_inputs = [v for v in roots if isinstance(v, SharedVariable)]
        known = {*inputs, *self.shared_inputs}
        for v in roots:
            if v not in known and not isinstance(v, Constant):
                raise MissingInputError(f"OpFromGraph needs {v} among its inputs")
        free = [v.type() for v in self.shared_inputs]
        outs = rebuild(outputs, dict(zip(self.shared_inputs, free, strict=True)))
        self.local_inputs, self.local_outputs = clone([*inputs, *free], outs)
        self.input_types = [v.type for v in inputs]
        self.output_types = [v.type for v in outputs]
        self.name = name
        self.kwargs = kwargs
        self.lop_overrides, self.grad_overrides = lop_overrides, grad_overrides
        self.rop_overrides = rop_overrides
        self._pattern = connection_pattern
        self._sizes: Opened | None = None
        order = nodes_of(self.local_outputs, self.local_inputs)
        if any(meaning_of(n.op) != "compute" or n.op.runs_on == "host" for n in order):
            self.runs_on = "host"  # type: ignore[misc]

    def __str__(self) -> str:
        return self.name or type(self).__name__

    def make_node(self, *inputs: Any) -> Apply:
        wanted = self.input_types
        if len(inputs) != len(wanted):
            raise ValueError(f"{self} takes {len(wanted)} inputs, got {len(inputs)}")
        ins = [t.filter_variable(x) for t, x in zip(wanted, inputs, strict=True)]
        return Apply(self, [*ins, *self.shared_inputs], [t() for t in self.output_types])

    def compute(self, xp: Any, *inputs: Any) -> Any:
        values = self._run(on_numpy if xp.name == "numpy" else self._lowering(xp, ()), inputs)
        return _one_or_all([value_of(v, values) for v in self.local_outputs])

    def lower_xla(self, xp: Any, known: Sequence[int], *inputs: Any) -> Any:
        values = self._run(self._lowering(xp, known), inputs)
        return _one_or_all([value_of(v, values) for v in self.local_outputs])

    def _run(self, apply: Callable[..., Any], inputs: Sequence[Any]) -> dict[Variable, Any]:
        values: dict[Variable, Any] = dict(zip(self.local_inputs, inputs, strict=True))
        for node in nodes_of(self.local_outputs, self.local_inputs):
            made = apply(node, [value_of(v, values) for v in node.inputs])
            values.update(zip(node.outputs, made, strict=True))
        return values

    def _lowering(
        self, xp: Any, known: Sequence[int], flags: list[Any] | None = None
    ) -> Callable[..., Any]:
        """What traces one inner node, and collects its checks if asked to."""
        rest = iter(known)
        counts = {node: len(found) for node, found in self._opened().demands.items()}

        def apply(node: Apply, args: list[Any]) -> Any:
            sizes = [next(rest) for _ in range(counts.get(node, 0))]
            args = [None if i in node.op.demand_only else a for i, a in enumerate(args)]
            if isinstance(node.op, Elemwise):
                node.op.validate(node, args)  # it looks at shapes only
            made = node.op.lower_xla(xp, sizes, *args)
            outs = [made] if len(node.outputs) == 1 else list(made)
            if flags is not None:
                flags.extend(node.op.checks(xp, sizes, args, outs))
            return outs

        return apply

    def checks(
        self, xp: Any, known: Sequence[int], inputs: Sequence[Any], outputs: Sequence[Any]
    ) -> Sequence[Any]:
        order = nodes_of(self.local_outputs, self.local_inputs)
        if all(type(node.op).checks is Op.checks for node in order):
            return ()
        flags: list[Any] = []
        self._run(self._lowering(xp, known, flags), inputs)  # XLA merges it with the first
        return flags

    def demands(self, node: Apply, shapes: Sequence[Any]) -> Sequence[Any]:
        found = [e for es in self._opened().demands.values() for e in es]
        return self._outside(found, node, shapes)

    def infer_shape(self, node: Apply, shapes: Sequence[Any]) -> list[Any]:
        lengths = self._opened().lengths
        found = iter(self._outside([n for s in lengths for n in s or ()], node, shapes))
        return [None if s is None else tuple(next(found) for _ in s) for s in lengths]

    def connection_pattern(self, node: Apply) -> list[list[bool]]:
        if self._pattern is None:
            self._pattern = _connections(self.local_inputs, self.local_outputs)
        # shared variables, which follow the inputs, are not part of a pattern that was given
        more = len(node.inputs) - len(self._pattern)
        return [*self._pattern, *([True] * len(node.outputs) for _ in range(more))]

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        rule, groups = self.lop_overrides, [inputs, outputs, output_grads]
        if not _is_default(self.grad_overrides):
            rule, groups = self.grad_overrides, [inputs, output_grads]
        return self._by_rule(
            rule, groups, len(inputs), lambda: self._pulled_back(inputs, output_grads)
        )

    def R_op(self, inputs: list[Any], eval_points: list[Any]) -> list[Any]:
        def own() -> list[Any]:
            # Rop then differentiates L_op once more
            raise MethodNotDefined("R_op", type(self), type(self).__name__)

        groups = (inputs, eval_points)
        return self._by_rule(self.rop_overrides, groups, len(self.output_types), own)

    def _by_rule(
        self, rule: Any, groups: Sequence[list[Any]], count: int, own: Callable[[], list[Any]]
    ) -> list[Any]:
        """The ``count`` derivatives that a rule given by the user makes of lists of variables."""
        if _is_default(rule):
            return own()
        if isinstance(rule, Variable):
            return [rule.type() for _ in range(count)]
        if not isinstance(rule, (list, tuple)):
            found = _call(rule, groups)
            made = list(found) if isinstance(found, (list, tuple)) else [found]
        else:
            default = own() if any(map(_is_default, rule)) else [None] * len(rule)
            made = []
            for one, d in zip(rule, default, strict=False):
                if _is_default(one):
                    made.append(d)
                else:
                    made.append(one if isinstance(one, Variable) else _call(one, groups))
        if len(made) != count:
            raise ValueError(
                f"an override of a derivative of {self} gives a list of {count}, one for each "
                f"input (or output of R_op), shared variables included; got {len(made)}"
            )
        return made

    def _pulled_back(self, inputs: list[Any], output_grads: list[Any]) -> list[Any]:
        """The gradient of the inner graph, with the node's own inputs in place of the inner ones.

        It is found inside: outside, one input may be computed from another.
        """
        used = [
            (v, g)
            for v, g in zip(self.local_outputs, output_grads, strict=True)
            if not isinstance(g.type, DisconnectedType)
        ]
        # a view of each: an output may be listed twice, or lie on the way to another
        known = {view_op(v): g.type() for v, g in used}
        found = grad(
            None,
            self.local_inputs,
            known_grads=known,
            disconnected_inputs="ignore",
            return_disconnected="disconnected",
            null_gradients="return",
        )
        given = dict(zip(self.local_inputs, inputs, strict=True))
        given.update(zip(known.values(), [g for _, g in used], strict=True))
        return rebuild(found, given)

    def _opened(self) -> Opened:
        if self._sizes is None:
            with trace.paused():
                self._sizes = Opened(self.local_inputs, self.local_outputs)
        return self._sizes

    def _outside(self, found: list[Any], node: Apply, shapes: Sequence[Any]) -> list[Any]:
        """Inner expressions, with the node's own inputs and lengths in place of the inner ones."""
        given = dict(zip(self.local_inputs, node.inputs, strict=True))
        for inner, outer in zip(self._opened().free, shapes, strict=True):
            given.update(zip(inner or (), outer or (), strict=True))
        return rebuild(found, given)


def _is_default(rule: Any) -> bool:
    return isinstance(rule, str) and rule == "default"


def _call(rule: Any, groups: Sequence[list[Any]]) -> Any:
    return rule(*(v for group in groups for v in group)) if isinstance(rule, Op) else rule(*groups)


def _connections(inputs: Sequence[Variable], outputs: Sequence[Variable]) -> list[list[bool]]:
    """For each input and output of a graph, whether the one matters to the other's value."""
    # for each variable the inputs that matter to it, one bit each
    matter = {v: 1 << i for i, v in enumerate(inputs)}
    for node in nodes_of(outputs, inputs):
        rows = pattern_of(node)
        for j, out in enumerate(node.outputs):
            bits = 0
            for v, row in zip(node.inputs, rows, strict=True):
                if row[j]:
                    bits |= matter.get(v, 0)
            matter[out] = bits
    return [[bool(matter.get(v, 0) >> i & 1) for v in outputs] for i in range(len(inputs))]


class Opened:
    """The sizes of a graph, in terms of its inputs and of variables for their lengths.

    Attributes
    ----------
    free : list
        For each input, variables that stand for its lengths; None for what has none.
    demands : dict
        For each node that has any, the integer expressions that it must know.
    lengths : list
        The lengths of each output.
    """

    def __init__(self, inputs: Sequence[Variable], outputs: Sequence[Variable]) -> None:
        self.free = [_free_lengths(v) for v in inputs]
        # variables of the graph that copies, without any length computed from an array, stand for
        self._copies: dict[Variable, Variable] = {v: v for v in inputs}
        self._lengths: dict[Variable, Any] = dict(zip(inputs, self.free, strict=True))
        self.demands: dict[Apply, tuple[Any, ...]] = {}
        for node in nodes_of(outputs, inputs):
            self._open(node)
        self.lengths = [self._of(v) for v in outputs]

    def _open(self, node: Apply) -> None:
        op = node.op
        if isinstance(op, shape_ops.Shape | shape_ops.Shape_i):
            lengths = self._of(node.inputs[0])
            made = [_as_vector(lengths) if isinstance(op, shape_ops.Shape) else lengths[op.i]]
        else:
            node_here = node.clone_with_new_inputs([self._copies.get(v, v) for v in node.inputs])
            shapes = [self._of(v) for v in node.inputs]
            if op.runs_on != "host":
                found = tuple(as_length(e) for e in op.demands(node_here, shapes))
                self.demands.update({node: found} if found else {})
            self._infer(node, node_here, shapes)
            made = node_here.outputs
        self._copies.update(zip(node.outputs, made, strict=True))

    def _infer(self, node: Apply, here: Apply, shapes: Sequence[Any]) -> None:
        if getattr(here.op, "infer_shape", None) is None:
            return
        try:
            found = here.op.infer_shape(here, shapes)
        except (ShapeError, NotImplementedError, MethodNotDefined):
            return  # an op's way to say that it cannot tell
        for v, lengths in zip(node.outputs, found, strict=True):
            if lengths is not None:
                self._lengths[v] = tuple(as_length(n) for n in lengths)

    def _of(self, v: Variable) -> Any:
        if v not in self._lengths:
            v_here = self._copies.get(v, v)
            self._lengths[v] = (
                tuple(shape_ops.shape_i(v_here, i) for i in range(v.type.ndim))
                if isinstance(v.type, TensorType)
                else None
            )
        return self._lengths[v]


def _free_lengths(v: Variable) -> tuple[Variable, ...] | None:
    if not isinstance(v.type, TensorType):
        return None
    return tuple(tensor_type("int64", ())() for _ in range(v.type.ndim))


def _as_vector(lengths: Sequence[Any]) -> Any:
    return make_vector(*lengths) if lengths else constant(np.zeros(0, "int64"))


def _one_or_all(outs: list[Any]) -> Any:
    return outs[0] if len(outs) == 1 else tuple(outs)
