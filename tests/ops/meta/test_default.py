"""``T.default``: an input that may be left out."""

import numpy as np
import pytest

import theano
import theano.tensor as T


@pytest.mark.parametrize("linker", ["py", "numpy", "xla"])
def test_a_value_that_is_given_is_taken(linker):
    x, y = T.dvectors("xy")
    f = theano.function([x, y], T.default(x, y) * 2, mode=theano.Mode(linker))
    assert f([1.0, 2.0], [5.0, 5.0]).tolist() == [2.0, 4.0]


def test_where_none_comes_the_other_stands_in_as_a_copy():
    stands_in = np.zeros(2)
    cell = [None]
    node = T.default(T.dvector(), T.dvector()).owner
    node.op.perform(node, [None, stands_in], [cell])
    assert cell[0].tolist() == [0, 0] and cell[0] is not stands_in


def test_both_are_of_one_type():
    with pytest.raises(TypeError, match="default takes a value of the type of"):
        T.default(T.dvector("x"), T.fvector("y"))
