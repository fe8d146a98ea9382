"""Whether two values may be parts of one piece of memory."""

import numpy as np
import pytest
import scipy.sparse

from theano.misc.may_share_memory import may_share_memory

A, B = np.ones((5, 4)), np.ones((5, 4))
S = scipy.sparse.csc_matrix(np.eye(5))


@pytest.mark.parametrize(
    ("a", "b", "shared"),
    [
        (A, A.T, True),
        (A, A[:, 0], True),
        (A, B, False),
        (S, S.indptr, True),
        (S.data, S, True),
        (S, S.copy(), False),
        (S, A, False),
    ],
)
def test_arrays_and_sparse_matrices_are_compared(a, b, shared):
    assert may_share_memory(a, b) is shared and may_share_memory(b, a) is shared


@pytest.mark.parametrize("other", [(0,), 1, None])
def test_values_of_other_types_are_refused_or_share_nothing(other):
    with pytest.raises(TypeError, match="takes arrays and SciPy's sparse matrices"):
        may_share_memory(A, other)
    assert not may_share_memory(other, S, raise_other_type=False)
