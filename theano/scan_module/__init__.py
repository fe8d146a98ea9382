"""Loops: scan and its simpler forms."""

from theano._src.ground.public import public as _public

__getattr__ = _public(
    __name__,
    """
    theano._src.control.scan.args: until
    theano._src.control.scan.folds: foldl foldr map reduce
    theano._src.graph.clone: clone=clone_replace
    theano.scan_module: scan_op scan_utils scan_views
    theano.scan_module.scan: scan
    theano.scan_module.scan_checkpoints: scan_checkpoints
    """,
)
