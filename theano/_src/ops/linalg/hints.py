"""Hints: facts that a user states about a matrix in the graph; and a bound on eigenvalues."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from theano._src.graph.features import Feature
from theano._src.graph.fg import FunctionGraph
from theano._src.graph.graph import Apply, Variable
from theano._src.graph.op import Op
from theano._src.ground.array_types import Array, ArrayNamespace
from theano._src.ground.documented import documented_in
from theano._src.ground.errors import AlreadyThere
from theano._src.ops.arrays.diagonal import trace
from theano._src.ops.linalg.dot import dot
from theano._src.rewrite.passes import Optimizer
from theano._src.rewrite.rule import FunctionRule
from theano._src.types.aliases import TensorLike
from theano._src.types.convert import as_tensor_variable


@documented_in("theano.sandbox.linalg.ops")
class Hint(Op):
    """The identity; its keywords state facts about the input.

    Rewriting removes it from the graph; a ``HintsFeature`` keeps the facts.

    >>> import theano.tensor as T
    >>> from theano.sandbox.linalg.ops import Hint
    >>> Hint(banded=True)(T.eye(2)).eval().tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """

    __props__ = ("hints",)
    view_map = {0: [0]}
    shape_like = 0

    def __init__(self, **kwargs: Any) -> None:
        self.hints = tuple(kwargs.items())

    def make_node(self, x: TensorLike) -> Apply:
        x = as_tensor_variable(x)
        return Apply(self, [x], [x.type()])

    def compute(self, xp: ArrayNamespace, x: Array) -> Any:
        return x

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        return list(output_grads)

    def R_op(self, inputs: list[Any], eval_points: list[Any]) -> list[Any]:
        return list(eval_points)

    def batch_rule(self, node: Apply, inputs: Sequence[Any], is_batched: Sequence[bool]) -> Any:
        return [self(inputs[0])]


@documented_in("theano.sandbox.linalg.ops")
class HintsFeature(Feature):
    """Stores the hints about each variable of a graph.

    When a variable is replaced by another, the hints of either hold for both.

    >>> import theano, theano.tensor as T
    >>> from theano.sandbox.linalg.ops import HintsFeature, psd
    >>> x = T.dmatrix("x")
    >>> g = theano.gof.FunctionGraph([x], [psd(x)], clone=False)
    >>> g.attach_feature(HintsFeature())
    >>> g.hints_feature.hints[x]
    {'psd': True, 'symmetric': True}
    """

    def on_attach(self, fgraph: Any) -> None:
        if hasattr(fgraph, "hints_feature"):
            raise AlreadyThere(f"{fgraph} has a HintsFeature")
        fgraph.hints_feature = self
        self.hints: dict[Variable, dict[str, Any]] = {}
        for node in fgraph.toposort():
            self.on_import(fgraph, node, "on_attach")

    def on_detach(self, fgraph: Any) -> None:
        del fgraph.hints_feature

    def on_import(self, fgraph: FunctionGraph, node: Apply, reason: Any) -> None:
        if isinstance(node.op, Hint):
            for k, v in node.op.hints:
                self.add_hint(node.inputs[0], k, v)
                self.add_hint(node.outputs[0], k, v)

    def on_change_input(
        self,
        fgraph: FunctionGraph,
        node: Apply | str,
        i: int,
        r: Variable,
        new_r: Variable,
        reason: Any = None,
    ) -> None:
        both = {**self.hints.get(r, {}), **self.hints.get(new_r, {})}
        for v in (r, new_r) if both else ():
            self.hints[v] = dict(both)

    def add_hint(self, r: Variable, k: str, v: Any) -> None:
        """Record that the property ``k`` of ``r`` is ``v``."""
        self.hints.setdefault(r, {})[k] = v


@documented_in("theano.sandbox.linalg.ops")
class HintsOptimizer(Optimizer):
    """Attaches a ``HintsFeature`` to a graph, and changes nothing.

    >>> import theano, theano.tensor as T
    >>> from theano.sandbox.linalg.ops import HintsOptimizer
    >>> x = T.dmatrix("x")
    >>> g = theano.gof.FunctionGraph([x], [x + 1], clone=False)
    >>> HintsOptimizer().optimize(g)
    >>> g.hints_feature.hints
    {}
    """

    def add_requirements(self, fgraph: FunctionGraph) -> None:
        fgraph.attach_feature(HintsFeature())

    def apply(self, fgraph: FunctionGraph, *args: Any, **kwargs: Any) -> None:
        """Do nothing: attaching the feature is enough."""


@documented_in("theano.sandbox.linalg.ops")
def hints(variable: Variable) -> dict[str, Any]:
    """Return the hints about a variable, from the feature of its graph or from its own op.

    >>> import theano.tensor as T
    >>> from theano.sandbox.linalg.ops import hints, psd
    >>> hints(psd(T.dmatrix()))
    {'psd': True, 'symmetric': True}
    """
    feature: HintsFeature | None = getattr(variable.fgraph, "hints_feature", None)
    if feature is not None:
        return feature.hints.get(variable, {})
    made_by = variable.owner.op if variable.owner is not None else None
    return dict(made_by.hints) if isinstance(made_by, Hint) else {}


@documented_in("theano.sandbox.linalg.ops")
def psd(v: TensorLike) -> Any:
    """``v``, with the hint that it is symmetric and positive semi-definite.

    >>> import theano.tensor as T
    >>> from theano.sandbox.linalg.ops import psd
    >>> psd(T.eye(2)).eval().tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    return Hint(psd=True, symmetric=True)(v)


