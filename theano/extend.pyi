# Written by tools/stubs.py from extend.py: change that file.
from theano._src.compile.display.rewriting import rewriting as rewriting, why_not as why_not
from theano._src.compile.files.op_props import FileForm as FileForm, file_forms as file_forms
from theano._src.compile.mode import (
    Mode as Mode,
    register_linker as register_linker,
    register_mode as register_mode,
)
from theano._src.control.op_from_graph import OpFromGraph as OpFromGraph
from theano._src.engines.choice.work import op_work as op_work
from theano._src.engines.jax.jax_op import JaxOp as JaxOp
from theano._src.engines.link import (
    Linker as Linker,
    PerformLinker as PerformLinker,
    Program as Program,
)
from theano._src.engines.numpy.lines import host_text as host_text
from theano._src.engines.undo import written_at as written_at
from theano._src.graph.features import (
    Feature as Feature,
    History as History,
    NodeFinder as NodeFinder,
    ReplaceValidate as ReplaceValidate,
)
from theano._src.graph.fg import FunctionGraph as FunctionGraph
from theano._src.graph.graph import Apply as Apply, Constant as Constant, Variable as Variable
from theano._src.graph.op import HasInnerGraph as HasInnerGraph, Op as Op
from theano._src.graph.type import SingletonType as SingletonType, Type as Type
from theano._src.ground.array_types import Array as Array, ArrayNamespace as ArrayNamespace
from theano._src.ops.core.dimshuffle import DimShuffle as DimShuffle
from theano._src.ops.core.elemwise import Elemwise as Elemwise
from theano._src.ops.core.scalar import (
    BinaryScalarOp as BinaryScalarOp,
    FloatOp as FloatOp,
    RealOp as RealOp,
    ScalarOp as ScalarOp,
    UnaryScalarOp as UnaryScalarOp,
)
from theano._src.ops.core.upcast import (
    same_out as same_out,
    upcast_out as upcast_out,
    upgrade_to_float as upgrade_to_float,
)
from theano._src.ops.meta.ffi_op import FFIOp as FFIOp
from theano._src.ops.meta.python_op import as_op as as_op
from theano._src.ops.reduce.careduce import CAReduce as CAReduce
from theano._src.rewrite.database import Query as Query
from theano._src.rewrite.driver import Rewriter as Rewriter
from theano._src.rewrite.log import RewriteTrace as RewriteTrace
from theano._src.rewrite.pattern import Hole as Hole
from theano._src.rewrite.rule import Rule as Rule, rewrite_rule as rewrite_rule
from theano._src.rules.inplace import inplace_forms as inplace_forms
from theano._src.show.forms import pprint as pprint
from theano._src.show.pprint import (
    FunctionPrinter as FunctionPrinter,
    OperatorPrinter as OperatorPrinter,
    PatternPrinter as PatternPrinter,
)
from theano._src.testing.proofs.reals import real_meaning as real_meaning
from theano._src.testing.proofs.table import array_meaning as array_meaning
from theano._src.types.convert import as_tensor_variable as as_tensor_variable, constant as constant
from theano._src.types.null import (
    disconnected as disconnected,
    grad_not_implemented as grad_not_implemented,
    grad_undefined as grad_undefined,
)
from theano._src.types.shared_constructors import shared_constructor as shared_constructor
from theano._src.types.tensor import TensorType as TensorType
