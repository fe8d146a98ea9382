"""Dimensions added, moved, stretched and turned; arrays stacked and split: against NumPy."""

from __future__ import annotations

import numpy as np
import pytest

import theano
import theano.tensor as T
from theano._src.ops.arrays.stacking import equal_split
from theano.testing import Case, OpSpec, Raises, spec_tests

rng = np.random.default_rng(3)


def draw(*shape, dtype="float64"):
    return np.asarray(rng.normal(size=shape) * 5, dtype)


M, T3, V = draw(2, 3), draw(2, 3, 4), draw(4)


def one(fn, ref, *cases, **facts):
    return OpSpec(fn, ref, cases=list(cases), **facts)


def keyed(x, id, **kwargs):
    return Case(x, kwargs=kwargs, id=id)


SPECS = [
    one(
        T.expand_dims,
        np.expand_dims,
        keyed(M, "front", axis=0),
        keyed(M, "last", axis=-1),
        keyed(M, "two", axis=(0, 2)),
        errors=[
            Raises(
                (M, 4), ValueError, "expand_dims takes an axis from -3 to 2, got 4", static=(1,)
            ),
            Raises((M, (0, 0)), ValueError, "expand_dims takes each axis once", static=(1,)),
        ],
    ),
    one(
        T.moveaxis,
        np.moveaxis,
        keyed(T3, "one", source=0, destination=-1),
        keyed(T3, "two", source=(0, 1), destination=(2, 0)),
        errors=[
            Raises((M, 0, (0, 1)), ValueError, "as many destinations as sources", static=(1, 2)),
            Raises((M, "a", 0), TypeError, "moveaxis takes axes as integers", static=(1, 2)),
        ],
    ),
    one(
        T.rollaxis,
        np.rollaxis,
        keyed(T3, "to_front", axis=2),
        keyed(T3, "before", axis=0, start=2),
        keyed(T3, "to_end", axis=0, start=3),
        keyed(T3, "from_end", axis=-1, start=-2),
    ),
    one(T.permute_dims, np.permute_dims, keyed(T3, "order", axes=(1, 2, 0)), keyed(T3, "reversed")),
    one(
        T.matrix_transpose,
        np.matrix_transpose,
        Case(T3, id="batch"),
        errors=[Raises(V, ValueError, "two dimensions or more")],
    ),
    one(T.atleast_1d, np.atleast_1d, Case(np.float64(3), id="scalar"), Case(M, id="matrix")),
    one(T.atleast_2d, np.atleast_2d, Case(np.float64(3), id="scalar"), Case(V, id="vector")),
    one(
        T.atleast_3d,
        np.atleast_3d,
        Case(np.float64(3), id="scalar"),
        Case(V, id="vector"),
        Case(M, id="matrix"),
    ),
    one(T.ravel, np.ravel, Case(T3, id="3d"), Case(np.float64(3), id="scalar")),
    one(
        T.size,
        np.size,
        Case(T3, id="all"),
        keyed(T3, "axis", axis=1),
        keyed(T3, "axes", axis=(0, 2)),
        out_dtype="int64",
        grad="none: a count",
    ),
    one(
        T.broadcast_to,
        np.broadcast_to,
        Case(V, (2, 4), static=(1,), id="new"),
        Case(np.float64(2), (2, 3), static=(1,), id="scalar"),
        Case(draw(2, 1), (3, 2, 4), static=(1,), broadcastable={0: (False, True)}, id="column"),
        Case(draw(2, 1), (2, 4), static=(1,), id="one_long_when_it_runs"),
        Case(draw(1, 3), (0, 3), static=(1,), broadcastable={0: (True, False)}, id="to_nothing"),
        errors=[
            Raises((V, (2, 3)), ValueError, "shape", when="run", static=(1,)),
            Raises((M, (3,)), ValueError, "at least 2 lengths", static=(1,)),
        ],
        sizes="none: lengths are arguments; a test of its own has them symbolic",
    ),
    one(
        T.broadcast_arrays,
        np.broadcast_arrays,
        Case(V, draw(3, 1), broadcastable={1: (False, True)}, id="crossed"),
        Case(V, np.float64(2), id="scalar"),
        Case(V, draw(4), id="alike"),
        errors=[Raises((V, draw(3)), ValueError, "shape", when="run")],
    ),
    one(
        T.flip,
        np.flip,
        Case(T3, id="all"),
        keyed(T3, "one", axis=1),
        keyed(T3, "two", axis=(0, -1)),
        Case(draw(0, 3), id="nothing"),
    ),
    one(T.fliplr, np.fliplr, Case(M, id="matrix")),
    one(T.flipud, np.flipud, Case(M, id="matrix")),
    one(
        T.rot90,
        np.rot90,
        *(keyed(M, f"by_{k}", k=k) for k in (0, 1, 2, 3, -1)),
        keyed(T3, "axes", k=1, axes=(2, 0)),
        errors=[Raises((M, 1, (0, 0)), ValueError, "rot90 takes each axis once", static=(1, 2))],
    ),
    one(
        T.vstack,
        np.vstack,
        Case([V, draw(4)], id="vectors"),
        Case([M, draw(1, 3)], id="matrices"),
        Case([V, draw(2, 4)], id="mixed"),
    ),
    one(
        T.hstack,
        np.hstack,
        Case([V, draw(2)], id="vectors"),
        Case([M, draw(2, 1)], id="matrices"),
        Case([draw(2, 0), M], id="nothing"),
    ),
    one(
        T.dstack, np.dstack, Case([V, draw(4)], id="vectors"), Case([M, draw(2, 3)], id="matrices")
    ),
    one(
        T.column_stack,
        np.column_stack,
        Case([V, draw(4)], id="vectors"),
        Case([V, draw(4, 2)], id="mixed"),
    ),
    one(
        T.append,
        np.append,
        Case(M, V, id="in_a_row"),
        Case(M, draw(1, 3), kwargs={"axis": 0}, id="axis"),
    ),
    one(
        T.array_split,
        np.array_split,
        Case(draw(5), 3, static=(1,), id="unequal"),
        Case(draw(2), 3, static=(1,), id="empty_parts"),
        Case(draw(2, 5), [1, 3], static=(1,), kwargs={"axis": 1}, id="places"),
        errors=[Raises((V, 0), ValueError, "a number of parts from 1, got 0", static=(1,))],
    ),
    one(
        equal_split,
        np.split,
        Case(draw(6), 3, static=(1,), id="equal"),
        Case(draw(6, 2), [2, 5], static=(1,), id="places"),
        errors=[Raises((draw(5), 3), ValueError, "", when="run", static=(1,))],
    ),
    one(T.hsplit, np.hsplit, Case(draw(2, 4), 2, static=(1,), id="matrix")),
    one(
        T.vsplit,
        np.vsplit,
        Case(draw(4, 2), 2, static=(1,), id="matrix"),
        errors=[Raises((V, 2), ValueError, "vsplit takes 2 dimensions or more", static=(1,))],
    ),
    one(T.dsplit, np.dsplit, Case(T3, [1], static=(1,), id="3d")),
]


