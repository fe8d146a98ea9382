"""The general loop."""

from theano._src.control.scan.api import scan as scan
from theano._src.ground.absent import module_getattr as _module_getattr

__getattr__ = _module_getattr(__name__)
