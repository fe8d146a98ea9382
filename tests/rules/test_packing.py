"""Numbers that loops carry, packed into vectors: values, what is left alone, and errors."""

from __future__ import annotations

import numpy as np
import pytest

import theano
import theano.tensor as T
from theano._src.control.scan.op import Scan
from theano._src.ops.index.static_take import StaticTake

ENGINES = ["numpy", pytest.param("xla", marks=pytest.mark.xla)]
START = np.linspace(-1, 1, 10) ** 3


def compiled(engine, inputs, outputs, *without):
    mode = theano.Mode(engine).excluding(*without)
    return theano.function(inputs, outputs, mode=mode, on_unused_input="ignore")


def loops(f):
    return [n.op for n in f.maker.fgraph.toposort() if isinstance(n.op, Scan)]


def ranks(op):
    """The numbers of dimensions of a loop's states."""
    return sorted(v.ndim for v in op.inner.states)


def is_packed(f):
    return all(ranks(op) == [1] for op in loops(f)) and loops(f)


def ring(states):
    """Each drawn to its neighbours."""
    return [
        s + 0.1 * T.tanh(states[k - 1] - 2 * s + states[(k + 1) % len(states)])
        for k, s in enumerate(states)
    ]


def moved(s):
    return s + 0.1 * np.tanh(np.roll(s, 1) - 2 * s + np.roll(s, -1))


def slope(s, g):
    """The gradient before a step of the ring, given that after it."""
    d = 0.1 * (1 - np.tanh(np.roll(s, 1) - 2 * s + np.roll(s, -1)) ** 2) * g
    return g + np.roll(d, -1) - 2 * d + np.roll(d, 1)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_ring_of_numbers_is_one_state_and_keeps_rows_and_gradient(engine):
    start, n = T.dvector("start"), T.lscalar("n")
    rows, _ = theano.scan(lambda *s: ring(s), outputs_info=[start[k] for k in range(10)], n_steps=n)
    cost = sum(((k + 1) * r.sum() for k, r in enumerate(rows)), T.constant(0.0))
    f = compiled(engine, [start, n], [T.grad(cost, start), *rows])
    assert len(loops(f)) == 2 and is_packed(f)
    for steps in (7, 1):
        seen = [START]
        for _ in range(steps):
            seen.append(moved(seen[-1]))
        g = np.zeros(10)
        for t in reversed(range(steps)):
            g = slope(seen[t], g + np.arange(1, 11))
        got, *columns = f(START, steps)
        np.testing.assert_allclose(got, g, rtol=1e-12)
        np.testing.assert_allclose(np.transpose(columns), seen[1:], rtol=1e-12)
    got, *columns = f(START, 0)
    assert np.array_equal(got, np.zeros(10)) and all(c.shape == (0,) for c in columns)


@pytest.mark.parametrize("engine", ENGINES)
def test_the_last_values_and_their_gradient_keep_one_array_of_rows(engine):
    start = T.dvector("start")
    rows, _ = theano.scan(
        lambda *s: ring(s), outputs_info=[start[k] for k in range(10)], n_steps=20
    )
    cost = sum((r[-1] ** 2 for r in rows), T.constant(0.0))
    f = compiled(engine, [start], [cost, T.grad(cost, start)])
    forward, backward = loops(f)
    assert is_packed(f) and sum(forward.is_stacked) == 1 and sum(backward.is_stacked) == 0
    seen = [START]
    for _ in range(20):
        seen.append(moved(seen[-1]))
    g = 2 * seen[-1]
    for s in reversed(seen[:-1]):
        g = slope(s, g)
    cost, got = f(START)
    np.testing.assert_allclose(cost, (seen[-1] ** 2).sum(), rtol=1e-12)
    np.testing.assert_allclose(got, g, rtol=1e-12)


@pytest.mark.parametrize("engine", ENGINES)
def test_numbers_too_few_in_what_they_start_from_are_an_error_as_before(engine):
    start = T.dvector("start")
    rows, _ = theano.scan(lambda *s: ring(s), outputs_info=[start[k] for k in range(10)], n_steps=3)
    f = compiled(engine, [start], [r[-1] for r in rows])
    assert is_packed(f)
    with pytest.raises(IndexError):
        f(START[:9])
    # more are there than are read
    np.testing.assert_allclose(f(np.append(START, 5.0)), moved(moved(moved(START))), rtol=1e-12)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("backwards", [False, True])
