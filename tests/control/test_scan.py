"""theano.scan: what the documents promise of it, on both engines."""

from __future__ import annotations

import numpy as np
import pytest

import theano
import theano.tensor as T
from theano.scan_module import until

ENGINES = ("numpy", "xla")
engines = pytest.mark.parametrize("linker", ["numpy", pytest.param("xla", marks=pytest.mark.xla)])

V = np.array([1.0, 2.0, 3.0, 4.0])
M = np.arange(6.0).reshape(3, 2) / 4

v, w = T.dvectors("vw")
m = T.dmatrix("m")
h0, k = T.dscalars("h0", "k")
n = T.iscalar("n")


def compiled(linker, inputs, outputs, **options):
    mode = theano.Mode(linker=linker, optimizer="fast_run")
    return theano.function(inputs, outputs, mode=mode, on_unused_input="ignore", **options)


def value(linker, outputs, given=None, **options):
    given = given or {}
    return compiled(linker, list(given), outputs, **options)(*given.values())


# arguments of the step


def test_a_step_gets_taps_in_the_order_given_then_earlier_outputs_then_the_rest():
    seen = []
    s1, s2, s3 = T.vectors("s1", "s2", "s3")
    o1, o2, a1 = T.vector("o1"), T.scalar("o2"), T.scalar("a1")
    o3 = T.scalar("o3")

    def step(*args):
        seen.extend(args)
        return T.constant(1.0, dtype="floatX"), s1[0], args[-3] * 2

    theano.scan(
        step,
        sequences=[{"input": s1, "taps": [-3, 2, -1]}, s2, {"input": s3, "taps": 3}],
        outputs_info=[{"initial": o1, "taps": [-3, -5]}, {"initial": o2, "taps": None}, o3],
        non_sequences=[a1, T.constant(7)],
        n_steps=5,
    )
    names = ["s1[t-3]", "s1[t+2]", "s1[t-1]", "s2[t]", "s3[t+3]"]
    names += ["o1[t-3]", "o1[t-5]", "o3[t-1]", "a1", None]
    assert [a.name for a in seen] == names


@engines
def test_the_documented_taps_read_the_documented_places(linker):
    s1, s2, s3 = [T.dvector() for _ in range(3)]
    o1, o3 = T.dvector(), T.dscalar()

    def step(a, b, c, d, e, f, g, h, arg):
        return [a + 10 * b + 100 * c + f - g, d * e, h + arg + a]

    outs, _ = theano.scan(
        step,
        sequences=[{"input": s1, "taps": [-3, 2, -1]}, s2, {"input": s3, "taps": 3}],
        outputs_info=[{"initial": o1, "taps": [-3, -5]}, {"initial": o3, "taps": None}, o3],
        non_sequences=k,
    )
    rng = np.random.default_rng(0)
    x1, x2, x3, i1 = rng.random(11), rng.random(8), rng.random(9), rng.random(5)
    steps = min(11 - 5, 8, 9 - 3)
    first, second, third = list(i1), [], [2.0]
    for t in range(steps):
        a, b, c = x1[t], x1[t + 5], x1[t + 2]
        first.append(a + 10 * b + 100 * c + first[-3] - first[-5])
        second.append(x2[t] * x3[t + 3])
        third.append(third[-1] + 0.5 + a)
    given = {s1: x1, s2: x2, s3: x3, o1: i1, o3: 2.0, k: 0.5}
    found = value(linker, outs, given)
    for one, wanted in zip(found, (first[5:], second, third[1:]), strict=True):
        np.testing.assert_allclose(one, wanted, rtol=1e-12)


@engines
def test_a_sequence_may_be_a_dict_of_its_own_and_taps_may_be_minus_zero(linker):
    out, _ = theano.scan(lambda a, b: a - b, sequences={"input": v, "taps": [-4, -0]})
    x = np.arange(9.0) ** 2
    np.testing.assert_array_equal(value(linker, out, {v: x}), x[:-4] - x[4:])


