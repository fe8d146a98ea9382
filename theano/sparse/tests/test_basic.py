"""Random sparse inputs for tests, and their gradients."""

from theano._src.ground.absent import module_getattr as _module_getattr
from theano._src.testing.sparse_tools import (
    sparse_random_inputs as sparse_random_inputs,
    verify_grad_sparse as verify_grad_sparse,
)

__getattr__ = _module_getattr(__name__)
