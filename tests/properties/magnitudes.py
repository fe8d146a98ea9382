"""Random programs of mixed magnitudes, and how wrong each may be: rewriting must not lose digits.

A program is drawn as a graph and never rewritten here. `bound` interprets the graph with mpmath:
each value comes with the error that the program *as it is written* may have, by the usual running
error analysis. What an engine computes from the rewritten graph is held against that.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import mpmath
import numpy as np

import theano
import theano.tensor as T
from theano.gof.graph import io_toposort

#: how many times as wrong as written a result may be
FACTOR = 4
#: decimal exponents of what is drawn, and bits that hold sums and products of all of them exactly
RANGE = {"float32": 30, "float64": 250}
_BITS = {"float32": 700, "float64": 5000}
#: results and all that they are computed from stay this far from the ends of the range
MARGIN = 2.0**12
#: rounding errors of one function: of IEEE operations one, of others what the engines document
_ULPS = {"exp": 4, "log": 4, "log1p": 4, "expm1": 4, "tanh": 8, "sigmoid": 8, "softplus": 8}
_POINTS, _ROW = 6, 3

MODES = {
    "default": lambda: None,
    "numpy": lambda: theano.Mode(linker="numpy"),
    "xla": lambda: theano.Mode(linker="xla"),
}


@dataclass
class Program:
    """A graph with the values of its inputs."""

    seed: int
    dtype: str
    inputs: list[Any]
    values: list[np.ndarray]
    outputs: list[Any]

    def listing(self) -> str:
        named = [f"{v.name} = np.{x!r}" for v, x in zip(self.inputs, self.values, strict=True)]
        shown = [theano.pp(out) for out in self.outputs]
        return "\n".join([f"seed {self.seed}, {self.dtype}", *named, *shown])


# ---- drawing

_CONSTANTS = (1.0, 2.0, 3.0, 0.5, -1.0, 0.1, 0.3, -7.0, 1e-3, 1e3, 1e8, -1e-8)
_PAIRS = ("add", "sub", "mul", "true_div")
_ALONE = ("neg", "abs_", "sqr", "inv", "sqrt", "cube", "pow_minus_two", "one_and_half")
_CURVES = ("exp", "log", "log1p", "expm1", "tanh", "nnet.sigmoid", "nnet.softplus", "nnet.relu")


def drawn(seed: int) -> Program:
    """The program of a seed; every fifth is of float64."""
    rng = np.random.default_rng([34, seed])
    dtype = "float64" if seed % 5 == 4 else "float32"
    rows = rng.random() < 0.3
    shape = (_POINTS, _ROW) if rows else (_POINTS,)
    make = T.TensorType(dtype, (False,) * len(shape))
    leaves = [make(name) for name in "abcdef"[: rng.integers(2, 6)]]
    values = _magnitudes(rng, dtype, shape, len(leaves))
    tame = rng.random() < 0.2  # exponentials and the like of numbers around 1
    if tame:
        values = [np.asarray(np.sign(x) * rng.uniform(0.1, 5, shape), dtype) for x in values]
    pool: list[Any] = list(leaves)
    score = make("t") if rng.random() < 0.3 else None
    for _ in range(rng.integers(2, 8)):
        pool.append(_step(rng, pool, dtype, tame))
        if score is not None and rng.random() < 0.5:
            # what rules know as a sigmoid, in the middle of products of any size
            pool.append(getattr(T, _PAIRS[rng.integers(4)])(pool[-1], _share(rng, score)))
    if score is not None:
        leaves.append(score)
        values.append(np.asarray(rng.uniform(-5, 5, shape), dtype))
    out = pool[-1]
    if rows:
        reduce = ("sum", "mean", "prod")[rng.integers(3)]
        out = getattr(T, reduce)(out, axis=1)
        if rng.random() < 0.5:
            leaves.append(T.TensorType(dtype, (False,))("v"))
            values += _magnitudes(rng, dtype, (_POINTS,), 1)
            out = getattr(T, _PAIRS[rng.integers(4)])(out, leaves[-1])
    outputs = [out]
    if rng.random() < 0.25 and not (rows and reduce == "prod"):
        outputs = theano.grad(out.sum(), leaves[:2], disconnected_inputs="ignore")
    return Program(seed, dtype, leaves, values, outputs)


def _magnitudes(rng: Any, dtype: str, shape: tuple[int, ...], n: int) -> list[np.ndarray]:
    """Numbers that are far apart, near to each other, or each other's inverse."""
    top = RANGE[dtype]
    base = 10.0 ** rng.uniform(-top, top, shape)
    found = []
    for _ in range(n):
        near = base * (1 + rng.choice([0, 1e-6, 1e-3, 1], shape) * rng.uniform(-0.5, 0.5, shape))
        other = 10.0 ** rng.uniform(-top, top, shape)
        which = rng.integers(6, size=shape)
        x = np.choose(which, [near, near, near, 1 / base, np.sqrt(base), other])
        found.append(np.asarray(x * rng.choice([-1, 1], shape), dtype))
    return found


