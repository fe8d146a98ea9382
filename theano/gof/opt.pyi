# Written by tools/stubs.py from opt.py: change that file.
from theano._src.graph.features import ChangeTracker as ChangeTracker
from theano._src.graph.old_state import Leftover as _Leftover
from theano._src.ground.errors import InconsistencyError as InconsistencyError
from theano._src.rewrite.equilibrium import EquilibriumOptimizer as EquilibriumOptimizer
from theano._src.rewrite.local import (
    FromFunctionLocalOptimizer as FromFunctionLocalOptimizer,
    LocalOptGroup as LocalOptGroup,
    LocalOptimizer as LocalOptimizer,
    OpRemove as OpRemove,
    OpSub as OpSub,
    PatternSub as PatternSub,
    local_optimizer as local_optimizer,
    pre_greedy_local_optimizer as pre_greedy_local_optimizer,
)
from theano._src.rewrite.merge import (
    is_same_graph_with_merge as is_same_graph_with_merge,
    pre_constant_merge as pre_constant_merge,
)
from theano._src.rewrite.navigate import (
    NavigatorOptimizer as NavigatorOptimizer,
    OpKeyOptimizer as OpKeyOptimizer,
    TopoOptimizer as TopoOptimizer,
    Updater as Updater,
    check_chain as check_chain,
    in2out as in2out,
    out2in as out2in,
)
from theano._src.rewrite.passes import (
    FromFunctionOptimizer as FromFunctionOptimizer,
    MergeOptimizer as MergeOptimizer,
    Optimizer as Optimizer,
    inplace_optimizer as inplace_optimizer,
    merge_optimizer as merge_optimizer,
    optimizer as optimizer,
)
from theano._src.rewrite.provenance import (
    CheckStackTraceOptimization as CheckStackTraceOptimization,
    CheckStrackTraceFeature as CheckStrackTraceFeature,
    check_stack_trace as check_stack_trace,
    copy_stack_trace as copy_stack_trace,
    inherit_stack_trace as inherit_stack_trace,
)
from theano._src.rewrite.sequence import SeqOptimizer as SeqOptimizer

MergeFeature = _Leftover
_metadict = _Leftover
