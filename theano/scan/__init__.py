"""Loops: ``scan`` and its simpler forms. The attribute ``theano.scan`` is the function."""

from theano._src.ground.public import public as _public

__getattr__ = _public(
    __name__,
    at_first_use="""
    theano._src.control.scan.api: scan
    theano._src.control.scan.args: until
    theano._src.control.scan.checkpoints: scan_checkpoints
    theano._src.control.scan.folds: foldl foldr map reduce
    theano._src.graph.clone: clone=clone_replace
    theano.scan: basic checkpoints op utils views
    """,
)