def _step(rng: Any, pool: list[Any], dtype: str, tame: bool) -> Any:
    def pick() -> Any:
        # what was made last is used most: programs are deep rather than wide
        at = len(pool) - 1 - min(int(rng.exponential(2)), len(pool) - 1)
        return pool[at if rng.random() < 0.6 else rng.integers(len(pool))]

    chance = rng.random()
    if chance < 0.8:
        args = [pick(), pick()]
        if rng.random() < 0.3:
            value = _CONSTANTS[rng.integers(len(_CONSTANTS))]
            args[rng.integers(2)] = np.asarray(value, dtype)
        return getattr(T, _PAIRS[rng.integers(4)])(*args)
    x = pick()
    if chance < 0.84:
        return (T.maximum, T.minimum)[rng.integers(2)](x, pick())
    if tame and chance < 0.93:
        name = _CURVES[rng.integers(len(_CURVES))]
        x = abs(x) if name.startswith("log") else x
        f: Any = T
        for part in name.split("."):
            f = getattr(f, part)
        return f(x)
    name = _ALONE[rng.integers(len(_ALONE))]
    if name == "cube":
        return x**3
    if name == "pow_minus_two":
        return x**-2
    if name in ("sqrt", "one_and_half"):
        return T.sqrt(abs(x)) if name == "sqrt" else abs(x) ** np.asarray(1.5, dtype)
    return getattr(T, name)(x)


def _share(rng: Any, t: Any) -> Any:
    e = T.exp(t)
    forms = (e / (1 + e), 1 / (1 + T.exp(-t)), e, 1 + e, T.nnet.sigmoid(t), 1 - T.nnet.sigmoid(t))
    return forms[rng.integers(len(forms))]


# ---- what is right, and how wrong the program as written may be


class Unbounded(Exception):
    """The program as written says nothing: out of range, or a choice that rounding decides."""


@dataclass
class _Real:
    """Exact values, bounds of their errors, and where these hold."""

    x: np.ndarray
    e: np.ndarray
    ok: np.ndarray

    def __post_init__(self) -> None:
        # operations on arrays of objects without dimensions give the objects
        self.x, self.e = (np.asarray(v, dtype=object) for v in (self.x, self.e))
        shape = np.broadcast_shapes(self.x.shape, self.e.shape, np.shape(self.ok))
        self.x, self.e = np.broadcast_to(self.x, shape), np.broadcast_to(self.e, shape)
        self.ok = np.broadcast_to(np.asarray(self.ok, dtype=bool), shape)


_exactly = np.frompyfunc(mpmath.mpf, 1, 1)


def _each(name: str) -> Any:
    return np.frompyfunc(getattr(mpmath, name), 1, 1)


