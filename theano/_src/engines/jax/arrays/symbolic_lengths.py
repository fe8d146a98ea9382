"""Arithmetic on lengths that are unknown while jax traces: jax's symbolic dimensions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from theano._src.graph.graph import Apply
from theano._src.ground.xp import NumpyXp
from theano._src.ops.core.elemwise import Elemwise
from theano._src.types.run_node import has_compiled_form


class LengthsXp(NumpyXp):
    """NumPy on object arrays, some of whose elements are symbolic dimensions of jax."""

    name = "lengths"

    @staticmethod
    def astype(x: Any, dtype: Any) -> Any:
        """``x`` in another dtype, which must be an integer one for symbolic lengths."""
        x = np.asarray(x)
        if is_symbolic(x):
            if np.dtype(dtype).kind not in "iu":
                raise TypeError("a symbolic length is an integer")
            return x
        return x.astype(dtype)

    @staticmethod
    def asarray(x: Any, dtype: Any = None) -> Any:
        """An array of lengths; it keeps its objects if some are symbolic."""
        if isinstance(x, list | tuple):
            array = shape_array([np.asarray(one).item() for one in x])
        else:
            array = np.asarray(x)
        return array if is_symbolic(array) else array.astype(dtype or array.dtype)

    @staticmethod
    def maximum(a: Any, b: Any) -> Any:
        return _extreme("max_dim", a, b)

    @staticmethod
    def minimum(a: Any, b: Any) -> Any:
        return _extreme("min_dim", a, b)


def _extreme(name: str, a: Any, b: Any) -> Any:
    from jax import core

    return np.asarray(np.frompyfunc(getattr(core, name), 2, 1)(a, b), object)


lengths_xp = LengthsXp()


def is_traced(value: Any) -> bool:
    """Whether jax traces a value, so that it is not known yet."""
    import jax

    return isinstance(value, jax.core.Tracer) or getattr(value, "is_recorded", False)


def is_symbolic(value: Any) -> bool:
    """Whether a host value holds lengths that are not known yet."""
    if not isinstance(value, np.ndarray):
        return is_symbolic_length(value)
    return value.dtype == object and any(map(is_symbolic_length, value.flat))


def is_symbolic_length(one: Any) -> bool:
    """Whether this is a symbolic dimension of jax."""
    from jax import export

    return bool(export.is_symbolic_dim(one))


def shape_array(shape: Sequence[Any]) -> Any:
    """The lengths of a value as a vector of integers, or of objects if some are symbolic."""
    if all(isinstance(n, int) for n in shape):
        return np.array(shape, "int64")
    array = np.empty(len(shape), object)
    array[:] = list(shape)
    return array


def as_traced(xp: Any, value: Any, dtype: Any = "int64") -> Any:
    """A host value for a program: symbolic lengths become traced values."""
    if not is_symbolic(value):
        return value
    value = np.asarray(value, object)
    results = [xp.asarray(n, dtype) for n in value.flat]
    return xp.stack(results).reshape(value.shape) if value.ndim else results[0]


def length(value: Any) -> Any:
    """A 0-d value as an integer, or as a symbolic length."""
    value = np.asarray(value)
    return value.item() if value.dtype == object else int(value)


def run_on_lengths(node: Apply, values: Sequence[Any]) -> list[Any] | None:
    """The outputs of a node whose inputs hold symbolic lengths; None if they are not lengths."""
    if any(map(is_traced, values)) or not has_compiled_form(node):
        return None
    if any(v.type.numpy_dtype.kind not in "iub" for v in node.outputs):
        return None
    op, args = node.op, [np.asarray(x) for x in values]
    try:
        if isinstance(op, Elemwise):  # no need for its dtype conversions: all are integers
            result = op.scalar_op.compute(lengths_xp, *args)
        else:
            result = op.bind_xla(node)(lengths_xp, (), *args)
    except (TypeError, ValueError, AttributeError, NotImplementedError):
        return None  # the program computes the value
    outs = [result] if len(node.outputs) == 1 else list(result)
    return [_settled(x, v.type.numpy_dtype) for x, v in zip(outs, node.outputs, strict=True)]


def _settled(value: Any, dtype: Any) -> Any:
    """Convert to integers again if no symbolic length is left."""
    value = np.asarray(value)
    return value if is_symbolic(value) else value.astype(dtype)
