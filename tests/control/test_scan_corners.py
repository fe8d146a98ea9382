"""theano.scan where it is hard: updates, draws, host ops, changing shapes, errors, copies."""

from __future__ import annotations

import copy
import gc
import pickle
import time

import numpy as np
import pytest

import theano
import theano.tensor as T
from tests.control.test_scan import M, V, compiled, engines, h0, k, m, n, v, value, w
from theano.scan_module import until
from theano.scan_module.scan_op import Scan
from theano.tensor.opt import Assert
from theano.tensor.shared_randomstreams import RandomStreams


class Doubled(theano.Op):
    """2 x, by a user who knows of no engine."""

    __props__ = ()

    def make_node(self, x):
        x = T.as_tensor_variable(x)
        return theano.Apply(self, [x], [x.type()])

    def perform(self, node, inputs, storage):
        storage[0][0] = np.asarray(inputs[0] * 2)

    def grad(self, inputs, gs):
        return [gs[0] * 2]


# gradients


@engines
def test_truncated_gradients_are_those_of_theano_1_0_5(linker):
    out, _ = theano.scan(
        lambda u, h, k: u + h * k,
        sequences=v,
        outputs_info=h0,
        non_sequences=k,
        truncate_gradient=2,
    )
    gv, g0, gk = value(linker, theano.grad(out.sum(), [v, h0, k]), {v: V, h0: 5.0, k: 2.0})
    np.testing.assert_array_equal(gv, [0, 0, 3, 1])
    assert (g0, gk) == (0, 123)


@engines
def test_gradients_truncated_to_more_steps_than_there_are_are_whole(linker):
    def cost(truncate):
        out, _ = theano.scan(
            lambda u, h: u + h * k, sequences=v, outputs_info=h0, truncate_gradient=truncate
        )
        return out.sum()

    given = {v: V, h0: 5.0, k: 2.0}
    cut = value(linker, theano.grad(cost(9), [v, h0, k]), given)
    whole = value(linker, theano.grad(cost(-1), [v, h0, k]), given)
    for a, b in zip(cut, whole, strict=True):
        np.testing.assert_array_equal(a, b)


@engines
def test_nested_loops_have_gradients_and_second_ones(linker):
    def row(r, total):
        inner, _ = theano.scan(
            lambda e, s: s * k + e**2, sequences=r, outputs_info=T.zeros((), "float64")
        )
        return total * 0.5 + inner[-1]

    rows, _ = theano.scan(row, sequences=m, outputs_info=h0)
    cost = rows[-1]
    gm, gk = theano.grad(cost, [m, k])
    f = compiled(linker, [m, h0, k], [cost, gm, gk, theano.grad(gm.sum(), k)])

    def by_hand(x, first, c):
        total = first
        for r in x:
            s = 0.0
            for e in r:
                s = s * c + e**2
            total = total * 0.5 + s
        return total

    c, first, eps = 1.5, 2.0, 1e-6
    got, found_m, found_k, found_mk = f(M, first, c)
    np.testing.assert_allclose(got, by_hand(M, first, c), rtol=1e-12)
    numeric = [by_hand(M + eps * d.reshape(M.shape), first, c) for d in np.eye(M.size)]
    numeric = (np.array(numeric) - by_hand(M, first, c)).reshape(M.shape) / eps
    np.testing.assert_allclose(found_m, numeric, atol=1e-4)
    slope = (by_hand(M, first, c + eps) - by_hand(M, first, c - eps)) / (2 * eps)
    np.testing.assert_allclose(found_k, slope, atol=1e-6)
    change = (f(M, first, c + eps)[1].sum() - f(M, first, c - eps)[1].sum()) / (2 * eps)
    np.testing.assert_allclose(found_mk, change, atol=1e-6)


