"""Expressions of matrices on which the rules about inverses, determinants and factors fire."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from theano._src.compile.function import function
from theano._src.compile.mode import Mode
from theano._src.control.batching import batched
from theano._src.graph.fg import FunctionGraph
from theano._src.ops.linalg.hints import Hint
from theano._src.rewrite.driver import Rewriter
from theano._src.rules.pipeline import RULES, restore_type
from theano._src.rules.shape import attach_shapes
from theano._src.types.tensor import tensor_type
from tools.proofs.matrices import Lengths, draw, fact_of, ndim_of
from tools.proofs.readings import Symbols

#: condition numbers are at most about a power of ten, for all matrices of a case together
POWER = 8.0


@dataclass(frozen=True)
class Form:
    """An expression on which a rule fires.

    Attributes
    ----------
    kinds : tuple of str
        What the operands are.
    outputs : function
        Of a reading and the operands: the results.
    keeps_hints : bool
        Whether hints stay in the graphs, where they test the facts.
    """

    kinds: tuple[str, ...]
    outputs: Callable[..., Sequence[Any]]
    keeps_hints: bool = False

    @cached_property
    def graph(self) -> tuple[list[Any], list[Any]]:
        inputs = [tensor_type("float64", (False,) * ndim_of(kind))() for kind in self.kinds]
        facts = [fact_of(kind) for kind in self.kinds]
        operands = [
            x if fact is None else Hint(**{fact: True, "square": True})(x)
            for x, fact in zip(inputs, facts, strict=True)
        ]
        return inputs, list(self.outputs(Symbols, *operands))

    @cached_property
    def before(self) -> tuple[Any, Any]:
        return self.compiled(None)

    def rewritten(self, rule: Any) -> FunctionGraph:
        """Return a copy of the graph, after a rule if one is given."""
        graph = FunctionGraph(*map(list, self.graph))
        attach_shapes(graph, None)
        if rule is not None:
            Rewriter([rule], restore=restore_type, on_failure=_raise).rewrite(graph)
        return graph

    def compiled(self, rule: Any) -> tuple[Any, Any]:
        """Return functions of many cases and of one, after rewriting by a rule."""
        graph = self.rewritten(rule)
        if not self.keeps_hints:
            Rewriter([RULES["remove_hint_nodes"]]).rewrite(graph)
        stacks = [tensor_type(v.dtype, (False, *v.broadcastable))() for v in graph.inputs]
        results = batched(graph.outputs, dict(zip(graph.inputs, stacks, strict=True)))
        mode = Mode("numpy", None)
        one = function(graph.inputs, graph.outputs, mode, on_unused_input="ignore")
        return function(stacks, results, mode, on_unused_input="ignore"), one

    def draw(self, rng: np.random.Generator, count: int) -> list[Any]:
        n, k, block = map(int, rng.integers(1, [7, 5, 4]))
        squares = sum(ndim_of(kind) == 2 for kind in self.kinds)
        power = POWER / max(squares, 1)
        return [draw(rng, kind, count, Lengths(n, k, block), power) for kind in self.kinds]


def _raise(where: str, rule: Any, node: Any, error: Exception) -> None:
    raise error


def _each(kinds: Sequence[str], outputs: Callable[..., Sequence[Any]], *rest: str) -> list[Form]:
    return [Form((kind, *rest), outputs) for kind in kinds]


def _solved(m: Any, A: Any, b: Any, c: Any) -> list[Any]:
    return [m.solve(A, b), m.solve(A, c)]


def _by_triangle(m: Any, A: Any, b: Any, c: Any) -> list[Any]:
    return [m.triangular(A, b, "N"), m.triangular(A, c, "T")]


def _twice_used(m: Any, A: Any, b: Any, c: Any) -> list[Any]:
    inverse = m.inverse(A)
    return [m.dot(inverse, b), m.dot(c, inverse)]


_RIGHT = ("vector", "columns")
_TRIANGLES = ("any lower", "any upper", "any diagonal", "positive_definite")
_BOTH = ("any square", "any square")
_BLOCKS = ("any square", "any square block")

#: by name of a rule
FORMS: dict[str, list[Form]] = {
    "log_of_det": _each(
        ["any square"], lambda m, A: [m.log(m.det(A)), m.log(m.size(m.det(m.turned(A))))]
    ),
    "det_of_diagonal": _each(_TRIANGLES, lambda m, A: [m.det(A)]),
    "slogdet_of_diagonal": _each(_TRIANGLES, lambda m, A: m.slogdet(A)),
    "det_of_kron": [Form(_BLOCKS, lambda m, A, B: [m.det(m.kron(A, B))])],
    "slogdet_of_kron": [Form(_BLOCKS, lambda m, A, B: m.slogdet(m.kron(A, B)))],
    "det_of_dot": [Form(_BOTH, lambda m, A, B: [m.det(m.dot(A, B))])],
    "slogdet_of_dot": [Form(_BOTH, lambda m, A, B: m.slogdet(m.dot(A, B)))],
    "dot_with_diagonal": [
        Form(("any diagonal", "vector"), lambda m, D, b: [m.dot(D, b), m.dot(b, D)]),
        Form(
            ("any diagonal", "columns", "rows"),
            lambda m, D, c, r: [m.dot(D, c), m.dot(r, D)],
        ),
    ],
    "inverse_of_inverse": [Form(("regular",), lambda m, A: [m.inverse(m.inverse(A))])],
    "inverse_by_facts": _each(
        ("lower", "upper", "diagonal", "orthogonal", "positive_definite"),
        lambda m, A: [m.inverse(A)],
    ),
    "times_inverse": [
        Form(("regular", "vector"), lambda m, A, b: [m.dot(m.inverse(A), b)]),
        Form(("regular", "vector"), lambda m, A, b: [m.dot(b, m.inverse(A))]),
        Form(("regular", "columns"), lambda m, A, b: [m.dot(m.inverse(A), b)]),
        Form(("regular", "rows"), lambda m, A, b: [m.dot(b, m.inverse(A))]),
        *_each(("lower", "upper", "positive_definite"), _twice_used, "vector", "vector"),
    ],
    "solve_diagonal": [
        *_each(["diagonal"], _solved, *_RIGHT),
        *_each(["diagonal"], _by_triangle, *_RIGHT),
    ],
    "solve_triangular_matrix": _each(("lower", "upper"), _solved, *_RIGHT),
    "solve_orthogonal": _each(["orthogonal"], _solved, *_RIGHT),
    "solve_definite": _each(["positive_definite"], _solved, *_RIGHT),
    "scan_facts_into_loop": [
        *(
            Form((kind, "rows"), lambda m, A, c: [m.rows(lambda x, w: m.solve(w, x), c, A)], True)
            for kind in ("lower", "upper", "diagonal", "orthogonal", "positive_definite")
        ),
        Form(
            ("any lower stack", "any upper"),
            lambda m, s, A: [m.rows(lambda x, w: m.det(m.dot(x, w)), s, A)],
            True,
        ),
    ],
}

#: expressions on which these rules do not fire, but rules that ignore a condition do
GENERAL = [
    Form(("regular", "vector", "columns"), _solved),
    Form(("regular",), lambda m, A: [m.inverse(A)]),
    Form(_BOTH, lambda m, A, B: [m.dot(A, B)]),
    Form(("columns", "rows"), lambda m, c, r: [m.det(m.dot(c, r)), m.det(m.kron(c, r))]),
    Form(("columns", "rows"), lambda m, c, r: m.slogdet(m.dot(c, r))),
    Form(("columns", "rows"), lambda m, c, r: m.slogdet(m.kron(c, r))),
    *_each(("upper", "positive_definite"), lambda m, A, b: [m.by_lower(A, b)], "vector"),
    Form(("diagonal", "vector"), lambda m, D, b: [m.by_lower(D, b, unit=True)]),
]
