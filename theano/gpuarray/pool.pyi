# Written by tools/stubs.py from pool.py: change that file.
from theano._src.ops.conv.pool import (
    AveragePoolGrad as _AveragePoolGrad,
    MaxPoolGrad as _MaxPoolGrad,
    Pool as _Pool,
)

GpuAveragePoolGrad = _AveragePoolGrad
GpuMaxPoolGrad = _MaxPoolGrad
GpuPool = _Pool
