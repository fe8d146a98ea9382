"""Loops whose gradients keep only every so many steps."""

from theano._src.control.scan.checkpoints import scan_checkpoints as scan_checkpoints
from theano._src.ground.absent import module_getattr as _module_getattr

__getattr__ = _module_getattr(__name__)
