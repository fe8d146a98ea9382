"""Makers of test cases for ops."""

from theano._src.ground.absent import module_getattr as _module_getattr
from theano._src.testing.make_tester import (
    makeBroadcastTester as makeBroadcastTester,
    makeTester as makeTester,
    rand as rand,
    rand_ranged as rand_ranged,
    randint as randint,
)

__getattr__ = _module_getattr(__name__)
