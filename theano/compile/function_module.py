"""What theano.function is made of."""

from theano._src.compile.aliasing import insert_deepcopy
from theano._src.compile.function import orig_function
from theano._src.compile.function_object import Function, remade
from theano._src.compile.maker import FunctionMaker, std_fgraph
from theano._src.graph.destroy import Supervisor
from theano._src.ground.errors import AliasedMemoryError, UnusedInputError
from theano._src.ops.meta.misc import deep_copy_op, view_op

__all__ = [
    "AliasedMemoryError",
    "Function",
    "FunctionMaker",
    "Supervisor",
    "UnusedInputError",
    "deep_copy_op",
    "insert_deepcopy",
    "orig_function",
    "remade",
    "std_fgraph",
    "view_op",
]
