"""Effects of nodes other than computing values: predicates for engines and profiles."""

from __future__ import annotations

from theano._src.graph.graph import Apply
from theano._src.graph.op import meaning_of
from theano._src.graph.op_table import OpTable
from theano._src.ops.meta.ffi_op import FFIOp
from theano._src.ops.meta.misc import Print
from theano._src.ops.meta.python_op import FromFunctionOp

#: positions of inputs that may be None when callers pass them to a function
takes_none: OpTable[tuple[int, ...]] = OpTable({"theano.tensor.basic.Default": (0, 1)})


def is_function(node: Apply) -> bool:
    """Whether a node is a pure function of its inputs."""
    stack = [node]
    while stack:
        op = stack.pop().op
        if isinstance(op, FFIOp):
            continue  # a kernel reads only its inputs and writes only its outputs
        if meaning_of(op) != "compute" or not type(op).__module__.startswith("theano."):
            return False
        for graph in op.inner_graphs:
            stack.extend(graph.order)
    return True


def runs_user_code(node: Apply) -> bool:
    """Whether a node, or one inside it, runs Python code from outside this package."""
    stack = [node]
    while stack:
        op = stack.pop().op
        if isinstance(op, FromFunctionOp | Print) or not type(op).__module__.startswith("theano."):
            return True
        for graph in op.inner_graphs:
            stack.extend(graph.order)
    return False
