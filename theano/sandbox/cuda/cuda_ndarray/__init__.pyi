# Written by tools/stubs.py from __init__.py: change that file.
from theano.sandbox.cuda.cuda_ndarray import cuda_ndarray as cuda_ndarray
