"""Every defect that random programs have found, as a program of its own."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import theano
import theano.tensor as T

ENGINES = pytest.mark.parametrize(
    "linker",
    ["numpy", pytest.param("xla", marks=pytest.mark.xla)],
)


def run(linker: str, inputs: list[Any], output: Any, *values: Any) -> Any:
    return theano.function(inputs, output, mode=theano.Mode(linker=linker))(*values)


@ENGINES
@pytest.mark.parametrize(
    "expression",
    [
        lambda x: T.ones((3,)) * x,
        lambda x: T.zeros((3,)) + x,
        lambda x: x - T.zeros((3,)),
        lambda x: x / T.ones((3,)),
        lambda x: x ** T.ones((3,)),
        lambda x: x ** (2 * T.ones((3,))) / 2,
        lambda x: x * -T.ones((3,)) * -1,
    ],
    ids=["mul_one", "add_zero", "sub_zero", "div_one", "pow_one", "pow_two", "mul_minus_one"],
)
def test_a_neutral_element_with_a_length_still_stretches_the_other_operand(
    linker: str, expression: Any
) -> None:
    x = T.dscalar("x")
    made = run(linker, [x], expression(x), 2.0)
    np.testing.assert_array_equal(made, [2.0, 2.0, 2.0])


@ENGINES
def test_a_constant_is_indexed_by_an_array_that_is_an_input(linker: str) -> None:
    at = T.bmatrix("at")
    table = T.constant(np.array([5, 7, 9]))
    made = run(linker, [at], table[at], np.array([[-1, 0]], "int8"))
    np.testing.assert_array_equal(made, [[9, 5]])


@ENGINES
def test_a_backward_slice_with_a_stop_is_not_taken_to_keep_a_length_of_one(linker: str) -> None:
    x = T.drow("x")
    part = x[:2:-2]
    assert part.broadcastable == (False, False)
    assert run(linker, [x], part, [[1.0, 2.0]]).shape == (0, 2)
    assert x[:2].broadcastable == x[::-2].broadcastable == x[:2:3].broadcastable == (True, False)


@pytest.mark.parametrize("linker", ["numpy", pytest.param("xla", marks=pytest.mark.xla)])
def test_nan_times_false_is_nan(linker: str) -> None:
    keep, x = T.TensorType("bool", (False,))("keep"), T.dscalar("x")
    made = run(linker, [keep, x], keep * x, np.array([True, False]), np.nan)
    np.testing.assert_array_equal(made, [np.nan, np.nan])


@pytest.mark.parametrize("linker", ["numpy", pytest.param("xla", marks=pytest.mark.xla)])
def test_a_slice_of_a_gathered_vector_is_written_back_reversed(linker: str) -> None:
    x, at, start = T.dvector("x"), T.lvector("at"), T.lscalar("start")
    v = x[at]
    out = T.set_subtensor(v[start:], v[start:][::-1])
    made = run(linker, [x, at, start], out, np.arange(8.0), np.arange(8), 2)
    np.testing.assert_array_equal(made, [0, 1, 7, 6, 5, 4, 3, 2])
