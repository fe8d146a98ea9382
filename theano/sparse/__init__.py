"""Sparse matrices: their types, and ops on them. ``import theano`` does not load it."""

from theano._src.ground.public import public as _public

__getattr__ = _public(
    __name__,
    """
    theano._src.types.sparse: enable_sparse
    theano.sparse: basic opt sharedvar type utils
    theano.sparse.basic: *
    """,
    at_first_use="theano._src.testing.sparse_tools: verify_grad_sparse",
)
