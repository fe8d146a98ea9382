"""Patterns for rules: expressions written with ops, with Holes in place of variables."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from numbers import Number
from types import NoneType
from typing import Any

import numpy as np

from theano._src.graph.graph import Apply, Constant, Variable
from theano._src.graph.op import Placeholder

#: a node with more inputs than this is not searched for a pattern with fewer
_MOST_TERMS = 32

Match = dict[str, Variable]


class Hole(Placeholder):
    """Matches any variable; the same name twice matches the same variable twice.

    Parameters
    ----------
    name : str
    constant : bool
        Whether it matches only constants.
    dtype : str, optional
    kind : str, optional
        Letters of NumPy's dtype kinds: ``"f"`` for floats, ``"iu"`` for integers...
    where : function, optional
        Takes the variable, returns whether it matches.

    >>> import theano.tensor as T
    >>> x = Hole("x")
    >>> T.log(T.exp(x))
    log(exp(x))
    """

    def __init__(
        self,
        name: str,
        *,
        constant: bool = False,
        dtype: str | None = None,
        kind: str | None = None,
        where: Callable[[Any], bool] | None = None,
    ) -> None:
        self.name = name
        self.constant = constant
        self.dtype = dtype
        self.kind = kind
        self.where = where

    def applied(self, op: Any, inputs: tuple[Any, ...]) -> Pattern:
        return Pattern(op, inputs)

    def refuses(self, v: Any) -> str | None:
        """Return why this hole does not match ``v``; None if it does."""
        if self.constant and not isinstance(v, Constant):
            return f"{self.name} takes a constant, got {v}"
        have = getattr(v.type, "dtype", None)
        if self.dtype is not None and have != self.dtype:
            return f"{self.name} takes dtype {self.dtype}, got {v} of {v.type}"
        if self.kind is not None and (have is None or np.dtype(have).kind not in self.kind):
            return f"{self.name} takes dtypes of kind {self.kind}, got {v} of {v.type}"
        if self.where is not None and not self.where(v):
            return f"{self.name} does not take {v}: its condition says no"
        return None

    def __repr__(self) -> str:
        return self.name


class Pattern(Placeholder):
    """An op on holes, numbers, constants and further patterns.

    A number matches a constant of one element with that value, of any dtype, also if dimensions
    were added to it. Inputs of a commutative elementwise op match in any order.
    At the root of a pattern, an op that is also associative (``add``, ``mul``) may have more inputs
    than the pattern; the others are kept: ``add(a, 0, b)`` matches ``add(x, 0)``. Where results
    are rounded, the pattern must match the first inputs, unless the rule only drops inputs:
    ``add(a, b, c)`` is (a + b) + c, which does not contain b + c. Inside a pattern the numbers of
    inputs must be equal.
    """

    def __init__(self, op: Any, args: Sequence[Any]) -> None:
        for a in args:
            if not isinstance(a, (Placeholder, Number, Constant, np.ndarray)):
                raise TypeError(
                    f"a pattern of {op} takes holes, patterns, numbers and constants, got {a!r}"
                )
        self.op = op
        self.args = tuple(args)
        scalar = scalar_op_of(op)
        self.commutative = bool(getattr(scalar, "commutative", False)) and len(args) > 1
        self.associative = self.commutative and bool(getattr(scalar, "associative", False))
        self.rounds = bool(getattr(scalar, "rounds", False))
        self.depth: int = 1 + max(a.depth if isinstance(a, Pattern) else 0 for a in self.args)
        # arguments that can fail are tried first: holes match anything
        self._order = sorted(range(len(args)), key=lambda i: _looseness(self.args[i]))
        self._firm = [(i, a) for i, a in enumerate(self.args) if not isinstance(a, Hole)]
        self._op_class, self._scalar_class = type(op), type(scalar)

    def applied(self, op: Any, inputs: tuple[Any, ...]) -> Pattern:
        return Pattern(op, inputs)

    def holes(self) -> list[Hole]:
        """Return its holes, each name once, in the order they are written."""
        result: dict[str, Hole] = {}
        todo: list[Any] = [self]
        while todo:
            part = todo.pop()
            if isinstance(part, Hole):
                result.setdefault(part.name, part)
            elif isinstance(part, Pattern):
                todo.extend(reversed(part.args))
        return list(result.values())

    def is_op(self, op: Any) -> bool:
        """Whether ``op`` equals the pattern's op; compares only if the classes agree."""
        if op is self.op:
            return True
        if type(op) is not self._op_class:
            return False
        if self._scalar_class is not NoneType and type(op.scalar_op) is not self._scalar_class:
            return False
        return bool(op == self.op)

    def match(self, node: Apply, anywhere: bool = False) -> tuple[Match, list[int]] | None:
        """Return the variable of each hole and the positions of the matching inputs, or None.

        With ``anywhere``, the matching inputs need not be the first.
        """
        if not self.is_op(node.op):
            return None
        inputs = node.inputs
        spare = len(inputs) - len(self.args)
        if spare and not (self.associative and 0 < spare <= _MOST_TERMS - len(self.args)):
            return None
        if spare and self.rounds and not anywhere and "int" not in node.outputs[0].type.dtype:
            inputs = inputs[: len(self.args)]
        for at, arg in self._firm:
            # most nodes are rejected here, without a search
            for v in inputs if self.commutative else inputs[at : at + 1]:
                if _may_fit(arg, v):
                    break
            else:
                return None
        bound: Match = {}
        used: list[int] = []
        for _ in self._assign(inputs, 0, used, bound):
            return dict(bound), sorted(used)
        return None

    def _assign(
        self, inputs: Sequence[Variable], k: int, used: list[int], bound: Match
    ) -> Iterator[None]:
        """Yield for each assignment of inputs to arguments from the ``k``-th on, in ``bound``."""
        if k == len(self._order):
            yield
            return
        at = self._order[k]
        arg = self.args[at]
        for i in range(len(inputs)) if self.commutative else (at,):
            if i in used:
                continue
            used.append(i)
            for _ in _fit(arg, inputs[i], bound):
                yield from self._assign(inputs, k + 1, used, bound)
            used.pop()

    def __repr__(self) -> str:
        name = re.sub(r"^Elemwise\{(.*?)(,no_inplace)?\}$", r"\1", str(self.op))
        return f"{name}({', '.join(map(repr, self.args))})"


