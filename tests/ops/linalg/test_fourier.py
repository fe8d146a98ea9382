"""Real Fourier transforms: by the sums that define them; lengths, norms, what is refused."""

from __future__ import annotations

import cmath
import math

import numpy as np
import pytest

import theano
import theano.tensor as T
from theano._src.ops.linalg import fourier as F
from theano.compile.mode import Mode
from theano.testing import Case, OpSpec, Raises, spec_tests

rng = np.random.default_rng(31)
ENGINES = [pytest.param("numpy"), pytest.param("xla", marks=pytest.mark.xla)]


def draw(*shape, dtype="float64"):
    return np.asarray(rng.normal(size=shape), dtype)


def resized(x, lengths):
    """Cut, or filled with zeros, after the first dimension."""
    made = np.zeros((x.shape[0], *lengths), x.dtype)
    part = tuple(slice(0, min(a, b)) for a, b in zip(made.shape, x.shape, strict=True))
    made[part] = x[part]
    return made


def summed(x, n, axis, sign):
    """The sum of x[j] exp(sign 2 pi i j k / n) along an axis, term by term."""
    lines = np.moveaxis(x, axis, -1)
    out = np.zeros((*lines.shape[:-1], n), complex)
    for at in np.ndindex(*out.shape):
        line, k = lines[at[:-1]], at[-1]
        terms = [v * cmath.exp(sign * 2j * math.pi * ((j * k) % n) / n) for j, v in enumerate(line)]
        out[at] = complex(math.fsum(t.real for t in terms), math.fsum(t.imag for t in terms))
    return np.moveaxis(out, -1, axis)


def out_dtype(x):
    return np.result_type("float32", x.dtype)


def rfft_of(x, norm=None, s=None):
    lengths = x.shape[1:] if s is None else tuple(s)
    made = resized(x.astype("float64"), lengths).astype(complex)
    for axis, n in enumerate(lengths, 1):
        made = summed(made, n, axis, -1)
    made = made[..., : lengths[-1] // 2 + 1]
    scale = math.sqrt(math.prod(lengths)) if norm == "ortho" else 1
    return np.stack([made.real, made.imag], -1).astype(out_dtype(x)) / out_dtype(x).type(scale)


def irfft_of(x, norm=None, is_odd=False, s=None):
    *others, k = x.shape[1:-1]
    lengths = (*others, 2 * (k - 1) + is_odd) if s is None else tuple(s)
    n = lengths[-1]
    half = resized(x[..., 0] + 1j * x[..., 1], (*lengths[:-1], n // 2 + 1))
    for axis, m in enumerate(lengths[:-1], 1):
        half = summed(half, m, axis, 1)
    # the frequencies that are missing are the conjugates of those that are there
    made = np.zeros((*half.shape[:-1], n))
    for k in range(n // 2 + 1):
        once = k == 0 or 2 * k == n
        for j in range(n):
            turn = cmath.exp(2j * math.pi * ((j * k) % n) / n)
            made[..., j] += (half[..., k] * turn).real * (1 if once else 2)
    count = math.prod(lengths)
    scale = {None: count, "ortho": math.sqrt(count), "no_norm": 1}[norm]
    return (made / scale).astype(out_dtype(x))


def shifted(function):
    """Away from 0, where sums that cancel have no digits to compare."""
    return lambda x, **more: function(x, **more) + 16


NORMS = (None, "ortho", "no_norm")
# fmt: off
SPECS = [
    OpSpec(shifted(F.rfft), shifted(rfft_of), name="rfft",
           cases=[*[Case(draw(2, 5) + 2, kwargs={"norm": norm}, id=f"norm_{norm}")
                    for norm in NORMS],
                  Case(draw(2, 3, 4), kwargs={"norm": "ortho"}, id="two_dimensions"),
                  Case(draw(1, 2, 2, 2, 3), id="four_dimensions"),
                  Case(draw(3, 1), id="length_1"),
                  Case(draw(0, 3), id="no_batches"),
                  Case(draw(2, 3, dtype="float32"), id="float32"),
                  Case(np.array([[1, 2, 4, 9]]), id="int64")],
           errors=[Raises(draw(3), TypeError, "RFFTOp takes 2 or more dimensions"),
                   Raises(draw(2, 3) + 1j, TypeError, "takes real numbers, got complex128"),
                   Raises(draw(2, 0), ValueError, "lengths of 1 or more, got \\[0\\]", when="run"),
                   Raises(draw(2, 3), ValueError, "take None, 'ortho' or 'no_norm'",
                          kwargs={"norm": "forward"})]),
    OpSpec(shifted(F.irfft), shifted(irfft_of), name="irfft",
           cases=[*[Case(draw(2, 4, 2), kwargs={"norm": norm, "is_odd": odd},
                         id=f"norm_{norm}_{'odd' if odd else 'even'}")
                    for norm in NORMS for odd in (False, True)],
                  Case(draw(3, 6, 2), kwargs={"norm": None, "is_odd": False}, id="longer"),
                  Case(draw(2, 3, 4, 2), kwargs={"is_odd": True}, id="two_dimensions"),
                  Case(draw(1, 2, 2, 2, 3, 2), id="four_dimensions"),
                  Case(draw(2, 3, 2, dtype="float32"), id="float32")],
           errors=[Raises(draw(3, 2), TypeError, "IRFFTOp takes 3 or more dimensions"),
                   Raises(draw(2, 3, 3), ValueError, "a last dimension of length 2", when="run"),
                   Raises(draw(2, 1, 2), ValueError, "lengths of 1 or more", when="run"),
                   Raises(draw(2, 3, 2), ValueError, "True or False", kwargs={"is_odd": "no"})]),
    *[OpSpec(lambda x, s=s: F.rfft_op(x, s) + 16, lambda x, s=s: rfft_of(x, s=s) + 16,
             name="rfft_op_" + "_".join(map(str, s)),
             cases=[Case(draw(2, 3, 4), id="matrix"), Case(draw(1, 4, 3), id="other")])
      for s in ([2, 7], [5, 3])],
    *[OpSpec(lambda x, s=s: F.irfft_op(x, s) + 16,
             lambda x, s=s: irfft_of(x, "no_norm", s=s) + 16,
             name="irfft_op_" + "_".join(map(str, s)),
             cases=[Case(draw(2, 3, 4, 2), id="matrix"), Case(draw(1, 4, 3, 2), id="other")])
      for s in ([2, 9], [4, 4])],
]
# fmt: on


@pytest.mark.parametrize("engine", ENGINES)
def test_lengths_may_be_known_only_when_the_function_is_called(engine):
    x, s = T.dmatrix(), T.lvector()
    f = theano.function([x, s], F.rfft_op(x, s), mode=Mode(engine, None))
    given = draw(2, 4)
    for n in (3, 6, 4):
        assert np.allclose(f(given, [n]), rfft_of(given, s=[n]), rtol=1e-12)


def test_lengths_are_one_for_each_dimension():
    x = T.dtensor3()
    with pytest.raises(ValueError, match=r"RFFTOp takes 2 lengths .* got 1 in s"):
        F.rfft_op(x, [3])
    with pytest.raises(TypeError, match="must be of type integer"):
        F.rfft_op(x, [3.0, 2.0])


def test_the_inverse_gives_back_what_was_transformed():
    x = T.dmatrix()
    for n in (4, 5):
        given = draw(3, n)
        for norm in (None, "ortho"):
            back = F.irfft(F.rfft(x, norm), norm, is_odd=n % 2 == 1)
            assert np.allclose(back.eval({x: given}), given, rtol=1e-12)


test_ops = spec_tests(SPECS)
