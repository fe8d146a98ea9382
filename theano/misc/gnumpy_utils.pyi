# Written by tools/stubs.py from gnumpy_utils.py: change that file.
from theano._src.legacy.gpu import (
    cudandarray_to_garray as cudandarray_to_garray,
    garray_to_cudandarray as garray_to_cudandarray,
)
