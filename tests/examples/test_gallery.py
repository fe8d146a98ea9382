"""The gallery is whole, and what its programs find is right."""

import importlib
import shutil
import sys
from pathlib import Path

import numpy as np
import pytest

from tools import gallery

HOME = Path(__file__).parents[2]


@pytest.fixture
def program(monkeypatch):
    monkeypatch.syspath_prepend(str(HOME / "examples"))
    before = {*sys.modules}
    yield importlib.import_module
    for path in HOME.glob("examples/*.py"):
        if path.stem not in before:
            sys.modules.pop(path.stem, None)


def drawn(program, results, path):
    """Draw what was found, and check the size of the picture."""
    pytest.importorskip("matplotlib")
    program.draw(results, path / "docs/figures/gallery/picture.png")
    assert gallery.of_picture(path, "picture") == []


@pytest.fixture
def home(tmp_path):
    """Where a picture can be written."""
    (tmp_path / "docs/figures/gallery").mkdir(parents=True)
    return tmp_path


def test_programs_pages_and_pictures_of_the_gallery_fit_together():
    assert gallery.problems() == []


def test_what_does_not_fit_together_is_told(tmp_path):
    for folder in ("examples", "docs/gallery", "docs/figures/gallery"):
        shutil.copytree(HOME / folder, tmp_path / folder)
    assert gallery.problems(tmp_path) == []
    picture = tmp_path / "docs/figures/gallery/gaussian_process.png"
    data = picture.read_bytes()
    picture.write_bytes(data[:16] + (1900).to_bytes(4, "big") + data[20:] + bytes(gallery.LIMIT))
    source = tmp_path / "examples/gaussian_process.py"
    source.write_text(source.read_text().replace("class Gauss", "class Other"))
    (tmp_path / "docs/figures/gallery/bayesian_regression.png").unlink()
    (tmp_path / "examples/other.py").write_text("def draw():\n    with canvas('x.png'): pass\n")
    told = "\n".join(gallery.problems(tmp_path))
    for words in (
        "other is drawn and has no row",
        "gaussian_process.png has ",
        "is 1900 pixels wide",
        "'class GaussianProcess' is not once in the program",
        "bayesian_regression.png is not there: python tools/gallery.py --write",
    ):
        assert words in told
    assert told.count("\n") == 4


def test_the_posterior_of_a_gaussian_process_is_that_of_scikit_learn(program, home):
    pytest.importorskip("sklearn")
    from sklearn.gaussian_process import GaussianProcessRegressor
    from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel

    model = program("gaussian_process")
    results = model.main(quiet=True)
    columns = results["x"][:, None], results["grid"][:, None]
    for when in ("before", "after"):
        found = results[when]
        smooth = ConstantKernel(found["scale"] ** 2) * RBF(found["length"])
        noisy = smooth + WhiteKernel(found["noise"] ** 2)
        peer = GaussianProcessRegressor(noisy, optimizer=None, alpha=0).fit(
            columns[0], results["y"]
        )
        np.testing.assert_allclose(found["cost"], -peer.log_marginal_likelihood(), rtol=1e-9)
        mean, deviation = peer.predict(columns[1], return_std=True)
        np.testing.assert_allclose(found["mean"], mean, rtol=1e-6, atol=1e-9)
        # its deviation is that of a noisy value, ours that of the function
        with_noise = np.hypot(found["deviation"], found["noise"])
        np.testing.assert_allclose(with_noise, deviation, rtol=1e-6)
        within = np.abs(found["draws"] - mean) < 5 * found["deviation"] + 1e-3
        assert within.all() and np.ptp(found["draws"], axis=0).max() > 0.5
    # what was found is a minimum: scikit-learn goes nowhere from there
    peer = GaussianProcessRegressor(noisy, alpha=0).fit(columns[0], results["y"])
    np.testing.assert_allclose(peer.kernel_.theta, noisy.theta, atol=1e-3)
    assert abs(results["after"]["noise"] - 0.2) < 0.05
    drawn(model, results, home)


def test_chains_of_hamiltonian_monte_carlo_find_the_exact_posterior(program, home):
    model = program("bayesian_regression")
    results = model.main(n_warm=120, n_draws=300, quiet=True)
    right = results["exact"]
    assert 0.7 < results["acceptance"] < 0.95
    deviations = np.sqrt(np.diag(right["covariance"]))
    # 6,000 draws that depend on each other: a mean is right within some hundredths of a deviation
    assert np.abs((results["mean"] - right["mean"]) / deviations).max() < 0.1
    assert (
        np.abs(results["covariance"] - right["covariance"])
        < 0.15 * np.outer(deviations, deviations)
    ).all()
    # each chain by itself got there
    by_chain = results["draws"].mean(axis=0)
    assert np.abs((by_chain - right["mean"]) / deviations).max() < 0.5
    drawn(model, results, home)


