# Written by tools/stubs.py from __init__.py: change that file.
from theano._src.control.scan.api import scan as scan
from theano._src.control.scan.args import until as until
from theano._src.control.scan.checkpoints import scan_checkpoints as scan_checkpoints
from theano._src.control.scan.folds import (
    foldl as foldl,
    foldr as foldr,
    map as map,
    reduce as reduce,
)
from theano._src.graph.clone import clone_replace as _clone_replace
from theano.scan import (
    basic as basic,
    checkpoints as checkpoints,
    op as op,
    utils as utils,
    views as views,
)

clone = _clone_replace
