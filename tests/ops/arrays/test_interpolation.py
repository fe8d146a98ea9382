"""Lines through points, and polynomials: against NumPy."""

from __future__ import annotations

import numpy as np
import pytest

import theano
import theano.tensor as T
from theano.testing import Case, OpSpec, Raises, spec_tests

rng = np.random.default_rng(6)


def draw(*shape):
    return rng.normal(size=shape) * 3


V, M = draw(4), draw(3, 4)
POINTS, HEIGHTS = np.array([-2.0, -0.5, 1.0, 4.0]), np.array([1.0, 3.0, -2.0, 0.5])

SPECS = [
    OpSpec(
        T.interp,
        np.interp,
        cases=[
            Case(draw(6), POINTS, HEIGHTS, id="vector"),
            Case(draw(3), POINTS, HEIGHTS, id="other_size"),
            Case(draw(2, 3), POINTS, HEIGHTS, id="matrix"),
            Case(np.float64(0.7), POINTS, HEIGHTS, id="scalar"),
            Case(POINTS, POINTS, HEIGHTS, id="at_points", grad="none: corners"),
            Case(draw(6) * 3, POINTS, HEIGHTS, kwargs={"left": -9.0, "right": 9.0}, id="outside"),
            Case(np.array([0.0, 5.0]), POINTS[:1], HEIGHTS[:1], id="one_point", grad="none: flat"),
            Case(np.array([np.nan, np.inf, -np.inf]), POINTS, HEIGHTS, id="nan", grad="none: NaN"),
        ],
        errors=[Raises((V, M, V), ValueError, "interp takes vectors as xp and fp")],
    ),
]


@pytest.mark.parametrize("x", [np.array([0.5, -2.0]), np.float64(3)], ids=["vector", "scalar"])
def test_polynomials_are_numpys(x):
    p = np.array([2.0, -1.0, 0.5])
    np.testing.assert_allclose(T.polyval(p, x).eval(), np.polyval(p, x), rtol=1e-14)


def test_polynomials_need_a_known_number_of_coefficients():
    with pytest.raises(ValueError, match="coefficients whose number is known"):
        T.polyval(T.dvector(), 2.0)
    a, b = T.dscalars("ab")
    f = theano.function([a, b], T.polyval(T.stack([a, b]), 10.0))
    assert f(1.0, 2.0) == 12.0


test_ops = spec_tests(SPECS)
