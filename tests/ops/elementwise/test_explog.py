"""Exponentials and logarithms: values, dtypes, branch points, extreme arguments, printed names."""

from __future__ import annotations

import math

import mpmath as mp
import numpy as np
import pytest

import theano
import theano.tensor as T
from tests.ops.elements import ALL, FLOATS, REALS
from tests.ops.exact import by_mpmath, to_float
from theano._src.ops.elementwise import activations as A, explog as E
from theano._src.types.tensor import tensor_type
from theano.testing import OpSpec, Raises, evaluate, spec_tests

inf, nan = math.inf, math.nan
Z = np.ones(2, "complex128")
LOG2 = math.log(2)

# fmt: off
SPECS = [
    OpSpec(E.exp, by_mpmath(mp.exp), dtypes=ALL, out_dtype=to_float, domain=(-5, 5),
           special={0: 1, 800: inf, -800: 0.0, inf: inf, -inf: 0.0, nan: nan}),
    OpSpec(E.exp2, by_mpmath(lambda x: mp.power(2, x)), dtypes=ALL, out_dtype=to_float,
           domain=(-5, 5),
           special={0: 1, 10: 1024, -1: 0.5, 1024: inf, -1100: 0.0, inf: inf, -inf: 0.0, nan: nan}),
    OpSpec(E.expm1, by_mpmath(mp.expm1), dtypes=ALL, out_dtype=to_float, domain=(-5, 5),
           special=[(0.0, 0.0), (-0.0, -0.0), (1e-300, 1e-300), (800, inf), (-800, -1), (inf, inf),
                    (-inf, -1), (nan, nan)]),
    OpSpec(E.log, by_mpmath(mp.log), dtypes=ALL, out_dtype=to_float, domain=(0.1, 20),
           special=[(1, 0.0), (0.0, -inf), (-0.0, -inf), (-1, nan), (inf, inf), (-inf, nan),
                    (nan, nan)]),
    OpSpec(E.log2, by_mpmath(lambda x: mp.log(x, 2)), dtypes=ALL, out_dtype=to_float,
           domain=(0.1, 20),
           special={1: 0.0, 8: 3, 0.25: -2, 0: -inf, -1: nan, inf: inf, nan: nan}),
    OpSpec(E.log10, by_mpmath(mp.log10), dtypes=ALL, out_dtype=to_float, domain=(0.1, 20),
           special={1: 0.0, 1000: 3, 0: -inf, -1: nan, inf: inf, nan: nan}),
    OpSpec(E.log1p, by_mpmath(lambda x: mp.log(1 + x)), dtypes=ALL, out_dtype=to_float,
           domain=(-0.5, 20),
           special=[(0.0, 0.0), (-0.0, -0.0), (1e-300, 1e-300), (-1, -inf), (-2, nan), (inf, inf),
                    (nan, nan)]),
    OpSpec(A.sigmoid, by_mpmath(lambda x: 1 / (1 + mp.exp(-x))), dtypes=REALS, out_dtype=to_float,
           domain=(-9, 9),
           special={0: 0.5, 1000: 1, -1000: 0.0, inf: 1, -inf: 0.0, nan: nan, -700: math.exp(-700)},
           errors=[Raises(Z, TypeError, "scalar_sigmoid takes real numbers, got .*complex128")]),
    OpSpec(A.softplus, by_mpmath(lambda x: mp.log1p(mp.exp(x))), dtypes=REALS, out_dtype=to_float,
           domain=(-9, 9),
           special={-inf: 0, 0: LOG2, inf: inf, nan: nan, 800: 800, -800: 0.0,
                    -700: math.exp(-700)},
           errors=[Raises(Z, TypeError, "scalar_softplus takes real numbers, got .*complex128")]),
]
# fmt: on


def test_ops_print_as_documented():
    for name in ("exp", "exp2", "expm1", "log", "log2", "log10", "log1p"):
        assert str(getattr(E, name)) == f"Elemwise{{{name},no_inplace}}"
        assert str(getattr(E, f"scalar_{name}")) == name
    assert (str(A.sigmoid), str(A.softplus)) == ("sigmoid", "softplus")
    assert (str(A.scalar_sigmoid), str(A.scalar_softplus)) == ("scalar_sigmoid", "scalar_softplus")


@pytest.mark.parametrize("dtype", FLOATS)
def test_sigmoid_and_softplus_never_overflow(dtype):
    x = tensor_type(dtype, (False,))()
    far = np.array([-np.finfo(dtype).max, -1e4, 1e4, np.finfo(dtype).max], dtype)
    with np.errstate(over="raise", invalid="raise", divide="raise"):
        low, high = [op.bind(op.make_node(x))(far) for op in (A.sigmoid, A.softplus)]
    assert low.tolist() == [0, 0, 1, 1]
    assert high.tolist() == [0, 0, far[2], far[3]]


def test_the_inplace_sigmoid_writes_into_its_input():
    x = tensor_type("float64", (False,))()
    op = A.sigmoid_inplace
    given = np.array([0.0, 1000.0])
    made = op.bind(op.make_node(x))(given)
    assert made is given and given.tolist() == [0.5, 1.0]
    assert str(op) == "sigmoid_inplace" and op.destroy_map == {0: [0]}


def test_narrow_floats_keep_their_digits_near_zero():
    x = tensor_type("float32", (False,))()
    tiny = np.array([1e-6, -1e-6], "float32")
    assert evaluate([E.log1p(x)], {x: tiny})[0] == pytest.approx(tiny, rel=1e-6)
    assert evaluate([E.expm1(x)], {x: tiny})[0] == pytest.approx(tiny, rel=1e-6)


test_ops = spec_tests(SPECS)


@pytest.mark.xla
def test_softplus_on_xla_is_right_to_two_units_and_a_half():
    x = T.dvector("x")
    f = theano.function([x], T.nnet.softplus(x), mode=theano.Mode("xla"))
    near = np.linspace(-3, 3, 401)
    far = np.concatenate([np.geomspace(3, 700, 200), -np.geomspace(3, 700, 200)])
    points = np.concatenate([near, far, [-37.0, -1e-300, 1e-300, 36.7, 36.8]])
    with mp.workdps(50):
        exact = [mp.log1p(mp.exp(mp.mpf(p))) for p in points]
        made = f(points)
        units = [abs((mp.mpf(m) - e) / mp.mpf(np.spacing(float(e)))) for m, e in zip(made, exact)]
        assert max(units) <= 2.5
