# Written by tools/stubs.py from __init__.py: change that file.
from theano._src.types.sparse import enable_sparse as enable_sparse
from theano.sparse import (
    basic as basic,
    opt as opt,
    sharedvar as sharedvar,
    type as type,
    utils as utils,
)
from theano.sparse.basic import *
from theano._src.testing.sparse_tools import verify_grad_sparse as verify_grad_sparse
