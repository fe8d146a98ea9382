"""Each distribution has the moments and the frequencies that mathematics says."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import theano
from theano.tensor.shared_randomstreams import RandomStreams

N = 40_000
#: how unlikely a result must be to count as wrong; draws are seeded, so that it is so once for all
RARE = 1e-4


def drawn(distribution, **kwargs):
    rng = RandomStreams(seed=20261)
    f = theano.function([], getattr(rng, distribution)(size=(N // 4,), **kwargs))
    # four calls: the sequence of one state, not only one draw
    return np.concatenate([f() for _ in range(4)])


CONTINUOUS = {
    "uniform": ({"low": -2.0, "high": 3.0}, stats.uniform(-2, 5)),
    "normal": ({"avg": 4.0, "std": 0.5}, stats.norm(4, 0.5)),
}
DISCRETE = {
    "binomial": ({"n": 12, "p": 0.3}, stats.binom(12, 0.3)),
    "poisson": ({"lam": 3.5}, stats.poisson(3.5)),
    "random_integers": ({"low": -2, "high": 4}, stats.randint(-2, 5)),
    "choice": ({"a": 6}, stats.randint(0, 6)),
    "randint": ({"low": 2, "high": 9}, stats.randint(2, 9)),
}
ALL = CONTINUOUS | DISCRETE


def assert_moments(sample, law):
    """Mean and variance within what chance allows."""
    mean, var, kurtosis = (float(m) for m in law.stats(moments="mvk"))
    z = abs(stats.norm.ppf(RARE / 2))
    assert abs(sample.mean() - mean) < z * np.sqrt(var / N)
    assert abs(sample.var() - var) < z * var * np.sqrt((kurtosis + 2) / N)


def assert_frequencies(observed, probabilities):
    """Pearson's chi-square test; the rare cells are taken together."""
    order = np.argsort(probabilities)[::-1]
    p, seen = np.asarray(probabilities)[order], np.asarray(observed)[order]
    keep = p * N >= 10
    p, seen = np.append(p[keep], 1 - p[keep].sum()), np.append(seen[keep], N - seen[keep].sum())
    if p[-1] * N < 1e-6:
        assert seen[-1] == 0
        p, seen = p[:-1], seen[:-1]
    assert stats.chisquare(seen, p / p.sum() * N).pvalue > RARE


@pytest.mark.parametrize("name", ALL)
def test_mean_and_variance_are_those_of_the_distribution(name):
    kwargs, law = ALL[name]
    assert_moments(drawn(name, **kwargs), law)


@pytest.mark.parametrize("name", CONTINUOUS)
def test_equally_likely_intervals_come_equally_often(name):
    kwargs, law = CONTINUOUS[name]
    sample = drawn(name, **kwargs)
    cells = np.minimum((law.cdf(sample) * 50).astype(int), 49)
    assert_frequencies(np.bincount(cells, minlength=50), np.full(50, 1 / 50))


@pytest.mark.parametrize("name", DISCRETE)
def test_each_integer_comes_as_often_as_it_should(name):
    kwargs, law = DISCRETE[name]
    values = np.arange(int(law.ppf(1e-9)) - 1, int(law.ppf(1 - 1e-9)) + 2)
    sample = drawn(name, **kwargs)
    observed = [(sample == v).sum() for v in values]
    assert sum(observed) == N
    assert_frequencies(observed, law.pmf(values))


def test_choice_goes_by_its_probabilities():
    p = np.array([0.1, 0.0, 0.6, 0.3])
    observed = np.bincount(drawn("choice", a=4, p=p), minlength=4)
    assert observed[1] == 0
    assert_frequencies(observed, p)


def test_every_permutation_comes_as_often_as_any_other():
    sample = drawn("permutation", n=4)
    assert_frequencies(np.bincount(sample @ [64, 16, 4, 1], minlength=256)[_codes()], [1 / 24] * 24)


def _codes():
    digits = np.array(list(np.ndindex(4, 4, 4, 4)))
    return np.flatnonzero([len(set(row)) == 4 for row in digits.tolist()])


def test_every_count_of_a_multinomial_is_binomial():
    p = np.array([0.2, 0.5, 0.3])
    sample = drawn("multinomial", n=10, pvals=p)
    assert (sample.sum(axis=1) == 10).all()
    for i, share in enumerate(p):
        assert_moments(sample[:, i], stats.binom(10, share))
        observed = np.bincount(sample[:, i], minlength=11)
        assert_frequencies(observed, stats.binom(10, share).pmf(np.arange(11)))
    # two counts that add up to less than n take from each other
    covariance = np.cov(sample[:, 0], sample[:, 1])[0, 1]
    assert abs(covariance - -10 * p[0] * p[1]) < 0.05


def test_numbers_of_one_sequence_are_not_correlated():
    sample = drawn("uniform")
    for lag in (1, 2, 7, 624):
        r = np.corrcoef(sample[:-lag], sample[lag:])[0, 1]
        assert abs(r) < abs(stats.norm.ppf(RARE / 2)) / np.sqrt(N - lag)


def test_variables_of_one_stream_are_not_correlated():
    rng = RandomStreams(seed=1)
    made = theano.function([], [rng.normal((N,)) for _ in range(4)])()
    r = np.corrcoef(made)[np.triu_indices(4, 1)]
    assert abs(r).max() < abs(stats.norm.ppf(RARE / 2)) / np.sqrt(N)
