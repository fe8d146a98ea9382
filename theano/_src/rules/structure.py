"""Rules for dimshuffle, reshape, rebroadcast, specify_shape, alloc and Assert."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from theano._src.graph.graph import Apply, Constant, owner_of
from theano._src.ops.core.dimshuffle import DimShuffle
from theano._src.ops.core.elemwise import Elemwise, is_elemwise
from theano._src.ops.elementwise.arithmetic import Mul, add, neg
from theano._src.ops.meta.misc import Assert
from theano._src.ops.shape.alloc import Alloc, AllocEmpty, alloc
from theano._src.ops.shape.dims import Rebroadcast, patternbroadcast
from theano._src.ops.shape.shape import Flatten, Reshape, SpecifyShape, reshape, shape_i_op
from theano._src.ops.shape.static_values import as_length, known_int, vector_entries, vector_length
from theano._src.rewrite.pattern import same_variable
from theano._src.rewrite.rule import FunctionRule
from theano._src.rules.lengths import is_length, only_here
from theano._src.types.convert import constant
from theano._src.types.tensor import tensor_type


def _shuffled(x: Any, order: Sequence[Any]) -> Any:
    """Return ``x`` with its dimensions reordered; itself if that changes nothing."""
    return x if _useless(x, order) else DimShuffle(x.type.broadcastable, order)(x)


def _useless(x: Any, order: Sequence[Any]) -> bool:
    """Whether a new order of dimensions only exchanges some of length 1."""
    ones = x.type.broadcastable
    return len(order) == len(ones) and all(
        o == i or (ones[i] and (o == "x" or ones[o])) for i, o in enumerate(order)
    )


def patterned(new: Any, old: Any) -> Any:
    """Return ``new`` with the broadcast pattern of ``old``."""
    if new.type.broadcastable == old.type.broadcastable:
        return new
    return patternbroadcast(new, old.type.broadcastable)


def _unary(v: Any) -> Any:
    """Return x if ``v`` is f(x) for an elementwise f and has no other use; else None."""
    node = v.owner
    if node is None or not isinstance(node.op, Elemwise) or len(node.inputs) != 1:
        return None
    if len(node.outputs) != 1 or node.op.destroy_map or not only_here(v):
        return None
    return node.inputs[0]


def dimshuffle_of_dimshuffle(node: Apply) -> list[Any] | None:
    """dimshuffle(dimshuffle(x, a), b) -> dimshuffle(x, a[b]), or x if nothing moves"""
    (v,) = node.inputs
    order = node.op.new_order
    inner = v.owner
    if inner is not None and isinstance(inner.op, DimShuffle):
        first = inner.op.new_order
        return [_shuffled(inner.inputs[0], [o if o == "x" else first[o] for o in order])]
    return [v] if _useless(v, order) else None


def dimshuffle_of_elemwise(node: Apply) -> list[Any] | None:
    """dimshuffle(f(x, y)) -> f(dimshuffle(x), dimshuffle(y)), where f(x, y) has no other use"""
    (v,) = node.inputs
    inner = v.owner
    if inner is None or not isinstance(inner.op, Elemwise) or len(inner.outputs) != 1:
        return None
    if inner.op.destroy_map or not only_here(v):
        return None
    order = node.op.new_order
    return [inner.op(*[_shuffled(x, order) for x in inner.inputs])]


def dimshuffle_in_reshape(node: Apply) -> list[Any] | None:
    """reshape(dimshuffle(x), s) -> reshape(x, s), if only dimensions of length 1 change place"""
    v, lengths = node.inputs
    inner = v.owner
    if inner is None or not isinstance(inner.op, DimShuffle):
        return None
    (x,) = inner.inputs
    moved = [o for o in inner.op.shuffle if not x.type.broadcastable[o]]
    if moved != sorted(moved):
        return None
    return [patterned(node.op(x, lengths), node.outputs[0])]


class _Lengths:
    """The entries of a new shape: a known product, symbolic factors, and the position of a -1."""

    def __init__(self, entries: Sequence[Any]) -> None:
        self.known, self.free = 1, None
        self.factors: Counter[Any] = Counter()
        self.plain = True
        for i, e in enumerate(entries):
            todo = [e]
            while todo:
                v = todo.pop()
                n = int(v.data) if isinstance(v, Constant) else None
                if n is not None and n > 0:
                    self.known *= n
                elif n == -1 and v is e and self.free is None:
                    self.free = i
                elif n is not None:
                    self.plain = False
                elif is_elemwise(v.owner, Mul):
                    todo.extend(v.owner.inputs)
                else:
                    self.factors[_factor(v)] += 1

    def divides(self, other: _Lengths) -> int | None:
        """Return ``other.known / self.known`` if that is whole and symbolic factors agree."""
        if not (self.plain and other.plain) or self.factors != other.factors:
            return None
        times, rest = divmod(other.known, self.known)
        return times if rest == 0 else None


def _factor(v: Any) -> Any:
    """Return a key for a symbolic length: op and array if it is a length of an array."""
    own = v.owner
    return v if own is None or len(own.inputs) != 1 else (own.op, own.inputs[0])


def reshape_chain(node: Apply) -> list[Any] | None:
    """reshape(reshape(x, s), t) -> reshape(x, t), where it fails for the same x

    A size that fits ``t`` but not ``s`` must still raise, so the two are compared, and a -1 in
    ``t`` is replaced using ``s``.
    """
    v, lengths = node.inputs
    inner = v.owner
    if inner is None or not isinstance(inner.op, (Reshape, Flatten)):
        return None
    x = inner.inputs[0]
    if isinstance(inner.op, Flatten) and inner.op.outdim == 1:
        return [patterned(node.op(x, lengths), node.outputs[0])]
    if isinstance(inner.op, Flatten) or vector_length(lengths) is None:
        return None
    if vector_length(inner.inputs[1]) is None:
        return None
    ends = vector_entries(lengths, node.op.ndim)
    s, t = _Lengths(vector_entries(inner.inputs[1], inner.op.ndim)), _Lengths(ends)
    if s.free is not None and not s.factors and s.known == 1:
        # apart from ones, s is a single -1, which accepts any size
        exact = s.plain
    elif t.free is None:
        times = s.divides(t)
        exact = times is not None and (times == 1 or s.free is not None) and not _signed(s, t)
    elif s.free is not None:
        exact = s.divides(t) is not None and not t.factors
    else:
        times = t.divides(s)
        exact = times is not None and not _signed(s, t)
        if times is not None:
            ends = [as_length(times) if i == t.free else e for i, e in enumerate(ends)]
    if not exact:
        return None
    return [patterned(reshape(x, ends, ndim=node.op.ndim), node.outputs[0])]


def _signed(s: _Lengths, t: _Lengths) -> bool:
    """Whether a symbolic length may be -1 in one of them, or 0 in addition to a -1."""
    both = [*s.factors, *t.factors]
    counts = all(isinstance(f, tuple) and type(f[0]).__name__ == "Shape_i" for f in both)
    return bool(both) and (not counts or s.free is not None or t.free is not None)


def useless_reshape(fgraph: Any, node: Apply) -> list[Any] | None:
    """reshape(x, the shape of x) -> x"""
    x, lengths = node.inputs
    ndim = x.type.ndim
    if ndim != node.op.ndim or vector_length(lengths) is None:
        return None
    entries = vector_entries(lengths, ndim)
    free = [i for i, e in enumerate(entries) if known_int(e) == -1]
    if len(free) > 1:
        return None  # an error, which must still be raised
    if free:
        # in addition to a -1, no length may be 0
        rest = [e for i, e in enumerate(entries) if i != free[0]]
        if not all((known_int(e) or 0) > 0 for e in rest):
            return None
    for i, e in enumerate(entries):
        if i not in free and not is_length(fgraph, e, x, i):
            return None
    return [patterned(x, node.outputs[0])]


def reshape_to_dimshuffle(node: Apply) -> list[Any] | None:
    """reshape(x, (1, n)) -> dimshuffle(reshape(x, (n,)), 'x', 0)"""
    pattern = node.outputs[0].type.broadcastable
    x, lengths = node.inputs
    if not any(pattern) or vector_length(lengths) is None:
        return None
    entries = vector_entries(lengths, node.op.ndim)
    kept = [e for e, one in zip(entries, pattern, strict=True) if not one]
    if kept:
        inner = reshape(x, kept, ndim=len(kept))
    elif all(x.type.broadcastable):
        return [_shuffled(x, ["x"] * node.op.ndim)]
    else:
        inner = Reshape(0)(x, constant(np.zeros(0, "int64")))
    numbers = iter(range(len(kept)))
    return [_shuffled(inner, ["x" if one else next(numbers) for one in pattern])]


def form_of_elemwise(node: Apply) -> list[Any] | None:
    """reshape(f(x), s) -> f(reshape(x, s)); likewise for flatten, specify_shape and rebroadcast"""
    x = _unary(node.inputs[0])
    if x is None:
        return None
    return [owner_of(node.inputs[0]).op(node.op(x, *node.inputs[1:]))]


def useless_rebroadcast(node: Apply) -> list[Any] | None:
    """rebroadcast(x, the pattern of x) -> x"""
    (x,) = node.inputs
    items = [(a, b) for a, b in node.op.items if x.type.broadcastable[a] != b]
    if len(items) == len(node.op.items):
        return None
    return [Rebroadcast(*items)(x) if items else x]


def rebroadcast_of_rebroadcast(node: Apply) -> list[Any] | None:
    """rebroadcast(rebroadcast(x, a), b) -> rebroadcast(x, a and b), where no check is lost"""
    inner = node.inputs[0].owner
    if inner is None or not isinstance(inner.op, Rebroadcast):
        return None
    first, then = inner.op.axis, node.op.axis
    if any(b and then.get(a) is False for a, b in first.items()):
        return None
    both = {**first, **then}
    return [Rebroadcast(*sorted(both.items()))(inner.inputs[0])]


def specify_shape_twice(node: Apply) -> list[Any] | None:
    """specify_shape(specify_shape(x, s), s) -> specify_shape(x, s)"""
    inner = node.inputs[0].owner
    if inner is None or not isinstance(inner.op, SpecifyShape):
        return None
    return [node.inputs[0]] if same_variable(inner.inputs[1], node.inputs[1]) else None


def alloc_of_ones(node: Apply) -> list[Any] | None:
    """alloc(x, 1, n) -> dimshuffle(alloc(x, n), 'x', 0), for leading dimensions of length 1"""
    x, *lengths = node.inputs
    out = node.outputs[0]
    ones = 0
    while ones < len(lengths) - x.type.ndim and out.type.broadcastable[ones]:
        ones += 1
    if not ones or any(
        c != "output" and isinstance(c.op, Alloc) and i == 0 for c, i in out.clients
    ):
        return None
    rest = lengths[ones:]
    inner = alloc(x, *rest) if rest else x
    return [_shuffled(inner, ["x"] * ones + list(range(len(rest))))]


def alloc_empty_to_zeros(node: Apply) -> list[Any]:
    """AllocEmpty(n) -> zeros(n)"""
    return [patterned(alloc(np.zeros((), node.op.dtype), *node.inputs), node.outputs[0])]


def true_assert(node: Apply) -> list[Any] | None:
    """Assert(x, True, c, c) -> Assert(x, c); Assert(x, True) -> x"""
    x, *conditions = node.inputs
    left = [c for c in dict.fromkeys(conditions) if not (isinstance(c, Constant) and bool(c.data))]
    if len(left) == len(conditions):
        return None
    return [node.op(x, *left) if left else x]


def assert_of_assert(node: Apply) -> list[Any] | None:
    """Assert(Assert(x, a), b) -> Assert(x, a, b), where both have the same message"""
    inner = node.inputs[0].owner
    if inner is None or inner.op != node.op or not only_here(node.inputs[0]):
        return None
    return [node.op(inner.inputs[0], *dict.fromkeys([*inner.inputs[1:], *node.inputs[1:]]))]


def assert_removed(node: Apply) -> list[Any]:
    """Assert(x, c) -> x"""
    return node.inputs[:1]


def vector(name: str = "x") -> Any:
    return tensor_type("float64", (False,))(name)


def matrix(name: str = "x") -> Any:
    return tensor_type("float64", (False, False))(name)


def on(make: Any, *leaves: Any) -> Any:
    """Return an example for tests: a graph on new variables, of length 3 unless broadcastable."""

    def example() -> tuple[list[Any], list[Any]]:
        inputs = [leaf(f"x{i}") for i, leaf in enumerate(leaves or (matrix,))]
        return inputs, [make(*inputs)]

    return example


_FIRST, _ALL = "canonicalize specialize", "canonicalize stabilize specialize"

# fmt: off
RULES = (
    FunctionRule(dimshuffle_of_dimshuffle, "dimshuffle_of_dimshuffle", _FIRST, [DimShuffle],
                 tags=("local_dimshuffle_lift", "local_useless_dimshuffle"),
                 example=on(lambda x: x.dimshuffle(1, "x", 0).dimshuffle(2, 0))),
    FunctionRule(dimshuffle_of_elemwise, "dimshuffle_of_elemwise", _FIRST, [DimShuffle],
                 tags=("local_dimshuffle_lift",),
                 example=on(lambda x, y: add(x, y).dimshuffle(1, 0), matrix, matrix)),
    FunctionRule(useless_reshape, "useless_reshape", _ALL, [Reshape],
                 tags=("local_useless_reshape", "local_useless"),
                 example=on(lambda x: reshape(x, (shape_i_op(0)(x), shape_i_op(1)(x))))),
    FunctionRule(dimshuffle_in_reshape, "dimshuffle_in_reshape", _ALL, [Reshape],
                 tags=("local_useless_dimshuffle_in_reshape", "local_reshape_dimshuffle",
                       "local_useless"),
                 example=on(lambda x: reshape(x.dimshuffle(0, "x", 1), (9,)))),
    FunctionRule(reshape_chain, "reshape_chain", "canonicalize", [Reshape],
                 tags=("local_reshape_chain",),
                 example=on(lambda x: reshape(reshape(x, (9,)), (3, -1)))),
    FunctionRule(reshape_to_dimshuffle, "reshape_to_dimshuffle", _ALL, [Reshape],
                 tags=("local_reshape_to_dimshuffle",),
                 example=on(lambda x: reshape(x, (1, -1, 1)))),
    FunctionRule(form_of_elemwise, "form_of_elemwise", "canonicalize stabilize",
                 [Reshape, Flatten, SpecifyShape],
                 tags=("local_reshape_lift", "local_flatten_lift", "local_specify_shape_lift"),
                 example=on(lambda x: reshape(neg(x), (9,)))),
    FunctionRule(useless_rebroadcast, "useless_rebroadcast", _FIRST, [Rebroadcast],
                 tags=("local_useless_rebroadcast", "local_useless"),
                 example=on(lambda x: Rebroadcast((0, False))(x))),
    FunctionRule(rebroadcast_of_rebroadcast, "rebroadcast_of_rebroadcast", _FIRST, [Rebroadcast],
                 tags=("local_rebroadcast_lift",),
                 example=on(lambda x: Rebroadcast((1, False))(Rebroadcast((0, False))(x)),
                             tensor_type("float64", (True, True)))),
    FunctionRule(form_of_elemwise, "rebroadcast_of_elemwise", _FIRST, [Rebroadcast],
                 tags=("local_rebroadcast_lift",),
                 example=on(lambda x: Rebroadcast((0, False))(neg(x)),
                             tensor_type("float64", (True, False)))),
    FunctionRule(specify_shape_twice, "specify_shape_twice", _FIRST, [SpecifyShape],
                 example=on(lambda x: SpecifyShape()(SpecifyShape()(x, (3, 3)), (3, 3)))),
    FunctionRule(alloc_of_ones, "alloc_of_ones", _ALL, [Alloc],
                 tags=("local_canonicalize_alloc",),
                 example=on(lambda x: alloc(x, 1, 2, 3, 3))),
    FunctionRule(alloc_empty_to_zeros, "local_alloc_empty_to_zeros", "specialize", [AllocEmpty],
                 tags=("alloc_empty_to_zeros",), opt_in=True,
                 example=on(lambda x: shape_i_op(0)(AllocEmpty("float64")(shape_i_op(0)(x))))),
    FunctionRule(true_assert, "true_assert", _FIRST, [Assert],
                 tags=("local_remove_useless_assert", "local_useless_assert"),
                 example=on(lambda x: Assert()(x, constant(np.True_)))),
    FunctionRule(assert_of_assert, "assert_of_assert", _FIRST, [Assert],
                 example=on(lambda x: Assert()(Assert()(x, shape_i_op(0)(x)), shape_i_op(1)(x)))),
    FunctionRule(assert_removed, "local_remove_all_assert", "canonicalize", [Assert],
                 tags=("unsafe",), opt_in=True, hazard="what was asserted is no longer checked",
                 example=on(lambda x: Assert()(x, shape_i_op(0)(x)))),
)
# fmt: on
