"""A dict of Theano 1.0 that its pickles name."""

from theano._src.ground.public import public as _public

__getattr__ = _public(__name__, "theano._src.graph.old_state: frozendict")
