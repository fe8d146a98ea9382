"""Arrays of gnumpy: there are none."""

from theano._src.ground.public import public as _public

__getattr__ = _public(
    __name__,
    "theano._src.legacy.gpu: cudandarray_to_garray garray_to_cudandarray",
)
