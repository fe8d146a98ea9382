"""Draws from NumPy's generator: the numbers that it gives itself, sizes, dtypes, refusals."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import theano
import theano.tensor as T
from theano.tensor import raw_random
from theano.tensor.raw_random import RandomFunction, random_state_type
from theano.testing import Case, OpSpec, Raises, spec_tests

RandomState = np.random.RandomState
SEED = 20
NONE = "none: a sample is no smooth function of what it is drawn with"
HOST = "host: NumPy's generator draws"


def sample(draw, *order):
    """A draw from a state that never changes, as a function of arguments in the order given."""

    def fn(*args, size=None, **kwargs):
        return draw(RandomState(SEED), size, **dict(zip(order, args, strict=False)), **kwargs)[1]

    fn.__name__ = draw.__name__
    return fn


def lengths(size, args):
    """A size, the length of the arguments where it says none."""
    known = np.broadcast_shapes(*map(np.shape, args))
    if size is None:
        return known
    return tuple(known[i - len(size)] if n == -1 else n for i, n in enumerate(size))


def one_by_one(draw):
    """The reference: one number after another, for arguments stretched to the size."""

    def ref(*args, size=None, dtype=None, ndim=None):
        rng = RandomState(SEED)
        shape = lengths(size, args)
        each = [np.broadcast_to(a, shape) for a in args]
        out = np.array([draw(rng, *(a[i] for a in each)) for i in np.ndindex(*shape)])
        return out.reshape(shape).astype(dtype or out.dtype)

    return ref


def spec(draw, order, ref, *cases, **facts):
    return OpSpec(sample(draw, *order), ref, cases=cases, grad=NONE, xla=HOST, **facts)


def permutations(n, size=None, **_):
    rng = RandomState(SEED)
    rows = [rng.permutation(int(n)) for _ in range(int(np.prod(size or ())))]
    return np.array(rows, "int64").reshape(*(size or ()), int(n))


def counts(n, pvals, size=None, **_):
    rng = RandomState(SEED)
    rows = lengths(size, [n, np.asarray(pvals)[..., 0]])
    n = np.broadcast_to(n, rows)
    pvals = np.broadcast_to(pvals, (*rows, np.shape(pvals)[-1]))
    made = [rng.multinomial(int(n[i]), pvals[i]) for i in np.ndindex(*rows)]
    return np.array(made, "int64").reshape(pvals.shape)


def elements(a, size=None, replace=True, p=None, **_):
    """The definitions of ``choice``: by the inverse of the distribution, or by shuffling."""
    rng = RandomState(SEED)
    a = np.arange(a) if np.ndim(a) == 0 else np.asarray(a)
    count = int(np.prod(size or ()))
    if not replace:
        return a[rng.permutation(len(a))[:count]].reshape(size)
    if p is None:
        return np.array([a[rng.randint(0, len(a))] for _ in range(count)]).reshape(size or ())
    edges = np.cumsum(p) / np.sum(p)
    at = [int(np.searchsorted(edges, rng.random_sample(), side="right")) for _ in range(count)]
    return a[at].reshape(size or ())


ROW, COL = np.array([[0.5, 1.0, 2.0]]), np.array([[1.0], [3.0]])
ONE = {0: (True, False), 1: (False, True)}
F32 = np.float32
SPECS = [
    spec(
        raw_random.uniform, ("low", "high"),
        one_by_one(lambda r, low, high: low + (high - low) * r.random_sample()),
        Case(1.0, 2.5, kwargs={"size": (2, 3)}, id="sized"),
        Case(ROW, COL + 2, broadcastable=ONE, id="by arguments"),
        Case(F32(1), F32(3), kwargs={"size": (3,), "dtype": "float32"}, id="float32"),
        Case(np.arange(3.0), 4.0, kwargs={"size": (2, -1)}, id="a length of the arguments"),
        Case(-1.0, 1.0, id="no dimension"),
        Case(0.0, 1.0, kwargs={"size": (0, 2)}, id="empty"),
        errors=[
            Raises((0.0, 1.0), TypeError, "a size has integers, got 2.5", kwargs={"size": (2.5,)}),
            Raises((0.0, 1.0), TypeError, "vector of integers", kwargs={"size": 5}),
            Raises((0.0, 1.0), ValueError, "negative lengths but -1", kwargs={"size": (-2,)}),
            Raises((0.0, 1.0), ValueError, "none has it", kwargs={"size": (-1,)}),
            Raises((0.0, 1.0), ValueError, "ndim=3", kwargs={"size": (2, 2), "ndim": 3}),
            Raises((np.zeros((2, 2)), 1.0), ValueError, "an argument of 2", kwargs={"size": (2,)}),
            Raises((np.zeros(3), 1.0), ValueError, "shape", "run", kwargs={"size": (2,)}),
        ],
    ),
    spec(
        raw_random.normal, ("avg", "std"),
        one_by_one(lambda r, avg, std: avg + std * r.standard_normal()),
        Case(1.0, 2.5, kwargs={"size": (2, 3)}, id="sized"),
        Case(ROW, COL, broadcastable=ONE, id="by arguments"),
        Case(F32(1), F32(3), kwargs={"size": (3,), "dtype": "float32"}, id="float32"),
        errors=[Raises((0.0, -1.0), ValueError, "scale < 0", "run", kwargs={"size": (2,)})],
    ),
    spec(
        raw_random.binomial, ("n", "p"),
        one_by_one(lambda r, n, p: r.binomial(n, p)),
        Case(10, 0.25, kwargs={"size": (3, 4)}, id="sized"),
        Case(np.array([1, 5, 100]), np.array([0.5, 0.1, 0.9]), id="by arguments"),
        Case(1, F32(0.5), kwargs={"size": (6,), "dtype": "float32"}, id="float32"),
        errors=[Raises((1, 1.5), ValueError, "p > 1", "run", kwargs={"size": (2,)})],
    ),
    spec(
        raw_random.random_integers, ("low", "high"),
        one_by_one(lambda r, low, high: r.randint(int(low), int(high) + 1)),
        Case(-3, 3, kwargs={"size": (4, 5)}, id="sized"),
        Case(np.array([[0], [2]]), np.array([3, 20, 10**12]), id="by arguments"),
        Case(np.int8(100), np.int8(127), kwargs={"size": (9,), "dtype": "int8"}, id="int8"),
        Case(2**63 - 3, 2**63 - 1, kwargs={"size": (9,)}, id="to the largest"),
        Case(np.array([-(2**63), 7]), np.array([2**63 - 1, 7]), id="all there are"),
        Case(0.0, 5.0, kwargs={"size": (5,)}, id="floats"),
        errors=[Raises((2, 1), ValueError, "low >= high", "run", kwargs={"size": (2,)})],
    ),
    spec(
        raw_random.poisson, ("lam",),
        one_by_one(lambda r, lam: r.poisson(lam)),
        Case(3.5, kwargs={"size": (4, 2)}, id="sized"),
        Case(np.array([0.0, 2.0, 300.0]), id="by arguments"),
        errors=[Raises(-1.0, ValueError, "lam < 0", "run", kwargs={"size": (2,)})],
    ),
    spec(
        raw_random.permutation, ("n",), permutations,
        Case(4, kwargs={"size": (2, 3)}, id="sized"),
        Case(5, id="one"),
        Case(0, kwargs={"size": (2,)}, id="of nothing"),
        errors=[
            Raises(3, TypeError, "size of 2 lengths", kwargs={"ndim": 2}),
            Raises(np.array([3]), ValueError, "a number as n", "run", kwargs={"size": (2,)}),
        ],
        sizes="none: its argument is a number",
    ),
    spec(
        raw_random.multinomial, ("n", "pvals"), counts,
        Case(10, np.array([0.2, 0.3, 0.5]), kwargs={"size": (5,)}, id="sized"),
        Case(3, np.array([[0.2, 0.8], [0.5, 0.5]]), id="rows"),
        Case(np.array([1, 20]), ROW / ROW.sum(), broadcastable={1: (True, False)}, id="many n"),
        Case(2, np.full((3, 4), 0.25), kwargs={"size": (2, -1)}, id="a length of the rows"),
        errors=[
            Raises((1, np.array([1.5, -0.5])), ValueError, "got -0.5", "run"),
            Raises((1, np.array([0.5, np.nan])), ValueError, "got nan", "run"),
            Raises((1, np.array([0.75, 0.75])), ValueError, "one with 1.5", "run"),
            Raises((1, 0.5), TypeError, "a scalar"),
        ],
    ),
    spec(
        raw_random.choice, ("a",), elements,
        Case(7, kwargs={"size": (2, 3)}, id="below"),
        Case(np.array([5, 7, 9]), kwargs={"size": (6,)}, id="of a vector"),
        Case(np.array([5, 7, 9]), kwargs={"size": (3,), "replace": False}, id="each once"),
        Case(3, kwargs={"size": (9,), "p": [0.5, 0.0, 0.5]}, id="with probabilities"),
        Case(4, id="one"),
        errors=[
            Raises(np.array([0.5, 1.5]), TypeError, "pass dtype='float64'", kwargs={"size": (2,)}),
            Raises(2, ValueError, "larger sample", "run", kwargs={"size": (3,), "replace": False}),
            Raises(np.ones((2, 2), int), ValueError, "a vector or a number", "run"),
        ],
    ),
]  # fmt: skip

r, s, x = random_state_type("r"), T.lvector("s"), T.dvector("x")


@pytest.mark.parametrize(
    ("draw", "want"),
    [
        (lambda: raw_random.uniform(r, (1, 3)), (True, False)),
        (lambda: raw_random.uniform(r, s, ndim=2), (False, False)),
        (lambda: raw_random.uniform(r, [T.lscalar(), 1]), (False, True)),
        (lambda: raw_random.uniform(r, None, T.drow(), T.dcol()), (False, False)),
        (lambda: raw_random.uniform(r, None, T.drow()), (True, False)),
        (lambda: raw_random.uniform(r, (2, -1), T.drow()), (False, False)),
        (lambda: raw_random.uniform(r, (2, -1), T.dcol()), (False, True)),
        (lambda: raw_random.uniform(r, T.dmatrix().shape), (False, False)),
        (lambda: raw_random.uniform(r, np.array([1, 2])), (False, False)),
        (lambda: raw_random.binomial(r, (1, 3)), (False, False)),
        (lambda: raw_random.permutation(r, (1,), 3), (True, False)),
        (lambda: raw_random.multinomial(r, None, 1, T.drow()), (True, False)),
        (lambda: raw_random.multinomial(r, (4,), p_vals=[1.0]), (False, True)),
    ],
)
def test_the_size_says_which_dimensions_are_broadcastable(draw, want):
    assert draw()[1].broadcastable == want


def test_a_size_whose_length_is_unknown_needs_ndim():
    with pytest.raises(ValueError, match="length not known"):
        raw_random.normal(r, s)
    f = theano.function([r, s], raw_random.normal(r, s, ndim=2)[1])
    assert f(RandomState(3), [2, 4]).shape == (2, 4)
    with pytest.raises(ValueError, match="takes 2 lengths as size, got 3"):
        f(RandomState(3), [2, 4, 1])
    with pytest.raises(ValueError, match="negative dimensions"):
        f(RandomState(3), [2, -4])


def test_dtypes_are_at_least_floatX_unless_asked_for():
    assert raw_random.uniform(r, (2,), T.lscalar(), T.fscalar())[1].dtype == "float64"
    with theano.config.change_flags(floatX="float32"):
        assert raw_random.uniform(r, (2,))[1].dtype == "float32"
        assert raw_random.normal(r, (2,), T.dscalar())[1].dtype == "float64"
    assert raw_random.normal(r, (2,), T.dscalar(), dtype="float32")[1].dtype == "float32"


def test_a_state_given_to_a_function_is_left_as_it_was():
    mine, other = RandomState(3), RandomState(3)
    new, one = raw_random.normal(r, (3,))
    newer, two = raw_random.normal(new, (3,))
    for mode in ("numpy", "xla", "py"):
        f = theano.function([r], [one, two, newer], mode=theano.Mode(mode))
        a, b, after = f(mine)
        assert random_state_type.values_eq(mine, other)
        want = RandomState(3)
        assert np.array_equal(a, want.normal(size=3)) and np.array_equal(b, want.normal(size=3))
        assert random_state_type.values_eq(after, want)
        # what a function gives is the caller's
        after.uniform()
        assert random_state_type.values_eq(f(mine)[2], want)


def test_a_chain_of_draws_copies_the_state_once():
    f = theano.function([r], raw_random.normal(raw_random.normal(r, (3,))[0], (3,))[1])
    first, second = [n.op.inplace for n in f.maker.fgraph.toposort() if is_draw(n)]
    assert (first, second) == (False, True)


def is_draw(node):
    return isinstance(node.op, RandomFunction)


def test_a_state_that_two_draws_read_is_not_overwritten_by_the_first():
    a, b = raw_random.uniform(r, (2,))[1], raw_random.uniform(r, (2,), 1.0, 2.0)[1]
    one, two = theano.function([theano.In(r, mutable=True)], [a, b])(RandomState(8))
    want = RandomState(8).uniform(size=2)
    assert np.array_equal(one, want) and np.allclose(two, want + 1, rtol=1e-15)


def test_equal_draws_from_one_state_are_merged():
    a, b = raw_random.uniform(r, (2,))[1], raw_random.uniform(r, (2,))[1]
    f = theano.function([r], [a, b])
    assert sum(map(is_draw, f.maker.fgraph.toposort())) == 1
    one, two = f(RandomState(1))
    assert np.array_equal(one, two) and not np.shares_memory(one, two)


def test_shapes_are_known_without_drawing():
    pvals = T.dmatrix()
    draws = [
        raw_random.uniform(r, (s[0], 4)),
        raw_random.permutation(r, (2, s[1]), s[2]),
        raw_random.multinomial(r, None, 1, pvals),
        raw_random.multinomial(r, (5, -1), 1, pvals),
    ]
    f = theano.function([r, s, pvals], [v.shape for _, v in draws], on_unused_input="ignore")
    assert not any(map(is_draw, f.maker.fgraph.toposort()))
    shapes = [tuple(v) for v in f(RandomState(1), [7, 8, 9], np.full((3, 2), 0.5))]
    assert shapes == [(7, 4), (2, 8, 9), (3, 2), (5, 3, 2)]


def test_rows_that_rounding_made_too_large_are_drawn_as_if_they_added_up_to_one():
    # as float32 they add up to more than 1; the last class has no probability and never comes
    pvals = np.array([1 / 3 + 1e-7, 1 / 3, 1 / 3, 0.0], "float32")
    assert pvals[:3].astype("float64").sum() > 1
    f = theano.function([r], raw_random.multinomial(r, (50,), 10**6, pvals)[1])
    made = f(RandomState(5))
    assert (made.sum(axis=1) == 10**6).all() and not made[:, 3].any()


def test_integers_between_floats_lie_between_them():
    f = theano.function([r], raw_random.random_integers(r, (200,), 0.5, 3.9)[1])
    assert set(f(RandomState(2)).tolist()) == {1, 2, 3}


def test_choice_of_floats_needs_their_dtype():
    f = theano.function([r], raw_random.choice(r, (50,), [0.5, 1.5], dtype="float64")[1])
    assert set(f(RandomState(2)).tolist()) == {0.5, 1.5}


def test_probabilities_of_choice_may_be_symbolic():
    p = T.dvector()
    f = theano.function([r, p], raw_random.choice(r, (50,), 3, p=p)[1])
    assert set(f(RandomState(2), [0.5, 0.0, 0.5]).tolist()) == {0, 2}


def test_a_sample_has_no_gradient_in_its_parameters():
    noise = raw_random.normal(r, None, x)[1]
    with pytest.raises(theano.gradient.NullTypeGradError, match="no smooth function"):
        T.grad(noise.sum(), x)
    with pytest.raises(theano.gradient.NullTypeGradError, match="no smooth function"):
        T.Rop(noise, x, x)
    assert T.grad((noise * x).sum(), x, consider_constant=[noise]).owner.op is not None


def test_gradients_pass_by_a_sample_whose_size_is_that_of_an_input():
    mask = raw_random.binomial(r, x.shape, 1, 0.5, dtype="float64")[1]
    slope, moved = T.grad((x**2 * mask).sum(), x), T.Rop(x * mask, x, x)
    kept = RandomState(4).binomial(1, 0.5, 3)
    for engine in ("numpy", "xla"):
        f = theano.function([x, r], [slope, moved], mode=theano.Mode(engine))
        gx, dy = f([1.0, 2.0, 3.0], RandomState(4))
        assert gx.tolist() == (2 * kept * [1, 2, 3]).tolist()
        assert dy.tolist() == (kept * [1, 2, 3]).tolist()


def test_draws_are_refused_over_rows_of_their_arguments_alone():
    rows = T.dmatrix("rows")
    with pytest.raises(TypeError, match="draw for all rows at once"):
        theano.vectorize([raw_random.normal(r, None, x)[1]], {x: rows})
    # one draw for all rows
    (made,) = theano.vectorize([x + raw_random.normal(r, (2,))[1]], {x: rows})
    noise = RandomState(4).normal(size=2)
    got = theano.function([rows, r], made)([[1.0, 2.0], [3.0, 4.0]], RandomState(4))
    assert np.allclose(got, noise + [[1, 2], [3, 4]])


def test_any_function_of_a_state_and_a_size_may_draw():
    def twice(state, scale, size):
        return 2 * scale * state.random_sample(size)

    draw = RandomFunction(twice, T.dvector)
    assert str(draw) == "RandomFunction{twice}" and draw == RandomFunction(twice, T.dvector)
    assert draw != RandomFunction("uniform", T.dvector)
    f = theano.function([r], draw(r, [3], 1.0)[1])
    assert np.array_equal(f(RandomState(1)), 2 * RandomState(1).random_sample(3))


def test_a_function_that_draws_another_shape_is_refused():
    draw = RandomFunction(lambda state, size: state.random_sample(5), T.dvector)
    f = theano.function([r], draw(r, [3])[1])
    with pytest.raises(ValueError, match=r"of size \(3,\), got the shape \(5,\)"):
        f(RandomState(1))


@pytest.mark.parametrize(
    ("state", "text"),
    [(theano.generic(), "takes the state of a generator"), (5, "RandomState, got 5")],
)
def test_only_states_are_drawn_from(state, text):
    with pytest.raises(TypeError, match=text):
        raw_random.uniform(state, (2,))


def test_the_former_name_of_p_still_works():
    with pytest.warns(UserWarning, match="now called 'p'"):
        made = raw_random.binomial(r, (5,), prob=1.0)[1]
    assert theano.function([r], made)(RandomState(1)).tolist() == [1] * 5


def test_functions_that_draw_can_be_pickled():
    f = theano.function([r], [raw_random.uniform(r, (2,))[1], raw_random.permutation(r, n=3)[1]])
    again = pickle.loads(pickle.dumps(f))
    for a, b in zip(f(RandomState(6)), again(RandomState(6)), strict=True):
        assert np.array_equal(a, b)


test_ops = spec_tests(SPECS)
