# Written by tools/stubs.py from pycuda_utils.py: change that file.
from theano._src.legacy.gpu import to_cudandarray as to_cudandarray, to_gpuarray as to_gpuarray
