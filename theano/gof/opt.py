"""Rewrites of graphs: of one node, of whole graphs, and those who apply them."""

from theano._src.ground.absent import absent_names
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
from theano._src.rewrite.passes import (
    EquilibriumOptimizer,
    FromFunctionOptimizer,
    MergeOptimizer,
    Optimizer,
    TopoOptimizer,
    copy_stack_trace,
    in2out,
    inplace_optimizer,
    merge_optimizer,
    optimizer,
    out2in,
)
from theano._src.rewrite.sequence import SeqOptimizer

__all__ = [
    "EquilibriumOptimizer",
    "FromFunctionLocalOptimizer",
    "FromFunctionOptimizer",
    "LocalOptGroup",
    "LocalOptimizer",
    "MergeOptimizer",
    "OpRemove",
    "OpSub",
    "Optimizer",
    "PatternSub",
    "SeqOptimizer",
    "TopoOptimizer",
    "copy_stack_trace",
    "in2out",
    "inplace_optimizer",
    "local_optimizer",
    "merge_optimizer",
    "optimizer",
    "out2in",
    "pre_greedy_local_optimizer",
]

__getattr__ = absent_names(__name__)
