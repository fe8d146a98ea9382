# Written by tools/stubs.py from test_basic.py: change that file.
from theano._src.testing.sparse_tools import (
    sparse_random_inputs as sparse_random_inputs,
    verify_grad_sparse as verify_grad_sparse,
)