@pytest.mark.parametrize("size", [1, 4])
@engines
def test_checkpoints_change_neither_values_nor_gradients(linker, size):
    def step(x, h, g, c):
        return T.tanh(h * c + x), g + h

    outs, _ = theano.scan(step, m, [w, T.zeros_like(w)], k)
    blocks, _ = theano.scan_checkpoints(step, m, [w, T.zeros_like(w)], k, save_every_N=size)
    costs = [o[0][-1].sum() * 3 + (o[1][-1] ** 2).sum() for o in (outs, blocks)]
    wanted, found = [theano.grad(c, [m, w, k]) for c in costs]
    f = compiled(linker, [m, w, k], [*outs, *blocks, *wanted, *found])
    x = np.random.default_rng(3).random((11, 2))
    for length in (11, 8, 3):
        a, b, a_blocks, b_blocks, *gs = f(x[:length], [0.5, -0.5], 0.7)
        ends = [min(size * (i + 1), length) - 1 for i in range(-(-length // size))]
        np.testing.assert_allclose(a_blocks, a[ends], rtol=1e-12)
        np.testing.assert_allclose(b_blocks, b[ends], rtol=1e-12)
        for one, other in zip(gs[:3], gs[3:], strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-10)


@engines
def test_checkpoints_without_padding_take_multiples(linker):
    sums, _ = theano.scan_checkpoints(
        lambda x, s: s + x, sequences=v, outputs_info=h0, save_every_N=2, padding=False
    )
    np.testing.assert_array_equal(value(linker, sums, {v: V, h0: 0.0}), [3, 10])
    with pytest.raises(ValueError):
        value(linker, sums, {v: V[:3], h0: 0.0})


# updates


@engines
def test_updates_of_several_loops_go_together(linker):
    a, b = theano.shared(1.0, "a"), theano.shared(np.zeros(2), "b")
    out, first = theano.scan(lambda x: (x * a, {a: a * 2}), sequences=v)
    _, second = theano.scan(lambda r: {b: b + r}, sequences=m)
    f = compiled(linker, [v, m], out, updates=first + second)
    np.testing.assert_array_equal(f(V, M), [1, 4, 12, 32])
    assert a.get_value() == 16
    np.testing.assert_array_equal(b.get_value(), M.sum(0))
    f(V, M)
    assert a.get_value() == 256


def test_updates_that_do_not_agree_are_refused():
    a = theano.shared(1.0, "a")
    _, first = theano.scan(lambda x: {a: a * x}, sequences=v)
    _, second = theano.scan(lambda x: {a: a + x}, sequences=v)
    with pytest.raises(KeyError):
        first + second
    with pytest.raises(TypeError):
        first[v] = v
    with pytest.raises((TypeError, ValueError)):
        theano.scan(lambda x: {v: x}, sequences=v)


@engines
def test_a_shared_variable_is_a_sequence_a_state_or_neither(linker):
    rows, first, scale = theano.shared(V), theano.shared(1.0), theano.shared(3.0)
    out, _ = theano.scan(
        lambda x, h, c: h * c + x, sequences=rows, outputs_info=first, non_sequences=scale
    )
    f = compiled(linker, [], [out, *theano.grad(out.sum(), [rows, first, scale])])
    wanted, h = [], 1.0
    for x in V:
        h = h * 3 + x
        wanted.append(h)
    got, g_rows, g_first, _ = f()
    np.testing.assert_array_equal(got, wanted)
    np.testing.assert_array_equal(g_rows, [40, 13, 4, 1])
    assert g_first == 3 + 9 + 27 + 81
    rows.set_value(V[:2])
    assert f()[0].shape == (2,)


@engines
def test_a_shared_variable_given_as_non_sequence_may_be_updated_too(linker):
    a = theano.shared(2.0, "a")
    out, updates = theano.scan(lambda x, a: (x * a, {a: a + 1}), sequences=v, non_sequences=a)
    np.testing.assert_array_equal(compiled(linker, [v], out, updates=updates)(V), [2, 6, 12, 20])
    assert a.get_value() == 6


@engines
def test_draws_in_a_step_differ_from_step_to_step_and_from_call_to_call(linker):
    rng = RandomStreams(7)
    out, updates = theano.scan(lambda: rng.uniform((3,)), n_steps=n)
    f = compiled(linker, [n], out, updates=updates)
    first, second = f(4), f(4)
    assert len(np.unique(np.concatenate([first, second]))) == 24
    still = compiled(linker, [n], out, no_default_updates=True)
    np.testing.assert_array_equal(still(4), still(4))


@engines
def test_a_draw_given_as_non_sequence_is_one_draw(linker):
    draw = RandomStreams(7).uniform((3,))
    out, updates = theano.scan(lambda i, d: d * i, T.arange(1, 4), non_sequences=draw)
    assert not updates
    f = compiled(linker, [], out)
    one, two = f(), f()
    np.testing.assert_allclose(one / np.arange(1, 4)[:, None], np.tile(one[0], (3, 1)), rtol=1e-12)
    assert not np.allclose(one, two)


# host steps and changing shapes


@engines
def test_an_op_with_perform_only_runs_inside_a_loop_with_its_gradient(linker):
    out, _ = theano.scan(lambda a, h: Doubled()(h) + a, sequences=v, outputs_info=h0)
    f = compiled(linker, [v, h0], [out, theano.grad(out[-1], v)])
    rows, g = f(V, 1.0)
    np.testing.assert_array_equal(rows, [3, 8, 19, 42])
    np.testing.assert_array_equal(g, [8, 4, 2, 1])


@engines
def test_sizes_may_hang_on_elements_of_a_sequence(linker):
    sizes = T.lvector("sizes")
    out, _ = theano.scan(lambda i: T.arange(i).sum(), sequences=sizes)
    np.testing.assert_array_equal(value(linker, out, {sizes: [0, 3, 10, 1]}), [0, 3, 45, 0])
    picked, _ = theano.scan(lambda r: r[(r > 0).nonzero()].prod(), sequences=m)
    f = compiled(linker, [m], [picked, theano.grad(picked.sum(), m)])
    rows, g = f(M)
    np.testing.assert_allclose(rows, [0.25, 0.375, 1.25])
    np.testing.assert_allclose(g, [[0, 1], [0.75, 0.5], [1.25, 1]])


STEADY = {
    "a half": lambda e, h: h + T.concatenate([e[: e.shape[0] // 2] * 2, e[e.shape[0] // 2 :]]),
    "a reshape": lambda e, h: h + e.reshape((e.shape[0] // 2, 2)).T.flatten(),
    "a range": lambda e, h: h * e + T.arange(e.shape[0]),
    "a loop": lambda e, h: h + theano.scan(lambda q, s: T.tanh(q * s), e, T.ones_like(e[0]))[0],
    "an index": lambda e, h: T.set_subtensor(h[0], e[1]) * h[T.argmax(e)],
}


@pytest.mark.parametrize("name", STEADY)
def test_sizes_within_a_step_keep_neither_it_nor_its_gradient_on_the_host(name):
    out, _ = theano.scan(STEADY[name], sequences=m, outputs_info=v)
    g = theano.grad((out**2).sum(), m)
    f = compiled("numpy", [m, v], [g, theano.grad((g**2).sum(), v)])
    todo = [node.op for node in f.maker.fgraph.toposort() if isinstance(node.op, Scan)]
    assert len(todo) >= 2
    while todo:
        op = todo.pop()
        assert op.runs_on == "any", op
        todo += [node.op for node in op.order if isinstance(node.op, Scan)]
    assert [a.shape for a in f(M[:0], V[:2])] == [(0, 2), (2,)]


@engines
def test_rows_of_an_output_that_differ_in_shape_are_an_error(linker):
    sizes = T.lvector("sizes")
    out, _ = theano.scan(lambda i: T.arange(i), sequences=sizes)
    f = compiled(linker, [sizes], out)
    np.testing.assert_array_equal(f([2, 2]), [[0, 1], [0, 1]])
    with pytest.raises(ValueError, match="outputs keep their shape") as e:
        f([2, 3])
    assert "in test_rows_of_an_output_that_differ_in_shape_are_an_error" in str(e.value)


@engines
def test_a_state_that_grows_is_an_error(linker):
    out, _ = theano.scan(lambda h: T.concatenate([h, h]), outputs_info=v, n_steps=3)
    with pytest.raises(ValueError, match="states that keep their shape from step to step") as e:
        value(linker, out, {v: V})
    assert "in test_a_state_that_grows_is_an_error" in str(e.value)


# errors inside


STEPS = {
    "an index out of bounds": (lambda i, x: x[i], IndexError),
    "shapes that do not match": (lambda i, x: x[:3].sum() + (x[:2] * x[: i + 1]).sum(), ValueError),
    "an assertion": (lambda i, x: Assert("too far")(x[0], T.lt(i, 3)), AssertionError),
}


@engines
@pytest.mark.parametrize("name", STEPS)
def test_an_error_in_a_step_names_the_line_in_the_step(name, linker):
    build, kind = STEPS[name]
    where = T.lvector("where")
    out, _ = theano.scan(build, sequences=where, non_sequences=v)
    f = compiled(linker, [where, v], out)
    if name != "shapes that do not match":
        f([0, 1, 2], V)
    with pytest.raises(kind) as e:
        f([0, 1, 9, 2], V)
    text = str(e.value)
    assert "Apply node that caused the error" in text
    assert "test_scan_corners.py" in text and "<lambda>" in text


@engines
def test_a_failing_call_leaves_shared_variables_as_they_were(linker):
    a = theano.shared(1.0, "a")
    where = T.lvector("where")
    out, updates = theano.scan(lambda i, x: (x[i], {a: a + 1}), where, non_sequences=v)
    f = compiled(linker, [where, v], out, updates=updates)
    with pytest.raises(IndexError):
        f([0, 9], V)
    assert a.get_value() == 1
    f([0, 1], V)
    assert a.get_value() == 3


# copies, equality, replacements


@engines
def test_functions_with_loops_are_pickled_and_copied(linker):
    a = theano.shared(1.0, "a")
    out, updates = theano.scan(
        lambda x, h: (T.tanh(h * a) + x, {a: a + x}), sequences=v, outputs_info=h0
    )
    f = compiled(linker, [v, h0], [out, theano.grad(out.sum(), h0)], updates=updates)
    again = pickle.loads(pickle.dumps(f))
    other = copy.deepcopy(f)
    wanted = f(V, 0.5)
    for g in (again, other):
        for one, two in zip(g(V, 0.5), wanted, strict=True):
            np.testing.assert_array_equal(one, two)
    assert a.get_value() == 11
    x, first, rows = pickle.loads(pickle.dumps([v, h0, out]))
    with pytest.warns(UserWarning, match="A scan changes shared variables"):
        g = compiled(linker, [x, first], rows)
    assert g(V, 0.5).shape == (4,)


def test_equal_loops_are_one():
    def build():
        return theano.scan(lambda x, h: T.tanh(x * h), sequences=v, outputs_info=h0)[0]

    one, two = build(), build()
    assert one.owner.op == two.owner.op and hash(one.owner.op) == hash(two.owner.op)
    f = compiled("numpy", [v, h0], [one, two])
    assert sum(str(node.op).startswith("for{") for node in f.maker.fgraph.toposort()) == 1
    other = theano.scan(lambda x, h: T.tanh(x + h), sequences=v, outputs_info=h0)[0]
    assert one.owner.op != other.owner.op


@engines
def test_givens_and_clone_reach_what_a_step_uses(linker):
    scale = theano.shared(2.0, "scale")
    out, _ = theano.scan(lambda x: x * scale + k, sequences=v)
    f = compiled(linker, [v, h0], out, givens={scale: h0, k: h0 * 10})
    np.testing.assert_array_equal(f(V, 3.0), V * 3 + 30)
    twice = theano.clone(out, replace={v: w * 2, k: scale})
    np.testing.assert_array_equal(value(linker, twice, {w: V}), V * 4 + 2)


@pytest.mark.parametrize("how", ["raise", "warn"])
def test_test_values_go_through_loops(how):
    with theano.config.change_flags(compute_test_value=how):
        x, first = T.dvector("x"), T.dscalar("first")
        x.tag.test_value, first.tag.test_value = V, 1.0
        seen = []

        def step(a, h):
            seen.append((a.tag.test_value, h.tag.test_value))
            return a * h

        out, _ = theano.scan(step, sequences=x, outputs_info=first)
        assert seen == [(1.0, 1.0)]
        np.testing.assert_array_equal(out.tag.test_value, np.cumprod(V))
        g = theano.grad(out.sum(), x)
        assert g.tag.test_value.shape == (4,)
        taps, _ = theano.scan(
            lambda a, b, c: a + b + c,
            sequences={"input": x, "taps": [-1, 0]},
            outputs_info={"initial": x, "taps": [-2]},
        )
        np.testing.assert_array_equal(taps.tag.test_value, [4, 7, 11])
        ended, _ = theano.scan(lambda h: (h * 2, until(h > 5)), outputs_info=first, n_steps=9)
        np.testing.assert_array_equal(ended.tag.test_value, [2, 4, 8, 16])
        far, _ = theano.scan(
            lambda h: h * 2, outputs_info={"initial": T.zeros(20) + first, "taps": [-20]}, n_steps=3
        )
        np.testing.assert_array_equal(far.tag.test_value, [2, 2, 2])


def test_a_missing_test_value_is_missed_where_it_is_needed():
    with (
        theano.config.change_flags(compute_test_value="raise"),
        pytest.raises(ValueError, match=r"Cannot compute test value: input 0 \(bare\[t\]\)"),
    ):
        theano.scan(lambda a: a * 2, sequences=T.dvector("bare"), n_steps=3)


# dtypes


@engines
@pytest.mark.parametrize("dtype", ["float32", "float16", "int8", "int64", "uint8", "complex128"])
def test_states_of_every_kind_of_number_keep_their_dtype(dtype, linker):
    x, first = T.TensorType(dtype, (False,))("x"), T.TensorType(dtype, ())("first")
    out, _ = theano.scan(lambda a, h: h * a + a, sequences=x, outputs_info=first)
    values = np.array([1, 2, 3], dtype)
    if dtype == "complex128":
        values = values * (1 + 1j)
    got = value(linker, [out, out[-1]], {x: values, first: values[0]})
    wanted, h = [], values[0]
    for a in values:
        h = h * a + a
        wanted.append(h)
    assert out.dtype == dtype and got[0].dtype == dtype
    np.testing.assert_array_equal(got[0], np.array(wanted, dtype))
    np.testing.assert_array_equal(got[1], wanted[-1])


@engines
def test_a_gradient_goes_past_whole_numbers(linker):
    outs, _ = theano.scan(
        lambda x, c, h: [c + 1, h * x + T.cast(c, "float64")],
        sequences=v,
        outputs_info=[T.constant(0, dtype="int64"), h0],
    )
    g, g0 = value(linker, theano.grad(outs[1][-1], [v, h0]), {v: V, h0: 1.0})
    h = [1.0]
    for c, x in enumerate(V):
        h.append(h[-1] * x + c)
    after = np.array([24.0, 12.0, 4.0, 1.0])
    np.testing.assert_array_equal(g, np.array(h[:-1]) * after)
    assert g0 == 24


# size


@engines
def test_an_output_that_nobody_reads_is_not_computed(linker):
    outs, _ = theano.scan(
        lambda x: [x * 2, Assert("not to be computed")(x, T.lt(x, 0))], sequences=v
    )
    np.testing.assert_array_equal(value(linker, outs[0], {v: V}), V * 2)


@engines
def test_ten_thousand_steps_take_no_long_time(linker):
    out, _ = theano.scan(lambda x, h: h * 0.5 + x, sequences=v, outputs_info=h0)
    f = compiled(linker, [v, h0], out[-1])
    x = np.ones(10_000)
    f(x, 0.0)
    start = time.process_time()
    assert f(x, 0.0) == 2.0
    assert time.process_time() - start < 1


@engines
def test_a_step_may_close_over_a_hundred_variables(linker):
    parts = [theano.shared(float(i), f"p{i}") for i in range(50)]
    parts += [T.exp(p * 0.01) for p in parts]
    out, _ = theano.scan(lambda h: h * 0.5 + sum(p * h for p in parts), outputs_info=h0, n_steps=n)
    total = sum(float(i) + np.exp(i * 0.01) for i in range(50))
    np.testing.assert_allclose(
        value(linker, out, {h0: 1.0, n: 2}), [total + 0.5, (total + 0.5) ** 2], rtol=1e-12
    )


def chain(length):
    h = v
    for i in range(length):
        h, _ = theano.scan(
            lambda x, s: T.tanh(x + s),
            sequences=h,
            outputs_info=T.constant(np.asarray(float(i % 7))),
        )
    return h


def test_three_hundred_loops_compile_in_no_more_than_their_share():
    def seconds(length):
        out = chain(length)[-1]
        # the time of this process alone, and no other graphs' garbage
        gc.collect()
        gc.disable()
        start = time.process_time()
        f = compiled("numpy", [v], out)
        took = time.process_time() - start
        gc.enable()
        assert np.isfinite(f(V))
        return took

    seconds(5)
    short = min(seconds(100) for _ in range(3))
    # 3 times as long if each takes its share, 9 times if each looks at all others
    assert min(seconds(300) for _ in range(3)) < 5 * short
