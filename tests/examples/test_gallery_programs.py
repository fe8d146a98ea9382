"""Programs of the gallery find what they are to find, by checks from outside of them."""

import importlib
import sys
from pathlib import Path

import numpy as np
import pytest

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
