"""theano.printing.why_float64: where float64 enters a graph of float32 (U5.12)."""

import inspect
import io
import re
import sys
import time

import numpy as np
import pytest

import theano
import theano.tensor as T
from theano.printing import why_float64
from theano.tensor.shared_randomstreams import RandomStreams

pytestmark = pytest.mark.filterwarnings("ignore:A shared variable of float64")


@pytest.fixture(autouse=True)
def float32():
    with theano.config.change_flags(floatX="float32"):
        yield


def places(f):
    """(what, cure) of each place that is reported."""
    text = why_float64(f, "str")
    found = re.findall(r"^\d+\. (.*)\n(?:   .*\n)*?   instead: (.*)$", text, re.M)
    n = re.match(r"float64 (?:enters at (\d+)|does not enter)", text)
    assert len(found) == int(n[1] or 0), text
    return found


def line():
    return inspect.currentframe().f_back.f_lineno


x = T.fmatrix("x")
n = T.lscalar("n")

# what makes float64 of x: how it is called
SOURCES = {
    "input": (lambda: x * T.dvector("d"), "input d of TensorType(float64, vector)"),
    "shared": (
        lambda: x * theano.shared(np.ones(3), "w"),
        "shared variable w of TensorType(float64, vector)",
    ),
    "number": (
        lambda: x * np.sqrt(2),
        "constant TensorConstant{1.4142135623730951} of TensorType(float64, scalar)",
    ),
    "array": (
        lambda: x + np.zeros(3),
        "constant TensorConstant{(3,) of 0.0} of TensorType(float64, vector)",
    ),
    "list": (
        lambda: x + [0.1, 0.2],
        "constant TensorConstant{[0.1 0.2]} of TensorType(float64, vector)",
    ),
    "cast": (lambda: x.astype("float64"), "Elemwise{Cast{float64}} of x of float32"),
    "length": (lambda: x.sum() / x.shape[0], "Elemwise{true_div,no_inplace} of Sum.0 of float32, "),
    "range": (lambda: x * T.arange(3), "Elemwise{mul,no_inplace} of x of float32, "),
    "integers": (lambda: T.exp(n), "Elemwise{exp,no_inplace} of n of int64"),
    "random": (
        lambda: RandomStreams(1).normal((3,), dtype="float64"),
        "RandomFunction{normal} of ",
    ),
    "complex": (
        lambda: x * np.array([1j]),
        "constant TensorConstant{(1,) of 1j} of TensorType(complex128",
    ),
}


@pytest.mark.parametrize("name", SOURCES)
def test_what_makes_float64_is_the_one_place(name):
    build, what = SOURCES[name]
    y = build()
    assert y.dtype in ("float64", "complex128")
    ((found, _),) = places(y)
    assert found.startswith(what)


CURED = {
    "number of python": lambda: x * 0.1 + 2,
    "number of numpy": lambda: x * np.float32(np.sqrt(2)),
    "shared": lambda: x * theano.shared(np.float32(np.ones(3))),
    "shared number": lambda: x * theano.shared(np.float32(3.5)),
    "array": lambda: x + np.float32(np.zeros(3)),
    "integers": lambda: x.sum() / x.shape[0].astype("float32"),
    "mean": lambda: x.mean(),
    "random": lambda: RandomStreams(1).normal((3,), dtype="float32"),
    "cast": lambda: x * T.constant(np.ones(3)).astype("float32"),
}


@pytest.mark.parametrize("name", CURED)
def test_what_the_report_says_to_write_keeps_float32(name):
    y = CURED[name]()
    assert y.dtype == "float32" and places(y) == []
    assert why_float64(y, "str").startswith("float64 does not enter: none of ")


def test_each_place_has_the_lines_that_made_it_and_that_use_it():
    made = line() + 1
    w = theano.shared(np.ones((3, 2)), "w")
    used = line() + 1
    y = T.dot(x, w)
    text = why_float64(T.tanh(y), "str")
    first, second = (f'File "{__file__}", line {k}, in ' for k in (made, used))
    assert re.search(f"made at\n     {re.escape(first)}.*\n +w = theano.shared", text)
    assert re.search(f"meets float32 at\n     {re.escape(second)}.*\n +y = T.dot", text)
    assert "2 of 2 nodes compute it." in text


