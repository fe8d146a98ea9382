"""A dict of Theano 1.0 that its pickles name."""

from theano._src.legacy.old_pickles import frozendict as frozendict
