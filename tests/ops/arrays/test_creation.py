"""Filled arrays, evenly spaced numbers and grids: against NumPy, with symbolic sizes."""

from __future__ import annotations

import numpy as np
import pytest

import theano
import theano.tensor as T
from theano.testing import Case, OpSpec, Raises, spec_tests

A, B = np.float64(-1.5), np.float64(2.5)
V = np.array([0.5, 2.0, 3.0])
SIZES = "none: its lengths are arguments; a test of its own has them symbolic"


def spaced(fn, ref, cases, **facts):
    return OpSpec(fn, ref, cases=cases, sizes=SIZES, **facts)


def case(*args, id, **kwargs):
    return Case(*args, kwargs=kwargs, id=id)


SPECS = [
    spaced(
        T.linspace,
        np.linspace,
        [
            case(A, B, id="default"),
            case(A, B, num=5, id="five"),
            case(A, B, num=5, endpoint=False, id="open"),
            case(A, B, num=1, id="one"),
            case(A, B, num=0, id="none"),
            case(A, B, num=4, retstep=True, id="step"),
            case(V, V[::-1] * 2, num=4, axis=-1, id="vectors"),
            case(V, B, num=3, id="stretched"),
        ],
        errors=[Raises((A, B, -1), ValueError, "linspace takes a num from 0, got -1", static=(2,))],
    ),
    spaced(
        T.logspace,
        np.logspace,
        [
            case(A, B, num=4, id="ten"),
            case(A, B, num=4, base=2.0, id="base"),
            case(A, B, num=3, endpoint=False, id="open"),
        ],
    ),
    spaced(
        T.geomspace,
        np.geomspace,
        [
            case(np.float64(1), np.float64(100), num=5, id="up"),
            case(np.float64(-8), np.float64(-1), num=4, id="negative"),
            case(np.float64(1), np.float64(9), num=3, endpoint=False, id="open"),
            case(V, V * 16, num=5, axis=1, id="vectors"),
        ],
    ),
    OpSpec(
        T.meshgrid,
        lambda *v, **k: list(np.meshgrid(*v, **k)),
        cases=[
            case(V, V[:2], id="xy"),
            case(V, V[:2], indexing="ij", id="ij"),
            case(V, V[:2], sparse=True, id="sparse"),
            case(V, V[:2], V[:1], id="three"),
            case(V, id="one"),
        ],
        errors=[Raises((V, V), ValueError, "'xy' or 'ij' as indexing", kwargs={"indexing": "a"})],
    ),
    OpSpec(
        T.full_like,
        np.full_like,
        cases=[
            Case(V, 7, static=(1,), id="number"),
            Case(np.arange(6).reshape(2, 3), B, id="cast"),
        ],
        grad="once: the array gives its shape alone",
        fixed={0: "the array gives its shape alone"},
    ),
    OpSpec(
        T.diagflat,
        np.diagflat,
        cases=[case(V, id="vector"), case(np.ones((2, 2)), k=1, id="matrix")],
    ),
]


def test_numbers_are_filled_with_numpys_dtypes():
    assert T.full((2, 3), 7).dtype == "int64"
    assert T.full((2, 3), 7.5).dtype == theano.config.floatX
    assert T.full((2,), True).dtype == "bool"
    assert T.full((2, 3), V, dtype="float32").eval().tolist() == [[0.5, 2.0, 3.0]] * 2
    assert T.full(2, 7, dtype="int8").eval().dtype == "int8"


def test_empty_arrays_have_their_shape_and_dtype():
    x = T.fmatrix()
    assert T.empty_like(x).eval({x: np.ones((2, 5), "float32")}).shape == (2, 5)
    assert T.empty_like(x).dtype == "float32"
    assert T.empty((2, 0), dtype="int8").eval().shape == (2, 0)


def test_identity_is_the_square_eye():
    np.testing.assert_array_equal(T.identity(3).eval(), np.identity(3))


@pytest.mark.parametrize("linker", ["numpy", "xla"])
def test_sizes_may_be_symbolic(linker):
    n = T.lscalar()
    mode = theano.Mode(linker=linker)
    made = [T.linspace(0, 1, n), T.geomspace(1.0, 2.0, n), T.full((n, 2), 3.0), T.indices((n, 2))]
    made += [*T.tril_indices(n), *T.triu_indices(n, 1), *T.diag_indices(n)]
    f = theano.function([n], made, mode=mode)
    for k in (3, 1):
        expected = [np.linspace(0, 1, k), np.geomspace(1, 2, k), np.full((k, 2), 3.0)]
        expected += [np.indices((k, 2)), *np.tril_indices(k), *np.triu_indices(k, 1)]
        expected += [*np.diag_indices(k)]
        for got, want in zip(f(k), expected, strict=True):
            np.testing.assert_allclose(got, want, rtol=1e-14)


def test_the_last_of_spaced_numbers_is_the_stop_exactly():
    for stop in (0.1, 1 / 3, 1e300):
        assert T.linspace(0.0, stop, 11).eval()[-1] == stop
        assert T.geomspace(1e-3, stop, 11).eval()[-1] == stop


def test_spaced_numbers_take_the_dtype_of_their_ends():
    x = T.fscalar()
    assert T.linspace(x, 1, 3).dtype == "float32"
    assert T.linspace(0, 1, 3).dtype == theano.config.floatX
    assert T.linspace(0, 10, 4, dtype="int64").eval().tolist() == [0, 3, 6, 10]


def test_a_wide_base_keeps_its_digits():
    x, base = T.fscalar(), T.dscalar()
    assert T.logspace(0, x, 3, base=base).dtype == "float64"
    assert T.logspace(x, x, 3, base=2.5).dtype == "float32"
    f = theano.function([x, base], T.logspace(0, x, 3, base=base))
    np.testing.assert_allclose(f(2.0, 0.1), [1, 0.1, 0.1**2], rtol=1e-15)


def test_numbers_of_two_signs_have_no_ratio():
    assert np.isnan(T.geomspace(-1.0, 1.0, 3).eval()[1])


def test_indices_and_open_grids_are_numpys():
    np.testing.assert_array_equal(T.indices((2, 3)).eval(), np.indices((2, 3)))
    for got, want in zip(T.indices((2, 3), sparse=True), np.indices((2, 3), sparse=True)):
        np.testing.assert_array_equal(got.eval(), want)
    rows, columns = np.array([0, 2]), np.array([True, False, True])
    for got, want in zip(T.ix_(rows, columns), np.ix_(rows, columns), strict=True):
        np.testing.assert_array_equal(got.eval(), want)
    with pytest.raises(ValueError, match="ix_ takes vectors"):
        T.ix_(np.ones((2, 2), int))


def test_indices_of_triangles_with_known_sizes_are_constants():
    for made in (*T.tril_indices(3, -1), *T.triu_indices(3, 1, 4)):
        assert made.owner is None
    assert [i.eval().tolist() for i in T.triu_indices(3, 1, 4)] == [
        i.tolist() for i in np.triu_indices(3, 1, 4)
    ]


test_ops = spec_tests(SPECS)
