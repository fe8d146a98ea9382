"""Products and convolutions."""

from theano._src.engines.cudnn import GpuCorrMM
from theano._src.ground.absent import module_getattr

__getattr__ = module_getattr(__name__)
