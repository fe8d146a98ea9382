"""Indices of indices, of expressions and of filled arrays mean what NumPy makes of them."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import theano
import theano.tensor as T
from theano._src.rules.slice_compose import merged

BOUNDS = (None, -4, -2, -1, 0, 1, 2, 4)
STEPS = (1, 2, -1, -2)
PAIRS = tuple(itertools.product(STEPS, STEPS))


def compiled(inputs, output, linker="numpy"):
    return theano.function(inputs, output, mode=theano.Mode(linker), on_unused_input="ignore")


def kinds(f):
    return [type(n.op).__name__ for n in f.maker.fgraph.toposort()]


@pytest.mark.parametrize("s, t", PAIRS)
def test_two_slices_of_known_bounds_are_one_for_every_length(s, t):
    for n in range(5):
        whole = list(range(n))
        for a, b in itertools.product(BOUNDS, BOUNDS):
            some = whole[a:b:s]
            for c, d in itertools.product(BOUNDS, BOUNDS):
                got = merged(slice(a, b, s), slice(c, d, t), lambda n=n: n)
                assert whole[got] == some[c:d:t], (n, a, b, s, c, d, t, got)


@pytest.mark.parametrize("s, t", PAIRS)
def test_two_slices_of_symbolic_bounds_are_one_for_every_value_and_length(s, t):
    values = np.array(list(itertools.product(range(4), *[(-4, -1, 0, 1, 3)] * 4)), "int64")
    for given in itertools.product((False, True), repeat=4):
        names = [T.lvector(k) for k in "nabcd"]
        n, parts = names[0], [v if g else None for v, g in zip(names[1:], given)]
        got = merged(slice(*parts[:2], s), slice(*parts[2:], t), lambda n=n: n)
        if not any(given):
            assert isinstance(got.step, int) or got.step is None
        cases = np.unique(values[:, [True, *given]], axis=0)
        columns = dict(zip([v for v, g in zip(names, (True, *given)) if g], cases.T))
        bounds = [
            np.broadcast_to(_value(p, columns), len(cases)).tolist() if p is not None else None
            for p in (got.start, got.stop)
        ]
        step = 1 if got.step is None else int(_value(got.step, columns))
        for k, (size, *rest) in enumerate(cases.tolist()):
            left = iter(rest)
            a, b, c, d = [next(left) if g else None for g in given]
            start, stop = [None if p is None else p[k] for p in bounds]
            whole = list(range(size))
            assert whole[start:stop:step] == whole[a:b:s][c:d:t], (size, a, b, s, c, d, t)


def _value(part, columns):
    if isinstance(part, int):
        return part
    return part.eval({v: x for v, x in columns.items() if v in theano.gof.graph.inputs([part])})


@pytest.mark.parametrize("s", (1, 2, -1, -2))
def test_an_integer_of_a_slice_is_one_that_fails_where_the_two_fail_or_none(s):
    bounds = (*BOUNDS, 3)
    for a, b, i in itertools.product(bounds, bounds, bounds[1:]):
        got = merged(slice(a, b, s), i, lambda: 1 / 0)
        if got is None:
            continue
        for n in range(6):
            whole = list(range(n))
            some = whole[a:b:s]
            inside = -len(some) <= i < len(some)
            assert (-n <= got < n) == inside, (n, a, b, s, i, got)
            assert not inside or whole[got] == some[i]


@pytest.mark.parametrize("linker", ["numpy", "xla"])
def test_a_chain_of_slices_with_symbolic_bounds_is_one_slice(linker):
    x, i, j = T.dmatrix("x"), T.lscalar("i"), T.lscalar("j")
    y = x[i:, j][j:-1][::-1][:i]
    mode = theano.Mode(linker).including("local_subtensor_merge")
    f = theano.function([x, i, j], y, mode=mode)
    assert kinds(f).count("Subtensor") == 1
    v = np.arange(24.0).reshape(8, 3)
    for a, b in itertools.product((-3, -1, 0, 1, 2), (-2, 0, 1)):
        np.testing.assert_array_equal(f(v, a, b), v[a:, b][b:-1][::-1][:a])


def test_starts_of_a_long_chain_of_slices_are_added():
    x, i, j = T.dvector("x"), T.lscalar("i"), T.lscalar("j")
    y, v = x, np.arange(60.0)
    for k in range(40):
        y = y[(i, j)[k % 2] :]
    f = compiled([x, i, j], y)
    assert kinds(f).count("Subtensor") < 10
    for a, b in itertools.product((-70, -25, 0, 1, 2, 7), (-30, 0, 1)):
        want = v
        for k in range(40):
            want = want[(a, b)[k % 2] :]
        np.testing.assert_array_equal(f(v, a, b), want)


def test_an_index_out_of_range_of_a_slice_stays_an_error():
    x, i = T.dvector("x"), T.lscalar("i")
    v = np.arange(5.0)
    for y in (x[1:3][2], x[2:][3], x[:-2][3], x[2:][-4], x[::-1][5]):
        with pytest.raises(IndexError):
            compiled([x], y)(v)
    with pytest.raises(IndexError):
        compiled([x, i], x[1:3][i])(v, 2)


def test_a_part_of_an_expression_is_computed_on_that_part():
    x, y = T.dmatrices("x", "y")
    f = compiled([x], T.exp(x * 2)[0])
    assert kinds(f)[0] == "Subtensor"
    # lengths of x and y may differ: the error of x + y must stay
    g = compiled([x, y], (x + y)[0])
    with pytest.raises(ValueError, match="mis-match"):
        g(np.zeros((2, 3)), np.zeros((4, 3)))
    both = T.exp(x)
    h = compiled([x], [both[0], both.sum()])
    assert kinds(h).count("Elemwise") == 1


def test_a_part_of_a_stretched_expression_takes_the_stretched_side_whole():
    x, r = T.dmatrix("x"), T.drow("r")
    v, w = np.arange(6.0).reshape(2, 3), np.array([[10.0, 20, 30]])
    f = compiled([x, r], (x * r)[1, ::2])
    np.testing.assert_array_equal(f(v, w), (v * w)[1, ::2])
    with pytest.raises(IndexError):
        compiled([x, r], (x * r)[2])(v, w)


def test_a_part_of_a_product_multiplies_that_part():
    x, y, i = T.dmatrix("x"), T.dmatrix("y"), T.lscalar("i")
    v, w = np.arange(6.0).reshape(2, 3), np.arange(12.0).reshape(3, 4)
    f = theano.function(
        [x, y, i], T.dot(x, y)[i, 1:], mode=theano.Mode("numpy").excluding("BlasOpt")
    )
    assert kinds(f)[-1] == "Dot"
    np.testing.assert_allclose(f(v, w, -1), v.dot(w)[-1, 1:])


def test_a_part_of_a_filled_array_is_filled_and_out_of_range_stays_an_error():
    x, n, i = T.dscalar("x"), T.lscalar("n"), T.lscalar("i")
    f = compiled([x, n, i], T.alloc(x, n, 3)[i:])
    assert "Subtensor" not in kinds(f)
    assert f(2.0, 5, -2).shape == (2, 3)
    with pytest.raises(IndexError):
        compiled([x, n, i], T.alloc(x, n)[i])(1.0, 2, 2)


def test_useless_parts_of_an_index_go():
    x = T.dmatrix("x")
    assert kinds(compiled([x], x[0 : x.shape[0], ::1] * 2)).count("Subtensor") == 0
    assert kinds(compiled([x], x[T.arange(x.shape[0])] * 2)) == ["Elemwise"]
    f = compiled([x], x[0:5])
    assert f.maker.fgraph.toposort()[0].op.idx_list[0].start is None
