"""pad: every mode against NumPy, widths of all forms, symbolic widths, gradients."""

from __future__ import annotations

import numpy as np
import pytest

import theano
import theano.tensor as T
from theano.testing import Case, OpSpec, Raises, spec_tests

rng = np.random.default_rng(2)
V, M = rng.normal(size=4), rng.normal(size=(3, 4))
I = np.array([3, -7, 12], "int64")


def case(x, width, mode, id=None, **kwargs):
    name = id or f"{mode}_{x.ndim}d"
    return Case(x, width, mode, static=(1, 2), kwargs=kwargs, id=name)


SPECS = [
    OpSpec(
        T.pad,
        np.pad,
        cases=[
            case(V, 2, "constant"),
            case(M, ((1, 2), (0, 3)), "constant", "constant_pairs"),
            case(rng.normal(size=(2, 2)), ((1, 2), (0, 3)), "constant", "constant_other_size"),
            case(M, (1, 2), "constant", "constant_value", constant_values=5.0),
            case(M, 1, "constant", "constant_values", constant_values=((1.0, 2.0), (3.0, 4.0))),
            case(np.zeros((0, 2)), 1, "constant", "constant_of_nothing"),
            *(case(M, ((2, 1), (3, 2)), mode) for mode in ("edge", "reflect", "symmetric", "wrap")),
            *(case(V, 9, mode, f"{mode}_round") for mode in ("reflect", "symmetric", "wrap")),
            case(np.ones(1), 2, "reflect", "reflect_single"),
            *(case(M, ((2, 0), (1, 3)), mode) for mode in ("maximum", "minimum", "mean", "median")),
            case(M, 2, "mean", "mean_of_two", stat_length=2),
            case(M, ((2, 3), (1, 0)), "linear_ramp", end_values=((1.0, -2.0), (0.5, 3.0))),
            case(I, 2, "mean", "mean_of_integers"),
            case(I, (3, 2), "linear_ramp", "ramp_of_integers", end_values=(-4, 5)),
        ],
        errors=[
            Raises((V, 1, "odd"), ValueError, "pad takes a mode out of constant", static=(1, 2)),
            Raises((V, -1), ValueError, "pad takes widths from 0, got -1", static=(1,)),
            Raises((V, 1.5), TypeError, "integer scalars as pad_width", static=(1,)),
            Raises((V, (1, 2, 3)), ValueError, "one value, a pair, or 1 pairs", static=(1,)),
            Raises(
                (V, 1, "edge"),
                ValueError,
                "unsupported keyword arguments for mode 'edge': constant_values",
                static=(1, 2),
                kwargs={"constant_values": 1},
            ),
            Raises(
                (V, 1, "reflect"),
                NotImplementedError,
                "reflect_type='odd' is not carried",
                static=(1, 2),
                kwargs={"reflect_type": "odd"},
            ),
        ],
    ),
]


def test_widths_may_be_given_by_axis():
    np.testing.assert_array_equal(T.pad(M, {-1: (1, 2)}).eval(), np.pad(M, ((0, 0), (1, 2))))


@pytest.mark.parametrize("linker", ["numpy", "xla"])
@pytest.mark.parametrize("mode", ["constant", "edge", "mean"])
def test_widths_may_be_symbolic(mode, linker):
    x, n = T.dvector(), T.lscalar()
    f = theano.function([x, n], T.pad(x, (n, 1), mode=mode), mode=theano.Mode(linker=linker))
    for k in (0, 3):
        np.testing.assert_allclose(f(V, k), np.pad(V, (k, 1), mode=mode), rtol=1e-14)


@pytest.mark.parametrize("linker", ["numpy", "xla"])
@pytest.mark.parametrize("mode", ["edge", "wrap", "reflect", "symmetric"])
def test_nothing_cannot_be_repeated(mode, linker):
    x = T.dvector()
    f = theano.function([x], T.pad(x, 2, mode=mode), mode=theano.Mode(linker=linker))
    with pytest.raises((IndexError, ValueError)):
        f(np.zeros(0))


test_ops = spec_tests(SPECS)
