"""Hints: facts that a user states about a matrix in the graph; and a bound on eigenvalues."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from theano._src.graph.graph import Apply
from theano._src.graph.op import Op
from theano._src.ground.array_types import Array, ArrayNamespace, Arrays
from theano._src.ground.config import config
from theano._src.ground.documented import documented_in
from theano._src.ground.suggest import nearest
from theano._src.ops.arrays.diagonal import trace
from theano._src.ops.linalg.dot import dot
from theano._src.ops.linalg.facts import STATED, Facts, facts_of_hints, failures
from theano._src.ops.linalg.matrix_stacks import as_stack
from theano._src.rewrite.rule import FunctionRule
from theano._src.types.aliases import TensorLike
from theano._src.types.convert import as_tensor_variable
from theano._src.types.dtypes import complex_dtypes
from theano._src.types.tensor import TensorVariable


@documented_in("theano.sandbox.linalg.ops")
class Hint(Op):
    """The identity; its keywords state facts about the input.

    Rules read the facts, then rewriting removes the node. Where it stays, it tests the facts.

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

    @property
    def facts(self) -> Facts:
        return facts_of_hints(dict(self.hints))

    def make_node(self, x: TensorLike) -> Apply:
        x = as_tensor_variable(x)
        return Apply(self, [x], [x.type()])

    def __str__(self) -> str:
        shown = (k if v is True else f"{k}={v}" for k, v in self.hints if k != "square")
        return f"Hint{{{', '.join(shown)}}}"

    def compute(self, xp: ArrayNamespace, x: Array) -> Any:
        return x

    def validate(self, node: Apply, inputs: Sequence[Any]) -> None:
        for name in self._contradicted(np, inputs[0]):
            raise AssertionError(
                f"{node.inputs[0]} is assumed to be {name}, and its value of shape "
                f"{inputs[0].shape} is not; correct the matrix, or drop the assumption"
            )

    def _contradicted(self, xp: Any, x: Array) -> list[str]:
        return [name for name, wrong in failures(xp, self.facts, x) if wrong] if x.ndim > 1 else []

    def checks(
        self, xp: ArrayNamespace, sizes: Sequence[int], inputs: Arrays, outputs: Arrays
    ) -> Sequence[Any]:
        (x,) = inputs
        return [~wrong for _, wrong in failures(xp, self.facts, x)] if x.ndim > 1 else []

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        return list(output_grads)

    def R_op(self, inputs: list[Any], eval_points: list[Any]) -> list[Any]:
        return list(eval_points)

    def batch_rule(self, node: Apply, inputs: Sequence[Any], is_batched: Sequence[bool]) -> Any:
        return [self(inputs[0])]


@documented_in("theano.tensor")
def assume(x: TensorLike, *facts: str, banded: tuple[int, int] | None = None) -> TensorVariable:
    """``x``, with facts about its matrices that rewriting may use.

    They hold for what is computed from the result, not for other uses of ``x``. If a fact is
    wrong, so may be what the program computes; ``config.check_assumptions`` and DebugMode test
    the facts on values.

    Parameters
    ----------
    x : square matrix, or a stack of them in the last two dimensions
    *facts : str
        'symmetric', 'psd' (symmetric without negative eigenvalues), 'positive_definite',
        'orthogonal', 'lower', 'upper' or 'diagonal'. Complex matrices are 'lower', 'upper',
        'diagonal' or banded.
    banded : (int, int), optional
        How many diagonals below and above the main one may hold other numbers than 0.

    >>> import theano, theano.tensor as T
    >>> A, b = T.dmatrix("A"), T.dvector("b")
    >>> f = theano.function([A, b], T.slinalg.solve(T.assume(A, "diagonal"), b))
    >>> f([[2.0, 0.0], [0.0, 4.0]], [2.0, 2.0]).tolist()
    [1.0, 0.5]
    """
    x = as_stack("assume", x)
    known = [name for name in STATED if name != "square"]
    for name in facts:
        if name not in known:
            near = nearest(name, known)
            hint = f"; did you mean {near!r}?" if near else ""
            raise ValueError(f"assume takes facts of {', '.join(known)}, got {name!r}{hint}")
    of_real = {"symmetric", "psd", "positive_definite", "orthogonal"}.intersection(facts)
    if of_real and x.dtype in complex_dtypes:
        raise TypeError(f"assume takes a real matrix for {min(of_real)!r}, got {x} of {x.type}")
    stated: dict[str, Any] = dict.fromkeys(sorted({*facts, "square"}), True)
    if banded is not None:
        if not _are_counts(banded):
            raise ValueError(
                "assume takes the numbers of diagonals below and above the main one as banded, "
                f"got {banded!r}"
            )
        stated["banded"] = tuple(map(int, banded))
    elif not facts:
        raise TypeError("assume takes one fact or more, got none")
    result: TensorVariable = Hint(**stated)(x)
    return result


def _are_counts(banded: object) -> bool:
    if not isinstance(banded, tuple) or len(banded) != 2:
        return False
    return all(isinstance(n, (int, np.integer)) and n >= 0 for n in banded)


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


def hint_removed(node: Apply) -> list[Any] | None:
    """hint(x) -> x: rules have read the facts by now"""
    return None if config.check_assumptions else node.inputs[:1]


RULES = (
    FunctionRule(
        hint_removed,
        "remove_hint_nodes",
        "remove_hints",
        [Hint],
        tags=("fast_compile",),
    ),
)
