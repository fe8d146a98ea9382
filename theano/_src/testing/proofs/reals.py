"""Scalar ops over the real numbers, as terms of z3.

z3 decides polynomials, not exponentials. So an expression has several readings, by what its holes
stand for:

- *number*: any real number.
- *logarithm*: ``log(e)`` for any positive ``e``, which is any real number too; ``exp`` gives ``e``.
- *angle*: twice an angle of which the sine and the cosine are known.
- *complex*: two real numbers.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import reduce
from numbers import Number
from typing import Any

import numpy as np

from theano._src.graph.graph import Constant
from theano._src.graph.op_table import OpTable
from theano._src.rewrite.pattern import Hole, Pattern, scalar_op_of
from theano._src.testing.proofs.world import (
    Angle,
    Log,
    NoReading,
    Nothing,
    Pair,
    Real,
    Truth,
    Value,
    World,
)

REAL_READINGS = ("number", "logarithm", "angle")

Row = Callable[..., Value]


def read(world: World, part: Any) -> Value:
    """Return the meaning of a pattern, and add to the world's domain where it has one."""
    if isinstance(part, Hole):
        return world.hole(part.name)
    if isinstance(part, Pattern):
        scalar = scalar_op_of(part.op)
        row = None if scalar is None else real_meaning.get(scalar)
        if row is None:
            raise NoReading(
                f"{part.op} has no row in theano._src.testing.proofs.reals.real_meaning"
            )
        return row(world, *[read(world, a) for a in part.args])
    data = part.data if isinstance(part, Constant) else part
    if isinstance(data, Number) or np.ndim(data) == 0 or np.size(data) == 1:
        return world.number(np.asarray(data).flat[0])
    raise NoReading(f"the constant {data} has several values")


# what rows are written with


def _terms(world: World, values: Sequence[Value]) -> list[Any]:
    terms = []
    for value in values:
        if isinstance(value, Log):
            terms.append(world.logarithm(value.of))
        elif isinstance(value, Real):
            terms.append(value.term)
        else:
            raise NoReading(
                "a function of numbers is given angles, complex numbers or truth values"
            )
    return terms


def exponential(world: World, value: Value) -> Any:
    """Return exp of a value as a term."""
    if isinstance(value, Log):
        return value.of
    if isinstance(value, Real):
        return world.z3.RealVal(1) if _constant(value) == 0 else world.exp(value.term)
    raise NoReading("exp takes a number")


def is_greatest(world: World, values: Sequence[Value], place: int) -> Any:
    """Return the claim that a value is the first of the greatest."""
    terms = _alike(world, values)
    return world.z3.And(
        *[terms[place] > t if k < place else terms[place] >= t for k, t in enumerate(terms)]
    )


def _of_terms(function: Callable[..., Any]) -> Row:
    """A row of a function of real terms."""
    return lambda world, *values: Real(function(world, *_terms(world, values)))


def _of_numbers(real: Callable[..., Any], pair: Callable[..., Pair]) -> Row:
    """A row of a function of real terms, or of complex numbers."""

    def row(world: World, *values: Value) -> Value:
        if world.reading != "complex":
            return Real(real(world, *_terms(world, values)))
        return pair(world, *[_pair(world, v) for v in values])

    return row


def _pair(world: World, value: Value) -> Pair:
    if isinstance(value, Real):
        return Pair(value.term, world.z3.RealVal(0))
    if isinstance(value, Pair):
        return value
    raise NoReading("a function of complex numbers is given logarithms or angles")


def _of_exp(function: Callable[[World, Any], Value]) -> Row:
    """A row of a function of the exponential of its input."""
    return lambda world, value: function(world, exponential(world, value))


def _constant(value: Value) -> Fraction | None:
    """Return the number that a value is, or None."""
    if isinstance(value, Real) and hasattr(value.term, "as_fraction"):
        fraction: Fraction = value.term.as_fraction()
        return fraction
    return None


# rows


def _cast(world: World, value: Value) -> Value:
    """A conversion between floats; rounding is not in the claim."""
    if isinstance(value, Truth):
        return Real(world.z3.If(value.term, world.z3.RealVal(1), world.z3.RealVal(0)))
    return value


