"""What each rule about matrices gains: time, and error of float32, without the rules and with them.

Both forms run in turn in one process, with one thread; the ratio is of the least processor times.
The error is the largest one relative to the largest value, against float64 without the rules (for
determinants that are out of its range, against ``numpy.linalg.slogdet``). ``--quick`` takes small
matrices; ``--only TEXT`` the patterns with this text.
"""

import argparse
import os

os.environ.setdefault("OMP_NUM_THREADS", "1")

import time
from collections.abc import Callable
from typing import Any

import numpy as np
from timing import print_machine

import theano
import theano.tensor as T
from theano.tensor.nlinalg import det, diag, matrix_inverse, trace
from theano.tensor.slinalg import cholesky, kron, solve

Expression = Callable[[Any, Any, Any], Any]
RNG = np.random.default_rng(0)


def definite(A: Any) -> Any:
    return T.assume(A, "positive_definite")


#: pattern: (expression of A, B and b, what A is)
PATTERNS: dict[str, tuple[Expression, str]] = {
    "solve(diagonal, b)": (lambda A, B, b: solve(T.assume(A, "diagonal"), b), "diagonal"),
    "solve(lower, b)": (lambda A, B, b: solve(T.assume(A, "lower"), b), "lower"),
    "solve(cholesky(A), b)": (lambda A, B, b: solve(cholesky(A), b), "definite"),
    "solve(orthogonal, b)": (lambda A, B, b: solve(T.assume(A, "orthogonal"), b), "orthogonal"),
    "solve(definite, b)": (lambda A, B, b: solve(definite(A), b), "definite"),
    "dot(inv(A), b)": (lambda A, B, b: T.dot(matrix_inverse(A), b), "definite"),
    "dot(inv(A), B)": (lambda A, B, b: T.dot(matrix_inverse(A), B), "definite"),
    "inv(inv(A))": (lambda A, B, b: matrix_inverse(matrix_inverse(A)), "definite"),
    "inv(diagonal)": (lambda A, B, b: matrix_inverse(T.assume(A, "diagonal")), "diagonal"),
    "inv(lower)": (lambda A, B, b: matrix_inverse(T.assume(A, "lower")), "lower"),
    "inv(orthogonal)": (lambda A, B, b: matrix_inverse(T.assume(A, "orthogonal")), "orthogonal"),
    "inv(definite)": (lambda A, B, b: matrix_inverse(definite(A)), "definite"),
    "det(lower), 60 rows": (lambda A, B, b: det(T.assume(A[:60, :60], "lower")), "lower"),
    "log(det(A))": (lambda A, B, b: T.log(det(A)), "definite"),
    "log(det(definite))": (lambda A, B, b: T.log(det(definite(A))), "definite"),
    "log(det(kron(A, B)))": (lambda A, B, b: T.log(det(_small_kron(A, B))), "definite"),
    "trace(dot(A, B))": (lambda A, B, b: trace(T.dot(A, B)), "definite"),
    "diag(dot(A, B))": (lambda A, B, b: diag(T.dot(A, B)), "definite"),
    "dot(diagonal, B)": (lambda A, B, b: T.dot(T.assume(A, "diagonal"), B), "diagonal"),
    "solve and log(det) of a definite A": (
        lambda A, B, b: T.dot(b, solve(definite(A), b)) + T.log(det(definite(A))),
        "definite",
    ),
}


def _small_kron(A: Any, B: Any) -> Any:
    """Of square parts of 20 rows: the product has 400."""
    return kron(T.assume(A[:20, :20], "symmetric"), T.assume(B[:20, :20] + 3, "symmetric"))


def matrices(kind: str, n: int) -> tuple[Any, Any, Any]:
    base = RNG.normal(size=(n, n))
    A = base @ base.T / n + np.eye(n)
    A = {
        "diagonal": np.diag(np.diag(A)),
        "lower": np.linalg.cholesky(A),
        "orthogonal": np.linalg.qr(base)[0],
        "definite": A,
    }[kind]
    B = RNG.normal(size=(n, n))
    return A, B @ B.T / n + np.eye(n), RNG.normal(size=n)


def function(expression: Expression, dtype: str, rules: bool) -> Any:
    A, B, b = T.matrix("A", dtype=dtype), T.matrix("B", dtype=dtype), T.vector("b", dtype=dtype)
    mode = theano.Mode("numpy")
    mode = mode if rules else mode.excluding("matrix_facts")
    return theano.function([A, B, b], expression(A, B, b), mode=mode, on_unused_input="ignore")


def seconds(functions: list[Any], values: Any, times: int) -> list[float]:
    least = [float("inf")] * len(functions)
    for _ in range(times):
        for i, f in enumerate(functions):
            start = time.process_time()
            f(*values)
            least[i] = min(least[i], time.process_time() - start)
    return least


def error(got: Any, wanted: Any) -> float:
    got, wanted = np.asarray(got, "float64"), np.asarray(wanted, "float64")
    with np.errstate(all="ignore"):
        return float(np.abs(got - wanted).max() / np.abs(wanted).max())


def measure(name: str, n: int, times: int) -> tuple[float, float, float]:
    """Time without over time with the rules, and both errors of float32."""
    expression, kind = PATTERNS[name]
    values = matrices(kind, n)
    singles = [v.astype("float32") for v in values]
    with np.errstate(all="ignore"):
        before, after = (function(expression, "float32", rules) for rules in (False, True))
        # float64, from the same numbers
        wanted = function(expression, "float64", False)(*[v.astype("float64") for v in singles])
        if not np.all(np.isfinite(wanted)):
            wanted = function(expression, "float64", True)(*[v.astype("float64") for v in singles])
        errors = [error(f(*singles), wanted) for f in (before, after)]
        before, after = (function(expression, "float64", rules) for rules in (False, True))
        least = seconds([before, after], values, times)
    return least[0] / least[1], errors[0], errors[1]


def shown(value: float) -> str:
    return f"{value:.0e}" if np.isfinite(value) else "no value"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--only", default="")
    chosen = parser.parse_args()
    n, times = (40, 2) if chosen.quick else (400, 9)
    print_machine()
    print(f"\nmatrices of {n} rows\n")
    print("| pattern | time without / with | error without | error with |")
    print("|---|---:|---:|---:|")
    for name in PATTERNS:
        if chosen.only in name:
            ratio, before, after = measure(name, n, times)
            print(f"| `{name}` | {ratio:.1f} | {shown(before)} | {shown(after)} |", flush=True)


if __name__ == "__main__":
    main()
