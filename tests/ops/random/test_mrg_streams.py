"""MRG_RandomStreams: the numbers of Theano 1.0.5, how states are kept, and how random it is."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from scipy import stats

import theano
import theano.tensor as T
from tests.golden import ask_mrg
from theano.gradient import NullTypeGradError
from theano.sandbox import rng_mrg
from theano.sandbox.rng_mrg import MRG_RandomStreams

ENGINES = ("numpy", "xla")


def close(case, what, got, want):
    """Whether numbers are those recorded: each bit, or a rounding of exp and log and of sums."""
    if got.dtype != want.dtype or got.shape != want.shape:
        return False
    if "draw" not in what or got.dtype.kind != "f":
        return (got == want).all()
    method, kwargs = case["draws"][int(what.split("draw ")[1].split(",")[0])]
    if method == "uniform" and not {"low", "high"} & kwargs.keys():
        return (got == want).all()
    if "normal" not in method and method != "uniform":
        return (got == want).all()
    return np.abs(got - want).max() <= 2 * np.finfo(got.dtype).eps * max(1, np.abs(want).max())


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("case", ask_mrg.CASES, ids=[c["name"] for c in ask_mrg.CASES])
def test_draws_are_those_of_theano_1_0_5(case, engine):
    with np.load(ask_mrg.ANSWERS) as answers:
        recorded = {
            name.split(": ", 1)[1]: answers[name]
            for name in answers.files
            if name.startswith(case["name"] + ": ")
        }
    got = ask_mrg.draw(case, theano.Mode(engine))
    assert got.keys() == recorded.keys()
    wrong = [what for what in got if not close(case, what, got[what], recorded[what])]
    assert not wrong


def test_many_functions_on_mixed_engines_draw_the_sequence_of_one_alone():
    def streams():
        rng = MRG_RandomStreams(77)
        return [rng.uniform((9,)), rng.binomial((5, 2)), rng.normal((3,), dtype="float32")]

    alone = theano.function([], streams(), mode=theano.Mode("numpy"))
    shared = streams()
    modes = [theano.Mode(ENGINES[i % 2]) for i in range(10)]
    several = [theano.function([], shared, mode=mode) for mode in modes]
    for i in (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 3, 0, 7, 7, 2, 1):
        for got, want in zip(several[i](), alone(), strict=True):
            np.testing.assert_allclose(got, want, rtol=0, atol=1e-6 * (got.dtype == "float32"))


def test_functions_that_share_some_draws_advance_those_alone():
    rng = MRG_RandomStreams(5)
    a, b = rng.uniform((4,)), rng.uniform((4,))
    first = theano.function([], a, mode=theano.Mode("xla"))
    second = theano.function([], [a, b], mode=theano.Mode("numpy"))
    again = MRG_RandomStreams(5)
    alone = theano.function([], [again.uniform((4,)), again.uniform((4,))])
    rows = [alone() for _ in range(3)]
    assert (first() == rows[0][0]).all()
    got = second()
    assert (got[0] == rows[1][0]).all() and (got[1] == rows[0][1]).all()


def test_no_default_updates_draws_the_same_numbers_again():
    u = MRG_RandomStreams(5).uniform((4,))
    f = theano.function([], u, no_default_updates=True)
    assert (f() == f()).all()


def test_updates_given_by_hand_advance_as_the_default_ones_do():
    rng = MRG_RandomStreams(5)
    u = rng.uniform((4,))
    pairs = [(old, new) for old, new, _, _ in rng.updates()]
    f = theano.function([], u, updates=pairs, no_default_updates=True)
    g = theano.function([], MRG_RandomStreams(5).uniform((4,)))
    assert all((f() == g()).all() for _ in range(3))


def test_a_state_copied_into_another_graph_goes_on_from_there():
    made = []
    for seed in (5, 999):
        rng = MRG_RandomStreams(seed)
        made.append((rng, theano.function([], [rng.uniform((4,)), rng.normal((3,))])))
    (one, f), (two, g) = made
    f()
    for mine, other in zip(one.state_updates, two.state_updates, strict=True):
        other[0].set_value(mine[0].get_value())
    assert all((x == y).all() for x, y in zip(f(), g(), strict=True))


def test_streams_and_functions_can_be_pickled():
    rng = MRG_RandomStreams(5)
    f = theano.function([], rng.uniform((4,)))
    f()
    g = pickle.loads(pickle.dumps(f))
    assert (f() == g()).all()
    other = pickle.loads(pickle.dumps(rng))
    assert (other.rstate == rng.rstate).all()
    assert other.state_updates[0][0].get_value().shape == (4, 6)


def test_a_sample_knows_its_state():
    rng = MRG_RandomStreams(5)
    rng.uniform((3, 4))
    ((state, new, size, nstreams),) = rng.state_updates
    sample = new.owner.outputs[1]
    assert sample.rstate is state and sample.update == (state, new)
    assert state.default_update is new and state.tag.is_rng
    assert (size, nstreams) == ((3, 4), None)
    assert str(new.owner.op) == "mrg_uniform{TensorType(float64, matrix),no_inplace}"
    assert rng.updates() == rng.state_updates and rng.updates() is not rng.state_updates


CUT = 0.8796256610342398
SIZE = (20000,)
# by name: a draw, and what mean and deviation it should have
DRAWS = {
    "uniform": (lambda rng: rng.uniform(SIZE, low=-1.0, high=3.0), 1.0, 4 / 12**0.5),
    "uniform, one stream": (lambda rng: rng.uniform(SIZE, nstreams=1), 0.5, 1 / 12**0.5),
    "uniform, float32": (lambda rng: rng.uniform(SIZE, dtype="float32"), 0.5, 1 / 12**0.5),
    "uniform, float16": (lambda rng: rng.uniform(SIZE, dtype="float16"), 0.5, 1 / 12**0.5),
    "binomial": (lambda rng: rng.binomial(SIZE, p=0.3), 0.3, 0.21**0.5),
    "normal": (lambda rng: rng.normal(SIZE, avg=2.0, std=3.0), 2.0, 3.0),
    "normal, float32": (lambda rng: rng.normal(SIZE, dtype="float32"), 0.0, 1.0),
    "normal, truncated": (lambda rng: rng.normal(SIZE, truncate=True), 0.0, CUT),
    "truncated normal": (lambda rng: rng.truncated_normal(SIZE, std=0.5), 0.0, 0.5),
}


def sample_of(name):
    draw, mean, std = DRAWS[name]
    return theano.function([], draw(MRG_RandomStreams(2024)))().astype("float64"), mean, std


@pytest.mark.parametrize("name", DRAWS)
def test_moments_are_those_of_the_distribution(name):
    x, mean, std = sample_of(name)
    # five standard errors; squares of deviations vary by at most twice the variance
    assert abs(x.mean() - mean) < 5 * std / len(x) ** 0.5
    assert abs(((x - mean) ** 2).mean() - std**2) < 5 * 2 * std**2 / len(x) ** 0.5


def chi_square(counts, chances):
    """The probability of counts at least as far from what they should be."""
    return stats.chisquare(counts, np.asarray(chances) * np.sum(counts)).pvalue


@pytest.mark.parametrize("name", [name for name in DRAWS if name != "binomial"])
def test_cells_of_equal_probability_are_filled_equally(name):
    x, mean, std = sample_of(name)
    if "uniform" in name:
        half = std * 12**0.5 / 2
        cells = (x - mean + half) / (2 * half)
    elif "truncated" in name:
        # normal and uniform radii, as 1.0.5 mixes them, are no cut normal distribution: within
        # 1% of it, which so few samples do not show
        cells = stats.truncnorm.cdf(x, -2, 2, loc=mean, scale=std / CUT)
    else:
        cells = stats.norm.cdf(x, mean, std)
    assert chi_square(np.bincount((cells * 20).astype(int), minlength=20), [1 / 20] * 20) > 1e-4


def test_pairs_of_samples_fill_the_square():
    x = theano.function([], MRG_RandomStreams(11).uniform((40000,)))()
    for lag in (1, 2, 40000 // 6):
        cells = (x[:-lag] * 8).astype(int) * 8 + (x[lag:] * 8).astype(int)
        assert chi_square(np.bincount(cells[:: lag + 1], minlength=64), [1 / 64] * 64) > 1e-4


def test_counts_of_choices_follow_their_probabilities():
    p = np.array([0.1, 0.2, 0.3, 0.4])
    rng = MRG_RandomStreams(4)
    rows = np.tile(p, (5000, 1))
    one = theano.function([], rng.multinomial(pvals=rows))()
    assert (one.sum(axis=1) == 1).all() and chi_square(one.sum(axis=0), p) > 1e-4
    many = theano.function([], rng.multinomial(pvals=rows[:50], n=100))()
    assert (many.sum(axis=1) == 100).all() and chi_square(many.sum(axis=0), p) > 1e-4
    two = theano.function([], rng.choice(2, p=rows, replace=False))()
    assert (two[:, 0] != two[:, 1]).all()
    assert chi_square(np.bincount(two[:, 0], minlength=4), p) > 1e-4
    after_last = p[:3] / p[:3].sum()
    assert chi_square(np.bincount(two[two[:, 0] == 3, 1], minlength=3), after_last) > 1e-4


def test_streams_begin_2_to_the_72_apart_and_draws_2_to_the_134():
    rng = MRG_RandomStreams(5)
    first = rng.get_substream_rstates(3, inc_rstate=False)
    assert (rng.rstate == 5).all()
    assert (first == rng.get_substream_rstates(3, "float32")).all()
    assert (first[1] == rng_mrg.ff_2p72(first[0])).all()
    assert (first[2] == rng_mrg.ff_2p72(first[1])).all()
    assert (rng.rstate == rng_mrg.ff_2p134(first[0])).all()
    # version 0.7 had inc_rstate second
    assert (rng.get_substream_rstates(1, False) == rng.rstate).all()


def test_numbers_of_streams_are_those_of_theano_1_0_5():
    told = [(), (1,), (6,), (7,), (11,), (12,), (100, 100), (1000, 1000), [3, 4]]
    assert [rng_mrg.guess_n_streams(s) for s in told] == [1, 1, 6, 1, 1, 2, 1666, 15360, 2]
    untold = [3, None, T.lvector(), (T.lscalar(),), (np.int64(7),)]
    assert {rng_mrg.guess_n_streams(s) for s in untold} == {15360}
    with pytest.warns(UserWarning, match="does not tell"):
        rng_mrg.guess_n_streams(T.lvector(), warn=True)


@pytest.mark.parametrize("seed", [1, True, np.int32(9), [1, 2, 3, 4, 5, 6], np.arange(1, 7)])
def test_a_seed_is_one_number_or_six(seed):
    wanted = list(seed) if np.ndim(seed) else [seed] * 6
    assert MRG_RandomStreams(seed).rstate.tolist() == wanted


# fmt: off
SEEDS = [
    (0,                             ValueError, "first 3 numbers are not all 0"),
    (-5,                            ValueError, "from 0 to less than 2147483647"),
    (2147462579,                    ValueError, "last 3 numbers are from 0 to less than"),
    ([0, 0, 0, 1, 1, 1],            ValueError, "first 3 numbers are not all 0"),
    ([1, 1, 1, 0, 0, 0],            ValueError, "last 3 numbers are not all 0"),
    ([2147483647, 1, 1, 1, 1, 1],   ValueError, "first 3 numbers"),
    ([1, 1, 1, 2147462579, 1, 1],   ValueError, "last 3 numbers"),
    (2.5,                           TypeError,  "1 integer or 6 integers"),
    ([1, 2, 3],                     TypeError,  "1 integer or 6 integers"),
    (None,                          TypeError,  "1 integer or 6 integers"),
    ("abcdef",                      TypeError,  "1 integer or 6 integers"),
    ([1.5] * 6,                     TypeError,  "takes integers"),
]

# fmt: on

REFUSED = {
    "a float as length": (lambda r: r.uniform((3.0,)), TypeError, "3.0"),
    "a length of 0": (lambda r: r.uniform((0, 3)), ValueError, "above 0"),
    "a negative length": (lambda r: r.normal((-1,)), ValueError, "above 0"),
    "one int": (lambda r: r.uniform(3), TypeError, "got 3"),
    "no size": (lambda r: r.binomial(), TypeError, "None"),
    "a matrix as size": (lambda r: r.normal(T.lmatrix()), TypeError, "as size"),
    "unknown dimensions": (lambda r: r.uniform(T.lvector()), ValueError, "length not known"),
    "wrong ndim": (lambda r: r.uniform((3, 4), ndim=3), ValueError, "3 lengths, got 2"),
    "floats as size": (lambda r: r.uniform(T.dvector(), ndim=1), TypeError, "vector of integers"),
    "an unknown keyword": (lambda r: r.uniform((3,), foo=3), TypeError, "foo"),
    "whole numbers": (lambda r: r.uniform((3,), dtype="int32"), TypeError, "cast the sample"),
    "too large bounds": (
        lambda r: r.uniform((3,), low=T.dmatrix()),
        NotImplementedError,
        "make the size as large",
    ),
    "no streams": (lambda r: r.uniform((3,), nstreams=0), ValueError, "positive int"),
    "a symbolic number": (
        lambda r: r.uniform((3,), nstreams=T.lscalar()),
        ValueError,
        "positive int",
    ),
    "two trials": (lambda r: r.binomial((3,), n=2), NotImplementedError, "n=1, got 2"),
    "no pvals": (lambda r: r.multinomial(), TypeError, "specify pvals"),
    "multinomial of a size": (
        lambda r: r.multinomial((3,), pvals=T.dmatrix()),
        ValueError,
        "size is None",
    ),
    "multinomial ndim": (
        lambda r: r.multinomial(ndim=2, pvals=T.dmatrix()),
        ValueError,
        "ndim is None",
    ),
    "multinomial, a vector": (
        lambda r: r.multinomial(pvals=T.dvector()),
        NotImplementedError,
        "takes a matrix",
    ),
    "choice with replacing": (
        lambda r: r.choice(p=T.dmatrix()),
        NotImplementedError,
        "replace=False",
    ),
    "choice of a": (lambda r: r.choice(a=3, p=T.dmatrix(), replace=False), TypeError, "a is None"),
    "choice without p": (lambda r: r.choice(replace=False), TypeError, "takes p"),
    "choice ndim": (
        lambda r: r.choice(p=T.dmatrix(), ndim=2, replace=False),
        ValueError,
        "ndim is None",
    ),
    "choice of a vector": (
        lambda r: r.choice(p=T.dvector(), replace=False),
        NotImplementedError,
        "a matrix",
    ),
}


@pytest.mark.parametrize(("seed", "error", "text"), SEEDS, ids=[str(s[0]) for s in SEEDS])
def test_seeds_that_are_refused_say_why(seed, error, text):
    with pytest.raises(error, match=text):
        MRG_RandomStreams(seed)


@pytest.mark.parametrize(("draw", "error", "text"), REFUSED.values(), ids=REFUSED)
def test_draws_that_are_refused_say_why(draw, error, text):
    with pytest.raises(error, match=text):
        draw(MRG_RandomStreams(5))


@pytest.mark.parametrize("engine", ENGINES)
def test_sizes_that_are_wrong_at_run_time_raise_and_leave_the_state(engine):
    size = T.lvector()
    rng = MRG_RandomStreams(5)
    f = theano.function([size], rng.uniform(size, ndim=2), mode=theano.Mode(engine))
    state = rng.state_updates[0][0]
    before = state.get_value()
    for wrong, text in (
        ([3], "."),
        ([2, 3, 4], "2 lengths, got 3"),
        ([-1, 3], "negative dimensions"),
        ([2**20, 2**12], "at most 2"),
    ):
        with pytest.raises((ValueError, IndexError), match=text):
            f(wrong)
    assert (state.get_value() == before).all()
    assert f([2, 3]).shape == (2, 3)


def test_gradients_go_past_samples_and_not_through_their_parameters():
    x, m = T.dscalar(), T.dmatrix()
    rng = MRG_RandomStreams(5)
    mask = rng.binomial((4,), dtype="float64")
    value, slope = theano.function([x], [mask.sum(), T.grad((x * mask).sum(), x)])(2.0)
    assert value == slope
    samples = [
        (rng.uniform((3,), low=x), x),
        (rng.uniform((3,), high=x), x),
        (rng.normal((3,), avg=x), x),
        (rng.normal((3,), std=x), x),
        (rng.truncated_normal((3,), std=x), x),
        (rng.binomial((3,), p=x, dtype="float64"), x),
        (rng.multinomial(pvals=m, dtype="float64"), m),
        (rng.choice(p=m, replace=False, dtype="float64"), m),
    ]
    for sample, wrt in samples:
        with pytest.raises(NullTypeGradError):
            T.grad(sample.sum(), wrt)


def test_derivatives_along_a_direction_take_samples_for_constants():
    x = T.dscalar()
    u = MRG_RandomStreams(5).uniform((3,))
    value, along = theano.function([x], [u, T.Rop(u * x, x, x)])(2.0)
    np.testing.assert_array_equal(along, value * 2)


def test_dtypes_follow_floatx_and_the_parameters():
    rng = MRG_RandomStreams(5)
    with theano.config.change_flags(floatX="float32"):
        assert rng.uniform((3,)).dtype == "float32"
        assert rng.uniform((3,), low=T.dscalar()).dtype == "float64"
        assert rng.normal((3,)).dtype == "float32"
        assert rng.normal((3,), std=np.float64(2)).dtype == "float64"
    assert rng.uniform((3,)).dtype == "float64"
    for dtype in ("float16", "float32", "float64"):
        for draw in (rng.uniform, rng.normal, rng.truncated_normal):
            assert draw((3,), dtype=dtype).dtype == dtype
    assert rng.uniform((1, 3)).broadcastable == (True, False)
    assert rng.uniform([3, 4]).ndim == 2
    assert MRG_RandomStreams(seed=5, use_cuda=False).rstate.tolist() == [5] * 6


@pytest.mark.parametrize("engine", ENGINES)
def test_a_loop_draws_what_as_many_calls_do(engine):
    alone = theano.function([], MRG_RandomStreams(5).uniform((3,)))
    rng = MRG_RandomStreams(5)
    rows, updates = theano.scan(lambda: rng.uniform((3,)), n_steps=4)
    f = theano.function([], rows, updates=updates, mode=theano.Mode(engine))
    for _ in range(2):
        assert (f() == [alone() for _ in range(4)]).all()
    assert list(updates) == [rng.state_updates[0][0]]


def test_a_state_may_be_what_a_loop_hands_on():
    start = theano.shared(MRG_RandomStreams(5).get_substream_rstates(3))
    (_, rows), _ = theano.scan(
        lambda state: rng_mrg.mrg_uniform.new(state, None, "float64", (3,)),
        outputs_info=[start, None],
        n_steps=4,
    )
    alone = theano.function([], MRG_RandomStreams(5).uniform((3,)))
    assert (rows.eval() == [alone() for _ in range(4)]).all()
