"""OpFromGraph: a graph used as an op."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from theano._src.graph.clone import clone, rebuild
from theano._src.graph.node import Apply
from theano._src.graph.op import Op, meaning_of
from theano._src.graph.variable import Constant, Variable
from theano._src.graph.walk import inputs as roots_of
from theano._src.graph.walk import nodes_of
from theano._src.ground.documented import documented_in
from theano._src.ground.errors import MissingInputError
from theano._src.ops import shape as shape_ops
from theano._src.types.shared import SharedVariable
from theano._src.types.tensor import TensorType


@documented_in("theano.compile.builders")
class OpFromGraph(Op):
    """An op that computes ``outputs`` from ``inputs``, whatever graph lies between them.

    Shared variables of the inner graph become further inputs of each node by themselves.

    Parameters
    ----------
    inputs, outputs : lists of Variables
    name : str, optional
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
        **kwargs: Any,
    ) -> None:
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
        values: dict[Variable, Any] = dict(zip(self.local_inputs, inputs, strict=True))
        for node in nodes_of(self.local_outputs, self.local_inputs):
            args = [_known(v, values) for v in node.inputs]
            if xp.name == "numpy":
                made = _on_host(node, args)
            else:
                made = node.op.compute(xp, *args)
                made = [made] if len(node.outputs) == 1 else made
            values.update(zip(node.outputs, made, strict=True))
        outs = [_known(v, values) for v in self.local_outputs]
        return outs[0] if len(outs) == 1 else tuple(outs)

    def infer_shape(self, node: Apply, shapes: Sequence[Any]) -> list[Any]:
        """The inner shapes, with the node's own inputs in place of the inner ones."""
        given = dict(zip(self.local_inputs, node.inputs, strict=True))
        outs = rebuild(self.local_outputs, given)
        return [
            tuple(shape_ops.shape_i(out, i) for i in range(out.type.ndim))
            if isinstance(out.type, TensorType)
            else None
            for out in outs
        ]


def _known(v: Variable, values: dict[Variable, Any]) -> Any:
    return v.data if isinstance(v, Constant) else values[v]


def _on_host(node: Apply, args: list[Any]) -> list[Any]:
    storage: list[list[Any]] = [[None] for _ in node.outputs]
    node.op.perform(node, args, storage)
    return [
        np.asarray(cell[0]) if isinstance(v.type, TensorType) else cell[0]
        for v, cell in zip(node.outputs, storage, strict=True)
    ]
