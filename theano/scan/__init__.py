"""Loops: ``scan`` and its simpler forms. The attribute ``theano.scan`` is the function."""

import typing as _typing

from theano._src.ground.absent import module_getattr as _module_getattr

# loaded at first use: theano itself imports this module, see there
if _typing.TYPE_CHECKING:
    from theano._src.control.scan.api import scan as scan
    from theano._src.control.scan.args import until as until
    from theano._src.control.scan.checkpoints import scan_checkpoints as scan_checkpoints
    from theano._src.control.scan.folds import (
        foldl as foldl,
        foldr as foldr,
        map as map,
        reduce as reduce,
    )
    from theano.scan import (
        basic as basic,
        checkpoints as checkpoints,
        op as op,
        utils as utils,
        views as views,
    )
    from theano.scan.utils import clone as clone

__getattr__ = _module_getattr(
    __name__,
    "theano.scan: basic checkpoints op utils views",
    "theano._src.control.scan.api: scan",
    "theano._src.control.scan.args: until",
    "theano._src.control.scan.checkpoints: scan_checkpoints",
    "theano._src.control.scan.folds: foldl foldr map reduce",
    "theano._src.graph.clone: clone=clone_replace",
)