@documented_in("theano.sandbox.linalg.ops")
def is_psd(v: Variable) -> bool:
    """Whether a hint says that ``v`` is positive semi-definite.

    >>> import theano.tensor as T
    >>> from theano.sandbox.linalg.ops import is_psd, psd
    >>> is_psd(psd(T.dmatrix()))
    True
    """
    return bool(hints(v).get("psd", False))


@documented_in("theano.sandbox.linalg.ops")
def is_symmetric(v: Variable) -> bool:
    """Whether a hint says that ``v`` is symmetric.

    >>> import theano.tensor as T
    >>> from theano.sandbox.linalg.ops import is_symmetric
    >>> is_symmetric(T.dmatrix())
    False
    """
    return bool(hints(v).get("symmetric", False))


@documented_in("theano.sandbox.linalg.ops")
def spectral_radius_bound(X: TensorLike, log2_exponent: int) -> Any:
    """An upper bound on the eigenvalues of a symmetric matrix.

    Parameters
    ----------
    X : matrix
        Symmetric; this is not checked.
    log2_exponent : int
        How many times the matrix is squared: the more, the tighter the bound (Pan, Computers
        and Mathematics with Applications 20, 1990). 5 is usually enough.

    >>> import theano.tensor as T
    >>> from theano.sandbox.linalg.ops import spectral_radius_bound
    >>> float(spectral_radius_bound(T.diag([3.0, 4.0]), 1).eval())
    5.0
    """
    X = as_tensor_variable(X)
    if X.ndim != 2:
        raise TypeError(f"spectral_radius_bound takes a matrix, got {X} of {X.type}")
    if isinstance(log2_exponent, bool) or not isinstance(log2_exponent, (int, np.integer)):
        raise TypeError(
            f"spectral_radius_bound takes a Python integer as log2_exponent, got {log2_exponent!r}"
        )
    if log2_exponent <= 0:
        raise ValueError(
            f"spectral_radius_bound takes a positive log2_exponent, got {log2_exponent}"
        )
    for _ in range(log2_exponent):
        X = dot(X, X)
    return trace(X) ** (0.5**log2_exponent)


def hint_removed(node: Apply) -> list[Any]:
    """hint(x) -> x: the feature of the graph has recorded it"""
    return node.inputs[:1]


RULES = (
    FunctionRule(
        hint_removed,
        "remove_hint_nodes",
        "canonicalize",
        [Hint],
        tags=("fast_compile",),
    ),
)