def test_bodies_with_positions_speeds_and_parameters_of_their_own_go_both_ways(engine, backwards):
    x0, v0, stiffness, push = (T.dvector(name) for name in ("x", "v", "k", "push"))
    count = 8

    def step(p, *given):
        xs, vs = given[:count], given[count : 2 * count]
        new = [v - 0.1 * k * T.sin(x) + p for x, v, k in zip(xs, vs, given[2 * count :])]
        return [x + 0.1 * v for x, v in zip(xs, new)] + new

    rows, _ = theano.scan(
        step,
        push,
        [x0[k] for k in range(count)] + [v0[k] for k in range(count)],
        [stiffness[k] for k in range(count)],
        go_backwards=backwards,
    )
    cost = sum((r[-1] * (k + 1) for k, r in enumerate(rows)), T.constant(0.0))
    given = [x0, v0, stiffness, push]
    f = compiled(engine, given, [cost, *T.grad(cost, given), rows[3]])
    assert len(loops(f)) == 2 and is_packed(f)
    rng = np.random.default_rng(3)
    values = [rng.uniform(-1, 1, count), rng.uniform(-1, 1, count), rng.uniform(1, 2, count)]
    values.append(rng.uniform(-1, 1, 12))
    weights = np.arange(1, 2 * count + 1)

    def forward(x, v, k, push):
        kept = []
        for p in push[::-1] if backwards else push:
            v = v - 0.1 * k * np.sin(x) + p
            x = x + 0.1 * v
            kept.append(x[3])
        return weights @ np.concatenate([x, v]), kept

    cost, *slopes, column = f(*values)
    want, kept = forward(*values)
    np.testing.assert_allclose(cost, want, rtol=1e-12)
    np.testing.assert_allclose(column, kept, rtol=1e-12)
    for i, g in enumerate(slopes):
        for k in range(len(g)):
            parts = [v.astype(complex) for v in values]
            parts[i][k] += 1e-30j  # a step without rounding
            np.testing.assert_allclose(g[k], forward(*parts)[0].imag / 1e-30, rtol=1e-11)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_loop_may_end_by_a_condition_on_what_is_packed(engine):
    start = T.dvector("start")

    def step(*s):
        new = [x * (1.1 + 0.01 * k) for k, x in enumerate(s)]
        return new, theano.scan_module.until(new[9] + new[0] > 3.0)

    rows, _ = theano.scan(step, outputs_info=[start[k] for k in range(10)], n_steps=50)
    f = compiled(engine, [start], rows)
    assert is_packed(f) and loops(f)[0].until
    s, kept = np.abs(START) + 0.1, []
    while not kept or kept[-1][9] + kept[-1][0] <= 3.0:
        kept.append((kept[-1] if kept else s) * (1.1 + 0.01 * np.arange(10)))
    np.testing.assert_allclose(np.transpose(f(s)), kept, rtol=1e-12)


@pytest.mark.parametrize("engine", ENGINES)
def test_ends_that_move_otherwise_and_arrays_beside_stay_what_they_are(engine):
    start, m0 = T.dvector("start"), T.dmatrix("m")
    count = 16

    def step(*given):
        m, s = given[-1], given[:-1]
        inside = [x + 0.1 * (s[k] - x * s[k + 2]) for k, x in enumerate(s[1:-1])]
        first, last = T.exp(-s[0]) * m[0, 0], s[-2]
        return [first, *inside, last, T.dot(m, m) * s[3]]

    infos = [start[k] * 2 for k in range(count)] + [m0]
    rows, _ = theano.scan(step, outputs_info=infos, n_steps=6)
    outs = [r[-1] for r in rows]
    f = compiled(engine, [start, m0], outs)
    assert [ranks(op) for op in loops(f)] == [[1, 2]]
    s, m = 2 * np.linspace(0.1, 1, count), np.array([[0.5, 0.2], [-0.3, 0.4]])
    given = (s / 2, m)
    for _ in range(6):
        new = s[1:-1] + 0.1 * (s[:-2] - s[1:-1] * s[2:])
        s, m = np.concatenate([[np.exp(-s[0]) * m[0, 0]], new, s[-2:-1]]), (m @ m) * s[3]
    *got, last = f(*given)
    np.testing.assert_allclose(got, s, rtol=1e-12)
    np.testing.assert_allclose(last, m, rtol=1e-12)


