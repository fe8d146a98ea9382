"""Problems with known answers: roots, minima and differential equations, as data.

An answer is an expression in mpmath's numbers, or None where SciPy's answer is compared.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import mpmath
import numpy as np

import theano.tensor as T


class Problem(NamedTuple):
    """Functions of unknowns x and of one parameter p, with a start and the answer at p."""

    name: str
    function: Any
    start: Any
    p: float
    answer: Any
    #: how many digits a multiple root or a flat minimum loses
    rtol: float = 1e-7
    options: dict[str, Any] = {}
    smooth: bool = True


def rosenbrock(x, p):
    return T.sum(p * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)


def hilbert(n):
    return 1 / (np.arange(n)[:, None] + np.arange(n) + 1.0)


def chain(x, p):
    """The discrete problem u'' = p exp(u) with u = 0 at both ends (Bratu)."""
    n = 12
    h = 1.0 / (n + 1)
    whole = T.concatenate([[0.0], x, [0.0]])
    return (whole[2:] - 2 * whole[1:-1] + whole[:-2]) / h**2 + p * T.exp(x)


def dominant(n):
    rng = np.random.RandomState(n)
    return rng.randn(n, n) + 2 * n * np.eye(n)


def linear_answer(a, b):
    return [float(v) for v in mpmath.lu_solve(mpmath.matrix(a.tolist()), mpmath.matrix(list(b)))]


S, m = T.stack, mpmath

# fmt: off
ROOTS = [
    Problem("line",             lambda x, p: 3 * x - p, [5.0], 2.0, lambda p: [p / 3]),
    Problem("linear 3",         lambda x, p: T.dot(dominant(3), x) - p, [0.0] * 3, 1.5,
            lambda p: linear_answer(dominant(3), [p] * 3)),
    Problem("linear 20",        lambda x, p: T.dot(dominant(20), x) - p, [1.0] * 20, -2.0,
            lambda p: linear_answer(dominant(20), [p] * 20)),
    Problem("Hilbert 4",        lambda x, p: T.dot(hilbert(4), x) - p, [0.0] * 4, 1.0,
            lambda p: linear_answer(hilbert(4), [p] * 4), 1e-6),
    Problem("scales",           lambda x, p: S([1e6 * (x[0] - p), 1e-3 * (x[1] - 2)]), [0.0, 0.0],
            1.0, lambda p: [p, 2]),
    Problem("square",           lambda x, p: x**2 - p, [3.0], 2.0, lambda p: [m.sqrt(p)]),
    Problem("far start",        lambda x, p: x**3 - p, [100.0], 2.0, lambda p: [m.cbrt(p)]),
    Problem("exponential",      lambda x, p: T.exp(x) - p, [4.0], 3.0, lambda p: [m.log(p)]),
    Problem("Lambert",          lambda x, p: x * T.exp(x) - p, [1.0], 2.0,
            lambda p: [m.lambertw(p).real]),
    Problem("Kepler",           lambda x, p: x - p * T.sin(x) - 1, [1.0], 0.9,
            lambda p: [m.findroot(lambda x: x - p * m.sin(x) - 1, 1.8)]),
    Problem("arctangent",       lambda x, p: T.arctan(x - p), [3.0], 0.5, lambda p: [p]),
    Problem("cosine",           lambda x, p: T.cos(x) - p * x, [0.3], 1.0,
            lambda p: [m.findroot(lambda x: m.cos(x) - p * x, 0.7)]),
    Problem("double root",      lambda x, p: (x - p) ** 2, [3.0], 1.0, lambda p: [p], 1e-3,
            smooth=False),
    Problem("triple root",      lambda x, p: (x - p) ** 3, [2.0], 1.0, lambda p: [p], 1e-3,
            smooth=False),
    Problem("singular start",   lambda x, p: S([x[0] ** 2 + x[1] - p, x[0] - x[1] ** 2]),
            [0.3, 0.3], 2.0, lambda p: m.findroot(
            lambda a, b: [a**2 + b - p, a - b**2], (1, 1))),
    Problem("circle and line",  lambda x, p: S([x[0] ** 2 + x[1] ** 2 - p, x[0] - x[1]]),
            [2.0, 0.5], 2.0, lambda p: [m.sqrt(p / 2)] * 2),
    Problem("Rosenbrock",       lambda x, p: S([10 * (x[1] - x[0] ** 2), p - x[0]]), [-1.2, 1.0],
            1.0, lambda p: [p, p**2]),
    Problem("Powell",           lambda x, p: S([1e4 * x[0] * x[1] - p, T.exp(-x[0]) + T.exp(-x[1])
            - 1.0001]), [0.0, 1.0], 1.0, lambda p: m.findroot(
            lambda a, b: [1e4 * a * b - p, m.exp(-a) + m.exp(-b) - m.mpf("1.0001")],
            (1.098e-5, 9.106)), 1e-5),
    Problem("Freudenstein",     lambda x, p: S([x[0] - x[1] * (2 - x[1] * (5 - x[1])) - 13,
            x[0] - x[1] * (14 - x[1] * (1 + x[1])) - p]), [15.0, 3.0], 29.0, lambda p: m.findroot(
            lambda a, b: [a - b * (2 - b * (5 - b)) - 13, a - b * (14 - b * (1 + b)) - p],
            (5, 4))),
    Problem("Bratu 12",         chain, [0.0] * 12, 1.0, None),
    Problem("kink",             lambda x, p: x + T.abs_(x - 1) - p, [3.0], 2.0,
            lambda p: [(p + 1) / 2]),
    Problem("piecewise",        lambda x, p: T.switch(x < 1, 2 * x - p, x - p + 1), [5.0], 3.0,
            lambda p: [2], smooth=False),
]

ROOTS_OF_ONE = [
    Problem("secant, cube",     lambda x, p: x**3 - p, 1.5, 2.0, lambda p: m.cbrt(p),
            options={"method": "secant"}),
    Problem("secant, wave",     lambda x, p: T.cos(x) - p * x, 0.5, 1.0,
            lambda p: m.findroot(lambda x: m.cos(x) - p * x, 0.7), options={"method": "secant"}),
    Problem("newton, log",      lambda x, p: T.log(x) - p, 1.0, 0.5, lambda p: m.exp(p),
            options={"method": "newton"}),
    Problem("newton, double",   lambda x, p: (x - p) ** 2, 2.0, 1.0, lambda p: p, 1e-6,
            {"method": "newton"}, smooth=False),
    Problem("newton, Kepler",   lambda x, p: x - p * T.sin(x) - 1, 1.5, 0.8,
            lambda p: m.findroot(lambda x: x - p * m.sin(x) - 1, 1.7),
            options={"method": "newton"}),
    Problem("halley, root",     lambda x, p: x**2 - p, 3.0, 2.0, lambda p: m.sqrt(p),
            options={"method": "halley"}),
    Problem("halley, bessel",   lambda x, p: T.exp(-x) * x - p, 0.1, 0.2,
            lambda p: -m.lambertw(-p).real, options={"method": "halley"}),
    Problem("bisect, step",     lambda x, p: T.sgn(x - p), (0.0, 4.0), 1.3, lambda p: p, 1e-11,
            {"method": "bisect"}, smooth=False),
    Problem("bisect, poly",     lambda x, p: x**5 - x - p, (1.0, 2.0), 1.0,
            lambda p: m.findroot(lambda x: x**5 - x - p, 1.17), options={"method": "bisect"}),
    Problem("brentq, poly",     lambda x, p: x**5 - x - p, (1.0, 2.0), 1.0,
            lambda p: m.findroot(lambda x: x**5 - x - p, 1.17), options={"method": "brentq"}),
    Problem("brentq, flat",     lambda x, p: (x - p) ** 3, (-4.0, 3.0), 1.0, lambda p: p, 1e-3,
            {"method": "brentq", "optimizer_kwargs": {"xtol": 1e-6}}, smooth=False),
    Problem("brentq, steep",    lambda x, p: T.tanh(1e3 * (x - p)), (-1.0, 9.0), 0.3,
            lambda p: p, options={"method": "brentq"}),
    Problem("brentq, kink",     lambda x, p: T.abs_(x) - p, (0.0, 3.0), 0.7, lambda p: p,
            options={"method": "brentq"}),
    Problem("ridder",           lambda x, p: T.exp(x) - p, (0.0, 3.0), 4.0, lambda p: m.log(p),
            options={"method": "ridder"}),
]

MINIMA = [
    Problem("bowl",             lambda x, p: T.sum((x - p) ** 2), [0.0, 3.0], 1.5,
            lambda p: [p, p]),
    Problem("quadratic 10",     lambda x, p: T.dot(x, T.dot(dominant(10) + dominant(10).T, x)) / 2
            - p * x.sum(), [1.0] * 10, 2.0,
            lambda p: linear_answer(dominant(10) + dominant(10).T, [p] * 10)),
    Problem("ill scaled",       lambda x, p: (x[0] - p) ** 2 + 1e4 * (x[1] - 2) ** 2, [0.0, 0.0],
            1.0, lambda p: [p, 2], 1e-6),
    Problem("Rosenbrock 2",     rosenbrock, [-1.2, 1.0], 100.0, lambda p: [1, 1], 1e-5),
    Problem("Rosenbrock 5",     rosenbrock, [0.5] * 5, 10.0, lambda p: [1] * 5, 1e-5),
    Problem("quartic",          lambda x, p: T.sum((x - p) ** 4), [2.0, 2.0], 1.0,
            lambda p: [p, p], 5e-2, smooth=False),
    Problem("log barrier",      lambda x, p: p * x[0] - T.log(x[0]) + x[1] ** 2, [0.3, 1.0], 2.0,
            lambda p: [1 / p, 0], 1e-5),
    Problem("logistic",         lambda x, p: T.sum(T.nnet.softplus(x)) - p * x.sum(), [2.0, -2.0],
            0.3, lambda p: [m.log(p / (1 - p))] * 2, 1e-4),
    Problem("Newton-CG",        rosenbrock, [1.5, 1.5], 5.0, lambda p: [1, 1], 1e-5,
            {"method": "Newton-CG", "hess": True}),
    Problem("L-BFGS-B",         lambda x, p: T.sum(T.cosh(x - p)), [0.0, 3.0], 1.0,
            lambda p: [p, p], 1e-5, {"method": "L-BFGS-B"}),
]

MINIMA_OF_ONE = [
    Problem("parabola",         lambda x, p: (x - p) ** 2, 0.0, 3.0, lambda p: p),
    Problem("far parabola",     lambda x, p: (x - p) ** 2, 0.0, -300.0, lambda p: p),
    Problem("cosh",             lambda x, p: T.cosh(x - p), 1.0, 0.3, lambda p: p, 1e-6),
    Problem("x log x",          lambda x, p: x * T.log(x) - p * x, (0.5, 0.6), 0.4,
            lambda p: m.exp(p - 1)),
    Problem("corner",           lambda x, p: T.abs_(x - p), 0.0, 1.3, lambda p: p, smooth=False),
    Problem("bounded",          lambda x, p: T.cos(x) * p, (2.0, 5.0), 2.0, lambda p: m.pi, 1e-5,
            {"method": "bounded"}, smooth=False),
]
# fmt: on


class Equation(NamedTuple):
    """An equation dy/dt = f(y, t, p), with the answer at the last time, or None for SciPy's."""

    name: str
    f: Any
    y0: Any
    times: Any
    p: float
    answer: Any
    method: str = "RK45"
    smooth: bool = True


