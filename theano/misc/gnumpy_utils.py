"""Arrays of gnumpy: there are none."""

from theano._src.engines.gpu import cudandarray_to_garray, garray_to_cudandarray
from theano._src.ground.absent import module_getattr

__getattr__ = module_getattr(__name__)
