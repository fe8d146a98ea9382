"""Rules that are wrong: equations with one part exchanged."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import mpmath
import numpy as np

import theano.tensor as T
from theano._src.rewrite.pattern import Hole, Pattern
from theano._src.rewrite.rule import Rule

#: an op, and the one that is written by mistake
MISTAKES = {
    T.add: T.sub, T.sub: T.add, T.mul: T.true_div, T.true_div: T.mul,
    T.exp: T.expm1, T.expm1: T.exp, T.log: T.log1p, T.log1p: T.log,
    T.sqr: T.abs_, T.abs_: T.neg, T.sqrt: T.sqr, T.inv: T.neg, T.sgn: T.abs_,
    T.sinh: T.cosh, T.cosh: T.sinh, T.tanh: T.sinh, T.sin: T.cos, T.cos: T.sin,
    T.arcsinh: T.arccosh, T.arctanh: T.arcsinh, T.arccosh: T.arcsinh,
    T.erf: T.erfc, T.erfc: T.erf, T.maximum: T.minimum, T.minimum: T.maximum,
    T.nnet.sigmoid: T.nnet.softplus, T.nnet.softplus: T.nnet.sigmoid,
}  # fmt: skip


def parts(part: Any, path: tuple[int, ...] = ()) -> Iterator[tuple[tuple[int, ...], Any]]:
    """Yield each part of a side, with its place."""
    yield path, part
    if isinstance(part, Pattern):
        for i, arg in enumerate(part.args):
            yield from parts(arg, (*path, i))


def exchanged(part: Any, path: tuple[int, ...], new: Any) -> Any:
    """A side with another part at a place."""
    if not path:
        return new
    args = list(part.args)
    args[path[0]] = exchanged(args[path[0]], path[1:], new)
    return Pattern(part.op, args)


def wrong_parts(part: Any) -> Iterator[tuple[str, Any]]:
    """Yield what may stand in the place of a part by mistake, and what the mistake is."""
    if isinstance(part, Hole):
        yield "sign", T.neg(part)
    elif isinstance(part, Pattern):
        if part.op in MISTAKES:
            yield "op", Pattern(MISTAKES[part.op], part.args)
        if len(part.args) == 2 and not part.commutative:
            yield "swapped", Pattern(part.op, part.args[::-1])
        yield "sign", T.neg(part)
    else:
        yield "constant", part + 1
        yield "sign", -part


def mutants(rule: Rule) -> Iterator[Rule]:
    """Yield rules with one mistake on the right side."""
    for path, part in parts(rule.rhs):
        for mistake, new in wrong_parts(part):
            right = exchanged(rule.rhs, path, new)
            if isinstance(right, Hole | Pattern):
                yield Rule(f"{rule.name} ({mistake} {path})", rule.group, rule.lhs, right)


#: ops as functions of numbers of mpmath
TRUTH = {name: getattr(mpmath, name) for name in ("exp", "expm1", "log", "log1p", "sqrt", "erf",
         "erfc", "sinh", "cosh", "tanh", "sin", "cos", "hypot", "conj")}  # fmt: skip
TRUTH |= {
    "add": lambda *v: mpmath.fsum(v),
    "sub": lambda a, b: a - b,
    "mul": lambda *v: mpmath.fprod(v),
    "true_div": lambda a, b: a / b,
    "neg": lambda a: -a,
    "inv": lambda a: 1 / a,
    "abs_": abs,
    "sqr": lambda a: a * a,
    "sgn": mpmath.sign,
    "pow": mpmath.power,
    "maximum": max,
    "minimum": min,
    "deg2rad": mpmath.radians,
    "rad2deg": mpmath.degrees,
    "arcsinh": mpmath.asinh,
    "arccosh": mpmath.acosh,
    "arctanh": mpmath.atanh,
    "sigmoid": lambda a: 1 / (1 + mpmath.exp(-a)),
    "softplus": lambda a: mpmath.log1p(mpmath.exp(a)),
    "log1mexp": lambda a: mpmath.log(1 - mpmath.exp(a)),
    "log_expm1": lambda a: mpmath.log(mpmath.exp(a) - 1),
    "log_cosh": lambda a: mpmath.log(mpmath.cosh(a)),
    "log_erfc": lambda a: mpmath.log(mpmath.erfc(a)),
}


def is_wrong(rule):
    """Whether the sides of an equation differ at some numbers, by mpmath."""
    rng = np.random.default_rng(0)
    for at in zip(*(rng.uniform(-3, 3, 40) for _ in rule.lhs.holes())):
        holes = dict(zip([h.name for h in rule.lhs.holes()], map(mpmath.mpf, at)))
        try:
            left, right = (
                eval(repr(side), {"__builtins__": {}}, TRUTH | holes)
                for side in (rule.lhs, rule.rhs)
            )
        except (ZeroDivisionError, ValueError):
            continue
        real = not mpmath.im(left) and mpmath.isfinite(left)
        if real and not mpmath.almosteq(left, right, rel_eps=1e-9, abs_eps=1e-9):
            return True
    return False
