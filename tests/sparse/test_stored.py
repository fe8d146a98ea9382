"""Sparse matrices by their stored elements: products as tensor ops, loops, and padding."""

from itertools import pairwise

import numpy as np
import pytest
import scipy.sparse as sp

import theano
import theano.sparse as S
import theano.tensor as T
from tests.sparse.test_ops import VARIANTS, matrix
from theano._src.ops.sparse.base import places
from theano._src.ops.sparse.products import Usmm
from theano._src.ops.sparse.stored import (
    FromStored,
    StoredElements,
    like_stored,
    stored_elements,
    stored_grad,
)
from theano._src.ops.sparse.stored_products import AddProduct, add_product, sampled_product
from theano._src.types.sparse import padded_length
from theano.testing import Case, OpSpec, Raises, spec_tests

RNG = np.random.default_rng(0)
# the last element has a row and a column behind the last
INTO, OF = np.array([2, 0, 2, 1, 3], "int32"), np.array([1, 3, 1, 0, 4], "int32")


def added(z, data, into, of, b, n):
    """What AddProduct means, element by element."""
    out = np.array(z, np.result_type(z, data, b))
    for d, i, j in zip(data, into, of, strict=True):
        if i < len(z):
            out[i] += d * b[j]
    return out


def picked(g, into, b, of):
    """What SampledProduct means, element by element."""
    pairs = zip(into, of, strict=True)
    return np.array([np.sum(g[i] * b[j]) if i < len(g) else 0 for i, j in pairs])


def draw(*shape):
    return RNG.uniform(-1, 1, shape)


SPECS = [
    OpSpec(
        add_product,
        added,
        name="AddProduct",
        cases=[
            Case(draw(3), draw(5), INTO, OF, draw(4), 4, static=(5,), id="vector"),
            Case(draw(3, 2), draw(5), INTO, OF, draw(4, 2), 4, static=(5,), id="matrix"),
        ],
        errors=[
            Raises((draw(3), draw(5), INTO, OF, draw(6), 4), ValueError, "4 columns and 6", "run"),
            Raises((draw(3, 2), draw(5), INTO, OF, draw(4, 3), 4), ValueError, "columns", "run"),
        ],
        fixed={2: "places", 3: "places"},
        sizes="none: the places say how many rows there are",
    ),
    OpSpec(
        sampled_product,
        picked,
        name="SampledProduct",
        cases=[
            Case(draw(3), INTO, draw(4), OF, id="vector"),
            Case(draw(3, 2), INTO, draw(4, 2), OF, id="matrix"),
        ],
        fixed={1: "places", 3: "places"},
        sizes="none: the places say how many rows there are",
    ),
]
test_ops = spec_tests(SPECS)


def loop_of(kind, op, steps=5):
    x, h0 = S.SparseType(kind, "float64")("x"), T.dmatrix("h0")
    rows, _ = theano.scan(
        lambda h, m: T.tanh(op(m, h)), outputs_info=h0, non_sequences=x, n_steps=steps
    )
    return x, h0, (rows[-1] ** 2).sum()


def ops_of(f):
    return [node.op for node in f.maker.fgraph.toposort()]


@pytest.mark.parametrize("variant", [v for v in VARIANTS if v != "no rows"])
@pytest.mark.parametrize("op", [S.dot, S.structured_dot], ids=["dot", "structured_dot"])
@pytest.mark.parametrize("kind", ["csr", "csc"])
def test_a_loop_over_a_sparse_matrix_and_its_gradients_agree_on_every_engine(kind, op, variant):
    x, h0, cost = loop_of(kind, op)
    value, start = matrix(kind, variant, (4, 4)), draw(4, 3)
    outs = [cost, *theano.grad(cost, [x, h0])]
    found = []
    for engine in ("py", "numpy", "xla", "cvm"):
        f = theano.function([x, h0], outs, mode=theano.Mode(engine, "fast_run"))
        c, gx, gh = f(value, start)
        assert gx.format == kind and (gx.indices == value.indices).all()
        found.append((c, gx.data, gh))
        if engine == "xla":
            loops = [op for op in ops_of(f) if isinstance(op, theano.scan_module.scan_op.Scan)]
            assert [loop.runs_on for loop in loops] == ["any", "any"]
    for other in found[1:]:
        for a, b in zip(found[0], other, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-12)
    f, step = theano.function([x, h0], cost), 1e-6
    for k in range(value.nnz):
        more, less = value.copy(), value.copy()
        more.data[k] += step
        less.data[k] -= step
        slope = (f(more, start) - f(less, start)) / (2 * step)
        np.testing.assert_allclose(found[0][1][k], slope, rtol=1e-4, atol=1e-7)


