"""Half precision in kernels."""

from theano._src.ground.absent import module_getattr
from theano._src.legacy.gpu import load_w, work_dtype, write_w

__getattr__ = module_getattr(__name__)
