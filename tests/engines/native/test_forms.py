"""The native forms of ops: bits of NumPy for all lengths, and nothing called back."""

import numpy as np
import pytest

import theano
import theano.tensor as T
from tests.engines.native.common import bits, both, finishes, native_mode, needs_compiler
from theano.sandbox.rng_mrg import MRG_RandomStreams

pytestmark = needs_compiler
a, b = T.dmatrix("a"), T.dmatrix("b")
x, y = T.dvector("x"), T.dvector("y")
LENGTHS = [(0, 3), (3, 0), (1, 1), (1, 200), (200, 1), (7, 9), (130, 3), (3, 130), (40, 300)]


def value(*shape, seed=0, dtype="float64"):
    return np.random.RandomState(seed).randn(*shape).astype(dtype)


def runs_natively(inputs, outputs, values):
    f = both(inputs, outputs, values)
    assert not f.fn.called_back, f.fn.called_back
    assert finishes(f, *values)[0]
    return f


@pytest.mark.parametrize("shape", LENGTHS)
@pytest.mark.parametrize("axis", [0, 1, None])
def test_sums_along_dimensions(shape, axis):
    runs_natively([a], [T.exp(a).sum(axis=axis), a.sum(axis=axis)], [value(*shape)])


@pytest.mark.parametrize("axis", [0, 2, (0, 1), (1, 2), (0, 1, 2)])
@pytest.mark.parametrize("shape", [(2, 3, 4), (1, 5, 1), (30, 1, 20), (0, 2, 3)])
def test_sums_along_several_dimensions(axis, shape):
    t = T.dtensor3("t")
    runs_natively([t], (t * 2).sum(axis=axis), [value(*shape)])


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(
    "shape",
    [(2, 3, 4, 5), (7, 1, 20, 30), (1, 4, 1, 9), (3, 2, 40, 50), (0, 2, 3, 4), (2, 3, 0, 1)],
)
def test_sums_along_the_first_and_the_last_dimensions(shape, dtype):
    t = T.TensorType(dtype, (False,) * 4)()
    outputs = [(t * 2).sum(axis=axis, acc_dtype=dtype) for axis in ((0, 2, 3), (0, 3), (0, 1, 3))]
    runs_natively([t], outputs, [value(*shape, dtype=dtype)])


def test_a_sum_after_a_transpose_is_left_to_numpy():
    for shape in LENGTHS:
        f = both([a], [a.T.sum(), T.exp(a.T).sum(axis=0), (a.T + a.T).sum(axis=1)], [value(*shape)])
        finishes(f, value(*shape, seed=1))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(
    ("n", "k", "m"), [(2, 3, 4), (1, 5, 1), (1, 3, 7), (9, 1, 2), (30, 40, 50)]
)
def test_products(dtype, n, k, m):
    p, q = T.TensorType(dtype, (False,) * 2)(), T.TensorType(dtype, (False,) * 2)()
    v, w = T.TensorType(dtype, (False,))(), T.TensorType(dtype, (False,))()
    values = [value(n, k, dtype=dtype), value(k, m, dtype=dtype)]
    values += [value(k, dtype=dtype), value(n, dtype=dtype)]
    outputs = [T.dot(p, q), T.dot(p, v), T.dot(w, p), T.dot(q.T, p.T), T.dot(v, v)]
    runs_natively([p, q, v, w], outputs, values)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_products_of_views_are_those_of_numpy(dtype):
    p, q = T.TensorType(dtype, (False,) * 2)(), T.TensorType(dtype, (False,) * 2)()
    values = [value(17, 20, dtype=dtype), value(33, 20, dtype=dtype)]
    outputs = [T.dot(p[:, :8], q[:, :8].T), T.dot(p[1:, 3:], q.T[3:, :1]), T.dot(p[2:], q[:2].T)]
    outputs += [T.dot(T.exp(q.T).T, p.T), T.dot(p, q[0]), T.dot(q[:, 0], q[:, 1:])]
    both([p, q], outputs, values)


def test_slices_that_begin_before_the_first_element():
    c = a.dimshuffle("x", 0, 1)
    f = runs_natively([a], [c[-3:] * 2, a[-9:], a[:-9], a[-2:9]], [value(4, 2)])
    assert [out.shape for out in f(value(1, 2))] == [(1, 1, 2), (1, 2), (0, 2), (1, 2)]


def test_truth_values_are_added_as_numpy_adds_them():
    m = T.TensorType("bool", (False,))()
    both([m], [T.inc_subtensor(m[0], m[1]), T.inc_subtensor(m[[0, 0]], m[:2])], [np.ones(3, bool)])