def test_a_loop_takes_a_matrix_from_the_left_twice_and_as_a_constant_or_shared():
    value, start = matrix("csr", "plain", (4, 4)), draw(3, 4)
    expected = start
    for _ in range(3):
        expected = np.tanh(expected @ value.toarray() + expected @ value.toarray().T)
    h0 = T.dmatrix("h0")
    for x in (S.as_sparse_variable(value), theano.shared(value)):
        rows, _ = theano.scan(
            lambda h, x=x: T.tanh(S.dot(h, x) + S.dot(h, x.T)), outputs_info=h0, n_steps=3
        )
        g = theano.grad(rows[-1].sum(), h0)
        made = []
        for engine in ("numpy", "xla"):
            f = theano.function([h0], [rows[-1], g], mode=theano.Mode(engine, "fast_run"))
            loops = [op for op in ops_of(f) if isinstance(op, theano.scan_module.scan_op.Scan)]
            assert {loop.runs_on for loop in loops} == {"any"}
            made.append(f(start))
            np.testing.assert_allclose(made[-1][0], expected, rtol=1e-12)
        np.testing.assert_allclose(made[0][1], made[1][1], rtol=1e-10)


@pytest.mark.parametrize("engine", ["numpy", "xla", "cvm"])
def test_a_factor_of_another_length_raises_in_a_loop_and_state_stays(engine):
    x, h0, cost = loop_of("csr", S.dot)
    state = theano.shared(np.zeros(3))
    f = theano.function(
        [x, h0], cost, updates=[(state, state + cost)], mode=theano.Mode(engine, "fast_run")
    )
    with pytest.raises(ValueError, match="4 columns and 5 rows"):
        f(matrix("csr", "plain", (4, 4)), draw(5, 3))
    assert (state.get_value() == 0).all()
    f(matrix("csr", "plain", (4, 4)), draw(4, 3))


def test_lengths_that_are_padded_to_are_four_an_octave():
    lengths = sorted({padded_length(n) for n in range(1, 5000)})
    assert all(padded_length(n) == n for n in lengths)
    assert all(b / a <= 1.26 for a, b in pairwise(lengths))
    assert len([n for n in lengths if 1024 < n <= 2048]) == 4


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("kind", ["csr", "csc"])
def test_other_elements_stand_at_the_places_of_a_matrix_and_are_read_there(kind, variant):
    x, data, g = S.SparseType(kind, "float64")("x"), T.dvector("data"), T.dmatrix("g")
    value = matrix(kind, variant)
    others, whole = draw(padded_length(value.nnz)), draw(*value.shape)
    made, read = theano.function([x, data, g], [like_stored(x, data), stored_grad(x, g)])(
        value, others, whole
    )
    assert (made.indices == value.indices).all() and (made.indptr == value.indptr).all()
    assert (made.data == others[: value.nnz]).all()
    rows, columns = places(value)
    assert (read[: value.nnz] == whole[rows, columns]).all() and not read[value.nnz :].any()
    again = theano.function([x, data], stored_grad(x, like_stored(x, data)))(value, others)
    assert (again[: value.nnz] == others[: value.nnz]).all()


def test_padding_does_not_show():
    x = S.csr_matrix("x", dtype="float64")
    value = matrix("csr", "plain")
    data, minor, major, _, _ = (part.eval({x: value}) for part in stored_elements(x))
    assert len(data) == len(minor) == len(major) == padded_length(value.nnz)
    assert (minor[value.nnz :] == 4).all() and (major[value.nnz :] == 5).all()
    again = FromStored("csr")(*stored_elements(x)).eval({x: value})
    assert len(again.data) == value.nnz and (again != value).nnz == 0
    f = theano.function([x], [S.csm_data(x), S.dot(x, np.eye(4))], mode=theano.Mode("xla"))
    assert len(f(value)[0]) == value.nnz


def minibatches(count=60, rows=256, columns=2000, stored=12_800):
    rng = np.random.default_rng(0)
    for _ in range(count):
        n = int(stored * rng.uniform(0.97, 1.03))
        at = rng.integers(0, rows, n), rng.integers(0, columns, n)
        yield sp.coo_matrix((rng.normal(size=n), at), shape=(rows, columns)).tocsr()