def _add(world: World, *given: Value) -> Value:
    values = [v for v in given if _constant(v) != 0] or given[:1]
    if len(values) == 1:
        return values[0]
    if any(isinstance(v, Log) for v in values):
        product = world.z3.RealVal(1)
        for v in values:
            product = product * exponential(world, v)
        return Log(product)
    if world.reading == "complex":
        pairs = [_pair(world, v) for v in values]
        return Pair(sum(v.real for v in pairs), sum(v.imag for v in pairs))
    return Real(world.z3.Sum(*_terms(world, values)))


def _neg(world: World, value: Value) -> Value:
    if isinstance(value, Log):
        return Log(1 / value.of)
    if isinstance(value, Angle):
        return Angle(-value.times)
    if isinstance(value, Pair):
        return Pair(-value.real, -value.imag)
    return Real(-_terms(world, [value])[0])


def _mul(world: World, *values: Value) -> Value:
    known = _constant(values[0])
    if len(values) == 2 and known is not None:
        if isinstance(values[1], Log):
            return Log(_power(world, values[1].of, known))
        if isinstance(values[1], Angle):
            times = known * values[1].times
            if times.denominator == 1:
                return Angle(int(times))
    if world.reading == "complex":
        return reduce(_complex_product, [_pair(world, v) for v in values])
    return Real(world.z3.Product(*_terms(world, values)))


def _complex_product(a: Pair, b: Pair) -> Pair:
    return Pair(a.real * b.real - a.imag * b.imag, a.real * b.imag + a.imag * b.real)


def _complex_quotient(world: World, a: Pair, b: Pair) -> Pair:
    size = b.real * b.real + b.imag * b.imag
    above = _complex_product(a, Pair(b.real, -b.imag))
    return Pair(world.quotient(above.real, size), above.imag / size)


def _one(world: World) -> Pair:
    return Pair(world.z3.RealVal(1), world.z3.RealVal(0))


def _power(world: World, term: Any, exponent: Fraction) -> Any:
    """Return a term to the power of a multiple of a half, where it has one."""
    twice = 2 * exponent
    if twice.denominator != 1 or abs(twice) > 32:
        raise NoReading(f"the power {exponent}")
    base = term if exponent.denominator == 1 else world.root(term)
    result = world.z3.RealVal(1)
    for _ in range(abs(int(exponent if exponent.denominator == 1 else twice))):
        result = result * base
    return result if exponent >= 0 else world.quotient(world.z3.RealVal(1), result)


def _pow(world: World, base: Value, exponent: Value) -> Value:
    known = _constant(exponent)
    if known is None:
        raise NoReading("a power that is no constant")
    if isinstance(base, Pair) and known in (1, 2):
        return base if known == 1 else _complex_product(base, base)
    return Real(_power(world, _terms(world, [base])[0], known))


def _abs(world: World, value: Value) -> Value:
    if isinstance(value, Log):
        return Log(world.z3.If(value.of >= 1, value.of, 1 / value.of))
    if isinstance(value, Pair):
        return Real(world.root(value.real * value.real + value.imag * value.imag))
    (term,) = _terms(world, [value])
    return Real(world.z3.If(term >= 0, term, -term))


def _sign(world: World, term: Any) -> Any:
    z3 = world.z3
    return z3.If(term > 0, z3.RealVal(1), z3.If(term < 0, z3.RealVal(-1), z3.RealVal(0)))


def _conj(world: World, value: Value) -> Value:
    if isinstance(value, Pair):
        return Pair(value.real, -value.imag)
    raise NoReading("conj is for complex numbers")


def _cos_sin(world: World, value: Value) -> tuple[Any, Any]:
    """Return the cosine and the sine of a multiple of the angle, by the addition theorem."""
    if not isinstance(value, Angle):
        raise NoReading("sines and cosines take an angle")
    c, s = world.angle()
    if value.times < 0:
        s = -s
    cos, sin = world.z3.RealVal(1), world.z3.RealVal(0)
    for _ in range(abs(value.times)):
        cos, sin = cos * c - sin * s, sin * c + cos * s
    return cos, sin


def _rounded(world: World, term: Any) -> Any:
    if world.is_whole(term):
        return term
    return world.z3.If(term >= 0, world.floor(term + 0.5), -world.floor(0.5 - term))


def _log1mexp(world: World, e: Any) -> Value:
    return world.log(1 - e)


def _arccosh(world: World, term: Any) -> Log:
    world.domain.append(term >= 1)
    return Log(term + world.root(term * term - 1))


