"""TensorType."""

from theano._src.types.allclose import (
    values_eq_approx,
    values_eq_approx_always_true,
    values_eq_approx_remove_inf,
    values_eq_approx_remove_inf_nan,
    values_eq_approx_remove_nan,
)
from theano._src.types.tensor import TensorType

__all__ = [
    "values_eq_approx",
    "values_eq_approx_always_true",
    "values_eq_approx_remove_inf",
    "values_eq_approx_remove_inf_nan",
    "values_eq_approx_remove_nan",
    "TensorType",
]
