# Written by tools/stubs.py from __init__.py: change that file.
from theano._src.control.scan.args import until as until
from theano._src.control.scan.folds import (
    foldl as foldl,
    foldr as foldr,
    map as map,
    reduce as reduce,
)
from theano._src.graph.clone import clone_replace as _clone_replace
from theano.scan_module import (
    scan_op as scan_op,
    scan_utils as scan_utils,
    scan_views as scan_views,
)
from theano.scan_module.scan import scan as scan
from theano.scan_module.scan_checkpoints import scan_checkpoints as scan_checkpoints

clone = _clone_replace
