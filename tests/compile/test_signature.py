"""Compiled functions tell their inputs: to inspect.signature and to help."""

import inspect
import pydoc

import numpy as np
import pytest

import theano
import theano.tensor as T
from theano import In


@pytest.fixture
def xy():
    return T.dmatrix("x"), T.dscalar("y")


MATRIX, SCALAR = "TensorType(float64, matrix)", "TensorType(float64, scalar)"


def text(*args, **kwargs):
    made = theano.function(*args, on_unused_input="ignore", **kwargs)
    return str(inspect.signature(made))


def test_inputs_have_their_names_types_and_defaults(xy):
    x, y = xy
    assert text([x, y], x * y) == f"(x: {MATRIX}, y: {SCALAR}) -> {MATRIX}"
    assert text([x, In(y, value=2.0)], x) == f"(x: {MATRIX}, y: {SCALAR} = array(2.)) -> {MATRIX}"


def test_what_is_returned_is_told(xy):
    x, y = xy
    assert text([], []).endswith("-> []") and text([]).endswith("() -> None")
    assert text([x], [x, x]).endswith(f"-> [{MATRIX}, {MATRIX}]")
    assert text([y], {"a": y}).endswith(f"-> {{'a': {SCALAR}}}")


def test_inputs_without_a_name_or_with_the_same_are_given_by_position(xy):
    x, y = xy
    assert text([T.dscalar(), x], x).startswith(f"(input0: {SCALAR}, /, x: {MATRIX})")
    assert text([T.dscalar("a"), T.dscalar("a"), y], y).startswith(
        f"(input0: {SCALAR}, input1: {SCALAR}, /, y: {SCALAR})"
    )
    assert text([T.dscalar("two words")], x.sum() * 0, givens={x: np.ones((1, 1))}).startswith(
        f"(input0: {SCALAR}, /)"
    )


def test_an_input_without_a_default_after_one_with_a_default_is_given_by_name(xy):
    x, y = xy
    f = theano.function([In(y, value=2.0), x], x * y)
    given = inspect.signature(f).parameters
    assert given["x"].kind is inspect.Parameter.KEYWORD_ONLY
    assert f(x=np.ones((1, 1))).tolist() == [[2]]


def test_a_signature_binds_what_the_function_takes(xy):
    x, y = xy
    f = theano.function([x, In(y, value=2.0)], x * y)
    bound = inspect.signature(f).bind(np.ones((1, 1)), y=3.0)
    assert f(*bound.args, **bound.kwargs).tolist() == [[3]]
    with pytest.raises(TypeError):
        inspect.signature(f).bind(z=1)


def test_help_lists_inputs_outputs_and_state(xy):
    x, y = xy
    n = theano.shared(0, "n")
    f = theano.function([x, In(y, value=2.0)], x * y, updates=[(n, n + 1)], name="scaled")
    shown = pydoc.plain(pydoc.render_doc(f))
    for line in (
        f"scaled(x: {MATRIX}, y: {SCALAR} = array(2.)) -> {MATRIX}",
        f"    x : {MATRIX}\n",
        f"    y : {SCALAR}, array(2.) if not given\n",
        "    n : TensorType(int64, scalar), updated by each call\n",
        "theano.printing.debugprint(f) shows its graph",
    ):
        assert line in shown


def test_the_class_of_functions_keeps_its_own_documentation():
    kind = theano.compile.function_module.Function
    assert kind.__doc__.startswith("A compiled function.")
    assert "maker" in inspect.signature(kind).parameters
