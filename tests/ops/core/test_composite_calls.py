"""Steps of composites that NumPy runs unaided give what their ops compute."""

import itertools

import numpy as np
import pytest

import theano.scalar as S
from theano._src.ground.xp import numpy_xp
from theano.scalar import Composite

DTYPES = ["bool", "int8", "uint16", "int64", "float32", "float64"]
VALUES = [[0, 1, 1, 0], [1, 0, 0, 1], [1, 1, 0, 0]]


def loop_and_compute(op, dtypes):
    """What the loop of a composite of one step gives, and what the step computes."""
    inputs = [S.get_scalar_type(d)() for d in dtypes]
    composite = Composite(inputs, [op(*inputs)])
    arrays = [np.array(v, d) for v, d in zip(VALUES, dtypes, strict=False)]
    loop = composite.loop(None)
    return loop, loop.at_once(*arrays), composite.compute(numpy_xp, *arrays), arrays


@pytest.mark.parametrize(("a", "b"), list(itertools.product(DTYPES, DTYPES)))
def test_a_switch_is_numpys_where_it_has_the_same_dtype(a, b):
    for condition in ("bool", "int8", "float64"):
        _, found, expected, _ = loop_and_compute(S.switch, [condition, a, b])
        assert found.dtype == expected.dtype and found.tolist() == expected.tolist()


@pytest.mark.parametrize(("source", "target"), list(itertools.product(DTYPES, DTYPES)))
def test_a_cast_gives_a_new_array(source, target):
    loop, found, expected, (given, *_) = loop_and_compute(S.Cast(target), [source])
    assert found.dtype == expected.dtype and found.tolist() == expected.tolist()
    assert not np.shares_memory(found, given) or not loop.calls[-1].is_new


@pytest.mark.parametrize("op", [S.add, S.mul])
@pytest.mark.parametrize("dtypes", [["float64"] * 3, ["int8"] * 3, ["int8", "float32", "int64"]])
def test_sums_and_products_of_several_go_from_left_to_right(op, dtypes):
    _, found, expected, _ = loop_and_compute(op, dtypes)
    assert found.dtype == expected.dtype and found.tolist() == expected.tolist()


def test_a_known_number_is_made_once_and_handed_out_as_a_copy():
    x = S.float64()
    composite = Composite([x], [x + S.as_scalar(np.float64(2)) * S.as_scalar(np.float64(3))])
    loop = composite.loop(None)
    assert loop.at_once(np.array([1.0, 2.0])).tolist() == [7.0, 8.0]
    only = Composite([x], [S.as_scalar(np.float64(2))])
    loop = only.loop(None)
    first = loop.at_once(np.array([1.0]))
    first[...] = 5
    assert loop.at_once(np.array([1.0])) == 2
