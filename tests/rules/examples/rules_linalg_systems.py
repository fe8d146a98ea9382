"""Graphs on which the rules of rules/linalg/systems.py fire."""

from collections.abc import Callable
from typing import Any

from theano._src.ops.arrays.diagonal import diag, trace
from theano._src.ops.linalg.dot import dot, outer
from theano._src.ops.linalg.hints import assume
from theano._src.ops.linalg.inverse import matrix_inverse
from theano._src.ops.linalg.solve import solve
from theano._src.ops.shape.dims import transpose
from theano._src.ops.shape.ranges import eye, tril, triu
from theano._src.types.tensor import tensor_type

Example = tuple[list[Any], list[Any]]


def matrix(name: str) -> Any:
    return tensor_type("float64", (False, False))(name)


def vector(name: str) -> Any:
    return tensor_type("float64", (False,))(name)


def regular(x: Any) -> Any:
    """A regular matrix of 3 rows, whatever the elements of x from -5 to 5."""
    return x + 30 * eye(3)


def lower(x: Any) -> Any:
    return assume(tril(regular(x)), "lower")


def definite(x: Any) -> Any:
    return assume(regular(dot(x, transpose(x))), "positive_definite")


def orthogonal(v: Any) -> Any:
    """A reflection."""
    return assume(eye(3) - 2 * outer(v, v) / dot(v, v), "orthogonal")


def _solved(of: Callable[[Any], Any]) -> Callable[[], Example]:
    def example() -> Example:
        x, b, c = matrix("x"), vector("b"), matrix("c")
        return [x, b, c], [solve(of(x), b), solve(of(x), c)]

    return example


def _turned() -> Example:
    x = matrix("x")
    return [x], [transpose(dot(transpose(x), x)) * 2]


def _diagonal() -> Example:
    v, b, c = vector("v"), vector("b"), matrix("c")
    D = diag(10 + v)
    return [v, b, c], [solve(D, b), solve(D, c)]


def _orthogonal() -> Example:
    v, b = vector("v"), vector("b")
    return [v, b], [solve(orthogonal(v), b)]


def _twice() -> Example:
    x = matrix("x")
    return [x], [matrix_inverse(matrix_inverse(regular(x)))]


def _inverses() -> Example:
    x, v = matrix("x"), vector("v")
    upper = triu(regular(x + 1))
    matrices = [lower(x), upper, definite(x), orthogonal(v), diag(10 + v)]
    return [x, v], [matrix_inverse(m) for m in matrices]


def _times_inverse() -> Example:
    x, b, c = matrix("x"), vector("b"), matrix("c")
    A = regular(x)
    products = [
        dot(matrix_inverse(A), b),
        dot(matrix_inverse(A + 1), c),
        dot(b, matrix_inverse(A + 2)),
        dot(c, matrix_inverse(A + 3)),
    ]
    return [x, b, c], products


def _scaled() -> Example:
    v, b, c = vector("v"), vector("b"), matrix("c")
    D = diag(v)
    return [v, b, c], [dot(D, b), dot(b, D), dot(D, c), dot(c, D)]


def _traced() -> Example:
    x, y = matrix("x"), matrix("y")
    return [x, y], [trace(dot(x, y)), diag(dot(x[:2], y))]


EXAMPLES = {
    "transpose_of_symmetric": _turned,
    "inverse_of_inverse": _twice,
    "times_inverse": _times_inverse,
    "solve_diagonal": _diagonal,
    "solve_triangular_matrix": _solved(lower),
    "solve_orthogonal": _orthogonal,
    "solve_definite": _solved(definite),
    "inverse_by_facts": _inverses,
    "dot_with_diagonal": _scaled,
    "diagonal_of_dot": _traced,
}
