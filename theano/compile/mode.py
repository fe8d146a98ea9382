"""Modes of compilation."""

from theano._src.ground.public import public as _public

__getattr__ = _public(
    __name__,
    """
    theano._src.compile.mode: FAST_COMPILE FAST_RUN OPT_FAST_COMPILE OPT_FAST_RUN
        OPT_FAST_RUN_STABLE OPT_MERGE OPT_NONE OPT_O2 OPT_O3 OPT_STABILIZE OPT_UNSAFE Mode
        PrintCurrentFunctionGraph get_default_mode get_mode predefined_linkers predefined_modes
        predefined_optimizers register_linker register_mode register_optimizer
    theano._src.graph.destroy: Supervisor
    theano._src.ground.config: config
    theano._src.rewrite.passes: AddDestroyHandler AddFeatureOptimizer
    """,
    at_first_use="theano._src.rules.pipeline: optdb",
)
