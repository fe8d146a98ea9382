"""Half precision in kernels."""

from theano._src.ground.absent import module_getattr as _module_getattr
from theano._src.legacy.gpu import load_w as load_w, work_dtype as work_dtype, write_w as write_w

__getattr__ = _module_getattr(__name__)
