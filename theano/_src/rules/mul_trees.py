"""Products as trees of factors with signs: documented functions of ``theano.tensor.nnet.sigm``.

A tree is ``[negated, part]``: a part is a variable, a list of trees that are multiplied, or None
for 1. The rules themselves do not use trees: see ``ratios``.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import numpy as np

from theano._src.graph.graph import Variable
from theano._src.ground.documented import documented_in
from theano._src.ops.elementwise.activations import sigmoid
from theano._src.ops.elementwise.arithmetic import add, mul, neg
from theano._src.ops.elementwise.explog import (
    exp,
)
from theano._src.rewrite.pattern import uniform_value

#: whether 1 - sigmoid(x) becomes sigmoid(-x) in the modes
register_local_1msigmoid = True


def _args_of(op: Any, v: Variable) -> list[Variable] | None:
    return v.owner.inputs if v.owner is not None and v.owner.op == op else None


@documented_in("theano.tensor.nnet.sigm")
def is_mul(var: Variable) -> list[Variable] | None:
    """Return the factors of ``var`` if it is a product; None if not.

    >>> import theano.tensor as T
    >>> from theano.tensor.nnet.sigm import is_mul
    >>> x, y = T.dvectors("xy")
    >>> is_mul(x * y), is_mul(x + y)
    ([x, y], None)
    """
    return _args_of(mul, var)


@documented_in("theano.tensor.nnet.sigm")
def is_neg(var: Variable) -> Variable | None:
    """Return x if ``var`` is ``-x``, or a product of x and -1; None if neither.

    >>> import theano.tensor as T
    >>> from theano.tensor.nnet.sigm import is_neg
    >>> x = T.dvector("x")
    >>> is_neg(-x), is_neg(-1 * x), is_neg(x)
    (x, x, None)
    """
    negated = _args_of(neg, var)
    if negated is not None:
        return negated[0]
    factors = is_mul(var) or []
    for i, factor in enumerate(factors):
        if len(factors) > 1 and uniform_value(factor) == -1:
            rest = [*factors[:i], *factors[i + 1 :]]
            variable: Variable = rest[0] if len(rest) == 1 else mul(*rest)
            return variable
    return None


@documented_in("theano.tensor.nnet.sigm")
def is_exp(var: Variable) -> tuple[bool, Variable] | None:
    """``(False, x)`` if ``var`` is exp(x), ``(True, x)`` if it is -exp(x); None if neither.

    >>> import theano.tensor as T
    >>> from theano.tensor.nnet.sigm import is_exp
    >>> x = T.dvector("x")
    >>> is_exp(T.exp(x)), is_exp(-T.exp(x)), is_exp(x)
    ((False, x), (True, x), None)
    """
    inner = is_neg(var)
    args = _args_of(exp, var if inner is None else inner)
    return None if args is None else (inner is not None, args[0])


@documented_in("theano.tensor.nnet.sigm")
def is_1pexp(t: Variable, only_process_constants: bool = True) -> tuple[bool, Variable] | None:
    """``(False, x)`` if ``t`` is 1 + exp(x), in any order of terms; None if not.

    ``only_process_constants`` is ignored: broadcast and filled numbers are always recognized.

    >>> import theano.tensor as T
    >>> from theano.tensor.nnet.sigm import is_1pexp
    >>> x = T.dvector("x")
    >>> is_1pexp(1 + T.exp(x)), is_1pexp(2 + T.exp(x))
    ((False, x), None)
    """
    terms = _args_of(add, t) or []
    numbers = [uniform_value(v) for v in terms]
    others = [v for v, n in zip(terms, numbers, strict=True) if n is None]
    if len(others) != 1 or len(terms) < 2:
        return None
    args = _args_of(exp, others[0])
    if args is None or not np.allclose(sum(n for n in numbers if n is not None), 1):
        return None
    return False, args[0]


@documented_in("theano.tensor.nnet.sigm")
def parse_mul_tree(root: Variable) -> list[Any]:
    """Return the factors of ``root`` as ``[negated, variable]`` or ``[negated, [trees]]``.

    >>> import theano.tensor as T
    >>> from theano.tensor.nnet.sigm import parse_mul_tree
    >>> x, y = T.dvectors("xy")
    >>> parse_mul_tree(-x * y)
    [False, [[True, x], [False, y]]]
    """
    top: list[Any] = [False, root]
    todo = [top]
    while todo:
        tree = todo.pop()
        factors = is_mul(tree[1])
        if factors is not None:
            tree[1] = [[False, v] for v in factors]
            todo.extend(tree[1])
            continue
        inner = is_neg(tree[1])
        if inner is not None:
            tree[:] = [not tree[0], inner]
            todo.append(tree)
    return top


@documented_in("theano.tensor.nnet.sigm")
def simplify_mul(tree: list[Any]) -> list[Any]:
    """Return ``tree`` without factors 1 and -1, and without products of fewer than two factors.

    >>> import theano.tensor as T
    >>> from theano.tensor.nnet.sigm import simplify_mul
    >>> x = T.dvector("x")
    >>> simplify_mul([False, [[True, None], [False, [[False, x]]]]])
    [True, x]
    """
    negated, part = tree
    if not isinstance(part, list):
        return tree
    kept = []
    for sign, inner in map(simplify_mul, part):
        if inner is None:
            negated ^= sign
        else:
            kept.append([sign, inner])
    if not kept:
        return [negated, None]
    if len(kept) == 1:
        return [negated ^ kept[0][0], kept[0][1]]
    return [negated, kept]


@documented_in("theano.tensor.nnet.sigm")
def compute_mul(tree: list[Any]) -> Variable:
    """Return the variable that a ``tree`` of factors represents.

    >>> import theano, theano.tensor as T
    >>> from theano.tensor.nnet.sigm import compute_mul, parse_mul_tree
    >>> x, y = T.dvectors("xy")
    >>> theano.pp(compute_mul(parse_mul_tree(-x * y)))
    '((-x) * y)'
    """
    negated, part = tree
    if part is None:
        raise AssertionError("compute_mul takes a tree without missing factors; simplify_mul first")
    variable: Variable = mul(*map(compute_mul, part)) if isinstance(part, list) else part
    return neg(variable) if negated else variable


@documented_in("theano.tensor.nnet.sigm")
def perform_sigm_times_exp(tree: list[Any]) -> bool:
    """Replace exp(x) sigmoid(-x) by sigmoid(x) in a ``tree``, wherever both are factors of it.

    The tree is changed in place: of each pair, the first becomes the sigmoid and the second 1.
    Return whether there was a pair.

    >>> import theano, theano.tensor as T
    >>> from theano.tensor.nnet import sigm
    >>> x = T.dvector("x")
    >>> tree = sigm.parse_mul_tree(sigm.sigmoid(x) * T.exp(-x))
    >>> sigm.perform_sigm_times_exp(tree)
    True
    >>> theano.pp(sigm.compute_mul(sigm.simplify_mul(tree)))
    'sigmoid((-x))'
    """
    # leaves without a partner so far, by op, variable and sign
    waiting: dict[tuple[Any, Variable, bool], list[list[Any]]] = defaultdict(list)
    changed = False
    for leaf in _leaves(tree):
        result = is_exp(leaf[1])
        sign = bool(leaf[0])
        if result is not None:
            op, argument = exp, result[1]
            sign ^= result[0]
        elif (inside := _args_of(sigmoid, leaf[1])) is not None:
            op, argument = sigmoid, inside[0]
        else:
            continue
        inner = is_neg(argument)
        x, minus = (argument, False) if inner is None else (inner, True)
        partners = waiting[exp if op is sigmoid else sigmoid, x, not minus]
        if not partners:
            waiting[op, x, minus].append(leaf)
            continue
        partner = partners.pop(0)
        # exp(s x) sigmoid(-s x) = sigmoid(s x)
        minus = minus if op is exp else not minus
        partner[:] = [partner[0] ^ sign, sigmoid(neg(x) if minus else x)]
        waiting[sigmoid, x, minus].append(partner)
        leaf[:] = [False, None]
        changed = True
    return changed


def _leaves(tree: list[Any]) -> list[list[Any]]:
    """Return the trees that are variables, from left to right."""
    results, todo = [], [tree]
    while todo:
        at = todo.pop()
        if isinstance(at[1], list):
            todo.extend(reversed(at[1]))
        elif at[1] is not None:
            results.append(at)
    return results
