"""Rewriting loses no digit and no range: random programs of mixed magnitudes against mpmath.

THEANO_TEST_SEED says which are drawn, THEANO_TEST_MAGNITUDES how many.
"""

from __future__ import annotations

import os

import mpmath
import numpy as np
import pytest

import theano
import theano.tensor as T
from tests.properties import magnitudes
from theano._src.testing.opspec import SEED

PROGRAMS = int(os.environ.get("THEANO_TEST_MAGNITUDES", "500"))
PARTS = 5  # tests of equal size, which run side by side
TOGETHER = 50  # programs of one function
FIRST = SEED * 1_000_000
MODES = sorted(magnitudes.MODES)


@pytest.mark.slow
@pytest.mark.xla
@pytest.mark.parametrize("part", range(PARTS))
def test_no_program_of_mixed_magnitudes_is_4_times_as_wrong_as_written(part: int) -> None:
    """A1, A2: nor less finite; in default mode, on NumPy and on XLA."""
    each = PROGRAMS // PARTS
    found: dict[int, str] = {}
    for first in range(FIRST + part * each, FIRST + (part + 1) * each, TOGETHER):
        found |= magnitudes.check(range(first, min(first + TOGETHER, FIRST + (part + 1) * each)))
    assert not found, "\n\n".join(found.values())


@pytest.mark.xla
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("dtype, size", [("float32", 1e-25), ("float64", 1e-170)])
def test_quotients_of_small_and_of_large_numbers_are_in_range(mode, dtype, size) -> None:
    """A1: (a / b) * (c / d) was (a * c) / (b * d), also within XLA's own rewriting."""
    a, b, c, d = (T.TensorType(dtype, (False,))(name) for name in "abcd")
    one = np.asarray([size, 1 / size], dtype)
    four = [one, 2 * one, 3 * one, 4 * one]
    outputs = [(a / b) * (c / d), a / b * c, a / (b / c), (a / b) / c, (a / b) / (c / d)]
    want = [0.375 + 0 * one, 1.5 * one, 1.5 * one, 1 / (6 * one), (2 / 3) + 0 * one]
    f = theano.function([a, b, c, d], outputs, mode=magnitudes.MODES[mode]())
    for got, right in zip(f(*four), want, strict=True):
        np.testing.assert_allclose(got, right, rtol=3 * np.finfo(dtype).eps)


@pytest.mark.xla
@pytest.mark.parametrize("mode", MODES)
def test_a_small_number_is_not_lost_beside_large_ones_that_cancel(mode) -> None:
    """A2: (y - z) + x was (y + x) - z."""
    x, y, z = T.fvectors("xyz")
    outputs = [(y - z) + x, x + (y - z), (y + x) - y, ((y - z) + x) + (z - y), (x + 1) - (y - z)]
    f = theano.function([x, y, z], outputs, mode=magnitudes.MODES[mode]())
    big = np.float32([1e8])
    assert [v.item() for v in f(np.float32([0.5]), big, big)] == [0.5, 0.5, 0.5, 0.5, 1.5]


def test_constants_meet_where_no_digit_is_lost_by_it() -> None:
    """A2: x + 1000 - x0 keeps the digits of x where 1000 - x0 would be rounded."""
    x = T.fvector("x")
    f = theano.function([x], [(x + 1000) + np.float32(1e-3), ((x + 1) + 2) - 5, x * 3 / 4 * 2])
    at = np.float32([-1000.001])
    exact = at.astype("float64") + 1000 + np.float64(np.float32(1e-3))
    values = f(at)
    np.testing.assert_allclose(values[0], exact, rtol=1e-6)
    graph = f.maker.fgraph
    assert [theano.pp(out).count("TensorConstant") for out in graph.outputs[1:]] == [0, 0]
    assert values[1] == at - 2 and values[2] == np.float32(1.5) * at


def _bound(output: object, *values: object) -> magnitudes.Program:
    names = [v for v in theano.gof.graph.inputs([output]) if v.name]
    given = [np.asarray(v, "float32") for v in values]
    program = magnitudes.Program(0, "float32", names, given, [output])
    return magnitudes.bound(program)[0]


def test_the_bound_is_what_the_program_as_written_may_be_wrong_by() -> None:
    x, y, z = T.fvectors("xyz")
    u = mpmath.mpf(2) ** -24
    values = [0.5], [1e8], [1e8]
    written = _bound((y - z) + x, values[1], values[2], values[0])
    assert written.x[0] == 0.5 and written.e[0] == 0.5 * u
    moved = _bound((y + x) - z, values[1], values[0], values[2])
    assert moved.x[0] == 0.5 and moved.e[0] > 1e8 * u
    got = np.asarray([0.0], "float32")
    assert magnitudes.worse(written, got) and magnitudes.worse(moved, got) is None
    assert magnitudes.worse(written, np.asarray([np.nan], "float32"))


def test_nothing_is_asked_of_numbers_at_the_ends_of_the_range() -> None:
    x, y = T.fvectors("xy")
    assert not _bound(x * y, [1e30, 1e-30, 1.0], [1e30, 1e-30, 1.0]).ok[:2].any()
    assert _bound(x * y, [1.0], [1.0]).ok.all()
