"""A hash of a sparse matrix."""

from theano._src.ground.public import public as _public

__getattr__ = _public(__name__, "theano._src.types.sparse: hash_from_sparse")
