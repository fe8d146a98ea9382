"""What a node does beside giving values: questions that engines and profiles ask."""

from __future__ import annotations

from theano._src.graph.graph import Apply
from theano._src.graph.op import meaning_of
from theano._src.graph.op_table import OpTable
from theano._src.ops.meta.ffi_op import FFIOp
from theano._src.ops.meta.misc import Print
from theano._src.ops.meta.python_op import FromFunctionOp

#: positions of inputs for which None may stand, where callers of a function give it
takes_none: OpTable[tuple[int, ...]] = OpTable({"theano.tensor.basic.Default": (0, 1)})


def is_function(node: Apply) -> bool:
    """Whether all that a node does is to give values for values."""
    stack = [node]
    while stack:
        op = stack.pop().op
        if isinstance(op, FFIOp):
            continue  # a kernel depends on its inputs, and writes to its outputs, alone
        if meaning_of(op) != "compute" or not type(op).__module__.startswith("theano."):
            return False
        for graph in op.inner_graphs:
            stack.extend(graph.order)
    return True


def runs_user_code(node: Apply) -> bool:
    """Whether a node, or one inside it, runs Python code that is not ours."""
    stack = [node]
    while stack:
        op = stack.pop().op
        if isinstance(op, FromFunctionOp | Print) or not type(op).__module__.startswith("theano."):
            return True
        for graph in op.inner_graphs:
            stack.extend(graph.order)
    return False
