"""Rewrites of sparse ops."""

from theano._src.ground.absent import module_getattr as _module_getattr
from theano._src.rules.sparse import (
    local_csm_properties_csm as local_csm_properties_csm,
    local_dense_from_sparse_sparse_from_dense as local_dense_from_sparse_sparse_from_dense,
    local_usmm as local_usmm,
)

__getattr__ = _module_getattr(__name__)
