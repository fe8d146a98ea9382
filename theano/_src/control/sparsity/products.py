"""Rules of products, dense and sparse, and of sparse matrices."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from theano._src.control.sparsity.dependence import Dependence, union
from theano._src.control.sparsity.entries import Result
from theano._src.control.sparsity.walk import State, Step, conservative, shape_of
from theano._src.ops.sparse.base import KINDS, places
from theano._src.types.sparse import is_sparse

#: the dimensions of each input, labelled by integers
Labels = Sequence[int]

#: more pairs of entries than this are not listed: zeros of the other factor are not used
_PAIRS = 1 << 26


def _sum_of_products(step: Step, ins: Sequence[State], terms: Sequence[Labels], out: Labels) -> Any:
    """The union over the factors of a sum of products over the labels not in ``out``."""
    lengths: dict[int, int] = dict(zip(out, shape_of(step), strict=True))
    for state, term in zip(ins, terms, strict=True):
        if state.shape is None:
            return conservative(step)[0]
        lengths.update(zip(term, state.shape, strict=True))
    if any(len(set(labels)) < len(labels) for labels in (*terms, out)):
        return conservative(step)[0]
    return union(
        _through(state, term, out, lengths, [(s, t) for s, t in factors if s is not state])
        for factors in [list(zip(ins, terms, strict=True))]
        for state, term in factors
        if state.depends is not None
    )


def _through(
    state: State,
    term: Labels,
    out: Labels,
    lengths: Mapping[int, int],
    others: Sequence[tuple[State, Labels]],
) -> Dependence:
    """Return the dependence of a product through one of its factors."""
    assert state.depends is not None
    places = _coordinates(state, term)
    for other, labels in others if places is None else ():
        places = _nonzero(other, labels)
        if places is not None:
            break
    if places is None:
        return _dense(state.depends, term, out, lengths)
    free = [label for label in dict.fromkeys((*term, *out)) if label not in places]
    count = len(next(iter(places.values())))
    pairs = count * math.prod(lengths[label] for label in free)
    if pairs > _PAIRS and "number" not in places:
        return _dense(state.depends, term, out, lengths)
    index = {k: v.reshape(-1, *[1] * len(free)) for k, v in places.items()}
    for axis, label in enumerate(free):
        shape = [1] * (1 + len(free))
        shape[1 + axis] = lengths[label]
        index[label] = np.arange(lengths[label]).reshape(shape)
    whole = (count, *(lengths[label] for label in free))
    entry = index["number"] if "number" in places else _flat(index, term, lengths)
    at = _flat(index, out, lengths)
    n = math.prod(lengths[label] for label in out)
    return state.depends.relation(np.broadcast_to(at, whole), np.broadcast_to(entry, whole), n)


def _flat(index: Mapping[Any, Any], labels: Labels, lengths: Mapping[int, int]) -> Any:
    """Return the number of the entry at an index, in C order."""
    number: Any = np.zeros((), int)
    for label in labels:
        number = number * lengths[label] + index[label]
    return number


def _coordinates(state: State, term: Labels) -> dict[Any, Any] | None:
    """Return the positions and the numbers of the entries of a sparse matrix."""
    if state.layout is None:
        return None
    rows, columns = places(state.layout)
    return {term[0]: rows, term[1]: columns, "number": state.layout.data[: len(rows)] - 1}


def _nonzero(state: State, labels: Labels) -> dict[Any, Any] | None:
    """Return the positions of the elements of a known factor that has zeros."""
    if state.value is None:
        return None
    if is_sparse(state.value):
        matrix = state.value.tocoo()
        return dict(zip(labels, (matrix.row.astype(int), matrix.col.astype(int)), strict=True))
    if not labels or np.all(state.value != 0):
        return None
    return dict(zip(labels, np.nonzero(state.value), strict=True))


def _dense(x: Dependence, term: Labels, out: Labels, lengths: Mapping[int, int]) -> Dependence:
    """Return the dependence through a factor, if the other ones have no known zeros."""
    shape = [lengths[label] for label in term]
    summed = [axis for axis, label in enumerate(term) if label not in out]
    part = x.collapsed(shape, summed)
    kept = [label for label in term if label in out]
    numbers = np.arange(part.size).reshape([lengths[label] for label in kept])
    order = sorted(range(len(kept)), key=lambda axis: list(out).index(kept[axis]))
    aligned = np.transpose(numbers, order).reshape([lengths[k] if k in kept else 1 for k in out])
    return part.take(np.broadcast_to(aligned, [lengths[k] for k in out]))


def _matrix_labels(x: State, y: State) -> tuple[list[Labels], Labels]:
    left, right = (0, 1)[-len(x.shape or ()) :], (1, 2)[: len(y.shape or ())]
    return [left, right], (*left[:-1], *right[1:])


def dot(step: Step) -> Result:
    """x y for vectors and matrices, dense or sparse, with a dense result."""
    x, y = (_with_shape(s) for s in step.ins[:2])
    if x.shape is None or y.shape is None or step.shapes[0] is None:
        return conservative(step)
    terms, out = _matrix_labels(x, y)
    return [_sum_of_products(step, [x, y], terms, out)]


def _with_shape(state: State) -> State:
    """Return the state of a sparse matrix with its shape."""
    for matrix in (state.value, state.layout):
        if is_sparse(matrix):
            return State(matrix.shape, state.depends, state.value, state.layout)
    return state


def scaled_product(step: Step) -> Result:
    """``a x y``, and ``b z + a x y``, with the positions that the op has for them."""
    at, shape = step.node.op._at, shape_of(step)
    x, y = step.ins[at["x"]], step.ins[at["y"]]
    terms, out = _matrix_labels(x, y)
    scales = [step.ins[at[name]].depends for name in ("a", "b") if name in at]
    return [
        union(
            [
                _sum_of_products(step, [x, y], terms, out),
                step.ins[at["z"]].depends if "z" in at else None,
                *(d.everywhere(math.prod(shape)) for d in scales if d is not None),
            ]
        )
    ]


def batched_dot(step: Step) -> Result:
    x, y = step.ins
    left = (0, 1, 2) if len(x.shape or ()) == 3 else (0, 2)
    right = (0, 2, 3) if len(y.shape or ()) == 3 else (0, 2)
    return [_sum_of_products(step, [x, y], [left, right], (*left[:-1], *right[2:]))]


def tensordot(step: Step) -> Result:
    op, (x, y) = step.node.op, step.node.inputs
    m, n, first = x.type.ndim, y.type.ndim, int(op.batch)
    pairs = dict(zip(op.axes_b, op.axes_a, strict=True))
    right = [0 if first and j == 0 else pairs.get(j, m + j) for j in range(n)]
    free_a, free_b = op._left(m, n)
    out = [*range(first), *free_a, *[m + j for j in free_b]]
    return [_sum_of_products(step, step.ins, [range(m), right], out)]


def einsum(step: Step) -> Result:
    return [_sum_of_products(step, step.ins, step.node.op.terms, step.node.op.output)]


# sparse matrices: their entries are the stored elements


def build(step: Step) -> Result:
    """A sparse matrix with known positions, made of its data."""
    data, *parts = step.ins
    if any(s.value is None for s in parts):
        return conservative(step)
    indices, indptr, shape = (s.value for s in parts)
    numbers = np.arange(1, len(indices) + 1)
    layout = KINDS[step.node.op.format]((numbers, indices, indptr), tuple(map(int, shape)))
    return [State(layout.shape, data.depends, None, layout)]


def parts(step: Step) -> Result:
    """The data of a sparse matrix; its other parts are constant."""
    (x,) = step.ins
    if x.layout is None:
        return conservative(step)
    layout = x.layout
    known = (layout.indices, layout.indptr, np.asarray(layout.shape))
    kinds = [v.type.dtype for v in step.node.outputs]
    rest = [State(k.shape, None, k.astype(d)) for k, d in zip(known, kinds[1:], strict=True)]
    stored = None if x.depends is None else x.depends.take(layout.data - 1)
    return [State((layout.nnz,), stored), *rest]


def same_stored(step: Step) -> Result:
    """The stored elements of the first input, at the same positions."""
    (x, *_) = step.ins
    return [State(x.shape, x.depends, None, x.layout)]


def transpose(step: Step) -> Result:
    (x,) = step.ins
    layout = None if x.layout is None else x.layout.T
    return [State(x.shape and x.shape[::-1], x.depends, None, layout)]


def converted(step: Step) -> Result:
    """The same matrix in another format."""
    (x,) = step.ins
    layout = None if x.layout is None else x.layout.asformat(step.node.op.format)
    return [State(x.shape, x.depends, None, layout)]


def dense(step: Step) -> Result:
    """A sparse matrix as an array."""
    (x,) = step.ins
    if x.layout is None or x.depends is None:
        return conservative(step)
    rows, columns = places(x.layout)
    at = rows.astype(int) * x.layout.shape[1] + columns
    return [x.depends.relation(at, x.layout.data[: len(rows)] - 1, math.prod(x.layout.shape))]


def sums(step: Step) -> Result:
    """The sums of a sparse matrix along an axis, or of everything."""
    (x,), axis = step.ins, step.node.op.axis
    if x.layout is None or x.depends is None or axis is None:
        return conservative(step)
    at = places(x.layout)[1 - axis]
    n = x.layout.shape[1 - axis]
    return [x.depends.relation(at, x.layout.data[: len(at)] - 1, n)]
