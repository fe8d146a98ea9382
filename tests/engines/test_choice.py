"""Which functions may move to XLA in the default mode, and which never would gain."""

import pytest

import theano
import theano.tensor as T
from theano._src.engines.choice import AutoProgram
from theano.tensor import nlinalg, slinalg

x, b, stack = T.dmatrix("x"), T.dvector("b"), T.dtensor3("stack")

STAY = {
    "a factor": slinalg.cholesky(x),
    "a solution with its views": slinalg.solve(x.T, b).dimshuffle("x", 0),
    "two triangles": slinalg.cho_solve((x, True), b),
    "singular values": nlinalg.svd(x)[1],
}
MAY_MOVE = {
    "a stack": slinalg.cholesky(stack),
    "elements beside a factor": slinalg.cholesky(T.exp(x)),
    "an exponential": slinalg.expm(x),
    "a view alone": x.T,
}


def program(out):
    return theano.function([x, b, stack], out, on_unused_input="ignore").fn


@pytest.mark.parametrize("name", STAY)
def test_what_lapack_does_with_one_matrix_stays_on_numpy(name):
    assert not isinstance(program(STAY[name]), AutoProgram)


@pytest.mark.parametrize("name", MAY_MOVE)
def test_what_xla_does_faster_may_move_there(name):
    assert isinstance(program(MAY_MOVE[name]), AutoProgram)


def test_what_stays_says_so():
    f = theano.function([x], slinalg.cholesky(x))
    assert theano.printing.explain(f, "str").startswith("numpy engine, one call a node")
