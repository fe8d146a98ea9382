"""Kinds of memory that an op may find in its output storage, and must handle."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import product
from typing import Any

import numpy as np

from theano._src.graph.graph import Apply, Variable
from theano._src.ground.config import config
from theano._src.types.tensor import TensorType

#: the slice steps to try in each dimension
_STEPS = (1, -1, 2, -2)


def output_memory(
    node: Apply,
    kinds: Sequence[str],
    expected: Sequence[Any],
    initial: Sequence[Any],
    again: Callable[[], list[Any]],
) -> Iterator[tuple[str, list[Any]]]:
    """Yield pairs of a description of the memory, and a value for each output.

    Parameters
    ----------
    node : Apply
    kinds : sequence of str
        Names from ``config.DebugMode.check_preallocated_output``.
    expected : sequence of values
        The outputs of the node, for their shapes.
    initial : sequence of values
        The contents of the storage before the call.
    again : function
        Runs the node and returns its outputs, whose memory may be reused.
    """
    for kind in kinds:
        match kind:
            case "initial":
                if any(x is not None for x in initial):
                    yield kind, list(initial)
            case "previous":
                yield kind, again()
            case "c_contiguous" | "f_contiguous":
                order = "C" if kind == "c_contiguous" else "F"
                yield kind, [_new_value(v, x, order=order) for v, x in _pairs(node, expected)]
            case "strided":
                most = max((_dimensions(x) for x in expected), default=0)
                for steps in product(_STEPS, repeat=min(most, _tried())):
                    if set(steps) - {1}:
                        yield (
                            f"strided {steps}",
                            [_strided(v, x, steps) for v, x in _pairs(node, expected)],
                        )
            case "wrong_size":
                most = max((_dimensions(x) for x in expected), default=0)
                for change in product((-1, 0, 1), repeat=min(most, _tried())):
                    if any(change):
                        yield (
                            f"wrong_size {change}",
                            [_new_value(v, x, change) for v, x in _pairs(node, expected)],
                        )


def _tried() -> int:
    return int(config.DebugMode.check_preallocated_output_ndim)


def _pairs(node: Apply, expected: Sequence[Any]) -> list[tuple[Variable, Any]]:
    return list(zip(node.outputs, expected, strict=True))


def _dimensions(value: Any) -> int:
    return value.ndim if isinstance(value, np.ndarray) else 0


def _garbage(shape: Sequence[int], dtype: Any, order: Any = "C") -> Any:
    """Arbitrary numbers, so that elements which an op did not write can be seen."""
    return np.full(shape, 113, dtype, order=order)


def _new_value(v: Variable, value: Any, change: Sequence[int] = (), order: Any = "C") -> Any:
    if not isinstance(v.type, TensorType) or not isinstance(value, np.ndarray):
        return None
    shape = list(value.shape)
    # change the innermost dimensions; the length of a broadcastable one cannot change
    for axis, n in zip(range(value.ndim - 1, -1, -1), reversed(change), strict=False):
        if not v.type.broadcastable[axis]:
            shape[axis] = max(0, shape[axis] + n)
    return _garbage(shape, value.dtype, order)


def _strided(v: Variable, value: Any, steps: Sequence[int]) -> Any:
    if not isinstance(v.type, TensorType) or not isinstance(value, np.ndarray):
        return None
    shape, cut = list(value.shape), [slice(None)] * value.ndim
    for axis, step in zip(range(value.ndim - 1, -1, -1), reversed(steps), strict=False):
        shape[axis] *= abs(step)
        cut[axis] = slice(None, None, step)
    return _garbage(shape, value.dtype)[tuple(cut)]