@engines
def test_the_shortest_sequence_decides_how_many_steps_there_are(linker):
    out, _ = theano.scan(lambda c, p, x: c * x**p, sequences=[v, T.arange(10000)], non_sequences=k)
    assert value(linker, out.sum(), {v: [1.0, 0.0, 2.0], k: 3.0}) == 19.0


@engines
def test_a_sequence_shorter_than_n_steps_is_an_error(linker):
    out, _ = theano.scan(lambda a: a * 2, sequences=v, n_steps=n)
    f = compiled(linker, [v, n], out)
    np.testing.assert_array_equal(f(V, 3), [2, 4, 6])
    with pytest.raises(ValueError, match=r"takes sequences of 5 steps, got 4") as e:
        f(V, 5)
    assert "in test_a_sequence_shorter_than_n_steps_is_an_error" in str(e.value)


@engines
def test_go_backwards_and_negative_n_steps_start_at_the_end(linker):
    def steps(**options):
        return theano.scan(lambda a, h: h * 10 + a, v, T.constant(0.0, dtype="float64"), **options)[
            0
        ]

    cases = [
        (steps(go_backwards=True), [4, 43, 432, 4321]),
        (steps(n_steps=-3), [4, 43, 432]),
        (steps(n_steps=-3, go_backwards=True), [1, 12, 123]),
        (steps(n_steps=2, go_backwards=True), [4, 43]),
    ]
    found = value(linker, [out for out, _ in cases], {v: V})
    for one, (_, wanted) in zip(found, cases, strict=True):
        np.testing.assert_array_equal(one, wanted)


@engines
def test_a_symbolic_number_of_steps_below_zero_is_an_error(linker):
    out, _ = theano.scan(lambda h: h * 2, outputs_info=h0, n_steps=n)
    with pytest.raises(ValueError, match="a number of steps that is not negative, got -3"):
        compiled(linker, [h0, n], out)(1.0, -3)


@engines
def test_no_steps_give_no_rows_and_gradients_of_zero(linker):
    both, _ = theano.scan(
        lambda a, h: [h * a, T.outer(a, h)], sequences=m, outputs_info=[v, None], n_steps=n
    )
    cost = both[0].sum() + both[1].sum()
    f = compiled(linker, [m, v, n], [*both, *theano.grad(cost, [m, v])])
    rows, outer, gm, gv = f(M, V[:2], 0)
    assert rows.shape == (0, 2) and outer.shape == (0, 2, 2)
    np.testing.assert_array_equal(gm, np.zeros((3, 2)))
    np.testing.assert_array_equal(gv, [0, 0])
    rows, outer, gm, gv = f(M[:0], V[:2], 0)
    assert rows.shape == (0, 2) and gm.shape == (0, 2)


@engines
def test_the_last_of_no_steps_is_an_error(linker):
    out, _ = theano.scan(lambda h: h * 2, outputs_info=h0, n_steps=n)
    f = compiled(linker, [h0, n], out[-1])
    assert f(1.0, 3) == 8
    with pytest.raises(IndexError):
        f(1.0, 0)


def test_a_number_of_steps_is_a_whole_number():
    with pytest.raises(ValueError, match="a whole number as n_steps"):
        theano.scan(lambda h: h, outputs_info=h0, n_steps=2.5)
    with pytest.raises(ValueError, match="a whole number as n_steps"):
        theano.scan(lambda h: h, outputs_info=h0, n_steps=T.ivector())
    with pytest.raises(ValueError, match="takes n_steps, or a sequence"):
        theano.scan(lambda h: h, outputs_info=h0)


# states


@engines
def test_the_initial_rows_of_taps_go_from_the_earliest_to_the_last(linker):
    out, _ = theano.scan(
        lambda a, b, c: a * 100 + b * 10 + c,
        outputs_info={"initial": v, "taps": [-5, -2, -1]},
        n_steps=1 + n,
    )
    first = np.array([1.0, 2.0, 3.0, 4.0, 5.0])
    wanted = list(first)
    for _ in range(3):
        wanted.append(wanted[-5] * 100 + wanted[-2] * 10 + wanted[-1])
    np.testing.assert_array_equal(value(linker, out, {v: first, n: 2}), wanted[5:])


