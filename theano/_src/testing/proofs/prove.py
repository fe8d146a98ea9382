"""Prove a rule: an equation for all numbers, a function on an example."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from theano._src.graph.graph import Variable
from theano._src.rewrite.local import as_rule
from theano._src.rewrite.rule import Rule
from theano._src.testing.proofs.bounded import Bounded, prove_on
from theano._src.testing.proofs.equations import Proof, prove_equation


def prove(
    rule: Any,
    inputs: Sequence[Variable] | None = None,
    outputs: Sequence[Variable] | None = None,
    *,
    seconds: float = 10.0,
) -> Proof | Bounded:
    """Prove a rule over the real numbers by z3, or find numbers at which it is wrong.

    Rounding, infinities and NaN are not in the claim. An equation is proved for all numbers. A
    rule that is a function is proved on a graph: for all numbers, and for lengths from 0 to 3.

    Parameters
    ----------
    rule : rule or LocalOptimizer
        The ops of an equation are scalar functions.
    inputs, outputs : lists of Variables, optional
        The graph on which a function is proved; by default the rule's own example.
    seconds : float
        About how long z3 may take for a question; its steps are counted.

    Returns
    -------
    Proof or Bounded
        True if the rule is proved, and has a value wherever the original expression has one.

    >>> import theano.tensor as T
    >>> from theano.extend import Hole, Rule, rewrite_rule
    >>> from theano.testing import prove
    >>> x = Hole("x")
    >>> print(prove(Rule("log_sqrt", "stabilize", T.log(T.sqrt(x)), T.mul(0.5, T.log(x)))))
    log_sqrt: log(sqrt(x)) = mul(0.5, log(x)) is proved
    >>> print(prove(Rule("root", "stabilize", T.sqrt(T.sqr(x)), x)))
    root: sqrt(sqr(x)) = x is refuted: x = -1
    >>> @rewrite_rule("sum_of_neg", "canonicalize", [T.neg])
    ... def sum_of_neg(node):
    ...     "-sum(x) -> sum(x)"
    ...     return [node.inputs[0]]
    >>> v = T.dvector("v")
    >>> prove(sum_of_neg, [v], [-T.sum(v)]).outcome
    'refuted'
    """
    one = as_rule(rule)
    if isinstance(one, Rule):
        if inputs is not None:
            raise TypeError(f"prove takes no graph for an equation, got one for {one!r}")
        return prove_equation(one, seconds)
    if inputs is None or outputs is None:
        if one.example is None:
            raise ValueError(f"prove takes inputs and outputs of a graph: {one!r} has no example")
        inputs, outputs = one.example()
    return prove_on(one, inputs, outputs, seconds=seconds)
