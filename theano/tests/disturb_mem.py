"""Other addresses for what is made later."""

from theano._src.ground.public import public as _public

__getattr__ = _public(__name__, "theano._src.testing.unittest_tools: disturb_mem")
