# Written by tools/stubs.py from debugmode.py: change that file.
from theano._src.compile.debug.debugmode.errors import (
    BadDestroyMap as BadDestroyMap,
    BadOptimization as BadOptimization,
    BadStrides as BadStrides,
    BadThunkOutput as BadThunkOutput,
    BadViewMap as BadViewMap,
    DebugModeError as DebugModeError,
    InvalidValueError as InvalidValueError,
    StochasticOrder as StochasticOrder,
)
from theano._src.compile.debug.debugmode.mode import DebugMode as DebugMode
from theano._src.compile.debug.debugmode.node_check import default_make_thunk as default_make_thunk