class _Interpreter:
    """Interprets the nodes of a graph, all in one dtype, with mpmath."""

    def __init__(self, dtype: str) -> None:
        info = np.finfo(dtype)
        self.u = mpmath.mpf(float(info.eps)) / 2
        self.low, self.high = float(info.tiny) * MARGIN, float(info.max) / MARGIN

    def number(self, x: Any) -> _Real:
        x = np.asarray(x)
        exact = _exactly(x.astype("float64"))
        return _Real(exact, 0 * exact, np.isfinite(x))

    def rounded(self, x: Any, e: Any, ok: Any, ulps: int = 1) -> _Real:
        """What one operation adds, where its result is within the range."""
        size = np.abs(x)
        within = (size <= self.high) & ((size >= self.low) | (x == 0))
        return _Real(x, e + ulps * self.u * (size + e), ok & within)

    def node(self, name: str, args: list[_Real]) -> _Real:
        if name in ("maximum", "minimum"):
            a, b = args
            e = np.where((np.abs(a.x - b.x) > a.e + b.e), 0 * a.e, a.e + b.e)
            take_a = a.x > b.x if name == "maximum" else a.x < b.x
            return _Real(np.where(take_a, a.x, b.x), np.where(take_a, a.e, b.e) + e, a.ok & b.ok)
        if name in _COMPARED:
            a, b = args
            clear = (np.abs(a.x - b.x) > a.e + b.e) | ((a.x == b.x) & (a.e + b.e == 0))
            x = _COMPARED[name](a.x, b.x)
            return _Real(_exactly(np.asarray(x, float)), 0 * (a.x + b.x), a.ok & b.ok & clear)
        if name == "switch":
            c, a, b = args
            true = c.x != 0
            x, e = np.where(true, a.x, b.x), np.where(true, a.e, b.e)
            return _Real(x, e, c.ok & np.where(true, a.ok, b.ok))
        ok = np.logical_and.reduce(np.broadcast_arrays(*(a.ok for a in args)))
        match name:
            case "add" | "mul":
                made = args[0]
                for b in args[1:]:
                    made = getattr(self, name)(made, b)
                return made
            case "sub":
                return self.add(args[0], _Real(-args[1].x, args[1].e, args[1].ok))
            case "true_div":
                return self.div(*args)
            case "inv":
                return self.div(self.number(np.ones(args[0].x.shape)), args[0])
            case "neg":
                return _Real(-args[0].x, args[0].e, ok)
            case "abs" | "cast":
                return _Real(np.abs(args[0].x) if name == "abs" else args[0].x, args[0].e, ok)
            case "sgn":
                a = args[0]
                clear = np.abs(a.x) > a.e
                return _Real(_exactly(np.asarray(np.sign(a.x), float)), 0 * a.x, ok & clear)
            case "sqr":
                return self.mul(args[0], args[0])
            case "second":
                shape = np.broadcast_shapes(args[0].x.shape, args[1].x.shape)
                fields = (args[1].x, args[1].e, args[0].ok & args[1].ok)
                return _Real(*(np.broadcast_to(v, shape) for v in fields))
            case "pow":
                return self.power(*args)
            case "invert":
                return _Real(1 - args[0].x, args[0].e, ok)
            case "isinf":
                return _Real(0 * args[0].x, args[0].e * 0, ok)
            case "relu":
                return self.node("maximum", [args[0], self.number(np.zeros(args[0].x.shape))])
        return self.curve(name, args[0])

    def add(self, a: _Real, b: _Real) -> _Real:
        return self.rounded(a.x + b.x, a.e + b.e, a.ok & b.ok)

    def mul(self, a: _Real, b: _Real) -> _Real:
        e = np.abs(a.x) * b.e + np.abs(b.x) * a.e + a.e * b.e
        return self.rounded(a.x * b.x, e, a.ok & b.ok)

    def div(self, a: _Real, b: _Real) -> _Real:
        clear = (np.abs(b.x) > 2 * b.e) & (b.x != 0)
        below = np.where(clear, b.x, mpmath.mpf(1))
        x = a.x / below
        e = (a.e + np.abs(x) * b.e) / (np.abs(below) - np.where(clear, b.e, mpmath.mpf(0)))
        return self.rounded(x, e, a.ok & b.ok & clear)

    def power(self, a: _Real, b: _Real) -> _Real:
        n = float(b.x.flat[0])  # constants, or 2 - 1: these are exact
        if n == int(n):
            clear = (np.abs(a.x) > 2 * a.e) if n < 1 else np.True_
        else:
            clear = a.x > 2 * a.e
        base = np.where(clear, a.x, mpmath.mpf(1))
        x = base ** mpmath.mpf(n)
        e = abs(n) * np.abs(x / np.where(base == 0, 1, base)) * a.e * 2 ** abs(n - 1)
        return self.rounded(x, e, a.ok & clear, ulps=4)

    def curve(self, name: str, a: _Real) -> _Real:
        low, high = a.x - a.e, a.x + a.e
        ok = a.ok & (np.abs(a.x) < 1e6) if name in _STEEP else a.ok
        if name in ("log", "sqrt"):
            ok = ok & (low > 0)
        elif name == "log1p":
            ok = ok & (low > -1)
        if name not in _CURVE:
            raise Unbounded(name)
        f = _CURVE[name]
        one = mpmath.mpf(1)
        x, left, right = (f(np.where(ok, v, one)) for v in (a.x, low, high))
        return self.rounded(
            x, np.maximum(np.abs(left - x), np.abs(right - x)), ok, _ULPS.get(name, 1)
        )

    def reduced(self, name: str, op: Any, a: _Real) -> _Real:
        axes = tuple(range(a.x.ndim)) if op.axis is None else op.axis
        for axis in sorted(axes, reverse=True):
            parts = [
                _Real(*(np.take(v, i, axis) for v in (a.x, a.e, a.ok)))
                for i in range(a.x.shape[axis])
            ]
            made = parts[0]
            if name == "Prod":
                for b in parts[1:]:
                    made = self.mul(made, b)
            else:
                # in whatever order: each partial sum is at most the sum of sizes
                e = sum((p.e for p in parts[1:]), parts[0].e)
                size = sum((np.abs(p.x) for p in parts[1:]), np.abs(parts[0].x))
                ok = np.logical_and.reduce([p.ok for p in parts])
                total = sum((p.x for p in parts[1:]), parts[0].x)
                made = self.rounded(total, e + (len(parts) - 1) * self.u * size, ok)
                made.ok = made.ok & (size <= self.high)
            a = made
        return a


