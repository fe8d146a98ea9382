"""The test case for products with Jacobians."""

from theano._src.ground.public import public as _public

__getattr__ = _public(__name__, "theano._src.testing.rop_checker: RopLop_checker")
