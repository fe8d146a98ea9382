"""All that an author of Types, Ops, rules or engines needs, on one page.

- an op: ``Op``, ``Apply``, ``as_op``, ``OpFromGraph``; elementwise: ``ScalarOp`` and its kinds,
  ``Elemwise``; a reduction: ``CAReduce``
- its gradient: ``L_op``, ``R_op``; ``disconnected``, ``grad_undefined``, ``grad_not_implemented``
- a type: ``Type``, ``Variable``, ``Constant``
- a rule: ``Hole``, ``Rule``, ``rewrite_rule``, ``Query``; ``Rewriter`` applies some to a graph;
  ``why_not`` says why one does not fire, ``rewriting`` shows what was done, step by step
- a graph: ``FunctionGraph``, ``Feature``, ``NodeFinder``, ``ReplaceValidate``
- an engine: ``Linker``, ``Program``, ``register_linker``, ``register_mode``
"""

from theano._src.compile.mode import Mode, register_linker, register_mode
from theano._src.compile.rewriting import rewriting, why_not
from theano._src.control.op_from_graph import OpFromGraph
from theano._src.engines.link import Linker, PerformLinker, Program
from theano._src.graph.features import Feature, History, NodeFinder, ReplaceValidate
from theano._src.graph.fg import FunctionGraph
from theano._src.graph.graph import Apply, Constant, Variable
from theano._src.graph.op import Op
from theano._src.graph.type import SingletonType, Type
from theano._src.ops.core.dimshuffle import DimShuffle
from theano._src.ops.core.elemwise import Elemwise
from theano._src.ops.core.scalar import BinaryScalarOp, FloatOp, RealOp, ScalarOp, UnaryScalarOp
from theano._src.ops.core.upcast import same_out, upcast_out, upgrade_to_float
from theano._src.ops.meta.python_op import as_op
from theano._src.ops.reduce.careduce import CAReduce
from theano._src.rewrite.database import Query
from theano._src.rewrite.driver import Rewriter
from theano._src.rewrite.log import RewriteTrace
from theano._src.rewrite.pattern import Hole
from theano._src.rewrite.rule import Rule, rewrite_rule
from theano._src.types.convert import as_tensor_variable, constant
from theano._src.types.null import disconnected, grad_not_implemented, grad_undefined
from theano._src.types.shared_constructors import shared_constructor
from theano._src.types.tensor import TensorType

__all__ = [
    "Apply",
    "BinaryScalarOp",
    "CAReduce",
    "Constant",
    "DimShuffle",
    "Elemwise",
    "Feature",
    "FloatOp",
    "FunctionGraph",
    "History",
    "Hole",
    "Linker",
    "Mode",
    "NodeFinder",
    "Op",
    "OpFromGraph",
    "PerformLinker",
    "Program",
    "Query",
    "RealOp",
    "ReplaceValidate",
    "RewriteTrace",
    "Rewriter",
    "Rule",
    "ScalarOp",
    "SingletonType",
    "TensorType",
    "Type",
    "UnaryScalarOp",
    "Variable",
    "as_op",
    "as_tensor_variable",
    "constant",
    "disconnected",
    "grad_not_implemented",
    "grad_undefined",
    "register_linker",
    "register_mode",
    "rewrite_rule",
    "rewriting",
    "same_out",
    "shared_constructor",
    "upcast_out",
    "upgrade_to_float",
    "why_not",
]
