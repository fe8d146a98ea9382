"""Derivatives of reading and writing parts of arrays, against the arrays themselves.

All these ops are linear in their numbers, so that a difference over any step is exact.
"""

import numpy as np
import pytest

import theano
import theano.tensor as T
from theano.tensor import extra_ops as X

_I = np.array([2, 0, 2, 1])
_MASK = np.array([[True, False, True], [False, True, False]])
_ORDER = np.array([[2, 0, 1], [1, 0, 2]])
_AT = np.array([[0, 2], [2, 2]])


def _vars(arrays):
    return [T.tensor(a.dtype.name, (False,) * a.ndim) for a in arrays]


def _run(mode, inputs, outputs, values):
    return theano.function(inputs, outputs, mode=theano.Mode(mode), on_unused_input="ignore")(
        *values
    )


def _draw(seed, *shapes):
    rng = np.random.default_rng(seed)
    return [rng.normal(size=s) for s in shapes]


# name, expression of the numbers, their shapes
# fmt: off
CASES = [
    ("an integer",               lambda x: x[1],                              (3, 4)),
    ("an integer from behind",   lambda x: x[:, -1],                          (3, 4)),
    ("a slice",                  lambda x: x[1:, ::2],                        (3, 5)),
    ("a slice backwards",        lambda x: x[::-1, 3:0:-2],                   (3, 5)),
    ("an empty slice",           lambda x: x[2:1],                            (3, 5)),
    ("a symbolic slice",         lambda x: x[T.constant(0) + 1:],             (3, 5)),
    ("set a slice",              lambda x, y: T.set_subtensor(x[1:], y),      (3, 4), (2, 4)),
    ("set a row for all",        lambda x, y: T.set_subtensor(x[1:], y),      (3, 4), (1, 4)),
    ("set a column for all",     lambda x, y: T.set_subtensor(x[1:], y),      (3, 4), (2, 1)),
    ("set a vector for all",     lambda x, y: T.set_subtensor(x[1:], y),      (3, 4), (4,)),
    ("set one number for all",   lambda x, y: T.set_subtensor(x[1:], y),      (3, 4), ()),
    ("set a declared row",       lambda x, y: T.set_subtensor(x[1:], y[None]), (3, 4), (4,)),
    ("set an element",           lambda x, y: T.set_subtensor(x[1, 2], y),    (3, 4), ()),
    ("set all",                  lambda x, y: T.set_subtensor(x[:], y),       (3, 4), (3, 4)),
    ("increase a slice",         lambda x, y: T.inc_subtensor(x[::2, 1], y),  (3, 4), (2,)),
    ("increase by one for all",  lambda x, y: T.inc_subtensor(x[::2, 1], y),  (3, 4), (1,)),
    ("rows",                     lambda x: x[_I],                             (3, 4)),
    ("no rows",                  lambda x: x[np.zeros(0, "int64")],           (3, 4)),
    ("elements",                 lambda x: x[_I - 3],                         (3,)),
    ("set rows",                 lambda x, y: T.set_subtensor(x[_I[1:]], y),  (3, 4), (3, 4)),
    ("set rows to a vector",     lambda x, y: T.set_subtensor(x[_I[1:]], y),  (3, 4), (4,)),
    ("increase rows twice",      lambda x, y: T.inc_subtensor(x[_I], y),      (3, 4), (4, 4)),
    ("increase rows by a row",   lambda x, y: T.inc_subtensor(x[_I], y),      (3, 4), (1, 4)),
    ("increase rows by a number", lambda x, y: T.inc_subtensor(x[_I], y),     (3, 4), ()),
    ("set rows twice",           lambda x, y: T.set_subtensor(x[_I], y),      (3, 4), (4, 4)),
    ("set rows twice to a row",  lambda x, y: T.set_subtensor(x[_I], y),      (3, 4), (1, 4)),
    ("set rows twice to a number", lambda x, y: T.set_subtensor(x[_I], y),    (3, 4), ()),
    ("two arrays",               lambda x: x[_I, _I],                         (3, 4)),
    ("two arrays apart",         lambda x: x[_AT, :, _I[:2]],                 (3, 2, 4)),
    ("an array and a slice",     lambda x: x[1:, _AT],                        (3, 4)),
    ("an array, a new dimension", lambda x: x[None, _AT, 1],                  (3, 4)),
    ("set two arrays",           lambda x, y: T.set_subtensor(x[_I, _I], y),  (3, 4), (4,)),
    ("set two arrays to one",    lambda x, y: T.set_subtensor(x[_I, _I], y),  (3, 4), (1,)),
    ("set an array and a slice", lambda x, y: T.set_subtensor(x[1:, _AT], y), (3, 4), (2, 2, 2)),
    ("increase two arrays",      lambda x, y: T.inc_subtensor(x[_I, _I], y),  (3, 4), (4,)),
    ("increase arrays by one",   lambda x, y: T.inc_subtensor(x[_I, _I], y),  (3, 4), ()),
    ("increase array and slice", lambda x, y: T.inc_subtensor(x[1:, _AT], y), (3, 4), (2, 1)),
    ("a mask",                   lambda x: x[_MASK],                          (2, 3)),
    ("a mask of rows",           lambda x: x[_MASK[:, 0]],                    (2, 3)),
    ("set a mask",               lambda x, y: T.set_subtensor(x[_MASK], y),   (2, 3), (3,)),
    ("set a mask to a number",   lambda x, y: T.set_subtensor(x[_MASK], y),   (2, 3), ()),
    ("increase a mask",          lambda x, y: T.inc_subtensor(x[_MASK], y),   (2, 3), (3,)),
    ("take",                     lambda x: T.take(x, _AT, axis=1),            (2, 3)),
    ("take and wrap",            lambda x: T.take(x, _AT + 2, axis=1, mode="wrap"), (2, 3)),
    ("take of all",              lambda x: T.take(x, _AT),                    (2, 3)),
    ("values that are not 0",    lambda x: T.nonzero_values(x),               (2, 3)),
    ("compress",                 lambda x: X.compress([1, 0, 1], x, 1), (2, 3)),
    ("choose",                   lambda x, y: T.choose(_I % 2, [x, y]),       (4,), (4,)),
    ("choose, all stretch",      lambda x, y: T.choose(_AT // 2, [x, y]),     (2, 1), ()),
    ("choose, a number says",    lambda x, y: T.choose(1, [x, y]),            (3, 1), (2,)),
    ("choose of a stack",        lambda x: T.choose(_I, x),                   (3, 4)),
    ("choose of a small stack",  lambda x: T.choose(_AT, x),                  (3, 1)),
    ("choose of a deep stack",   lambda x: T.choose(_I[:2], x),               (3, 2, 1)),
    ("choose and wrap",          lambda x, y: T.choose(_I, [x, y], mode="wrap"), (4,), (4,)),
    ("choose and clip",          lambda x: T.choose(_I * 3 - 1, x, mode="clip"), (3, 4)),
    ("repeat all",               lambda x: X.repeat(x, 3),          (2, 3)),
    ("repeat a dimension",       lambda x: X.repeat(x, 3, axis=-1), (2, 3)),
    ("repeat never",             lambda x: X.repeat(x, 0, axis=0),  (2, 3)),
    ("repeat, each its own",     lambda x: X.repeat(x, _I, axis=1), (2, 4)),
    ("repeat all, each its own", lambda x: X.repeat(x, _I),         (2, 2)),
    ("a diagonal",               lambda x: T.diagonal(x),                     (3, 4)),
    ("a diagonal above",         lambda x: T.diagonal(x, 1),                  (3, 5)),
    ("a diagonal below",         lambda x: T.diagonal(x, -2),                 (4, 3)),
    ("a diagonal beyond",        lambda x: T.diagonal(x, 7),                  (4, 3)),
    ("a diagonal of a cube",     lambda x: T.diagonal(x, 1, 2, 0),            (3, 2, 4)),
    ("to a diagonal",            lambda x: T.diag(x),                         (3,)),
    ("to a diagonal below",      lambda x: T.diag(x, -2),                     (3,)),
    ("to diagonals",             lambda x: T.basic.AllocDiag(1, 2, 0)(x),           (2, 3)),
    ("fill a diagonal",          lambda x, y: X.fill_diagonal(x, y),          (3, 4), ()),
    ("fill a tall diagonal",     lambda x, y: X.fill_diagonal(x, y),          (5, 2), ()),
    ("fill a cube's diagonal",   lambda x, y: X.fill_diagonal(x, y),          (3, 3, 3), ()),
    ("fill a diagonal above",    lambda x, y: X.fill_diagonal_offset(x, y, 1), (4, 3), ()),
    ("fill a diagonal below",    lambda x, y: X.fill_diagonal_offset(x, y, -2), (4, 3), ()),
    ("permute rows",             lambda x: T.permute_row_elements(x, _ORDER), (2, 3)),
    ("permute a row many times", lambda x: T.permute_row_elements(x, _ORDER), (3,)),
    ("permute rows alike",       lambda x: T.permute_row_elements(x, [2, 0, 1]), (2, 3)),
    ("permute rows back",        lambda x: T.permute_row_elements(x, [2, 0, 1], 1), (2, 3)),
    ("increase a mask by one",   lambda x, y: T.inc_subtensor(x[_MASK], y),   (2, 3), (1,)),
]
# fmt: on


def _case(name):
    return next((fn, shapes) for have, fn, *shapes in CASES if have == name)


both_engines = pytest.mark.parametrize("mode", ["numpy", "xla"])
each_case = pytest.mark.parametrize("name", [c[0] for c in CASES])


def _step(fn, shapes):
    """Values, a step, and half of what the way from one step before to one after changes."""
    xs, dxs = _draw(1, *shapes), _draw(2, *shapes)
    # no number changes its sign: those that are not 0 stay the same ones
    dxs = [dx * np.minimum(np.abs(x), 1) / 8 for x, dx in zip(xs, dxs)]
    inputs = _vars(xs)
    value = theano.function(inputs, fn(*inputs), mode=theano.Mode("numpy"))
    after = value(*[x + dx for x, dx in zip(xs, dxs)])
    before = value(*[x - dx for x, dx in zip(xs, dxs)])
    return xs, dxs, (after - before) / 2


def _products(fn, shapes, mode, twice=False):
    """J.T g of each input; ``twice``: its derivative with respect to g along a direction."""
    xs, dxs, jdx = _step(fn, shapes)
    inputs = _vars(xs)
    out = fn(*inputs)
    (g,) = _draw(3, jdx.shape)
    (gv,), dvs = _vars([g]), _vars(dxs)
    gxs = T.grad(None, inputs, known_grads={out: gv})
    if not twice:
        return xs, dxs, g, jdx, _run(mode, [*inputs, gv], gxs, [*xs, g]), None
    # what is added to has the gradient of the sum itself: nothing to go through
    moved = {gx: dv for gx, dv in zip(gxs, dvs) if gx is not gv}
    again = T.grad(None, gv, known_grads=moved)
    found = _run(mode, [*inputs, gv, *dvs], [*gxs, again], [*xs, g, *dxs])
    kept = [dx for gx, dx in zip(gxs, dxs) if gx is gv]
    return xs, dxs, g, jdx, found[:-1], sum(kept, found[-1])


@each_case
@both_engines
def test_the_gradient_times_a_step_is_the_difference_that_the_step_makes(name, mode):
    fn, shapes = _case(name)
    xs, dxs, g, jdx, gxs, _ = _products(fn, shapes, mode)
    for x, gx in zip(xs, gxs):
        assert gx.shape == x.shape and gx.dtype == x.dtype
    slope = sum(np.sum(gx * dx) for gx, dx in zip(gxs, dxs))
    np.testing.assert_allclose(slope, np.sum(g * jdx), rtol=1e-12, atol=1e-12)


@each_case
def test_the_gradient_of_the_gradient_is_the_derivative_forwards(name):
    fn, shapes = _case(name)
    *_, jdx, _, again = _products(fn, shapes, "numpy", twice=True)
    np.testing.assert_allclose(again, jdx, rtol=1e-12, atol=1e-12)


@each_case
def test_the_derivative_forwards_is_the_difference_that_the_step_makes(name):
    fn, shapes = _case(name)
    xs, dxs, jdx = _step(fn, shapes)
    inputs, dvs = _vars(xs), _vars(dxs)
    found = T.Rop(fn(*inputs), inputs, dvs)
    np.testing.assert_allclose(
        _run("numpy", [*inputs, *dvs], found, [*xs, *dxs]), jdx, rtol=1e-12, atol=1e-12
    )


@pytest.mark.parametrize("name", [c[0] for c in CASES if len(c) == 4])
def test_forwards_one_of_two_inputs_may_stand_still(name):
    fn, shapes = _case(name)
    xs, dxs, jdx = _step(fn, shapes)
    inputs, dvs = _vars(xs), _vars(dxs)
    out = fn(*inputs)
    each = [T.Rop(out, x, dx) for x, dx in zip(inputs, dvs)]
    found = _run("numpy", [*inputs, *dvs], each, [*xs, *dxs])
    np.testing.assert_allclose(sum(found), jdx, rtol=1e-12, atol=1e-12)


# what chooses has no gradient

_x, _m, _v, _i = T.dmatrix("x"), T.imatrix("m"), T.ivector("v"), T.iscalar("i")


@pytest.mark.parametrize(
    ("cost", "wrt"),
    [
        (_x[_i].sum(), _i),
        (_x[_i:].sum(), _i),
        (_x[_v].sum(), _v),
        (_x[_v, _v].sum(), _v),
        (_x[_m > 0].sum(), _m),
        (T.set_subtensor(_x[_i], 1.0).sum(), _i),
        (T.inc_subtensor(_x[_v], 1.0).sum(), _v),
        (T.inc_subtensor(_x[_v, 1:], 1.0).sum(), _v),
        (T.choose(_v, [_x, _x]).sum(), _v),
        (X.repeat(_x, _i, axis=0).sum(), _i),
        (X.to_one_hot(_v, 3).sum(), _v),
    ],
    ids=str,
)
def test_a_cost_is_not_connected_to_what_chooses(cost, wrt):
    with pytest.raises(theano.gradient.DisconnectedInputError, match="not part of"):
        T.grad(cost, wrt)


@pytest.mark.parametrize(
    ("cost", "wrt"),
    [
        (T.nonzero(_x)[0].astype("float64").sum(), _x),
        (X.fill_diagonal_offset(_x, 1.0, _i).sum(), _i),
        (T.permute_row_elements(_x, _v).sum(), _v),
        (X.unravel_index(_v, (2, 3))[0].astype("float64").sum(), _v),
        (X.ravel_multi_index((_v, _v), (2, 3)).astype("float64").sum(), _v),
    ],
    ids=str,
)
def test_the_gradient_of_an_integer_that_says_where_is_undefined(cost, wrt):
    with pytest.raises(theano.gradient.NullTypeGradError, match="mathematically undefined"):
        T.grad(cost, wrt)


# written out by hand


def test_an_element_that_is_read_twice_gets_both_gradients():
    x, g = T.dvector(), T.dvector()
    out = x[[0, 2, 0]]
    gx = T.grad(None, x, known_grads={out: g})
    assert gx.eval({x: [0.0, 0.0, 0.0], g: [1.0, 2.0, 4.0]}).tolist() == [5.0, 0.0, 2.0]


@both_engines
def test_only_what_was_written_last_gets_the_gradient_of_a_place(mode):
    x, y, i, g = T.dvector(), T.dvector(), T.lvector(), T.dvector()
    out = T.set_subtensor(x[i], y)
    gx, gy = T.grad(None, [x, y], known_grads={out: g})
    found = _run(mode, [x, y, i, g], [gx, gy], [[0.0] * 3, [0.0] * 3, [0, -1, 0], [1.0, 2.0, 4.0]])
    assert [f.tolist() for f in found] == [[0.0, 2.0, 0.0], [0.0, 4.0, 1.0]]


@both_engines
def test_repeats_may_be_symbolic(mode):
    x, each, g = T.dvector(), T.lvector(), T.dvector()
    out = X.repeat(x, each)
    gx = T.grad(None, x, known_grads={out: g})
    for often, expected in (([2, 0, 1], [3.0, 0.0, 4.0]), ([1], [1.0, 2.0, 4.0])):
        found = _run(mode, [x, each, g], gx, [[0.0] * 3, often, [1.0, 2.0, 4.0]])
        assert found.tolist() == expected


@pytest.mark.parametrize("dtype", ["float32", "float16", "complex64"])
def test_the_gradient_has_the_dtype_of_what_is_indexed(dtype):
    x, y = T.tensor(dtype, (False, False)), T.tensor("float64", (False,))
    out = T.inc_subtensor(x[1:], y) if dtype != "complex64" else x[1:]
    gx = T.grad(None, x, known_grads={out: out.type()})
    assert gx.dtype == dtype


@pytest.mark.parametrize("fn", [lambda m: m[1:], lambda m: m[_v], lambda m: m[_v, _v]])
def test_the_gradient_of_integers_that_are_indexed_is_zero_in_floats(fn):
    gx = T.grad(fn(_m).astype("float64").sum(), _m)
    found = _run("numpy", [_m, _v], gx, [np.ones((2, 2), "int32"), np.array([1], "int32")])
    assert found.dtype == theano.config.floatX and found.tolist() == [[0.0, 0.0], [0.0, 0.0]]


def test_integers_that_are_written_among_floats_have_a_gradient():
    gv = T.grad(T.inc_subtensor(_x[1:], _v).sum(), _v)
    found = _run("numpy", [_x, _v], gv, [np.ones((3, 2)), np.array([1, 1], "int32")])
    assert found.tolist() == [2.0, 2.0]
