"""Half precision in kernels."""

from theano._src.engines.gpu import load_w, work_dtype, write_w
from theano._src.ground.absent import module_getattr

__getattr__ = module_getattr(__name__)
