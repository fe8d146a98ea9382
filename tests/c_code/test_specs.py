"""Specs of users' ops in C: every check of an op follows for them too."""

import numpy as np
import pytest

import theano.tensor as T
from theano import scalar
from theano._src.c_code.compiler import why_no_compiler
from theano._src.testing.collect import checks_of
from theano.extend import Apply, FFIOp
from theano.testing import Case, OpSpec, Raises, spec_tests

pytestmark = pytest.mark.skipif(why_no_compiler() is not None, reason=str(why_no_compiler()))


class Weighted(FFIOp):
    """sum_j w[j] x[i, j]**2: weighted squares of each row, added up."""

    __props__ = ("power",)
    inames, onames = ["x", "w"], ["z"]

    def __init__(self, power=2):
        self.power = power

    def make_node(self, x, w):
        x, w = map(T.as_tensor_variable, (x, w))
        if x.ndim != 2 or w.ndim != 1:
            raise TypeError(f"Weighted takes a matrix and a vector, got {x.type} and {w.type}")
        if x.dtype != w.dtype:
            raise TypeError(f"Weighted takes one dtype, got {x.dtype} and {w.dtype}; cast one")
        return Apply(self, [x, w], [T.TensorType(x.dtype, (False,))()])

    def infer_shape(self, node, shapes):
        return [(shapes[0][0],)]

    c_kernel = """
        const int64_t m = x_shape[1];
        if (w_shape[0] != m)
            FAIL("Weighted takes %ld weights, got %ld", (long) m, (long) w_shape[0]);
        for (int64_t i = 0; i < x_shape[0]; i++) {
            z[i] = 0;
            for (int64_t j = 0; j < m; j++) {
                dtype_z t = w[j];
                for (int64_t p = 0; p < power; p++) t *= x[i * m + j];
                z[i] += t;
            }
        }
    """

    def L_op(self, inputs, outputs, output_grads):
        (x, w), (g,) = inputs, output_grads
        p = self.power
        return [g.dimshuffle(0, "x") * p * x ** (p - 1) * w, T.dot(g, x**p)]

    def R_op(self, inputs, eval_points):
        (x, w), (dx, dw) = inputs, eval_points
        terms = []
        if dx is not None:
            terms.append((self.power * x ** (self.power - 1) * dx * w).sum(axis=1))
        if dw is not None:
            terms.append(self(x, dw))
        return [sum(terms[1:], terms[0])]


class Softsign(scalar.UnaryScalarOp):
    """x / (1 + |x|)."""

    def c_code(self, node, name, inputs, outputs, sub):
        (x,), (z,) = inputs, outputs
        return f"{z} = {x} / (1 + fabs({x}));"

    def L_op(self, inputs, outputs, output_grads):
        (x,), (g,) = inputs, output_grads
        return [g / T.sqr(1 + abs(x))]


softsign = T.Elemwise(Softsign(name="softsign"), name="softsign")


def weighted(x, w):
    return np.einsum("ij,j->i", x**2, w)


def drawn(*shape):
    return np.random.default_rng(1).uniform(1, 2, shape)


SPECS = [
    OpSpec(
        Weighted(),
        weighted,
        name="weighted",
        cases=[
            Case(drawn(2, 3), drawn(3)),
            Case(drawn(2, 3).astype("float32"), drawn(3).astype("float32"), id="float32"),
            Case(np.arange(6).reshape(2, 3), np.arange(3), id="integers", grad="none: integers"),
            Case(drawn(2, 0), drawn(0), id="empty"),
            Case(drawn(3, 2).T, drawn(6)[::2], id="strided"),
        ],
        errors=[
            Raises((np.ones((2, 3)), np.ones(2)), ValueError, "takes 3 weights, got 2", when="run"),
            Raises((np.ones(3), np.ones(3)), TypeError, "takes a matrix and a vector"),
        ],
    ),
    OpSpec(softsign, lambda x: x / (1 + abs(x)), domain=(0.5, 9), special={0: 0.0, -1: -0.5}),
]

test_specs = spec_tests(SPECS)


class Wrong(Weighted):
    c_kernel = Weighted.c_kernel.replace("t *= x", "t += x")


def test_a_wrong_kernel_is_found_on_both_engines():
    found = set()
    for label, check in checks_of(
        OpSpec(Wrong(), weighted, name="wrong", cases=SPECS[0].cases[:1])
    ):
        try:
            check()
        except AssertionError:
            found.add(label)
    assert {"value-case0", "xla", "grad"} <= found
