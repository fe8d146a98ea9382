"""What looks useless and is not stays: NaN, lengths, narrow dtypes, single bits."""

import numpy as np
import pytest

import theano
import theano.tensor as T

ENGINES = ["numpy", pytest.param("xla", marks=pytest.mark.xla)]
PLAIN = theano.Mode("numpy").excluding("fusion", "inplace")
NAN, INF = np.nan, np.inf
x, y = T.dvectors("x", "y")
k, m = T.lvectors("k", "m")


def ops(inputs, output, mode=PLAIN):
    f = theano.function(inputs, output, mode=mode)
    shown = [str(node.op) for node in f.maker.fgraph.toposort()]
    return [name for name in shown if name != "DeepCopyOp"]  # outputs that are inputs are copied


@pytest.mark.parametrize("engine", ENGINES)
def test_comparisons_of_floats_see_nan(engine):
    outputs = [T.eq(x, x), T.neq(x, x), T.le(x, x), T.lt(x, x), ~(x < y), ~T.eq(x, y)]
    f = theano.function([x, y], outputs, mode=theano.Mode(engine))
    a, b = np.array([1.0, NAN, 2.0]), np.array([2.0, 1.0, 2.0])
    want = [a == a, a != a, a <= a, a < a, ~(a < b), ~(a == b)]
    for got, w in zip(f(a, b), want):
        assert got.dtype == bool and got.tolist() == w.tolist()


def test_comparisons_of_integers_with_themselves_are_settled():
    assert ops([k], T.eq(k, k)) == ["Shape_i{0}", "Alloc"]
    assert ops([k, m], ~(k < m)) == ["Elemwise{ge,no_inplace}"]


@pytest.mark.parametrize("engine", ENGINES)
def test_logic_of_integers_is_by_bits(engine):
    outputs = [k & 1, k | 1, k ^ 1, k & -1, k | -1, k ^ -1, k & 0, k | 0, k ^ 0, k ^ k, k & k]
    f = theano.function([k], outputs, mode=theano.Mode(engine))
    a = np.array([0, 1, 2, -3])
    want = [a & 1, a | 1, a ^ 1, a & -1, a | -1, a ^ -1, a & 0, a | 0, a ^ 0, a ^ a, a & a]
    for got, w in zip(f(a), want):
        assert got.dtype == w.dtype and got.tolist() == w.tolist()


def test_a_cast_that_rounds_or_wraps_on_the_way_stays():
    f = theano.function(
        [x, k],
        [
            T.cast(T.cast(x, "float32"), "float64"),
            T.cast(T.cast(k, "float64"), "int64"),
            T.cast(T.cast(k, "int8"), "int64"),
            T.cast(T.cast(x, "int64"), "float64"),
        ],
        mode=PLAIN,
    )
    big = np.array([2**53 + 1, 200])
    got = f([0.1, 1.7], big)
    assert got[0].tolist() == np.array([0.1, 1.7], "float32").astype("float64").tolist()
    assert got[1].tolist() == [2**53, 200]
    assert got[2].tolist() == big.astype("int8").tolist()
    assert got[3].tolist() == [0.0, 1.0]


@pytest.mark.parametrize("between", ["int8", "int32", "uint16", "float16", "float32", "float64"])
@pytest.mark.parametrize("last", ["bool", "int8", "uint64", "int64", "float16", "float64"])
def test_a_chain_of_casts_gives_what_it_gives_step_by_step(between, last):
    for first in ("bool", "int8", "int16", "uint32", "int64", "float32"):
        v = T.TensorType(first, (False,))("v")
        chain = T.cast(T.cast(v, between), last)
        data = np.array([0, 1, 100, -7, 2**31 - 1, 40000]).astype(first)
        rewritten = theano.function([v], chain, mode=theano.Mode("py"))(data)
        plain = theano.function([v], chain, mode=theano.Mode("py", optimizer=None))(data)
        assert rewritten.dtype == plain.dtype
        np.testing.assert_array_equal(rewritten, plain)


def test_casts_back_and_forth_through_a_wider_dtype_are_nothing():
    assert ops([k], T.cast(T.cast(T.cast(k, "int32"), "int64"), "int32"))[0].count("int32") == 1
    s = T.fvector("s")
    assert ops([s], T.cast(T.cast(s, "float64"), "float32")) == []


