"""Products split into factors with powers, so that rules can combine matching factors."""

from __future__ import annotations

from typing import Any

import numpy as np

from theano._src.graph.graph import Apply, Variable
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
    neg,
    sqr,
)
from theano._src.ops.elementwise.explog import Exp, exp
from theano._src.ops.linalg.blas import Dot22, Dot22Scalar, Gemm, Gemv, Ger
from theano._src.ops.linalg.dot import Dot
from theano._src.ops.reduce.careduce import Sum
from theano._src.ops.shape.alloc import Alloc
from theano._src.ops.shape.shape import Reshape
from theano._src.rewrite.pattern import same_variable, uniform_value
from theano._src.rules.chains import PRODUCTS, Chain, Item, built

#: ops besides elementwise ones whose results are rounded
_ROUNDING = (Dot, Dot22, Dot22Scalar, Gemm, Gemv, Ger, Sum)
#: the most factors of a product, and exponentials in a sum, that are considered
MOST = 24


def kind_of(v: Variable) -> type | None:
    """Return the class of the scalar op that computes ``v``; None if no Elemwise does."""
    node = v.owner
    return type(node.op.scalar_op) if node is not None and isinstance(node.op, Elemwise) else None


def is_rounded(v: Any) -> bool:
    """Whether the elements of ``v`` have rounding errors of their own.

    Uniform constants count as rounded: sums of them are no larger than their count implies.
    """
    while v.owner is not None:
        op = v.owner.op
        if isinstance(op, (DimShuffle, Reshape, Alloc)) or kind_of(v) is Neg:
            v = v.owner.inputs[0]
        elif kind_of(v) is Second:
            v = v.owner.inputs[1]
        elif isinstance(op, Elemwise):
            return op.scalar_op.rounds
        else:
            return isinstance(op, _ROUNDING)
    return uniform_value(v) is not None


def alike(a: Any, b: Any, depth: int = 2) -> bool:
    """Whether two variables are the same, or computed alike, compared down to ``depth``."""
    if same_variable(a, b):
        return True
    if not depth or a.owner is None or b.owner is None or a.owner.op != b.owner.op:
        return False
    pairs = zip(a.owner.inputs, b.owner.inputs, strict=True)
    return all(alike(x, y, depth - 1) for x, y in pairs)


def before_spread(v: Any) -> tuple[Any, DimShuffle | None]:
    """Return what dimensions of length 1 were added to, and the op that did it; else v, None."""
    op = v.owner.op if v.owner is not None else None
    if isinstance(op, DimShuffle) and "x" in op.new_order:
        return v.owner.inputs[0], op
    return v, None


def exponent_of(v: Any) -> Any:
    """Return x of exp(x), also if dimensions of length 1 were added to it; None for others."""
    inner, spread = before_spread(v)
    if kind_of(inner) is not Exp:
        return None
    (x,) = inner.owner.inputs
    return x if spread is None else spread(x)


