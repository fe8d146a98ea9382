"""What ops say of how large their results are holds for what they compute."""

from math import inf

import numpy as np
import pytest

import theano
import theano.tensor as T
from theano._src.engines.value_bounds import bound_of, own_bound
from theano._src.graph.op import Op
from theano._src.ops.core.scalar import ScalarOp
from theano._src.ops.linalg.blas import Dot22

BOUNDS = (0.3, 1.0, 7.5, 1e3, 1e10)


def scalar_ops():
    """One of each kind of the scalar ops that have a name of their own and say a bound."""
    made = {}
    for value in vars(theano.scalar).values():
        if isinstance(value, ScalarOp) and type(value).bound is not ScalarOp.bound:
            made.setdefault(type(value), value)
    return sorted(made.values(), key=lambda op: type(op).__name__)


def at_most(bound, shape, rng):
    """Numbers up to a bound, it and its negative among them."""
    values = rng.uniform(-bound, bound, shape)
    values.flat[:3] = bound, -bound, 0
    return values


def test_more_than_a_dozen_ops_say_a_bound():
    assert len(scalar_ops()) > 12


@pytest.mark.parametrize("op", scalar_ops(), ids=lambda op: type(op).__name__)
def test_an_elementwise_op_keeps_its_bound(op):
    rng = np.random.default_rng(0)
    for bound in BOUNDS:
        n = op.nin if op.nin > 0 else 3
        given = [at_most(bound, 100, rng) for _ in range(n)]
        node = T.Elemwise(op)(*map(T.constant, given)).owner
        said = bound_of(node, 0, [bound] * n)
        if said < inf:
            made = node.op.compute(np, *given)
            assert np.isfinite(made).all()
            assert np.abs(made).max() <= said


@pytest.mark.parametrize("name", ["Dot", "Dot22", "BatchedDot", "Sum", "Max", "Softmax", "Alloc"])
def test_an_op_on_arrays_keeps_its_bound(name):
    rng = np.random.default_rng(0)
    a, b = T.dmatrices("ab")
    c, d = T.dtensor3s("cd")
    node = {
        "Dot": lambda: T.dot(a, b),
        "Dot22": lambda: Dot22()(a, b),
        "BatchedDot": lambda: T.batched_dot(c, d),
        "Sum": lambda: a.sum(axis=0),
        "Max": lambda: a.max(axis=0),
        "Softmax": lambda: T.nnet.softmax(a),
        "Alloc": lambda: T.alloc(a, 2, 5, 5),
    }[name]().owner
    for bound in BOUNDS:
        values = [
            at_most(bound, (5,) * v.ndim, rng) if v.owner is None and v.ndim else v.eval()
            for v in node.inputs
        ]
        bounds = [float(np.abs(v).max()) for v in values]
        cells = [[None]]
        node.op.perform(node, values, cells)
        made = cells[0][0]
        shapes = [np.shape(v) for v in values]
        assert np.abs(made).max() <= bound_of(node, 0, bounds, shapes, [made.shape])


def test_nothing_is_said_of_what_may_be_nan_or_too_large():
    x, z, h = T.dvector(), T.zvector(), T.vector(dtype="float16")
    assert bound_of(T.tanh(x).owner, 0, [inf]) == inf  # NaN is among what has no bound
    assert bound_of(T.sin(z).owner, 0, [1.0]) == inf  # of complex numbers it is not bounded
    assert bound_of((h * h).owner, 0, [900.0, 900.0]) == inf  # float16 ends at 65504
    assert bound_of((x * x * 1e-9).owner, 0, [1e9, 1e-9, 1e-9]) >= 1e9  # a part may be large
    assert bound_of(T.log(x).owner, 0, [1.0]) == inf
    assert bound_of(a_view_as_bytes(x), 0, [1.0]) == inf


def a_view_as_bytes(x):
    class AsIntegers(Op):
        __props__ = ()
        view_map = {0: [0]}

        def make_node(self, x):
            return theano.Apply(self, [x], [T.vector(dtype="float32")])

    return AsIntegers().make_node(x)


def test_a_constant_has_the_bound_of_its_data_and_an_integer_that_of_its_dtype():
    assert own_bound(T.constant([1.0, -7.0])) == 7
    assert own_bound(T.constant([1.0, np.nan])) == inf
    assert own_bound(T.bvector()) == 127
    assert own_bound(T.dvector()) == inf


def test_a_subclass_with_another_meaning_has_no_bound_of_its_base():
    class Sinh(type(theano.scalar.sin)):
        def impl(self, x):
            return np.sinh(x)

    assert Sinh(theano.scalar.upgrade_to_float).bound(100.0) == inf
