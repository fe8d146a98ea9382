"""Reading arrays from files."""

from theano._src.ops.misc import LoadFromDisk, load

__all__ = [
    "LoadFromDisk",
    "load",
]
