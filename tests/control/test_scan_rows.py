"""vectorize of graphs that hold loops: one loop for all rows, with the values of each by itself."""

from __future__ import annotations

import numpy as np
import pytest

import theano
import theano.tensor as T
from tests.control.test_scan import compiled, engines
from theano._src.control.batching import Vmap
from theano._src.control.scan.op import Scan
from theano._src.graph.walk import nodes_of
from theano.scan_module import until

x, h = T.dmatrix("x"), T.dvector("h")
u = T.dmatrix("u")
n = T.iscalar("n")
RNG = np.random.default_rng(5)
X, H, U = RNG.random((3, 4, 2)), RNG.random((3, 2)), RNG.random((3, 2, 2))
GIVEN = {x: X, h: H, u: U}


def rnn(x, h, u):
    return theano.scan(lambda e, s, u: T.tanh(e + T.dot(s, u)), x, h, u)[0]


def with_count(x, h, u):
    rows, count = theano.scan(
        lambda e, s, c: [s * e + c, c + 1], x, [h, T.constant(np.asarray(0))]
    )[0]
    return rows + count[-1]


def only_first(x, h, u):
    """The step forgets its state, which has rows only before it."""
    rows, two = theano.scan(lambda s, t: [u[0], u[0] * 2], None, [h, h], n_steps=3)[0]
    return rows + two


def not_moving(x, h, u):
    """The loop itself is the same for all rows."""
    rows, _ = theano.scan(lambda s: s * 2, None, T.constant(np.asarray(1.0)), n_steps=3)
    return rows.sum() * h


def taps(x, h, u):
    rows, _ = theano.scan(
        lambda a, b, c, d: a * c + b * d,
        {"input": x, "taps": [-1, 0]},
        {"initial": x[:2] + 0, "taps": [-2, -1]},
    )
    return rows.sum(axis=0) + h


def same_end(x, h, u):
    _, rows = theano.scan(
        lambda c, s: (c + 1, s * 2 + h, until(c > 1)),
        None,
        [T.constant(np.asarray(0)), h],
        n_steps=9,
    )[0]
    return rows


def ended(x, h, u):
    """Each row ends where it ends; the last value of each is of one shape."""
    rows, _ = theano.scan(lambda s: (s * 2, until(s.sum() > 5)), None, h, n_steps=30)
    return rows[-1]


def nested(x, h, u):
    def outer(e, s):
        inner, _ = theano.scan(lambda q: T.tanh(q * s + e), None, e, n_steps=2)
        return inner[-1] + s

    return theano.scan(outer, x, h)[0]


PROGRAMS = {
    f.__name__: f for f in (rnn, with_count, only_first, not_moving, taps, same_end, ended, nested)
}
WHICH = {"all": (x, h, u), "sequences": (x,), "states": (h,), "others": (u,), "two": (x, u)}


def rows_of(which):
    return {v: T.TensorType("float64", (False,) * (v.ndim + 1))(f"{v}s") for v in which}


CASES = [("numpy", which) for which in WHICH]
CASES += [pytest.param("xla", which, marks=pytest.mark.xla) for which in ("all", "states")]


@pytest.mark.parametrize(("linker", "which"), CASES)
@pytest.mark.parametrize("name", PROGRAMS)
def test_a_loop_over_rows_gives_what_it_gives_for_each(name, which, linker):
    out = PROGRAMS[name](x, h, u)
    replace = rows_of(WHICH[which])
    many = theano.vectorize(out, replace)
    g_one = theano.grad((out**2).sum(), [x, h, u], disconnected_inputs="ignore")
    values = [GIVEN[v] if v in replace else GIVEN[v][0] for v in (x, h, u)]
    ins = [replace.get(v, v) for v in (x, h, u)]
    g_many = theano.grad((many**2).sum(), ins, disconnected_inputs="ignore")
    found, *gs = compiled(linker, ins, [many, *g_many])(*values)
    one = compiled("numpy", [x, h, u], [out, *g_one])
    each = [
        one(*(a[i] if v in replace else a for v, a in zip((x, h, u), values, strict=True)))
        for i in range(3)
    ]
    np.testing.assert_allclose(found, [e[0] for e in each], rtol=1e-11)
    for k, v in enumerate((x, h, u)):
        rows = np.array([e[1 + k] for e in each])
        wanted = rows if v in replace else rows.sum(axis=0)
        np.testing.assert_allclose(gs[k], wanted, rtol=1e-10, atol=1e-13)