@pytest.mark.parametrize("engine", ENGINES)
def test_states_of_two_dtypes_are_two_vectors_and_constants_may_differ(engine):
    a, b = T.fvector("a"), T.ivector("b")

    def step(*s):
        floats = [x * np.float32(0.5 + k) for k, x in enumerate(s[:8])]
        return floats + [n * np.int32(3) + np.int32(k) for k, n in enumerate(s[8:])]

    infos = [a[k] for k in range(8)] + [b[k] for k in range(9)]
    rows, _ = theano.scan(step, outputs_info=infos, n_steps=40)
    f = compiled(engine, [a, b], [r[-1] for r in rows])
    assert [ranks(op) for op in loops(f)] == [[1, 1]]
    x, n = np.linspace(0, 1, 8, dtype="float32"), np.arange(9, dtype="int32")
    got = f(x, n)
    with np.errstate(all="ignore"):
        for _ in range(40):
            x = x * (np.float32(0.5) + np.arange(8, dtype="float32"))
            n = n * np.int32(3) + np.arange(9, dtype="int32")  # wraps
    assert [v.dtype for v in got] == ["float32"] * 8 + ["int32"] * 9
    np.testing.assert_allclose(got[:8], x, rtol=1e-5)
    assert np.array_equal(got[8:], n)


@pytest.mark.parametrize("engine", ENGINES)
def test_rows_are_kept_of_those_that_are_read_and_of_no_others(engine):
    start = T.dvector("start")
    rows, _ = theano.scan(lambda *s: ring(s), outputs_info=[start[k] for k in range(10)], n_steps=5)
    f = compiled(engine, [start], [rows[2], rows[0][-1]])
    (op,) = loops(f)
    assert ranks(op) == [1]
    kept = [v for v, one in zip(op.outs, op.is_stacked) if one]
    assert [v.ndim for v in kept] == [0]
    want = [START]
    for _ in range(5):
        want.append(moved(want[-1]))
    column, last = f(START)
    np.testing.assert_allclose(column, np.array(want)[1:, 2], rtol=1e-12)
    np.testing.assert_allclose(last, want[-1][0], rtol=1e-12)


@pytest.mark.parametrize("engine", ENGINES)
def test_sequences_of_numbers_are_read_from_the_array_that_they_are_columns_of(engine):
    x, start = T.dmatrix("x"), T.dvector("start")
    count = 9

    def step(*given):
        return [s * 0.5 + T.sqr(v) for v, s in zip(given[:count], given[count:])]

    rows, _ = theano.scan(step, [x[:, count - k] for k in range(count)], [start[0]] * count)
    f = compiled(engine, [x, start], [r[-1] for r in rows])
    (node,) = [n for n in f.maker.fgraph.toposort() if isinstance(n.op, Scan)]
    assert is_packed(f) and [v.ndim for v in node.op.given(node.inputs).sequences] == [2]
    values = np.random.default_rng(4).uniform(-1, 1, (5, count + 1))
    s = np.full(count, 0.25)
    for row in values:
        s = s * 0.5 + row[:0:-1] ** 2
    np.testing.assert_allclose(f(values, [0.25]), s, rtol=1e-12)
    with pytest.raises(IndexError):
        f(values[:, :-1], [0.25])


@pytest.mark.parametrize("engine", ENGINES)
def test_second_derivatives_are_packed_and_right(engine):
    start = T.dvector("start")
    rows, _ = theano.scan(lambda *s: ring(s), outputs_info=[start[k] for k in range(8)], n_steps=4)
    cost = sum((r[-1] ** 3 for r in rows), T.constant(0.0))
    along = T.grad((T.grad(cost, start) * np.arange(8.0)).sum(), start)
    s = np.linspace(-1, 1, 8)
    got = compiled(engine, [start], along)(s)
    plain = compiled("numpy", [start], along, "scan_pack")(s)
    np.testing.assert_allclose(got, plain, rtol=1e-10)


# what stays as it is


