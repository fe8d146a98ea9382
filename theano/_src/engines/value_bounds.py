"""How large values can be: where a bound shows that they are finite and small, nobody looks.

Reading a gradient once more takes as long as making it.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import Any

import numpy as np

from theano._src.graph.graph import Apply, Constant, Variable
from theano._src.graph.op import Shapes


def own_bound(v: Variable) -> float:
    """The bound that a variable has by itself: of a constant its data, of others their dtype."""
    if isinstance(v, Constant):
        data = np.asarray(v.data)
        if data.dtype.kind not in "fciub" or not data.size:
            return 0.0 if not data.size else inf
        largest = float(np.max(np.abs(data)))
        return largest if np.isfinite(largest) else inf
    dtype = getattr(v.type, "numpy_dtype", None)
    if dtype is None or dtype.kind in "fc":
        return inf
    return 1.0 if dtype.kind == "b" else float(np.iinfo(dtype).max)


def bound_of(
    node: Apply,
    k: int,
    bounds: Sequence[float],
    ins: Shapes | None = None,
    outs: Shapes | None = None,
) -> float:
    """A bound of output ``k`` of a node whose inputs have ``bounds``; infinity for none."""
    out = node.outputs[k]
    if inf in bounds:
        return own_bound(out)  # one of them may be NaN
    found: float = node.op.value_bound(node, bounds, ins, outs)
    if found > end_of(getattr(out.type, "numpy_dtype", None)):
        found = inf
    return min(found, own_bound(out))


def end_of(dtype: Any) -> float:
    """The largest number of a dtype of floats, 65504 for float16; infinity for other dtypes."""
    return float(np.finfo(dtype).max) if dtype is not None and dtype.kind in "fc" else inf
