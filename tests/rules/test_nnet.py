"""Crossentropy and softmax as one op: what is recognised, what must not be, and the gradients."""

import math

import numpy as np
import pytest
from scipy.special import expit, log_softmax, logsumexp, softmax

import theano
import theano.tensor as T
from theano._src.graph.fg import FunctionGraph
from theano._src.rewrite.database import Query
from theano._src.rules.pipeline import rewrite
from theano.tensor import nnet

ENGINES = ("numpy", "xla")
ONE = "CrossentropySoftmax1Hot"
BIAS = "CrossentropySoftmaxArgmax1HotWithBias"
SLOPE = "CrossentropySoftmax1HotWithBiasDx"


def kinds(inputs, outputs, *without):
    g = FunctionGraph(inputs, outputs)
    rewrite(g, Query(["fast_run"]).excluding("inplace", "fusion", *without))
    return [type(n.op).__name__ for n in g.toposort()]


def rows(y):
    return T.arange(y.shape[0])


x, W, b, y, t = T.dmatrix("x"), T.dmatrix("W"), T.dvector("b"), T.lvector("y"), T.dmatrix("t")
scores = T.dot(x, W) + b


def written(s):
    e = T.exp(s)
    return e / e.sum(axis=1, keepdims=True)


def shifted(s):
    e = T.exp(s - s.max(axis=1).dimshuffle(0, "x"))
    return e / e.sum(axis=1).dimshuffle(0, "x")


def twice(s):
    return T.exp(s) / T.exp(s).sum(axis=1, keepdims=True)


COSTS = {
    "log of softmax by index": -T.mean(T.log(nnet.softmax(scores))[rows(y), y]),
    "log of what is indexed": -T.mean(T.log(nnet.softmax(scores)[rows(y), y])),
    "formula by index": -T.mean(T.log(written(scores))[rows(y), y]),
    "formula with exp twice": -T.mean(T.log(twice(scores))[rows(y), y]),
    "log of the indexed formula": -T.mean(T.log(written(scores)[rows(y), y])),
    "shifted formula by index": -T.mean(T.log(shifted(scores))[rows(y), y]),
    "logsoftmax by index": -T.mean(nnet.logsoftmax(scores)[rows(y), y]),
    "softmax_with_bias": -T.mean(T.log(nnet.softmax_with_bias(T.dot(x, W), b))[rows(y), y]),
    "rows of the input": -T.mean(T.log(nnet.softmax(scores))[T.arange(x.shape[0]), y]),
    "categorical, classes": nnet.categorical_crossentropy(nnet.softmax(scores), y).mean(),
    "categorical of the formula": nnet.categorical_crossentropy(written(scores), y).mean(),
    "categorical of the shifted": nnet.categorical_crossentropy(shifted(scores), y).mean(),
    "distributions, shifted": nnet.categorical_crossentropy(shifted(scores), t).mean(),
    "distributions, formula": nnet.categorical_crossentropy(written(scores), t).mean(),
    "categorical, distributions": nnet.categorical_crossentropy(nnet.softmax(scores), t).mean(),
    "one op": nnet.crossentropy_softmax_1hot(scores, y)[0].mean(),
    "one op with a bias": nnet.crossentropy_softmax_1hot_with_bias(T.dot(x, W), b, y)[0].mean(),
    "log-sum-exp": (T.log(T.exp(scores).sum(axis=1)) - scores[rows(y), y]).mean(),
}
BINARY = {
    "binary of sigmoid": nnet.binary_crossentropy(nnet.sigmoid(scores), t).mean(),
    "binary of the formula": nnet.binary_crossentropy(1 / (1 + T.exp(-scores)), t).mean(),
    "of scores": nnet.sigmoid_binary_crossentropy(scores, t).mean(),
}
AT = (
    np.eye(3),
    np.array([[1000.0, -1000, 0], [0, 800, -900], [-2000, 0, 2000]]),
    np.array([1.0, 2, 3]),
    np.array([1, 0, 0]),
    np.eye(3)[[1, 0, 0]],
)


def run(cost, engine):
    outs = [cost, *T.grad(cost, [W, b])]
    f = theano.function([x, W, b, y, t], outs, mode=theano.Mode(engine), on_unused_input="ignore")
    return f(*AT)


def agree(made, cost, slope):
    np.testing.assert_allclose(made[0], cost, rtol=1e-13)
    np.testing.assert_allclose(made[1], AT[0].T @ slope, rtol=1e-13, atol=1e-16)
    np.testing.assert_allclose(made[2], slope.sum(axis=0), rtol=1e-13, atol=1e-16)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", COSTS)
def test_classifiers_have_exact_costs_and_gradients_at_extreme_scores(name, engine):
    s = AT[0] @ AT[1] + AT[2]
    cost = (logsumexp(s, axis=1) - s[[0, 1, 2], AT[3]]).mean()
    agree(run(COSTS[name], engine), cost, (softmax(s, axis=1) - AT[4]) / 3)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", BINARY)
