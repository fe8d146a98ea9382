"""Loops whose gradients keep only every so many steps."""

from theano._src.control.scan.checkpoints import scan_checkpoints as scan_checkpoints
