"""New values for shared variables."""

from theano._src.types.updates import OrderedUpdates as OrderedUpdates
