"""The op behind loops."""

from theano._src.control.scan.op import Scan as Scan
from theano._src.ground.absent import module_getattr as _module_getattr

__getattr__ = _module_getattr(__name__)