def test_autoencoders_have_exact_costs_and_gradients_at_extreme_scores(name, engine):
    s = AT[0] @ AT[1] + AT[2]
    cost = (np.logaddexp(0, s) - AT[4] * s).mean()
    agree(run(BINARY[name], engine), cost, (expit(s) - AT[4]) / s.size)


ONE_OP = [
    k for k in COSTS if "distributions" not in k and k not in ("rows of the input", "log-sum-exp")
]


@pytest.mark.parametrize("name", ONE_OP)
def test_the_cost_of_a_classifier_is_one_op_and_its_gradient_another(name):
    found = kinds([x, W, b, y], [COSTS[name], *T.grad(COSTS[name], [W, b])])
    assert found.count(BIAS) + found.count(ONE) == 1
    assert not {"Softmax", "LogSoftmax", "SoftmaxGrad", "SoftmaxWithBias"} & set(found)
    if name not in ("log of the indexed formula", "formula with exp twice"):
        assert found.count(SLOPE) == 1 and "AdvancedIncSubtensor" not in found


def test_predictions_share_the_softmax_of_the_cost():
    p = nnet.softmax(scores)
    found = kinds([x, W, b, y], [nnet.categorical_crossentropy(p, y), p])
    assert BIAS in found and "Softmax" not in found and "SoftmaxWithBias" not in found


def test_a_gradient_of_a_mean_is_given_as_one_number():
    cost = COSTS["categorical, classes"]
    g = FunctionGraph([x, W, b, y], [T.grad(cost, b)])
    rewrite(g, Query(["fast_run"]).excluding("inplace", "fusion"))
    (slope,) = [n for n in g.toposort() if type(n.op).__name__ == SLOPE]
    assert slope.inputs[0].ndim == 0


@pytest.mark.parametrize(
    ("tag", "cost"),
    [
        ("crossentropy_to_crossentropy_with_softmax_with_bias", "categorical, classes"),
        ("local_advanced_indexing_crossentropy_onehot", "log of softmax by index"),
    ],
)
def test_documented_names_switch_it_off(tag, cost):
    assert BIAS in kinds([x, W, b, y], [COSTS[cost]])
    assert not {BIAS, ONE} & set(kinds([x, W, b, y], [COSTS[cost]], tag))


def test_documented_names_switch_gradients_off():
    cost = COSTS["categorical, classes"]
    grads = T.grad(cost, [W, b])
    tag = "local_softmax_grad_to_crossentropy_with_softmax_grad"
    assert SLOPE in kinds([x, W, b, y], grads)
    assert SLOPE not in kinds([x, W, b, y], grads, tag)


def test_a_bias_is_put_within_and_the_documented_name_switches_that_off():
    p = nnet.softmax(scores)
    assert "SoftmaxWithBias" in kinds([x, W, b], [p])
    assert "SoftmaxWithBias" not in kinds([x, W, b], [p], "local_softmax_with_bias")
    # a sum that is asked for besides is computed anyway
    assert "SoftmaxWithBias" not in kinds([x, W, b], [p, scores])
    # columns are no bias
    c = T.dcol("c")
    assert "SoftmaxWithBias" not in kinds([x, c], [nnet.softmax(x + c)])


def test_the_logarithm_of_softmax_with_bias_is_stable():
    p = nnet.softmax_with_bias(x, b)
    f = theano.function([x, b], T.log(p))
    np.testing.assert_array_equal(f([[0.0, 0.0]], [0.0, 1000.0]), [[-1000.0, 0.0]])


def test_a_bias_of_one_number_is_still_an_error_for_several_columns():
    one = T.TensorType("float64", (True,))("one")
    f = theano.function([x, one], nnet.softmax_with_bias(x, one), mode=theano.Mode("numpy"))
    with pytest.raises(ValueError, match="b with as many elements as x has columns"):
        f(np.zeros((2, 3)), [1.0])
    column = T.dcol("column")
    g = theano.function([column, one], nnet.softmax_with_bias(column, one))
    assert g([[1.0], [2.0]], [3.0]).tolist() == [[1.0], [1.0]]


# what indexing does stays as NumPy does it


@pytest.mark.parametrize("engine", ENGINES)
def test_classes_below_0_count_from_the_last_where_they_are_an_index(engine):
    cost = -T.log(nnet.softmax(x))[rows(y), y]
    f = theano.function([x, y], [cost, T.grad(cost.sum(), x)], mode=theano.Mode(engine))
    assert any("indexed" in str(n.op) for n in f.maker.fgraph.toposort())
    at = np.array([[1.0, 2, 3], [0, 5, 0]])
    value, slope = f(at, [-1, -3])
    np.testing.assert_allclose(value, -log_softmax(at, axis=1)[[0, 1], [2, 0]], rtol=1e-14)
    np.testing.assert_allclose(slope, softmax(at, axis=1) - np.eye(3)[[2, 0]], rtol=1e-13)
    # fewer classes than rows: the rows before
    value, slope = f(at, [1])
    np.testing.assert_allclose(value, -log_softmax(at[0])[[1]], rtol=1e-14)
    assert slope[1].tolist() == [0, 0, 0]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("classes", [[0, 3], [0, -4], [0, 1, 2]], ids=str)