@engines
def test_a_long_reach_back_means_what_a_short_one_means(linker):
    out, _ = theano.scan(
        lambda a, b: a + 2 * b, outputs_info={"initial": v, "taps": [-20, -1]}, n_steps=n
    )
    first = np.arange(20.0)
    wanted = list(first)
    for _ in range(30):
        wanted.append(wanted[-20] + 2 * wanted[-1])
    f = compiled(linker, [v, n], [out, theano.grad(out[-1], v)])
    rows, g = f(first, 30)
    np.testing.assert_allclose(rows, wanted[20:], rtol=1e-12)
    for i in (0, 7, 19):
        moved = list(np.eye(20)[i])
        for _ in range(30):
            moved.append(moved[-20] + 2 * moved[-1])
        np.testing.assert_allclose(g[i], moved[-1], rtol=1e-12)


def test_an_initial_state_with_too_few_rows_for_its_taps_is_an_error():
    with pytest.raises(TypeError, match="takes an initial state with 2 rows"):
        theano.scan(lambda a, b: a + b, outputs_info={"initial": k, "taps": [-2, -1]}, n_steps=3)
    out, _ = theano.scan(
        lambda a, b: a + b, outputs_info={"initial": v, "taps": [-2, -1]}, n_steps=3
    )
    for linker in ENGINES:
        with pytest.raises(IndexError):
            value(linker, out, {v: [1.0]})


@pytest.mark.parametrize(
    "infos", [None, [], [None, None], [{}, {}], [{}, {"initial": h0, "taps": []}]], ids=str
)
def test_without_initial_states_nothing_feeds_back(infos):
    outs, _ = theano.scan(lambda a: [a, a * 2], sequences=v, outputs_info=infos)
    for one, scale in zip(value("numpy", outs, {v: V}), (1, 2), strict=True):
        np.testing.assert_array_equal(one, V * scale)


def test_a_dict_with_an_initial_state_and_no_taps_looks_one_step_back():
    out, _ = theano.scan(lambda a, h: a + h, sequences=v, outputs_info={"initial": h0})
    np.testing.assert_array_equal(value("numpy", out, {v: V, h0: 0.0}), np.cumsum(V))


def test_outputs_info_for_some_outputs_only_is_an_error():
    with pytest.raises(ValueError, match="each of the 2 outputs of the step, got 1; give None"):
        theano.scan(lambda a, h: [h + a, a], sequences=v, outputs_info=[h0])


def test_taps_without_an_initial_state_and_taps_ahead_are_errors():
    with pytest.raises(ValueError, match="takes an initial state for an output with taps"):
        theano.scan(lambda a: a, sequences=v, outputs_info={"taps": [-1]})
    with pytest.raises(ValueError, match="takes taps of an output below 0"):
        theano.scan(lambda a: a, sequences=v, outputs_info={"initial": v, "taps": [0]})


def test_an_initial_state_that_would_be_rounded_is_an_error():
    first = T.as_tensor_variable(0)
    assert first.dtype == "int8"
    with pytest.raises(ValueError, match=r"whose dtype holds the output, got int8 .* int64"):
        theano.scan(lambda i, s: i + s, sequences=T.arange(5), outputs_info=first)


@engines
def test_a_narrower_output_takes_the_dtype_of_its_state(linker):
    x = T.fvector("x")
    out, _ = theano.scan(lambda a, h: a * 2, sequences=x, outputs_info=h0)
    assert out.dtype == "float64"
    np.testing.assert_array_equal(value(linker, out, {x: V.astype("f"), h0: 0.0}), V * 2)


