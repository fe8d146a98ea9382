# Written by tools/stubs.py from ops.py: change that file.
from theano._src.ops.meta.c_registry import (
    register_deep_copy_op_c_code as register_deep_copy_op_c_code,
    register_rebroadcast_c_code as register_rebroadcast_c_code,
    register_shape_c_code as register_shape_c_code,
    register_shape_i_c_code as register_shape_i_c_code,
    register_specify_shape_c_code as register_specify_shape_c_code,
    register_view_op_c_code as register_view_op_c_code,
)
from theano._src.ops.meta.misc import (
    DeepCopyOp as DeepCopyOp,
    OutputGuard as OutputGuard,
    ViewOp as ViewOp,
    deep_copy_op as deep_copy_op,
    view_op as view_op,
)
from theano._src.ops.meta.python_op import (
    FromFunctionOp as FromFunctionOp,
    as_op as as_op,
    load_back as load_back,
)
from theano._src.ops.shape.dims import Rebroadcast as Rebroadcast
from theano._src.ops.shape.shape import (
    Shape as Shape,
    Shape_i as Shape_i,
    SpecifyShape as SpecifyShape,
    shape as shape,
    shape_i as shape_i,
    shape_i_op as shape_i_op,
    specify_shape as specify_shape,
)
