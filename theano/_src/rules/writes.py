"""Rules for writes into parts of arrays: set_subtensor and inc_subtensor."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeGuard

import numpy as np

from theano._src.graph.graph import Apply, Owned
from theano._src.ground.errors import EmptyConstantError, NotScalarConstantError
from theano._src.ops.core.cast import cast
from theano._src.ops.core.elemwise import is_elemwise
from theano._src.ops.elementwise.arithmetic import (
    Add,
    Mul,
    Neg,
    Sub,
    TrueDiv,
    add,
    fill,
    mul,
    neg,
    sub,
)
from theano._src.ops.index.advanced import (
    AdvancedBooleanIncSubtensor,
    AdvancedIncSubtensor,
    AdvancedSubtensor,
)
from theano._src.ops.index.index_grad import each_once
from theano._src.ops.index.index_list import fill as fill_index, key_of
from theano._src.ops.index.subtensor import IncSubtensor, Subtensor
from theano._src.ops.index.subtensor1 import (
    AdvancedIncSubtensor1,
    AdvancedSubtensor1,
    advanced_subtensor1,
)
from theano._src.ops.shape.alloc import Alloc, alloc
from theano._src.ops.shape.dims import dimshuffle
from theano._src.ops.shape.shape import shape_i_op
from theano._src.ops.shape.static_values import get_scalar_constant_value, known_int
from theano._src.rewrite.pattern import same_variable
from theano._src.rewrite.rule import FunctionRule
from theano._src.rules.factoring import is_rounded
from theano._src.rules.lengths import (
    in_range,
    lengths_of,
    only_here,
    same_length,
    same_lengths,
    same_number,
    with_length_check,
)
from theano._src.rules.structure import matrix, on, patterned, vector
from theano._src.types.convert import constant

#: the most writes into one array that are considered together; longer chains are left alone
_MOST = 256

WRITERS = (IncSubtensor, AdvancedIncSubtensor, AdvancedIncSubtensor1)


def _same_inputs(a: Sequence[Any], b: Sequence[Any]) -> bool:
    return len(a) == len(b) and all(same_variable(p, q) for p, q in zip(a, b, strict=True))


def _constant_value(v: Any) -> Any:
    """Return the number that an array is filled with, looking through alloc and fill, or None."""
    try:
        return get_scalar_constant_value(v)
    except (NotScalarConstantError, EmptyConstantError):
        return None


def _is_zero(v: Any) -> bool:
    result = _constant_value(v)
    return result is not None and result == 0


def _read_by(node: Apply) -> Any:
    """Return the op that reads the part that a node writes."""
    match node.op:
        case IncSubtensor():
            return Subtensor(node.op.idx_list)
        case AdvancedIncSubtensor1():
            return advanced_subtensor1
        case AdvancedIncSubtensor():
            return AdvancedSubtensor(node.op.idx_list)
    return None


def _place(node: Apply) -> Any:
    """Return the index of a reading or writing node: its kind and its inputs."""
    op = node.op
    first = 2 if isinstance(op, WRITERS) else 1
    kind = "rows" if isinstance(op, (AdvancedSubtensor1, AdvancedIncSubtensor1)) else None
    basic = isinstance(op, (Subtensor, IncSubtensor))
    return kind or (basic, key_of(op.idx_list)), node.inputs[first:]


def _one_place(a: Apply, b: Apply) -> bool:
    (kind, inputs), (other, others) = _place(a), _place(b)
    return kind == other and _same_inputs(inputs, others)


def _in_range(fgraph: Any, node: Apply) -> bool:
    """Whether the index of a reading or writing node is known to be in range."""
    (kind, inputs), x = _place(node), node.inputs[0]
    if kind == "rows":
        return in_range(fgraph, inputs[0], x, 0)
    if not isinstance(node.op, (Subtensor, IncSubtensor)):
        return False
    entries = fill_index(node.op.idx_list, inputs)
    return all(in_range(fgraph, e, x, axis) for axis, e in enumerate(entries))


def _meets_once(node: Apply) -> bool:
    """Whether an index is known to select no element twice."""
    if isinstance(node.op, (Subtensor, IncSubtensor)):
        return True
    return isinstance(node.op, (AdvancedSubtensor1, AdvancedIncSubtensor1)) and each_once(
        node.inputs[-1]
    )


def part_of_set(fgraph: Any, node: Apply) -> list[Any] | None:
    """set_subtensor(x[i], y)[i] -> y, broadcast to the shape of the part"""
    wrote = node.inputs[0].owner
    if wrote is None or not isinstance(wrote.op, WRITERS) or not wrote.op.set_instead_of_inc:
        return None
    if not _one_place(wrote, node) or not _meets_once(node):
        return None
    if only_here(node.inputs[0]) and not _in_range(fgraph, node):
        return None  # no other node would report an index out of range
    y, out = wrote.inputs[1], node.outputs[0]
    if y.type.dtype != out.type.dtype:
        y = cast(y, out.type.dtype)
    if y.type != out.type or not same_lengths(fgraph, wrote.inputs[1], out):
        lengths = lengths_of(fgraph, out)
        if lengths is None:
            return None
        y = alloc(y, *lengths)
    return [patterned(y, out)]


def set_to_itself(fgraph: Any, node: Apply) -> list[Any] | None:
    """set_subtensor(x[i], x[i]) -> x, where i is known to be in range"""
    x, y = node.inputs[:2]
    if not node.op.set_instead_of_inc or not _in_range(fgraph, node):
        return None
    read = y.owner
    if read is not None and isinstance(read.op, (Subtensor, AdvancedSubtensor, AdvancedSubtensor1)):
        return [x] if read.inputs[0] is x and _one_place(read, node) else None
    value = _constant_value(x)
    same = value is not None and _constant_value(y) == value and y.type.ndim == 0
    return [x] if same else None


def nothing_added(fgraph: Any, node: Apply) -> list[Any] | None:
    """inc_subtensor(x[i], 0) -> x, where i is known to be in range and 0 to fit"""
    x, y, *index = node.inputs
    if node.op.set_instead_of_inc or not _is_zero(y) or not _in_range(fgraph, node):
        return None
    fits = all(y.type.broadcastable) or same_lengths(fgraph, y, _read_by(node)(x, *index))
    return [x] if fits else None


def zeros_written(node: Apply) -> list[Any] | None:
    """inc_subtensor(zeros[i], y) -> set_subtensor(zeros[i], y)"""
    op = node.op
    if op.set_instead_of_inc or not _is_zero(node.inputs[0]):
        return None
    tolerated = op.destroyhandler_tolerate_aliased
    return [IncSubtensor(op.idx_list, op.inplace, True, tolerated)(*node.inputs)]


def whole_written(fgraph: Any, node: Apply) -> list[Any] | None:
    """set_subtensor(x[:], y) -> y; inc_subtensor(x[:], y) -> x + y"""
    x, y, *parts = node.inputs
    # NOTE: writing broadcasts a value of length 1
    if parts or y.type != x.type or not same_lengths(fgraph, x, y):
        return None
    new = y if node.op.set_instead_of_inc else add(x, y)
    return [new] if new.type == x.type else None


def set_of_sum(fgraph: Any, node: Apply) -> list[Any] | None:
    """set_subtensor(x[i], x[i] + y) -> inc_subtensor(x[i], y), if i selects nothing twice"""
    x, value, *index = node.inputs
    result = value.owner
    if not node.op.set_instead_of_inc or result is None or not is_elemwise(result, Add):
        return None
    if len(result.inputs) != 2 or value.type.dtype != x.type.dtype or not _meets_once(node):
        return None
    for p, y in (result.inputs, result.inputs[::-1]):
        read = p.owner
        if read is None or not read.inputs or read.inputs[0] is not x:
            continue
        if not isinstance(read.op, (Subtensor, AdvancedSubtensor1)) or not _one_place(read, node):
            continue
        # addition broadcasts by type, writing by length
        if not all(
            b or same_length(fgraph, y, d, p, d) for d, b in enumerate(y.type.broadcastable)
        ):
            continue
        inplace = node.op.inplace
        if isinstance(node.op, IncSubtensor):
            return [IncSubtensor(node.op.idx_list, inplace)(x, y, *index)]
        return [AdvancedIncSubtensor1(inplace)(x, y, *index)]
    return None


def filled_value_written(fgraph: Any, node: Apply) -> list[Any] | None:
    """inc_subtensor(x[i], alloc(y, the lengths of x[i])) -> inc_subtensor(x[i], y)"""
    x, value, *index = node.inputs
    result = value.owner
    if result is None or not isinstance(result.op, Alloc):
        return None
    y, *lengths = result.inputs
    part = lengths_of(fgraph, _read_by(node)(x, *index))
    if part is None:
        return None
    new = len(lengths) - y.type.ndim
    for d, n in enumerate(lengths):
        if same_number(n, part[len(part) - len(lengths) + d]):
            continue
        if known_int(n) != 1 or (d >= new and not y.type.broadcastable[d - new]):
            return None
    return [node.op(x, y, *index)]


class _Write(NamedTuple):
    """One write: the op, the value, and the inputs of the index."""

    op: Any
    value: Any
    where: Sequence[Any]


def sum_of_writes(fgraph: Any, node: Apply) -> list[Any] | None:
    """inc_subtensor(0[i], y) + inc_subtensor(0[j], z) + w -> increments of one array in turn

    Each can then work in place. The incremented array stays a term unless it is zeros, as it is
    in gradients.
    """
    out = node.outputs[0]
    if len(node.inputs) < 2:
        return None
    written = [(v, _added_to_zeros(v, out)) for v in node.inputs]
    chains = [(v, chain) for v, chain in written if chain]
    plain = [v for v, chain in written if not chain]
    if not chains:
        results = [v.owner for v in plain if _is_increment(v, out)]
        if len(results) < len(plain):
            return None
        # inc(a, y) + inc(a, z) is 2a with both increments
        return [_written(add(*[n.inputs[0] for n in results]), [_write(n) for n in results])]
    any_order = _any_order(plain, [chain for _, chain in chains])
    in_order = all(chain for _, chain in written[len(plain) :])
    if not plain:
        # all increments go into the array of one chain: the longest need not be rebuilt
        base = max(range(len(chains)), key=lambda k: len(chains[k][1])) if any_order else 0
        plain.append(chains.pop(base)[0])
    if any(v.type != out.type for v in plain):
        return None
    if not any_order and not (in_order and all(len(chain) == 1 for _, chain in chains)):
        return None
    tip = plain[0] if len(plain) == 1 else add(*plain)
    for v, chain in chains:
        checked = _as_long(fgraph, tip, v)
        if checked is None:
            return None
        tip = _written(checked, chain)
    return [tip]


def difference_of_writes(fgraph: Any, node: Apply) -> list[Any] | None:
    """w - inc_subtensor(0[i], y) -> inc_subtensor(w[i], -y)

    A step of gradient descent on some rows of a table then touches only those rows.
    """
    w, v = node.inputs
    out = node.outputs[0]
    chain = _added_to_zeros(v, out)
    if not chain or w.type != out.type:
        return None
    if len(chain) > 1 and not _any_order([w], [chain]):
        return None
    checked = _as_long(fgraph, w, v)
    return None if checked is None else [_written(checked, chain, neg)]


def _any_order(plain: Sequence[Any], chains: Sequence[Sequence[_Write]]) -> bool:
    """Whether written values may be added one by one to a sum of other terms.

    This is harmless if all terms but one are rounded already: see `is_exact` in ``gemm_terms``.
    A single write does not need this: values for one place are added in any order anyway.
    """
    exact = sum(not is_rounded(v) for v in plain)
    for chain in chains:
        inside = sum(not is_rounded(write.value) for write in chain)
        # one exact value among several is no larger than these and their sum, which is rounded
        exact += inside if len(chain) == 1 else max(inside - 1, 0)
    return exact <= 1


def scaled_writes(node: Apply) -> list[Any] | None:
    """c * inc_subtensor(0[i], y) -> inc_subtensor(0[i], c * y), for a number c; -x, x / c likewise

    Only the written values are multiplied, not the whole array.
    """
    op = node.op
    arrays = [k for k, v in enumerate(node.inputs) if not all(v.type.broadcastable)]
    if len(arrays) != 1 or op.inplace_items:
        return None
    (at,) = arrays
    if type(op.scalar_op) is TrueDiv and at == 1:
        return None
    zeros, chain = _onto_zeros(node.inputs[at], node.outputs[0])

    def scaled(y: Any) -> Any:
        inputs = (y if k == at else _with_ndim(v, y.type.ndim) for k, v in enumerate(node.inputs))
        return op(*inputs)

    return [_written(zeros, chain, scaled)] if chain else None


def _with_ndim(number: Any, ndim: int) -> Any:
    if number.type.ndim == ndim:
        return number
    return dimshuffle(dimshuffle(number), *["x"] * ndim)


def _as_long(fgraph: Any, x: Any, model: Any) -> Any:
    """Check ``x`` to be as long as ``model``; None if the latter is not known."""
    if same_lengths(fgraph, x, model):
        return x
    return None if lengths_of(fgraph, model) is None else with_length_check(fgraph, x, model)


def _write(node: Apply) -> _Write:
    return _Write(node.op, node.inputs[1], node.inputs[2:])


def _written(x: Any, chain: Sequence[_Write], change: Callable[[Any], Any] | None = None) -> Any:
    """Apply writes to ``x``, with ``change`` applied to their values first."""
    dtype = x.type.dtype
    for op, y, where in chain:
        if change is not None:
            # cast to the dtype of the array before the change
            y = change(y if y.type.dtype == dtype else cast(y, dtype))
        x = op(x, y, *where)
    return x


def _onto_zeros(v: Any, out: Any) -> tuple[Any, list[_Write]]:
    """Return zeros and the writes into them that produce ``v``, which has no other use."""
    chain: list[_Write] = []
    while _is_write(v, out) and len(chain) < _MOST:
        chain.append(_write(v.owner))
        v = v.owner.inputs[0]
    return (v, chain[::-1]) if chain and _is_zero(v) else (v, [])


def _added_to_zeros(v: Any, out: Any) -> list[_Write]:
    """Return the increments of zeros that produce ``v``; empty if a write sets its value."""
    _, chain = _onto_zeros(v, out)
    if chain and isinstance(chain[0].op, IncSubtensor):
        # into zeros, and with no place selected twice, setting equals adding
        chain[0] = chain[0]._replace(op=IncSubtensor(chain[0].op.idx_list))
    return [] if any(w.op.set_instead_of_inc for w in chain) else chain


def _is_write(v: Any, out: Any) -> TypeGuard[Owned]:
    node = v.owner
    return (
        node is not None
        and isinstance(node.op, (*WRITERS, AdvancedBooleanIncSubtensor))
        and not node.op.inplace
        and v.type == out.type
        and only_here(v)
    )


def _is_increment(v: Any, out: Any) -> TypeGuard[Owned]:
    return _is_write(v, out) and not v.owner.op.set_instead_of_inc


def _zeros(x: Any) -> Any:
    return fill(x, constant(np.float64(0)))


def _incremented(x: Any, y: Any, *index: Any, put: bool = False) -> Any:
    read = x[index].owner
    return IncSubtensor(read.op.idx_list, set_instead_of_inc=put)(x, y, *read.inputs[1:])


_FIRST, _ALL = "canonicalize specialize", "canonicalize stabilize specialize"
_ROW = slice(1, None)

# fmt: off
RULES = (
    FunctionRule(part_of_set, "part_of_set", _FIRST,
                 [Subtensor, AdvancedSubtensor1],
                 tags=("local_subtensor_inc_subtensor", "local_adv_sub1_adv_inc_sub1"),
                 example=on(lambda x, y: _incremented(x, y, _ROW, put=True)[1:], matrix, vector)),
    FunctionRule(set_to_itself, "set_to_itself", _ALL, WRITERS,
                 tags=("local_setsubtensor_of_constants", "local_setsubtensor_of_allocs",
                       "local_useless_inc_subtensor"),
                 example=on(lambda x: _incremented(x, x[1:], _ROW, put=True))),
    FunctionRule(nothing_added, "nothing_added", "canonicalize stabilize", WRITERS,
                 hazard="-0.0 + 0 is 0.0, the replacement -0.0",
                 tags=("local_incsubtensor_of_zeros", "local_incsubtensor_of_allocs"),
                 example=on(lambda x: _incremented(x, 0.0, _ROW))),
    FunctionRule(whole_written, "whole_written", _FIRST, [IncSubtensor],
                 tags=("local_useless_inc_subtensor", "local_useless"),
                 example=on(lambda x: IncSubtensor((), set_instead_of_inc=True)(x, x * 2))),
    FunctionRule(sum_of_writes, "sum_of_writes", "canonicalize", [Add],
                 hazard="the last digits may differ: sums are taken in another order",
                 tags=("local_IncSubtensor_serialize", "pre_local_IncSubtensor_serialize"),
                 example=on(lambda x: add(_incremented(_zeros(x), x[1:], _ROW),
                                          _incremented(_zeros(x), x[0], 0)))),
    FunctionRule(scaled_writes, "scaled_writes", _FIRST, [Mul, Neg, TrueDiv],
                 hazard="0 where nothing is written, also where the number is infinite or NaN, or "
                        "divides by 0; sums of floats are rounded after each factor",
                 example=on(lambda x: mul(2.0, _incremented(_zeros(x), x[1:], _ROW)))),
    FunctionRule(difference_of_writes, "difference_of_writes", _FIRST, [Sub],
                 hazard="the last digits may differ: sums are taken in another order",
                 example=on(lambda x: sub(x, _incremented(_zeros(x), x[1:], _ROW)))),
    FunctionRule(set_of_sum, "set_of_sum", "specialize", [IncSubtensor, AdvancedIncSubtensor1],
                 tags=("local_set_to_inc_subtensor",),
                 example=on(lambda x: _incremented(x, x[1:] + 2.0, _ROW, put=True))),
    FunctionRule(filled_value_written, "filled_value_written", _ALL, WRITERS,
                 tags=("local_useless_inc_subtensor_alloc",),
                 example=on(lambda x: _incremented(x, alloc(2.0, shape_i_op(1)(x)), 1))),
    FunctionRule(zeros_written, "zeros_written", "specialize", [IncSubtensor],
                 hazard="0 + -0.0 is 0.0, the replacement -0.0",
                 tags=("local_incsubtensor_of_zeros_to_setsubtensor",),
                 example=on(lambda x: _incremented(_zeros(x), x[1:], _ROW))),
)
# fmt: on
