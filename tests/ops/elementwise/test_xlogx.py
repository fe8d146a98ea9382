"""x log x and x log y: 0 where x is 0, values by mpmath."""

import math

import mpmath as mp
import numpy as np

import theano
import theano.tensor as T
from tests.ops.elements import ALL
from tests.ops.exact import by_mpmath, to_float
from theano.tensor import xlogx as X
from theano.testing import OpSpec, spec_tests

inf, nan = math.inf, math.nan


def xlogy(x, y):
    return mp.mpf(0) if x == 0 else x * mp.log(y)


# fmt: off
SPECS = [
    OpSpec(X.xlogx, by_mpmath(lambda x: xlogy(x, x)), dtypes=ALL, out_dtype=to_float,
           domain=(0.1, 20),
           special=[(0.0, 0.0), (-0.0, 0.0), (1, 0.0), (-1, nan), (inf, inf), (nan, nan)]),
    OpSpec(X.xlogy0, by_mpmath(xlogy), nin=2, dtypes=ALL, out_dtype=to_float, domain=(0.1, 9),
           special=[((0.0, 0.0), 0.0), ((-0.0, 0.0), 0.0), ((0, -1), 0.0), ((0, nan), 0.0),
                    ((0, inf), 0.0), ((1, 0), -inf), ((nan, 0), nan), ((2, 1), 0.0)]),
]
# fmt: on


def test_ops_print_as_theano_does():
    assert (str(X.xlogx), str(X.xlogy0)) == ("xlogx", "xlogy0")


def test_slopes_at_zero_are_theanos():
    x, y = T.dvectors("xy")
    slope = theano.function([x], T.grad(X.xlogx(x).sum(), x))
    assert slope(np.array([0, 1, np.inf])).tolist() == [-inf, 1, inf]
    slopes = theano.function([x, y], T.grad(X.xlogy0(x, y).sum(), [x, y]))
    dx, dy = slopes(np.array([0.0, 0, 0]), np.array([0, 1, inf]))
    np.testing.assert_array_equal(dx, [-inf, 0, inf])
    np.testing.assert_array_equal(dy, [nan, 0, 0])


test_ops = spec_tests(SPECS)