@pytest.mark.parametrize("shape", [(0, 3, 2), (3, 0, 2), (3, 2, 0)])
def test_products_without_elements(shape):
    n, k, m = shape
    both([a, b], [T.dot(a, b), T.dot(a, b) * 2 + 1], [value(n, k), value(k, m)])


def test_products_that_are_scaled_and_added():
    c = T.dmatrix("c")
    outputs = [c - 0.1 * T.dot(a, b), 3.0 * T.dot(a, b), y - 0.5 * T.dot(a, x), y + T.dot(a, x)]
    values = [value(5, 4), value(4, 6), value(5, 6), value(4), value(5)]
    f = both([a, b, c, x, y], outputs, values)
    assert finishes(f, *values)[0]
    large = [value(200, 4), value(4, 200), value(200, 200), value(4), value(200)]
    plain = theano.function([a, b, c, x, y], outputs, mode=theano.Mode("numpy"))
    for got, want in zip(f(*large), plain(*large), strict=True):
        assert got.tobytes() == want.tobytes()


def test_lengths_of_products_that_differ_are_an_error():
    f = theano.function([a, b], T.dot(a, b) + 1, mode=theano.Mode("native"))
    with pytest.raises(ValueError):
        f(value(2, 3), value(4, 2))
    assert f(value(2, 3), value(3, 2)).shape == (2, 2)


@pytest.mark.parametrize("shape", LENGTHS)
def test_shapes_are_changed_without_work(shape):
    n = a.shape[0] * a.shape[1]
    outputs = [a.flatten() * 2, a.reshape((n,)) + 1, a.reshape((a.shape[1], a.shape[0])) * 3]
    runs_natively([a], outputs, [value(*shape)])


def test_a_length_that_is_left_open():
    f = runs_natively([x], x.reshape((-1, 3)).sum(axis=1), [value(12)])
    with pytest.raises(ValueError, match="reshape"):
        f(value(13))


def test_vectors_of_numbers_and_filled_arrays():
    s = T.dscalar("s")
    outputs = [T.stack([s, s + 1, x.sum()]), T.zeros_like(a) + s, T.alloc(s, x.shape[0], 2)]
    f = both([s, x, a], outputs, [np.array(2.0), value(3), value(2, 5)])
    assert finishes(f, np.array(1.0), value(0), value(0, 5))[0]


def test_variables_with_the_same_elements_have_memory_of_their_own():
    z = T.zeros_like(a)
    outputs = [T.alloc(0.0, *a.shape), T.alloc(0.0, *b.shape), T.inc_subtensor(z[0], 1.0), a * b]
    f = both([a, b], outputs, [value(3, 2), value(3, 2)])
    got = f(value(3, 2), value(3, 2))
    assert len({out.ctypes.data for out in got}) == 4
    v = T.TensorType("complex128", (False,))()
    both([v], [T.alloc(1j, v.shape[0]), T.alloc(1j, v.shape[0]), v + 1], [np.arange(3) * 1j])


def test_parts_are_changed_in_place_of_copies():
    outputs = [
        T.inc_subtensor(T.exp(x)[1:3], y[:2]),
        T.set_subtensor(T.zeros_like(x)[0], 5.0),
        T.inc_subtensor(a[1], T.tanh(a[0])),
    ]
    f = runs_natively([x, y, a], outputs, [value(5), value(4), value(3, 4)])
    with pytest.raises((ValueError, IndexError)):
        f(value(2), value(4), value(1, 4))


@pytest.mark.parametrize("put", [T.set_subtensor, T.inc_subtensor])
def test_values_stretch_over_the_part_that_is_changed(put):
    outputs = [
        put(a[1:, :2], 3.0),
        put(a[:, 0], 1),
        put(a[::2], x),
        put(a[1:], T.shape_padleft(x) * 2),
        put(a[:, ::-1], a),
        put(a[-1], x * 2),
    ]
    f = runs_natively([a, x], outputs, [value(5, 4), value(4, seed=1)])
    with pytest.raises(ValueError):
        f(value(5, 4), value(3))


@pytest.mark.parametrize("shape", [s for s in LENGTHS if all(s)])
@pytest.mark.parametrize("axis", [0, 1, None])
def test_largest_smallest_and_products(shape, axis):
    zeros = np.where(np.arange(np.prod(shape)).reshape(shape) % 3, 0.0, -0.0)
    with_nan = value(*shape)
    with_nan[-1, -1] = np.nan
    outputs = [T.exp(a).max(axis=axis), a.min(axis=axis), (a + 1).prod(axis=axis)]
    for given in (value(*shape), zeros, with_nan):
        runs_natively([a], outputs, [given])