def test_a_state_of_other_dimensions_or_declared_shorter_is_an_error():
    with pytest.raises(ValueError, match="as many dimensions as the output has, got 0"):
        theano.scan(lambda a, h: a + h, sequences=m, outputs_info=h0)
    one = T.TensorType("float64", (True,))("one")
    with pytest.raises(TypeError, match="declare it with unbroadcast"):
        theano.scan(lambda a, h: a + h, sequences=m, outputs_info=one)


@engines
def test_arrays_and_numbers_are_taken_where_variables_are(linker):
    out, _ = theano.scan(
        lambda a, h, c: h * c + a,
        sequences=np.arange(3.0),
        outputs_info=np.asarray(1.0),
        non_sequences=2,
    )
    np.testing.assert_array_equal(value(linker, out), [2, 5, 12])


# what a step returns


FORMS = {
    "outputs, updates": lambda out, up, stop: (out, up),
    "updates, outputs": lambda out, up, stop: (up, out),
    "outputs, updates, until": lambda out, up, stop: (out, up, stop),
    "updates, outputs, until": lambda out, up, stop: (up, out, stop),
    "list of outputs, updates": lambda out, up, stop: ([out], up),
    "outputs, pairs": lambda out, up, stop: (out, list(up.items())),
    "pairs, outputs, until": lambda out, up, stop: (list(up.items()), out, stop),
}


@engines
@pytest.mark.parametrize("form", FORMS)
def test_outputs_updates_and_until_come_in_any_documented_form(form, linker):
    count = theano.shared(0, "count")

    def step(h):
        return FORMS[form](h * 2, {count: count + 3}, until(h * 2 > 5))

    out, updates = theano.scan(step, outputs_info=np.asarray(1.0), n_steps=4)
    assert list(updates) == [count]
    found = compiled(linker, [], out, updates=updates)()
    steps = 3 if "until" in form else 4
    np.testing.assert_array_equal(found, 2.0 ** np.arange(1, steps + 1))
    assert count.get_value() == 3 * steps


def test_until_must_be_the_last_thing_returned():
    with pytest.raises(ValueError, match=r"until\(condition\) as the last of them"):
        theano.scan(lambda h: (until(h > 3), h * 2), outputs_info=h0, n_steps=4)
    with pytest.raises(TypeError, match="until takes a scalar condition"):
        until(v > 3)


@engines
def test_a_step_may_return_updates_only(linker):
    count = theano.shared(0, "count")
    out, updates = theano.scan(lambda: {count: count + 1}, n_steps=n)
    assert out is None
    assert compiled(linker, [n], [], updates=updates)(5) == []
    assert count.get_value() == 5
    assert type(updates).__name__ == "OrderedUpdates"


@engines
def test_until_keeps_the_step_in_which_it_holds(linker):
    def step(x):
        return x * 2, until(x * 2 > k)

    out, _ = theano.scan(step, outputs_info=T.constant(1.0), n_steps=1024)
    f = compiled(linker, [k], [out, out[-1], out.shape[0]])
    rows, last, length = f(45.0)
    np.testing.assert_array_equal(rows, [2, 4, 8, 16, 32, 64])
    assert (last, length) == (64, 6)
    rows, last, length = f(1.0)
    assert rows.tolist() == [2]


@engines
def test_until_ends_a_loop_over_a_sequence_and_its_gradient(linker):
    out, _ = theano.scan(lambda a, h: (h + a**2, until(a > 2)), sequences=v, outputs_info=h0)
    f = compiled(linker, [v, h0], [out, theano.grad(out[-1], v), theano.grad(out.sum(), h0)])
    rows, g, g0 = f(V, 1.0)
    np.testing.assert_array_equal(rows, [2, 6, 15])
    np.testing.assert_array_equal(g, [2, 4, 6, 0])
    assert g0 == 3


def test_a_step_without_return_is_an_error():
    with pytest.raises(ValueError, match=r"got None from <function .*: is a return missing\?"):
        theano.scan(lambda a: None, sequences=v)


