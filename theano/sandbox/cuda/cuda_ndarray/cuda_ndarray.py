"""Arrays on GPUs: there are none."""

from theano._src.ground.public import public as _public

__getattr__ = _public(__name__, "theano._src.legacy.gpu: CudaNdarray device_properties mem_info")
