"""Fills and allocs go where something else has their shape; no check of lengths goes with them."""

import numpy as np
import pytest

import theano
import theano.tensor as T
from theano._src.ground.config import config

ENGINES = ["numpy", pytest.param("xla", marks=pytest.mark.xla)]
PLAIN = theano.Mode("numpy").excluding("fusion", "inplace")
x, y = T.dvectors("x", "y")
n = T.lscalar("n")


def ops(inputs, output):
    f = theano.function(inputs, output, mode=PLAIN)
    shown = [str(node.op) for node in f.maker.fgraph.toposort()]
    return [name for name in shown if name != "DeepCopyOp"]  # outputs that are inputs are copied


def test_a_fill_is_cut_where_another_input_has_its_shape():
    assert ops([x], T.fill(x, 2.0) * x) == ["Elemwise{mul,no_inplace}"]


def test_what_is_only_filled_over_is_not_computed():
    assert ops([x], T.fill(T.exp(x), 2.0)) == ["Shape_i{0}", "Alloc"]


def test_what_repeats_is_computed_once():
    c = T.constant(np.float64(2.0))
    f = theano.function([x], T.exp(T.fill(x, c)) + 1, mode=PLAIN)
    kinds = [type(node.op).__name__ for node in f.maker.fgraph.toposort()]
    assert kinds == ["Shape_i", "Alloc"]
    np.testing.assert_allclose(f([1, 2, 3]), [np.exp(2.0) + 1] * 3, rtol=1e-15)


@pytest.mark.parametrize("engine", ENGINES)
def test_lengths_that_differ_are_refused_although_nothing_is_left_to_compute(engine):
    mode = theano.Mode(engine)
    outputs = [T.fill(x, 2.0) * y, T.fill(x, y), (x - y) + y, x * y / y]
    f = theano.function([x, y], outputs, mode=mode)
    for got, want in zip(f([1, 2], [3, 4]), ([6, 8], [3, 4], [1, 2], [1, 2])):
        np.testing.assert_array_equal(got, want)
    for out in outputs:
        with pytest.raises(ValueError, match="mis-match"):
            theano.function([x, y], out, mode=mode)([1, 2], [3, 4, 5])


def test_lengths_known_to_agree_are_not_checked():
    assert ops([x, y], T.fill(x + y, x)) == []
    assert ops([x], (x - T.exp(x)) + T.exp(x)) == []


def test_a_check_goes_where_the_op_that_uses_its_result_makes_it():
    assert ops([x, y], ((x - y) + y) * T.exp(y)) == [
        "Elemwise{exp,no_inplace}",
        "Elemwise{mul,no_inplace}",
    ]
    assert ops([x, y], T.exp((x - y) + y)) == [
        "Elemwise{exp,no_inplace}",
        "Shape_i{0}",
        "CheckLengths{0}",
    ]


@pytest.mark.parametrize("engine", ENGINES)
def test_an_alloc_goes_on_stretching_what_happens_to_be_1_long(engine):
    f = theano.function([x, n], [T.alloc(x, n), T.alloc(x, n) + 1], mode=theano.Mode(engine))
    same, more = f([5.0], 3)
    assert same.tolist() == [5.0] * 3 and more.tolist() == [6.0] * 3


@pytest.mark.parametrize("engine", ENGINES)
def test_an_alloc_inside_an_elementwise_op_leaves_its_check(engine):
    f = theano.function([x, n], T.alloc(2.0, n) + x, mode=theano.Mode(engine))
    assert f([1.0, 2.0], 2).tolist() == [3.0, 4.0]
    with pytest.raises(ValueError, match="mis-match"):
        f([1.0, 2.0], 3)


def test_the_check_in_the_place_of_an_alloc_can_be_left_out():
    assert ops([x, n], T.alloc(2.0, n) + x) == ["Elemwise{add,no_inplace}", "CheckLengths{0}"]
    config.experimental.local_alloc_elemwise_assert = False
    try:
        assert ops([x, n], T.alloc(2.0, n) + x) == ["Elemwise{add,no_inplace}"]
    finally:
        config.experimental.local_alloc_elemwise_assert = True


def test_a_row_and_a_column_fill_a_matrix_together():
    row, column = T.drow("row"), T.dcol("column")
    f = theano.function([row, column], T.fill(row, column), mode=PLAIN)
    assert f([[1, 2, 3]], [[4], [5]]).tolist() == [[4.0] * 3, [5.0] * 3]


def test_a_shape_whose_length_is_a_constant_1_keeps_its_type():
    one = T.constant(np.ones(1)).reshape((1,), ndim=1)
    wide = T.unbroadcast(one, 0)
    f = theano.function([], T.fill(wide, 3.0), mode=PLAIN)
    assert f().tolist() == [3.0]


def test_the_fills_of_the_documents_are_left_out_by_name():
    without = PLAIN.excluding("local_fill_cut", "local_fill_sink", "local_elemwise_alloc")
    f = theano.function([x], T.fill(x, 2.0) * x, mode=without)
    assert "Alloc" in [str(node.op) for node in f.maker.fgraph.toposort()]
