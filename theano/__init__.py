"""Theano: a symbolic tensor compiler. Expressions are graphs; functions are compiled from them."""

import theano
from theano import (
    compat,
    compile,
    configdefaults,
    configparser,
    gof,
    gradient,
    ifelse,
    misc,
    printing,
    scalar,
    scan_module,
    tensor,
    updates,
    version,
)
from theano._src.compile import evaluate as _evaluate
from theano._src.compile.function import function, function_dump
from theano._src.compile.io import In, Out, Param, SymbolicInput, SymbolicOutput
from theano._src.compile.mode import (
    Mode,
    predefined_linkers,
    predefined_modes,
    predefined_optimizers,
)
from theano._src.compile.profiling import ProfileStats
from theano._src.control.op_from_graph import OpFromGraph
from theano._src.control.scan.api import scan
from theano._src.control.scan.checkpoints import scan_checkpoints
from theano._src.control.scan.folds import foldl, foldr, map, reduce
from theano._src.control.vectorize import vectorize
from theano._src.engines.documented_linkers import OpWiseCLinker
from theano._src.engines.link import Linker, LocalLinker, PerformLinker
from theano._src.grad.driver import grad
from theano._src.grad.products import Lop, Rop, subgraph_grad
from theano._src.graph.clone import clone_replace as clone
from theano._src.graph.fg import FunctionGraph
from theano._src.graph.graph import Apply, Constant, Variable
from theano._src.graph.op import Op, OpenMPOp
from theano._src.graph.type import Type
from theano._src.ground.absent import module_getattr
from theano._src.ground.config import change_flags, config
from theano._src.ground.errors import InconsistencyError
from theano._src.ground.utils import object2
from theano._src.ground.version import __version__
from theano._src.ops.linalg.dot import any_dot as dot
from theano._src.ops.meta.python_op import FromFunctionOp, as_op
from theano._src.ops.numpy_api import operators as _operators, protocols as _protocols
from theano._src.ops.shape.static_values import get_scalar_constant_value
from theano._src.types.convert import asarray as _asarray
from theano._src.types.generic import Generic, generic
from theano._src.types.shared import Container, SharedVariable
from theano._src.types.shared_constructors import shared
from theano._src.types.updates import OrderedUpdates
from theano.printing import pp, pprint

__getattr__ = module_getattr(__name__, "sandbox", "theano._src.compile.maker:FunctionMaker")
