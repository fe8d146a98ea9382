"""Random sparse inputs for tests, and their gradients."""

from theano._src.ground.public import public as _public

__getattr__ = _public(
    __name__,
    "theano._src.testing.sparse_tools: sparse_random_inputs verify_grad_sparse",
)
