# Written by tools/stubs.py from mode.py: change that file.
from theano._src.compile.mode import (
    FAST_COMPILE as FAST_COMPILE,
    FAST_RUN as FAST_RUN,
    OPT_FAST_COMPILE as OPT_FAST_COMPILE,
    OPT_FAST_RUN as OPT_FAST_RUN,
    OPT_FAST_RUN_STABLE as OPT_FAST_RUN_STABLE,
    OPT_MERGE as OPT_MERGE,
    OPT_NONE as OPT_NONE,
    OPT_O2 as OPT_O2,
    OPT_O3 as OPT_O3,
    OPT_STABILIZE as OPT_STABILIZE,
    OPT_UNSAFE as OPT_UNSAFE,
    Mode as Mode,
    PrintCurrentFunctionGraph as PrintCurrentFunctionGraph,
    get_default_mode as get_default_mode,
    get_mode as get_mode,
    predefined_linkers as predefined_linkers,
    predefined_modes as predefined_modes,
    predefined_optimizers as predefined_optimizers,
    register_linker as register_linker,
    register_mode as register_mode,
    register_optimizer as register_optimizer,
)
from theano._src.graph.destroy import Supervisor as Supervisor
from theano._src.ground.config import config as config
from theano._src.rewrite.passes import (
    AddDestroyHandler as AddDestroyHandler,
    AddFeatureOptimizer as AddFeatureOptimizer,
)
from theano._src.rules.pipeline import optdb as optdb