def _arctanh(world: World, term: Any) -> Log:
    world.domain += [term < 1, term > -1]
    return Log(world.root((1 + term) / (1 - term)))


def _log_of(function: Callable[[World, Any], Log]) -> Row:
    """A row of a function of a real number whose values are logarithms."""
    return lambda world, value: function(world, _terms(world, [value])[0])


def _compared(symbol: Callable[[Any, Any], Any]) -> Row:
    """A row of a comparison; logarithms are in the order of their numbers."""
    return lambda world, *values: Truth(symbol(*_alike(world, values)))


def _chosen(symbol: Callable[[Any, Any], Any]) -> Row:
    """A row of the greater or the lesser of two values."""

    def row(world: World, left: Value, right: Value) -> Value:
        a, b = _alike(world, (left, right))
        return _kind(left, right)(world.z3.If(symbol(a, b), a, b))

    return row


def _clip(world: World, value: Value, low: Value, high: Value) -> Value:
    return _chosen(operator.le)(world, _chosen(operator.ge)(world, value, low), high)


def _tanh(world: World, value: Value) -> Value:
    if isinstance(value, Log):
        return Real((value.of - 1 / value.of) / (value.of + 1 / value.of))
    return Real(world.unknown("tanh", *_terms(world, [value])))


def _alike(world: World, values: Sequence[Value]) -> list[Any]:
    """Return the terms of numbers, or those of which all values are the logarithms."""
    if any(isinstance(v, Log) for v in values):
        return [exponential(world, v) for v in values]
    return _terms(world, values)


def _kind(*values: Value) -> type[Real] | type[Log]:
    """Return the kind of a value that is one of some."""
    return Log if any(isinstance(v, Log) for v in values) else Real


def _truth(value: Value) -> Any:
    if isinstance(value, Truth):
        return value.term
    raise NoReading("a function of truth values is given numbers")


def _switch(world: World, condition: Value, yes: Value, no: Value) -> Value:
    known = _constant(condition)
    if known is not None:
        return yes if known else no
    if isinstance(condition, Truth):
        test = condition.term
    else:
        test = _terms(world, [condition])[0] != 0
    if isinstance(no, Nothing):
        world.domain.append(test)
        return yes
    if isinstance(yes, Nothing):
        world.domain.append(world.z3.Not(test))
        return no
    if isinstance(yes, Truth) and isinstance(no, Truth):
        return Truth(world.z3.If(test, yes.term, no.term))
    a, b = _alike(world, (yes, no))
    return _kind(yes, no)(world.z3.If(test, a, b))


def _logaddexp(world: World, *values: Value) -> Value:
    return Log(world.z3.Sum(*[exponential(world, v) for v in values]))


_SCALAR = "theano.scalar.basic"
_SPECIAL = "theano.scalar.basic_scipy"
_SIGM = "theano.tensor.nnet.sigm"
_OURS = "theano._src.ops.elementwise"