@pytest.mark.parametrize("dtype", ["float32", "int64", "int8", "uint16", "complex64", "float16"])
def test_largest_of_other_dtypes(dtype):
    t = T.TensorType(dtype, (False, False))()
    given = (value(4, 7) * 9).astype(dtype)
    both([t], [t.max(axis=0), t.max(axis=1), t.max()], [given])


@pytest.mark.parametrize("axis", [1, None])
@pytest.mark.parametrize("dtype", ["float32", "float64", "int64", "uint8"])
def test_positions_of_the_largest(axis, dtype):
    t = T.TensorType(dtype, (False, False))()
    outputs = [T.argmax(t, axis=axis), T.argmin(t, axis=axis)]
    for given in (value(5, 6) * 3, np.ones((5, 6)), np.round(value(3, 80))):
        runs_natively([t], outputs, [np.abs(given).astype(dtype)])
    if dtype.startswith("float"):
        runs_natively([t], outputs, [np.array([[1, np.nan, 2, np.nan], [0.0, -0.0, 0, 1]], dtype)])


def test_the_largest_of_nothing_is_the_error_of_numpy():
    f = both([a], a.max(axis=1), [value(2, 3)])
    with pytest.raises(ValueError):
        f(value(2, 0))
    assert f(value(0, 3)).shape == (0,)


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("dtype", ["float64", "float32", "int8", "bool"])
def test_arrays_are_joined(axis, dtype):
    t, u = [T.TensorType(dtype, (False, False))() for _ in range(2)]
    given = (value(3, 3) * 5).astype(dtype)
    f = runs_natively(
        [t, u], T.concatenate([t, u[:2] if axis == 0 else u[:, 1:], t], axis), [given] * 2
    )
    with pytest.raises(ValueError):
        f(given, given[:, :2] if axis == 0 else given[:2])


@pytest.mark.parametrize("n", [0, 1, 2, 5, 6])
def test_slices_with_steps(n):
    bounds = [None, 0, 1, -1, 3, -9, 9]
    slices = [slice(i, j, k) for i in bounds for j in bounds for k in (2, -1, -3)]
    f = both([x], [x[s] for s in slices], [value(n)])
    assert finishes(f, value(n))[0]


@pytest.mark.parametrize("shape", [(3, 5), (1, 1), (200, 4), (2, 300), (200, 300)])
def test_softmax_its_logarithm_and_its_gradient(shape):
    p = T.nnet.softmax(a)
    outputs = [p, T.nnet.softmax(a + x), T.grad(T.sqr(p).sum(), a)]
    outputs += [T.nnet.logsoftmax(a), T.log(T.exp(a).sum(axis=1))]
    given = value(*shape)
    infinite = given.copy()
    infinite[0, 0], infinite[-1, -1] = np.inf, -np.inf
    for each in (given, infinite, given - 1e9):
        f = both([a, x], outputs, [each, value(shape[1])])
        assert not f.fn.called_back
        # the other formula of logsoftmax is left to NumPy, and is no surprise
        assert finishes(f, each, value(shape[1]))[0] == (each.size <= 1 << 14)


@pytest.mark.parametrize("dtype", ["float64", "float32", "int8", "complex128"])
def test_rows_at_indices(dtype):
    t, i = T.TensorType(dtype, (False, False))(), T.lvector()
    given, at = (value(6, 3) * 9).astype(dtype), np.array([5, 0, -6, 2, 2])
    outputs = [t[i], t[i].sum(), T.set_subtensor(t[i[:3]], t[:3])]
    if dtype != "complex128":
        outputs.append(T.inc_subtensor(t[i], t[:5]))
    f = both([t, i], outputs, [given, at])
    g = theano.function([t, i], outputs, mode=theano.Mode("numpy"))
    assert finishes(f, given, at)[0]
    for bad in (np.array([0, 6, 1, 1, 1]), np.array([-7, 0, 0, 0, 0])):
        for each in (f, g):
            with pytest.raises(IndexError):
                each(given, bad)


def test_rows_that_are_written_twice_are_those_of_numpy():
    i = T.lvector()
    at = np.array([1, 1, 0, 1])
    outputs = [T.inc_subtensor(a[i], b), T.set_subtensor(a[i], b), T.set_subtensor(x[i], y)]
    runs_natively([a, b, x, y, i], outputs, [value(3, 2), value(4, 2), value(3), value(4), at])


