"""Reductions move, merge and vanish without a change of dtype, range or error."""

import numpy as np
import pytest

import theano
import theano.tensor as T

ENGINES = ["numpy", pytest.param("xla", marks=pytest.mark.xla)]
PLAIN = theano.Mode("numpy").excluding("fusion", "inplace")
X, Y = T.dmatrices("X", "Y")
v = T.dvector("v")
c = T.dscalar("c")
A = np.arange(1.0, 7.0).reshape(2, 3)


def ops(inputs, output, mode=PLAIN):
    f = theano.function(inputs, output, mode=mode)
    shown = [str(node.op) for node in f.maker.fgraph.toposort()]
    return [name for name in shown if name != "DeepCopyOp"]  # outputs that are inputs are copied


def test_scales_and_signs_leave_sums():
    assert ops([c, X], T.sum(c * X)) == ["Sum", "Elemwise{mul,no_inplace}"]
    assert ops([X], T.sum(-X, axis=0)) == ["Sum{0}", "Elemwise{neg,no_inplace}"]


@pytest.mark.parametrize("engine", ENGINES)
def test_narrow_integers_wrap_before_they_are_summed(engine):
    k, n = T.bvector("k"), T.bscalar("n")
    outputs = [T.sum(n * k), T.prod(n * k), T.sum(-k)]
    f = theano.function([n, k], outputs, mode=theano.Mode(engine))
    a = np.array([100, -128, 3], "int8")
    scaled = np.int8(2) * a
    want = [scaled.sum(dtype="int64"), scaled.prod(dtype="int64"), (-a).sum(dtype="int64")]
    assert [r.item() for r in f(2, a)] == [w.item() for w in want]


@pytest.mark.parametrize("engine", ENGINES)
def test_a_product_of_scaled_floats_stays_in_range(engine):
    f = theano.function([v], T.prod(0.01 * v), mode=theano.Mode(engine))
    np.testing.assert_allclose(f(np.full(1000, 100.0)), 1.0, rtol=1e-10)


@pytest.mark.parametrize("engine", ENGINES)
def test_quotients_by_what_is_constant_along_an_axis(engine):
    outputs = [
        T.sum(X / v.dimshuffle("x", 0), axis=0),
        T.sum(X / X.sum(axis=1, keepdims=True), axis=1),
        T.sum(X / v.dimshuffle("x", 0)),
    ]
    f = theano.function([X, v], outputs, mode=theano.Mode(engine))
    b = np.array([2.0, 4.0, -8.0])
    want = [(A / b).sum(0), (A / A.sum(1, keepdims=True)).sum(1), (A / b).sum()]
    for got, w in zip(f(A, b), want):
        np.testing.assert_allclose(got, w, rtol=1e-14)


def test_reductions_of_reductions_are_one_unless_a_dtype_lies_between():
    cube = T.TensorType("float64", (False,) * 3)("cube")
    assert ops([cube], T.sum(T.sum(cube, axis=1), axis=1)) == ["Sum{1, 2}"]
    assert ops([cube], T.max(T.max(cube, axis=0), axis=1)) == ["Reduce{maximum}{0, 2}"]
    narrow = T.sum(T.sum(X, axis=0, dtype="float32", acc_dtype="float64"), dtype="float64")
    assert len(ops([X], narrow)) == 2


@pytest.mark.parametrize("engine", ENGINES)
def test_an_extreme_of_nothing_is_refused_after_merging(engine):
    f = theano.function([X], T.max(T.max(X, axis=0)), mode=theano.Mode(engine))
    assert f(A) == 6.0
    for shape in [(0, 3), (3, 0)]:
        with pytest.raises(ValueError, match="zero-size"):
            f(np.zeros(shape))


@pytest.mark.parametrize("engine", ENGINES)
def test_a_reduction_of_joined_parts_is_elementwise_and_checks_their_lengths(engine):
    s = T.stack([v, 2 * v, v * v])
    f = theano.function([v], [s.sum(axis=0), s.prod(axis=0)], mode=theano.Mode(engine))
    b = np.array([1.0, -2.0])
    for got, want in zip(f(b), [b + 2 * b + b * b, 2 * b**4]):
        np.testing.assert_allclose(got, want)
    g = theano.function([v, X], T.stack([v, X[0]]).max(axis=0), mode=theano.Mode(engine))
    assert g(b, A[:, :2]).tolist() == [1.0, 2.0]
    with pytest.raises(ValueError):
        g(b, A)


