"""The steps that random programs are drawn from: each a symbolic form beside its plain NumPy form.

A row is data: two source texts, what its operands may be and where its numbers come from. ``{a}``
is the value that the program has reached, ``{b}`` and ``{c}`` are partners of it; capitals are
parameters. The NumPy form is the oracle: it never calls an op's own code.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy.special

from tests.properties import choices as pick

ANY, NUMBER, REAL, RING = "biufc", "iufc", "iuf", "biuf"


@dataclass(frozen=True)
class Row:
    """One step: what it computes, twice, and what it takes."""

    family: str
    symbolic: str
    numeric: str
    kinds: str = REAL  # of {a}: letters of numpy's dtype.kind
    when: Callable[[Any], bool] = lambda a: True  # of {a}, beyond its kind
    b: Callable[..., Any] | None = None
    c: Callable[..., Any] | None = None
    params: dict[str, Callable[..., str]] = field(default_factory=dict)
    ulps: float = 4  # by how many units in the last place two right answers may differ; 0: none
    weight: int = 1

    def __repr__(self) -> str:
        return self.symbolic


# ---- NumPy forms that take more than a call


def _float(a: Any) -> Any:
    """Discrete numbers as the documented float: float32 up to 16 bits, float64 beyond."""
    if a.dtype.kind in "fc":
        return a
    return a.astype("float32" if a.dtype.itemsize <= 2 else "float64")


def _dimshuffle(a: Any, order: Any) -> Any:
    kept = [d for d in order if d != "x"]
    lost = tuple(d for d in range(a.ndim) if d not in kept)
    rank = {d: i for i, d in enumerate(sorted(kept))}
    moved = np.squeeze(a, lost).transpose([rank[d] for d in kept])
    return moved[tuple(None if d == "x" else slice(None) for d in order)]


def _written(a: Any, index: Any, value: Any) -> Any:
    out = a.copy()
    out[index] = value
    return out


def _added(a: Any, index: Any, value: Any) -> Any:
    out = a.copy()
    np.add.at(out, index, value)
    return out


def _on_diagonal(a: Any, value: Any, offset: int) -> Any:
    out = a.copy()
    for i in range(a.shape[0]):
        if 0 <= i + offset < a.shape[1]:
            out[i, i + offset] = value
    return out


def _away(a: Any) -> Any:
    return np.copysign(np.floor(np.abs(a) + a.dtype.type(0.5)), a)


def _inverse(p: Any) -> Any:
    out = np.empty_like(p)
    out[p] = np.arange(len(p), dtype=p.dtype)
    return out


def _one_hot(a: Any, n: int) -> Any:
    return (a.reshape(-1, 1) == np.arange(n)).astype("float64")


def _cumulate(f: Any, a: Any, axis: int | None) -> Any:
    return f(a, axis=axis, dtype="int64" if a.dtype == bool else a.dtype)


def _batched(a: Any, b: Any) -> Any:
    dtype = np.result_type(a, b)
    return np.stack([np.dot(p, q) for p, q in zip(a, b, strict=True)]).astype(dtype)


def _topk(a: Any, k: int) -> Any:
    return np.sort(a, axis=-1)[..., ::-1][..., :k]


#: what the NumPy texts see
NUMERIC = {
    "np": np,
    "special": scipy.special,
    "fl": _float,
    "dimshuffle": _dimshuffle,
    "written": _written,
    "added": _added,
    "on_diagonal": _on_diagonal,
    "away": _away,
    "inverse": _inverse,
    "one_hot": _one_hot,
    "cumulate": _cumulate,
    "batched": _batched,
    "topk": _topk,
}


def _some(a: Any) -> bool:
    return a.ndim > 0


def _unary(names: str, numeric: str = "np.{n}(fl({{a}}))", **kw: Any) -> list[Row]:
    made = []
    for name in names.split():
        ours, theirs = name.split("=") if "=" in name else (name, name)
        made.append(Row("elementwise", f"T.{ours}({{a}})", numeric.format(n=theirs), **kw))
    return made


def _binary(names: str, kinds: str = REAL, **kw: Any) -> list[Row]:
    partner = kw.pop("b", pick.broadcasting(kinds))
    made = []
    for name in names.split():
        ours, theirs = name.split("=") if "=" in name else (name, name)
        made.append(
            Row(
                "elementwise",
                f"T.{ours}({{a}}, {{b}})",
                f"np.{theirs}({{a}}, {{b}})",
                kinds,
                b=partner,
                **kw,
            )
        )
    return made


def _reductions(names: str, kinds: str, axis: Any = pick.axes, **kw: Any) -> list[Row]:
    end = "({a}, axis={AX}, keepdims={KEEP})"
    over = {"AX": axis, "KEEP": pick.truth}
    return [
        Row("reduction", f"T.{n}{end}", f"np.{n}{end}", kinds, _some, params=over, **kw)
        for n in names.split()
    ]


def _small(bound: float) -> Callable[[Any], bool]:
    return lambda a: float(np.abs(a[np.isfinite(a)]).max(initial=0)) <= bound


_along = {"AX": pick.axis}
_rank = lambda *n: lambda a: a.ndim in n
_light = lambda a: a.ndim > 0 and a.size <= 60

# fmt: off
ROWS: list[Row] = [
    # elementwise, one operand
    *_unary("exp expm1 sinh cosh", when=_small(6), kinds=RING),
    *_unary("sin cos tanh arctan arcsinh sqrt log log1p log2 log10 arcsin arccos arctanh arccosh "
            "deg2rad rad2deg", kinds=RING),
    *_unary("tanh sin arctan", kinds="f", weight=3),
    *_unary("tan exp2", when=_small(1.25), kinds="f"),
    *_unary("floor ceil trunc", kinds="iuf", ulps=0),
    *_unary("sqr=square", "np.{n}({{a}})", kinds=NUMBER, ulps=1),
    *_unary("abs_=abs sgn=sign", "np.{n}({{a}})", kinds="iuf", ulps=0),
    *_unary("neg=negative", "np.{n}({{a}})", kinds=NUMBER, ulps=0),
    *_unary("abs_=abs exp sin conj", "np.{n}({{a}})", kinds="c", when=_small(4)),
    *_unary("real=real imag=imag", "np.{n}({{a}})", kinds="c", ulps=0, weight=3),
    *_unary("angle", "np.{n}({{a}})", kinds="c", when=lambda a: a.dtype == "complex128"),
    *_unary("isnan isinf", "np.{n}({{a}})", kinds="iuf"),
    *_unary("invert", "np.{n}({{a}})", kinds="biu", ulps=0),
    *_unary("inv=reciprocal", kinds="iuf"),
    *_unary("erf erfc gamma gammaln psi erfinv j0 j1", "special.{n}(fl({{a}}))", kinds="f",
            when=lambda a: a.dtype != "float16" and _small(8)(a), ulps=64),
    Row("elementwise", "T.round({a}, mode='half_to_even')", "np.round({a})", "f", ulps=0),
    Row("elementwise", "T.round({a}, mode='half_away_from_zero')", "away({a})", "f", ulps=0),
    Row("elementwise", "T.iround({a}, mode='half_to_even')", "np.round({a}).astype('int64')", "f",
        ulps=0),
    *[Row("cast", f"T.cast({{a}}, '{d}')", f"{{a}}.astype('{d}')", RING, pick.fits(d), ulps=0)
      for d in "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64".split()],
    *[Row("cast", f"{{a}}.astype('{d}')", f"{{a}}.astype('{d}')", RING, ulps=1)
      for d in "float16 float32 float64 float64".split()],
    Row("cast", "T.cast({a}, 'complex128')", "{a}.astype('complex128')", "biuf", ulps=0),

    # elementwise, several operands
    *_binary("add mul=multiply", ANY, weight=2, ulps=1),
    *_binary("sub=subtract", NUMBER, weight=2, ulps=1),
    *_binary("maximum minimum", RING, ulps=0),
    *_binary("true_div=true_divide", "iufc"),
    *_binary("int_div=floor_divide mod=mod", REAL, weight=2, ulps=1),
    *_binary("lt=less le=less_equal gt=greater ge=greater_equal", RING, ulps=0),
    *_binary("eq=equal neq=not_equal", ANY, ulps=0),
    *_binary("and_=bitwise_and or_=bitwise_or xor=bitwise_xor", "biu"),
    *_binary("bitwise_and bitwise_or bitwise_xor", "iu"),
    *_binary("arctan2", "f", b=pick.broadcasting("f")),
    *_binary("pow=power", "iu", b=pick.exponent("iu")),
    *_binary("pow=power", "f", b=pick.exponent("f")),
    Row("elementwise", "{a} + {b} * {c}", "{a} + {b} * {c}", NUMBER, b=pick.broadcasting(NUMBER),
        c=pick.broadcasting(NUMBER), ulps=1),
    Row("elementwise", "T.add({a}, {b}, {c})", "({a} + {b}) + {c}", REAL,
        b=pick.broadcasting("iuf"), c=pick.broadcasting("f"), ulps=1),
    Row("elementwise", "{a} * {b} / {c}", "{a} * {b} / {c}", "f", b=pick.broadcasting("f"),
        c=pick.broadcasting("f")),
    Row("elementwise", "T.switch({a}, {b}, {c})", "np.where({a}, {b}, {c})", "biuf",
        b=pick.broadcasting(RING), c=pick.broadcasting(RING), ulps=0, weight=2),
    Row("elementwise", "T.switch({b}, {a}, {c})", "np.where({b}, {a}, {c})", ANY,
        b=pick.broadcasting("b"), c=pick.broadcasting(ANY), ulps=0, weight=2),
    Row("elementwise", "T.clip({a}, {b}, {c})", "np.minimum(np.maximum({a}, {b}), {c})", REAL,
        b=pick.bound(-2), c=pick.bound(3), ulps=0, weight=3),
    Row("elementwise", "T.fill({a}, {b})", "np.broadcast_to({b}, {a}.shape)", ANY,
        b=pick.scalar(ANY), ulps=0),
    Row("elementwise", "T.isclose({a}, {b})", "np.isclose({a}, {b})", "f",
        b=pick.broadcasting("f")),
    Row("elementwise", "T.complex({a}, {b})", "{a} + 1j * {b}", "f", lambda a: a.dtype == "float64",
        b=pick.broadcasting("f64"), ulps=0),
    Row("elementwise", "T.choose({b}, [{a}, {c}])", "np.where({b} == 0, {a}, {c})", "iuf", _some,
        b=pick.same("b"), c=pick.same_type, ulps=0),
    Row("elementwise", "{a} % {b}", "{a} % {b}", "iu", b=pick.scalar("iu")),
    Row("elementwise", "T.zeros_like({a}) + {b}", "np.zeros_like({a}) + {b}", RING,
        b=pick.broadcasting(RING), ulps=1),
    Row("elementwise", "T.ones_like({a}) * {b}", "np.ones_like({a}) * {b}", NUMBER,
        b=pick.broadcasting(RING), ulps=1),

    Row("elementwise", "T.logaddexp({a}, {b})", "np.logaddexp({a}, {b})", "f",
        b=pick.broadcasting("f")),
    Row("elementwise", "T.hypot({a}, {b})", "np.hypot({a}, {b})", "f", b=pick.broadcasting("f")),
    Row("elementwise", "T.fmod({a}, {b})", "np.fmod({a}, {b})", "f",
        b=pick.broadcasting("f"), ulps=1),
    Row("elementwise", "T.logical_and({a}, {b})", "np.logical_and({a}, {b})", RING,
        b=pick.broadcasting(RING), ulps=0),
    Row("elementwise", "T.heaviside({a}, {b})", "np.heaviside({a}, {b})", "f",
        b=pick.broadcasting("f"), ulps=0),

    # reductions
    *_reductions("sum", ANY, ulps=1),
    *_reductions("prod", RING, ulps=1),
    *_reductions("max min any all", RING, ulps=0),
    *_reductions("mean var std", REAL),
    *_reductions("argmax argmin", RING, pick.axis, ulps=0),
    Row("reduction", "{a}.sum(axis={AX}, dtype='float64')",
        "np.sum({a}, axis={AX}, dtype='float64')", "bf", _some, params={"AX": pick.axes}),
    Row("reduction", "T.argmax({a})", "np.asarray(np.argmax({a}))", RING, _some, ulps=0),
    Row("reduction", "T.max_and_argmax({a}, axis={AX})[1]", "np.argmax({a}, axis={AX})", RING,
        _some, params=_along, ulps=0),
    Row("reduction", "T.ptp({a}, axis={AX})", "np.max({a}, axis={AX}) - np.min({a}, axis={AX})",
        REAL, _some, params=_along, ulps=1),
    Row("reduction", "T.cumsum({a}, axis={AX})", "cumulate(np.cumsum, {a}, {AX})", ANY, _some,
        params=_along, ulps=1),
    Row("reduction", "T.cumprod({a}, axis={AX})", "cumulate(np.cumprod, {a}, {AX})", RING, _some,
        params=_along, ulps=1),
    Row("reduction", "T.cumsum({a})", "cumulate(np.cumsum, {a}, None)", RING, ulps=1),
    Row("reduction", "T.diff({a}, axis={AX})", "np.diff({a}, axis={AX})", NUMBER, _some,
        params=_along, ulps=1),

    # shapes
    Row("shape", "{a}.dimshuffle({DIMS})", "dimshuffle({a}, {DIMS})", ANY,
        params={"DIMS": pick.dims}, ulps=0, weight=4),
    Row("shape", "{a}.transpose({PERM})", "np.transpose({a}, {PERM})", ANY, _some,
        params={"PERM": pick.permutation}, ulps=0),
    Row("shape", "{a}.T", "{a}.T", ANY, _some, ulps=0),
    Row("shape", "T.swapaxes({a}, {AX}, {BX})", "np.swapaxes({a}, {AX}, {BX})", ANY, _some,
        params={"AX": pick.plain_axis, "BX": pick.plain_axis}, ulps=0),
    Row("shape", "T.reshape({a}, {SHAPE})", "np.reshape({a}, {SHAPE})", ANY,
        params={"SHAPE": pick.new_shape}, ulps=0, weight=4),
    Row("shape", "{a}.flatten({N})", "np.reshape({a}, {a}.shape[:{N} - 1] + (-1,))", ANY,
        lambda a: a.ndim > 0 and a.size > 0, params={"N": pick.outdim}, ulps=0),
    Row("shape", "T.shape_padleft({a})", "{a}[None]", ANY, ulps=0),
    Row("shape", "T.shape_padright({a})", "{a}[..., None]", ANY, ulps=0),
    Row("shape", "T.shape_padaxis({a}, {AX})", "np.expand_dims({a}, {AX})", ANY,
        params={"AX": pick.new_axis}, ulps=0),
    Row("shape", "{a}.shape", "np.array({a}.shape, 'int64')", ANY, _some, ulps=0),
    Row("shape", "{a}.shape[{AX}] + {b}", "np.asarray({a}.shape[{AX}]) + {b}", ANY, _some,
        b=pick.small_ints, params={"AX": pick.plain_axis}, ulps=0),
    Row("shape", "{a}.size", "np.asarray({a}.size)", ANY, _some, ulps=0),
    Row("shape", "{a}[::-1]", "{a}[::-1]", ANY, _some, ulps=0),
    Row("shape", "T.roll({a}, {I}, axis={AX})", "np.roll({a}, {I}, axis={AX})", ANY, _some,
        params={"I": pick.shift, "AX": pick.plain_axis}, ulps=0),
    Row("shape", "T.repeat({a}, {I}, axis={AX})", "np.repeat({a}, {I}, axis={AX})", ANY, _light,
        params={"I": pick.count, "AX": pick.plain_axis}, ulps=0),
    Row("shape", "T.repeat({a}, {b}, axis={AX})", "np.repeat({a}, {b}, axis={AX})", ANY, _light,
        b=pick.counts_along, params={"AX": pick.first_axis}, ulps=0),
    Row("shape", "T.tile({a}, {REPS})", "np.tile({a}, {REPS})", ANY, _light,
        params={"REPS": pick.reps}, ulps=0),
    Row("shape", "T.specify_shape({a}, {a}.shape)", "{a}", ANY, _some, ulps=0),

    Row("shape", "T.broadcast_to({a}, ({I},) + tuple({a}.shape))",
        "np.broadcast_to({a}, ({I},) + {a}.shape)", ANY, _rank(1, 2), params={"I": pick.size},
        ulps=0),
    Row("shape", "T.moveaxis({a}, {AX}, {BX})", "np.moveaxis({a}, {AX}, {BX})", ANY, _some,
        params={"AX": pick.axis, "BX": pick.axis}, ulps=0),
    Row("shape", "T.expand_dims({a}, {AX})",
        "np.reshape({a}, {a}.shape[:{AX}] + (1,) + {a}.shape[{AX}:])",
        ANY, params={"AX": pick.new_axis}, ulps=0),
    Row("shape", "T.flip({a}, {AX})", "np.flip({a}, {AX})", ANY, _some, params=_along, ulps=0),
    Row("shape", "T.pad({a}, {I})", "np.pad({a}, int({I}))", NUMBER, _light,
        params={"I": pick.count}, ulps=0),

    # joins and splits
    Row("join", "T.concatenate([{a}, {b}], axis={AX})", "np.concatenate([{a}, {b}], axis={AX})",
        ANY, _some, b=pick.beside(ANY), params={"AX": pick.join_axis}, ulps=0, weight=2),
    Row("join", "T.join({AX}, {a}, {b}, {a})", "np.concatenate([{a}, {b}, {a}], axis={AX})", ANY,
        _some, b=pick.beside(ANY), params={"AX": pick.join_axis}, ulps=0),
    Row("join", "T.stack([{a}, {b}], axis={AX})", "np.stack([{a}, {b}], axis={AX})", ANY,
        lambda a: a.ndim < 4, b=pick.same(ANY), params={"AX": pick.new_axis}, ulps=0, weight=2),
    Row("join", "T.split({a}, {SIZES}, 2, axis={AX})[{K}]",
        "np.split({a}, [{SIZES}[0]], axis={AX})[{K}]", ANY, _some,
        params={"SIZES": pick.halves, "AX": pick.split_axis, "K": pick.truth}, ulps=0, weight=2),

    # indexing
    Row("index", "{a}[{INDEX}]", "{a}[{INDEX}]", ANY, _some, params={"INDEX": pick.index}, ulps=0,
        weight=10),
    Row("index", "{a}[{b}]", "{a}[{b}]", ANY, _some, b=pick.indices, ulps=0, weight=2),
    Row("index", "{a}[:, {b}]", "{a}[:, {b}]", ANY, _rank(2, 3), b=pick.indices_at(1), ulps=0),
    Row("index", "{a}[{b}, {c}]", "{a}[{b}, {c}]", ANY, _rank(2, 3), b=pick.indices_at(0, (3,)),
        c=pick.indices_at(1, (3,)), ulps=0),
    Row("index", "{a}[{b}[:, None], {c}]", "{a}[{b}[:, None], {c}]", ANY, _rank(2),
        b=pick.indices_at(0, (2,)), c=pick.indices_at(1, (3,)), ulps=0),
    Row("index", "T.take({a}, {b}, axis={AX})", "np.take({a}, {b}, axis={AX})", ANY, _some,
        b=pick.indices, params={"AX": pick.first_axis}, ulps=0),
    Row("index", "{a}[{b}]", "{a}[{b}]", ANY, _some, b=pick.mask, ulps=0),
    Row("index", "{a}[{b} > 0]", "{a}[{b} > 0]", ANY, _some, b=pick.same("iu"), ulps=0),
    Row("index", "T.compress({b}, {a}, axis={AX})", "np.compress({b}, {a}, axis={AX})", ANY, _some,
        b=pick.mask_along, params={"AX": pick.first_axis}, ulps=0),
    Row("index", "T.set_subtensor({a}[{INDEX}], {b})", "written({a}, np.s_[{INDEX}], {b})", "iufc",
        _some, b=pick.scalar_like, params={"INDEX": pick.index}, ulps=0, weight=4),
    Row("index", "T.inc_subtensor({a}[{INDEX}], {b})", "added({a}, np.s_[{INDEX}], {b})", "iufc",
        _some, b=pick.scalar_like, params={"INDEX": pick.index}, weight=4, ulps=1),
    Row("index", "T.inc_subtensor({a}[{INDEX}], {a}[{INDEX}])",
        "added({a}, np.s_[{INDEX}], {a}[{INDEX}])", "iufc", _some, params={"INDEX": pick.index},
        ulps=1),
    Row("index", "T.set_subtensor({a}[{INDEX}], T.zeros_like({a}[{INDEX}]))",
        "written({a}, np.s_[{INDEX}], 0)", "iufc", _some, params={"INDEX": pick.index}, ulps=0),
    # not {a}[{I}:] from {a}[{I}:][::-1]: XLA writes over what it reads (test_found.py)
    Row("index", "T.inc_subtensor({a}[{b}], {c})", "added({a}, {b}, {c})", "iuf", _some,
        b=pick.indices, c=pick.scalar_like, weight=2, ulps=1),
    Row("index", "T.set_subtensor({a}[{b}], {c})", "written({a}, {b}, {c})", "iuf", _some,
        b=pick.indices, c=pick.scalar_like, ulps=0),
    Row("index", "T.set_subtensor({a}[{b}], {c})", "written({a}, {b}, {c})", "iuf", _some,
        b=pick.mask, c=pick.scalar_like, ulps=0),
    Row("index", "T.inc_subtensor({a}[{b}], {c})", "added({a}, {b}, {c})", "iuf", _some,
        b=pick.mask, c=pick.scalar_like, ulps=1),
    Row("data", "T.nonzero({a})[{K}]", "np.nonzero({a})[{K}]", RING, _some,
        params={"K": pick.plain_axis}, ulps=0),
    Row("data", "{b}[{a}.nonzero()]", "{b}[{a}.nonzero()]", "biu", _some, b=pick.same(ANY), ulps=0),
    Row("data", "T.flatnonzero({a})", "np.flatnonzero({a})", RING, _some, ulps=0),
    Row("data", "T.nonzero_values({a})", "{a}[np.nonzero({a})]", RING, _some, ulps=0),
    Row("data", "T.unique({a})", "np.unique({a})", "biu", _some, ulps=0),
    Row("data", "T.bincount({a})", "np.bincount({a})", "u",
        lambda a: a.ndim == 1 and a.size > 0 and a.dtype.itemsize < 8 and a.max() < 30, ulps=0),
    Row("data", "T.arange({I})[:, None] + {b}", "np.arange({I})[:, None] + {b}", ANY,
        b=pick.scalar("if"), params={"I": pick.size}, ulps=0),

    # sorting
    Row("sort", "T.sort({a}, axis={AX})", "np.sort({a}, axis={AX})", RING, _some, params=_along,
        ulps=0, weight=2),
    Row("sort", "T.argsort({a}, axis={AX}, kind='mergesort')",
        "np.argsort({a}, axis={AX}, kind='stable')", RING, _some, params=_along, ulps=0, weight=2),
    Row("sort", "T.sort(T.topk({a}, {I}))", "np.sort(topk({a}, {I}))", REAL,
        lambda a: a.ndim > 0 and a.shape[-1] > 0, params={"I": pick.some_of_last}, ulps=0),
    Row("sort", "T.searchsorted(T.sort({a}), {b})", "np.searchsorted(np.sort({a}), {b})", "iuf",
        _rank(1), b=pick.same_kind_of_any_shape, ulps=0),
    Row("sort", "T.inverse_permutation(T.argsort({a}, kind='mergesort'))",
        "inverse(np.argsort({a}, kind='stable'))", RING, _rank(1), ulps=0),

    # products
    Row("dot", "T.dot({a}, {b})", "np.dot({a}, {b})", ANY, _rank(1, 2), b=pick.dottable(ANY),
        weight=4, ulps=1),
    Row("dot", "T.dot({b}, {a})", "np.dot({b}, {a})", NUMBER, _rank(2), b=pick.left_of, weight=2,
        ulps=1),
    Row("dot", "T.outer({a}, {b})", "np.multiply.outer({a}, {b})", NUMBER, _rank(1),
        b=pick.vector(NUMBER), weight=2, ulps=1),
    Row("dot", "T.tensordot({a}, {b}, axes=[[{AX}], [0]])",
        "np.tensordot({a}, {b}, axes=[[{AX}], [0]])", NUMBER, _rank(2, 3), b=pick.along(NUMBER),
        params={"AX": pick.last_axis}, ulps=1),
    Row("dot", "T.batched_dot({a}, {b})", "batched({a}, {b})", NUMBER,
        lambda a: a.ndim == 3 and a.shape[0] > 0, b=pick.batch, weight=3, ulps=1),

    Row("dot", "T.matmul({a}, {b})", "np.matmul({a}, {b})", NUMBER, _rank(1, 2),
        b=pick.dottable(NUMBER), weight=2, ulps=1),
    Row("dot", "T.einsum('ij,jk->ki', {a}, {b})", "np.dot({a}, {b}).T", "f", _rank(2),
        b=pick.columns, weight=2, ulps=1),
    Row("dot", "T.einsum('ij->j', {a})", "np.sum({a}, axis=0)", "f", _rank(2), ulps=1),
    Row("dot", "T.inner({a}, {b})", "np.inner({a}, {b})", "f", _rank(1), b=pick.same("f"), ulps=1),

    # new arrays of sizes that are known late
    Row("alloc", "T.alloc({a}, {I}, *[{a}.shape[d] for d in range({a}.ndim)])",
        "np.broadcast_to({a}, ({I},) + {a}.shape)", ANY, lambda a: a.ndim < 3,
        params={"I": pick.size}, ulps=0, weight=2),
    Row("alloc", "T.zeros(({I}, {J}), dtype={a}.dtype) + {a}",
        "np.zeros(({I}, {J}), dtype={a}.dtype) + {a}", NUMBER, _rank(0),
        params={"I": pick.size, "J": pick.size}, ulps=0, weight=2),
    Row("alloc", "T.ones(({I},), dtype={a}.dtype) * {a}", "np.ones(({I},), dtype={a}.dtype) * {a}",
        ANY, _rank(0), params={"I": pick.size}, ulps=0, weight=2),
    Row("alloc", "T.arange({I}, {J}, {K}) * {a}", "np.arange({I}, {J}, {K}) * {a}", REAL, _rank(0),
        params={"I": pick.shift, "J": pick.shift, "K": pick.stride}, ulps=1),
    Row("alloc", "T.eye({I}, {J}, {K}) * {a}", "np.eye({I}, {J}, {K}) * {a}", REAL, _rank(0),
        params={"I": pick.size, "J": pick.size, "K": pick.offset}, ulps=1),
    Row("alloc", "T.tri({I}, {J}, {K}) + {a}", "np.tri({I}, {J}, {K}) + {a}", REAL, _rank(0),
        params={"I": pick.size, "J": pick.size, "K": pick.offset}, ulps=1),
    Row("diagonal", "T.diag({a})", "np.diag({a})", ANY, lambda a: a.ndim in (1, 2) and len(a) < 7,
        ulps=0),
    Row("diagonal", "T.diagonal({a}, offset={K})", "np.diagonal({a}, offset={K})", ANY,
        lambda a: a.ndim >= 2 and min(a.shape) > 1, params={"K": pick.offset}, ulps=0),
    Row("diagonal", "T.tril({a}, {K})", "np.tril({a}, {K})", REAL, _rank(2),
        params={"K": pick.offset}, ulps=0),
    Row("diagonal", "T.triu({a}, {K})", "np.triu({a}, {K})", REAL, _rank(2),
        params={"K": pick.offset}, ulps=0),
    Row("diagonal", "T.fill_diagonal({a}, {b})", "on_diagonal({a}, {b}, 0)", "f",
        lambda a: a.ndim == 2 and a.shape[0] <= a.shape[1], b=pick.scalar_like, ulps=0),
    Row("diagonal", "T.fill_diagonal_offset({a}, {b}, {K})", "on_diagonal({a}, {b}, {K})", "f",
        _rank(2), b=pick.scalar_like, params={"K": pick.offset}, ulps=0),
    Row("data", "T.to_one_hot({a}, {I})", "one_hot({a}, {I})", "iu",
        lambda a: a.ndim == 1 and a.size > 0 and a.min() >= 0 and a.max() < 3,
        params={"I": lambda ctx, a: ctx.integer(3)}, ulps=0),
]
# fmt: on
