"""Shared variables that hold one number, as a scalar."""

import numpy as np
import pytest

import theano
import theano.tensor as T
from theano.scalar import sharedvar


@pytest.mark.parametrize(
    ("value", "dtype"), [(3, "int64"), (2.5, "float64"), (1j, "complex128"), (np.int8(3), "int8")]
)
def test_a_shared_scalar_has_the_dtype_of_numpy(value, dtype):
    made = sharedvar.shared(value, "s")
    assert made.type == theano.scalar.get_scalar_type(dtype) and made.name == "s"
    assert made.get_value() == value and isinstance(made.get_value(), np.generic)


@pytest.mark.parametrize("value", ["3", [3], np.zeros(2), None])
def test_what_is_no_number_is_refused(value):
    with pytest.raises(TypeError, match="hold a number"):
        sharedvar.shared(value)


@pytest.mark.parametrize("linker", ["py", "numpy", "xla"])
def test_a_shared_scalar_is_an_index_that_updates_move(linker):
    at, x = sharedvar.shared(0), T.dvector()
    f = theano.function([x], x[at] + at, updates={at: at + 1}, mode=theano.Mode(linker))
    assert [f([10.0, 20.0, 30.0]).item() for _ in range(3)] == [10, 21, 32]
    assert at.get_value() == 3 and isinstance(at.get_value(), np.int64)
    at.set_value(1)
    assert f([10.0, 20.0, 30.0]) == 21
