"""The lines that programs are drawn from: each maker gives source text over names, or nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tests.properties.programs import indices, loops
from tests.properties.programs.description import Line
from tests.properties.programs.numbers import Num, is_float, kind_of

Maker = Callable[[Any], Line | None]

NUMBER, REAL = "iufc", "iuf"


def of_kind(kinds: str, low: int = 0, high: int = 9) -> Callable[[Num], bool]:
    return lambda n: kind_of(n.dtype) in kinds and low <= n.ndim <= high


# ---- elementwise


def unary(d: Any) -> Line | None:
    found = d.pick()
    if found is None:
        return None
    name, n = found
    kind = kind_of(n.dtype)
    if kind == "b":
        return d.line(d.among(("~{0}", "{0}.astype('int8')", "{0}.astype('float32')")), name)
    if kind in "iu":
        forms = ("-{0}", "abs({0})", "T.sqr({0})", "~{0}", "T.sgn({0})", "T.tanh({0})", "{0} > 1")
        if kind == "i":
            forms += ("{0} * 3", "{0} - 2", "{0} // 2", "{0} % 3", "{0} * -1", "1 - {0}")
        return d.line(d.among(forms), name)
    if kind == "c":
        forms = ("-{0}", "abs({0})", "T.sqr({0})", "T.real({0})", "T.imag({0})", "T.conj({0})")
        return d.line(d.among(forms), name)
    forms = (
        *("T.tanh({0})", "T.sin({0})", "T.cos({0})", "T.arctan({0})", "T.nnet.sigmoid({0})"),
        *("T.exp({0})", "T.sqr({0})", "abs({0})", "-{0}", "{0} * 2", "{0} / 4", "1 - {0}"),
        *("T.log1p(T.sqr({0}))", "T.sqrt(abs({0}) + 1)", "{0} ** 2", "T.nnet.relu({0})"),
        *("T.log(abs({0}) + 2)", "{0} ** 3", "T.maximum({0}, 0)", "T.clip({0}, -1, 2)"),
    )
    steps = ("T.floor({0})", "T.ceil({0})", "T.trunc({0})", "T.sgn({0})", "{0} > 0", "{0} % 2")
    return d.line(d.among(forms if d.floats else forms + steps), name)


def partner(d: Any, n: Num, kinds: str) -> str | None:
    """A value that broadcasts with another by type."""
    if d.chance(60):
        found = d.pick(lambda v: kind_of(v.dtype) in kinds and _meets(n, v))
        if found:
            return found[0]
    shape, ones = [], []
    for length, one in zip(n.x.shape, n.ones, strict=True):
        stretch = d.below(6)
        if stretch == 0:
            shape.append(1)
            ones.append(True)
        elif one and stretch < 3 and not d.large:
            shape.append(d.length())
            ones.append(False)
        else:
            shape.append(length)
            ones.append(one)
    lost = d.below(len(shape) + 1) if d.chance(25) else 0
    dtype = d.dtype()
    if kind_of(dtype) not in kinds:
        return None
    return d.leaf(dtype, tuple(shape[lost:]), ones=tuple(ones[lost:]))


def _meets(a: Num, b: Num) -> bool:
    for m, p, k, q in zip(a.x.shape[::-1], a.ones[::-1], b.x.shape[::-1], b.ones[::-1]):
        if m != k and not (m == 1 and p) and not (k == 1 and q):
            return False
    return True


def binary(d: Any) -> Line | None:
    found = d.pick()
    if found is None:
        return None
    name, n = found
    kind = kind_of(n.dtype)
    kinds = {"b": "biu", "i": "biuf", "u": "biuf", "f": "biufc", "c": "fc"}[kind]
    other = partner(d, n, kinds)
    if other is None:
        return None
    forms = ["{0} + {1}", "{0} * {1}"] * 3 + ["T.eq({0}, {1})", "T.neq({0}, {1})"]
    if kind != "b":
        forms += ["{0} - {1}"] * 3
    if kind in "iu":
        forms += ["{0} & {1}", "{0} | {1}", "{0} ^ {1}"]
    if kind in "iuf":
        forms += ["{0} // {1}", "{0} % {1}", "T.maximum({0}, {1})", "T.minimum({0}, {1})"]
        forms += ["{0} < {1}", "{0} >= {1}", "{0} / {1}"]
    if kind == "f":
        forms += ["{0} / (T.sqr({1}) + 1)", "T.arctan2({0}, {1})", "{0} * {1} - {0}"]
    if kind == "c":
        forms += ["{0} / ({1} + 9)"]
    if d.floats:
        forms = ["{0} + {1}", "{0} * {1}", "{0} - {1}", "{0} / (T.sqr({1}) + 1)"]
        forms += ["T.maximum({0}, {1})", "{0} * {1} + {1}", "T.tanh({0}) * {1}"]
    text = d.among(forms)
    return d.line(text, *((name, other) if d.chance(60) else (other, name)))


def switch(d: Any) -> Line | None:
    found = d.pick()
    if found is None:
        return None
    name, n = found
    condition = partner(d, n, "b")
    other = partner(d, n, {"b": "biuf", "c": "fc"}.get(kind_of(n.dtype), "biuf"))
    if other is None:
        return None
    if condition is None:
        if kind_of(n.dtype) == "c":
            return None
        return d.line("T.switch({0} > 1, {0}, {1})", name, other)
    return d.line("T.switch({0}, {1}, {2})", condition, name, other)


def cast(d: Any) -> Line | None:
    found = d.pick(of_kind("biuf"))
    if found is None:
        return None
    dtypes = (
        "float32 float64"
        if d.floats
        else (
            "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 "
            "float32 float64 int64 complex128 complex64"
        )
    )
    return d.line("{0}.astype({1!r})".replace("{1!r}", repr(d.among(dtypes.split()))), found[0])


def literals(d: Any) -> Line | None:
    """Numbers written in the program meet variables."""
    found = d.pick(of_kind("if"))
    if found is None:
        return None
    forms = ("{0} + 1", "2 * {0}", "{0} - 3", "{0} * 0", "{0} + 0", "{0} * 1", "0 - {0}")
    if kind_of(found[1].dtype) == "f":
        forms += ("{0} / 2", "{0} * 0.5", "1.5 + {0}", "{0} - 0.25", "{0} ** 2", "{0} ** 1")
    return d.line(d.among(forms), found[0])


# ---- reductions


def _axis(d: Any, n: Num) -> str:
    choice = d.below(5)
    if choice == 0:
        return "None"
    if choice == 1 and n.ndim > 1:
        return repr(tuple(sorted(d.shuffled(range(n.ndim))[:2])))
    return repr(d.below(n.ndim) - n.ndim * d.chance(30))


def reduction(d: Any) -> Line | None:
    found = d.pick(lambda n: n.ndim > 0)
    if found is None:
        return None
    name, n = found
    kind = kind_of(n.dtype)
    forms = ["T.sum({0}, axis={1})"] * 3 + ["T.sum({0}, axis={1}, keepdims=True)"]
    if kind != "c":
        forms += ["T.max({0}, axis={1})", "T.min({0}, axis={1})", "T.mean({0}, axis={1})"]
        forms += ["T.max({0}, axis={1}, keepdims=True)", "T.mean({0}, axis={1}, keepdims=True)"]
        forms += ["T.prod({0}, axis={1})"] + (["T.any({0}, axis={1})"] if not d.floats else [])
        forms += ["T.all({0}, axis={1})"] if not d.floats else []
    if kind in "iuf":
        forms += ["T.var({0}, axis={1})"]
        if n.dtype == "float32":
            forms += ["T.sum({0}, axis={1}, dtype='float64')"]
    return d.line(d.among(forms), name, _axis(d, n))


def along(d: Any) -> Line | None:
    """What keeps an axis or names positions along it."""
    found = d.pick(of_kind("biuf", 1))
    if found is None:
        return None
    name, n = found
    axis = repr(d.below(n.ndim) - n.ndim * d.chance(30))
    forms = ["T.cumsum({0}, axis={1})", "T.sort({0}, axis={1})"]
    if not d.floats:
        forms += ["T.argmax({0}, axis={1})", "T.argmin({0}, axis={1})"]
        forms += ["T.argsort({0}, axis={1}, kind='mergesort')", "T.cumprod({0}, axis={1})"]
    return d.line(d.among(forms), name, axis)


def stretched_reduction(d: Any) -> Line | None:
    """A sum or maximum of an array that exists only stretched."""
    one = d.pick(of_kind("biuf", 1, 1))
    two = d.pick(of_kind("biuf", 1, 1)) or one
    if one is None or (d.large and one[1].x.size * two[1].x.size > 4_000_000):
        return None
    inner = d.among(
        (
            "{0}[:, None] * {1}[None, :]",
            "{0}.dimshuffle(0, 'x') + {1}.dimshuffle('x', 0)",
            "T.alloc({0}, {3}, {0}.shape[0])",
            "T.exp(-abs({0}[:, None] - {1}))",
            "T.zeros(({3}, {0}.shape[0]), {0}.dtype) + {0}",
            "T.maximum({0}[None, :], {1}[:, None])",
        )
    )
    outer = d.among(("T.sum({}, axis={{2}})", "T.max({}, axis={{2}})", "T.mean({}, axis={{2}})"))
    axis = d.among(("None", "0", "1", "-1", "(0, 1)"))
    text = outer.replace("{}", inner).replace("{{2}}", "{2}")
    return d.line(text, one[0], two[0], axis, d.integer(1 + d.below(4)))


# ---- shapes


def shuffled(d: Any) -> Line | None:
    found = d.pick()
    if found is None:
        return None
    name, n = found
    choice = d.below(4)
    if choice == 0 and n.ndim > 1:
        return d.line("{0}.T", name)
    if choice == 1 and n.ndim > 1:
        order = d.shuffled(range(n.ndim))
        return d.line("{0}.transpose(" + ", ".join(map(str, order)) + ")", name)
    order = d.shuffled(range(n.ndim)) if d.chance(60) else list(range(n.ndim))
    order = [i for i in order if not (n.ones[i] and d.chance(50))]
    while len(order) < 4 and d.chance(45):
        order.insert(d.below(len(order) + 1), "x")
    return d.line(f"{{0}}.dimshuffle({', '.join(map(repr, order))})", name) if order else None


def reshaped(d: Any) -> Line | None:
    found = d.pick()
    if found is None:
        return None
    name, n = found
    if d.chance(25) and n.ndim > 1:
        return d.line("{0}.flatten()" if d.chance(60) else "{0}.flatten(2)", name)
    rest, lengths = n.x.size, []
    for _ in range(d.below(3)):
        factors = [k for k in range(1, min(rest, 50) + 1) if rest % k == 0][:6]
        if factors:
            lengths.append(d.among(factors))
            rest //= lengths[-1]
    lengths = d.shuffled([*lengths, rest])
    texts = [d.integer(k) for k in lengths]
    if n.x.size and d.chance(40):
        texts[d.below(len(texts))] = "-1"
    return d.line("{0}.reshape((" + ", ".join(texts) + ",))", name)


def rearranged(d: Any) -> Line | None:
    found = d.pick(lambda n: n.ndim > 0)
    if found is None:
        return None
    name, n = found
    axis = repr(d.below(n.ndim))
    count = d.integer(1 + d.below(3))
    if d.large:
        return d.line("T.roll({0}, {1}, axis={2})", name, count, axis)
    form = d.below(7)
    if form == 0:
        return d.line("T.roll({0}, {1}, axis={2})", name, d.integer(d.below(7) - 3), axis)
    if form == 1:
        return d.line("T.repeat({0}, {1}, axis={2})", name, count, axis)
    if form == 2:
        return d.line("T.tile({0}, (" + "2, " * n.ndim + "))", name)
    if form == 3 and n.ndim <= 2:
        return d.line("T.diag({0})", name)
    if form == 4 and n.ndim == 2 and is_float(n.dtype):
        return d.line(d.among(("T.tril({0})", "T.triu({0})")), name)
    if form == 5:
        return d.line(d.among(("T.zeros_like({0})", "T.ones_like({0})")), name)
    lengths = ", ".join(f"{name}.shape[{i}]" for i in range(n.ndim))
    return d.line("T.alloc({0}, {1}, " + lengths + ")", name, count)


def joined(d: Any) -> Line | None:
    found = d.pick(of_kind("biufc", 1))
    if found is None:
        return None
    name, n = found
    axis = d.below(n.ndim)
    cut = lambda v: (v.x.shape[:axis], v.x.shape[axis + 1 :], v.ones[:axis], v.ones[axis + 1 :])
    other = d.pick(lambda v: v.ndim == n.ndim and cut(v) == cut(n))
    shown = repr(axis - n.ndim * d.chance(30))
    if d.chance(25):
        return d.line("T.concatenate([{0}, {0}, {1}], axis={2})", name, other[0], shown)
    if d.chance(35):
        same = d.pick(lambda v: v.x.shape == n.x.shape and v.ones == n.ones)
        return d.line("T.stack([{0}, {1}], axis={2})", name, same[0], shown)
    return d.line("T.concatenate([{0}, {1}], axis={2})", name, other[0], shown)


def split(d: Any) -> Line | None:
    found = d.pick(of_kind("biufc", 1))
    if found is None or not found[1].x.size:
        return None
    name, n = found
    axis = d.below(n.ndim)
    length = n.x.shape[axis]
    first = d.below(length + 1)
    sizes = f"[{d.integer(first)}, {d.integer(length - first)}]"
    return d.line("T.split({0}, {1}, 2, axis={2})", name, sizes, repr(axis), count=2)


def lengths(d: Any) -> Line | None:
    found = d.pick(lambda n: n.ndim > 0)
    if found is None:
        return None
    name, n = found
    forms = ("{0}.size", "{0}.shape[{1}] * {0}", "T.arange({0}.shape[{1}])")
    text = d.among(forms)
    if text == forms[1] and n.dtype in ("uint64", "bool"):
        return None
    return d.line(text, name, repr(d.below(n.ndim)))


# ---- products


def dot(d: Any) -> Line | None:
    found = d.pick(of_kind("iufc", 1, 3))
    if found is None or d.large:
        return None
    name, n = found
    k = n.x.shape[-1]
    if n.ndim == 3:
        found = d.pick(lambda v: v.ndim == 3 and v.x.shape[:2] == (n.x.shape[0], k))
        shape = (n.x.shape[0], k, d.length())
        other = found[0] if found else d.leaf(d.dtype(), shape, ones=(False,) * 3)
        return d.line("T.batched_dot({0}, {1})", name, other) if not any(n.ones) else None
    form = d.below(4)
    if form == 0 and n.ndim == 1:
        found = d.pick(of_kind("iufc", 1, 1))
        return d.line("T.outer({0}, {1})", name, found[0])
    if form == 1 and n.ndim == 2:
        found = d.pick(lambda v: v.ndim in (2, 3) and v.x.shape[0] == n.x.shape[0])
        return d.line("T.tensordot({0}, {1}, axes=[[0], [0]])", name, found[0])
    if form == 2 and n.ndim == 2 and d.chance(50):
        return d.line("T.dot({0}, {0}.T)" if d.chance(50) else "T.dot({0}.T, {0})", name)
    fits = lambda v: v.ndim in (1, 2) and v.x.shape[0] == k and kind_of(v.dtype) in "iufc"
    other = d.pick(fits) if d.chance(60) else None
    right = other[0] if other else d.leaf(d.dtype(), (k, d.length())[: 1 + d.below(2)])
    return d.line("T.dot({0}, {1})", name, right)


def scaled_products(d: Any) -> Line | None:
    """Sums of products with factors, which rules write as calls of BLAS."""
    if d.large:
        return None
    found = d.pick(of_kind("f", 2, 2))
    rows, inner = found[1].x.shape if found else (d.length(), d.length())
    dtype = found[1].dtype if found else "float64"
    columns, other = d.length(), d.length()
    shapes = [(inner, columns), (rows, other), (other, columns)]
    first = found[0] if found else d.leaf(dtype, (rows, inner))
    forms = (
        "2.0 * T.dot({0}, {1}) - 0.5 * T.dot({2}, {3})",
        "T.dot({0}, {1}) + 3.0 * T.dot({2}, {3})",
        "0.5 * (T.dot({0}, {1}) + 0.25 * T.dot({2}, {3}))",
    )
    return d.line(forms[d.below(3)], first, *(d.leaf(dtype, shape) for shape in shapes))


def softmax(d: Any) -> Line | None:
    found = d.pick(of_kind("f", 2, 2))
    return d.line("T.nnet.softmax({0})", found[0]) if found else None


# ---- choices


def ifelse(d: Any) -> Line | None:
    found = d.pick()
    if found is None:
        return None
    name, n = found
    same = lambda v: (v.dtype, v.ndim, v.ones) == (n.dtype, n.ndim, n.ones)
    other = d.pick(same)
    condition = d.pick(lambda v: v.ndim == 0 and kind_of(v.dtype) in "bi")
    if condition is not None and d.chance(60):
        text = condition[0]
    elif n.ndim and kind_of(n.dtype) != "c" and n.x.size:
        text = d.among(("T.sum({0}) > 0", "{0}.shape[0] > 2", "T.any({0})")).format(name)
        text = f"T.gt({text[:-4]}, {text[-1]})" if False else text
    else:
        text = d.leaf("int64", (), lambda rng, shape, call: rng.integers(0, 2))
    if other[0] == name:
        if kind_of(n.dtype) not in "if":
            return None
        text = f"ifelse({text}, {{0}} * 2, {{1}})"
    elif d.chance(30):
        return d.line(f"ifelse({text}, [{{0}}, {{1}}], [{{1}}, {{0}}])", name, other[0], count=2)
    else:
        text = f"ifelse({text}, {{0}}, {{1}})"
    return d.line(text, name, other[0])


def complexes(d: Any) -> Line | None:
    found = d.pick(lambda n: n.dtype == "float64")
    if found is None:
        return None
    other = d.pick(lambda v: v.dtype == "float64" and _meets(found[1], v))
    return d.line("T.complex({0}, {1})", found[0], other[0])


# ---- errors


def add_an_error(d: Any) -> None:
    """A last line that raises in the last call."""
    found = d.pick(lambda n: n.ndim > 0 and n.x.size > 0)
    if found is None:
        return
    name, n = found
    size = n.x.shape[0]

    def wrong(fine: int, bad: int) -> str:
        at = lambda rng, shape, call: bad if call == d.calls - 1 else fine
        return d.leaf("int64", (), at, kind="input")

    form = d.below(6)
    if form == 0:
        line = d.line("{0}[{1}]", name, wrong(size - 1, size + d.below(3)))
    elif form == 1:
        line = d.line("{0}[{1}]", name, wrong(-size, -size - 1))
    elif form == 2:
        at = d.positions(size, (3,), wrong=True)
        line = d.line(d.among(("{0}[{1}]", "T.set_subtensor({0}[{1}], {0}[0])")), name, at)
    elif form == 3:
        line = d.line("{0}.reshape(({1}, -1))", name, wrong(1, n.x.size + 1))
    elif form == 4:
        check = "T.opt.Assert('not so')({0}, T.gt({1}, 0))".replace("T.gt({1}, 0)", "{1} > 0")
        line = d.line(check, name, wrong(1, 0))
    else:
        other = wrong(size, size + 2)
        line = d.line("{0} + T.zeros(({1},) + tuple({0}.shape[1:]), 'int8')", name, other)
        if n.dtype == "bool" or n.ones[0]:
            return
    if d.calls == 1:
        env = d.scope.visible() | {leaf.name: v for leaf, v in d._new}
        if not all(k in env for k in line.reads()):
            return
        d.scope.values |= {leaf.name: v for leaf, v in d._new}
        d.leaves += [leaf for leaf, _ in d._new]
        d.scope.lines.append(line)  # without a value: nothing may read it
        d._new = []
        return
    d.add(line)


# ---- which, and how often

_COMMON: list[tuple[Maker, int]] = [
    (unary, 9),
    (binary, 12),
    (literals, 3),
    (switch, 3),
    (cast, 4),
    (reduction, 8),
    (along, 3),
    (stretched_reduction, 3),
    (shuffled, 6),
    (reshaped, 6),
    (rearranged, 4),
    (joined, 4),
    (split, 2),
    (lengths, 2),
    (dot, 5),
    (scaled_products, 3),
    (softmax, 1),
    (ifelse, 2),
    (complexes, 1),
    (indices.read, 10),
    (indices.read_at, 5),
    (indices.read_masked, 2),
    (indices.write, 7),
    (indices.write_at, 5),
    (indices.write_masked, 2),
    (indices.found, 1),
    (loops.scan, 1),
]
_INDEXING = {indices.read, indices.read_at, indices.read_masked}
_INDEXING |= {indices.write, indices.write_at, indices.write_masked, indices.found}
_INSIDE = {loops.scan: 1, indices.found: 0, indices.read_masked: 0, indices.write_masked: 0}
_NO_GRADIENT = {complexes, cast, indices.found, lengths}
_LARGE = {dot, scaled_products, softmax, complexes, loops.scan, along, rearranged}
_MOVES = {shuffled, reshaped, rearranged, joined, split, switch, ifelse, *_INDEXING}


def makers(d: Any) -> tuple[list[Maker], list[float]]:
    """Makers and their weights for a program of this kind, at this place."""
    weights = []
    for maker, weight in _COMMON:
        w = float(weight)
        if d.profile == "indexing" and maker in _INDEXING:
            w *= 4
        if d.profile == "loop" and maker is loops.scan and not d.depth:
            w = 60
        if d.profile == "odd" and maker not in _MOVES:
            w = 0
        if d.depth and maker in _INSIDE:
            w = _INSIDE[maker] if d.depth < 2 else 0
        if d.floats and maker in _NO_GRADIENT:
            w *= 0.3
        if d.large and maker in _LARGE:
            w = 0
        weights.append(w)
    if d.profile == "loop" and not d.depth and any(hasattr(k, "body") for k in d.scope.lines):
        weights[-1] = 3.0
    return [maker for maker, _ in _COMMON], weights


__all__ = ["add_an_error", "makers", "np"]
