"""Complex numbers: parts, angles, and numbers made of parts."""

from __future__ import annotations

import cmath
import math

import numpy as np
import pytest

from tests.ops.elements import ALL, COMPLEX, DISCRETE, REALS, by_python
from theano._src.ops.elementwise import complex_parts as P
from theano._src.types.tensor import tensor_type
from theano.testing import Case, OpSpec, Raises, evaluate, spec_tests

inf, nan = math.inf, math.nan
Z, X = np.ones(2, "complex64"), np.ones(2)
NARROW = {"bool", "int8", "int16", "uint8", "uint16", "float16", "float32"}


def part_of(dtype):
    return {"complex64": "float32", "complex128": "float64"}.get(dtype, dtype)


def complex_of(*dtypes):
    return "complex64" if set(dtypes) <= NARROW else "complex128"


# fmt: off
SPECS = [
    OpSpec(P.real, by_python(lambda z: z.real, "float64"), name="real", dtypes=COMPLEX,
           out_dtype=part_of, special={1 + 2j: 1, complex(inf, nan): inf}),
    OpSpec(P.imag, by_python(lambda z: z.imag, "float64"), name="imag", dtypes=COMPLEX,
           out_dtype=part_of, special={1 + 2j: 2, complex(nan, inf): inf}),
    OpSpec(P.imag, np.zeros_like, name="imag of real numbers", dtypes=REALS, out_dtype=str),
    OpSpec(P.angle, by_python(lambda x: cmath.phase(x), "float64"), dtypes=ALL,
           out_dtype=lambda d: "float32" if d in ("float32", "complex64") else "float64"),
    OpSpec(P.angle, by_python(lambda x: cmath.phase(x), "float64"), name="angle of floats",
           dtypes=("float64",), special={-1: math.pi, 0: 0, 2: 0, -inf: math.pi, nan: nan}),
    OpSpec(P.angle, by_python(lambda x: cmath.phase(x), "float64"), name="angle of complex",
           dtypes=COMPLEX, out_dtype=part_of,
           special={1j: math.pi / 2, -1: math.pi, 0: 0, -1j: -math.pi / 2, 1 + 1j: math.pi / 4}),
    OpSpec(P.conj, by_python(lambda z: z.conjugate()), dtypes=ALL[1:], out_dtype=str),
    OpSpec(P.complex, by_python(complex, "complex128"), nin=2, dtypes=REALS, out_dtype=complex_of,
           errors=[Raises((Z, X), TypeError, "complex takes two real numbers, got complex64")]),
    OpSpec(P.complex_from_polar, by_python(cmath.rect, "complex128"), nin=2, dtypes=REALS,
           out_dtype=complex_of, domain=[(0, 5), (-3, 3)],
           errors=[Raises((X, Z), TypeError, "complex_from_polar takes two real numbers, got")]),
    OpSpec(P.complex, by_python(complex, "complex128"), name="complex of infinities",
           cases=[Case(np.array([1.0, inf, 2.0, nan]), np.array([inf, 3.0, -inf, 1.0]))]),
]
# fmt: on


def vector(dtype):
    return tensor_type(dtype, (False,))()


def test_the_real_part_of_a_real_tensor_is_the_tensor_itself():
    for dtype in DISCRETE + ("float32", "float64"):
        x = vector(dtype)
        assert P.real(x) is x


def test_the_conjugate_of_bools_is_int8():
    x = vector("bool")
    (got,) = evaluate([P.conj(x)], {x: np.array([True, False])})
    assert (got.dtype, got.tolist()) == ("int8", [1, 0])


@pytest.mark.xla
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_an_infinite_part_leaves_the_other_alone_under_jax(dtype):
    import jax

    from theano._src.engines.jax.arrays.jax_xp import jax_xp, x64

    a, b = np.array([1, inf, 2], dtype), np.array([inf, 3, -inf], dtype)
    with x64():
        got = np.asarray(jax.jit(lambda a, b: P.complex.compute(jax_xp, a, b))(a, b))
    assert got.dtype == ("complex64" if dtype == "float32" else "complex128")
    assert got.real.tolist() == a.tolist()
    assert got.imag.tolist() == b.tolist()


def test_ops_print_by_their_documented_names():
    z = vector("complex128")
    assert str(P.real(z).owner.op) == "Elemwise{real,no_inplace}"
    assert str(P.imag(z).owner.op) == "Elemwise{imag,no_inplace}"
    for name in ("angle", "conj", "complex", "complex_from_polar"):
        assert str(getattr(P, name)) == f"Elemwise{{{name},no_inplace}}"


test_ops = spec_tests(SPECS)
