"""Crossentropies of classes: one column index for each row of a matrix of scores."""

from __future__ import annotations

from typing import Any

import numpy as np

from theano._src.engines.native.forms.computed import Symbol
from theano._src.engines.native.forms.folds import positions
from theano._src.engines.native.forms.index_pairs import taken, written
from theano._src.engines.native.ir import FLOATS
from theano._src.engines.native.loops import NotNative
from theano._src.engines.native.lowering import Lowering
from theano._src.engines.native.nests import Array
from theano._src.graph.graph import Apply


def crossentropy(low: Lowering, node: Apply) -> None:
    """CrossentropySoftmax1Hot and related ops, step by step as on the numpy engine."""
    *scores, y = _symbols(low, node)
    of_end = node.op.indexed
    s = scores[0] if len(scores) == 1 else scores[0] + scores[1][None, :]
    classes = _one_for_each_row(low, node, s.array, y.array)
    best = s.of(positions(low, s.array, (1,), largest=True))
    top = s.of(taken(low, s.array, None, best.array))
    at_class = s.of(taken(low, s.array, None, classes, from_the_end=of_end))
    e = np.exp(s - top.column())
    none = top - top
    e = e.of(written(low, e.array, none.array, None, best.array, "put"))
    rest = e.sum(axis=1)
    e = e.of(written(low, e.array, (none + 1).array, None, best.array, "put"))
    outputs = [np.log1p(rest) + (top - at_class), e / (rest + 1).column(), best]
    for v, result in zip(node.outputs, outputs, strict=False):
        low.set(v, result.astype(v.type.numpy_dtype).array)


def softmax_gradient(low: Lowering, node: Apply) -> None:
    """CrossentropySoftmax1HotWithBiasDx."""
    dy, sm, y = _symbols(low, node)
    classes = _one_for_each_row(low, node, sm.array, y.array)
    product = sm * (dy.column() if dy.ndim else dy)
    result = written(
        low, product.array, dy.array, None, classes, "sub", from_the_end=node.op.indexed
    )
    low.set(node.outputs[0], result)


def of_probabilities(low: Lowering, node: Apply) -> None:
    """CrossentropyCategorical1Hot."""
    coding, y = _symbols(low, node)
    classes = _one_for_each_row(low, node, coding.array, y.array)
    at_class = taken(low, coding.array, None, classes, from_the_end=node.op.indexed)
    low.set(node.outputs[0], (-np.log(coding.of(at_class))).array)


def _symbols(low: Lowering, node: Apply) -> list[Any]:
    """The inputs; all but the last, the classes, are floats of one dtype."""
    symbols = [Symbol(low, low.array(v), v.type.broadcastable) for v in node.inputs]
    *floats, _ = symbols
    if len({x.dtype for x in floats}) > 1 or floats[0].array.type not in FLOATS:
        raise NotNative("scores of several dtypes, or in half precision")
    if any(any(x.pattern) for x in symbols):
        raise NotNative("lengths of 1 that stretch")
    return symbols


def _one_for_each_row(low: Lowering, node: Apply, matrix: Array, classes: Array) -> Array:
    """The classes; where there are fewer than rows the call is left to the numpy engine."""
    n, count = low.length(matrix.lengths[0]), low.length(classes.lengths[0])
    if node.op.indexed and n != count:
        m = low.main
        with low.at(max(low.level_of(n, count), matrix.level, classes.level)):
            low.leave_if(m.compare("ne", n, count))
    return classes
