"""Compiled functions: declaring, making, calling them."""

from theano._src.compile.function import orig_function
from theano._src.compile.function_object import Function
from theano._src.compile.io import In, Out, Param, SymbolicInput, SymbolicOutput
from theano._src.compile.mode import (
    FAST_COMPILE,
    FAST_RUN,
    Mode,
    get_default_mode,
    get_mode,
    predefined_linkers,
    predefined_modes,
    predefined_optimizers,
    register_linker,
    register_mode,
    register_optimizer,
)
from theano._src.compile.profiling import ProfileStats
from theano._src.control.op_from_graph import OpFromGraph
from theano._src.ground.absent import module_getattr
from theano._src.ground.config import config
from theano._src.ground.errors import AliasedMemoryError, UnusedInputError
from theano._src.ops.meta.misc import DeepCopyOp, ViewOp, deep_copy_op, view_op
from theano._src.ops.meta.python_op import FromFunctionOp, as_op
from theano._src.ops.shape.shape import Rebroadcast, Shape, Shape_i, SpecifyShape, shape_i
from theano._src.types.shared import SharedVariable
from theano._src.types.shared_constructors import shared, shared_constructor
from theano.compile import (
    builders,
    io,
    mode,
    ops,
    profiling,
    sharedvalue,
)
from theano.compile.function import function, function_dump
from theano.compile.pfunc import pfunc, rebuild_collect_shared

__getattr__ = module_getattr(
    __name__,
    "function_module",
    "theano._src.compile.maker:FunctionMaker",
    "theano._src.rules.pipeline:optdb",
)
