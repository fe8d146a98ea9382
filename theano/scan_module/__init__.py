"""Loops: scan and its simpler forms."""

from theano._src.control.scan.args import until
from theano._src.control.scan.folds import foldl, foldr, map, reduce
from theano._src.graph.clone import clone_replace as clone
from theano.scan_module import scan_op, scan_utils, scan_views
from theano.scan_module.scan import scan
from theano.scan_module.scan_checkpoints import scan_checkpoints

__all__ = [
    "clone",
    "foldl",
    "foldr",
    "map",
    "reduce",
    "scan",
    "scan_checkpoints",
    "scan_op",
    "scan_utils",
    "scan_views",
    "until",
]