def test_dimensions_of_length_1_are_dropped_and_not_summed():
    row = T.frow("row")
    assert ops([row], row.sum(axis=0)) == ["InplaceDimShuffle{1}"]
    f = theano.function([row], [row.sum(), row.sum(axis=0, dtype="float64")], mode=PLAIN)
    got = f(np.array([[1.5, 2.5]], "float32"))
    assert got[0].dtype == "float32" and got[0] == 4.0
    assert got[1].dtype == "float64" and got[1].tolist() == [1.5, 2.5]


@pytest.mark.parametrize("engine", ENGINES)
def test_sums_of_one_value_are_products_with_the_size(engine):
    filled = T.fill(X, c)
    outputs = [filled.sum(), filled.sum(axis=0), filled.prod(axis=1), T.zeros_like(X).sum()]
    f = theano.function([X, c], outputs, mode=theano.Mode(engine))
    a, b, p, zero = f(A, 2.5)
    assert a == 15.0 and b.tolist() == [5.0] * 3 and p.tolist() == [2.5**3] * 2 and zero == 0
    empty = f(np.zeros((0, 3)), 2.5)
    assert empty[0] == 0 and empty[1].tolist() == [0.0] * 3 and empty[2].shape == (0,)


@pytest.mark.parametrize("engine", ENGINES)
def test_the_lowest_integer_is_its_own_negative(engine):
    k = T.bvector("k")
    f = theano.function([k, v], [-T.max(-k), -T.max(-v)], mode=theano.Mode(engine))
    a = np.array([-128, 5], "int8")
    got = f(a, [3.0, -1.0])
    assert got[0] == -np.max(-a) and got[1] == -1.0


def test_half_of_max_and_argmax_is_computed_where_half_is_used():
    largest, place = T.max_and_argmax(X, axis=1)
    assert ops([X], place)[0].startswith("Argmax")
    assert ops([X], largest) == ["Reduce{maximum}{1}"]


@pytest.mark.parametrize("engine", ENGINES)
def test_the_range_of_one_number_is_nan_where_it_has_none(engine):
    x = T.TensorType("float64", (False, True))("x")
    f = theano.function([x], T.ptp(x, axis=1), mode=theano.Mode(engine))
    np.testing.assert_array_equal(f(np.array([[np.nan], [np.inf], [1.0]])), [np.nan, np.nan, 0])
    assert not any("max" in str(n.op) for n in f.maker.fgraph.toposort())


@pytest.mark.parametrize("engine", ENGINES)
def test_a_product_of_one_value_counts_how_often_it_stands_exactly(engine):
    """A13: prod(alloc(float32(-1), 2**24 + 1)) was +1: the count was rounded to float32."""
    n, v, z = T.lscalar(), T.fscalar(), T.cscalar()
    outs = [T.prod(T.alloc(v, n)), T.prod(T.alloc(v, 2, n), axis=1), T.prod(T.alloc(z, n))]
    f = theano.function([n, v, z], outs, mode=theano.Mode(engine))
    assert not any(isinstance(node.op, T.elemwise.Prod) for node in f.maker.fgraph.apply_nodes)
    for count in (2**24 - 1, 2**24 + 1, 2**25 + 2, 2**30 + 1):
        one, two, turned = f(count, -1, 1j)
        sign = -1 if count % 2 else 1
        assert one == sign
        assert two.tolist() == [sign, sign]
        np.testing.assert_allclose(turned, 1j ** (count % 4), atol=1e-5)
    one, two, turned = f(0, 5, 5)
    assert (one, two.tolist(), turned) == (1, [1, 1], 1)


@pytest.mark.parametrize("engine", ENGINES)
def test_sums_and_means_of_one_value_are_right_where_the_count_is_rounded(
    engine,
):
    """A13: counts beyond 2**24 are not exact in float32."""
    n, v = T.lscalar(), T.fscalar()
    row = T.alloc(v, n)
    f = theano.function([n, v], [row.sum(), row.mean(), row.var()], mode=theano.Mode(engine))
    total, mean, variance = f(2**24 + 1, 3)
    assert abs(float(total) - 3 * (2**24 + 1)) <= 2 * np.spacing(np.float32(total))
    np.testing.assert_allclose(mean, 3, rtol=3e-7)
    np.testing.assert_allclose(variance, 0, atol=1e-10)
