"""logsumexp: one op, as far out as floats go, with weights and signs; SciPy's is the oracle."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.special

import theano
import theano.tensor as T
from theano._src.ops.nnet.softmax import LogSumExp
from theano.testing import Case, OpSpec, Raises, spec_tests

inf, nan = np.inf, np.nan
rng = np.random.default_rng(3)
M = rng.normal(size=(3, 4))
INTS = np.array([[3, 0, 1], [2, 5, 0]])

SPECS = [
    OpSpec(
        T.logsumexp,
        scipy.special.logsumexp,
        cases=[
            Case(M, id="all"),
            Case(rng.normal(size=(2, 3)), id="other_size"),
            Case(M, kwargs={"axis": 0}, id="axis"),
            Case(M, kwargs={"axis": (0, 1), "keepdims": True}, id="axes"),
            Case(M + 1000, kwargs={"axis": 1}, id="large"),
            Case(M - 1000, kwargs={"axis": 1}, id="small"),
            Case(M, kwargs={"axis": 1, "b": np.array([1.0, 0.5, 2.0, 0.0])}, id="weights"),
            Case(
                np.array([[-inf, -inf], [-inf, 1.0], [inf, 1.0], [inf, -inf], [nan, 1.0]]),
                kwargs={"axis": 1},
                id="infinities",
                grad="none: infinities",
            ),
            Case(INTS, id="integers"),
        ],
        errors=[Raises(np.ones(2, "complex128"), TypeError, "logsumexp takes real numbers")],
    ),
]


def nodes(inputs, output):
    return theano.function(inputs, output).maker.fgraph.toposort()


@pytest.mark.parametrize(
    ("options", "count"),
    [({}, 1), ({"axis": 1}, 1), ({"axis": (0, 1)}, 1), ({"axis": 0, "keepdims": True}, 2)],
)
def test_logsumexp_is_one_node(options, count):
    x = T.dmatrix()
    found = nodes([x], T.logsumexp(x, **options))
    assert len(found) == count
    assert isinstance(found[0].op, LogSumExp)


def test_the_gradient_of_logsumexp_is_one_softmax():
    x = T.dmatrix()
    found = nodes([x], T.grad(T.logsumexp(x, axis=1).sum(), x))
    assert [str(node.op) for node in found] == ["Softmax"]


def test_logsumexp_of_each_row_is_one_node():
    row, x = T.dvector(), T.dmatrix()
    found = nodes([x], theano.vectorize(T.logsumexp(row), {row: x}))
    assert len(found) == 1
    assert isinstance(found[0].op, LogSumExp)


@pytest.mark.parametrize("linker", ["numpy", "xla"])
def test_logsumexp_of_no_elements_is_that_of_no_terms(linker):
    x = T.dmatrix()
    f = theano.function([x], T.logsumexp(x, axis=0), mode=theano.Mode(linker=linker))
    assert f(np.ones((0, 2))).tolist() == [-inf, -inf]


def test_logsumexp_over_no_dimensions_is_its_input():
    x, m = T.dscalar(), T.dmatrix()
    assert theano.function([x], T.logsumexp(x))(3.5) == 3.5
    assert theano.function([m], T.logsumexp(m, axis=()))(M).tolist() == M.tolist()


def test_logsumexp_gives_the_sign_of_a_negative_sum():
    a, b = np.array([1.0, 2.0]), np.array([1.0, -3.0])
    value, sign = T.logsumexp(a, b=b, return_sign=True)
    expected = scipy.special.logsumexp(a, b=b, return_sign=True)
    np.testing.assert_allclose([value.eval(), sign.eval()], expected, rtol=1e-13)


@pytest.mark.parametrize("linker", ["numpy", "xla"])
def test_the_gradient_of_logsumexp_is_the_softmax_at_large_numbers_too(linker):
    x = T.dvector()
    f = theano.function([x], T.grad(T.logsumexp(x), x), mode=theano.Mode(linker=linker))
    v = np.array([1000.0, 1001.0, -inf])
    np.testing.assert_allclose(f(v), scipy.special.softmax(v), rtol=1e-12)


test_ops = spec_tests(SPECS)
