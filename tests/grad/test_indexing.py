"""Derivatives of reading and writing parts of arrays, against the arrays themselves.

All these ops are linear in their numbers, so that a difference over any step is exact.
"""

import numpy as np
import pytest

import theano
import theano.tensor as T

_I = np.array([2, 0, 2, 1])
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
]
# fmt: on


def _case(name):
    return next((fn, shapes) for have, fn, *shapes in CASES if have == name)


both_engines = pytest.mark.parametrize("mode", ["numpy", "xla"])
each_case = pytest.mark.parametrize("name", [c[0] for c in CASES])


def _products(fn, shapes, mode):
    """J.T g of each input, J.T g differentiated again along a direction, and J times that."""
    xs = _draw(1, *shapes)
    dxs = _draw(2, *shapes)
    inputs = _vars(xs)
    out = fn(*inputs)
    value = theano.function(inputs, out, mode=theano.Mode("numpy"))
    jdx = value(*[x + dx for x, dx in zip(xs, dxs)]) - value(*[x - dx for x, dx in zip(xs, dxs)])
    jdx = jdx / 2
    (g,) = _draw(3, jdx.shape)
    (gv,), dvs = _vars([g]), _vars(dxs)
    gxs = T.grad(None, inputs, known_grads={out: gv})
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
@both_engines
def test_the_gradient_of_the_gradient_is_the_derivative_forwards(name, mode):
    fn, shapes = _case(name)
    *_, jdx, _, again = _products(fn, shapes, mode)
    np.testing.assert_allclose(again, jdx, rtol=1e-12, atol=1e-12)
