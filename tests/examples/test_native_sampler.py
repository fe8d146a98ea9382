"""The sampler in C draws from densities whose moments are known, without Python."""

import ctypes
import gc
import importlib
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

import theano.tensor as T
from tools import gallery

EXAMPLES = Path(__file__).parents[2] / "examples"
COMPILER = "cc"

pytestmark = pytest.mark.skipif(shutil.which(COMPILER) is None, reason="needs a C compiler")


@pytest.fixture(scope="module")
def program():
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CC", COMPILER)
        patch.syspath_prepend(str(EXAMPLES))
        before = {*sys.modules}
        yield importlib.import_module("native_sampler")
        for path in EXAMPLES.glob("*.py"):
            if path.stem not in before:
                sys.modules.pop(path.stem, None)


@pytest.fixture(scope="module")
def schools(program):
    """The sampler of eight schools."""
    q = T.dvector("q")
    return program.Sampler(q, program.eight_schools(q))


@pytest.fixture(scope="module")
def gaussian(program):
    """The sampler of independent standard normal numbers."""
    q = T.dvector("q")
    return program.Sampler(q, -T.sqr(q).sum() / 2)


def column(program, known, name):
    return known[..., program.STATS.index(name)]


def assert_mean(program, values, mean):
    """The mean over draws is right within five of its standard errors."""
    values = values.reshape(*values.shape[:2], -1)
    error = values.std(axis=(0, 1)) / np.sqrt(program.effective_size(values))
    assert np.abs((values.mean(axis=(0, 1)) - mean) / error).max() < 5


def leapfrog(sampler, q, p, step, n_steps):
    """Steps with the identity as mass matrix; returns density, position and momentum."""
    q, p = np.array(q), np.array(p)
    array = ctypes.POINTER(ctypes.c_double)
    at = lambda x: x.ctypes.data_as(array)
    grad, density, scratch = np.empty_like(q), ctypes.c_double(), sampler.scratch(q)
    target, take = sampler.library.target, sampler.library.nuts_leapfrog
    target.argtypes = [ctypes.c_size_t, array, array, array, ctypes.c_void_p]
    take.argtypes = [
        ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64, array, ctypes.c_double,
        array, array, array, array,
    ]  # fmt: skip
    room, ones = scratch.ctypes.data, np.ones_like(q)
    assert target(len(q), at(q), at(grad), ctypes.byref(density), room) == 0
    for _ in range(n_steps):
        code = take(
            target, room, len(q), at(ones), step, at(q), at(p), at(grad), ctypes.byref(density)
        )
        assert code == 0
    return density.value, q, p


def test_the_error_of_the_energy_is_of_order_two_in_the_step_size(schools):
    rng = np.random.RandomState(0)
    q, p = rng.normal(size=10), rng.normal(size=10)
    energy = lambda density, q, p: p @ p / 2 - density
    begin = energy(*leapfrog(schools, q, p, 0.0, 0))
    ends = [energy(*leapfrog(schools, q, p, 1 / n, n)) for n in (40, 80, 160, 320)]
    errors = np.abs(np.array(ends) - begin)
    np.testing.assert_allclose(errors[:-1] / errors[1:], 4, rtol=0.05)


