"""Loops: scan and its simpler forms."""

from theano._src.control.scan.args import until as until
from theano._src.control.scan.folds import (
    foldl as foldl,
    foldr as foldr,
    map as map,
    reduce as reduce,
)
from theano._src.graph import clone as _clone
from theano._src.ground.absent import module_getattr as _module_getattr
from theano.scan_module import (
    scan_op as scan_op,
    scan_utils as scan_utils,
    scan_views as scan_views,
)
from theano.scan_module.scan import scan as scan
from theano.scan_module.scan_checkpoints import scan_checkpoints as scan_checkpoints

clone = _clone.clone_replace

__getattr__ = _module_getattr(__name__)
