"""Products and convolutions."""

from theano._src.ground.absent import module_getattr as _module_getattr
from theano._src.legacy.cudnn import GpuCorrMM as GpuCorrMM

__getattr__ = _module_getattr(__name__)
