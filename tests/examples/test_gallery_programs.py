"""Programs of the gallery find what they are to find, by checks from outside of them."""

import importlib
import sys
from pathlib import Path

import numpy as np
import pytest

import theano
import theano.tensor as T

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.fixture
def program(monkeypatch):
    monkeypatch.syspath_prepend(str(EXAMPLES))
    names = []

    def imported(name):
        sys.modules.pop(name, None)
        names.append(name)
        return importlib.import_module(name)

    yield imported
    for name in (*names, "digits", "drawing"):
        sys.modules.pop(name, None)


def drawn(module, results, path):
    """The figure as an array of pixels."""
    pytest.importorskip("matplotlib")
    from matplotlib import image

    module.draw(results, path)
    return image.imread(path)


def test_the_rates_of_a_differential_equation_are_found(program, tmp_path):
    ode = program("ode_fit")
    results = ode.main(n_counts=24, n_fitted=24, guess=(0.5, 0.5, 0.5, 0.5), quiet=True)
    np.testing.assert_allclose(results["rates"], ode.RATES, rtol=0.05)
    np.testing.assert_allclose(results["start"], ode.START, rtol=0.05)
    # the counts have errors of 5 %, and the cost is the mean of their squares
    assert results["costs"][-1] < 0.05**2 * 1.3 < results["costs"][0]
    assert drawn(ode, results, tmp_path / "ode.png").shape[1] == 1400


def test_states_are_those_of_another_integrator(program):
    from scipy.integrate import solve_ivp

    ode = program("ode_fit")
    results = ode.main(n_counts=8, n_fitted=8, quiet=True)
    a, b, c, d = results["rates"]
    other = solve_ivp(
        lambda t, s: [a * s[0] - b * s[0] * s[1], -c * s[1] + d * s[0] * s[1]],
        (0, results["fine"][-1]),
        results["start"],
        t_eval=results["fine"],
        rtol=1e-10,
        atol=1e-10,
    )
    np.testing.assert_allclose(results["fitted"], other.y.T, rtol=1e-5)


def test_the_gradient_of_the_states_is_that_of_differences(program):
    ode = program("ode_fit")
    results = ode.main(n_counts=8, n_fitted=8, quiet=True)
    cost, seen = results["cost_and_gradient"], results["seen"]
    at = np.log(np.append(ode.RATES * 1.2, ode.START))
    _, gradient = cost(at, seen)
    h = 1e-3  # the states have errors of 1e-7
    steps = h * np.eye(len(at))
    by_differences = [(cost(at + s, seen)[0] - cost(at - s, seen)[0]) / (2 * h) for s in steps]
    np.testing.assert_allclose(gradient, by_differences, rtol=1e-4, atol=1e-5)


@pytest.fixture
def swing(program):
    return program("swing_up")


def test_the_force_swings_the_pole_up(swing, tmp_path):
    from scipy.integrate import solve_ivp

    results = swing.main(steps=40, quiet=True)
    assert results["solved"] and np.all(abs(results["force"]) <= 20)
    np.testing.assert_allclose(results["cost"], 59.6, rtol=0.01)
    z = T.dmatrix("z")
    rates = theano.function([z], swing.motion(z)[0])

    def slope(t, state):
        force = np.interp(t, results["times"], results["force"])
        return rates([[*state, force]])

    times, states = results["times"], results["states"]
    steps = zip(times, times[1:], states, strict=False)
    ends = [solve_ivp(slope, (a, b), y, rtol=1e-6, atol=1e-8).y[:, -1] for a, b, y in steps]
    # a step of the trapezoidal rule errs by h**3 / 12 times the rates' second derivative, which is
    # largest where the pole turns at 16 radians a second
    np.testing.assert_allclose(ends, states[1:], atol=0.08)
    np.testing.assert_allclose(states[[0, -1]], [[0, 0, 0, 0], [1, np.pi, 0, 0]], atol=1e-6)
    assert drawn(swing, results, tmp_path / "swing.png").shape[1] == 1400


def test_derivatives_of_the_swing_are_those_of_differences(swing):
    problem = swing.SwingUp(6)
    rng = np.random.RandomState(0)
    x, weights, h = rng.randn(35), rng.randn(24), 1e-6
    steps = h * np.eye(35)

    def differences(f):
        return np.array([(f(x + s) - f(x - s)) / (2 * h) for s in steps]).T

    slopes = problem.matrix(problem.slopes_at, problem.jacobian(x)).toarray()
    np.testing.assert_allclose(slopes, differences(problem.constraints), atol=1e-6)

    def lagrangian(x):
        return 2.0 * problem.gradient(x) + weights @ problem.matrix(
            problem.slopes_at, problem.jacobian(x)
        )

    rows, columns = problem.hessianstructure()
    curvature = np.zeros((35, 35))
    curvature[rows, columns] = problem.hessian(x, weights, 2.0)
    np.testing.assert_allclose(curvature, np.tril(differences(lagrangian)), atol=1e-5)


def test_words_are_nearest_to_words_of_their_class(program, tmp_path):
    words = program("word_vectors")
    results = words.main(n_epochs=3, quiet=True)
    (losses,) = results["losses"].values()
    assert np.isfinite(losses).all() and losses[-1] < losses[0]
    class_of = {w: name for name, members in words.CLASSES.items() for w in members.split()}
    assert len(results["nearest"]) == len(class_of) == 66
    assert all(word != other for word, other in results["nearest"].items())
    same = [class_of[word] == class_of[other] for word, other in results["nearest"].items()]
    assert np.mean(same) > 0.9
    pytest.importorskip("sklearn")
    assert drawn(words, results, tmp_path / "words.png").shape[1] == 1400


