"""Shapes, dimensions, joins, writes and asserts: what rules leave out, and what they must not."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import theano
import theano.tensor as T
from theano.tensor.opt import Assert


def compiled(inputs, output, linker="numpy", including=(), excluding=()):
    mode = theano.Mode(linker).including(*including).excluding(*excluding)
    return theano.function(inputs, output, mode=mode, on_unused_input="ignore")


def kinds(f):
    return [type(n.op).__name__ for n in f.maker.fgraph.toposort()]


SHAPES = (
    (6,),
    (-1,),
    (2, 3),
    (3, -1),
    (-1, 3),
    (2, 1, 3),
    (4, -1),
    (2, 2),
    (1, -1),
    (6, 0),
    (0, -1),
)


@pytest.mark.parametrize("first", SHAPES, ids=str)
def test_a_reshape_of_a_reshape_fails_where_the_two_fail_and_gives_what_they_give(first):
    x = T.dvector("x")
    for then in SHAPES:
        f = compiled([x], x.reshape(first).reshape(then))
        for size in (0, 4, 6, 7, 12):
            v = np.arange(float(size))
            try:
                want = v.reshape(first).reshape(then)
            except ValueError:
                with pytest.raises(ValueError):
                    f(v)
            else:
                np.testing.assert_array_equal(f(v), want)


def test_a_reshape_of_a_reshape_is_one_where_that_is_exact():
    x, y = T.dvector("x"), T.dmatrix("y")
    assert kinds(compiled([x], x.reshape((2, 3)).reshape((3, 2)))).count("Reshape") == 1
    assert kinds(compiled([x], x.reshape((2, 3)).reshape((3, -1)))).count("Reshape") == 1
    both = y.flatten().reshape((y.shape[1], y.shape[0]))
    assert kinds(compiled([y], both)).count("Reshape") == 1
    # a size of 7 must stay an error
    assert kinds(compiled([x], x.reshape((2, 3)).flatten())).count("Reshape") == 1
    with pytest.raises(ValueError):
        compiled([x], x.reshape((2, 3)).flatten())(np.zeros(7))


def test_a_reshape_to_its_own_shape_goes():
    x = T.dmatrix("x")
    assert kinds(compiled([x], T.exp(x).reshape(x.shape))) == ["Elemwise"]
    assert "Reshape" not in kinds(compiled([x], x.T.reshape((x.shape[1], x.shape[0])) * 2))
    assert "Reshape" in kinds(compiled([x], x.reshape((x.shape[1], x.shape[0])) * 2))


def test_dimensions_of_length_one_are_no_matter_of_reshape():
    x = T.dmatrix("x")
    f = compiled([x], x.reshape((1, -1, 1)))
    assert "DimShuffle" in kinds(f)
    assert f(np.ones((2, 3))).shape == (1, 6, 1)
    v = T.dvector("v")
    assert kinds(compiled([v], v.dimshuffle("x", 0, "x").reshape((2, 3))))[0] == "Reshape"
    # reordered dimensions are
    w = np.arange(6.0).reshape(2, 3)
    np.testing.assert_array_equal(compiled([x], x.T.reshape((6,)))(w), w.T.reshape(6))


@pytest.mark.parametrize("a", list(itertools.permutations(range(3))), ids=str)
def test_a_dimshuffle_of_a_dimshuffle_is_one(a):
    x = T.dtensor3("x")
    v = np.arange(24.0).reshape(2, 3, 4)
    for b in itertools.permutations(range(3)):
        f = compiled([x], x.dimshuffle(*a).dimshuffle(*b))
        assert kinds(f).count("DimShuffle") <= 1
        np.testing.assert_array_equal(f(v), v.transpose(a).transpose(b))


def test_a_transpose_of_a_transpose_goes_and_moves_into_expressions():
    x, y = T.dmatrices("x", "y")
    assert kinds(compiled([x], T.exp(x.T).T)) == ["Elemwise"]
    f = compiled([x, y], (x.T + y.T).T)
    assert kinds(f) == ["Elemwise"]


def test_a_check_of_a_declared_length_is_never_lost():
    x = T.dmatrix("x")
    f = compiled([x], T.unbroadcast(T.addbroadcast(x, 0), 0) + 1)
    assert f(np.ones((1, 2))).shape == (1, 2)
    with pytest.raises(ValueError, match="supposed to be 1"):
        f(np.ones((2, 2)))


def test_parts_of_a_join_come_back_without_it():
    x, y = T.dvectors("x", "y")
    parts = T.split(T.join(0, x, y), [x.shape[0], y.shape[0]], 2)
    assert "Join" not in kinds(compiled([x, y], [2 * parts[0], 3 * parts[1]]))
    X, Y = T.dmatrices("X", "Y")
    one, _ = T.split(T.join(0, X, Y), [X.shape[0], Y.shape[0]], 2)
    with pytest.raises(ValueError, match="Join"):
        # the other dimension differs
        compiled([X, Y], one * 2)(np.ones((2, 3)), np.ones((2, 4)))


def test_what_is_empty_or_alone_is_not_joined():
    x = T.dvector("x")
    assert "Join" not in kinds(compiled([x], T.join(0, x, np.zeros(0)) * 2))
    M = T.dmatrix("M")
    with pytest.raises(ValueError):
        compiled([M], T.join(1, M, np.zeros((3, 0))) * 2)(np.ones((2, 2)))


def test_an_assert_that_holds_goes_and_one_that_may_fail_stays():
    x = T.dvector("x")
    assert "Assert" not in kinds(compiled([x], Assert()(x, T.constant(1) > 0) * 2))
    f = compiled([x], Assert("short")(Assert("short")(x, x.size > 1), x.size > 2) * 2)
    assert kinds(f).count("Assert") == 1
    with pytest.raises(AssertionError, match="short"):
        f([1.0, 2.0])
    apart = compiled([x], Assert("a")(Assert("b")(x, x.size > 1), x.size > 2) * 2)
    with pytest.raises(AssertionError, match=r"^b"):
        apart([1.0])


def test_asserts_go_when_asked_by_name():
    x = T.dvector("x")
    y = Assert("short")(x, x.size > 2) * 2
    f = compiled([x], y, including=["local_remove_all_assert"])
    assert f([1.0]).tolist() == [2.0]


def test_no_value_is_computed_only_for_its_shape():
    x = T.dmatrix("x")
    f = compiled([x], T.log(x).shape)
    assert not any(k == "Elemwise" for k in kinds(f))
    g = compiled([x], T.log(x)[1:].reshape((-1, 1)).shape[0])
    assert not any("log" in str(n.op) for n in g.maker.fgraph.toposort())
    assert f(np.ones((2, 3))).tolist() == [2, 3] and g(np.ones((2, 3))) == 3


def test_increments_of_zeros_are_added_up_in_one_array():
    x, y = T.dvectors("x", "y")
    zeros = T.zeros_like(x)
    total = T.inc_subtensor(zeros[:1], y[:1]) + T.inc_subtensor(zeros[1:], y[1:]) + y * x
    f = compiled([x, y], total)
    v, w = np.array([1.0, 2, 3]), np.array([4.0, 5, 6])
    np.testing.assert_allclose(f(v, w), w + v * w)
    a = T.inc_subtensor(x[:1], y[:1]) + T.inc_subtensor(x[1:], y[1:])
    np.testing.assert_allclose(compiled([x, y], a)(v, w), 2 * v + w)


def test_many_gradients_of_parts_need_one_array_in_linear_time():
    x = T.dvector("x")
    cost = sum(T.sqr(x[i]) * (i + 1) for i in range(40))
    f = theano.function([x], T.grad(cost, x), mode=theano.Mode("numpy").excluding("fusion"))
    v = np.arange(40.0)
    np.testing.assert_allclose(f(v), 2 * v * np.arange(1, 41))
    adds = [n for n in f.maker.fgraph.toposort() if str(n.op) == "Elemwise{add,no_inplace}"]
    assert not any(n.outputs[0].ndim for n in adds)


@pytest.mark.parametrize("linker", ["numpy", "xla"])
def test_what_was_written_is_what_is_read(linker):
    x, y, s, i = T.dmatrix("x"), T.dvector("y"), T.dscalar("s"), T.lscalar("i")
    v, w = np.arange(6.0).reshape(3, 2), np.array([8.0, 9.0])
    whole = T.set_subtensor(x[i:], y)
    f = compiled([x, y, s, i], [whole[i:], T.set_subtensor(x[:1], s)[:1]], linker)
    assert "IncSubtensor" not in kinds(f)
    got = f(v, w, 5.0, -2)
    np.testing.assert_array_equal(got[0], [w, w])
    np.testing.assert_array_equal(got[1], [[5.0, 5.0]])


@pytest.mark.parametrize("linker", ["numpy", "xla"])
@pytest.mark.parametrize(
    "expression",
    [
        lambda x, i: T.set_subtensor(x[i], 5.0)[i],
        lambda x, i: T.set_subtensor(x[i], x[i]),
        lambda x, i: T.inc_subtensor(x[i], 0.0),
        lambda x, i: T.inc_subtensor(T.zeros_like(x)[i], x[0])[i],
        lambda x, i: T.ones_like(x)[i],
        lambda x, i: T.fill(x, 3.0)[i],
        lambda x, i: T.alloc(2.0, x.shape[0])[i],
        lambda x, i: T.set_subtensor(x[T.stack([i, 0])], 5.0)[T.stack([i, 0])],
    ],
)
def test_no_rewriting_loses_that_an_index_is_out_of_range(expression, linker):
    x, i = T.dvector("x"), T.lscalar("i")
    f = compiled([x, i], expression(x, i), linker)
    f(np.arange(3.0), 1)
    with pytest.raises(IndexError):
        f(np.arange(3.0), 3)


@pytest.mark.parametrize("linker", ["numpy", "xla"])
def test_zeros_that_do_not_fit_where_they_are_added_raise(linker):
    x = T.dvector("x")
    f = compiled([x], T.inc_subtensor(x[:2], T.zeros((3,))), linker)
    with pytest.raises(ValueError):
        f(np.arange(5.0))


def test_rows_written_twice_are_read_as_they_were_written_last():
    x, y, i = T.dvector("x"), T.dvector("y"), T.lvector("i")
    v, w = np.zeros(3), np.array([1.0, 2.0])
    for index in (i, np.array([0, 0]), np.array([2, -1])):
        f = compiled([x, y, i], T.set_subtensor(x[index], y)[index])
        assert f(v, w, [0, 0]).tolist() == [2.0, 2.0]
        g = compiled([x, y, i], T.set_subtensor(x[index], x[index] + y))
        at = [0, 0] if index is i else index
        want = v.copy()
        want[at] = v[at] + w
        np.testing.assert_array_equal(g(v, w, [0, 0]), want)


def test_writing_what_is_there_or_adding_nothing_goes():
    x = T.dmatrix("x")
    assert kinds(compiled([x], T.set_subtensor(x[1:], x[1:]) * 2)) == ["Elemwise"]
    assert kinds(compiled([x], T.inc_subtensor(x[1:], 0) * 2)) == ["Elemwise"]
    f = compiled([x], T.set_subtensor(x[1:], x[1:] + 2.0), excluding=["inplace"])
    assert [n.op.set_instead_of_inc for n in f.maker.fgraph.toposort() if "Inc" in str(n.op)] == [
        False
    ]
    np.testing.assert_array_equal(f(np.ones((2, 2))), [[1, 1], [3, 3]])


def test_a_value_that_does_not_fit_stays_an_error():
    x, y = T.dmatrix("x"), T.dvector("y")
    f = compiled([x, y], T.set_subtensor(x[1:], T.alloc(y, 2, 3)))
    assert f(np.zeros((3, 3)), np.ones(3)).sum() == 6
    with pytest.raises(ValueError):
        f(np.zeros((4, 3)), np.ones(3))
    with pytest.raises(ValueError):
        compiled([x, y], T.set_subtensor(x[1:], x[1:] + y))(np.zeros((3, 3)), np.ones(1))
    with pytest.raises(ValueError):
        compiled([x, y], T.set_subtensor(x[:], y))(np.zeros((3, 3)), np.ones(2))


@pytest.mark.parametrize(
    "name",
    [
        "local_reshape_chain", "local_useless_reshape", "local_reshape_to_dimshuffle",
        "local_reshape_lift", "local_dimshuffle_lift", "local_useless_dimshuffle_in_reshape",
        "local_useless_rebroadcast", "local_rebroadcast_lift", "local_canonicalize_alloc",
        "local_useless_subtensor", "local_subtensor_merge", "local_subtensor_lift",
        "local_subtensor_of_dot", "local_subtensor_of_alloc", "local_subtensor_inc_subtensor",
        "local_useless_inc_subtensor", "local_useless_inc_subtensor_alloc",
        "local_set_to_inc_subtensor", "local_IncSubtensor_serialize", "local_join_1",
        "local_join_empty", "local_join_make_vector", "local_useless_split",
        "local_remove_useless_assert", "local_remove_all_assert", "local_alloc_unary",
        "local_replace_AdvancedSubtensor", "local_adv_sub1_adv_inc_sub1",
    ],
)  # fmt: skip
def test_a_documented_name_selects_a_rule(name):
    from theano._src.rules.pipeline import RULES

    assert any(name in rule.tags for rule in RULES.values())


@pytest.mark.parametrize("optimizer", [None, "fast_run"])
def test_an_axis_that_is_out_of_range_stays_an_error(optimizer):
    axis, x, a, b = T.lscalar("axis"), T.dvector("x"), *T.dscalars("ab")
    join = theano.tensor.basic.Join()
    for parts in ([x, np.zeros(0)], [T.stack([a, b]), T.stack([b, a])]):
        out = join(axis, *parts)
        mode = theano.Mode("numpy", optimizer)
        f = theano.function([axis, x, a, b], out, mode=mode, on_unused_input="ignore")
        assert f(0, [1, 2], 1, 2).tolist()[:2] == [1, 2]
        with pytest.raises((ValueError, IndexError)):
            f(3, [1, 2], 1, 2)
