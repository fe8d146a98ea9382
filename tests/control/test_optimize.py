"""theano.tensor.optimize: problems with known answers, derivatives, batches, failures."""

from __future__ import annotations

import os

import numpy as np
import pytest
import scipy.optimize

import theano
import theano.tensor as T
from tests.control.solver_problems import MINIMA, MINIMA_OF_ONE, ROOTS, ROOTS_OF_ONE
from theano.tensor import optimize

ENGINES = ["numpy", "xla"]
#: all problems on XLA compile for two minutes; every seventh is in the gate
EVERY = 1 if os.environ.get("THEANO_TEST_SOLVERS") == "all" else 7
TIGHT = {"tol": 1e-10}


def graph_of(function, problem, **options):
    """The inputs and the solution of a problem as a graph."""
    p = T.dscalar("p")
    if np.ndim(problem.start) == 1 and function in (optimize.root, optimize.minimize):
        x = T.dvector("x")
        inputs, given = [x, p], [problem.start, problem.p]
    elif np.ndim(problem.start) == 1:  # two ends of a bracket
        x = T.dscalar("x")
        ends = "bounds" if problem.options.get("method") == "bounded" else "bracket"
        options[ends] = problem.start
        inputs, given = [p], [problem.p]
    else:
        x = T.dscalar("x")
        inputs, given = [x, p], [problem.start, problem.p]
    solution, success = function(problem.function(x, p), x, **problem.options, **options)
    return p, inputs, given, solution, success


def as_floats(answer):
    return np.asarray([float(v) for v in answer] if np.iterable(answer) else float(answer))


CASES = [
    (function, problem)
    for function, problems in [
        (optimize.root, ROOTS),
        (optimize.root_scalar, ROOTS_OF_ONE),
        (optimize.minimize, MINIMA),
        (optimize.minimize_scalar, MINIMA_OF_ONE),
    ]
    for problem in problems
]
ON_ENGINES = [(*case, "numpy") for case in CASES] + [(*case, "xla") for case in CASES[3::EVERY]]


@pytest.mark.parametrize(
    ("function", "problem", "engine"),
    ON_ENGINES,
    ids=[f"{f.__name__}-{p.name}-{e}" for f, p, e in ON_ENGINES],
)
def test_the_answer_is_mpmaths(function, problem, engine):
    p, inputs, given, solution, success = graph_of(function, problem)
    outputs = [solution, success]
    if problem.smooth:
        outputs.append(theano.gradient.jacobian(solution, p))
    got, fine, *slope = theano.function(inputs, outputs, mode=theano.Mode(engine))(*given)
    assert fine
    if problem.answer is None:
        x = T.dvector()
        f = theano.function([x], problem.function(x, problem.p), mode=theano.Mode("numpy"))
        expected = scipy.optimize.root(f, problem.start, method="lm", tol=1e-13).x
    else:
        expected = as_floats(problem.answer(problem.p))
    np.testing.assert_allclose(got, expected, rtol=problem.rtol, atol=problem.rtol)
    if problem.smooth and problem.answer is not None:
        h = 1e-3 * abs(problem.p)
        around = [as_floats(problem.answer(problem.p + k * h)) for k in (-2, -1, 1, 2)]
        expected = (around[0] - 8 * around[1] + 8 * around[2] - around[3]) / (12 * h)
        np.testing.assert_allclose(*slope, expected, rtol=1e-3, atol=1e-5)


# derivatives

x, a = T.dvector("x"), T.dvector("a")
START, A = np.array([1.0, 1.0]), np.array([2.0, 0.5])
#: the solution is known: x0 = sqrt(a0), x1 = a1 / sqrt(a0)
SYSTEM = T.stack([x[0] ** 2 - a[0], x[0] * x[1] - a[1]])
KNOWN = T.stack([T.sqrt(a[0]), a[1] / T.sqrt(a[0])])
SUM_OF_SQUARES = T.sqr(SYSTEM).sum()


def solved():
    return optimize.root(SYSTEM, x, optimizer_kwargs=TIGHT)[0]


def minimized():
    return optimize.minimize(SUM_OF_SQUARES, x, optimizer_kwargs=TIGHT)[0]


def first_and_second(y):
    """A cost of the solution, its gradient, Hessian, directional derivative and its gradient."""
    cost = T.sum(T.sin(y) * y)
    gradient = theano.grad(cost, a)
    push = theano.gradient.Rop(cost, a, T.constant([0.3, -1.0]))
    return [y, gradient, theano.gradient.hessian(cost, a), push, theano.grad(push, a)]