def test_moved_dimensions_keep_their_broadcast_pattern():
    x = T.TensorType("float64", (True, False, False))()
    assert T.moveaxis(x, 0, 2).broadcastable == (False, False, True)
    assert T.ndim(x) == 3


def test_a_shape_may_be_a_vector_of_lengths():
    x, n = T.dvector(), T.lscalar()
    f = theano.function([x, n], T.broadcast_to(x, T.stack([n, x.shape[0]])))
    assert f([1.0, 2.0], 3).shape == (3, 2)
    assert f([1.0, 2.0, 3.0], 1).shape == (1, 3)


@pytest.mark.parametrize("linker", ["numpy", "xla"])
def test_the_gradient_of_a_stretch_sums_over_it(linker):
    x = T.dmatrix()
    g = T.grad(T.sum(T.broadcast_to(x, (5, 2, 3))), x)
    f = theano.function([x], g, mode=theano.Mode(linker=linker))
    np.testing.assert_array_equal(f(np.ones((2, 3))), np.full((2, 3), 5.0))
    np.testing.assert_array_equal(f(np.ones((1, 3))), np.full((1, 3), 10.0))


def test_blocks_are_numpys():
    a, b = draw(2, 2), draw(2, 3)
    nested = [[a, b], [b.T[:, :2], np.ones((3, 3))]]
    np.testing.assert_array_equal(T.block(nested).eval(), np.block(nested))
    np.testing.assert_array_equal(T.block([V, 2.0, V]).eval(), np.block([V, 2.0, V]))
    with pytest.raises(ValueError, match="nested equally deep"):
        T.block([[a], b])


def test_unstack_asks_for_a_length_that_no_type_tells():
    made = T.unstack(T.constant(M), axis=1)
    np.testing.assert_array_equal([v.eval() for v in made], M.T)
    x = T.dmatrix()
    assert len(T.unstack(x, length=2)) == 2
    with pytest.raises(ValueError, match="unstack takes a length"):
        T.unstack(x)


test_ops = spec_tests(SPECS)
