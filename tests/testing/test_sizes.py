"""The check at two sizes finds ops that keep a size, and asks for a second one."""

import numpy as np
import pytest

import theano.tensor as T
from theano._src.graph.graph import Apply
from theano._src.graph.op import Op
from theano._src.testing.sizes import sizes, two_sizes
from theano._src.types.convert import as_tensor_variable
from theano.testing import Case, OpSpec

X = np.arange(6.0).reshape(2, 3)


class Remembers(Op):
    """x + its number of rows, as it was at the first call."""

    __props__ = ()

    def make_node(self, x):
        x = as_tensor_variable(x)
        return Apply(self, [x], [x.type()])

    def compute(self, xp, x):
        self.seen = getattr(self, "seen", len(x))
        return x + self.seen


def test_two_listed_cases_of_one_graph_are_chosen_first():
    cases = [
        Case(X, kwargs={"axis": 0}),
        Case(X.T.copy(), kwargs={"axis": 1}),
        Case(np.ones((5, 4)), kwargs={"axis": 1}),
    ]
    spec = OpSpec(T.sum, lambda x, axis: x.sum(axis), name="sum", cases=cases)
    assert two_sizes(spec) == (cases[1], cases[2])


def test_a_number_may_be_the_size():
    cases = [Case(2), Case(4)]
    spec = OpSpec(T.zeros, lambda n: np.zeros(n), name="zeros", cases=cases)
    assert two_sizes(spec) == tuple(cases)


def test_a_single_case_is_doubled_as_far_as_the_reference_goes():
    spec = OpSpec(
        lambda x: T.reshape(x, (3, -1)),
        lambda x: x.reshape(3, -1),
        name="three rows",
        cases=[Case(X)],
    )
    assert two_sizes(spec)[1].args[0].shape == (4, 6)
    refusing = OpSpec(
        lambda x: x + np.ones(3), lambda x: x + np.ones(3), name="three columns", cases=[Case(X)]
    )
    assert two_sizes(refusing)[1].args[0].shape == (4, 3)


def test_a_remembered_size_is_found():
    spec = OpSpec(Remembers(), lambda x: x + len(x), name="remembers", cases=[Case(X)])
    with pytest.raises(AssertionError, match=r"output 0 of remembers, made for Case\(case0\)"):
        sizes(spec, "numpy")


def test_a_spec_without_a_second_size_is_told_what_to_do():
    spec = OpSpec(lambda x: x + 1, lambda x: x + 1, name="one", cases=[Case(2.0)])
    with pytest.raises(AssertionError, match="no two cases of one are one graph at two sizes"):
        sizes(spec, "numpy")
    with pytest.raises(ValueError, match="takes 'symbolic' or 'none: reason' as sizes, got 'no'"):
        OpSpec(T.exp, np.exp, sizes="no")