def test_what_is_no_variable_is_refused_with_the_forms_that_are_taken():
    with pytest.raises(ValueError, match="returns outputs, updates, or both"):
        theano.scan(lambda a: object(), sequences=v)


def test_return_list_gives_a_list_of_one():
    out, _ = theano.scan(lambda a: a, sequences=v, return_list=True)
    assert isinstance(out, list) and len(out) == 1
    out, _ = theano.scan(lambda a: [a], sequences=v)
    assert not isinstance(out, list)


# closures


@engines
def test_what_a_step_uses_from_outside_is_found_by_itself(linker):
    weight = theano.shared(np.array([2.0, 3.0]), "weight")
    square = weight**2 + k
    out, _ = theano.scan(lambda a, h: h * square + a, sequences=m, outputs_info=T.zeros_like(w))
    f = compiled(linker, [m, k, w], [out[-1], *theano.grad(out.sum(), [k, weight])])
    by_hand = np.zeros(2)
    for row in M:
        by_hand = by_hand * (np.array([4.0, 9.0]) + 0.5) + row
    last, gk, gw = f(M, 0.5, [0.0, 0.0])
    np.testing.assert_allclose(last, by_hand, rtol=1e-12)
    assert gk.shape == () and gw.shape == (2,)
    weight.set_value(np.array([1.0, 1.0]))
    assert not np.allclose(f(M, 0.5, [0.0, 0.0])[0], by_hand)


def test_strict_asks_for_the_shared_variables_that_a_step_uses():
    weight = theano.shared(2.0, "weight")
    with pytest.raises(theano.gof.MissingInputError, match="weight is missing; add it"):
        theano.scan(lambda a: a * weight, sequences=v, strict=True)
    out, _ = theano.scan(lambda a, c: a * c * k, sequences=v, non_sequences=weight, strict=True)
    np.testing.assert_array_equal(value("numpy", out, {v: V, k: 3.0}), 6 * V)
    _, updates = theano.scan(lambda a: {weight: weight * a}, sequences=v, strict=True)
    assert list(updates) == [weight]


def test_non_sequences_are_passed_as_they_are():
    y = v**2
    seen = []

    def step(i, y, x):
        seen.append((y, x))
        return T.grad(y[i], x)

    J, _ = theano.scan(step, sequences=T.arange(y.shape[0]), non_sequences=[y, v])
    assert seen == [(y, v)]
    for linker in ENGINES:
        np.testing.assert_array_equal(value(linker, J, {v: V}), np.diag(2 * V))


@engines
def test_a_step_may_take_nothing_and_make_new_variables(linker):
    out, _ = theano.scan(lambda: T.zeros_like(v) + T.arange(4), n_steps=n)
    np.testing.assert_array_equal(value(linker, out, {v: V, n: 3}), np.tile(np.arange(4.0), (3, 1)))


@engines
def test_outputs_that_do_not_change_are_stacked_all_the_same(linker):
    outs, _ = theano.scan(lambda a: [v, T.constant(2.0), a, w * 2], sequences=v, non_sequences=[])
    first, two, rows, last = value(linker, outs, {v: V, w: V[:2]})
    np.testing.assert_array_equal(first, np.tile(V, (4, 1)))
    np.testing.assert_array_equal(two, [2, 2, 2, 2])
    np.testing.assert_array_equal(rows, V)
    np.testing.assert_array_equal(last, np.tile(2 * V[:2], (4, 1)))


def test_one_step_leaves_no_loop():
    for steps in (1, -1):
        out, _ = theano.scan(lambda a, h: a + h, sequences=v, outputs_info=h0, n_steps=steps)
        names = {str(node.op) for node in theano.gof.graph.io_toposort([v, h0], [out])}
        assert not any("scan" in name for name in names)
        wanted = [11.0] if steps == 1 else [14.0]
        for linker in ENGINES:
            np.testing.assert_array_equal(value(linker, out, {v: V, h0: 10.0}), wanted)
