"""Sparse matrices, not built yet: what isinstance is asked about; other names say why."""

from theano._src.ground.absent import module_getattr
from theano._src.types.sparse import SparseType, SparseVariable, enable_sparse
from theano.sparse import basic, type

__getattr__ = module_getattr(__name__)
