"""Graphs and what works on them: variables, ops, types, features, linkers."""

from theano._src.ground.public import public as _public

__getattr__ = _public(
    __name__,
    """
    theano._src.engines.link: Linker LocalLinker PerformLinker
    theano._src.engines.linkers.documented: CLinker OpWiseCLinker VM_Linker
    theano._src.engines.linkers.dual: DualLinker
    theano._src.engines.linkers.wrap: WrapLinker WrapLinkerMany
    theano._src.graph.c_files: COp OpenMPOp
    theano._src.graph.c_op: CLinkerOp HideC
    theano._src.graph.clone: clone
    theano._src.graph.destroy: DestroyHandler
    theano._src.graph.features: Bookkeeper Feature History NodeFinder NoOutputFromInplace
        PrintListener ReplaceValidate Validator
    theano._src.graph.fg: FunctionGraph
    theano._src.graph.graph: Apply Constant Variable
    theano._src.graph.op: Op PureOp
    theano._src.graph.testvalue: get_debug_values
    theano._src.graph.type: CLinkerType PureType SingletonType Type
    theano._src.graph.walk: ancestors inputs io_toposort is_same_graph list_of_nodes orphans
        stack_search variables variables_and_orphans view_roots
    theano._src.ground.errors: CachedConstantError InconsistencyError MissingInputError
        ReplacementDidntRemovedError
    theano._src.ground.utils: MethodNotDefined hashtype object2
    theano._src.rewrite.database: DB EquilibriumDB LocalGroupDB ProxyDB Query SequenceDB TopoDB
    theano._src.rewrite.equilibrium: EquilibriumOptimizer
    theano._src.rewrite.local: LocalOptGroup LocalOptimizer OpRemove OpSub PatternSub
        local_optimizer
    theano._src.rewrite.navigate: NavigatorOptimizer OpKeyOptimizer TopoOptimizer
    theano._src.rewrite.passes: MergeOptimizer Optimizer inplace_optimizer optimizer
    theano._src.rewrite.provenance: CheckStackTraceOptimization
    theano._src.rewrite.sequence: SeqOptimizer
    theano._src.types.generic: CDataType Generic generic
    theano._src.types.params_type: CEnumType EnumList EnumType Params ParamsType
    theano._src.types.shared: Container
    theano.gof: cc compilelock destroyhandler fg graph link null_type op opt optdb params_type
        sched toolbox type utils vm
    """,
    at_first_use="theano.gof: cmodule",
)