def _may_fit(arg: Any, v: Variable) -> bool:
    """Whether a variable may match a part that is not a hole: a quick test."""
    node = v.owner
    if isinstance(arg, Pattern):
        return node is not None and arg.is_op(node.op)
    return isinstance(v, Constant) or (node is not None and hasattr(node.op, "new_order"))


def _fit(arg: Any, v: Variable, bound: Match) -> Iterator[None]:
    """Yield for each way that ``v`` matches ``arg``. Recursive over the pattern, which is small."""
    if isinstance(arg, Hole):
        have = bound.get(arg.name)
        if have is not None:
            if same_variable(have, v):
                yield
        elif arg.refuses(v) is None:
            bound[arg.name] = v
            yield
            del bound[arg.name]
    elif isinstance(arg, Pattern):
        node = v.owner
        if node is None or not arg.is_op(node.op) or len(node.inputs) != len(arg.args):
            return
        if v.index == (getattr(node.op, "default_output", None) or 0):
            yield from arg._assign(node.inputs, 0, [], bound)
    elif isinstance(arg, Constant):
        if same_variable(arg, v):
            yield
    elif _has_value(v, arg):
        yield


def fits(arg: Any, v: Variable) -> bool:
    """Whether a variable on its own matches a hole, pattern, number or constant."""
    return any(True for _ in _fit(arg, v, {}))


def _looseness(arg: Any) -> int:
    if isinstance(arg, Hole):
        return 2 + (not arg.constant)
    return 1 if isinstance(arg, Pattern) else 0


def _has_value(v: Variable, number: Any) -> bool:
    if not all(getattr(v.type, "broadcastable", ())):
        return False  # it has lengths, which the op that uses it checks
    data = _constant_beneath(v)
    if not isinstance(data, np.ndarray):
        return data is not None and bool(data == number)
    # the first element rejects most constants without reading the rest
    return data.size > 0 and bool(data.flat[0] == number) and bool((data == number).all())


def same_variable(a: Variable, b: Variable) -> bool:
    """Whether two variables are identical, or equal constants."""
    if a is b:
        return True
    return isinstance(a, Constant) and isinstance(b, Constant) and a.equals(b)


def same_op(a: Any, b: Any) -> bool:
    """Whether two ops are equal; fast if they are identical or of different classes."""
    return a is b or (type(a) is type(b) and bool(a == b))


def scalar_op_of(op: Any) -> Any:
    """Return the scalar op that an elementwise op applies; None for other ops."""
    # NOTE: reductions have a `scalar_op` too; only elementwise ops have an `inplace_pattern`
    return getattr(op, "scalar_op", None) if hasattr(op, "inplace_pattern") else None


def _constant_beneath(v: Variable) -> Any:
    """Return the data of a constant, also if its dimensions were changed by DimShuffle; or None."""
    while v.owner is not None and hasattr(v.owner.op, "new_order"):
        v = v.owner.inputs[0]
    if isinstance(v, Constant) and isinstance(v.data, (np.ndarray, np.generic, Number)):
        return v.data
    return None


def uniform_value(v: Variable) -> Any:
    """Return the value of a constant whose elements are all equal; otherwise None.

    >>> import theano.tensor as T
    >>> float(uniform_value(T.constant([2.0, 2.0]).dimshuffle("x", 0)))
    2.0
    """
    data = _constant_beneath(v)
    if not isinstance(data, np.ndarray):
        return data
    if data.size == 0:
        return None
    first = data.flat[0]
    return first if bool((data == first).all()) else None


def build(part: Any, match: Match) -> Any:
    """Build the expression of a right-hand side. Recursive over the pattern only."""
    if isinstance(part, Hole):
        return match[part.name]
    if isinstance(part, Pattern):
        return part.op(*[build(a, match) for a in part.args])
    return part
