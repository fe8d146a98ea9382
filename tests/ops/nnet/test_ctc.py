"""Connectionist temporal classification: by all alignments, by loops over probabilities."""

import itertools

import numpy as np
import pytest

import theano
import theano.tensor as T
from theano.tensor.nnet.ctc import ConnectionistTemporalClassification, ctc, ctc_available
from theano.testing import Case, OpSpec, Raises, spec_tests

rng = np.random.default_rng(21)


def softmax(scores):
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def read(alignment):
    """The labels that an alignment gives: repeated classes merged, blanks left out."""
    return [k for k, _ in itertools.groupby(alignment) if k != 0]


def by_all_alignments(activations, labels, lengths):
    """Costs, and gradients as classes expected and found: sums over every alignment there is."""
    costs, grads = np.zeros(len(labels)), np.zeros(activations.shape)
    for n, (row, time) in enumerate(zip(labels, lengths, strict=True)):
        wanted = [int(k) for k in row if k >= 0]
        y = softmax(activations[:time, n])
        total, found = 0.0, np.zeros(y.shape)
        for alignment in itertools.product(range(y.shape[1]), repeat=int(time)):
            if read(alignment) == wanted:
                p = np.prod([y[t, k] for t, k in enumerate(alignment)])
                total += p
                for t, k in enumerate(alignment):
                    found[t, k] += p
        if total > 0:
            costs[n] = -np.log(total) + 0.0
            grads[:time, n] = y - found / total
    return [costs, grads]


def by_probabilities(activations, labels, lengths):
    """The same by recursions over probabilities, scaled at each step, one state at a time."""
    costs, grads = np.zeros(len(labels)), np.zeros(activations.shape)
    for n, time in enumerate(lengths):
        y = softmax(activations[:time, n])
        states = [0]
        for k in labels[n]:
            states += [int(k), 0] if k >= 0 else []
        size = len(states)

        def leads(i, j):
            return j in (i, i + 1) or (
                j == i + 2 and states[j] != 0 and states[j] != states[i]  # noqa: B023
            )

        forward, backward, scale = np.zeros((time, size)), np.zeros((time, size)), 0.0
        forward[0, :2] = y[0, states[:2]]
        for t in range(time):
            for j in range(size if t else 0):
                before = sum(forward[t - 1, i] for i in range(size) if leads(i, j))
                forward[t, j] = before * y[t, states[j]]
            scale += np.log(forward[t].sum())
            forward[t] /= forward[t].sum()
        backward[-1, -2:] = 1
        for t in reversed(range(time - 1)):
            for i in range(size):
                ways = (j for j in range(i, min(i + 3, size)) if leads(i, j))
                backward[t, i] = sum(backward[t + 1, j] * y[t + 1, states[j]] for j in ways)
            backward[t] /= backward[t].sum()
        costs[n] = -scale - np.log(forward[-1, -2:].sum())
        for t in range(time):
            shares = forward[t] * backward[t] / (forward[t] * backward[t]).sum()
            grads[t, n] = y[t]
            for j, share in enumerate(shares):
                grads[t, n, states[j]] -= share
    return [costs, grads]


def cost_and_gradient(a, labels, lengths):
    cost = ctc(a, labels, lengths)
    return [cost, T.grad(cost.sum(), a)]


A = rng.normal(size=(5, 6, 3))
LABELS = np.array([[1, 2], [1, 1], [2, -1], [-1, -1], [-1, 2], [2, 1]])
LENGTHS = np.array([5, 4, 3, 5, 1, 2])
LONG = rng.normal(size=(40, 3, 7)) * 3
LONG_LABELS = rng.integers(1, 7, size=(3, 9))
LONG_LABELS[1, 5:] = -1
LONG_LENGTHS = np.array([40, 31, 25])

SMALL = [
    Case(A, LABELS, LENGTHS, id="float64"),
    Case(A.astype("float32"), LABELS.astype("int32"), LENGTHS.astype("int32"), id="float32"),
    Case(A, LABELS.astype("int8"), LENGTHS.astype("uint8"), id="short integers"),
    Case(A[:, :, :2], np.minimum(LABELS, 1), LENGTHS, id="two classes"),
    Case(A, LABELS[:, :0], LENGTHS, id="no labels"),
    Case(A, LABELS, np.array([1, 2, 0, 0, 5, 1]), id="labels that do not fit"),
    Case(A[:0], LABELS, np.zeros(6, "int64"), id="no time"),
    Case(A[:, :0], LABELS[:0], LENGTHS[:0], id="no examples"),
]
# gradients are small differences there, of which no reference has the digits
SURE = Case(A + 30 * np.eye(3)[1], LABELS, LENGTHS, id="sure of one class")
LARGE = [
    Case(LONG, LONG_LABELS, LONG_LENGTHS, id="float64"),
    Case(LONG.astype("float32"), LONG_LABELS, LONG_LENGTHS, id="float32"),
]
ONCE = "once: ctc has no second derivatives, as in Theano"
NONE = "none: ctc has no second derivatives, as in Theano"
LIKE = {"out_dtype": lambda a, *_: a, "rtol": {"float64": 1e-11, "float32": 1e-4}}
LIKE_BOTH = {**LIKE, "out_dtype": lambda a, *_: (a, a)}


def only_cost(reference):
    return lambda *args: reference(*args)[0]


