"""theano.minimize: costs over shared variables by the methods of SciPy."""

import numpy as np
import pytest
import scipy.optimize
from scipy.special import expit

import theano
import theano.tensor as T
from theano.tensor.shared_randomstreams import RandomStreams

METHODS = ["CG", "BFGS", "Newton-CG", "L-BFGS-B", "TNC", "SLSQP", "trust-ncg", "trust-krylov"]


WITH_PRODUCTS = ["Newton-CG", "trust-ncg", "trust-krylov"]


def rosenbrock(x):
    return T.sum(100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)


@pytest.mark.parametrize("method", METHODS)
def test_the_minimum_of_rosenbrock_is_found(method):
    x = theano.shared(np.array([1.3, 0.7, 0.8, 1.9, 1.2]), "x")
    found = theano.minimize(rosenbrock(x), x, method=method)
    assert isinstance(found, scipy.optimize.OptimizeResult)
    assert found.success
    assert found.fun == pytest.approx(scipy.optimize.rosen(x.get_value()), rel=1e-6)
    # how near is up to the rule by which each method stops
    np.testing.assert_allclose(x.get_value(), 1, atol=5e-4)
    np.testing.assert_array_equal(found.x, x.get_value())
    np.testing.assert_array_equal(found.arrays[0], x.get_value())
    assert (found.get("nhev", 0) > 0) == (method in WITH_PRODUCTS)


@pytest.mark.parametrize("method", ["trust-exact", "dogleg", "trust-constr", "Newton-CG"])
def test_the_hessian_of_several_parameters_is_one_matrix(method):
    w = theano.shared(np.array([[1.3, 0.7], [0.8, 1.9]]), "w")
    b = theano.shared(np.float32(1.1), "b")
    target = T.dscalar("target")
    x = T.concatenate([w.flatten(), [b]])
    cost = T.sum((x[1:] - x[:-1]) ** 2) + T.sum((x - target) ** 4 + (x - target) ** 2)
    minimizer = theano.Minimizer(cost, [w, b], [target])
    hessian = minimizer._hessian([3.0], dense=False)
    at = np.arange(5.0)
    y = T.dvector()
    same = theano.clone(cost, {w: y[:4].reshape((2, 2)), b: T.cast(y[4], "float32")})
    expected = theano.function([y, target], theano.gradient.hessian(same, y))(at, 3.0)
    np.testing.assert_allclose(hessian(at).toarray(), expected, rtol=1e-6)
    assert hessian(at).nnz == 13
    result = minimizer(3.0, method=method, hess=True, options={"maxiter": 200})
    assert result.nhev > 0
    np.testing.assert_allclose(w.get_value(), 3, atol=1e-3)
    np.testing.assert_allclose(b.get_value(), 3, atol=1e-3)


@pytest.mark.parametrize("method", ["Nelder-Mead", "Powell", "COBYLA"])
def test_methods_without_gradients_take_a_cost_that_has_none(method):
    x = theano.shared(np.array([2.0, -1.0]))
    steps = T.floor(abs(x)).sum() + T.sum((x - 0.25) ** 2)
    found = theano.minimize(steps, x, method=method)
    assert found.fun < 1e-6
    np.testing.assert_allclose(x.get_value(), [0.25, 0.25], atol=1e-3)


def test_parameters_of_several_shapes_are_one_vector():
    rng = np.random.default_rng(0)
    targets = [rng.normal(size=shape) for shape in ((2, 3), (), (4,), (0,))]
    params = [theano.shared(np.zeros_like(t)) for t in targets]
    cost = sum(((p - t) ** 2).sum() * (i + 1) for i, (p, t) in enumerate(zip(params, targets)))
    found = theano.minimize(cost, params)
    assert found.success and found.x.shape == (11,) and found.x.dtype == "float64"
    for p, t, value in zip(params, targets, found.arrays, strict=True):
        np.testing.assert_allclose(p.get_value(), t, atol=1e-5)
        np.testing.assert_array_equal(p.get_value(), value)