def logistic(columns, engine):
    w = theano.shared(np.zeros(columns), "w")
    x, y = S.csr_matrix("x", dtype="float64"), T.dvector("y")
    cost = T.nnet.softplus(S.dot(x, w) * (1 - 2 * y)).mean()
    step = [(w, w - 0.5 * theano.grad(cost, w))]
    return w, theano.function([x, y], cost, updates=step, mode=theano.Mode(engine, "fast_run"))


@pytest.mark.xla
def test_sixty_minibatches_that_store_about_as_many_compile_at_most_twice():
    made = {}
    for engine in ("numpy", "xla"):
        w, f = logistic(2000, engine)
        costs = [f(x, (x.sum(axis=1).A1 > 0).astype("float64")) for x in minibatches()]
        made[engine] = costs, w.get_value()
        if engine == "xla":
            assert f.fn.compilations <= 2
    for a, b in zip(made["numpy"], made["xla"], strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("engine", ["numpy", "xla", "cvm"])
@pytest.mark.parametrize("kind", ["csr", "csc"])
def test_infinity_reaches_only_the_rows_that_use_it(kind, engine):
    x, b = S.SparseType(kind, "float64")("x"), T.dvector("b")
    f = theano.function([x, b], S.dot(x, b), mode=theano.Mode(engine, "fast_run"))
    value = sp.csr_matrix([[1.0, 0, 0], [0, 2.0, 0], [0, 0, 3.0]]).asformat(kind)
    for place in range(3):
        factor = np.ones(3)
        factor[place] = np.inf
        expected = np.array([1.0, 2.0, 3.0])
        expected[place] = np.inf
        assert (f(value, factor) == expected).all()


@pytest.mark.parametrize("engine", ["numpy", "xla"])
@pytest.mark.parametrize("columns", [(), (3,)], ids=["vector", "matrix"])
@pytest.mark.parametrize("rows", [6, 200], ids=["many", "few"])
def test_a_product_that_is_taken_away_is_taken_from_the_rows_that_it_has(rows, columns, engine):
    x = S.csr_matrix("x", dtype="float64")
    g = T.TensorType("float64", (False,) * (1 + len(columns)))("g")
    start = draw(rows, *columns)
    w = theano.shared(start, "w")
    f = theano.function(
        [x, g], updates=[(w, w - 0.1 * S.dot(x.T, g))], mode=theano.Mode(engine, "fast_run")
    )
    (product,) = [op for op in ops_of(f) if isinstance(op, Usmm | AddProduct | S.Dot)]
    assert isinstance(product, Usmm if engine == "numpy" else AddProduct)
    assert engine == "xla" or product.inplace
    value, factor = matrix("csr", "twice stored", (5, rows)), draw(5, *columns)
    for _ in range(2):
        start = start - 0.1 * (value.toarray().T @ factor)
        f(value, factor)
        np.testing.assert_allclose(w.get_value(), start, rtol=1e-12)
    with pytest.raises(ValueError, match="rows"):
        f(value, draw(4, *columns))
    np.testing.assert_allclose(w.get_value(), start, rtol=1e-12)


def test_the_default_mode_leaves_products_to_scipy():
    _, f = logistic(2000, "cvm")
    assert not any(isinstance(op, StoredElements) for op in ops_of(f))


def test_room_behind_what_is_stored_is_not_read():
    value = matrix("csr", "plain")
    roomy = sp.csr_matrix(value.shape)
    roomy.indptr = value.indptr
    roomy.data = np.append(value.data, [np.nan] * 3)
    roomy.indices = np.append(value.indices, [99] * 3).astype("int32")
    x = S.csr_matrix("x", dtype="float64")
    for made in (S.dot(x, np.eye(4)), S.dense_from_sparse(S.sqr(x)) ** 0.5, x.toarray()):
        np.testing.assert_allclose(theano.function([x], made)(roomy), value.toarray())
    assert len(roomy.data) == value.nnz + 3


def test_matrices_that_store_about_as_many_share_a_choice_of_the_engine():
    _, f = logistic(2000, "cvm")
    for x in minibatches(count=20):
        f(x, np.ones(256))
    assert len(f.fn.policy.records) <= 2
    assert "(256, 2000) with 14336 stored" in f.fn.choice()
