"""Products and convolutions."""

from theano._src.ground.absent import module_getattr
from theano._src.legacy.cudnn import GpuCorrMM

__getattr__ = module_getattr(__name__)
