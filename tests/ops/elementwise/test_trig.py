"""Angles and their functions: values, dtypes, branch points, signed zeros, printed names."""

from __future__ import annotations

import math

import mpmath as mp
import numpy as np

from tests.ops.elements import ALL, REALS
from tests.ops.exact import by_mpmath, to_float
from theano._src.ops.elementwise import trig as G
from theano.testing import OpSpec, Raises, spec_tests

inf, nan, pi = math.inf, math.nan, math.pi
Z = np.ones(2, "complex128")


def flat(fn, ref, **facts):
    """A function of all dtypes."""
    return OpSpec(fn, by_mpmath(ref), dtypes=ALL, out_dtype=to_float, **facts)


# fmt: off
SPECS = [
    flat(G.sin, mp.sin, special=[(0.0, 0.0), (-0.0, -0.0), (inf, nan), (-inf, nan), (nan, nan),
                                 (pi / 2, 1), (1e22, math.sin(1e22))]),
    flat(G.cos, mp.cos, special={0: 1, inf: nan, nan: nan, pi: -1, 1e22: math.cos(1e22)}),
    flat(G.tan, mp.tan, domain=(-1.5, 1.5),
         special=[(0.0, 0.0), (-0.0, -0.0), (inf, nan), (nan, nan)]),
    flat(G.arcsin, mp.asin, domain=(-1, 1),
         special=[(0.0, 0.0), (-0.0, -0.0), (1, pi / 2), (-1, -pi / 2), (1.1, nan), (inf, nan),
                  (nan, nan)]),
    flat(G.arccos, mp.acos, domain=(-1, 1),
         special={1: 0.0, -1: pi, 0: pi / 2, 1.1: nan, inf: nan, nan: nan}),
    flat(G.arctan, mp.atan,
         special=[(0.0, 0.0), (-0.0, -0.0), (1, pi / 4), (inf, pi / 2), (-inf, -pi / 2),
                  (nan, nan)]),
    flat(G.sinh, mp.sinh, special=[(0.0, 0.0), (-0.0, -0.0), (800, inf), (-800, -inf), (inf, inf),
                                   (nan, nan)]),
    flat(G.cosh, mp.cosh, special={0: 1, 800: inf, -800: inf, -inf: inf, nan: nan}),
    flat(G.tanh, mp.tanh, special=[(0.0, 0.0), (-0.0, -0.0), (800, 1), (-800, -1), (inf, 1),
                                   (-inf, -1), (nan, nan)]),
    flat(G.arcsinh, mp.asinh, special=[(0.0, 0.0), (-0.0, -0.0), (inf, inf), (-inf, -inf),
                                       (nan, nan), (1e300, math.asinh(1e300))]),
    flat(G.arccosh, mp.acosh, domain=(1, 9),
         special={1: 0.0, 0.5: nan, -1: nan, inf: inf, nan: nan, 1e300: math.acosh(1e300)}),
    flat(G.arctanh, mp.atanh, domain=(-0.9, 0.9),
         special=[(0.0, 0.0), (-0.0, -0.0), (1, inf), (-1, -inf), (1.1, nan), (inf, nan),
                  (nan, nan)]),
    OpSpec(G.deg2rad, by_mpmath(mp.radians), dtypes=REALS, out_dtype=to_float, domain=(-100, 100),
           special=[(180, pi), (0.0, 0.0), (-0.0, -0.0), (inf, inf), (nan, nan)],
           errors=[Raises(Z, TypeError, "deg2rad takes real numbers, got .*complex128")]),
    OpSpec(G.rad2deg, by_mpmath(mp.degrees), dtypes=REALS, out_dtype=to_float,
           special=[(pi, 180), (0.0, 0.0), (-0.0, -0.0), (-inf, -inf), (nan, nan)],
           errors=[Raises(Z, TypeError, "rad2deg takes real numbers, got .*complex128")]),
    OpSpec(G.arctan2, by_mpmath(mp.atan2), nin=2, dtypes=REALS, out_dtype=to_float,
           special=[((0.0, 0.0), 0.0), ((-0.0, 0.0), -0.0), ((0.0, -0.0), pi), ((-0.0, -0.0), -pi),
                    ((1, 0), pi / 2), ((0.0, -1), pi), ((-0.0, -1), -pi), ((inf, inf), pi / 4),
                    ((-inf, -inf), -3 * pi / 4), ((1, inf), 0.0), ((1, -inf), pi), ((nan, 1), nan)],
           errors=[Raises((Z, Z), TypeError, "arctan2 takes real numbers, got .*complex128"),
                   Raises((Z,), TypeError, "takes 2 inputs, got 1")]),
]
# fmt: on


def test_ops_print_as_documented():
    names = "sin cos tan arcsin arccos arctan sinh cosh tanh arcsinh arccosh arctanh"
    for name in [*names.split(), "deg2rad", "rad2deg", "arctan2"]:
        assert str(getattr(G, name)) == f"Elemwise{{{name},no_inplace}}"
        assert str(getattr(G, f"scalar_{name}")) == name


test_ops = spec_tests(SPECS)