def test_few_numbers_stay_numbers():
    start = T.dvector("start")
    rows, _ = theano.scan(lambda *s: ring(s), outputs_info=[start[k] for k in range(7)], n_steps=3)
    f = compiled("numpy", [start], rows)
    assert ranks(loops(f)[0]) == [0] * 7


def test_numbers_that_are_treated_each_in_its_own_way_stay_numbers():
    start = T.dvector("start")
    forms = [T.sin, T.cos, T.exp, T.tanh, T.sqr, T.sqrt, T.log, T.abs_, T.neg, T.sgn]
    rows, _ = theano.scan(
        lambda *s: [g(x) for g, x in zip(forms, s)],
        outputs_info=[start[k] for k in range(10)],
        n_steps=2,
    )
    f = compiled("numpy", [start], rows)
    assert ranks(loops(f)[0]) == [0] * 10


def test_a_chain_in_which_each_number_reads_the_one_before_in_the_same_step_stays():
    start = T.dvector("start")

    def step(*s):
        new = [T.sin(s[0])]
        for x in s[1:]:
            new.append(T.sin(new[-1] + x))
        return new

    rows, _ = theano.scan(step, outputs_info=[start[k] for k in range(10)], n_steps=3)
    f = compiled("numpy", [start], [r[-1] for r in rows])
    assert ranks(loops(f)[0]) == [0] * 10
    s = START.copy()
    for _ in range(3):
        before = 0.0
        for k in range(10):
            s[k] = before = np.sin(before + s[k])
    np.testing.assert_allclose(f(START), s, rtol=1e-12)


def test_it_can_be_left_out_by_name():
    start = T.dvector("start")
    rows, _ = theano.scan(lambda *s: ring(s), outputs_info=[start[k] for k in range(10)], n_steps=3)
    for name in ("scan_pack_states", "scan_pack"):
        f = compiled("numpy", [start], rows, name)
        assert ranks(loops(f)[0]) == [0] * 10


# writes


def writes(f):
    return [type(n.op).__name__ for n in f.maker.fgraph.toposort() if "Inc" in type(n.op).__name__]


@pytest.mark.parametrize("engine", ENGINES)
def test_numbers_added_to_places_of_a_vector_are_added_at_once_and_checked(engine):
    x, y = T.dvector("x"), T.dvector("y")
    made = x
    for k in range(9):
        made = T.inc_subtensor(made[(4 * k) % 9], T.exp(y[k]))
    f = compiled(engine, [x, y], made)
    assert writes(f) == ["AdvancedIncSubtensor1"]
    values = np.arange(9.0)
    want = np.ones(11)
    for k in range(9):
        want[(4 * k) % 9] += np.exp(values[k])
    np.testing.assert_allclose(f(np.ones(11), values), want, rtol=1e-14)
    with pytest.raises(IndexError):
        f(np.ones(8), values)


def test_places_counted_from_both_ends_and_places_met_twice_are_written_one_by_one():
    x, y = T.dvector("x"), T.dvector("y")
    mixed, twice = x, x
    for k in range(8):
        mixed = T.inc_subtensor(mixed[k if k % 2 else -k - 1], y[k])
        twice = T.inc_subtensor(twice[k % 4], y[k])
    for made in (mixed, twice):
        assert set(writes(compiled("numpy", [x, y], made))) == {"IncSubtensor"}


def test_pick_is_how_packed_values_are_read():
    start = T.dvector("start")
    rows, _ = theano.scan(lambda *s: ring(s), outputs_info=[start[k] for k in range(10)], n_steps=3)
    f = compiled("numpy", [start], rows[4])
    assert any(isinstance(n.op, StaticTake) for n in loops(f)[0].order)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_loop_inside_a_step_is_packed_too(engine):
    start, push = T.dvector("start"), T.dvector("push")

    def outer(p, s):
        rows, _ = theano.scan(lambda *t: ring(t), outputs_info=[s[k] for k in range(9)], n_steps=3)
        return T.stack([r[-1] for r in rows]) * p

    rows, _ = theano.scan(outer, push, start)
    f = compiled(engine, [start, push], rows[-1])
    inner = [n.op for op in loops(f) for n in op.order if isinstance(n.op, Scan)]
    assert [ranks(op) for op in inner] == [[1]]
    s, by = START[:9], np.array([0.9, 1.1, -0.5])
    want = s
    for p in by:
        want = moved(moved(moved(want))) * p
    np.testing.assert_allclose(f(s, by), want, rtol=1e-12)


