"""TensorType."""

from theano._src.ground.public import public as _public

__getattr__ = _public(
    __name__,
    """
    theano._src.types.allclose: values_eq_approx values_eq_approx_always_true
        values_eq_approx_remove_inf values_eq_approx_remove_inf_nan values_eq_approx_remove_nan
    theano._src.types.tensor: TensorType
    """,
)
