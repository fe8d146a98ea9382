"""The methods of tensor variables that NumPy and jax call: dispatch protocols and conversion."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

import numpy as np

from theano._src.graph.graph import Constant
from theano._src.ground.documented import short_traceback
from theano._src.ground.lazy import at_first_use
from theano._src.ops.numpy_api.not_values import warn_of_objects
from theano._src.types.aliases import DTypeLike
from theano._src.types.shared import SharedVariable
from theano._src.types.tensor import TensorVariable, _tensor_py_operators

# loaded lazily: they import every family of ops, and few programs call NumPy on variables
_ufunc_form = at_first_use("theano._src.ops.numpy_api.protocols:array_ufunc")
_function_form = at_first_use("theano._src.ops.numpy_api.protocols:array_function")


def _array_ufunc(
    self: TensorVariable, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any
) -> Any:
    return _ufunc_form()(ufunc, method, *inputs, **kwargs)


def _array_function(
    self: TensorVariable,
    function: Callable[..., Any],
    types: Sequence[type],
    args: Sequence[Any],
    kwargs: dict[str, Any],
) -> Any:
    return _function_form()(function, types, args, kwargs)


def _array(
    self: TensorVariable, dtype: DTypeLike = None, copy: bool | None = None
) -> np.ndarray[Any, Any]:
    """Return an object array that holds the variable, or its value if a numeric dtype is given.

    Without a dtype a shared variable is an element too, so that ``np.sum([v, w])`` is symbolic.
    """
    if dtype is None or np.dtype(dtype) == object:
        if dtype is None:
            warn_of_objects(sys._getframe(1))
        array = np.empty((), object)
        array[()] = self
        return array
    if isinstance(self, Constant):
        value = self.data
    elif isinstance(self, SharedVariable):
        value = self.get_value(borrow=True)
    else:
        raise TypeError(
            f"NumPy takes values, got {self} of {self.type}, which has one only when it runs: "
            "give it one with .eval({variable: value}) or theano.function, or build the "
            "expression with theano.tensor"
        )
    return np.array(value, dtype=dtype)


#: functions of jax that test whether an argument is an array, and then fail; operators of jax
#: arrays test too, but fall back to ours
_ASK_FOR_ARRAYS = frozenset({"shaped_abstractify", "typeof", "_arraylike"})


@short_traceback
def _jax_array(self: TensorVariable) -> NoReturn:
    """Raise an error with advice if jax reads it; for others the attribute does not exist."""
    frame = sys._getframe(2)
    by_jax = str(frame.f_globals.get("__name__")).startswith("jax.")
    if not by_jax or frame.f_code.co_name not in _ASK_FOR_ARRAYS:
        raise AttributeError("__jax_array__", name="__jax_array__")
    # NOTE: not a TypeError, which jax would replace by a message about its internals
    raise ValueError(
        f"functions of jax take arrays, got {self} of {self.type}, which has a value only when it "
        "runs: use the function of theano.tensor, such as theano.tensor.exp for jax.numpy.exp, or "
        "theano.from_jax(function), which makes an op of a function of jax"
    )


def _install() -> None:
    _tensor_py_operators.__jax_array__ = property(_jax_array)  # type: ignore[attr-defined]
    _tensor_py_operators.__array__ = _array  # type: ignore[attr-defined]
    _tensor_py_operators.__array_ufunc__ = _array_ufunc  # type: ignore[attr-defined]
    _tensor_py_operators.__array_function__ = _array_function  # type: ignore[attr-defined]


_install()
