"""Products taken apart into factors with powers, so that rules can pair what belongs together."""

from __future__ import annotations

from typing import Any

import numpy as np

from theano._src.graph.graph import Variable
from theano._src.ops.core.dimshuffle import DimShuffle
from theano._src.ops.core.elemwise import Elemwise
from theano._src.ops.elementwise.arithmetic import (
    Inv,
    Mul,
    Neg,
    Pow,
    Second,
    Sqr,
    TrueDiv,
    fill,
    inv,
    mul,
    neg,
    sqr,
    true_div,
)
from theano._src.ops.elementwise.explog import Exp, exp
from theano._src.rewrite.pattern import same_variable, uniform_value

#: factors of a product that is looked at; sums of more exponentials are left as well
MOST = 24


def kind_of(v: Variable) -> type | None:
    """The class of the scalar op that made ``v``; None if no Elemwise did."""
    node = v.owner
    return type(node.op.scalar_op) if node is not None and isinstance(node.op, Elemwise) else None


def alike(a: Any, b: Any, depth: int = 2) -> bool:
    """Whether two variables are one, or made alike, as far down as ``depth`` says."""
    if same_variable(a, b):
        return True
    if not depth or a.owner is None or b.owner is None or a.owner.op != b.owner.op:
        return False
    pairs = zip(a.owner.inputs, b.owner.inputs, strict=True)
    return all(alike(x, y, depth - 1) for x, y in pairs)


def before_spread(v: Any) -> tuple[Any, DimShuffle | None]:
    """What dimensions of length 1 were added to, and the op that added them; else v and None."""
    op = v.owner.op if v.owner is not None else None
    if isinstance(op, DimShuffle) and "x" in op.new_order:
        return v.owner.inputs[0], op
    return v, None


def exponent_of(v: Any) -> Any:
    """The x of exp(x), also of one to which dimensions of length 1 were added; None of others."""
    inner, spread = before_spread(v)
    if kind_of(inner) is not Exp:
        return None
    (x,) = inner.owner.inputs
    return x if spread is None else spread(x)


class Factor:
    """A variable to a power, with dimensions added by ``shuffle`` where that is not None."""

    __slots__ = ("power", "shuffle", "v")

    def __init__(self, v: Any, power: int, shuffle: DimShuffle | None = None) -> None:
        self.v = v
        self.power = power
        self.shuffle = shuffle

    def is_of(self, kind: type, x: Variable) -> bool:
        """Whether this is the function ``kind`` of ``x``."""
        return self.shuffle is None and kind_of(self.v) is kind and alike(self.v.owner.inputs[0], x)

    def equals(self, other: Factor) -> bool:
        """Whether both are one variable, or made alike."""
        return self.shuffle == other.shuffle and alike(self.v, other.v)


