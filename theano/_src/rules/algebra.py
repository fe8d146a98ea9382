"""Canonical sums and products: in the written order, with constants merged, after cancellation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from theano._src.graph.graph import Apply, Variable
from theano._src.ops.core.elemwise import Elemwise
from theano._src.ops.elementwise.arithmetic import (
    Add,
    Mul,
    Sub,
    TrueDiv,
)
from theano._src.rewrite.pattern import uniform_value
from theano._src.rewrite.rule import FunctionRule
from theano._src.rules.chains import (
    PRODUCTS,
    SUMS,
    Chain,
    Family,
    Item,
    built,
    cancel,
    flat,
    merge_terms,
    number_of,
    opens,
    read,
    take_all,
    take_moderate,
)
from theano._src.rules.fills import filled
from theano._src.rules.lengths import drops_a_check, with_length_check
from theano._src.types.convert import constant


def _open_used_elsewhere(chain: Chain, dtype: str) -> list[Variable]:
    """Split a factor that is used elsewhere too, if something then cancels; return the latter.

    The gradient of log(c * exp(x)) divides exp(x) by a product that the logarithm uses.
    """
    for item, path in list(chain.leaves()):
        v = item.part
        node = v.owner
        if node is None or not isinstance(node.op, Elemwise):
            continue
        if type(node.op.scalar_op) not in PRODUCTS.ops or not opens(v, dtype):
            continue
        inner = read(node, PRODUCTS)
        inside = list(inner.variables())
        if any(u.owner and below and not isinstance(u.owner.op, Elemwise) for u, below in inside):
            continue  # for example a softmax, which other rules recognize as a whole
        if {u for u, _ in inside}.isdisjoint(u for u, _ in chain.variables()):
            continue
        holder, i = path[-1]
        holder.items[i] = Item(inner, item.inverse)
        gone = cancel(chain, exact=False)
        if gone:
            return gone
        holder.items[i] = item
    return []


def _is_inside(node: Apply, family: tuple[type, ...]) -> bool:
    """Whether the only user of a node is of the same family, and will split it itself."""
    out = node.outputs[0]
    clients = out._clients or ()
    if len(clients) != 1:
        return False
    user = next(iter(clients))[0]
    return (
        user != "output"
        and isinstance(user.op, Elemwise)
        and isinstance(user.op.scalar_op, family)
        and not user.op.inplace_items
        and user.outputs[0].type.dtype == out.type.dtype
    )


def _of_type(fgraph: Any, new: Any, node: Apply, gone: Sequence[Variable]) -> list[Variable] | None:
    """Return ``new``, checked to be as long as the cancelled variables, or broadcast to them."""
    out: Any = node.outputs[0]
    if new.type.dtype != out.type.dtype:
        return None
    if gone and drops_a_check(node, _read_by(fgraph, new)):
        return None
    if new.type.broadcastable == out.type.broadcastable:
        for v in dict.fromkeys(gone):
            new = with_length_check(fgraph, new, v)
        return [new]
    new = filled(fgraph, new, gone, out)
    return [new] if new.type.broadcastable == out.type.broadcastable else None


def _read_by(fgraph: Any, new: Variable) -> set[Variable]:
    """Return the variables of the graph that a new variable is computed from."""
    variables, stack = set(), [new]
    while stack:
        v = stack.pop()
        if v.owner is None or v.owner in fgraph.apply_nodes:
            variables.add(v)
        else:
            stack.extend(v.owner.inputs)
    return variables


def _number(value: Any, out: Any) -> Any:
    return constant(np.full((1,) * out.type.ndim, value, out.type.dtype))


def product(fgraph: Any, node: Apply) -> list[Any] | None:
    """(a * b) / c * 2 / b -> (2 * a) / c: factors as they are written, one constant in front"""
    out = node.outputs[0]
    if not _is_outermost(node, PRODUCTS):
        return None
    exact = out.type.numpy_dtype.kind not in "fc"
    if exact and not isinstance(node.op.scalar_op, Mul):
        return None
    chain = read(node, PRODUCTS)
    gone: list[Variable] = []
    dtype = out.type.numpy_dtype
    if exact:
        if any(below for _, below in chain.variables()):
            return None
        flat(chain)
        c, d = take_all(chain, dtype), dtype.type(1)
    else:
        c, d = take_moderate(chain, dtype)
        gone = cancel(chain, exact=False)
        while result := _open_used_elsewhere(chain, out.type.dtype):
            gone += result
            more = take_moderate(chain, dtype)
            c, d = c * more[0], d * more[1]
        if d != 1 and (c != 1 or any(i.inverse for i in chain.items)):
            c, d = c / d, dtype.type(1)
    if d != 1:
        chain.items.append(Item(d, inverse=True))
    if c != 1 or not chain.items:
        chain.items.insert(0, Item(c))
    return _written(fgraph, chain, node, gone)


def total(fgraph: Any, node: Apply) -> list[Any] | None:
    """(a + 1) - c + 2 - a -> 3 - c: terms as they are written, and constants together"""
    out = node.outputs[0]
    if not _is_outermost(node, SUMS):
        return None
    chain = read(node, SUMS)
    exact = out.type.numpy_dtype.kind not in "fc"
    if exact:
        flat(chain)
    gone = cancel(chain, exact)
    merge_terms(chain, out.type.numpy_dtype)
    if not chain.items:
        chain.items.append(Item(0))
    return _written(fgraph, chain, node, gone)


def _is_outermost(node: Apply, family: Family) -> bool:
    """Whether a node is the last of its chain, and computes in one dtype."""
    out = node.outputs[0]
    if node.op.inplace_items or out.type.dtype == "bool" or _is_inside(node, family.ops):
        return False
    # terms and factors that are cast first are left alone
    return all(v.type.dtype == out.type.dtype or number_of(v) is not None for v in node.inputs)


def _written(fgraph: Any, chain: Chain, node: Apply, gone: list[Variable]) -> list[Any] | None:
    """Return the expression of a chain; None if the node has that form already."""
    out = node.outputs[0]
    named = node.op.name is not None
    if named and _says(node, chain):
        return None
    new = built(chain, lambda value: _number(value, out))
    if named and _same(out, new):
        return None
    return _of_type(fgraph, new, node, gone)


def _says(node: Apply, chain: Chain) -> bool:
    """Whether a chain equals the inputs of a node; most do, and then nothing is built."""
    kind, dtype = type(node.op.scalar_op), node.outputs[0].type.dtype
    below = kind is chain.family.inverse
    if chain.negative or not (below or kind is chain.family.main):
        return False
    if len(chain.items) != len(node.inputs):
        return False
    for k, (item, v) in enumerate(zip(chain.items, node.inputs, strict=True)):
        if item.inverse != (below and k > 0):
            return False
        if item.part is not v and not (
            item.is_number and v.type.dtype == dtype and uniform_value(v) == item.part
        ):
            return False
    return True


def _same(old: Any, new: Any) -> bool:
    """Whether two expressions are computed alike, down to the variables of a chain."""
    todo = [(old, new)]
    while todo:
        a, b = todo.pop()
        if a is b:
            continue
        if a.owner is None or b.owner is None:
            value = uniform_value(b) if b.owner is None else None
            if value is None or a.type.dtype != b.type.dtype or uniform_value(a) != value:
                return False
            continue
        if a.owner.op != b.owner.op or len(a.owner.inputs) != len(b.owner.inputs):
            return False
        todo += zip(a.owner.inputs, b.owner.inputs, strict=True)
    return True


_ROUNDING = "the last digits may differ"

RULES = (
    FunctionRule(
        product,
        "product_form",
        "canonicalize",
        [Mul, TrueDiv],
        tags=("local_mul_canonizer", "mul_canonizer"),
        hazard=_ROUNDING + "; x / x is 1 where x is 0, infinite or NaN",
        depth=3,
    ),
    FunctionRule(
        total,
        "sum_form",
        "canonicalize",
        [Add, Sub],
        tags=("local_add_canonizer", "add_canonizer"),
        hazard=_ROUNDING + "; x - x is 0 where x is infinite or NaN",
        depth=3,
    ),
)