@pytest.mark.parametrize("engine", ENGINES)
def test_a_product_with_zero_is_zero_unless_the_rule_is_left_out(engine):
    a = [1.0, NAN, INF]
    assert theano.function([x], x * 0, mode=theano.Mode(engine))(a).tolist() == [0.0, 0.0, 0.0]
    careful = theano.Mode(engine).excluding("local_mul_zero")
    got = theano.function([x], x * 0, mode=careful)(a)
    assert np.isnan(got).tolist() == [False, True, True]


def test_the_length_of_a_constant_is_checked_though_its_value_changes_nothing():
    ones, zeros = T.constant(np.ones(3)), T.constant(np.zeros(3))
    for out in (x * ones, x + zeros, x * zeros, x - zeros, x / ones, x**ones, x * ones * 2):
        f = theano.function([x], out, mode=PLAIN)
        assert f([1.0, 2.0, 3.0]).shape == (3,)
        with pytest.raises(ValueError, match="mis-match"):
            f([1.0, 2.0])


@pytest.mark.parametrize("engine", ENGINES)
def test_floats_divided_by_one_are_rounded_down(engine):
    f = theano.function([x, k], [x // 1, k // 1], mode=theano.Mode(engine))
    down, same = f([1.5, -1.5], [3, -4])
    assert down.tolist() == [1.0, -2.0] and same.tolist() == [3, -4]


def test_lengths_are_not_compared_with_numbers_below_them():
    shape = x.shape[0]
    assert ops([x], T.ge(shape, 0)) == [] and ops([x], T.maximum(shape, 0)) == ["Shape_i{0}"]
    f = theano.function([x], [T.ge(shape, 1), T.maximum(shape, 2), T.eq(shape, 0)], mode=PLAIN)
    assert [v.item() for v in f([])] == [False, 2, True]


@pytest.mark.parametrize("engine", ENGINES)
def test_a_settled_choice_keeps_shape_dtype_and_the_check_of_lengths(engine):
    f = theano.function([x, y], T.switch(1, x, y), mode=theano.Mode(engine))
    assert f([1.0, 2.0], [3.0, 4.0]).tolist() == [1.0, 2.0]
    with pytest.raises(ValueError, match="mis-match"):
        f([1.0, 2.0], [3.0, 4.0, 5.0])
    s = T.iscalar("s")
    wide = theano.function([s, y], T.switch(0, y, s), mode=theano.Mode(engine))(7, [1.0, 2.0])
    assert wide.dtype == "float64" and wide.tolist() == [7.0, 7.0]


@pytest.mark.parametrize("engine", ENGINES)
def test_a_zero_chosen_wins_over_what_it_is_multiplied_with(engine):
    g = T.grad(T.switch(x > 0, T.sqrt(x), 0).sum(), x)
    f = theano.function([x], g, mode=theano.Mode(engine))
    assert f([4.0, -1.0, 0.0]).tolist() == [0.25, 0.0, 0.0]


def test_switches_of_narrow_integers_are_not_added_in_a_narrower_dtype():
    a = T.bvector("a")
    c = T.TensorType("bool", (False,))("c")
    wide = T.ivector("wide")
    both = T.switch(c, a, wide) + T.switch(c, a, wide)
    f = theano.function([c, a, wide], both, mode=PLAIN)
    got = f([True, False], np.array([100, 1], "int8"), np.array([7, 8], "int32"))
    assert got.dtype == "int32" and got.tolist() == [200, 16]


def test_functions_of_their_inverses_are_removed_with_care():
    assert ops([x], T.sinh(T.arcsinh(x))) == [] and ops([x], T.rad2deg(T.deg2rad(x))) == []
    f = theano.function([x], T.arccosh(T.cosh(x)), mode=PLAIN)
    assert f([-2.0, 2.0]).tolist() == [2.0, 2.0]


def test_whole_numbers_are_not_rounded_again():
    assert ops([x], T.floor(T.ceil(x))) == ["Elemwise{ceil,no_inplace}"]
    assert ops([x], T.exp(T.round(T.trunc(x)))) == [
        "Elemwise{trunc,no_inplace}",
        "Elemwise{exp,no_inplace}",
    ]
