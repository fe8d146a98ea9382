"""PdbBreakpoint: open the Python debugger if a condition is true."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from theano._src.graph.graph import Apply
from theano._src.graph.op import Op
from theano._src.ground.documented import documented_in
from theano._src.ops.meta.misc import as_variable
from theano._src.types.convert import as_tensor_variable
from theano._src.types.null import disconnected


@documented_in("theano.tests.breakpoint")
class PdbBreakpoint(Op):
    """Return the monitored variables; if the condition is not zero, open the debugger.

    In the debugger, ``monitored`` is the list of values. The function continues with the values
    as changed there. Use the outputs of the op in the graph instead of its inputs: otherwise the
    op is not part of the graph.

    Parameters
    ----------
    name : str
        Printed when the debugger opens.

    >>> import theano, theano.tensor as T
    >>> from theano.tests.breakpoint import PdbBreakpoint
    >>> x = T.dvector("x")
    >>> watched = PdbBreakpoint("large")(T.gt(x.sum(), 1000), x)
    >>> theano.function([x], watched * 2)([1, 2]).tolist()  # does not stop
    [2.0, 4.0]
    """

    __props__ = ("name",)
    runs_on = "host"

    def __init__(self, name: str) -> None:
        self.name = name

    def __str__(self) -> str:
        return f"PdbBreakpoint{{{self.name}}}"

    def make_node(self, condition: Any, *monitored_vars: Any) -> Apply:
        condition = as_tensor_variable(condition)
        if condition.ndim:
            raise TypeError(
                f"PdbBreakpoint takes a scalar as condition, got {condition} of {condition.type}; "
                "use theano.tensor.any or all"
            )
        if not monitored_vars:
            raise TypeError("PdbBreakpoint takes variables to monitor after the condition")
        monitored = [as_variable(v) for v in monitored_vars]
        # each output is a view of its input; view_map depends on their number, hence a new op
        result = PdbBreakpoint(self.name)
        result.view_map = {i: [i + 1] for i in range(len(monitored))}
        return Apply(result, [condition, *monitored], [v.type() for v in monitored])

    def perform(self, node: Apply, inputs: list[Any], output_storage: list[list[Any]]) -> None:
        condition, *monitored = inputs
        if np.any(condition):
            print(f"\nPdbBreakpoint: {self.name}")
            print("monitored holds the values of", [str(v) for v in node.inputs[1:]])
            import pdb

            pdb.set_trace()
        for i, (cell, value) in enumerate(zip(output_storage, monitored, strict=True)):
            cell[0] = node.outputs[i].type.filter(value)

    def grad(self, inputs: list[Any], output_grads: list[Any]) -> list[Any]:
        return [disconnected(), *output_grads]

    def R_op(self, inputs: list[Any], eval_points: list[Any]) -> list[Any]:
        return list(eval_points[1:])

    def infer_shape(self, node: Apply, shapes: Sequence[Any]) -> list[Any]:
        return list(shapes[1:])

    def connection_pattern(self, node: Apply) -> list[list[bool]]:
        n = len(node.inputs)
        return [[i == o + 1 for o in range(n - 1)] for i in range(n)]
