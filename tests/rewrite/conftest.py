"""Two vectors, for graphs to be rewritten."""

import pytest

import theano.tensor as T


@pytest.fixture
def x():
    return T.dvector("x")


@pytest.fixture
def y():
    return T.dvector("y")
