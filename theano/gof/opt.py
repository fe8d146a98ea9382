"""Rewrites of graphs: of one node, of whole graphs, and those who apply them."""

from theano._src.ground.public import public as _public

__getattr__ = _public(
    __name__,
    """
    theano._src.graph.features: ChangeTracker
    theano._src.graph.old_state: MergeFeature=Leftover _metadict=Leftover
    theano._src.ground.errors: InconsistencyError
    theano._src.rewrite.equilibrium: EquilibriumOptimizer
    theano._src.rewrite.local: FromFunctionLocalOptimizer LocalOptGroup LocalOptimizer OpRemove
        OpSub PatternSub local_optimizer pre_greedy_local_optimizer
    theano._src.rewrite.merge: is_same_graph_with_merge pre_constant_merge
    theano._src.rewrite.navigate: NavigatorOptimizer OpKeyOptimizer TopoOptimizer Updater
        check_chain in2out out2in
    theano._src.rewrite.passes: FromFunctionOptimizer MergeOptimizer Optimizer inplace_optimizer
        merge_optimizer optimizer
    theano._src.rewrite.provenance: CheckStackTraceOptimization CheckStrackTraceFeature
        check_stack_trace copy_stack_trace inherit_stack_trace
    theano._src.rewrite.sequence: SeqOptimizer
    """,
)
