"""theano.tensor.odeint: equations with known answers, derivatives, memory, failures."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import tracemalloc

import numpy as np
import pytest
import scipy.integrate

import theano
import theano.tensor as T
from tests.control.solver_problems import EQUATIONS
from theano._src.control.solvers import ode_host
from theano.tensor.optimize import ConvergenceError

ENGINES = ["numpy", "xla"]
#: a gradient compiles on XLA for several seconds; some are in the gate
ALL = os.environ.get("THEANO_TEST_SOLVERS") == "all"
SAMPLED = [e for e in EQUATIONS if ALL or e.name == "follows"]
ON_ENGINES = [(e, "numpy") for e in EQUATIONS] + [(e, "xla") for e in SAMPLED]


def as_floats(answer):
    return np.array([float(v) for v in answer])


def by_scipy(equation, p):
    y, t = T.dvector(), T.dscalar()
    f = theano.function(
        [y, t], equation.f(y, t, p), mode=theano.Mode("numpy"), on_unused_input="ignore"
    )
    ends = equation.times[0], equation.times[-1]
    tight = {"rtol": 1e-11, "atol": 1e-14}
    run = scipy.integrate.solve_ivp(lambda t, y: f(y, t), ends, equation.y0, "LSODA", **tight)
    return run.y[:, -1]


@pytest.mark.parametrize(
    ("equation", "engine"), ON_ENGINES, ids=[f"{e.name}-{engine}" for e, engine in ON_ENGINES]
)
def test_states_and_gradients_are_those_of_the_answer(equation, engine):
    y0, t, p = T.dvector("y0"), T.dvector("t"), T.dscalar("p")
    tol = {"rtol": 1e-8, "atol": 1e-10}
    y = T.odeint(lambda y, t: equation.f(y, t, p), y0, t, method=equation.method, **tol)
    weights = np.cos(np.arange(len(equation.y0)))
    cost = T.dot(y[-1], weights)
    f = theano.function([y0, t, p], [y, theano.grad(cost, p)], mode=theano.Mode(engine))
    rows, gradient = f(equation.y0, np.asarray(equation.times, float), equation.p)
    assert rows.shape == (len(equation.times), len(equation.y0))
    np.testing.assert_array_equal(rows[0], equation.y0)

    def answer(p):
        return by_scipy(equation, p) if equation.answer is None else as_floats(equation.answer(p))

    np.testing.assert_allclose(rows[-1], answer(equation.p), rtol=2e-6, atol=1e-7)
    h = equation.p * (0.01 if equation.answer is None else 0.001)
    costs = [weights @ answer(equation.p + k * h) for k in (-2, -1, 1, 2)]
    expected = (costs[0] - 8 * costs[1] + 8 * costs[2] - costs[3]) / (12 * h)
    assert gradient == pytest.approx(expected, rel=1e-4, abs=1e-6)


y0, t, r = T.dvector("y0"), T.dvector("t"), T.dscalar("r")
VALUES = [1.0, 2.0], [0.1, 0.5, 1.0, 1.0, 2.0], 1.3
KNOWN = T.stack(
    [y0[0] * T.exp(-r * (t - t[0])), y0[1] * T.exp(-r * (t**2 - t[0] ** 2) / 2)], axis=1
)


def solved(method="RK45", tol=1e-9):
    return T.odeint(lambda y, t: -r * T.stack([y[0], t * y[1]]), y0, t, method=method,
                    rtol=tol, atol=tol)  # fmt: skip


def first_order(y):
    cost = T.sum(T.sin(y) * y * T.arange(1, 3))
    points = [T.constant([0.3, 0.4]), T.sin(t), T.constant(0.7)]
    return [y, *theano.grad(cost, [y0, t, r]), theano.gradient.Rop(cost, [y0, t, r], points)]


def second_order(y):
    _, *first, push = first_order(y)
    points = [T.constant([0.3, 0.4]), T.sin(t), T.constant(0.7)]
    squares = sum(T.sum(T.sqr(g)) for g in first)
    return [
        *theano.grad(squares, [y0, t, r]),
        *theano.grad(push, [y0, t, r]),
        *theano.gradient.Rop(first, [y0, t, r], points),
    ]


def compared(make, method, engine, rtol):
    f = theano.function([y0, t, r], make(solved(method)), mode=theano.Mode(engine))
    known = theano.function([y0, t, r], make(KNOWN), mode=theano.Mode("numpy"))
    for got, expected in zip(f(*VALUES), known(*VALUES), strict=True):
        np.testing.assert_allclose(got, expected, rtol=rtol, atol=rtol)


@pytest.mark.parametrize(
    "method", ["RK45", "DOP853", "LSODA", "BDF", "Radau"] if ALL else ["RK45", "LSODA"]
)
def test_derivatives_of_first_and_second_order_are_those_of_the_known_solution(method):
    compared(lambda y: first_order(y) + second_order(y), method, "numpy", 1e-5)


@pytest.mark.parametrize("method", ["RK45", "Radau"] if ALL else ["RK45"])
def test_first_derivatives_on_xla_are_those_of_the_known_solution(method):
    compared(first_order, method, "xla", 1e-6)


@pytest.mark.skipif(not ALL, reason="compiles for two minutes: THEANO_TEST_SOLVERS=all")
@pytest.mark.parametrize("method", ["RK45", "Radau"])
def test_second_derivatives_on_xla_are_those_of_the_known_solution(method):
    compared(second_order, method, "xla", 1e-6)


def test_states_of_any_shape_have_gradients():
    Y, A = T.dmatrix("Y"), T.dmatrix("A")
    y = T.odeint(lambda Y, t, A: T.dot(A, Y), Y, [0.0, 1.0], A, rtol=1e-9, atol=1e-9)
    known = T.slinalg.expm(A).dot(Y)
    rng = np.random.RandomState(0)
    values = rng.randn(3, 2), rng.randn(3, 3)
    outs = [[end, *theano.grad(T.sum(end**2), [Y, A])] for end in (y[-1], known)]
    got = theano.function([Y, A], outs[0] + outs[1], mode=theano.Mode("numpy"))(*values)
    for a, b in zip(got[:3], got[3:], strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-6)


def test_a_batch_of_equations_is_solved_by_vectorize():
    many = T.dvector("many")
    y = theano.vectorize(solved()[-1], {r: many})
    known = theano.vectorize(KNOWN[-1], {r: many})
    values = VALUES[0], VALUES[1], np.linspace(0.1, 2, 9)
    for engine in ENGINES:
        f = theano.function([y0, t, many], [y, known], mode=theano.Mode(engine))
        np.testing.assert_allclose(*f(*values), rtol=1e-7)


def test_integer_parameters_have_a_gradient_of_zero():
    k = T.lscalar("k")
    y = T.odeint(lambda y, t: -y * k, y0, t)
    assert theano.grad(y.sum(), k).eval({k: 2}) == 0


@pytest.mark.parametrize("times", [[0.0], [0.0, 0.0]])
@pytest.mark.parametrize("engine", ENGINES if ALL else ["numpy"])
def test_no_time_to_pass_leaves_the_first_state(times, engine):
    y = solved()
    f = theano.function([y0, t, r], [y, theano.grad(y.sum(), y0)], mode=theano.Mode(engine))
    rows, gradient = f([1.0, 2.0], times, 1.0)
    np.testing.assert_array_equal(rows, [[1.0, 2.0]] * len(times))
    np.testing.assert_array_equal(gradient, [len(times)] * 2)


# memory

#: steps follow the forcing, 225 in a unit of time
STIFF = """
import resource
import numpy as np
import theano, theano.tensor as T
p, t = T.dscalar(), T.dvector()
y = T.odeint(lambda y, t: -1e4 * (y - p * T.cos(100 * t)), T.constant([1.0]), t,
             method="Radau", rtol=1e-5, atol=1e-5)
