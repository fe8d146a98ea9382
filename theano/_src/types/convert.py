"""Convert Python numbers, lists and arrays to tensor variables, with the documented casting."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from theano._src.graph.graph import Apply, Variable
from theano._src.graph.testvalue import AS_VARIABLE
from theano._src.ground.config import config
from theano._src.ground.documented import documented_in
from theano._src.ground.errors import AsTensorError
from theano._src.types.aliases import TensorLike
from theano._src.types.dtypes import integer_dtypes, known_dtype
from theano._src.types.other_arrays import viewed
from theano._src.types.tensor import TensorConstant, TensorType, TensorVariable, tensor_type


@documented_in("theano.scalar.basic")
class NumpyAutocaster:
    """Converts a Python number to the first dtype of a list that holds it exactly.

    >>> import theano
    >>> theano.scalar.autocast_int(300).dtype.name
    'int16'
    """

    def __init__(self, dtypes: tuple[str, ...]) -> None:
        self.dtypes = tuple(dtypes)

    def __call__(self, x: Any) -> Any:
        if hasattr(x, "dtype"):
            return np.asarray(x)
        policy = config.cast_policy
        if policy in ("numpy", "numpy+floatX"):
            array = np.asarray(x)
            if policy == "numpy+floatX" and array.dtype == np.float64:
                array = array.astype(config.floatX)
            return array
        if isinstance(x, float) and config.floatX != "float64" and config.floatX in self.dtypes:
            with np.errstate(over="ignore"):
                return np.asarray(x, dtype=config.floatX)
        if isinstance(x, int):
            return np.asarray(x, self._for_int(x))
        with np.errstate(all="ignore"):
            for dtype in self.dtypes:
                if dtype == "float16" and len(self.dtypes) > 1:
                    continue  # only if floatX is float16
                array = np.asarray(x, dtype=dtype)
                # compare as Python numbers: NumPy would compare in the narrow dtype
                if array.item() == x or x != x:
                    break
        return array

    def _for_int(self, x: int) -> str | None:
        for dtype in self.dtypes:
            low, high = _INT_RANGE.get(dtype, (0, -1))
            if low <= x <= high:
                return dtype
        return None


_INT_RANGE = {name: (int(np.iinfo(name).min), int(np.iinfo(name).max)) for name in integer_dtypes}

autocast_int = NumpyAutocaster(("int8", "int16", "int32", "int64"))
autocast_float = NumpyAutocaster(("float16", "float32", "float64"))


@documented_in("theano.scalar.basic")
@contextmanager
def autocast_float_as(*dtypes: str) -> Iterator[None]:
    """Within the block, convert Python floats to the first of ``dtypes`` that holds them.

    >>> import theano.tensor as T
    >>> with T.autocast_float_as("float32"):
    ...     T.constant(0.1).dtype
    'float32'
    """
    saved = autocast_float.dtypes
    autocast_float.dtypes = tuple(dtypes)
    try:
        yield
    finally:
        autocast_float.dtypes = saved


def _advice(x: object) -> str:
    """Return the end of the message for a value that cannot become a tensor."""
    if x is None:
        return ": a value is missing; is it what a function without a return gave?"
    if callable(x):
        return ": it is a function; call it, and use what it returns"
    if isinstance(x, int):
        return ": it does not fit 64 bits; write float(...) for the nearest float64"
    return ", which is made of numbers, arrays and lists of them"


@documented_in("theano.tensor.basic")
def constant(
    x: Any, name: Any = None, ndim: int | None = None, dtype: Any = None
) -> TensorConstant:
    """Return a constant for ``x``: a number, an array (copied), or a nested list of numbers.

    Python ints take the smallest signed dtype, Python floats float32 if that is exact, else
    float64 (always floatX when that is narrower). A dimension of length 1 is broadcastable.
    ``dtype`` overrides the dtype, ``ndim`` adds dimensions on the left up to that number, and
    ``name`` names the constant.

    >>> import theano.tensor as T
    >>> T.constant(1).dtype, T.constant(0.1).dtype
    ('int8', 'float64')
    """
    if isinstance(x, Variable):
        raise TypeError(f"constant takes a number or an array, got the symbolic variable {x}")
    result = viewed(x)
    if result is not None:
        x = result
    if dtype is not None:
        data = np.array(x, dtype=known_dtype(dtype))
    elif isinstance(x, int):
        data = autocast_int(x)
    elif isinstance(x, float):
        data = autocast_float(x)
    elif isinstance(x, np.ndarray):
        data = np.array(x, copy=True, order="K", subok=False)
    else:
        try:
            data = np.array(x)
        except ValueError as e:
            raise AsTensorError(f"cannot make a constant of {x!r:.80}: {e}") from e
        if data.size == 0 and isinstance(x, (list, tuple)):
            data = data.astype(config.floatX)  # there are no elements to infer the dtype from
    if data.dtype == object or data.dtype.kind in "USVmM":
        raise AsTensorError(
            f"Could not convert {x!r:.80} of type {type(x).__name__} to TensorType{_advice(x)}"
        )
    if ndim is not None and data.ndim != ndim:
        if data.ndim > ndim:
            raise ValueError(f"constant with ndim={ndim} got {data.ndim} dimensions: {x!r:.80}")
        data = data.reshape((1,) * (ndim - data.ndim) + data.shape)
    kind = tensor_type(data.dtype.name, tuple(n == 1 for n in data.shape))
    return TensorConstant(kind, data, name)


#: further conversions, tried in order; the ops layer adds the ones that need ops
CONVERTERS: list[Callable[[Any], TensorVariable | None]] = []


@documented_in("theano.tensor.basic")
def as_tensor_variable(x: TensorLike, name: Any = None, ndim: int | None = None) -> TensorVariable:
    """Return ``x`` if it is a tensor variable, else convert it to one, usually a constant.

    A list that holds variables is stacked. ``ndim`` pads on the left with broadcastable
    dimensions. ``name`` names the new variable.

    >>> import theano.tensor as T
    >>> T.as_tensor_variable([[1, 2], [3, 4]]).type
    TensorType(int64, matrix)
    """
    if isinstance(x, Variable) and isinstance(x.type, TensorType):
        tensor: Any = x
        return tensor if ndim is None else _with_ndim(tensor, ndim)
    own: Callable[[], TensorVariable] | None = getattr(x, "_as_TensorVariable", None)
    if own is not None:
        return own()
    if isinstance(x, Apply):
        if len(x.outputs) != 1 and getattr(x.op, "default_output", None) is None:
            raise ValueError(
                f"as_tensor_variable takes a node with one output or a default_output, got {x}"
            )
        return as_tensor_variable(x.default_output(), name, ndim)
    for convert in CONVERTERS:
        result = convert(x)
        if result is not None:
            if name is not None:
                result.name = name
            return result if ndim is None else _with_ndim(result, ndim)
    if isinstance(x, bool):
        raise AsTensorError(
            f"as_tensor_variable takes tensors, numbers and arrays, got {x}: == on variables "
            "compares identity, use theano.tensor.eq; for a constant write numpy.array"
            f"({x})"
        )
    if isinstance(x, Variable):
        raise AsTensorError(
            f"as_tensor_variable takes tensors, numbers and arrays, got {x} of type {x.type}"
        )
    return constant(x, name=name, ndim=ndim)


AS_VARIABLE.append(as_tensor_variable)


def _with_ndim(x: TensorVariable, ndim: int) -> TensorVariable:
    if x.ndim == ndim:
        return x
    if x.ndim > ndim:
        # NOTE: as documented, leading broadcastable dimensions can be dropped again
        first = x.ndim - ndim
        if not all(x.broadcastable[:first]):
            raise ValueError(
                f"TensorType could not be cast to have {ndim} dimensions: {x} has {x.ndim}"
            )
        return x.dimshuffle(*range(first, x.ndim))
    return x.dimshuffle(*("x",) * (ndim - x.ndim), *range(x.ndim))


@documented_in("theano")
def asarray(a: Any, dtype: Any, order: Any = None) -> Any:
    """``numpy.asarray`` that also takes 'floatX' as ``dtype``.

    >>> import theano
    >>> theano._asarray([1, 2], dtype="floatX").dtype.name
    'float64'
    """
    return np.asarray(a, dtype=config.floatX if str(dtype) == "floatX" else dtype, order=order)
