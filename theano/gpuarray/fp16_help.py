"""Half precision in kernels."""

from theano._src.ground.public import public as _public

__getattr__ = _public(__name__, "theano._src.legacy.gpu: load_w work_dtype write_w")
