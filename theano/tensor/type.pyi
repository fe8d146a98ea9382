# Written by tools/stubs.py from type.py: change that file.
from theano._src.types.allclose import (
    values_eq_approx as values_eq_approx,
    values_eq_approx_always_true as values_eq_approx_always_true,
    values_eq_approx_remove_inf as values_eq_approx_remove_inf,
    values_eq_approx_remove_inf_nan as values_eq_approx_remove_inf_nan,
    values_eq_approx_remove_nan as values_eq_approx_remove_nan,
)
from theano._src.types.tensor import TensorType as TensorType
