"""OpSpec checks ops with C code like any other: values, shapes, memory, errors and gradients."""

import numpy as np
import pytest

import theano
from tests.c_code.c_ops import MatVec, Scaled, scaled
from theano._src.c_code.compiler import why_no_compiler
from theano._src.testing.collect import checks_of
from theano.testing import Case, OpSpec, Raises, spec_tests

pytestmark = pytest.mark.skipif(
    why_no_compiler(python=True) is not None, reason=str(why_no_compiler(python=True))
)

#: C code that takes objects of Python runs between compiled programs
HOST = "host: C code"


class OnlyInC(theano.Op):
    """The same op without perform: what runs is the C code, or nothing."""

    __props__ = ()
    make_node, infer_shape, grad = Scaled.make_node, Scaled.infer_shape, Scaled.grad
    c_support_code, c_code = Scaled.c_support_code, Scaled.c_code


only_in_c = OnlyInC()

CASES = [
    Case(np.array([1.0, -2.0, 3.0]), np.array(2.5)),
    Case(np.zeros(0), np.array(1.0), id="empty"),
    Case(np.array([1, 2], "float32"), np.array(3, "float32"), id="float32"),
]
NEGATIVE = Raises((np.ones(2), np.array(-1.0)), ValueError, "factors are positive", when="run")

SPECS = [
    OpSpec(scaled, lambda x, y: np.array([u * y for u in x], x.dtype), cases=CASES,
           errors=[NEGATIVE], xla=HOST),
    OpSpec(only_in_c, lambda x, y: np.array([u * y for u in x], x.dtype), cases=CASES,
           errors=[NEGATIVE], xla=HOST),
    OpSpec(MatVec(), lambda a, x: np.einsum("ij,j->i", a, x),
           cases=[Case(np.arange(6.0).reshape(2, 3), np.array([1.0, -1.0, 2.0]))],
           errors=[Raises((np.ones((2, 3)), np.ones(2)), ValueError, "3 columns and 2 numbers",
                          when="run")], xla=HOST),
]  # fmt: skip

test_ops = spec_tests(SPECS)


def test_a_spec_finds_c_code_that_is_not_what_the_reference_says():
    class Wrong(Scaled):
        def c_code(self, node, name, inputs, outputs, sub):
            return super().c_code(node, name, inputs, outputs, sub).replace("* factor", "+ factor")

    spec = OpSpec(Wrong(), lambda x, y: np.array([u * y for u in x]), cases=CASES[:1], xla=HOST)
    checks = dict(checks_of(spec))
    for name in ("value-case0", "xla"):
        with pytest.raises(AssertionError, match="output 0 of Wrong"):
            checks[name]()