@pytest.mark.parametrize("make", [solved, minimized])
@pytest.mark.parametrize("engine", ENGINES)
def test_derivatives_of_first_and_second_order_are_those_of_the_known_solution(make, engine):
    f = theano.function([x, a], first_and_second(make()), mode=theano.Mode(engine))
    known = theano.function([a], first_and_second(KNOWN), mode=theano.Mode("numpy"))
    for got, expected in zip(f(START, A), known(A), strict=True):
        np.testing.assert_allclose(got, expected, rtol=1e-6, atol=1e-8)


def test_the_start_has_no_gradient():
    with pytest.raises(theano.gradient.DisconnectedInputError):
        theano.grad(solved().sum(), x)


def test_a_minimum_within_bounds_refuses_its_gradient():
    b = T.dscalar("b")
    box = {"bounds": [(0, 1)]}
    y, _ = optimize.minimize(T.sum((x - b) ** 2), x, "L-BFGS-B", optimizer_kwargs=box)
    assert y.eval({x: [0.5], b: 3.0}) == 1
    with pytest.raises(theano.gradient.NullTypeGradError, match="At bounds"):
        theano.grad(y.sum(), b)


# batches


@pytest.mark.parametrize("engine", ENGINES)
def test_vectorize_solves_a_batch_of_100_roots(engine):
    many_a, start = T.dmatrix(), T.dvector()
    rng = np.random.RandomState(3)
    values = np.stack([rng.uniform(0.5, 4, 100), rng.uniform(-2, 2, 100)], axis=1)
    y = theano.vectorize(theano.clone(solved(), {x: start}), {a: many_a})
    known = theano.vectorize(KNOWN, {a: many_a})
    outs = [y, theano.grad(y.sum(), many_a), known, theano.grad(known.sum(), many_a)]
    got = theano.function([start, many_a], outs, mode=theano.Mode(engine))(START, values)
    np.testing.assert_allclose(got[0], got[2], rtol=1e-9)
    np.testing.assert_allclose(got[1], got[3], rtol=1e-7, atol=1e-9)


# arguments


def test_unknowns_of_several_shapes_are_solved_together():
    X, s = T.dmatrix("X"), T.dscalar("s")
    target = np.array([[4.0, 9.0], [16.0, 25.0]])
    (Y, t), ok = optimize.root([X**2 - s * target, s - 4], [X, s])
    got = theano.function([X, s], [Y, t, ok])(np.ones((2, 2)), 1.0)
    np.testing.assert_allclose(got[0], 2 * np.sqrt(target))
    assert got[1] == pytest.approx(4)
    assert got[2]


def test_parameters_are_computed_once_outside():
    w = T.dvector("w")
    y, _ = optimize.root(x - T.exp(w).sum(), x)
    (scale,) = y.owner.inputs[1:]
    assert scale.owner is not None
    assert [str(n.op) for n in y.owner.op.graphs[0].order if "exp" in str(n.op)] == []


def test_float32_solutions_have_its_precision():
    z, c = T.fvector("z"), T.fscalar("c")
    for engine in ENGINES:
        f = theano.function([z, c], optimize.root(z**2 - c, z)[0], mode=theano.Mode(engine))
        got = f(np.ones(2, "float32"), np.float32(2))
        assert got.dtype == "float32"
        np.testing.assert_allclose(got, np.sqrt(2), rtol=1e-3)


def test_methods_without_a_loop_run_on_the_host_of_xla():
    y, ok = optimize.root(x**2 - a, x, method="krylov")
    assert y.owner.op.runs_on == "host"
    f = theano.function([x, a], [T.exp(y), ok], mode=theano.Mode("xla"))
    np.testing.assert_allclose(f([1.5, 1.5], [2.0, 3.0])[0], np.exp(np.sqrt([2, 3])), rtol=1e-5)


def test_a_function_with_a_solver_is_the_same_after_pickling():
    import pickle

    f = theano.function([x, a], solved(), mode=theano.Mode("numpy"))
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(f))(START, A), f(START, A))


