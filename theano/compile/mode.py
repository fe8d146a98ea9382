"""Modes of compilation."""

from theano._src.compile.mode import (
    FAST_COMPILE,
    FAST_RUN,
    OPT_FAST_COMPILE,
    OPT_FAST_RUN,
    OPT_FAST_RUN_STABLE,
    OPT_MERGE,
    OPT_NONE,
    OPT_O2,
    OPT_O3,
    OPT_STABILIZE,
    OPT_UNSAFE,
    Mode,
    PrintCurrentFunctionGraph,
    get_default_mode,
    get_mode,
    predefined_linkers,
    predefined_modes,
    predefined_optimizers,
    register_linker,
    register_mode,
    register_optimizer,
)
from theano._src.graph.destroy import Supervisor
from theano._src.ground.absent import module_getattr
from theano._src.ground.config import config
from theano._src.rewrite.passes import AddDestroyHandler, AddFeatureOptimizer

__all__ = [
    "AddDestroyHandler",
    "AddFeatureOptimizer",
    "FAST_COMPILE",
    "FAST_RUN",
    "OPT_FAST_COMPILE",
    "OPT_FAST_RUN",
    "OPT_FAST_RUN_STABLE",
    "OPT_MERGE",
    "OPT_NONE",
    "OPT_O2",
    "OPT_O3",
    "OPT_STABILIZE",
    "OPT_UNSAFE",
    "Mode",
    "PrintCurrentFunctionGraph",
    "Supervisor",
    "config",
    "get_default_mode",
    "get_mode",
    "predefined_linkers",
    "predefined_modes",
    "predefined_optimizers",
    "register_linker",
    "register_mode",
    "register_optimizer",
]

__getattr__ = module_getattr(__name__, "theano._src.rules.pipeline:optdb")
