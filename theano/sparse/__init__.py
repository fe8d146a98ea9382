"""Sparse matrices, not built yet: what isinstance is asked about; other names say why."""

from theano._src.ground.absent import module_getattr as _module_getattr
from theano._src.types.sparse import (
    SparseType as SparseType,
    SparseVariable as SparseVariable,
    enable_sparse as enable_sparse,
)
from theano.sparse import basic as basic, type as type

__getattr__ = _module_getattr(__name__)
