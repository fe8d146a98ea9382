"""Sets of Theano 1.0 that its pickles name; nothing here uses them."""

from theano._src.graph.old_state import Leftover as _Leftover
from theano._src.ground.absent import module_getattr as _module_getattr

OrderedSet = _Leftover
Link = _Leftover

__getattr__ = _module_getattr(__name__)