SHAPES_OF_SCORES = [(1, 1), (5, 4), (300, 40), (0, 3)]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("shape", SHAPES_OF_SCORES)
def test_crossentropy_of_classes_and_its_gradient(shape, dtype):
    n, k = shape
    scores, bias = T.matrix(dtype=dtype), T.vector(dtype=dtype)
    classes = T.ivector()
    nll, sm, best = T.nnet.crossentropy_softmax_argmax_1hot_with_bias(scores, bias, classes)
    picked = -T.log(T.nnet.softmax(scores + bias))[T.arange(classes.shape[0]), classes]
    outputs = [nll, sm, best, *T.grad(nll.sum(), [scores, bias]), *T.grad(picked.sum(), [bias])]
    of_classes = np.random.RandomState(1).randint(0, k, n).astype("int32")
    values = [value(n, k, dtype=dtype), value(k, dtype=dtype), of_classes]
    runs_natively([scores, bias, classes], outputs, values)
    probability = scores**2 + 0.1
    cost = T.nnet.categorical_crossentropy(probability, classes)
    runs_natively([scores, classes], cost, [values[0], of_classes])


@pytest.mark.parametrize("wrong", [-1, 4])
def test_a_class_out_of_bounds_is_the_error_of_numpy(wrong):
    scores, classes = T.dmatrix(), T.lvector()
    nll, *_ = T.nnet.crossentropy_softmax_argmax_1hot_with_bias(scores, T.zeros(4), classes)
    f = theano.function([scores, classes], nll, mode=native_mode())
    f(value(3, 4), np.array([0, 3, 1]))
    with pytest.raises(ValueError, match="classes from 0 to 3"):
        f(value(3, 4), np.array([0, wrong, 1]))


def test_fewer_classes_than_rows_are_left_to_numpy():
    classes = T.lvector()
    picked = -T.log(T.nnet.softmax(a))[T.arange(classes.shape[0]), classes]
    both([a, classes], [picked, T.grad(picked.sum(), a)], [value(5, 4), np.array([0, -1, 3])])


@pytest.mark.parametrize("dtype", ["float32", "float64", "int16"])
def test_elements_at_rows_and_columns(dtype):
    m, v = T.matrix(dtype=dtype), T.vector(dtype=dtype)
    i, j = T.lvector(), T.bvector()
    values = [(10 * value(5, 7)).astype(dtype), (10 * value(4)).astype(dtype)]
    values += [np.array([0, -1, 4, 0]), np.array([6, -7, 2, 6], "int8")]
    outputs = [m[i, j], T.inc_subtensor(m[i, j], v), T.set_subtensor(m[i, j], v)]
    outputs.append(T.inc_subtensor(m[i, j], T.constant(3, dtype=dtype)))
    f = runs_natively([m, v, i, j], outputs, values)
    with pytest.raises(IndexError):
        f(*values[:2], np.array([0, 1, 5, 0]), values[3])


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("size", [(), (1,), (3,), (10, 7), (120, 130)])
@pytest.mark.parametrize("streams", [1, 7, 60])
def test_streams_of_random_numbers(dtype, size, streams):
    def program(mode):
        random = MRG_RandomStreams(seed=5)
        sample = random.uniform(size=size, dtype=dtype, nstreams=streams)
        like = random.uniform(size=x.shape, dtype=dtype, nstreams=streams)
        return theano.function([x], [sample, like, random.normal((6,), dtype=dtype)], mode=mode)

    f, g = program(native_mode()), program(theano.Mode("numpy"))
    assert not f.fn.called_back
    for n in (0, 3, 9, 200):
        assert [bits(v) for v in f(value(n))] == [bits(v) for v in g(value(n))]


@pytest.mark.parametrize("axes", [[[2], [0]], [[2], [1]], [[0, 1], [0, 1]], [[1, 2], [0, 1]]])
@pytest.mark.parametrize("lengths", [(2, 3, 4, 5), (1, 3, 1, 2), (3, 1, 1, 1), (20, 6, 7, 30)])
def test_products_along_dimensions(axes, lengths):
    n, m, k, other = lengths
    t, u = T.dtensor3(), T.TensorType("float64", (False,) * (1 + len(axes[0])))()
    shape = [0] * u.ndim
    for i, j in zip(*axes, strict=True):
        shape[j] = (n, m, k)[i]
    shape = [length or other for length in shape]
    runs_natively([t, u], T.tensordot(t, u, axes), [value(n, m, k), value(*shape)])


def test_a_length_of_an_input_is_known_from_the_start_where_a_later_length_must_be_equal():
    weights = T.fmatrix("weights")
    product = T.tensordot(a % b, a % b, [[0], [0]])
    called_back = T.dot(weights, product)  # of two dtypes
    values = [value(3, 3), value(3, 3, seed=1), value(3, 3, seed=2, dtype="float32")]
    f = both([a, b, weights], [product, a + called_back], values)
    assert [str(node.op) for node in f.fn.called_back] == ["dot"]