def test_logistic_regression_has_the_coefficients_of_scikit_learn():
    linear_model = pytest.importorskip("sklearn.linear_model")
    rng = np.random.default_rng(1)
    inputs = rng.normal(size=(200, 3))
    labels = (rng.random(200) < expit(inputs @ [1.0, -2.0, 0.5] + 0.3)).astype("int64")
    X, Y = T.dmatrix("X"), T.lvector("Y")
    w, b = theano.shared(np.zeros(3), "w"), theano.shared(0.0, "b")
    logit = T.dot(X, w) + b
    cost = T.nnet.softplus(T.switch(Y, -logit, logit)).sum() + 0.5 * (w**2).sum()
    found = theano.minimize(cost, [w, b], {X: inputs, Y: labels}, method="Newton-CG", tol=1e-10)
    model = linear_model.LogisticRegression(C=1.0, tol=1e-10, solver="newton-cg")
    model.fit(inputs, labels)
    assert found.nhev > 0
    np.testing.assert_allclose(w.get_value(), model.coef_[0], rtol=1e-7)
    np.testing.assert_allclose(b.get_value(), model.intercept_[0], rtol=1e-7)


def test_a_minimizer_is_compiled_once_for_all_data():
    x = T.dvector("x")
    center, spread = theano.shared(0.0, "center"), theano.shared(1.0, "spread")
    cost = T.mean(((x - center) / spread) ** 2) / 2 + T.log(spread)
    fit = theano.Minimizer(cost, [center, spread], [x])
    for seed in range(3):
        values = np.random.default_rng(seed).normal(3, 2, size=50)
        fit(memoryview(values), bounds={spread: (1e-3, None)})
        np.testing.assert_allclose(center.get_value(), values.mean(), rtol=1e-4)
        np.testing.assert_allclose(spread.get_value(), values.std(), rtol=1e-4)
    assert list(fit._functions) == ["gradient"]


# bounds


@pytest.mark.parametrize("method", [None, "L-BFGS-B", "TNC", "trust-constr"])
def test_bounds_hold_parameter_by_parameter(method):
    a, b, c = (theano.shared(np.zeros(2), name) for name in "abc")
    cost = ((a - 3) ** 2).sum() + ((b + 3) ** 2).sum() + ((c - 1) ** 2).sum()
    bounds = {a: (None, 2), b: (np.array([-1.0, -5.0]), None)}
    theano.minimize(cost, [a, b, c], bounds=bounds, method=method)
    atol = 2e-3 if method == "trust-constr" else 1e-6
    np.testing.assert_allclose(a.get_value(), [2, 2], atol=atol)
    np.testing.assert_allclose(b.get_value(), [-1, -3], atol=atol)
    np.testing.assert_allclose(c.get_value(), [1, 1], atol=atol)
    assert (a.get_value() <= 2).all() and (b.get_value() >= [-1, -5]).all()


@pytest.mark.parametrize("high", [0.1, 0.7, 1e-3])
def test_bounds_hold_in_float32(high):
    p = theano.shared(np.float32(-4))
    assert float(np.float32(high)) != high
    theano.minimize((p - 5) ** 2, p, bounds=[(None, high)])
    assert float(p.get_value()) <= high
    assert float(np.nextafter(p.get_value(), np.float32(1))) > high
    theano.minimize((p + 5) ** 2, p, bounds=[(-high, None)])
    assert float(p.get_value()) >= -high


def test_a_start_outside_of_the_bounds_is_left_even_where_the_cost_is_less():
    p = theano.shared(3.0)
    found = theano.minimize((p - 3) ** 2, p, bounds=[(None, 1)])
    assert found.success and p.get_value() == 1


