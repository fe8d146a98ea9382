"""Rewrites of graphs: of one node, of whole graphs, and those who apply them."""

from theano._src.ground.absent import module_getattr
from theano._src.rewrite.equilibrium import EquilibriumOptimizer
from theano._src.rewrite.local import (
    FromFunctionLocalOptimizer,
    LocalOptGroup,
    LocalOptimizer,
    OpRemove,
    OpSub,
    PatternSub,
    local_optimizer,
    pre_greedy_local_optimizer,
)
from theano._src.rewrite.merge import is_same_graph_with_merge, pre_constant_merge
from theano._src.rewrite.navigate import (
    NavigatorOptimizer,
    OpKeyOptimizer,
    TopoOptimizer,
    Updater,
    in2out,
    out2in,
)
from theano._src.rewrite.passes import (
    FromFunctionOptimizer,
    MergeOptimizer,
    Optimizer,
    inplace_optimizer,
    merge_optimizer,
    optimizer,
)
from theano._src.rewrite.provenance import (
    CheckStackTraceOptimization,
    CheckStrackTraceFeature,
    check_stack_trace,
    copy_stack_trace,
    inherit_stack_trace,
)
from theano._src.rewrite.sequence import SeqOptimizer

__all__ = [
    "CheckStackTraceOptimization",
    "CheckStrackTraceFeature",
    "EquilibriumOptimizer",
    "FromFunctionLocalOptimizer",
    "FromFunctionOptimizer",
    "LocalOptGroup",
    "LocalOptimizer",
    "MergeOptimizer",
    "NavigatorOptimizer",
    "OpKeyOptimizer",
    "OpRemove",
    "OpSub",
    "Optimizer",
    "PatternSub",
    "SeqOptimizer",
    "TopoOptimizer",
    "Updater",
    "check_stack_trace",
    "copy_stack_trace",
    "in2out",
    "inherit_stack_trace",
    "inplace_optimizer",
    "is_same_graph_with_merge",
    "local_optimizer",
    "merge_optimizer",
    "optimizer",
    "out2in",
    "pre_constant_merge",
    "pre_greedy_local_optimizer",
]

__getattr__ = module_getattr(__name__)