def test_leapfrog_steps_with_the_opposite_momentum_go_back(schools):
    rng = np.random.RandomState(1)
    q, p = rng.normal(size=10), rng.normal(size=10)
    _, there, momentum = leapfrog(schools, q, p, 0.1, 50)
    assert np.abs(there - q).max() > 0.5
    _, back, momentum = leapfrog(schools, there, -momentum, 0.1, 50)
    np.testing.assert_allclose(back, q, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(-momentum, p, rtol=1e-9, atol=1e-9)


def test_trajectories_end_after_half_a_turn(program, gaussian):
    # without tuning the mass matrix is the identity: all coordinates turn with the same period
    starts = np.random.RandomState(2).normal(size=(4, 100))
    _, known = gaussian.chains(starts, 200, 0, seed=2)
    steps = column(program, known, "step")
    assert (steps == steps[:, :1]).all()
    leaps = column(program, known, "leapfrogs")
    # the angle of a step of length h has the cosine 1 - h^2 / 2
    angle = np.arccos(1 - steps**2 / 2)
    # the first trajectory of 2^k points that spans over half a turn has turned in all dimensions
    longest = 2 ** np.ceil(np.log2(np.pi / angle + 1))
    assert (leaps < longest).all()
    # in 100 dimensions position and momentum are nearly orthogonal: none turns in an eighth
    assert (leaps * angle > np.pi / 4).all()


def test_draws_of_a_normal_density_have_its_mean_and_covariance(program):
    rng = np.random.RandomState(3)
    factor = rng.normal(size=(6, 6)) * [[0.1], [0.3], [1], [3], [10], [30]]
    mean, covariance = rng.normal(size=6), factor @ factor.T
    q = T.dvector("q")
    away = q - mean
    sampler = program.Sampler(q, -T.dot(away, T.dot(np.linalg.inv(covariance), away)) / 2)
    draws, known = sampler.chains(rng.normal(size=(4, 6)), 5000, 1000, seed=3)
    assert program.split_rhat(draws).max() < 1.01
    assert_mean(program, draws, mean)
    away = draws - mean
    products = away[..., :, None] * away[..., None, :]
    assert_mean(program, products, covariance.reshape(-1))
    assert column(program, known, "diverged").sum() == 0


def test_the_marginal_of_a_funnel_is_normal(program):
    q = T.dvector("q")
    width, rest = q[0], q[1:]
    density = -T.sqr(width) / 2 - T.sqr(rest).sum() * T.exp(-width) / 2
    sampler = program.Sampler(q, density - width * rest.shape[0] / 2)
    draws, _ = sampler.chains(np.random.RandomState(4).normal(size=(4, 5)), 10_000, 1000, seed=4)
    widths = draws[..., :1]
    scaled = draws[..., 1:] * np.exp(-widths / 2)
    assert_mean(program, np.concatenate([widths, scaled], axis=2), 0)
    assert_mean(program, np.concatenate([widths, scaled], axis=2) ** 2, 1)
    few = widths[:, ::50].reshape(-1)  # nearly independent
    assert stats.kstest(few, "norm").pvalue > 1e-3


def test_points_without_density_are_never_drawn(program):
    q = T.dvector("q")
    # the logarithm of a negative number is NaN: each number has the gamma distribution of shape 3
    sampler = program.Sampler(q, (2 * T.log(q) - q).sum())
    starts = np.random.RandomState(5).uniform(1, 2, (4, 3))
    draws, known = sampler.chains(starts, 5000, 1000, seed=5)
    assert draws.min() > 0
    assert_mean(program, draws, 3)
    assert_mean(program, draws**2, 12)
    assert np.isfinite(known).all()


def test_tuning_finds_the_scales_and_the_acceptance_that_it_aims_at(program):
    scales = 10.0 ** np.arange(-3, 4)
    q = T.dvector("q")
    sampler = program.Sampler(q, -T.sqr(q / scales).sum() / 2)
    draws, known = sampler.chains(np.ones((4, 7)) * scales, 2000, 1000, seed=6)
    assert_mean(program, (draws / scales) ** 2, 1)
    # as few as for equal scales; with the identity a period would be of a million steps
    assert column(program, known, "leapfrogs").mean() < 20
    assert 0.75 < column(program, known, "acceptance").mean() < 0.95


def test_chains_in_threads_are_those_of_one_thread(schools):
    starts = np.random.RandomState(7).uniform(-2, 2, (4, 10))
    together, known = schools.chains(starts, 500, 300, seed=7)
    seeds = np.random.SeedSequence(7).generate_state(4, "uint64")
    for i, (start, seed) in enumerate(zip(starts, seeds)):
        alone, known_alone = schools.chain(start, 500, 300, seed)
        np.testing.assert_array_equal(alone, together[i])
        np.testing.assert_array_equal(known_alone, known[i])
    assert len({*together[:, -1, 0]}) == 4  # and each has random numbers of its own


def test_the_number_of_python_calls_does_not_depend_on_the_number_of_draws(schools):
    def calls(n_draws):
        counted = []
        count = lambda frame, event, argument: counted.append(event)
        start = np.zeros(10)
        gc.collect()
        gc.disable()  # jax has a function that is called when garbage is collected
        sys.setprofile(count)
        try:
            schools.chain(start, n_draws, 100, 8)
        finally:
            sys.setprofile(None)
            gc.enable()
        return len(counted)

    assert 0 < calls(10) == calls(5000)


def test_a_start_without_density_is_refused(program, schools):
    with pytest.raises(ValueError, match=r"takes a start with a density, got .*nan.*not finite"):
        schools.chain([0.0, np.nan, *np.zeros(8)], 1, 1, 9)
    with pytest.raises(ValueError, match=r"got \[0\. 0\. 0\.\]: .* lengths or indices do not fit"):
        schools.chain(np.zeros(3), 1, 1, 9)


def test_the_exact_posterior_is_that_of_a_grid_of_both_parameters(program):
    mean, log_scale = np.meshgrid(np.linspace(-30, 40, 701), np.linspace(-12, 6, 721))
    scale = np.exp(log_scale)
    log_p = stats.norm.logpdf(mean, 0, 5) + stats.halfcauchy.logpdf(scale, scale=5) + log_scale
    for effect, error in zip(program.EFFECTS, program.ERRORS):
        log_p += stats.norm.logpdf(effect, mean, np.hypot(error, scale))
    weight = np.exp(log_p - log_p.max())
    weight /= weight.sum()
    values, squares = [mean, log_scale], [mean**2, log_scale**2]
    for effect, error in zip(program.EFFECTS, program.ERRORS):
        precision = 1 / error**2 + 1 / scale**2
        center = (effect / error**2 + mean / scale**2) / precision
        values.append(center)
        squares.append(center**2 + 1 / precision)
    found = np.array([(weight * value).sum() for value in values])
    deviation = np.sqrt([(weight * square).sum() for square in squares] - found**2)
    right = program.exact()
    np.testing.assert_allclose(right["mean"], found, atol=1e-3)
    np.testing.assert_allclose(right["deviation"], deviation, rtol=1e-3)


def test_the_posterior_of_eight_schools_is_the_exact_one(program, tmp_path):
    results = program.main(n_draws=5000, quiet=True)
    assert results["rhat"].max() < 1.01
    assert results["size"].min() > 3000
    assert results["stats"]["diverged"].mean() < 0.01
    draws, right = results["draws"], results["exact"]
    assert_mean(program, draws, right["mean"])
    assert_mean(program, (draws - right["mean"]) ** 2, right["deviation"] ** 2)
    pytest.importorskip("matplotlib")
    (tmp_path / "docs/figures/gallery").mkdir(parents=True)
    program.draw(results, tmp_path / "docs/figures/gallery/picture.png")
    assert gallery.of_picture(tmp_path, "picture") == []


def test_r_hat_and_effective_sizes_are_those_of_numpyro(program):
    diagnostics = pytest.importorskip("numpyro.diagnostics")
    rng = np.random.RandomState(10)
    draws = rng.normal(size=(4, 400, 3))
    for i in range(1, 400):  # correlated by 0.9, by nothing, and by -0.5
        draws[:, i] += np.array([0.9, 0, -0.5]) * draws[:, i - 1]
    draws[0, :, 1] += 0.5  # one chain is elsewhere
    sizes = diagnostics.effective_sample_size(draws)
    np.testing.assert_allclose(program.effective_size(draws), sizes, rtol=1e-6)
    rhat = diagnostics.split_gelman_rubin(draws)
    np.testing.assert_allclose(program.split_rhat(draws), rhat, rtol=1e-9)


def test_the_sampler_is_strict_c99_and_its_header_is_cpp(tmp_path):
    folder = EXAMPLES / "nuts"
    strict = ["-Wall", "-Wextra", "-pedantic", "-Werror", "-fsyntax-only"]
    subprocess.run([COMPILER, "-std=c99", *strict, folder / "nuts.c"], check=True)
    unit = tmp_path / "unit.cpp"
    unit.write_text('#include "nuts.h"\n')
    subprocess.run([COMPILER, "-xc++", *strict, "-I", folder, unit], check=True)