_COMPARED = {
    "lt": np.less, "gt": np.greater, "le": np.less_equal, "ge": np.greater_equal,
    "eq": np.equal, "neq": np.not_equal,
}  # fmt: skip
_STEEP = ("exp", "expm1", "tanh", "sigmoid", "softplus")
_CURVE = {
    **{name: _each(name) for name in ("exp", "log", "expm1", "tanh", "sqrt", "sinh", "cosh")},
    "log1p": _each("log1p"),
    "sigmoid": np.frompyfunc(lambda x: 1 / (1 + mpmath.exp(-x)), 1, 1),
    "softplus": np.frompyfunc(lambda x: mpmath.log1p(mpmath.exp(x)), 1, 1),
}


def bound(program: Program) -> list[_Real]:
    """For each output its right values, and how wrong the program as written may be."""
    with mpmath.workprec(_BITS[program.dtype]):
        work = _Interpreter(program.dtype)
        known: dict[Any, Any] = {
            v: work.number(x) for v, x in zip(program.inputs, program.values, strict=True)
        }
        for node in io_toposort(program.inputs, program.outputs):
            _interpret(work, node, known)
        return [known[out] for out in program.outputs]


def _interpret(work: _Interpreter, node: Any, known: dict[Any, _Real]) -> None:
    (out,) = node.outputs
    for v in node.inputs:
        if isinstance(v, theano.Constant):
            known[v] = work.number(v.data)
    args = [known[v] for v in node.inputs]
    kind = type(node.op).__name__
    match kind:
        case "Shape_i":
            made = work.number(args[0].x.shape[node.op.i])
        case "DimShuffle":
            made = _Real(*(_dimshuffled(v, node.op.new_order) for v in vars(args[0]).values()))
        case "Sum" | "Prod":
            made = work.reduced(kind, node.op, args[0])
        case "Elemwise":
            scalar = type(node.op.scalar_op)
            made = work.node(scalar.name or scalar.__name__.lower(), args)
        case _:
            raise NotImplementedError(kind)
    if out.type.dtype in T.discrete_dtypes:
        made.e = 0 * made.e
    known[out] = made


def _dimshuffled(x: np.ndarray, order: Sequence[Any]) -> np.ndarray:
    kept = x.transpose([i for i in order if i != "x"]) if x.ndim else x
    return kept.reshape([1 if i == "x" else x.shape[i] for i in order])


# ---- what the engines make of them


def evaluated(programs: Sequence[Program], mode: str) -> list[list[np.ndarray]]:
    """The outputs of each program, all of them computed by one function."""
    inputs = [v for p in programs for v in p.inputs]
    outputs = [v for p in programs for v in p.outputs]
    f = theano.function(inputs, outputs, mode=MODES[mode](), on_unused_input="ignore")
    made = iter(f(*(x for p in programs for x in p.values)))
    return [[next(made) for _ in p.outputs] for p in programs]


def worse(want: _Real, got: np.ndarray) -> str | None:
    """Where a result is more wrong than it may be; None if it is nowhere."""
    for at in np.ndindex(want.x.shape):
        if not want.ok[at]:
            continue
        right, allowed = want.x[at], FACTOR * want.e[at]
        if not np.isfinite(got[at]):
            return f"at {at} it is {got[at]}, right is {mpmath.nstr(right, 9)}"
        error = abs(mpmath.mpf(float(got[at])) - right)
        if error > allowed:
            return (
                f"at {at} it is {got[at]}, right is {mpmath.nstr(right, 17)}; the error is "
                f"{mpmath.nstr(error / want.e[at] if want.e[at] else mpmath.inf, 3)} times that "
                f"of the program as written"
            )
    return None


def check(seeds: Sequence[int], modes: Sequence[str] = tuple(MODES)) -> dict[int, str]:
    """What is more wrong than written among the programs of some seeds."""
    programs = [drawn(seed) for seed in seeds]
    wants = [bound(p) for p in programs]
    found: dict[int, str] = {}
    for mode in modes:
        for p, want, got in zip(programs, wants, evaluated(programs, mode), strict=True):
            with mpmath.workprec(_BITS[p.dtype]):
                words = [w for w in map(worse, want, got) if w]
            if words:
                found.setdefault(p.seed, f"{mode}: {words[0]}\n{p.listing()}")
    return found
