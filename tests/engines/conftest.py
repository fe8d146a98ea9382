"""What the tests of the engines share."""

import pytest

import theano


@pytest.fixture
def by_estimates():
    """Functions whose engine is chosen by estimates alone, as ``deterministic='more'`` has it."""
    with theano.config.change_flags(deterministic="more"):
        yield
