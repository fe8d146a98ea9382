"""The test case for products with Jacobians."""

from theano._src.ground.absent import module_getattr as _module_getattr
from theano._src.testing.rop_checker import RopLop_checker as RopLop_checker

__getattr__ = _module_getattr(__name__)
