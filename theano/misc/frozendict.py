"""A dict of Theano 1.0 that its pickles name."""

from theano._src.graph.old_state import frozendict as frozendict
