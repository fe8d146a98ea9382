"""Which version this is."""

from theano._src.ground import version as _version
from theano._src.ground.absent import module_getattr as _module_getattr
from theano._src.ground.version import __version__ as __version__

version = __version__
full_version = __version__
short_version = _version.language

__getattr__ = _module_getattr(__name__)
