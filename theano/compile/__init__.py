"""Compiled functions: declaring, making, calling them."""

from theano._src.ground.public import public as _public

__getattr__ = _public(
    __name__,
    """
    theano._src.compile.function: orig_function
    theano._src.compile.function_object: Function
    theano._src.compile.io: In Out Param SymbolicInput SymbolicOutput
    theano._src.compile.mode: FAST_COMPILE FAST_RUN Mode get_default_mode get_mode
        predefined_linkers predefined_modes predefined_optimizers register_linker register_mode
        register_optimizer
    theano._src.control.op_from_graph: OpFromGraph
    theano._src.ground.config: config
    theano._src.ground.errors: AliasedMemoryError UnusedInputError
    theano._src.ops.meta.misc: DeepCopyOp ViewOp deep_copy_op view_op
    theano._src.ops.meta.python_op: FromFunctionOp as_op
    theano._src.ops.shape.dims: Rebroadcast
    theano._src.ops.shape.shape: Shape Shape_i SpecifyShape shape_i
    theano._src.types.shared: SharedVariable
    theano._src.types.shared_constructors: shared shared_constructor
    theano.compile: builders io mode ops sharedvalue
    theano.compile.function: function function_dump
    theano.compile.pfunc: pfunc rebuild_collect_shared
    """,
    at_first_use="""
    theano._src.compile.debug.debugmode.mode: DebugMode
    theano._src.compile.debug.monitor: MonitorMode
    theano._src.compile.debug.nan_guard: NanGuardMode
    theano._src.compile.maker: FunctionMaker
    theano._src.compile.profile.profilemode: ProfileMode
    theano._src.compile.profile.profiling: ProfileStats
    theano._src.rules.pipeline: optdb
    theano.compile: debugmode function_module monitormode nanguardmode profilemode profiling
    """,
)
