"""Random sparse matrices are drawn from the distributions that they are named after."""

import numpy as np
import pytest
import scipy.sparse as sp

import theano
import theano.sparse as S
from theano.sparse.sandbox import sp2

ENGINES = ("numpy", "xla", "py")
BINOMIALS = {
    ("csr", "float32"): sp2.csr_fbinomial,
    ("csc", "float32"): sp2.csc_fbinomial,
    ("csr", "float64"): sp2.csr_dbinomial,
    ("csc", "float64"): sp2.csc_dbinomial,
}


@pytest.fixture(autouse=True)
def _seeded():
    np.random.seed(0)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("kind", ["csr", "csc"])
def test_poisson_has_the_stored_elements_as_means_and_variances(kind, engine):
    means = np.repeat([[0.5, 0.0, 4.0]], 4000, axis=0)
    x = S.matrix(kind, "x", "float64")
    f = theano.function([x], sp2.poisson(x), mode=theano.Mode(engine))
    drawn = f(sp.csr_matrix(means).asformat(kind))
    assert drawn.format == kind and (drawn.data > 0).all() and (drawn.data % 1 == 0).all()
    found = drawn.toarray()
    # five standard errors of 4,000 draws; the variance of a sample variance is m (1 + 2 m) / n
    error = np.sqrt((means[0] + 1e-9) / 4000)
    np.testing.assert_array_less(abs(found.mean(0) - means[0]), 5 * error)
    spread = np.sqrt((means[0] + 2 * means[0] ** 2 + 1e-9) / 4000)
    np.testing.assert_array_less(abs(found.var(0) - means[0]), 5 * spread)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("made", BINOMIALS, ids="-".join)
def test_binomial_counts_successes(made, engine):
    kind, dtype = made
    op = BINOMIALS[made]
    drawn = theano.function([], op(10, 0.3, [80, 50]), mode=theano.Mode(engine))()
    assert (drawn.format, str(drawn.dtype), drawn.shape) == (kind, dtype, (80, 50))
    found = drawn.toarray()
    assert found.min() >= 0 and found.max() <= 10
    assert abs(found.mean() - 3) < 5 * np.sqrt(2.1 / 4000)
    assert abs(found.var() - 2.1) < 0.25


@pytest.mark.parametrize("engine", ENGINES)
def test_multinomial_shares_each_number_of_draws_out(engine):
    p = sp.csr_matrix(np.array([[0.25, 0.0, 0.75], [0.5, 0.5, 0.0], [0.0, 0.0, 0.0]]))
    x = S.csr_matrix("x", dtype="float64")
    f = theano.function([x], sp2.multinomial(np.array([8000, 10, 5]), x), mode=theano.Mode(engine))
    rows = f(p).toarray()
    assert rows.sum(1).tolist() == [8000, 10, 0] and rows[0, 1] == rows[1, 2] == 0
    assert abs(rows[0, 0] / 8000 - 0.25) < 5 * np.sqrt(0.25 * 0.75 / 8000)
    one = theano.function([x], sp2.multinomial(7, x), mode=theano.Mode(engine))(p)
    assert one.toarray().sum(1).tolist() == [7, 7, 0]


@pytest.mark.parametrize("engine", ENGINES)
def test_each_call_draws_anew_and_a_seed_repeats_them(engine):
    x = S.as_sparse_variable(sp.csr_matrix(np.full((1, 200), 50.0)))
    f = theano.function([], [sp2.poisson(x), sp2.csr_dbinomial(9, 0.5, [1, 200])],
                        mode=theano.Mode(engine))  # fmt: skip
    first, second = f(), f()
    assert all((a != b).nnz for a, b in zip(first, second, strict=True))
    np.random.seed(0)
    assert all((a != b).nnz == 0 for a, b in zip(first, f(), strict=True))


def test_what_is_drawn_has_no_gradient():
    x = S.csr_matrix("x", dtype="float64")
    with pytest.raises(theano.gradient.NullTypeGradError, match="no gradient"):
        theano.grad(S.sp_sum(sp2.poisson(x)), x)
    with pytest.raises(NotImplementedError, match="csr"):
        sp2.multinomial(3, S.csc_matrix("y", dtype="float64"))
