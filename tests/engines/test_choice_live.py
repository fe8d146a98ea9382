"""The default mode as it runs: calls are timed, keys are compiled in a thread and move."""

import time

import numpy as np
import pytest

import theano
import theano.tensor as T
from theano._src.engines.choice import background

pytestmark = pytest.mark.xla

pytest.importorskip("jax")


@pytest.fixture(autouse=True)
def without_machine_code():
    """NumPy against XLA: machine code is about as fast as XLA here, so that either may win."""
    with theano.config.change_flags(native__enabled=False):
        yield


numbers = np.random.default_rng(0).uniform(-1, 1, 200_000)


def polynomial(mode=None):
    x = T.dvector("x")
    y = x
    for k in range(40):
        y = y * x + 1.0 / (k + 1)
    w = theano.shared(0.0)
    return theano.function([x], y, updates=[(w, w + y[0])], mode=mode), w


def until_on_xla(f, seconds=60.0):
    """Call until the key has moved; how many calls that took."""
    end = time.monotonic() + seconds
    count = 0
    while time.monotonic() < end:
        f(numbers)
        count += 1
        if "1 of 1 keys run on XLA" in f.fn.choice():
            return count
    raise AssertionError(theano.printing.explain(f, "str"))


def test_a_key_that_pays_is_compiled_aside_and_moves_with_its_state():
    f, w = polynomial()
    on_numpy, v = polynomial(theano.Mode("numpy"))
    count = until_on_xla(f)
    expected = on_numpy(numbers)
    np.testing.assert_allclose(f(numbers), expected, rtol=1e-12, atol=1e-13)
    for _ in range(count):
        on_numpy(numbers)
    np.testing.assert_allclose(w.get_value(), v.get_value(), rtol=1e-10)
    text = theano.printing.explain(f, "str")
    assert text.startswith("Runs on XLA: compiling has paid.\n")
    (record,) = f.fn.policy.records.values()
    for _ in range(30):
        f(numbers)
    assert record.xla.typical is not None
    assert "(measured) on NumPy" in theano.printing.explain(f, "str")


def test_no_call_waits_for_the_compilation():
    f, _ = polynomial()
    longest = 0.0
    compiling = False
    end = time.monotonic() + 60
    while time.monotonic() < end:
        start = time.perf_counter()
        f(numbers)
        took = time.perf_counter() - start
        (record,) = f.fn.policy.records.values()
        if record.compilation is not None:
            compiling = True
            longest = max(longest, took)
        elif compiling:
            break
    background.finish()
    assert compiling
    assert record.took is not None
    # half of it is generous: on a quiet machine the longest call is a twentieth
    assert longest < max(0.5 * record.took, 0.2)


def test_figures_of_calls_that_were_timed_are_said_to_be_measured():
    x = T.dvector("x")
    f = theano.function([x], T.sort(x))
    for _ in range(20):
        f(numbers)
    text = theano.printing.explain(f, "str")
    assert text.startswith("Runs on NumPy: it is no slower there.\n")
    assert "(measured) on NumPy" in text


def test_with_deterministic_more_nothing_is_timed():
    with theano.config.change_flags(deterministic="more"):
        f, _ = polynomial()
    for _ in range(60):
        f(numbers)
    (record,) = f.fn.policy.records.values()
    assert record.numpy.least is None
    assert record.xla.least is None
    assert record.compilation is None
    assert "estimates alone decide: config.deterministic is 'more'" in f.fn.choice()
