"""Products with chosen blocks of a matrix of blocks, by loops over single numbers."""

import numpy as np
import pytest

import theano
import theano.tensor as T
from theano.tensor.nnet import blocksparse as B
from theano.testing import Case, OpSpec, Raises, spec_tests

rng = np.random.default_rng(12)
BATCH, INS, OUTS = 2, 3, 2
W = rng.normal(size=(4, 5, 3, 2))
H, O = rng.normal(size=(BATCH, INS, 3)), rng.normal(size=(BATCH, OUTS, 2))
BIAS = rng.normal(size=(5, 2))
# a block is named twice in the first example, once from the end in the second
I, J = np.array([[0, 2, 0], [3, 1, -1]]), np.array([[4, 1], [0, 0]])


def gemv(o, W, h, i, j):
    out = np.array(o)
    for b, r, s in np.ndindex(len(h), i.shape[1], j.shape[1]):
        block = W[i[b, r], j[b, s]]
        for k, n in np.ndindex(block.shape):
            out[b, s, n] += h[b, r, k] * block[k, n]
    return out


def outer(o, x, y, i, j, alpha=1.0):
    out = np.array(o)
    for b, r, s in np.ndindex(len(x), i.shape[1], j.shape[1]):
        for k, n in np.ndindex(x.shape[2], y.shape[2]):
            out[i[b, r], j[b, s], k, n] += alpha * x[b, r, k] * y[b, s, n]
    return out


def layer(W, h, i, bias, j):
    if h.ndim == 2:
        h, i, j = h[None], i[None], j[None]
    return gemv(np.array([[bias[k] for k in row] for row in j]), W, h, i, j)


def all_float32(*arrays):
    return [a.astype("float32") if a.dtype.kind == "f" else a.astype("int32") for a in arrays]


OUT_OF_BOUNDS = "out of bounds|index .* is out"
GEMV = [
    Case(O, W, H, I, J, id="float64"),
    Case(*all_float32(O, W, H, I, J), id="float32"),
    Case(O[:0], W, H[:0], I[:0], J[:0], id="no example"),
    Case(O, W, H[:, :0], I[:, :0], J, id="no input"),
    Case(O, W, H.astype("float32"), I.astype("int8"), J.astype("uint8"), id="mixed"),
    Case(O + 1j, W * 2j, H - 1j, I, J, id="complex128"),
]
OUTER = [
    Case(W, H, O, I, J, id="float64"),
    Case(*all_float32(W, H, O, I, J), id="float32"),
    Case(W, H, O, I, J, np.float64(-0.5), id="alpha"),
    Case(W, H[:0], O[:0], I[:0], J[:0], id="no example"),
]
# fmt: off
SPECS = [
    OpSpec(B.sparse_block_gemv, gemv, name="sparse_block_gemv", cases=GEMV, errors=[
        Raises((O[0], W, H, I, J), TypeError, "takes o of 3 dimensions"),
        Raises((O, W[0], H, I, J), TypeError, "takes W of 4 dimensions"),
        Raises((O, W, H, I, J[0]), TypeError, "takes outputIdx of 2 dimensions"),
        Raises((O, W, H, H[0], J), TypeError, "takes integers as inputIdx"),
        Raises((O.astype("int64"), W, H, I, J), TypeError, "which does not hold"),
        Raises((O, W, H[:1], I, J), ValueError, "takes shapes that agree", when="run"),
        Raises((O, W, H, I + 4, J), IndexError, OUT_OF_BOUNDS, when="run"),
        Raises((O, W, H, I, J + 4), IndexError, OUT_OF_BOUNDS, when="run"),
    ]),
    OpSpec(B.sparse_block_outer, outer, name="sparse_block_outer", cases=OUTER, errors=[
        Raises((W, H, O, I, J, H[0, 0]), TypeError, "takes a scalar as alpha"),
        Raises((W, H, O[..., :1], I, J), ValueError, "takes shapes that agree", when="run"),
        Raises((W, H, O, I - 9, J), IndexError, OUT_OF_BOUNDS, when="run"),
    ]),
    OpSpec(B.sparse_block_dot, layer, cases=[
        Case(W, H, I, BIAS, J, id="batch"),
        Case(W, H[0], I[0], BIAS, J[0], id="one example"),
        Case(*all_float32(W, H, I, BIAS, J), id="float32"),
    ], errors=[Raises((W, H, I[0], BIAS, J), ValueError, "of one dimension less than h")]),
]
# fmt: on


def test_a_compiled_layer_adds_its_blocks_in_place():
    W, h, b, i, j = T.ftensor4(), T.ftensor3(), T.fmatrix(), T.lmatrix(), T.lmatrix()
    out = B.sparse_block_dot(W, h, i, b, j)
    f = theano.function([W, h, i, b, j], [out, T.grad(out.sum(), W)])
    ops = [n.op for n in f.maker.fgraph.toposort()]
    assert B.sparse_block_gemv_inplace in ops and B.sparse_block_outer_inplace in ops


@pytest.mark.parametrize("engine", ["py", "numpy", "xla"])
def test_the_inplace_forms_mean_the_same(engine):
    o, x, y, i, j = T.tensor4(), T.tensor3(), T.tensor3(), T.lmatrix(), T.lmatrix()
    outs = [
        B.sparse_block_outer_inplace(o + 0, x, y, i, j),
        B.sparse_block_gemv_inplace(y + 0, o, x, i, j),
    ]
    mode = theano.Mode(engine, None)
    f = theano.function([o, x, y, i, j], outs, accept_inplace=True, mode=mode)
    made, wanted = f(W, H, O, I, J), [outer(W, H, O, I, J), gemv(O, W, H, I, J)]
    for got, one in zip(made, wanted, strict=True):
        np.testing.assert_allclose(got, one, rtol=1e-12)


@pytest.mark.parametrize("engine", ["numpy", "xla"])
def test_a_layer_of_blocks_learns_what_it_is_shown(engine):
    weights = theano.shared(np.zeros(W.shape))
    bias = theano.shared(np.zeros(BIAS.shape))
    h, i, j, goal = T.tensor3(), T.lmatrix(), T.lmatrix(), T.tensor3()
    cost = ((B.sparse_block_dot(weights, h, i, bias, j) - goal) ** 2).sum()
    params = [weights, bias]
    steps = [(p, p - 0.03 * g) for p, g in zip(params, T.grad(cost, params), strict=True)]
    train = theano.function([h, i, j, goal], cost, updates=steps, mode=theano.Mode(engine))
    costs = [float(train(H, I, J, layer(W, H, I, BIAS, J))) for _ in range(200)]
    assert costs[-1] < 1e-3 * costs[0]
    unused = [(r, s) for r, s in np.ndindex(4, 5) if not _is_named(r, s)]
    assert unused and not any(weights.get_value()[r, s].any() for r, s in unused)


def _is_named(r, s):
    return any(r in I[b] % 4 and s in J[b] for b in range(BATCH))


test_ops = spec_tests(SPECS)
