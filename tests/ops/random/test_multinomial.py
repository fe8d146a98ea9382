"""Choices from uniform samples: one sample at a time, in plain Python, and all at once."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import theano
import theano.tensor as T
from theano.sandbox.multinomial import (
    ChoiceFromUniform,
    MultinomialFromUniform,
    MultinomialWOReplacementFromUniform,
)
from theano.testing import Case, OpSpec, Raises, spec_tests

ENGINES = ("numpy", "xla")


def first_above(row, u):
    """Where the sum from the left first exceeds u, if anywhere, and the sum there."""
    total = 0.0
    for m, p in enumerate(row):
        total += float(p)
        if total > u:
            return m, total
    return None, total


def counted(dtype):
    def reference(pvals, unis, n=1):
        out = np.zeros(pvals.shape, dtype)
        for c in range(int(n)):
            for i, row in enumerate(pvals):
                m, _ = first_above(row, unis[c * len(pvals) + i])
                if m is not None:
                    out[i, m] += 1
        return out

    return reference


def chosen(replace=False):
    def reference(pvals, unis, n=1):
        pvals = pvals.copy()
        out = np.full((len(pvals), int(n)), -1, "int64")
        for c in range(int(n)):
            for i, row in enumerate(pvals):
                m, total = first_above(row, unis[c * len(pvals) + i])
                if m is None:
                    continue
                out[i, c] = m
                if replace:
                    continue
                left = row.dtype.type(total - float(row[m]))
                row[m] = 0
                for p in row[m:]:
                    left += p
                row /= left
        return out

    return reference


def rows(n, m, dtype="float64", seed=4):
    made = np.random.default_rng(seed).random((n, m))
    return (made / made.sum(axis=1, keepdims=True)).astype(dtype)


def unis(n, dtype="float64"):
    return np.random.default_rng(9).random(n).astype(dtype)


def former(pvals, samples, n=1):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        return MultinomialWOReplacementFromUniform("auto")(pvals, samples, n)


N = (2,)
# fmt: off
SPECS = [
    OpSpec(MultinomialFromUniform("int64"), counted("int64"), name="MultinomialFromUniform", nin=2,
           cases=[
               Case(rows(5, 3), unis(5), id="one sample"),
               Case(rows(5, 3), unis(20), np.int64(4), static=N, id="4 samples"),
               Case(rows(5, 3), unis(15), np.int64(3), id="an input says how many"),
               Case(rows(3, 40, "float32"), unis(6, "float32"), np.int64(2), static=N,
                    id="float32"),
               Case(rows(3, 4), unis(0), np.int64(0), static=N, id="no samples"),
               Case(np.zeros((3, 0)), unis(3), id="no outcomes"),
               Case(np.zeros((0, 3)), unis(0), id="no rows"),
               Case(np.array([[-2.0, 2.0], [0.5, -0.5], [0.2, np.nan]]), unis(3), id="odd rows"),
           ],
           errors=[
               Raises((rows(2, 2), unis(3)), ValueError, "n samples for each row", when="run"),
               Raises((unis(3), unis(3)), NotImplementedError, "takes a matrix", when="build"),
               Raises((rows(2, 2), rows(2, 2)), NotImplementedError, "a vector of", when="build"),
           ],
           grad="none: a small change changes no choice"),
    OpSpec(MultinomialFromUniform("auto"), counted("float32"), name="counts like probabilities",
           nin=2, cases=[Case(rows(4, 3, "float32"), unis(4), id="float32")],
           grad="none: a small change changes no choice"),
    OpSpec(ChoiceFromUniform("auto"), chosen(), name="ChoiceFromUniform", nin=2,
           cases=[
               Case(rows(5, 4), unis(5), id="one sample"),
               Case(rows(5, 4), unis(20), np.int64(4), static=N, id="all outcomes"),
               Case(rows(5, 4), unis(15), np.int64(3), id="an input says how many"),
               Case(rows(6, 40, "float32"), unis(30, "float32"), np.int64(5), static=N,
                    id="float32"),
               Case(rows(3, 4) / 2, unis(6), np.int64(2), static=N, id="sums of a half"),
               Case(rows(3, 4), unis(0), np.int64(0), static=N, id="no samples"),
           ],
           errors=[Raises((rows(2, 2), unis(6), np.int64(3)), ValueError, "as many samples as",
                          when="run")],
           grad="none: a small change changes no choice"),
    OpSpec(ChoiceFromUniform("auto", replace=True), chosen(True), name="ChoiceFromUniform replace",
           nin=2, cases=[Case(rows(5, 4), unis(15), np.int64(3), static=N, id="3 samples")],
           grad="none: a small change changes no choice"),
    OpSpec(former, chosen(), name="MultinomialWOReplacementFromUniform",
           nin=2, cases=[Case(rows(5, 4), unis(10), np.int64(2), static=N, id="2 samples")],
           grad="none: a small change changes no choice"),
]
# fmt: on
test_ops = spec_tests(SPECS)


def test_the_former_name_warns():
    with pytest.warns(DeprecationWarning, match="ChoiceFromUniform"):
        MultinomialWOReplacementFromUniform("auto")


def test_printed_forms_are_those_of_theano_1_0_5():
    assert str(MultinomialFromUniform("auto")) == "MultinomialFromUniform{auto}"
    assert str(ChoiceFromUniform("auto")) == "ChoiceFromUniform{odtype='auto', replace=False}"


@pytest.mark.parametrize("engine", ENGINES)
def test_gradients_of_counts_are_zero(engine):
    p, u = T.dmatrix(), T.dvector()
    grads = T.grad(MultinomialFromUniform("auto")(p, u).sum(), [p, u])
    f = theano.function([p, u], grads, mode=theano.Mode(engine))
    gp, gu = f(rows(3, 2), unis(3))
    assert (gp == np.zeros((3, 2))).all() and (gu == np.zeros(3)).all()


def test_sums_are_added_from_left_to_right_on_both_engines():
    # so many terms that another order rounds to other numbers
    given, n = rows(300, 200, "float32"), 4
    p, u = T.fmatrix(), T.fvector()
    want = chosen()(given, unis(300 * n, "float32"), n)
    for engine in ENGINES:
        f = theano.function([p, u], ChoiceFromUniform("auto")(p, u, n), mode=theano.Mode(engine))
        assert (f(given, unis(300 * n, "float32")) == want).all()
