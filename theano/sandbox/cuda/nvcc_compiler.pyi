# Written by tools/stubs.py from nvcc_compiler.py: change that file.
from theano._src.legacy.gpu import (
    NVCC_compiler as NVCC_compiler,
    add_standard_rpath as add_standard_rpath,
    is_nvcc_available as is_nvcc_available,
    rpath_defaults as rpath_defaults,
)
