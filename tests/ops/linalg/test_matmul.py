"""@ and matmul: every pair of numbers of dimensions, batches that stretch, both operators."""

from __future__ import annotations

import numpy as np
import pytest

import theano
import theano.tensor as T
from theano._src.ops.linalg.dot import Dot
from theano.testing import Case, OpSpec, Raises, spec_tests

rng = np.random.default_rng(11)


def draw(*shape, dtype="float64"):
    return np.asarray(rng.normal(size=shape) * 3, dtype)


def by_loops(a, b):
    """Each matrix of a batch by a sum of products of its own."""
    x = a[None, :] if a.ndim == 1 else a
    y = b[:, None] if b.ndim == 1 else b
    front = np.broadcast_shapes(x.shape[:-2], y.shape[:-2])
    x = np.broadcast_to(x, front + x.shape[-2:])
    y = np.broadcast_to(y, front + y.shape[-2:])
    out = np.zeros((*front, x.shape[-2], y.shape[-1]), np.result_type(a, b))
    for at in np.ndindex(*front):
        for i in range(x.shape[-2]):
            for j in range(y.shape[-1]):
                out[(*at, i, j)] = sum(
                    (x[(*at, i, k)] * y[(*at, k, j)] for k in range(x.shape[-1])), out.dtype.type(0)
                )
    gone = (-2,) * (a.ndim == 1) + (-1,) * (b.ndim == 1)
    return out.reshape([n for i, n in enumerate(out.shape) if i - out.ndim not in gone])


SHAPES = [
    ((3,), (3,)),
    ((2, 3), (3,)),
    ((3,), (3, 2)),
    ((2, 3), (3, 2)),
    ((3,), (2, 3, 4)),
    ((4, 2, 3), (3,)),
    ((2, 3), (4, 3, 2)),
    ((4, 2, 3), (3, 2)),
    ((4, 2, 3), (4, 3, 2)),
    ((1, 2, 3), (4, 3, 2)),
    ((5, 1, 2, 3), (4, 3, 2)),
    ((5, 4, 2, 3), (5, 1, 3, 2)),
    ((3,), (2, 2, 3, 2)),
    ((2, 2, 2, 3), (3,)),
    ((2, 2, 2, 3), (2, 3, 2)),
    ((0, 2, 3), (2, 0, 3, 2)),
    ((2, 1, 2, 0), (3, 0, 2)),
]


def case(a, b):
    shapes = {0: a, 1: b}
    patterns = {
        i: tuple(n == 1 and d < len(s) - 2 for d, n in enumerate(s)) for i, s in shapes.items()
    }
    name = "_".join("x".join(map(str, s)) for s in (a, b))
    return Case(draw(*a), draw(*b), broadcastable=patterns, id=name)


SPECS = [
    OpSpec(
        T.matmul,
        by_loops,
        name="matmul",
        cases=[
            *(case(a, b) for a, b in SHAPES),
            Case(draw(2, 2, 3, dtype="float32"), draw(5, 2, 3, 2, dtype="int8"), id="mixed"),
        ],
        errors=[
            Raises((np.float64(1), draw(3)), ValueError, "@ takes at least one dimension"),
            Raises((draw(2, 3), draw(5, 4, 2)), ValueError, "has length 3 but axis 1", when="run"),
            Raises(
                (draw(2, 2, 3), draw(3, 5, 3, 2)),
                ValueError,
                "axis 0 of input 0 has length 2 but axis 1 of input 1 has length 5",
                when="run",
            ),
        ],
    ),
]


@pytest.mark.parametrize("left", [True, False], ids=["array_first", "variable_first"])
def test_an_array_may_stand_on_either_side(left):
    a, b = draw(2, 3), draw(5, 3, 2)
    x = T.TensorType("float64", (False,) * (3 if left else 2))()
    made = a @ x if left else x @ b
    value = made.eval({x: b if left else a})
    np.testing.assert_allclose(value, by_loops(a, b), rtol=1e-12)


def test_matrices_and_vectors_are_multiplied_by_dot():
    x, y = T.dmatrices("xy")
    assert isinstance((x @ y).owner.op, Dot)
    assert isinstance((x @ T.dvector()).owner.op, Dot)


def test_a_dtype_is_computed_in():
    a = np.full((1, 2), 100, "int8")
    assert T.matmul(a, a.T, dtype="int32").eval().item() == 20000


def test_a_batch_that_happens_to_be_one_long_does_not_stretch():
    x, y = T.tensor4s("xy")
    f = theano.function([x, y], x @ y)
    with pytest.raises(ValueError, match="has length 1 but axis 0 of input 1 has length 5"):
        f(np.ones((1, 2, 2, 3)), np.ones((5, 2, 3, 2)))


test_ops = spec_tests(SPECS)