class Product:
    """What a variable is a product of; nothing is built until ``build``."""

    def __init__(self, v: Any) -> None:
        self.dtype = v.type.dtype
        self.factors: list[Factor] = []
        self.negative = False
        #: variables whose shape the product had, though not their values
        self.models: list[Any] = []
        self._open(v)

    def _open(self, v: Any) -> None:
        todo = [Factor(v, 1)]
        room = MOST
        while todo:
            f = todo.pop()
            node = f.v.owner
            room -= 1
            if node is None or room < 0 or f.v.type.dtype != self.dtype:
                value = uniform_value(f.v)
                if value in (1, -1) and all(f.v.type.broadcastable):
                    self.negative ^= bool(value == -1 and f.power % 2)
                else:
                    self.factors.append(f)
                continue
            op, power, shuffle = node.op, f.power, f.shuffle
            if isinstance(op, DimShuffle) and shuffle is None and "x" in op.new_order:
                if kind_of(node.inputs[0]) in (TrueDiv, Inv) and op.shuffle == sorted(op.shuffle):
                    todo.append(Factor(node.inputs[0], power, op))
                elif (x := exponent_of(f.v)) is not None:
                    self.factors.append(Factor(exp(x), power))
                else:
                    self.factors.append(f)
                continue
            if not isinstance(op, Elemwise) or op.inplace_items:
                self.factors.append(f)
                continue
            if shuffle is not None and any(
                x.type.broadcastable != f.v.type.broadcastable for x in node.inputs
            ):
                self.factors.append(f)
                continue
            kind = type(op.scalar_op)
            if kind is Mul:
                todo.extend(Factor(x, power, shuffle) for x in reversed(node.inputs))
            elif kind is TrueDiv:
                todo.append(Factor(node.inputs[1], -power, shuffle))
                todo.append(Factor(node.inputs[0], power, shuffle))
            elif kind is Inv:
                todo.append(Factor(node.inputs[0], -power, shuffle))
            elif kind is Neg:
                self.negative ^= power % 2 == 1
                todo.append(Factor(node.inputs[0], power, shuffle))
            elif kind is Sqr:
                todo.append(Factor(node.inputs[0], 2 * power, shuffle))
            elif kind is Pow and (n := small_int(node.inputs[1])):
                todo.append(Factor(node.inputs[0], n * power, shuffle))
            elif kind is Second and shuffle is None:
                self.models.append(node.inputs[0])
                todo.append(Factor(node.inputs[1], power, shuffle))
            else:
                self.factors.append(f)

    def take(self, kind: type, x: Variable, most: int) -> int:
        """Take out up to ``most`` factors that are ``kind`` of ``x``; say how many."""
        took = 0
        for f in self.factors:
            if took < most and f.power > 0 and f.is_of(kind, x):
                n = min(f.power, most - took)
                f.power -= n
                took += n
        return took

    def put(self, v: Any, power: int) -> None:
        """Multiply by a variable to a power; what it cancels leaves its shape behind."""
        new = Factor(v, power)
        for f in self.factors:
            if f.power and f.equals(new):
                f.power += power
                if f.power == 0:
                    self.models.append(f.v)
                return
        if power:
            self.factors.append(new)

    def build(self, fgraph: Any, out: Any = None) -> Any:
        """The product as an expression; None if it has not the type of ``out``."""
        over: list[Any] = []
        under: list[Any] = []
        for f in self.factors:
            if f.power:
                v = f.v if f.shuffle is None else f.shuffle(f.v)
                (over if f.power > 0 else under).extend(_repeated(v, abs(f.power)))
        bottom = under[0] if len(under) == 1 else mul(*under) if under else None
        if not over:
            made = inv(bottom) if bottom is not None else None
        else:
            made = over[0] if len(over) == 1 else mul(*over)
            made = made if bottom is None else true_div(made, bottom)
        if made is None:
            made = fill(self.models[0], np.asarray(1, self.dtype)) if self.models else None
        if made is None or made.type.dtype != self.dtype:
            return None
        made = neg(made) if self.negative else made
        known = getattr(fgraph, "shape_feature", None)
        for model in self.models:
            # it was as long as the product, or stopped it: so it must stay
            same = model.type.broadcastable == made.type.broadcastable and (
                any(f.v is model for f in self.factors if f.power > 0 and f.shuffle is None)
                or (known is not None and known.same_shape(model, made))
            )
            if not same and not all(model.type.broadcastable):
                made = fill(model, made)
        return made if out is None or made.type == out.type else None


def small_int(v: Variable) -> int:
    """The whole number, at most 8, that a constant is; 0 for any other."""
    value = uniform_value(v)
    if value is None or np.iscomplexobj(value) or float(value) != int(value) or abs(value) > 8:
        return 0
    return int(value)


def _repeated(v: Any, n: int) -> list[Any]:
    return [v] * (n % 2) + [sqr(v)] * (n // 2)


def negated(x: Any) -> Any:
    """-x, without two signs."""
    return x.owner.inputs[0] if kind_of(x) is Neg else neg(x)
