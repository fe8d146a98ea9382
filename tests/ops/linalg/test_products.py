"""Products of vectors, covariances, integrals, convolution: against NumPy."""

from __future__ import annotations

import numpy as np

import theano.tensor as T
from theano.testing import Case, OpSpec, Raises, spec_tests

rng = np.random.default_rng(6)


def draw(*shape, dtype="float64"):
    if np.dtype(dtype).kind == "c":
        return np.asarray(rng.normal(size=shape) + 1j * rng.normal(size=shape), dtype)
    return np.asarray(rng.normal(size=shape) * 3, dtype)


V, W, M, T3 = draw(4), draw(4), draw(3, 4), draw(2, 3, 4)
Z = draw(3, dtype="complex128")
WEIGHTS = np.array([1, 2, 1, 3])


def vecdot_by_sums(a, b, axis=-1):
    a, b = np.moveaxis(a, axis, -1), np.moveaxis(b, axis, -1)
    return (np.conj(a) * b).sum(-1)


SPECS = [
    OpSpec(
        T.inner,
        np.inner,
        cases=[
            Case(V, W, id="vectors"),
            Case(V[:2], W[:2], id="other_size"),
            Case(M, T3, id="matrix_3d"),
            Case(np.float64(2), M, id="scalar"),
        ],
    ),
    OpSpec(
        T.vdot,
        np.vdot,
        cases=[
            Case(V, W, id="vectors"),
            Case(V[:2], W[:2], id="other_size"),
            Case(M, draw(4, 3), id="in_a_row"),
            Case(Z, draw(3, dtype="complex128"), id="complex"),
        ],
    ),
    OpSpec(
        T.vecdot,
        vecdot_by_sums,
        cases=[
            Case(V, W, id="vectors"),
            Case(V[:2], W[:2], id="other_size"),
            Case(T3, V, id="stretched"),
            Case(M, draw(3, 4), kwargs={"axis": 0}, id="axis"),
            Case(Z, draw(3, dtype="complex128"), id="complex"),
        ],
        errors=[
            Raises((np.float64(1), V), ValueError, "vecdot takes 1 dimensions or more"),
            Raises((V, draw(3)), ValueError, "has length 4 but axis 0 of input 1", when="run"),
        ],
    ),
    OpSpec(
        T.matvec,
        lambda a, b: (a * b[..., None, :]).sum(-1),
        cases=[
            Case(M, V, id="one"),
            Case(M[:, :2], V[:2], id="other_size"),
            Case(T3, draw(2, 4), id="batch"),
        ],
    ),
    OpSpec(
        T.vecmat,
        lambda a, b: (np.conj(a)[..., :, None] * b).sum(-2),
        cases=[
            Case(draw(3), M, id="one"),
            Case(draw(2), M[:2], id="other_size"),
            Case(draw(2, 3), T3, id="batch"),
            Case(Z, draw(3, 2, dtype="complex128"), id="complex"),
        ],
    ),
    OpSpec(
        T.cross,
        np.cross,
        cases=[
            Case(draw(3), draw(3), id="vectors"),
            Case(draw(5, 3), draw(3), id="stretched"),
            Case(draw(2, 3), draw(3), id="other_size"),
            Case(draw(3, 2), draw(2, 3), kwargs={"axisa": 0, "axisc": 0}, id="axes"),
            Case(draw(3, 2), draw(3, 2), kwargs={"axis": 0}, id="axis"),
        ],
        errors=[
            Raises((draw(5), draw(3)), ValueError, "", when="run"),
            Raises((draw(4), draw(3)), ValueError, "2 or 3 components, got 4", static=(0,)),
        ],
    ),
    OpSpec(
        T.cov,
        np.cov,
        cases=[
            Case(M, id="matrix"),
            Case(draw(2, 5), id="other_size"),
            Case(V, id="vector"),
            Case(M, draw(3, 4), id="two"),
            Case(M, kwargs={"rowvar": False, "bias": True}, id="columns"),
            Case(M, kwargs={"ddof": 0, "aweights": WEIGHTS / 2}, id="weights"),
            Case(M, kwargs={"fweights": WEIGHTS}, id="counts"),
            Case(M, kwargs={"fweights": WEIGHTS, "aweights": WEIGHTS[::-1] / 2}, id="both"),
            Case(draw(2, 5, dtype="complex128"), id="complex"),
        ],
        errors=[Raises(T3, ValueError, "cov takes vectors and matrices")],
    ),
    OpSpec(
        T.corrcoef,
        np.corrcoef,
        cases=[
            Case(M, id="matrix"),
            Case(draw(2, 5), id="other_size"),
            Case(V, W, id="two"),
            Case(M, kwargs={"rowvar": False}, id="columns"),
        ],
    ),
    OpSpec(
        T.trapezoid,
        np.trapezoid,
        cases=[
            Case(M, id="even"),
            Case(M[:2], id="other_size"),
            Case(M, kwargs={"dx": 0.5, "axis": 0}, id="step"),
            Case(M, np.array([0.0, 1.0, 3.0, 3.5]), id="places"),
            Case(M, np.sort(draw(3, 4), axis=0), kwargs={"axis": 0}, id="own_places"),
            Case(np.array([1, 2, 4]), id="integers"),
        ],
    ),
    OpSpec(
        T.convolve,
        np.convolve,
        cases=[
            Case(draw(5), draw(3), id="full"),
            Case(draw(4), draw(2), id="other_size"),
            Case(draw(2), draw(5), kwargs={"mode": "same"}, id="same"),
            Case(draw(6), draw(3), kwargs={"mode": "same"}, id="same_even"),
            Case(draw(5), draw(3), kwargs={"mode": "valid"}, id="valid"),
            Case(draw(2), draw(5), kwargs={"mode": "valid"}, id="valid_swapped"),
            Case(np.array([1, 2, 3]), np.array([0, 1]), id="integers"),
        ],
        errors=[
            Raises((M, V), ValueError, "convolve takes vectors"),
            Raises((V, V, "most"), ValueError, "'full', 'same' or 'valid'", static=(2,)),
        ],
    ),
    OpSpec(
        T.correlate,
        np.correlate,
        cases=[
            Case(draw(5), draw(3), id="valid"),
            Case(draw(4), draw(2), id="other_size"),
            Case(draw(5), draw(3), kwargs={"mode": "full"}, id="full"),
            Case(draw(5, dtype="complex128"), Z, id="complex"),
        ],
    ),
    OpSpec(
        T.ediff1d,
        np.ediff1d,
        cases=[
            Case(M, id="in_a_row"),
            Case(M[:2], id="other_size"),
            Case(V, kwargs={"to_end": [1.0, 2.0], "to_begin": 5.0}, id="ends"),
        ],
    ),
]


def test_a_cross_product_of_plane_vectors_is_its_third_component():
    a, b = draw(2), draw(2)
    np.testing.assert_allclose(T.cross(a, b).eval(), a[0] * b[1] - a[1] * b[0])
    c = draw(3)
    np.testing.assert_allclose(T.cross(a, c).eval(), np.cross([*a, 0.0], c))


test_ops = spec_tests(SPECS)
