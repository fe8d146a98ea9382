"""Softmax in two levels, columns before a matrix, and confusion matrices, by plain NumPy."""

import numpy as np
import pytest
from scipy.special import log_softmax, softmax

import theano
import theano.tensor as T
from theano.tensor import nnet
from theano.testing import Case, OpSpec, Raises, spec_tests

rng = np.random.default_rng(8)
# 5 outputs in 2 classes of up to 3
X, W1, B1 = rng.normal(size=(3, 4)), rng.normal(size=(4, 2)), rng.normal(size=2)
W2, B2 = rng.normal(size=(2, 4, 3)), rng.normal(size=(2, 3))
TARGET = np.array([0, 4, 2])


def share(scores):
    e = np.exp(scores)
    return e / e.sum()


def every_output(x, W1, b1, W2, b2):
    out = np.empty((len(x), 5))
    for i, row in enumerate(x):
        classes = share(row @ W1 + b1)
        for k in range(5):
            out[i, k] = classes[k // 3] * share(row @ W2[k // 3] + b2[k // 3])[k % 3]
    return out


def targets(x, W1, b1, W2, b2, target):
    every = every_output(x, W1, b1, W2, b2)
    return np.array([every[i, int(k)] for i, k in enumerate(target)])


def h_softmax(x, *params):
    return nnet.h_softmax(x, x.shape[0], 5, 2, 3, *params)


def h_softmax_of_targets(x, W1, b1, W2, b2, target):
    return nnet.h_softmax(x, x.shape[0], 5, 2, 3, W1, b1, W2, b2, target)


def counts(actual, pred):
    order = sorted({*actual.tolist(), *pred.tolist()})
    pairs = list(zip(actual.tolist(), pred.tolist(), strict=True))
    return [np.array([[pairs.count((a, b)) for b in order] for a in order]), np.array(order)]


def before(val, mat):
    return np.array([[val, *row] for row in mat.tolist()], mat.dtype)


M = rng.normal(size=(2, 3))
NO_MATRIX = [Raises((M[0],), TypeError, "takes a matrix")]

# fmt: off
SPECS = [
    OpSpec(h_softmax, every_output, cases=[Case(X, W1, B1, W2, B2, id="all outputs")],
           sizes="none: the number of classes is an argument"),
    OpSpec(h_softmax_of_targets, targets, cases=[Case(X, W1, B1, W2, B2, TARGET, id="targets")],
           sizes="none: the number of classes is an argument"),
    OpSpec(nnet.confusion_matrix, counts, cases=[
        Case(np.array([2, 0, 2, 2, 0, 1]), np.array([0, 0, 2, 2, 0, 2]), id="int64"),
        Case(np.array([2.5, 0.5]), np.array([0.5, 0.5]), id="floats"),
    ], grad="none: it counts", xla="host: Unique asks for values",
       errors=[Raises((M, M), ValueError, "takes vectors")]),
    OpSpec(nnet.prepend_scalar_to_each_row, before, cases=[
        Case(np.float64(5), M, id="float64"),
        Case(np.float64(5), M.astype("float32"), id="float32"),
        Case(np.int32(5), M.astype("int32"), id="int32"),
    ], out_dtype=lambda *d: d[1], errors=[
        Raises((np.float64(1), M[0]), TypeError, "takes a matrix"),
        Raises((M[0], M), TypeError, "takes a scalar as val"),
    ]),
    OpSpec(nnet.prepend_0_to_each_row, lambda m: before(0, m), name="prepend_0",
           cases=[Case(M, id="float64")], errors=NO_MATRIX),
    OpSpec(nnet.prepend_1_to_each_row, lambda m: before(1, m), name="prepend_1",
           cases=[Case(M.astype("float32"), id="float32")], errors=NO_MATRIX),
]
# fmt: on


def test_outputs_of_all_classes_are_one_distribution():
    full = nnet.h_softmax(X, 3, 6, 2, 3, W1, B1, W2, B2).eval()
    np.testing.assert_allclose(full.sum(axis=1), 1, rtol=1e-14)


def test_types_are_those_of_theano():
    args = (T.dmatrix(), T.dvector(), T.dtensor3(), T.dmatrix())
    x = T.dmatrix("x")
    assert nnet.h_softmax(x, 3, 5, 2, 3, *args).type == T.dmatrix
    assert nnet.h_softmax(x, T.lscalar(), 5, 2, 3, *args, target=T.lmatrix()).type == T.dvector
    order = nnet.confusion_matrix(T.bvector(), T.ivector())
    assert [v.type for v in order] == [T.lmatrix, T.ivector]


@pytest.mark.parametrize("engine", ["numpy", "xla"])
def test_the_logarithm_of_targets_is_exact_at_extreme_scores_and_so_is_its_gradient(engine):
    V, W = T.dmatrix("V"), T.dtensor3("W")
    value = T.log(nnet.h_softmax(X, 3, 5, 2, 3, V, B1, W, B2, TARGET)).sum()
    f = theano.function([V, W], [value, *T.grad(value, [V, W])], mode=theano.Mode(engine))
    made = f(W1 * 1e4, W2 * 1e4)
    classes, outputs = X @ (W1 * 1e4) + B1, np.einsum("ij,kjl->ikl", X, W2 * 1e4) + B2
    number, place, rows = TARGET // 3, TARGET % 3, np.arange(3)
    within = outputs[rows, number]
    want = log_softmax(classes, axis=1)[rows, number] + log_softmax(within, axis=1)[rows, place]
    np.testing.assert_allclose(made[0], want.sum(), rtol=1e-13)
    slope = np.eye(2)[number] - softmax(classes, axis=1)
    np.testing.assert_allclose(made[1], X.T @ slope, rtol=1e-12, atol=1e-15)
    slope, grad = np.eye(3)[place] - softmax(within, axis=1), np.zeros_like(W2)
    for i in rows:
        grad[number[i]] += np.outer(X[i], slope[i])
    np.testing.assert_allclose(made[2], grad, rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize(("val", "shown"), [(0, "{0.0}"), (3, "{3.0}")], ids=["0", "3"])
def test_a_constant_column_is_part_of_the_op(val, shown):
    op = nnet.Prepend_scalar_constant_to_each_row(val)
    assert str(op) == f"Prepend_scalar_constant_to_each_row{shown}"
    assert op == nnet.Prepend_scalar_constant_to_each_row(val)


test_ops = spec_tests(SPECS)