class Factor:
    """A variable to a power, with dimensions added by ``shuffle`` where that is not None."""

    __slots__ = ("item", "power", "shuffle", "v")

    def __init__(
        self, v: Any, power: int, shuffle: DimShuffle | None = None, item: Item | None = None
    ) -> None:
        self.v = v
        self.power = power
        self.shuffle = shuffle
        #: its position in a product
        self.item = Item(self) if item is None else item

    def is_of(self, kind: type, x: Variable) -> bool:
        """Whether this is the function ``kind`` of ``x``."""
        return self.shuffle is None and kind_of(self.v) is kind and alike(self.v.owner.inputs[0], x)

    def equals(self, other: Factor) -> bool:
        """Whether both are the same variable, or computed alike."""
        return self.shuffle == other.shuffle and alike(self.v, other.v)

    def variables(self) -> list[Any]:
        """Return the variables that are multiplied, or divided by, for the power."""
        v = self.v if self.shuffle is None else self.shuffle(self.v)
        n = abs(self.power)
        return [v] * (n % 2) + [sqr(v)] * (n // 2)


class Product:
    """The factors of a variable; nothing is built until ``build``.

    Rules read and change ``factors``. Each keeps its position in the expression: see `Chain`.
    """

    def __init__(self, v: Any, of_powers: bool = False) -> None:
        self.dtype = v.type.dtype
        #: whether (a / b)**2 is read as a**2 / b**2; that may overflow, so it must not be built
        self._of_powers = of_powers
        self.factors: list[Factor] = []
        self.negative = False
        #: variables that determine the shape of the product, but not its values
        self.models: list[Any] = []
        self._whole = Item(None)
        self._last_taken: Factor | None = None
        self._open(v)

    def _open(self, v: Any) -> None:
        todo = [Factor(v, 1, item=self._whole)]
        room = MOST
        while todo:
            f = todo.pop()
            node = f.v.owner
            room -= 1
            if node is None or room < 0 or f.v.type.dtype != self.dtype:
                value = uniform_value(f.v)
                if value in (1, -1) and all(f.v.type.broadcastable):
                    self.negative ^= bool(value == -1 and f.power % 2)
                    f.item.part = Chain(PRODUCTS)
                else:
                    self._keep(f)
                continue
            inside = self._inside(f, node)
            if inside is None:
                self._keep(f)
                continue
            for g in inside:
                g.item.inverse = (g.power < 0) != (f.power < 0)
            f.item.part = Chain(PRODUCTS, [g.item for g in inside])
            todo += reversed(inside)

    def _keep(self, f: Factor) -> None:
        f.item.part = f
        self.factors.append(f)

    def _inside(self, f: Factor, node: Apply) -> list[Factor] | None:
        """Return the factors of a factor; None if it is not a product."""
        op, power, shuffle = node.op, f.power, f.shuffle
        if isinstance(op, DimShuffle) and shuffle is None and "x" in op.new_order:
            if kind_of(node.inputs[0]) in (TrueDiv, Inv) and op.shuffle == sorted(op.shuffle):
                return [Factor(node.inputs[0], power, op)]
            if (x := exponent_of(f.v)) is not None:
                f.v = exp(x)
            return None
        if not isinstance(op, Elemwise) or op.inplace_items:
            return None
        if shuffle is not None and any(
            x.type.broadcastable != f.v.type.broadcastable for x in node.inputs
        ):
            return None
        kind, x = type(op.scalar_op), node.inputs[0]
        if abs(power) > 1 and kind in (Mul, TrueDiv) and not self._of_powers:
            return None
        if kind is Mul:
            return [Factor(v, power, shuffle) for v in node.inputs]
        if kind is TrueDiv:
            return [Factor(x, power, shuffle), Factor(node.inputs[1], -power, shuffle)]
        if kind is Inv:
            return [Factor(x, -power, shuffle)]
        if kind is Neg:
            self.negative ^= power % 2 == 1
            return [Factor(x, power, shuffle)]
        if kind is Sqr:
            return [Factor(x, 2 * power, shuffle)]
        if kind is Pow and (n := small_int(node.inputs[1])):
            return [Factor(x, n * power, shuffle)]
        if kind is Second and shuffle is None:
            self.models.append(x)
            return [Factor(node.inputs[1], power)]
        return None

    def take(self, kind: type, x: Variable, most: int) -> int:
        """Remove up to ``most`` factors that are ``kind`` of ``x``; return how many."""
        took = 0
        for f in self.factors:
            if took < most and f.power > 0 and f.is_of(kind, x):
                n = min(f.power, most - took)
                f.power -= n
                took += n
                self._last_taken = f
        return took

    def put(self, v: Any, power: int) -> None:
        """Multiply by a variable to a power; if it cancels a factor, the shape is kept.

        It is placed where the last factor was removed, or after all others.
        """
        new = Factor(v, power)
        for f in self.factors:
            if f.power and f.equals(new):
                f.power += power
                if f.power == 0:
                    self.models.append(f.v)
                return
        if power:
            self.factors.append(new)
            place = self._whole if self._last_taken is None else self._last_taken.item
            place.part = Chain(PRODUCTS, [Item(place.part), new.item])

    def _chain(self) -> Chain:
        """Return the remaining factors, in their positions."""
        whole = Chain(PRODUCTS)
        todo = [(self._whole, whole, False)]
        while todo:
            item, into, below = todo.pop()
            if isinstance(item.part, Chain):
                inner = Chain(PRODUCTS)
                into.items.append(Item(inner, item.inverse))
                todo += [(i, inner, below ^ item.inverse) for i in reversed(item.part.items)]
            elif item.part.power:
                parts = [Item(v) for v in item.part.variables()]
                into.items.append(Item(Chain(PRODUCTS, parts), below ^ (item.part.power < 0)))
        whole.tidy()
        return whole

    def build(self, fgraph: Any, out: Any = None) -> Any:
        """Return the product as an expression; None if it does not have the type of ``out``."""
        chain = self._chain()
        result = built(chain) if chain.items else None
        if result is None:
            result = fill(self.models[0], np.asarray(1, self.dtype)) if self.models else None
        if result is None or result.type.dtype != self.dtype:
            return None
        result = neg(result) if self.negative else result
        known = getattr(fgraph, "shape_feature", None)
        for model in self.models:
            # it was as long as the product, or raised an error: that must not change
            same = model.type.broadcastable == result.type.broadcastable and (
                any(f.v is model for f in self.factors if f.power > 0 and f.shuffle is None)
                or (known is not None and known.same_shape(model, result))
            )
            if not same and not all(model.type.broadcastable):
                result = fill(model, result)
        return result if out is None or result.type == out.type else None


def small_int(v: Variable) -> int:
    """Return the value of a constant that is a whole number from -8 to 8; 0 for others."""
    value = uniform_value(v)
    if value is None or np.iscomplexobj(value) or float(value) != int(value) or abs(value) > 8:
        return 0
    return int(value)


def negated(x: Any) -> Any:
    """Return -x, without a double negation."""
    return x.owner.inputs[0] if kind_of(x) is Neg else neg(x)
