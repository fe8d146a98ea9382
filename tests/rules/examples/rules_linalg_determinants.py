"""Graphs on which the rules of rules/linalg/determinants.py fire."""

from collections.abc import Callable
from typing import Any

from tests.rules.examples.rules_linalg_systems import Example, definite, lower, matrix, regular
from theano._src.ops.elementwise.arithmetic import abs_
from theano._src.ops.elementwise.explog import log
from theano._src.ops.linalg.dot import dot
from theano._src.ops.linalg.hints import assume
from theano._src.ops.linalg.inverse import det, slogdet
from theano._src.ops.linalg.kron import Kron


def _logs() -> Example:
    x = matrix("x")
    return [x], [log(det(regular(x))), log(abs_(det(-regular(x))))]


def square(x: Any) -> Any:
    return assume(regular(x), "symmetric")


def _of(function: Callable[..., Any], form: Callable[[Any], Any]) -> Callable[[], Example]:
    def example() -> Example:
        x = matrix("x")
        result = function(form(x + x.T))
        return [x], list(result) if isinstance(result, (list, tuple)) else [result]

    return example


def _all_slogdets() -> Example:
    x = matrix("x")
    return [x], [*slogdet(lower(x)), *slogdet(definite(x))]


def _kron(x: Any) -> Any:
    return Kron()(square(x) / 30, square(x) / 40)


def _product(x: Any) -> Any:
    return dot(square(x), square(x + 1))


EXAMPLES = {
    "log_of_det": _logs,
    "det_of_diagonal": lambda: ([x := matrix("x")], [det(lower(x)), det(definite(x))]),
    "slogdet_of_diagonal": _all_slogdets,
    "det_of_kron": _of(det, _kron),
    "slogdet_of_kron": _of(slogdet, _kron),
    "det_of_dot": _of(det, _product),
    "slogdet_of_dot": _of(slogdet, _product),
}
