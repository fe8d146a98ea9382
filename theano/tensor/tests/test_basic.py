"""Makers of test cases for ops."""

from theano._src.ground.public import public as _public

__getattr__ = _public(
    __name__,
    "theano._src.testing.make_tester: makeBroadcastTester makeTester rand rand_ranged randint",
)
