"""Functions applied to the stored elements of a sparse matrix."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from theano._src.ground.documented import documented_in, short_traceback
from theano._src.ops.elementwise import (
    activations,
    arithmetic,
    complex_parts,
    explog,
    rounding,
    trig,
)
from theano._src.ops.sparse.base import as_sparse_variable
from theano._src.ops.sparse.reduce import with_data


@documented_in("theano.sparse.basic")
def structured_monoid(tensor_op: Any) -> Callable[[Any], Any]:
    """Decorator that returns a function applying a tensor op to the stored elements of a matrix.

    The decorated function is not called; only its name and docstring are used.

    Parameters
    ----------
    tensor_op : function of a dense vector, and of further arguments

    >>> import scipy.sparse, theano.sparse, theano.tensor as T
    >>> @theano.sparse.basic.structured_monoid(T.cos)
    ... def structured_cos(x):
    ...     "The cosine of stored elements."
    >>> structured_cos(scipy.sparse.csr_matrix([[0.0, 1e-9]])).eval().data
    array([1.])
    """

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        @short_traceback
        def structured(x: Any, *args: Any) -> Any:
            return with_data(as_sparse_variable(x), lambda data: tensor_op(data, *args))

        structured.__name__ = structured.__qualname__ = function.__name__
        structured.__doc__ = function.__doc__
        structured.__module__ = function.__module__
        return structured

    return decorate


def _of_stored(op: Any, name: str, text: str) -> Callable[..., Any]:
    """Return a function named ``name`` that applies ``op`` to the stored elements."""

    def named(x: Any) -> Any: ...

    named.__name__, named.__doc__, named.__module__ = name, text, "theano.sparse.basic"
    function: Callable[..., Any] = structured_monoid(op)(named)
    return function


def _zero_to_zero(op: Any, name: str) -> Callable[..., Any]:
    """As ``_of_stored``, for a function that maps 0 to 0: it then applies to the whole matrix."""
    return _of_stored(
        op, name, f"``{name}`` of each element of a sparse matrix, which stays sparse."
    )


sin = _zero_to_zero(trig.sin, "sin")
arcsin = _zero_to_zero(trig.arcsin, "arcsin")
tan = _zero_to_zero(trig.tan, "tan")
arctan = _zero_to_zero(trig.arctan, "arctan")
sinh = _zero_to_zero(trig.sinh, "sinh")
arcsinh = _zero_to_zero(trig.arcsinh, "arcsinh")
tanh = _zero_to_zero(trig.tanh, "tanh")
arctanh = _zero_to_zero(trig.arctanh, "arctanh")
rad2deg = _zero_to_zero(trig.rad2deg, "rad2deg")
deg2rad = _zero_to_zero(trig.deg2rad, "deg2rad")
rint = _zero_to_zero(rounding.round_half_to_even, "rint")
ceil = _zero_to_zero(rounding.ceil, "ceil")
floor = _zero_to_zero(rounding.floor, "floor")
trunc = _zero_to_zero(rounding.trunc, "trunc")
sgn = _zero_to_zero(arithmetic.sgn, "sgn")
log1p = _zero_to_zero(explog.log1p, "log1p")
expm1 = _zero_to_zero(explog.expm1, "expm1")
sqr = _zero_to_zero(arithmetic.sqr, "sqr")
sqrt = _zero_to_zero(arithmetic.sqrt, "sqrt")
conj = _zero_to_zero(complex_parts.conj, "conj")

_STORED = "of each stored element of a sparse matrix; what is not stored stays zero."
structured_sigmoid = _of_stored(activations.sigmoid, "structured_sigmoid", f"``sigmoid`` {_STORED}")
structured_exp = _of_stored(explog.exp, "structured_exp", f"``exp`` {_STORED}")
structured_log = _of_stored(explog.log, "structured_log", f"``log`` {_STORED}")
structured_pow = _of_stored(arithmetic.pow, "structured_pow", f"A power {_STORED}")
structured_minimum = _of_stored(
    arithmetic.minimum, "structured_minimum", f"The smaller of a number and {_STORED[3:]}"
)
structured_maximum = _of_stored(
    arithmetic.maximum, "structured_maximum", f"The larger of a number and {_STORED[3:]}"
)
structured_add = _of_stored(arithmetic.add, "structured_add", f"The sum with a number {_STORED}")