def test_of_a_function_outputs_and_updates_are_searched_as_they_were_written():
    d, w = T.dscalar("d"), theano.shared(np.float32([1, 2]), "w")
    total = theano.shared(0.0, "total")
    f = theano.function([x, d], x * 2, updates=[(total, total + x.sum())], on_unused_input="ignore")
    assert [what for what, _ in places(f)] == [
        "shared variable total of TensorType(float64, scalar)"
    ]
    g = theano.function([x, d], [x * d, w])
    assert [what for what, _ in places(g)] == ["input d of TensorType(float64, scalar)"]


def test_loops_are_searched_and_what_comes_from_outside_is_reported_once():
    w = theano.shared(np.ones(3), "w")
    h, _ = theano.scan(lambda row, w: T.tanh(row * w), sequences=x, non_sequences=w)
    assert [what for what, _ in places(h)] == ["shared variable w of TensorType(float64, vector)"]
    made = line() + 1
    h, _ = theano.scan(lambda row: T.tanh(row * np.sqrt(2)), sequences=x)
    ((what, _),) = places(h)
    assert what.startswith("constant TensorConstant{1.4142135623730951}")
    assert f"line {made}, in <lambda>" in why_float64(h, "str")


def test_what_is_compared_in_float64_is_reported():
    y = x * (x > np.ones(3))
    ((what, _),) = places(y)
    assert y.dtype == "float32" and what.startswith("constant TensorConstant{(3,) of 1.0}")


def test_gradients_are_searched():
    w = theano.shared(np.ones(3), "w")
    cost = T.tanh(x * w).sum()
    assert [what for what, _ in places(T.grad(cost, [x, w]))] == [
        "shared variable w of TensorType(float64, vector)"
    ]


def test_inputs_shared_variables_constants_and_ops_come_in_this_order_and_no_more_than_twenty():
    terms = [x / n, x * np.ones(3), x * theano.shared(np.ones(3), "w"), x * T.dvector("d")]
    kinds = [what.split()[0] for what, _ in places(T.add(*terms))]
    assert kinds == ["input", "shared", "constant", "Elemwise{true_div,no_inplace}"]
    many = T.add(*(T.dvector(f"d{k}") for k in range(30)))
    text = why_float64(many, "str")
    assert "float64 enters at 30 places" in text
    assert "\n20. " in text and "\n21. " not in text and text.endswith("and 10 more\n")


def test_where_floatx_is_float64_the_report_says_so():
    with theano.config.change_flags(floatX="float64"):
        y = x * 0.1
        assert y.dtype == "float64"
        assert why_float64(y, "str").endswith("numbers of Python are float64 too.\n")
    assert why_float64(x * np.ones(3), "str").endswith("instead: np.float32(array)\n")


def test_it_prints_or_writes(capsys):
    file = io.StringIO()
    assert why_float64(x + 1, file) is file
    why_float64(x + 1)
    assert capsys.readouterr().out == file.getvalue() != ""


@pytest.mark.parametrize("given", [3, "x", [x, 3]])
def test_what_is_no_graph_is_refused(given):
    with pytest.raises(TypeError, match="why_float64 takes a compiled function or variables, got"):
        why_float64(given)


def test_a_deep_graph_takes_no_stack_and_less_time_than_to_build_it():
    y = x
    began = time.process_time()
    for _ in range(5_000):
        y = T.tanh(y) + 1
    y = y * T.dvector("d")
    depth = sys.getrecursionlimit()
    sys.setrecursionlimit(200)
    try:
        built = time.process_time()
        text = why_float64(y, "str")
        ended = time.process_time()
    finally:
        sys.setrecursionlimit(depth)
    assert "2 of 15002 nodes compute it" in text
    assert ended - built < built - began
