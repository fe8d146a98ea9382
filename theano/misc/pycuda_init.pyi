# Written by tools/stubs.py from pycuda_init.py: change that file.
from theano._src.legacy.gpu import pycuda_available as pycuda_available
