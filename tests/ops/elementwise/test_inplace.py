"""Elementwise ops that write into their first input: theano.tensor.inplace."""

from __future__ import annotations

import numpy as np
import pytest

from theano._src.ops.core.elemwise import Elemwise
from theano._src.ops.elementwise import inplace
from theano._src.types.tensor import tensor_type

OPS = {name: op for name, op in vars(inplace).items() if isinstance(op, Elemwise)}


def vector(dtype="float64"):
    return tensor_type(dtype, (False,))()


def test_every_op_of_the_documented_module_is_there():
    assert len(OPS) == 69
    for name, op in OPS.items():
        assert str(op) == name.replace("fill", "second")
        assert op.destroy_map == {0: [0]}


@pytest.mark.parametrize("name", [n for n in OPS if n not in ("fill_inplace",)])
def test_the_result_is_in_the_memory_of_the_first_input(name):
    op = OPS[name]
    dtype = "int64" if name.split("_")[0] in ("and", "or", "xor", "invert") else "float64"
    a, b = np.array([1, 2], dtype), np.array([2, 1], dtype)
    node = op.make_node(*[vector(dtype) for _ in range(2 if abs(op.nin) > 1 or op.nin < 0 else 1)])
    plain = Elemwise(type(op.scalar_op)())
    inputs = [a, b][: len(node.inputs)]
    with np.errstate(all="ignore"):
        want = plain.bind(plain.make_node(*[vector(dtype) for _ in inputs]))(*inputs)
        got = op.bind(node)(*inputs)
    assert got is a
    np.testing.assert_allclose(a, want, rtol=1e-15)
    assert b.tolist() == [2, 1]


def test_the_dtype_of_the_first_input_is_kept():
    assert inplace.add_inplace(vector("float32"), vector("float64")).dtype == "float32"
    assert inplace.lt_inplace(vector("float64"), vector("float64")).dtype == "float64"
    assert inplace.true_div_inplace(vector("int64"), vector("int64")).dtype == "int64"


def test_an_input_that_stretches_cannot_be_written_to():
    with pytest.raises(ValueError, match=r"cannot work in place on .*, which stretches"):
        inplace.add_inplace(tensor_type("float64", (True,))(), vector())