def test_a_step_along_signs_of_the_gradient_fools_a_network(program, tmp_path):
    pytest.importorskip("sklearn")
    attack = program("adversarial")
    results = attack.main(quiet=True)
    at = int(np.flatnonzero(np.isclose(attack.EPSILONS, attack.SHOWN))[0])
    plain, trained, noise = (
        results["curves"][name] for name in ("plain", "trained against it", "random signs")
    )
    assert plain[0] > 0.95 and trained[0] > 0.95
    # the same change in each pixel does little where its sign is drawn by chance
    assert plain[at] < 0.5 < 0.9 < noise[at]
    assert trained[at] > plain[at] + 0.2
    change = results["attacked"] - results["images"]
    assert np.abs(change).max() <= attack.SHOWN + 1e-12
    assert results["attacked"].min() >= 0 and results["attacked"].max() <= 1
    right = results["after"].argmax(axis=1) == results["labels"]
    assert right.mean() == pytest.approx(plain[at])
    assert drawn(attack, results, tmp_path / "attack.png").shape[1] == 1400


@pytest.mark.parametrize(
    "name", ["softmax_regression", "mlp_dropout", "lenet", "denoising_autoencoder"]
)
def test_programs_on_digits_draw_what_they_learned(name, program, tmp_path):
    pytest.importorskip("sklearn")
    module = program(name)
    results = module.main(n_epochs=1, quiet=True)
    pixels = drawn(module, results, tmp_path / "figure.png")
    assert pixels.shape[1] == 1400
    assert len(np.unique(pixels.reshape(-1, pixels.shape[2]), axis=0)) > 20


def test_the_autoencoder_puts_back_what_was_taken_away(program):
    pytest.importorskip("sklearn")
    results = program("denoising_autoencoder").main(n_epochs=6, quiet=True)
    images, seen, mended = (results[k] for k in ("images", "corrupted", "reconstructed"))
    gone = (seen == 0) & (images > 0.3)
    assert 0.2 < gone.sum() / (images > 0.3).sum() < 0.4
    # nearer to the image than the holes are, at the holes
    assert np.abs(mended - images)[gone].mean() < 0.6 * images[gone].mean()


def test_the_likelihood_of_a_gaussian_field_is_that_of_numpy(program, tmp_path):
    field = program("gaussian_field")
    results = field.main(n=60, side=8, repeats=1, quiet=True)
    cost, of_length, of_noise = results["with"]["outputs"]
    plain = results["without"]["outputs"]
    np.testing.assert_allclose([cost, of_length, of_noise], plain, rtol=1e-7, atol=1e-7)
    # at a length and a noise of our own
    x, at, y = results["x"], results["grid"], field.truth(results["x"])
    K = np.exp(-((x[:, None] - x[None]) ** 2).sum(-1) / 2) + 0.25 * np.eye(len(x))
    across = np.exp(-((at[:, None] - x[None]) ** 2).sum(-1) / 2)
    variables = [field.T.dmatrix(), field.T.dvector(), field.T.dmatrix()]
    outputs = field.model(variables[0], variables[1], variables[2], 1.0, 0.5)
    f = field.theano.function(variables, outputs)
    value, mean, deviation = f(x, y, at)
    wanted = (y @ np.linalg.solve(K, y) + np.linalg.slogdet(K)[1]) / 2 + 30 * np.log(2 * np.pi)
    np.testing.assert_allclose(value, wanted, rtol=1e-9)
    np.testing.assert_allclose(mean, across @ np.linalg.solve(K, y), rtol=1e-7, atol=1e-9)
    inner = np.einsum("ij,ji->i", across, np.linalg.solve(K, across.T))
    np.testing.assert_allclose(deviation, np.sqrt(1 - inner), rtol=1e-6)
    assert drawn(field, results, tmp_path / "field.png").shape[1] == 1400


def test_a_kalman_filter_is_that_of_numpy(program, tmp_path):
    kalman = program("kalman_filter")
    results = kalman.main(n_steps=12, n_sensors=8, repeats=1, quiet=True)
    H, noise = results["sensors"], results["noise"]
    m, P = np.zeros(4), 10.0 * np.eye(4)
    cost = 0.0
    for t, reading in enumerate(results["readings"]):
        m, P = kalman.MOTION @ m, kalman.MOTION @ P @ kalman.MOTION.T + kalman.PUSHES
        S = H @ P @ H.T + noise**2 * np.eye(8)
        z = reading - H @ m
        cost += (z @ np.linalg.solve(S, z) + np.linalg.slogdet(S)[1]) / 2
        gain = np.linalg.solve(S, H @ P).T
        m, P = m + gain @ z, P - gain @ H @ P
        np.testing.assert_allclose(results["mean"][t], m, rtol=1e-7, atol=1e-9)
        np.testing.assert_allclose(results["covariance"][t], P, rtol=1e-6, atol=1e-9)
    for side in ("with", "without"):
        np.testing.assert_allclose(results[side]["outputs"][0], cost, rtol=1e-9)
    assert 0.5 < noise < 0.9
    assert drawn(kalman, results, tmp_path / "kalman.png").shape[1] == 1400
