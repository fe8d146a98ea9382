"""Loops whose gradients keep only every so many steps."""

from theano._src.ground.public import public as _public

__getattr__ = _public(__name__, "theano._src.control.scan.checkpoints: scan_checkpoints")
