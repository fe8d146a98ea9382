"""New values for shared variables."""

from theano._src.types.updates import OrderedUpdates

__all__ = ["OrderedUpdates"]