def test_the_exact_posterior_is_the_limit_of_a_grid_in_all_dimensions(program):
    model = program("bayesian_regression")
    x, y = model.make_data()
    right = model.exact(x, y)
    deviations = np.sqrt(np.diag(right["covariance"]))
    steps = np.linspace(-6, 6, 25)
    grid = np.stack(np.meshgrid(*[steps] * 4, indexing="ij"), axis=-1).reshape(-1, 4)
    theta = right["mean"] + grid * deviations
    weights, log_noise = theta[:, :3], theta[:, 3]
    misfit = ((weights @ model.powers(x).T - y) ** 2).sum(axis=1)
    log_p = -misfit / (2 * np.exp(2 * log_noise)) - len(y) * log_noise
    log_p -= (weights**2).sum(axis=1) / (2 * model.WIDE**2) + log_noise**2 / 2
    p = np.exp(log_p - log_p.max())
    p /= p.sum()
    assert np.abs((p @ theta - right["mean"]) / deviations).max() < 0.01
    spread = theta - p @ theta
    np.testing.assert_allclose((p[:, None] * spread).T @ spread, right["covariance"], atol=2e-3)


def nearest(images, others):
    """How far the nearest of the others is, for each image."""
    images, others = (np.reshape(x, (len(x), -1)) for x in (images, others))
    return np.sqrt(((images[:, None] - others) ** 2).sum(axis=2)).min(axis=1)


def test_samples_of_the_variational_autoencoder_are_near_to_digits(program, home):
    datasets = pytest.importorskip("sklearn.datasets")
    model = program("variational_autoencoder")
    results = model.main(n_epochs=8, quiet=True)
    bounds = results["bounds"]
    assert bounds[-1] > -27 > bounds[1] > bounds[0] + 15
    digits = datasets.load_digits().images / 16
    rng = np.random.RandomState(0)
    # each pixel by itself is distributed as those of digits: what a model without codes would make
    pixels = np.stack([rng.choice(pixel, 40) for pixel in digits.reshape(-1, 64).T], axis=1)
    distances = nearest(results["samples"], digits)
    assert np.median(distances) < 0.7 * np.median(nearest(pixels, digits))
    assert results["samples"].std(axis=0).max() > 0.2  # and they differ
    codes, labels = results["codes"], results["labels"]
    apart = np.sqrt(((codes[:, None] - codes) ** 2).sum(axis=2))
    np.fill_diagonal(apart, np.inf)
    assert np.mean(labels[apart.argmin(axis=1)] == labels) > 0.45  # by chance one in ten
    drawn(model, results, home)


def test_a_network_learns_to_write_words_and_sentences(program, home):
    model = program("char_lstm")
    # products so small that BLAS uses one thread: other tests may run beside this one
    results = model.main(n_epochs=2, n_units=64, batch_size=16, n_steps=25, quiet=True)
    first, last = results["judged"][0], results["judged"][-1]
    assert first["words"] < 0.6 and last["words"] > 0.75
    assert first["sentences"] < 0.05 and last["sentences"] > 0.07
    # no model predicts the text better than the grammar that made it
    tested = results["tested"]
    assert results["entropy"] < tested[-1] < 1.45 * results["entropy"] < tested[0]
    drawn(model, results, home)


def test_the_grammar_makes_what_its_expression_matches_and_as_often_as_it_says(program):
    model = program("char_lstm")
    right, grammar = model.expression(), model.Grammar(0)
    texts = [" ".join(grammar.sentence()) for _ in range(300)]
    assert all(right.fullmatch(text) for text in texts)
    assert {word for text in texts for word in text.split()} == model.VOCABULARY
    for wrong in ("a cats sleep", "the cat sleep", "two cat sleeps", "the cat sees", "cat sleeps"):
        assert not right.fullmatch(wrong)
    # "a cat sleeps": number, article, no adjective, noun, no object, verb
    rare = model.Grammar(0)
    while " ".join(rare.sentence()) != "a cat sleeps":
        rare = model.Grammar(rare.rng.randint(2**31))
    np.testing.assert_allclose(rare.log_p, -np.log(2 * 3 * 2 * 6 * 2 * 3))
