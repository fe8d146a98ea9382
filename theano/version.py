"""Which version this is."""

from theano._src.ground.version import __version__, language as short_version

version = __version__
full_version = __version__

__all__ = ["full_version", "short_version", "version"]
