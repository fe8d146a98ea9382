"""Shared variables that hold sparse matrices."""

from theano._src.ground.absent import module_getattr as _module_getattr
from theano._src.types.sparse import (
    SparseTensorSharedVariable as SparseTensorSharedVariable,
    sparse_constructor as sparse_constructor,
)

__getattr__ = _module_getattr(__name__)