f = theano.function([p, t], [y[-1, 0], theano.grad(y[-1, 0], p)], mode=theano.Mode("{engine}"))
f(1.0, [0.0, 0.1])
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
got = f(1.0, [0.0, {end}])
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024, *got)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="reads the memory by the resource module")
# 10,000 steps; on NumPy they take minutes
@pytest.mark.parametrize("engine", ENGINES if ALL else ["xla"])
def test_a_stiff_gradient_of_10000_steps_takes_less_than_20_megabytes(engine):
    end = 46.0
    text = STIFF.format(engine=engine, end=end)
    run = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=True)
    megabytes, state, gradient = map(float, run.stdout.split())
    answer = np.real(1e4 * np.exp(100j * end) / (1e4 + 100j))
    assert state == pytest.approx(answer, abs=1e-4)
    assert gradient == pytest.approx(answer, abs=1e-4)
    assert megabytes < 20


@pytest.mark.parametrize("engine", ENGINES)
def test_a_stiff_state_follows_its_forcing(engine):
    # steps that follow no rejected one go by the error that is not filtered
    def slope(y, t):
        return -1e4 * (y - T.cos(100 * t))

    y = T.odeint(slope, T.constant([1.0]), t, method="Radau", rtol=1e-5, atol=1e-5)
    times = np.linspace(0, 1, 6)
    got = theano.function([t], y[1:, 0], mode=theano.Mode(engine))(times)
    exact = np.real(1e4 * np.exp(100j * times[1:]) / (1e4 + 100j))
    np.testing.assert_allclose(got, exact, atol=2e-4)