def loops_in(outputs):
    return [node.op for node in nodes_of(outputs) if isinstance(node.op, Scan)]


@pytest.mark.parametrize("name", ["rnn", "with_count", "taps", "same_end", "nested"])
def test_rows_are_computed_in_one_loop(name):
    many = theano.vectorize(PROGRAMS[name](x, h, u), rows_of((x, h, u)))
    assert not [node for node in nodes_of([many]) if isinstance(node.op, Vmap)]
    assert len(loops_in([many])) == 1


def test_what_is_the_same_in_all_rows_stays_without_rows():
    many = theano.vectorize(with_count(x, h, u), rows_of((x,)))
    (loop,) = loops_in([many])
    assert sorted(v.ndim for v in loop.inner.states) == [0, 2]
    many = theano.vectorize(not_moving(x, h, u), rows_of((h,)))
    assert [v.ndim for loop in loops_in([many]) for v in loop.inner_inputs] == [0]


@engines
def test_rows_of_different_numbers_of_steps_cannot_be_stacked(linker):
    out, _ = theano.scan(lambda s: s * 2, None, h, n_steps=n)
    ns = T.ivector("ns")
    f = compiled(linker, [h, ns], theano.vectorize(out, {n: ns}))
    np.testing.assert_array_equal(f([1.0, 2.0], [1, 1]), [[[2, 4]], [[2, 4]]])
    with pytest.raises(ValueError, match="rows whose shapes differ cannot be stacked"):
        f([1.0, 2.0], [1, 2])


@engines
def test_no_rows_at_all_give_none(linker):
    many = theano.vectorize(rnn(x, h, u), rows_of((x,)))
    ins = [v for v in theano.gof.graph.inputs([many]) if v.name]
    f = compiled(linker, sorted(ins, key=str), many)
    assert f(H[0], U[0], X[:0]).shape == (0, 4, 2)


@engines
def test_a_jacobian_of_a_loop_is_one_loop_over_rows(linker):
    out = rnn(x, h, u)[-1]
    jac = theano.gradient.jacobian(out, h)
    f = compiled(linker, [x, h, u], jac)
    plain = compiled("numpy", [x, h, u], out)
    eps = 1e-6
    moved = [
        plain(X[0], H[0] + eps * e, U[0]) - plain(X[0], H[0] - eps * e, U[0]) for e in np.eye(2)
    ]
    np.testing.assert_allclose(f(X[0], H[0], U[0]), np.array(moved).T / (2 * eps), atol=1e-8)


def in_blocks(x, h, u):
    return theano.scan_checkpoints(lambda e, s: T.tanh(e + T.dot(s, u)), x, h, save_every_N=3)[0][
        -1
    ]


def cut_short(x, h, u):
    return theano.scan(lambda e, s: T.tanh(e + T.dot(s, u)), x, h, truncate_gradient=2)[0]


@pytest.mark.parametrize(
    "build", [rnn, in_blocks, cut_short, nested, ended], ids=lambda f: f.__name__
)
def test_gradients_of_each_row_come_of_one_graph(build):
    gs = theano.grad((build(x, h, u) ** 2).sum(), [x, h, u], disconnected_inputs="ignore")
    rows = rows_of((x, h, u))
    found = compiled("numpy", list(rows.values()), theano.vectorize(gs, rows))(X, H, U)
    one = compiled("numpy", [x, h, u], gs)
    for i in range(3):
        for many, wanted in zip(found, one(X[i], H[i], U[i]), strict=True):
            np.testing.assert_allclose(many[i], wanted, rtol=1e-10)