def heat(y, t, p):
    """Heat on a line of 15 points, with ends of temperature 0."""
    ends = T.concatenate([[0.0], y, [0.0]])
    return p * 256.0 * (ends[2:] - 2 * ends[1:-1] + ends[:-2])


def heat_answer(p, t):
    """The first mode decays alone."""
    rate = 256 * (2 - 2 * m.cos(m.pi / 16))
    return [m.sin(m.pi * (k + 1) / 16) * m.exp(-p * rate * t) for k in range(15)]


def follows(y, t, p):
    """The equation of Prothero and Robinson: fast decay to p cos(t)."""
    return -1e5 * (y - p * T.cos(t)) - p * T.sin(t)


def robertson(y, t, p):
    a, b, c = p * y[0], 1e4 * y[1] * y[2], 3e7 * y[1] ** 2
    return S([b - a, a - b - c, c])


def van_der_pol(y, t, p):
    return S([y[1], p * (1 - y[0] ** 2) * y[1] - y[0]])


def prey_and_predators(y, t, p):
    return S([y[0] * (p - 0.4 * y[1]), y[1] * (0.2 * y[0] - 0.8)])


# fmt: off
EQUATIONS = [
    Equation("decay",           lambda y, t, p: -p * y, [2.0], [0, 0.5, 2], 1.3,
             lambda p: [2 * m.exp(-2 * p)]),
    Equation("spring",          lambda y, t, p: S([y[1], -p * y[0]]), [1.0, 0.0], [0, 3], 2.0,
             lambda p: [m.cos(3 * m.sqrt(p)), -m.sqrt(p) * m.sin(3 * m.sqrt(p))]),
    Equation("logistic",        lambda y, t, p: p * y * (1 - y), [0.1], [0, 1, 4], 1.1,
             lambda p: [1 / (1 + 9 * m.exp(-4 * p))]),
    Equation("forced",          lambda y, t, p: p * T.cos(t) * y, [1.0], [0, 5], 0.7,
             lambda p: [m.exp(p * m.sin(5))]),
    Equation("backwards",       lambda y, t, p: p * y, [1.0], [2, 1, 0], 0.5,
             lambda p: [m.exp(-2 * p)]),
    Equation("near a pole",     lambda y, t, p: p * y**2, [1.0], [0, 0.9], 1.0,
             lambda p: [1 / (1 - p * m.mpf("0.9"))]),
    Equation("kink in time",    lambda y, t, p: p * T.abs_(t - 1) + 0 * y, [0.0], [0, 3], 2.0,
             lambda p: [p * m.mpf("2.5")]),
    Equation("prey",            prey_and_predators, [6.0, 2.0], [0, 2, 5], 1.1, None, "DOP853"),
    Equation("linear, BDF",     lambda y, t, p: T.dot(-dominant(4), y) + p, [0.0] * 4, [0, 9], 1.5,
             lambda p: linear_answer(dominant(4), [p] * 4), "BDF"),
    Equation("follows",         follows, [1.5], [0, 0.1, 2], 1.5, lambda p: [p * m.cos(2)],
             "Radau"),
    Equation("heat",            heat, [float(v) for v in heat_answer(0, 0)], [0, 0.1, 0.2], 0.5,
             lambda p: heat_answer(p, m.mpf("0.2")), "Radau"),
    Equation("Van der Pol 100", van_der_pol, [2.0, 0.0], [0, 50], 100.0, None, "LSODA"),
    Equation("Robertson",       robertson, [1.0, 0.0, 0.0], [0, 40], 0.04, None, "Radau"),
]
# fmt: on