def test_a_number_may_fill_an_array_and_be_the_argument_of_a_loop_of_numpy():
    zeros = T.zeros(a.shape)
    for of_numpy in (T.arctan2(a, 0.0), T.tanh(T.arctan2(0.0, a)), T.arctan2(a, zeros)):
        runs_natively([a], [zeros, of_numpy], [value(3, 300)])
        runs_natively([a], [zeros.reshape((a.shape[1], -1)), of_numpy], [value(3, 300)])


def test_sums_of_float32_in_float64():
    m = T.fmatrix()
    for n, k in [(0, 3), (1, 1), (3, 130), (130, 3), (9000, 1), (2, 20000)]:
        wide = value(n, k) * np.exp(value(n, k, seed=1) * 10)
        outputs = [m.sum(axis=i) for i in (0, 1, None)] + [T.exp(-T.sqr(m)).sum(), m.mean()]
        outputs.append(m.sum(axis=1, dtype="float64"))
        runs_natively([m], outputs, [wide.astype("float32")])


def test_a_power_whose_exponent_is_a_number():
    i, s = T.iscalar(), T.dscalar()
    for exponent in (2, 2.0, 0.5, -1, 3, 1.5):
        outputs = [x**exponent, x ** (s + exponent), (x * x).sum() ** exponent, T.sqr(x) ** i]
        runs_natively([x, s, i], outputs, [value(9) ** 2, np.array(0.0), np.array(2, "int32")])


def test_integers_to_negative_powers_are_the_error_of_numpy():
    i, j = T.lvector(), T.lvector()
    f = both([i, j], i**j, [np.array([2, 3]), np.array([0, 2])])
    with pytest.raises(ValueError, match="negative"):
        f(np.array([2, 3]), np.array([1, -1]))


def test_ranges_splits_and_repeated_arrays():
    n = T.lscalar()
    parts = T.split(a, [1, 2], 2, axis=1) + T.split(a, [2, a.shape[0] - 2], 2, axis=0)
    ranges = [T.arange(n), T.arange(2, n, 3), T.arange(n, -4, -2)]
    repeated = [T.alloc(x, 3, x.shape[0]), T.alloc(a.dimshuffle(0, "x", 1), a.shape[0], n, 3)]
    outputs = [p * 2 for p in parts] + ranges + repeated
    for count in (0, 1, 7):
        runs_natively([a, x, n], outputs, [value(4, 3), value(5), np.array(count)])


def test_lengths_of_parts_that_do_not_add_up_are_the_error_of_numpy():
    n = T.lscalar()
    f = both([a, n], T.split(a, [n, 1], 2, axis=1), [value(4, 3), np.array(2)])
    with pytest.raises(ValueError, match="The splits sum to 4"):
        f(value(4, 3), np.array(3))


def test_numbers_are_reshaped():
    """A parameter of a model, which joins a vector of all of them."""
    c, n = T.dscalar("c"), T.lscalar("n")
    one = T.col("one")
    outputs = [
        T.exp(c).reshape((1,)) * 2,
        T.join(0, x, T.exp(c).reshape((-1,)), T.reshape(c * 2, (n,), ndim=1)),
        T.exp(one).reshape((one.shape[0],)) + x,
        T.exp(c).reshape((1, n, 1), ndim=3),
    ]
    f = runs_natively([c, n, x, one], outputs, [1.5, 1, value(3), value(3, 1)])
    with pytest.raises(ValueError, match="reshape"):
        f(1.5, 2, value(3), value(3, 1))


@pytest.mark.parametrize("axis", [0, 1, None])
@pytest.mark.parametrize("shape", LENGTHS)
def test_all_and_any(shape, axis):
    outputs = [T.all(a > 0.5, axis=axis), T.any(a > 0.5, axis=axis), T.all(T.any(a > 3))]
    f = both([a], outputs, [value(*shape)])
    assert not f.fn.called_back, f.fn.called_back


def test_declared_lengths_of_one():
    column = T.addbroadcast(T.exp(a), 1)
    outputs = [column + b, T.unbroadcast(column, 1) * 2, T.addbroadcast(x, 0).sum()]
    f = runs_natively([a, b, x], outputs, [value(4, 1), value(4, 5), value(1)])
    with pytest.raises(ValueError, match="supposed to be 1"):
        f(value(4, 2), value(4, 5), value(1))