# fmt: off
SPECS = [
    OpSpec(ctc, only_cost(by_all_alignments), cases=[*SMALL, SURE], grad=ONCE, **LIKE, errors=[
        Raises((A[0], LABELS, LENGTHS), ValueError, "takes activations of 3 dimensions"),
        Raises((A, LABELS[0], LENGTHS), ValueError, "takes labels of 2 dimensions"),
        Raises((A, LABELS, LABELS), ValueError, "takes input_lengths of 1 dimensions"),
        Raises((A.astype("int32"), LABELS, LENGTHS), TypeError, "takes floats as activations"),
        Raises((A, A[0], LENGTHS), TypeError, "takes integers as labels"),
        Raises((A, LABELS, A[0, :, 0]), TypeError, "takes integers as input_lengths"),
        Raises((A, LABELS + 1, LENGTHS), ValueError, "below the number of classes, 3, got 3",
               when="run"),
        Raises((A, LABELS, LENGTHS + 1), ValueError, "from 0 to that of the activations, 5",
               when="run"),
        Raises((A, LABELS, LENGTHS - 2), ValueError, "from 0 to that of the activations, 5",
               when="run"),
        Raises((A, LABELS[1:], LENGTHS), ValueError, "for each example, got 5 and 6 for 6",
               when="run"),
    ]),
    OpSpec(ctc, only_cost(by_probabilities), name="ctc of long sequences", cases=LARGE,
           grad=ONCE, **LIKE),
    OpSpec(cost_and_gradient, by_all_alignments, cases=SMALL, grad=NONE, **LIKE_BOTH),
    OpSpec(cost_and_gradient, by_probabilities, name="gradient of long sequences", cases=LARGE,
           grad=NONE, **LIKE_BOTH),
]
# fmt: on

# numbers of warp-ctc itself, from its tutorial for Torch and its own tests
TUTORIAL = (
    [[[0] * 5, [1, 2, 3, 4, 5], [-5, -4, -3, -2, -1]]]
    + [[[0] * 5, [6, 7, 8, 9, 10], [-10, -9, -8, -7, -6]]]
    + [[[0] * 5, [11, 12, 13, 14, 15], [-15, -14, -13, -12, -11]]],
    [[1, -1], [3, 3], [2, 3]],
    [1, 3, 3],
    [1.609437943, 7.355742931, 4.938849926],
)
OWN = (
    [[[0.1, 0.6, 0.1, 0.1, 0.1], [0.1, 0.1, 0.6, 0.1, 0.1]]]
    + [[[0.6, 0.1, 0.1, 0.1, 0.1], [0.1, 0.1, 0.5, 0.2, 0.1]]],
    [[1, 2], [1, 2]],
    [2, 2],
    [2.962858438, 3.053659201],
)


@pytest.mark.parametrize("engine", ["numpy", "xla"])
@pytest.mark.parametrize(("activations", "labels", "lengths", "costs"), [TUTORIAL, OWN])
def test_costs_are_those_of_the_library(activations, labels, lengths, costs, engine):
    a, r, n = T.ftensor3(), T.imatrix(), T.ivector()
    f = theano.function([a, r, n], ctc(a, r, n), mode=theano.Mode(engine))
    given = np.array(activations, "float32"), np.array(labels, "int32"), np.array(lengths, "int32")
    np.testing.assert_allclose(f(*given), costs, rtol=1e-6)


def test_the_gradient_is_computed_only_where_it_is_read():
    a, r, n = T.ftensor3(), T.imatrix(), T.ivector()
    cost = ctc(a, r, n)
    for outs, wanted in (([cost], False), ([cost, T.grad(cost.sum(), a)], True)):
        ops = [node.op for node in theano.function([a, r, n], outs).maker.fgraph.toposort()]
        found = [op.compute_grad for op in ops if op.__class__ is type(cost.owner.op)]
        assert found == [wanted]


def test_an_op_without_the_gradient_still_has_a_derivative():
    a = T.constant(A)
    cost = ConnectionistTemporalClassification(compute_grad=False)(a, LABELS, LENGTHS)
    made = T.grad(cost.sum(), a).eval()
    np.testing.assert_allclose(made, by_all_alignments(A, LABELS, LENGTHS)[1], rtol=1e-10)


def test_what_stands_after_the_end_of_an_example_is_not_read():
    padded = A.copy()
    for n, time in enumerate(LENGTHS):
        padded[time:, n] = np.nan
    a = T.dtensor3()
    f = theano.function([a], cost_and_gradient(a, LABELS, LENGTHS))
    for got, wanted in zip(f(padded), f(A), strict=True):
        np.testing.assert_array_equal(got, wanted)


def test_a_label_of_no_probability_costs_infinity():
    scores = np.zeros((3, 1, 3))
    scores[:, :, 2] = -np.inf
    assert ctc(scores, [[2]], [3]).eval() == np.inf


def test_a_second_derivative_is_refused():
    a = T.dtensor3("a")
    g = T.grad(ctc(a, LABELS, LENGTHS).sum(), a)
    with pytest.raises(theano.gradient.NullTypeGradError, match="has no derivative"):
        T.grad((g**2).sum(), a)
    with pytest.raises(theano.gradient.NullTypeGradError, match="has no derivative"):
        T.Rop(g, a, a)


def test_forward_and_backward_derivatives_agree():
    a, da = T.dtensor3("a"), T.dtensor3("da")
    cost = ctc(a, LABELS, LENGTHS)
    f = theano.function([a, da], [T.Rop(cost, a, da).sum(), (T.grad(cost.sum(), a) * da).sum()])
    np.testing.assert_allclose(*f(A, rng.normal(size=A.shape)), rtol=1e-10)


def test_programs_that_look_for_the_library_find_it():
    assert ctc_available()


test_ops = spec_tests(SPECS)
