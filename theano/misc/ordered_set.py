"""Sets of Theano 1.0 that its pickles name; nothing here uses them."""

from theano._src.graph.old_state import Leftover as _Leftover

OrderedSet = _Leftover
Link = _Leftover