ONE = {
    "tanh": (T.tanh, np.tanh),
    "sqr": (T.sqr, np.square),
    "bell": (lambda x: T.exp(-T.sqr(x)), lambda x: np.exp(-np.square(x))),
    "bent": (lambda x: T.switch(x > 0, x, 0.1 * x), lambda x: np.where(x > 0, x, 0.1 * x)),
}
TWO = {
    "add": (lambda x, y: x + y, np.add),
    "sub": (lambda x, y: x - y, np.subtract),
    "mul": (lambda x, y: x * y, np.multiply),
    "max": (T.maximum, np.maximum),
}


def random_program(seed):
    """Some forms of updates, which state has which, and which states each reads."""
    rng = np.random.default_rng(seed)
    count = int(rng.integers(8, 14))
    forms = []
    for _ in range(rng.integers(1, 4)):
        form = []
        for _ in range(rng.integers(2, 7)):
            table = rng.choice([1, 2])
            names = list(ONE if table == 1 else TWO)
            form.append((rng.choice(names), *rng.integers(0, 1000, table).tolist()))
        forms.append(form)
    own = np.where(np.arange(count) % 5 == 0, rng.integers(0, len(forms), count), 0)
    reads = (np.arange(count)[:, None] + rng.integers(-3, 4, 4)) % count
    if seed % 3 == 0:
        reads[:, 0] = rng.permutation(count)
    return count, forms, own, reads


def one_step(program, which, states, rows, parameters):
    """New states, of variables (0) or of numbers (1)."""
    _, forms, own, reads = program
    new = []
    for k, form in enumerate(own):
        seen = [*(states[j] for j in reads[k]), rows[k], parameters[k], np.float64(0.1 * k)]
        for name, *at in forms[form]:
            function = (ONE if len(at) == 1 else TWO)[name][which]
            seen.append(function(*[seen[i % len(seen)] for i in at]))
        new.append((T.tanh, np.tanh)[which](seen[-1] + states[k]))
    return new


@pytest.mark.parametrize("seed", range(12))
def test_random_steps_give_what_a_loop_over_numbers_gives(seed):
    program = random_program(seed)
    count = program[0]
    x, start, par = T.dmatrix("x"), T.dvector("start"), T.dvector("par")

    def step(*given):
        return one_step(program, 0, given[count : 2 * count], given, given[2 * count :])

    each = range(count)
    rows, _ = theano.scan(
        step, [x[:, k] for k in each], [start[k] for k in each], [par[k] for k in each]
    )
    cost = sum((r[-1] * (k + 1) for k, r in enumerate(rows)), T.constant(0.0))
    given = [x, start, par]
    f = compiled("numpy", given, [*T.grad(cost, given, disconnected_inputs="ignore"), *rows])
    rng = np.random.default_rng(seed)
    values = [rng.uniform(-1, 1, shape) for shape in ((4, count), count, count)]

    def run(x, start, par):
        kept = [list(start)]
        for row in x:
            kept.append(one_step(program, 1, kept[-1], row, par))
        return np.array(kept[1:])

    *slopes, got = [*f(*values)[:3], np.transpose(f(*values)[3:])]
    np.testing.assert_allclose(got, run(*values), rtol=1e-12, atol=1e-14)
    # the gradient along a direction, by differences
    along = [rng.uniform(-1, 1, v.shape) for v in values]
    ends = [
        run(*[v + h * d for v, d in zip(values, along)])[-1] @ np.arange(1, count + 1)
        for h in (1e-5, -1e-5)
    ]
    slope = sum((g * d).sum() for g, d in zip(slopes, along))
    np.testing.assert_allclose(slope, (ends[0] - ends[1]) / 2e-5, rtol=1e-6, atol=1e-7)


def test_random_steps_are_packed_more_often_than_not():
    packed = 0
    for seed in range(12):
        program = random_program(seed)
        start = T.dvector("start")
        count = program[0]
        rows, _ = theano.scan(
            lambda *s, p=program: one_step(p, 0, s, s, s),
            outputs_info=[start[k] for k in range(count)],
            n_steps=2,
        )
        packed += bool(is_packed(compiled("numpy", [start], [r[-1] for r in rows])))
    assert packed > 6
