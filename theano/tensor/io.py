"""Reading arrays from files."""

from theano._src.ground.absent import absent_names
from theano._src.ops.misc import LoadFromDisk, load

__all__ = [
    "LoadFromDisk",
    "load",
]

__getattr__ = absent_names(__name__)
