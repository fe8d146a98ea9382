"""Facts about the outputs of an op that follow from facts about its inputs, by class of ops.

Positive definiteness follows only where the smallest eigenvalue stays away from 0 in floats:
``dot(A.T, A) + 1e-12 * eye(n)`` is positive semi-definite here, unless a user says more.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from theano._src.control.scan.op import Scan
from theano._src.graph.graph import Apply, Constant, Variable
from theano._src.graph.op_table import OpTable
from theano._src.graph.walk import nodes_of
from theano._src.ops.core.dimshuffle import DimShuffle
from theano._src.ops.core.elemwise import Elemwise
from theano._src.ops.elementwise.compare import Switch
from theano._src.ops.linalg.dot import Dot
from theano._src.ops.linalg.facts import NOTHING, Facts
from theano._src.ops.shape.ranges import Tri
from theano._src.ops.shape.static_values import known_int
from theano._src.rewrite.pattern import uniform_value
from theano._src.types.dtypes import complex_dtypes

Of = Callable[[Variable], Facts]
Row = Callable[[Apply, Of], Facts]

#: the most factors of a product that are compared with their transposes
_MOST = 9
#: the most elements of a constant whose values are read
_SMALL = 4096


def is_swap(op: Any) -> bool:
    """Whether an op transposes each matrix of a stack, and nothing else."""
    if not isinstance(op, DimShuffle) or len(op.new_order) < 2:
        return False
    n = len(op.input_broadcastable)
    return tuple(op.new_order) == (*range(n - 2), n - 1, n - 2)


def _is_real(v: Any) -> bool:
    return v.type.dtype not in complex_dtypes


def _same(node: Apply, of: Of) -> Facts:
    return of(node.inputs[0])


def _hint(node: Apply, of: Of) -> Facts:
    facts: Facts = of(node.inputs[0]) | node.op.facts
    return facts


def _shuffled(node: Apply, of: Of) -> Facts:
    (x,) = node.inputs
    if is_swap(node.op):
        return of(x).turned
    n = x.type.ndim
    # dimensions in front are broadcast
    return of(x) if n > 1 and tuple(node.op.new_order[-2:]) == (n - 2, n - 1) else NOTHING


# ---- products


def _root(v: Any) -> tuple[Any, bool]:
    """Return a variable without transposes around it, and whether their number is odd."""
    odd = False
    while v.owner is not None and is_swap(v.owner.op):
        v, odd = v.owner.inputs[0], not odd
    return v, odd


def _are_transposes(u: Any, v: Any, of: Of) -> bool:
    (x, p), (y, q) = _root(u), _root(v)
    return x is y and (p != q or of(x).symmetric)


def _product_of(v: Any) -> list[Any] | None:
    n = v.owner
    if n is None or not isinstance(n.op, Dot) or any(x.type.ndim != 2 for x in n.inputs):
        return None
    return list(n.inputs)


def _factors(v: Any) -> list[Any]:
    """The matrices of a chain of products, in order; with many, some are products themselves."""
    parts, i = [v], 0
    while i < len(parts):
        inputs = _product_of(parts[i]) if len(parts) < _MOST else None
        if inputs is None:
            i += 1
        else:
            parts[i : i + 1] = inputs
    return parts


def _product(node: Apply, of: Of) -> Facts:
    x, y = node.inputs
    if x.type.ndim != 2 or y.type.ndim != 2:
        return NOTHING
    a, b = of(x), of(y)
    facts = Facts(
        a.below + b.below,
        a.above + b.above,
        square=a.square and b.square,
        orthogonal=a.orthogonal and b.orthogonal,
    )
    if not _is_real(node.outputs[0]):
        return facts
    parts = _factors(node.outputs[0])
    half, odd = divmod(len(parts), 2)
    pairs = [(parts[i], parts[-1 - i]) for i in range(half)]
    if not all(_are_transposes(u, v, of) for u, v in pairs):
        return facts
    if not odd:
        return facts | Facts(psd=True)
    middle = of(parts[half])
    regular = all(f.orthogonal or f.positive_definite for f in (of(u) for u, _ in pairs))
    return facts | Facts(
        symmetric=middle.symmetric,
        psd=middle.psd,
        positive_definite=middle.positive_definite and regular,
    )


def _kron(node: Apply, of: Of) -> Facts:
    a, b = map(of, node.inputs)
    both = [getattr(a, n) and getattr(b, n) for n in _KEPT]
    # a triangle of blocks, with triangles on its diagonal
    return Facts(
        0 if a.upper and b.upper and b.square else math.inf,
        0 if a.lower and b.lower and b.square else math.inf,
        *both,
    )


_KEPT = ("square", "symmetric", "psd", "positive_definite", "orthogonal")


# ---- elements


def sign_of(v: Any) -> str | None:
    """'positive' or 'nonnegative', if the numbers of ``v`` are known to be so."""
    while v.owner is not None and isinstance(v.owner.op, DimShuffle):
        v = v.owner.inputs[0]
    value = uniform_value(v)
    if value is not None:
        value = np.asarray(value)
        if value.dtype.kind == "c" or not value >= 0:
            return None
        return "positive" if value > 0 else "nonnegative"
    op = getattr(v.owner, "op", None)
    return _SIGNS.get(op.scalar_op) if isinstance(op, Elemwise) else None


_SIGNS: OpTable[str] = OpTable(
    {
        "theano.scalar.basic.Exp": "positive",
        "theano.scalar.basic.Cosh": "positive",
        "theano.tensor.nnet.sigm.ScalarSigmoid": "positive",
        "theano.tensor.nnet.sigm.ScalarSoftplus": "positive",
        "theano.scalar.basic.Abs": "nonnegative",
        "theano.scalar.basic.Sqr": "nonnegative",
    }
)


def _elements(node: Apply, of: Of) -> Facts:
    """Facts about an elementwise op, given its matrices, and its numbers that scale or shift."""
    out = node.outputs[0].type
    if out.broadcastable[-1] or out.broadcastable[-2]:
        return NOTHING
    matrices, numbers, lines = [], [], False
    for v in node.inputs:
        pattern = v.type.broadcastable
        if v.type.ndim == 0 or (len(pattern) > 1 and pattern[-2] and pattern[-1]):
            numbers.append(v)
        elif len(pattern) > 1 and not (pattern[-2] or pattern[-1]):
            matrices.append(v)
        else:
            lines = True  # numbers for each row or column
    facts = [of(v) for v in matrices]
    result = Facts(
        square=any(f.square for f in facts),
        symmetric=bool(facts) and not lines and all(f.symmetric for f in facts),
    )
    if lines:
        return result
    row = _ELEMENTS.get(node.op.scalar_op)
    return result | _triangle(node, of) | (NOTHING if row is None else row(node, facts, numbers))


Elements = Callable[[Apply, Sequence[Facts], Sequence[Any]], Facts]


def _widest(facts: Sequence[Facts]) -> Facts:
    return Facts(max(f.below for f in facts), max(f.above for f in facts))


def _sum(node: Apply, facts: Sequence[Facts], numbers: Sequence[Any]) -> Facts:
    if numbers:
        return NOTHING
    psd = _is_real(node.outputs[0]) and all(f.psd for f in facts)
    definite = psd and any(f.positive_definite for f in facts)
    return _widest(facts) | Facts(psd=psd, positive_definite=definite)


def _difference(node: Apply, facts: Sequence[Facts], numbers: Sequence[Any]) -> Facts:
    return NOTHING if numbers else _widest(facts)


def _scaled(node: Apply, facts: Sequence[Facts], numbers: Sequence[Any]) -> Facts:
    """A product of elements is 0 where one of them is (Schur: and keeps definiteness)."""
    if not facts:
        return NOTHING
    signs = [sign_of(v) for v in numbers]
    psd = _is_real(node.outputs[0]) and all(f.psd for f in facts) and None not in signs
    return Facts(
        min(f.below for f in facts),
        min(f.above for f in facts),
        psd=psd,
        positive_definite=psd
        and all(f.positive_definite for f in facts)
        and all(s == "positive" for s in signs),
    )


def _quotient(node: Apply, facts: Sequence[Facts], numbers: Sequence[Any]) -> Facts:
    if len(facts) != 1 or node.inputs[1] not in numbers:
        return NOTHING
    return _scaled(node, facts, numbers)


def _zero_at_zero(node: Apply, facts: Sequence[Facts], numbers: Sequence[Any]) -> Facts:
    return _widest(facts)


def _cast(node: Apply, facts: Sequence[Facts], numbers: Sequence[Any]) -> Facts:
    return facts[0] if np.dtype(node.outputs[0].type.dtype).kind in "fc" else NOTHING


def _triangle(node: Apply, of: Of) -> Facts:
    """switch(tri(n, m, k), x, 0), and the same with 0 first, as ``tril`` and ``triu`` build."""
    if len(node.inputs) != 3 or not isinstance(node.op.scalar_op, Switch):
        return NOTHING
    where, x, y = node.inputs
    while where.owner is not None and isinstance(where.owner.op, DimShuffle):
        where = where.owner.inputs[0]
    if where.owner is None or not isinstance(where.owner.op, Tri):
        return NOTHING
    k = known_int(where.owner.inputs[2])
    if k is None:
        return NOTHING
    lower = _is_zero(y)
    if not lower and not _is_zero(x):
        return NOTHING
    kept = of(x if lower else y)
    square = kept.square or _are_equal(*where.owner.inputs[:2])
    own = Facts(above=max(k, 0)) if lower else Facts(below=max(-k - 1, 0))
    return own | Facts(kept.below, kept.above, square=square)


def _is_zero(v: Any) -> bool:
    value = uniform_value(v)
    return value is not None and bool(value == 0)


_ELEMENTS: OpTable[Elements] = OpTable(
    {
        "theano.scalar.basic.Add": _sum,
        "theano.scalar.basic.Sub": _difference,
        "theano.scalar.basic.Mul": _scaled,
        "theano.scalar.basic.TrueDiv": _quotient,
        "theano.scalar.basic.Cast": _cast,
        **dict.fromkeys(
            (f"theano.scalar.basic.{name}" for name in ("Neg", "Abs", "Sqr", "Sqrt", "Sgn")),
            _zero_at_zero,
        ),
    }
)


# ---- others


def _factor(node: Apply, of: Of) -> Facts:
    return Facts(above=0, square=True) if node.op.lower else Facts(below=0, square=True)


def _inverse_of_factor(node: Apply, of: Of) -> Facts:
    return Facts(square=True, positive_definite=_is_real(node.outputs[0]))


def _inverse(node: Apply, of: Of) -> Facts:
    x = of(node.inputs[0])
    return Facts(
        0 if x.upper else math.inf,
        0 if x.lower else math.inf,
        square=True,
        symmetric=x.symmetric,
        positive_definite=x.positive_definite,
        orthogonal=x.orthogonal,
    )


def _are_equal(n: Any, m: Any) -> bool:
    if n is m:
        return True
    if isinstance(n, Constant) and isinstance(m, Constant):
        return bool(n.data == m.data)
    # lengths of one variable, before they are merged
    same = n.owner is not None and m.owner is not None and n.owner.op == m.owner.op
    return same and all(u is v for u, v in zip(n.owner.inputs, m.owner.inputs, strict=False))


def _identity(node: Apply, of: Of) -> Facts:
    n, m, k = node.inputs
    offset = known_int(k)
    if offset is None:
        return NOTHING
    square = _are_equal(n, m)
    own = offset == 0 and square
    return Facts(max(-offset, 0), max(offset, 0), square=square, psd=own, orthogonal=own)


def _diagonal(node: Apply, of: Of) -> Facts:
    op, n = node.op, node.outputs[0].type.ndim
    if sorted((op.axis1 % n, op.axis2 % n)) != [n - 2, n - 1]:
        return NOTHING
    k = op.offset if op.axis1 % n < op.axis2 % n else -op.offset
    psd = k == 0 and _is_real(node.outputs[0]) and sign_of(node.inputs[0]) is not None
    return Facts(max(-k, 0), max(k, 0), square=True, psd=psd)


def _exponential(node: Apply, of: Of) -> Facts:
    x = of(node.inputs[0])
    return Facts(
        0 if x.upper else math.inf,
        0 if x.lower else math.inf,
        square=True,
        symmetric=x.symmetric and _is_real(node.outputs[0]),
    )


#: a row gives the facts about the first output
derived: OpTable[Row] = OpTable(
    {
        "theano.sandbox.linalg.ops.Hint": _hint,
        "theano.tensor.elemwise.DimShuffle": _shuffled,
        "theano.tensor.elemwise.Elemwise": _elements,
        "theano.tensor.basic.Dot": _product,
        "theano.tensor.slinalg.Kron": _kron,
        "theano.tensor.slinalg.Cholesky": _factor,
        "theano._src.ops.linalg.cholesky.CholeskyInverse": _inverse_of_factor,
        "theano.tensor.nlinalg.MatrixInverse": _inverse,
        "theano.tensor.slinalg.Expm": _exponential,
        "theano.tensor.basic.Eye": _identity,
        "theano.tensor.basic.AllocDiag": _diagonal,
        "theano.compile.ops.Rebroadcast": _same,
        "theano.compile.ops.SpecifyShape": _same,
        "theano.compile.ops.ViewOp": _same,
        "theano.compile.ops.DeepCopyOp": _same,
        "theano.tensor.opt.Assert": _same,
    }
)


def facts_of_outputs(node: Apply, of: Of) -> list[tuple[Variable, Facts]]:
    """The outputs of a node about which something is known, given facts about its inputs."""
    op, out = node.op, node.outputs[0]
    if isinstance(op, Scan):
        return _of_loop(node)
    row = derived.get(op) if getattr(out.type, "ndim", 0) > 1 else None
    facts = NOTHING if row is None else row(node, of)
    return [] if facts is NOTHING else [(out, facts)]


def implies(op: Any) -> bool:
    """Whether something may follow about the outputs of an op."""
    return op in derived or isinstance(op, Scan)


def _of_loop(node: Apply) -> list[tuple[Variable, Facts]]:
    """A fact about each value of an inner output holds for the stack of its values."""
    op = node.op
    steps = _STEPS.get(op)
    if steps is None:
        facts = facts_within(op.outs)
        steps = _STEPS[op] = [facts.get(v, NOTHING) for v in op.outs]
    outs = op.split_outputs(node.outputs)
    return [
        (v, each)
        for v, each in zip(outs.stacked_outputs, steps, strict=True)
        if v is not None and each is not NOTHING
    ]


#: what is known about the inner outputs of a loop, which never changes
_STEPS: WeakKeyDictionary[Any, list[Facts]] = WeakKeyDictionary()


def facts_within(outputs: Sequence[Variable]) -> dict[Variable, Facts]:
    """The facts about the variables of an expression that is in no graph."""
    result: dict[Variable, Facts] = {}

    def of(v: Variable) -> Facts:
        facts = result.get(v)
        if facts is not None:
            return facts
        return facts_of_constant(v) if isinstance(v, Constant) else NOTHING

    for node in nodes_of(outputs):
        result.update(facts_of_outputs(node, of))
    return result


def facts_of_constant(v: Any) -> Facts:
    """Facts about a small constant, by its values."""
    data = getattr(v, "data", None)
    if not isinstance(data, np.ndarray) or data.ndim != 2 or data.size > _SMALL:
        return NOTHING
    rows, columns = np.nonzero(data)
    spread = columns - rows
    square = data.shape[0] == data.shape[1]
    return Facts(
        max(-int(spread.min(initial=0)), 0),
        max(int(spread.max(initial=0)), 0),
        square=square,
        symmetric=square and bool((data == data.T).all()),
    )
