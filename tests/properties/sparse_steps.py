"""The lines that random sparse programs are made of, and the numbers that they begin with."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import Any

import numpy as np
import scipy.sparse as sp


@dataclass(frozen=True)
class Step:
    """A line: its text, and its arguments by kind and lengths ('s ab' is sparse, 'd b' a vector).

    Equal letters are equal lengths. `grad` says for which elements of sparse arguments the gradient
    holds: 'all', 'stored', or 'none' for a line without one; `blocked` arguments have none.
    """

    text: str
    args: tuple[str, ...]
    grad: str = "all"
    weight: int = 1
    blocked: tuple[int, ...] = ()


def _dots() -> list[Step]:
    made = []
    for args in (("s ab", "d bc"), ("d ab", "s bc"), ("s ab", "s bc")):
        made.append(Step("S.dot({0}, {1})", args, weight=2))
        made.append(Step("S.structured_dot({0}, {1})", args, "stored", 2))
    made += [Step("S.dot({0}, {1})", a, weight=2) for a in (("s ab", "d b"), ("d a", "s ab"))]
    made.append(Step("S.true_dot({0}, {1})", ("s ab", "d bc")))
    return made


_FUNCTIONS = (
    *("sqr", "tanh", "sin", "arctan", "expm1", "structured_exp", "structured_sigmoid"),
    "arcsinh",
)
_TIDY = ("remove0", "clean", "ensure_sorted_indices")
_LOOP = (
    "theano.scan({fn}, outputs_info=T.cast({0}, 'float64'), non_sequences={1}, "
    "n_steps={k})[0]{last}"
)
STEPS = [
    *_dots(),
    *(Step(f"{{0}} {sign} {{1}}", ("s ab", "s ab"), weight=2) for sign in "+-*"),
    *(Step(f"{{0}} {sign} {{1}}", ("s ab", "d ab"), "stored") for sign in "+-*"),
    *(Step(f"{{0}} {sign} {{1}}", ("d ab", "s ab"), "stored") for sign in "+-*"),
    Step("{0} * {1}", ("s ab", "d"), "stored"),
    Step("{0} * 0.5", ("s ab",), "stored"),
    Step("-{0}", ("s ab",)),
    Step("{0}.T", ("s ab",), weight=3),
    Step("{0}.toarray()", ("s ab",), "stored"),
    Step("S.csr_from_dense({0})", ("d ab",)),
    Step("S.csc_from_dense({0})", ("d ab",)),
    *(Step(f"S.sp_sum({{0}}{axis})", ("s ab",)) for axis in ("", ", axis=0", ", axis=1")),
    *(
        Step(f"S.sp_sum({{0}}{axis}, sparse_grad=True)", ("s ab",), "stored")
        for axis in ("", ", axis=0", ", axis=1")
    ),
    Step("S.col_scale({0}, {1})", ("s ab", "d b"), "stored"),
    Step("S.row_scale({0}, {1})", ("s ab", "d a"), "stored"),
    Step("S.mul_s_v({0}, {1})", ("s ab", "d b"), "stored"),
    Step("S.structured_add_s_v({0}, {1})", ("s ab", "d b"), "stored"),
    Step("S.diag({0})", ("s aa",)),
    Step("S.square_diagonal({0})", ("d a",)),
    Step("S.hstack([{0}, {1}])", ("s ab", "s ac")),
    Step("S.hstack([{0}, {1}], format='csr')", ("s ab", "s ac")),
    Step("S.vstack([{0}, {1}])", ("s ab", "s cb")),
    Step("S.vstack([{0}, {1}], format='csr')", ("s ab", "s cb")),
    *(Step(f"S.{name}({{0}})", ("s ab",)) for name in _TIDY),
    *(Step(f"S.{name}({{0}})", ("s ab",), "stored") for name in _FUNCTIONS),
    Step("S.structured_add({0}, 2.0)", ("s ab",), "stored"),
    Step("S.structured_pow({0}, 2)", ("s ab",), "stored"),
    Step("S.structured_maximum({0}, 0.3)", ("s ab",), "stored"),
    Step("S.sp_ones_like({0})", ("s ab",), "none"),
    Step("(S.csm_data({0}) ** 2).sum()", ("s ab",), "stored"),
    Step("{0}[{slice0}, {slice1}]", ("s ab",), "none", 2),
    Step("{0}[{i}, {j}]", ("s ab",), "none"),
    Step("{0}[{rows}]", ("s ab",), "stored", 2),
    Step("{0}[{rows}, {columns}]", ("s ab",), "stored"),
    Step("S.sampling_dot({0}, {1}, {2})", ("d ac", "d bc", "s ab"), "stored", 2, blocked=(2,)),
    Step("S.usmm({0}, {1}, {2}, {3})", ("d", "s ab", "d bc", "d ac"), "none"),
    Step("S.cast(S.gt({0}, {1}), 'float64')", ("s ab", "s ab"), "none"),
    Step("T.cast(S.le({0}, {1}), 'float64')", ("s ab", "d ab"), "none"),
    Step("T.cast({0}.shape, 'float64')", ("s ab",), "none"),
    Step("T.cast({0}.size, 'float64')", ("s ab",), "none"),
    Step("T.tanh({0})", ("d ab",), weight=2),
    Step("T.nnet.sigmoid({0})", ("d a",)),
    Step("{0} + {1}", ("d ab", "d ab"), weight=2),
    Step("{0} * {1}", ("d a", "d a")),
    Step("T.dot({0}, {1})", ("d ab", "d bc")),
    Step("{0}.T", ("d ab",)),
    Step("{0}.sum(axis=0)", ("d ab",)),
    Step("T.sqr({0}).sum()", ("d ab",)),
    Step("T.sqr({0}).sum()", ("d a",)),
    Step(_LOOP.replace("{fn}", "lambda h, a: T.tanh(S.dot(a, h))"), ("d a", "s aa"), "stored", 3),
    Step(
        _LOOP.replace("{fn}", "lambda h, a: h + 0.5 * T.tanh(S.structured_dot(a, h))"),
        ("d ab", "s aa"),
        "stored",
        2,
    ),
    Step(
        "theano.scan(lambda r, a: S.dot(a, r), sequences={0}, non_sequences={1})[0]",
        ("d ab", "s cb"),
        "stored",
        2,
    ),
]

VARIANTS = ("plain", "plain", "out of order", "zeros stored", "twice stored", "nothing stored")


def quarters(rng: np.random.Generator, shape: tuple[int, ...], dtype: str) -> np.ndarray:
    """Numbers with few bits, so that sums and products of a few are exact."""
    found = rng.integers(-6, 7, shape)
    return np.asarray(found if dtype.startswith("int") else found / 4, dtype)


def sparse_value(
    rng: np.random.Generator, kind: str, variant: str, shape: tuple[int, int], dtype: str
) -> Any:
    """A random matrix, stored in some way."""
    chosen = rng.random(shape) < rng.choice([0.2, 0.5, 0.9])
    if variant == "nothing stored":
        chosen[:] = False
    numbers = quarters(rng, shape, dtype)
    if variant != "zeros stored":
        numbers[numbers == 0] = 1
    rows, columns = np.nonzero(chosen)
    data = numbers[chosen]
    if variant == "twice stored":
        rows, columns = np.repeat(rows, 2), np.repeat(columns, 2)
        data = quarters(rng, (len(rows),), dtype)
    if variant in ("twice stored", "out of order"):
        order = rng.permutation(len(rows))
        rows, columns, data = rows[order], columns[order], data[order]
    return from_places(kind, rows, columns, data, shape)


def from_places(kind: str, rows: Any, columns: Any, data: Any, shape: tuple[int, int]) -> Any:
    """A matrix of SciPy's that stores what is given, nothing added up, each row in that order."""
    major, minor = (rows, columns) if kind == "csr" else (columns, rows)
    n = shape[0] if kind == "csr" else shape[1]
    order = np.argsort(major, kind="stable")
    indptr = np.concatenate([[0], np.cumsum(np.bincount(major, minlength=n)[:n])]).astype("int32")
    parts = (np.asarray(data)[order], np.asarray(minor)[order].astype("int32"), indptr)
    return (sp.csr_matrix if kind == "csr" else sp.csc_matrix)(parts, shape=shape)


def bounds(random: Random, shape: tuple[int, ...]) -> dict[str, str]:
    """Texts of indices into a matrix of that shape."""
    if min(shape, default=0) == 0:
        return {"slice0": ":", "slice1": ":"}

    def one(n: int) -> int:
        return random.randrange(-n, n)

    def cut(n: int) -> str:
        beyond = f"{random.randrange(n)}:{n + 3}"
        return random.choice((":", f"{one(n)}:", f":{one(n)}", "::2", "::-1", beyond))

    if len(shape) < 2:
        return {}
    m, n = shape
    return {
        "slice0": cut(m),
        "slice1": cut(n),
        "i": str(one(m)),
        "j": str(one(n)),
        "rows": str([one(m) for _ in range(3)]),
        "columns": str([one(n) for _ in range(3)]),
    }
