"""Rewrites of sparse ops."""

from theano._src.ground.public import public as _public

__getattr__ = _public(
    __name__,
    """
    theano._src.rules.sparse: local_csm_properties_csm local_dense_from_sparse_sparse_from_dense
        local_usmm
    """,
)