def test_memory_does_not_grow_with_the_number_of_steps(monkeypatch):
    y = T.odeint(lambda y, t: T.cos(r * t) * y, y0, t, rtol=1e-6)
    f = theano.function([y0, t, r], theano.grad(y[-1].sum(), r), mode=theano.Mode("numpy"))

    def peak(end):
        # no step leaves garbage that a collection has to find
        gc.disable()
        tracemalloc.start()
        try:
            return f([1.0], [0.0, end], 5.0), tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
            gc.enable()

    peak(0.1)
    whole, _ = peak(60.0)
    # 8 steps between checkpoints, of which 8 are kept
    monkeypatch.setattr(ode_host, "_BLOCK", 8)
    monkeypatch.setattr(ode_host, "_MARKS", 8)
    _, of_few = peak(20.0)
    many, of_many = peak(60.0)
    exact = np.exp(np.sin(300.0) / 5) * (60 * np.cos(300.0) / 5 - np.sin(300.0) / 25)
    # an integral of numbers up to 60 that cancel; steps have errors of 1e-6 of them
    assert [float(whole), float(many)] == pytest.approx([exact, exact], abs=60 * 1e-5)
    assert of_many < 1.4 * of_few


@pytest.mark.parametrize("engine", ENGINES)
def test_a_state_at_rest_has_the_gradient_of_its_equation(engine):
    # the steps grow while nothing moves; the gradient decays all the same
    y = T.odeint(lambda y, t: -r * y, y0, t)
    f = theano.function([y0, t, r], theano.grad(y[-1].sum(), y0), mode=theano.Mode(engine))
    np.testing.assert_allclose(f([0.0], [0.0, 3.0], 2.0), np.exp(-6), rtol=1e-5)


def test_a_parameter_of_value_zero_has_the_integral_of_its_factor():
    y = T.odeint(lambda y, t: r * T.sin(20 * t) ** 2 + 0 * y, y0, t)
    f = theano.function([y0, t, r], theano.grad(y[-1].sum(), r), mode=theano.Mode("numpy"))
    known = 1.5 - np.sin(120) / 80
    assert f([0.0], [0.0, 3.0], 0.0) == pytest.approx(known, rel=1e-6)


# failures


@pytest.mark.parametrize("engine", ENGINES)
def test_failure_names_the_line_and_the_time(engine):
    y = T.odeint(lambda y, t: r * y**2, y0, t)  # this line
    f = theano.function([y0, t, r], y, mode=theano.Mode(engine))
    with pytest.raises(ConvergenceError, match=r"stopped at t = 1 with max \|dy/dt\|") as caught:
        f([1.0], [0.0, 2.0], 1.0)
    assert "# this line" in str(caught.value)


@pytest.mark.parametrize("engine", ENGINES)
def test_times_that_turn_are_refused(engine):
    f = theano.function([y0, t, r], solved(), mode=theano.Mode(engine))
    with pytest.raises(ValueError, match="times that increase or decrease"):
        f([1.0, 2.0], [0.0, 2.0, 1.0], 1.0)


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: T.odeint(lambda y, t: y, T.lvector(), t), "state y0 of floats"),
        (lambda: T.odeint(lambda y, t: y, y0, r), "vector of times"),
        (lambda: T.odeint(lambda y, t: y, y0, t, method="Euler"), "one of RK45"),
        (lambda: T.odeint(lambda y, t: y.sum(), y0, t), "returns 1 dimensions"),
        (lambda: T.odeint(lambda y, t: y, y0, t, rtol=1e-20), "rtol of at least"),
    ],
)
def test_arguments_are_refused_by_name(call, text):
    with pytest.raises((TypeError, ValueError), match=text):
        call()
