"""Composite: several elementwise ops as one."""

import numpy as np
import pytest

import theano
import theano.tensor as T
from theano import scalar
from theano._src.ops.core import composite_loop
from theano._src.ops.core.composite import Composite
from theano._src.ops.core.elemwise import Elemwise
from theano.testing import OpSpec, spec_tests

a, b = scalar.float64("a"), scalar.float64("b")
MIXED = scalar.float32("m")
N = scalar.int32("n")

product_and_sum = Elemwise(Composite([a, b], [a * b + a]))
grown = scalar.exp(a)
shared_inside = Elemwise(Composite([a], [grown * grown + 1]))
of_dtypes = Elemwise(Composite([MIXED, N], [scalar.sqrt(MIXED) + N]))


def twice(x):
    return np.exp(x) * np.exp(x) + 1


SPECS = [
    OpSpec(
        product_and_sum,
        lambda x, y: x * (y + 1),
        name="product_and_sum",
        nin=2,
        dtypes=("float64",),
        special={(np.inf, 2): np.inf, (0.0, np.inf): np.nan},
    ),
    OpSpec(shared_inside, twice, name="shared_inside", dtypes=("float64",), domain=(-3, 2)),
    OpSpec(
        of_dtypes,
        lambda x, n: np.sqrt(x) + n,
        name="of_dtypes",
        nin=2,
        dtypes=(("float32",), ("int32",)),
        domain=((0.1, 9), (1, 5)),
        out_dtype="float64",
        rtol={"float64": 1e-6},
    ),
]


def test_the_text_marks_what_is_used_twice():
    assert str(shared_inside.scalar_op) == "Composite{((*1 -> exp(i0) * *1) + 1)}"


def test_equal_composites_are_equal_and_hash_alike():
    again = Composite([b, a], [b * a + b])
    assert again == product_and_sum.scalar_op and hash(again) == hash(product_and_sum.scalar_op)
    assert again != Composite([a, b], [a * b + b])


def test_a_composite_of_composites_is_opened():
    inner = product_and_sum.scalar_op
    made = Composite.of(["float64"] * 2, [(inner, (0, 1)), (inner, (2, 0))], [3])
    assert str(made) == "Composite{((*1 -> ((i0 * i1) + i0) * i0) + *1)}"


def test_other_dtypes_than_its_own_make_another_composite():
    made = product_and_sum(T.fvector(), T.fvector())
    assert made.owner.op.scalar_op.dtypes == ("float32", "float32")
    assert made.owner.op.scalar_op.steps == product_and_sum.scalar_op.steps


SHAPES = {
    "flat": ((3 * composite_loop._PIECE + 5,), (3 * composite_loop._PIECE + 5,)),
    "a number": ((), (3 * composite_loop._PIECE + 5,)),
    "a row": ((300, 200), (1, 200)),
    "a column": ((300, 200), (300, 1)),
    "row and column": ((700, 1), (1, 90)),
    "one row": ((1, 40_000), (1, 40_000)),
    "nothing": ((0, 40_000), (1, 40_000)),
}


@pytest.mark.parametrize("shapes", SHAPES.values(), ids=SHAPES)
@pytest.mark.parametrize("order", ["C", "F", "strided"])
def test_long_arrays_in_pieces_give_what_numpy_gives_at_once(shapes, order):
    rng = np.random.default_rng(0)
    types = [T.TensorType("float64", [n == 1 for n in s]) for s in shapes]
    arrays = [rng.normal(size=s) for s in shapes]
    if order == "F":
        arrays = [np.array(x, order="F") for x in arrays]
    elif order == "strided":
        arrays = [np.repeat(x, 2, axis=-1)[..., ::2] if x.ndim else x for x in arrays]
    x, y = (t() for t in types)
    f = theano.function([x, y], T.tanh(x * y) + T.exp(-x) * y, mode=theano.Mode("numpy"))
    assert any(
        isinstance(getattr(n.op, "scalar_op", None), Composite) for n in f.maker.fgraph.toposort()
    )
    p, q = arrays
    np.testing.assert_allclose(f(p, q), np.exp(-p) * q + np.tanh(p * q), 1e-14, 1e-14)


def test_an_array_that_is_overwritten_piece_by_piece_is_read_first():
    n = 4 * composite_loop._PIECE
    x = T.dvector("x")
    f = theano.function([x], T.tanh(T.exp(x[::-1]) * 2 + 1).cumsum(), mode=theano.Mode("numpy"))
    value = np.linspace(-1, 1, n)
    np.testing.assert_allclose(f(value), np.cumsum(np.tanh(np.exp(value[::-1]) * 2 + 1)), 1e-12)
    np.testing.assert_array_equal(value, np.linspace(-1, 1, n))


test_ops = spec_tests(SPECS)


@pytest.mark.parametrize("n", [3, 100_000])
def test_an_input_that_is_given_away_is_overwritten_whatever_its_length(n):
    x = T.dvector("x")
    f = theano.function([theano.In(x, mutable=True)], T.exp(x) * 2 + 1, mode=theano.Mode("numpy"))
    assert "Composite" in str(f.maker.fgraph.toposort()[-1].op)
    given = np.zeros(n)
    result = f(given)
    assert np.array_equal(given, np.full(n, 3.0)) and np.array_equal(result, given)
