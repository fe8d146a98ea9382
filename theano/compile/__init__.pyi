# Written by tools/stubs.py from __init__.py: change that file.
from theano._src.compile.function import orig_function as orig_function
from theano._src.compile.function_object import Function as Function
from theano._src.compile.io import (
    In as In,
    Out as Out,
    Param as Param,
    SymbolicInput as SymbolicInput,
    SymbolicOutput as SymbolicOutput,
)
from theano._src.compile.mode import (
    FAST_COMPILE as FAST_COMPILE,
    FAST_RUN as FAST_RUN,
    Mode as Mode,
    get_default_mode as get_default_mode,
    get_mode as get_mode,
    predefined_linkers as predefined_linkers,
    predefined_modes as predefined_modes,
    predefined_optimizers as predefined_optimizers,
    register_linker as register_linker,
    register_mode as register_mode,
    register_optimizer as register_optimizer,
)
from theano._src.control.op_from_graph import OpFromGraph as OpFromGraph
from theano._src.ground.config import config as config
from theano._src.ground.errors import (
    AliasedMemoryError as AliasedMemoryError,
    UnusedInputError as UnusedInputError,
)
from theano._src.ops.meta.misc import (
    DeepCopyOp as DeepCopyOp,
    ViewOp as ViewOp,
    deep_copy_op as deep_copy_op,
    view_op as view_op,
)
from theano._src.ops.meta.python_op import FromFunctionOp as FromFunctionOp, as_op as as_op
from theano._src.ops.shape.dims import Rebroadcast as Rebroadcast
from theano._src.ops.shape.shape import (
    Shape as Shape,
    Shape_i as Shape_i,
    SpecifyShape as SpecifyShape,
    shape_i as shape_i,
)
from theano._src.types.shared import SharedVariable as SharedVariable
from theano._src.types.shared_constructors import (
    shared as shared,
    shared_constructor as shared_constructor,
)
from theano.compile import (
    builders as builders,
    io as io,
    mode as mode,
    ops as ops,
    sharedvalue as sharedvalue,
    debugmode as debugmode,
    function_module as function_module,
    monitormode as monitormode,
    nanguardmode as nanguardmode,
    profilemode as profilemode,
    profiling as profiling,
)
from theano.compile.function import function as function, function_dump as function_dump
from theano.compile.pfunc import pfunc as pfunc, rebuild_collect_shared as rebuild_collect_shared
from theano._src.compile.debug.debugmode.mode import DebugMode as DebugMode
from theano._src.compile.debug.monitor import MonitorMode as MonitorMode
from theano._src.compile.debug.nan_guard import NanGuardMode as NanGuardMode
from theano._src.compile.maker import FunctionMaker as FunctionMaker
from theano._src.compile.profile.profilemode import ProfileMode as ProfileMode
from theano._src.compile.profile.profiling import ProfileStats as ProfileStats
from theano._src.rules.pipeline import optdb as optdb