@pytest.mark.parametrize(
    "bounds, text",
    [
        ([(0, 1)], "each of 2 params, got 1"),
        ([(0, 1, 2), None], r"bounds of a are a pair \(low, high\), got \(0, 1, 2\)"),
        ({"a": (0, 1)}, r"bounds are those of params, \['a', 'b'\], got \['a'\]"),
        ([(np.zeros(3), None), None], r"a bound of a is a number or has the shape \(2,\)"),
    ],
)
def test_bounds_that_do_not_fit_are_refused(bounds, text):
    a, b = theano.shared(np.zeros(2), "a"), theano.shared(0.0, "b")
    with pytest.raises(ValueError, match=text):
        theano.minimize((a**2).sum() + b**2, [a, b], bounds=bounds)


# progress

EVERY = [*METHODS, "trust-constr", "Nelder-Mead", "Powell", "COBYLA"]


def bowl():
    """Two parameters, and a cost that takes several steps."""
    a, b = theano.shared(np.array([2.0, -1.0]), "a"), theano.shared(3.0, "b")
    return [a, b], (a**2).sum() + 3 * (b - a[0]) ** 2 + (a[1] - b) ** 4


def cost_of(x):
    (p, q), b = x[:2], x[2]
    return p**2 + q**2 + 3 * (b - p) ** 2 + (q - b) ** 4


@pytest.mark.parametrize("method", EVERY)
def test_a_callback_sees_the_step_the_cost_and_the_arrays_of_each_step(method):
    """U5.14: by all methods and in all versions of SciPy."""
    params, cost = bowl()
    seen = []

    def progress(intermediate_result):
        seen.append(intermediate_result)

    found = theano.minimize(cost, params, method=method, callback=progress)
    assert found.success and len(seen) > 2
    assert [step.nit for step in seen] == list(range(1, len(seen) + 1))
    for step in seen:
        np.testing.assert_array_equal(step.x, np.append(step.arrays[0], step.arrays[1]))
        assert [a.shape for a in step.arrays] == [(2,), ()]
        assert step.fun == pytest.approx(cost_of(step.x), rel=1e-12)
    # each step keeps numbers of its own
    assert len({step.x.tobytes() for step in seen}) > 2


@pytest.mark.parametrize("method", EVERY)
def test_a_callback_that_raises_stopiteration_ends_the_search_at_its_step(method):
    params, cost = bowl()
    steps = []

    def progress(intermediate_result):
        steps.append(intermediate_result)
        if intermediate_result.fun < 5:
            raise StopIteration

    found = theano.minimize(cost, params, method=method, callback=progress)
    assert not found.success and found.status == 99
    assert found.message == "`callback` raised `StopIteration`."
    assert all(step.fun >= 5 for step in steps[:-1]) and steps[-1].fun < 5
    np.testing.assert_array_equal(found.x, steps[-1].x)
    assert found.fun == steps[-1].fun
    np.testing.assert_array_equal(params[0].get_value(), steps[-1].arrays[0])


@pytest.mark.parametrize("method", ["BFGS", "SLSQP", "TNC", "Nelder-Mead"])
def test_any_other_callback_is_given_the_vector(method):
    params, cost = bowl()
    seen = []
    theano.minimize(cost, params, method=method, callback=lambda x: seen.append(x.copy()))
    assert seen and all(x.shape == (3,) for x in seen)
    seen.clear()
    params, cost = bowl()
    theano.minimize(cost, params, method="trust-constr", callback=lambda x, s: seen.append(s.nit))
    assert seen == sorted(seen) and seen


def test_a_callback_costs_no_evaluation():
    params, cost = bowl()
    alone = theano.minimize(cost, params, method="L-BFGS-B").nfev
    params, cost = bowl()
    counted = []
    fit = theano.Minimizer(cost, params)
    compiled = fit._compiled("gradient")
    fit._functions["gradient"] = lambda *values: counted.append(1) or compiled(*values)
    fit(method="L-BFGS-B", callback=lambda intermediate_result: None)
    # the ends are compared once more before the variables are written
    assert len(counted) == alone + 2


