"""Arrays of real numbers: their elements are terms of z3, and nodes are evaluated on them.

Numbers are symbols; lengths, indices, integers and truth values are known.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial, reduce
from itertools import product
from typing import Any

import numpy as np

from theano._src.graph.graph import Apply, Variable
from theano._src.graph.op_table import OpTable
from theano._src.graph.walk import nodes_of
from theano._src.ops.elementwise.arithmetic import add, mul
from theano._src.testing.evaluate import root_value, run_node
from theano._src.testing.proofs.reals import real_meaning
from theano._src.testing.proofs.world import NoReading, Truth, Value, World

#: an array of values, or of known integers and truth values
Array = Any
ArrayRow = Callable[[World, Apply, Sequence[Array]], list[Array]]

#: the elements of the results of ops on arrays: a function of a World, a node and its inputs
array_meaning: OpTable[ArrayRow] = OpTable({})
#: rows that do not run the op on numbers to see which lengths and indices do not fit
checks_itself: set[ArrayRow] = set()

_NUMBERS = np.frompyfunc(lambda data, world: world.number(data), 2, 1)
_TRUTHS = np.frompyfunc(lambda data, world: Truth(world.z3.BoolVal(bool(data))), 2, 1)


def is_symbolic(array: Any) -> bool:
    return bool(array.dtype == object)


def symbolic(world: World, array: Any) -> Array:
    """Return an array with known numbers as values."""
    array = np.asarray(array)
    if is_symbolic(array):
        return array
    return np.asarray((_TRUTHS if array.dtype == bool else _NUMBERS)(array, world), object)


def evaluate_symbols(
    world: World, outputs: Sequence[Variable], givens: dict[Variable, Any]
) -> list[Array]:
    """Return the elements of outputs as values of a world."""
    values: dict[Variable, Any] = dict(givens)
    for node in nodes_of(outputs, values):
        args = [np.asarray(root_value(values, v)) for v in node.inputs]
        values.update(zip(node.outputs, run_symbols(world, node, args), strict=True))
    return [np.asarray(root_value(values, v)) for v in outputs]


def run_symbols(world: World, node: Apply, args: Sequence[Array]) -> list[Array]:
    if not any(map(is_symbolic, args)):
        return [np.asarray(y) for y in run_node(node, args)]
    row = array_meaning.get(node.op)
    if row is None:
        raise NoReading(f"{node.op} has no row in theano.extend.array_meaning")
    if row not in checks_itself:
        # the op itself says which lengths and indices do not fit
        example = [_example(v, a) for v, a in zip(node.inputs, args, strict=True)]
        node.op.validate(node, example)
        run_node(node, example)
    return row(world, node, args)


def _example(v: Variable, array: Array) -> Array:
    return np.full(array.shape, 0.5).astype(v.type.dtype) if is_symbolic(array) else array


# what rows are written with


def applied(world: World, op: Any, *values: Value) -> Value:
    """Apply the scalar op of an elementwise op."""
    return real_meaning[op.scalar_op](world, *values)


_EMPTY = {type(add.scalar_op): 0, type(mul.scalar_op): 1}


def last(x: Array, axes: Sequence[int]) -> Array:
    """Return an array with some dimensions as one, the last."""
    kept = [d for d in range(x.ndim) if d not in axes]
    size = math.prod(x.shape[d] for d in axes)
    return x.transpose(*kept, *axes).reshape(*(x.shape[d] for d in kept), size)


def folded(world: World, rows: Array, op: Any) -> Array:
    """Fold the last dimension by the scalar op of an op."""
    out = np.empty(rows.shape[:-1], object)
    for at in np.ndindex(*out.shape):
        values = list(rows[at])
        out[at] = (
            reduce(partial(applied, world, op), values)
            if values
            else world.number(_EMPTY[type(op.scalar_op)])
        )
    return out


def dotted(world: World, a: Array, b: Array) -> Array:
    """The product of matrices or vectors."""
    a, b = symbolic(world, a), symbolic(world, b)
    rows, columns = np.atleast_2d(a), b.reshape(b.shape[0], math.prod(b.shape[1:]))
    out = np.empty((rows.shape[0], columns.shape[1]), object)
    for i, j in product(*map(range, out.shape)):
        terms = [applied(world, mul, p, q) for p, q in zip(rows[i], columns[:, j], strict=True)]
        out[i, j] = reduce(partial(applied, world, add), terms, world.number(0))
    return out.reshape(a.shape[:-1] + b.shape[1:])


def each(world: World, op: Any, *arrays: Any) -> Array:
    """Apply a scalar op to elements."""
    given: Any = np.broadcast_arrays(*(symbolic(world, a) for a in arrays))
    out = np.empty(given[0].shape, object)
    for at in np.ndindex(*out.shape):
        out[at] = applied(world, op, *(g[at] for g in given))
    return out