def test_equal_problems_are_solved_once():
    f = theano.function([x, a], solved() + solved(), mode=theano.Mode("numpy"))
    assert sum("root" in str(n.op) for n in f.maker.fgraph.toposort()) == 1


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: optimize.root(x - 1, x, method="newton"), "root takes one of hybr"),
        (lambda: optimize.root(x - 1, T.lvector()), "variables of floats"),
        (lambda: optimize.root(x - 1, [x, x]), "different variables"),
        (lambda: optimize.root(x - 1, [1.0]), "takes tensor variables"),
        (lambda: optimize.minimize(x, x), "0-d objective"),
        (lambda: optimize.root_scalar(x, x), "0-d variables"),
        (lambda: optimize.root_scalar(x[0], T.dscalar(), "bisect"), "takes a bracket"),
        (lambda: optimize.minimize_scalar(x[0], T.dscalar(), "bounded"), "takes bounds"),
    ],
)
def test_arguments_are_refused_by_name(call, text):
    with pytest.raises((TypeError, ValueError), match=text):
        call()


# failures


@pytest.mark.parametrize("engine", ENGINES)
def test_failure_names_the_line_with_the_residual(engine):
    y, _ = optimize.root(x**2 + a, x)  # this line
    f = theano.function([x, a], y, mode=theano.Mode(engine))
    with pytest.raises(optimize.ConvergenceError, match=r"max \|f\(x\)\| is") as caught:
        f([1.0, 1.0], [1.0, 1.0])
    assert "# this line" in str(caught.value)
    assert "root{hybr}" in str(caught.value)


SCALAR = T.dscalar("scalar")
FAILURES = [
    lambda check: optimize.root(x**2 + 1, x, check=check),
    lambda check: optimize.minimize(x.sum(), x, check=check),
    lambda check: optimize.root_scalar(SCALAR**2 + 1, SCALAR, check=check),
    lambda check: optimize.root_scalar(SCALAR**2 + 1, SCALAR, "newton", check=check),
    lambda check: optimize.root_scalar(SCALAR**2 + 1, SCALAR, bracket=(0, 1), check=check),
    lambda check: optimize.root_scalar(
        SCALAR**2 + 1, SCALAR, "bisect", bracket=(0, 1), check=check
    ),
    lambda check: optimize.minimize_scalar(SCALAR, SCALAR, check=check),
]


@pytest.mark.parametrize("make", FAILURES)
@pytest.mark.parametrize("engine", ENGINES)
def test_success_is_false_without_the_check(make, engine):
    f = theano.function(
        [x, SCALAR], make(False)[1], mode=theano.Mode(engine), on_unused_input="ignore"
    )
    assert not f([1.0], 1.0)


@pytest.mark.parametrize("make", FAILURES)
def test_every_function_raises_with_the_check(make):
    f = theano.function(
        [x, SCALAR], make(True)[0], mode=theano.Mode("numpy"), on_unused_input="ignore"
    )
    with pytest.raises(optimize.ConvergenceError, match="did not converge"):
        f([1.0], 1.0)


@pytest.mark.parametrize("engine", ENGINES)
def test_systems_that_are_not_square_are_refused(engine):
    y, _ = optimize.root(T.concatenate([x, x]), x)
    with pytest.raises(ValueError, match="as many equations as unknowns"):
        theano.function([x], y, mode=theano.Mode(engine))([1.0, 2.0])


@pytest.mark.parametrize("engine", ENGINES)
def test_a_check_in_an_equation_is_the_error(engine):
    checked = T.opt.Assert("a must be positive")(x * x - a, T.all(a > 0))
    inside = T.opt.Assert("x left the domain")(x * x - a, T.all(x < 100))
    for equation, text in [(checked, "a must be positive"), (inside, "x left the domain")]:
        f = theano.function([x, a], optimize.root(equation, x)[0], mode=theano.Mode(engine))
        np.testing.assert_allclose(f([1.0, 1.0], [2.0, 3.0]), np.sqrt([2, 3]))
        with pytest.raises(AssertionError, match=text):
            f([1.0, 1.0] if "positive" in text else [200.0, 1.0], [-2.0, 3.0])


@pytest.mark.parametrize("engine", ENGINES)
def test_a_singular_jacobian_refuses_the_derivative(engine):
    y, _ = optimize.root((x - a) ** 3, x, optimizer_kwargs={"tol": 1e-3})
    f = theano.function([x, a], theano.grad(y.sum(), a), mode=theano.Mode(engine))
    with pytest.raises(np.linalg.LinAlgError):
        f([0.0, 0.0], [0.0, 0.0])