#: the meaning of a scalar op over the real numbers: a function of a World and of the inputs' values
real_meaning: OpTable[Row] = OpTable(
    {
        # arithmetic
        f"{_SCALAR}.Add": _add,
        f"{_SCALAR}.Sub": lambda w, a, b: _add(w, a, _neg(w, b)),
        f"{_SCALAR}.Mul": _mul,
        f"{_SCALAR}.TrueDiv": _of_numbers(lambda w, a, b: w.quotient(a, b), _complex_quotient),
        f"{_SCALAR}.Inv": _of_numbers(
            lambda w, a: w.quotient(w.z3.RealVal(1), a),
            lambda w, a: _complex_quotient(w, _one(w), a),
        ),
        f"{_SCALAR}.Neg": _neg,
        f"{_SCALAR}.Abs": _abs,
        f"{_SCALAR}.Sgn": _of_terms(_sign),
        f"{_SCALAR}.Sqr": _of_numbers(lambda w, a: a * a, lambda w, a: _complex_product(a, a)),
        f"{_SCALAR}.Sqrt": _of_terms(lambda w, a: w.root(a)),
        f"{_SCALAR}.Pow": _pow,
        f"{_SCALAR}.Maximum": _chosen(operator.ge),
        f"{_SCALAR}.Minimum": _chosen(operator.le),
        f"{_SCALAR}.Clip": _clip,
        f"{_SCALAR}.LT": _compared(operator.lt),
        f"{_SCALAR}.LE": _compared(operator.le),
        f"{_SCALAR}.GT": _compared(operator.gt),
        f"{_SCALAR}.GE": _compared(operator.ge),
        f"{_SCALAR}.EQ": _compared(operator.eq),
        f"{_SCALAR}.NEQ": _compared(operator.ne),
        f"{_SCALAR}.Switch": _switch,
        f"{_SCALAR}.Second": lambda w, a, b: b,
        f"{_SCALAR}.Identity": lambda w, a: a,
        f"{_SCALAR}.Cast": _cast,
        f"{_OURS}.ufuncs.LogAddExp": _logaddexp,
        f"{_SCALAR}.Conj": _conj,
        f"{_OURS}.ufuncs.Hypot": _of_terms(lambda w, a, b: w.root(a * a + b * b)),
        f"{_SCALAR}.Deg2Rad": _of_terms(lambda w, a: a * w.positive("degree")),
        f"{_SCALAR}.Rad2Deg": _of_terms(lambda w, a: a / w.positive("degree")),
        f"{_SCALAR}.Floor": _of_terms(lambda w, a: w.floor(a)),
        f"{_SCALAR}.Ceil": _of_terms(lambda w, a: -w.floor(-a)),
        f"{_SCALAR}.Trunc": _of_terms(lambda w, a: w.truncated(a)),
        f"{_SCALAR}.RoundHalfAwayFromZero": _of_terms(_rounded),
        f"{_SCALAR}.Invert": lambda w, a: Truth(w.z3.Not(_truth(a))),
        f"{_SCALAR}.AND": lambda w, a, b: Truth(w.z3.And(_truth(a), _truth(b))),
        f"{_SCALAR}.OR": lambda w, a, b: Truth(w.z3.Or(_truth(a), _truth(b))),
        f"{_SCALAR}.XOR": lambda w, a, b: Truth(w.z3.Xor(_truth(a), _truth(b))),
        # exponentials and logarithms
        f"{_SCALAR}.Exp": _of_exp(lambda w, e: Real(e)),
        f"{_SCALAR}.Expm1": _of_exp(lambda w, e: Real(e - 1)),
        f"{_SCALAR}.Log": _log_of(lambda w, a: w.log(a)),
        f"{_SCALAR}.Log1p": _log_of(lambda w, a: w.log(1 + a)),
        f"{_SIGM}.ScalarSigmoid": _of_exp(lambda w, e: Real(e / (1 + e))),
        f"{_SIGM}.ScalarSoftplus": _of_exp(lambda w, e: Log(1 + e)),
        f"{_OURS}.log_special.Log1mexp": _of_exp(_log1mexp),
        f"{_OURS}.log_special.LogExpm1": _of_exp(lambda w, e: w.log(e - 1)),
        f"{_OURS}.log_special.LogCosh": _of_exp(lambda w, e: Log((e + 1 / e) / 2)),
        # hyperbolic and trigonometric functions
        f"{_SCALAR}.Sinh": _of_exp(lambda w, e: Real((e - 1 / e) / 2)),
        f"{_SCALAR}.Cosh": _of_exp(lambda w, e: Real((e + 1 / e) / 2)),
        f"{_SCALAR}.Tanh": _tanh,
        f"{_SCALAR}.ArcSinh": _log_of(lambda w, a: Log(a + w.root(a * a + 1))),
        f"{_SCALAR}.ArcCosh": _log_of(_arccosh),
        f"{_SCALAR}.ArcTanh": _log_of(_arctanh),
        f"{_SCALAR}.Cos": lambda w, a: Real(_cos_sin(w, a)[0]),
        f"{_SCALAR}.Sin": lambda w, a: Real(_cos_sin(w, a)[1]),
        # the error function
        f"{_SPECIAL}.Erf": _of_terms(lambda w, a: w.erf(a)),
        f"{_SPECIAL}.Erfcx": _of_terms(lambda w, a: w.exp(a * a) * (1 - w.erf(a))),
        f"{_SPECIAL}.Erfc": _of_terms(lambda w, a: 1 - w.erf(a)),
        f"{_OURS}.log_special.LogErfc": _log_of(lambda w, a: w.log(1 - w.erf(a))),
    }
)