def test_an_error_of_a_callback_leaves_the_variables_as_they_were():
    params, cost = bowl()

    def progress(intermediate_result):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        theano.minimize(cost, params, callback=progress)
    assert params[0].get_value().tolist() == [2, -1] and params[1].get_value() == 3


# dtypes


def test_float32_parameters_stay_float32():
    target = np.random.default_rng(0).normal(size=5).astype("float32")
    p = theano.shared(np.zeros(5, "float32"))
    found = theano.minimize(((p - target) ** 2).sum(), p)
    assert p.get_value().dtype == "float32" and found.x.dtype == "float64"
    np.testing.assert_allclose(p.get_value(), target, atol=1e-5)
    np.testing.assert_array_equal(found.x, p.get_value())


# ends


def test_an_early_stop_leaves_the_best_that_was_found():
    x = theano.shared(np.array([-1.2, 1.0]))
    before = scipy.optimize.rosen(x.get_value())
    found = theano.minimize(rosenbrock(x), x, method="BFGS", options={"maxiter": 5})
    assert not found.success and found.nit == 5
    assert found.fun == pytest.approx(scipy.optimize.rosen(x.get_value()), rel=1e-12)
    assert found.fun < before


def test_an_error_leaves_the_variables_as_they_were():
    x = theano.shared(np.array([-1.2, 1.0]))

    def stop(_):
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        theano.minimize(rosenbrock(x), x, callback=stop)
    assert x.get_value().tolist() == [-1.2, 1.0]


def test_a_cost_that_is_not_finite_leaves_the_variables_as_they_were():
    x = theano.shared(-1.0)
    found = theano.minimize(T.sqrt(x) * np.nan, x, method="Nelder-Mead", options={"maxiter": 3})
    assert not found.success and x.get_value() == -1
    assert found.arrays[0] == -1


def test_other_variables_stay_as_they_are_and_random_streams_stand_still():
    x, other = theano.shared(0.0, "x"), theano.shared(2.0, "other")
    noise = RandomStreams(1).normal((3,))
    found = theano.minimize(((x - other + noise) ** 2).sum(), x)
    assert found.success and other.get_value() == 2
    again = theano.minimize(((x - other + noise) ** 2).sum(), x)
    assert again.fun == pytest.approx(found.fun, rel=1e-9)


def test_givens_that_depend_on_parameters_are_differentiated():
    x = theano.shared(np.zeros(2))
    h = T.dvector("h")
    found = theano.minimize((h**2).sum(), x, givens={h: x - 3})
    assert found.success
    np.testing.assert_allclose(x.get_value(), [3, 3], rtol=1e-5)


def test_both_engines_find_the_same():
    for linker in ("numpy", "xla"):
        x = theano.shared(np.array([-1.2, 1.0]))
        found = theano.minimize(rosenbrock(x), x, mode=theano.Mode(linker=linker))
        assert found.success
        np.testing.assert_allclose(x.get_value(), [1, 1], atol=1e-4)


# refusals


def test_what_cannot_be_minimized_is_refused():
    x = theano.shared(np.zeros(2), "x")
    with pytest.raises(TypeError, match=r"a cost that is one float, got .* the mean of several"):
        theano.minimize(x, x)
    with pytest.raises(TypeError, match="shared variables of floats as params, got v of"):
        theano.minimize(x.sum(), [T.dvector("v")])
    with pytest.raises(TypeError, match="shared variables of floats as params, got n of"):
        theano.minimize(x.sum(), theano.shared(3, "n"))
    with pytest.raises(ValueError, match="one or more different shared variables"):
        theano.minimize((x**2).sum(), [x, x])


def test_data_are_checked_before_anything_runs():
    x, w = T.dvector("x"), theano.shared(0.0, "w")
    fit = theano.Minimizer(((x - w) ** 2).sum(), w, [x])
    with pytest.raises(TypeError, match=r"the input x takes .* Wrong number of dimensions"):
        fit(np.zeros((2, 2)))
    with pytest.raises(TypeError, match=r"the cost has 1 inputs \(x\), got 0 values"):
        fit()
