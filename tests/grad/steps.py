"""Derivatives of an expression, all three kinds, against differences over small steps."""

import numpy as np

import theano
import theano.tensor as T

_H = 1e-3


def variables(shapes):
    """Variables of these shapes; a length written as True is declared to be 1."""
    return [T.tensor("float64", [n is True for n in shape]) for shape in shapes]


def draw(seed, shapes, low=0.5, high=2.0):
    rng = np.random.default_rng(seed)
    return [np.asarray(rng.uniform(low, high, [int(n) for n in shape])) for shape in shapes]


def slope(fn, xs, dxs):
    """The change of each result of ``fn`` along ``dxs``: exact for polynomials of degree 4."""

    def at(h):
        return [np.asarray(y) for y in fn(*[x + h * dx for x, dx in zip(xs, dxs)])]

    ends = zip(at(_H), at(-_H), at(2 * _H), at(-2 * _H))
    return [(8 * (a - b) - (c - d)) / (12 * _H) for a, b, c, d in ends]


def check(fn, shapes, mode, values=None, forwards=True):
    """The gradient, its gradient, and the derivative forwards of ``fn`` are its slopes."""
    inputs = variables(shapes)
    xs = draw(1, shapes) if values is None else [np.asarray(v, "float64") for v in values]
    dxs, dvs = draw(2, shapes, -1, 1), variables(shapes)
    out = fn(*inputs)
    g, gv = np.asarray(draw(3, [np.shape(out.eval(dict(zip(inputs, xs))))])[0]), out.type("g")
    gxs = T.grad(None, inputs, known_grads={out: gv})
    for x, gx in zip(inputs, gxs):
        assert gx.type == x.type
    changed = sum((gx * dv).sum() for gx, dv in zip(gxs, dvs))
    # the gradient of a linear op does not depend on its input
    hxs = T.grad(changed, inputs, disconnected_inputs="ignore")
    dout = T.Rop(out, inputs, dvs)

    def run(outputs, *values):
        f = theano.function(
            [*inputs, gv, *dvs], outputs, mode=theano.Mode(mode), on_unused_input="ignore"
        )
        return f(*values)

    values = run([*gxs, *hxs, dout], *xs, g, *dxs)
    n = len(xs)
    made = theano.function([*inputs, gv], [out, *gxs], on_unused_input="ignore", mode="FAST_RUN")
    dy, *dgxs = slope(lambda *at: made(*at, g), xs, dxs)
    same = np.testing.assert_allclose
    for x, gx in zip(xs, values[:n]):
        assert gx.shape == x.shape
    same(sum(np.sum(a * b) for a, b in zip(values[:n], dxs)), np.sum(g * dy), rtol=1e-9, atol=1e-11)
    if forwards:
        same(values[-1], dy, rtol=1e-9, atol=1e-11)
    # the Hessian is symmetric: along dxs it changes the gradient as it is changed by them
    for hx, dgx in zip(values[n : 2 * n], dgxs):
        same(hx, dgx, rtol=1e-8, atol=1e-10)
