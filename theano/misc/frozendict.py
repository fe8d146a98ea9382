"""A dict of Theano 1.0 that its pickles name."""

from theano._src.graph.old_state import frozendict as frozendict
from theano._src.ground.absent import module_getattr as _module_getattr

__getattr__ = _module_getattr(__name__)