def test_an_index_out_of_bounds_is_still_an_IndexError(classes, engine):
    f = theano.function([x, y], -T.log(nnet.softmax(x))[rows(y), y], mode=theano.Mode(engine))
    with pytest.raises(IndexError, match="out of bounds"):
        f(np.zeros((2, 3)), classes)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("classes", [[0, 3], [0, -1]], ids=str)
def test_a_class_that_there_is_not_is_a_ValueError_with_and_without_rewriting(classes, engine):
    cost = nnet.categorical_crossentropy(nnet.softmax(x), y)
    for mode in (theano.Mode(engine), theano.Mode(engine, optimizer=None)):
        with pytest.raises(ValueError, match="y_i value out of bounds"):
            theano.function([x, y], cost, mode=mode)(np.zeros((2, 3)), classes)


def test_what_is_not_one_class_a_row_is_left_alone():
    s, z, i = T.dmatrix("s"), T.lvector("z"), T.lscalar("i")
    logs = T.log(nnet.softmax(s))
    for index in [(z, z), (rows(z), rows(z) * 0 + i, None), (rows(z) + 1, z), (i, z)]:
        assert ONE not in kinds([s, z, i], [logs[index]])
    # a range that may be longer or shorter
    assert ONE not in kinds([s, z, i], [logs[T.arange(i), z]])
    # what is needed as a whole anyway
    assert ONE not in kinds([s, z, i], [logs[rows(z), z], logs])
    # columns are not rows
    assert ONE not in kinds([s, z], [nnet.logsoftmax(s, axis=0)[rows(z), z]])


@pytest.mark.parametrize("engine", ENGINES)
def test_classes_that_are_predictions_of_the_same_softmax_make_no_loop(engine):
    p = nnet.softmax(x)
    best = T.argmax(p**2, axis=1)
    cost = -T.log(p)[T.arange(best.shape[0]), best]
    other = nnet.categorical_crossentropy(p, best)
    f = theano.function([x], [cost, other, p, T.grad(cost.sum(), x)], mode=theano.Mode(engine))
    at = np.array([[1.0, 2, 3], [0, 5, 0]])
    value, same, share, slope = f(at)
    np.testing.assert_allclose(value, -log_softmax(at, axis=1).max(axis=1), rtol=1e-13)
    np.testing.assert_allclose(same, value, rtol=1e-13)
    np.testing.assert_allclose(share, softmax(at, axis=1), rtol=1e-14)
    np.testing.assert_allclose(slope, share - np.eye(3)[[2, 1]], rtol=1e-12)


def test_the_argmax_of_a_softmax_is_that_of_its_scores():
    for axis in (0, 1):
        assert kinds([x], [T.argmax(nnet.softmax(x, axis=axis), axis=axis)]) == ["Argmax"]
    assert "Softmax" in kinds([x], [T.argmax(nnet.softmax(x), axis=0)])
    assert "Softmax" in kinds([x], [T.argmax(nnet.softmax(x), axis=1)], "local_argmax_pushdown")


@pytest.mark.parametrize("name", ["local_ultra_fast_sigmoid", "local_hard_sigmoid"])
def test_approximate_sigmoids_come_only_when_asked_for_and_late(name):
    v = T.dvector("v")
    mode = theano.Mode("numpy")
    plain = theano.function([v], nnet.sigmoid(v), mode=mode)
    assert plain([-800.0]).tolist() == [0.0] and 0 < plain([-20.0])[0] < 1e-8
    approximate = mode.including(name)
    f = theano.function([v], nnet.sigmoid(v), mode=approximate)
    want = getattr(nnet, name.removeprefix("local_"))([-20.0, 1.0]).eval()
    np.testing.assert_allclose(f([-20.0, 1.0]), want, rtol=1e-15)
    stable = theano.function([v], T.log(1 - nnet.sigmoid(v)), mode=approximate)
    assert stable([800.0]).tolist() == [-800.0]


def test_float32_stays_float32_on_the_way():
    s, z = T.fmatrix("s"), T.ivector("z")
    cost = -T.mean(T.log(nnet.softmax(s))[rows(z), z])
    grad = T.grad(cost, s)
    g = FunctionGraph([s, z], [cost, grad])
    rewrite(g, Query(["fast_run"]).excluding("inplace", "fusion"))
    floats = {v.dtype for n in g.toposort() for v in n.outputs if v.dtype.startswith("float")}
    assert floats == {"float32"} and math.isfinite(
        theano.function([s, z], cost)(np.full((2, 3), 80, "float32"), [0, 1])
    )
