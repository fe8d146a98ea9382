# Written by tools/stubs.py from type.py: change that file.
from theano._src.legacy.gpu import CudaNdarrayType as CudaNdarrayType
