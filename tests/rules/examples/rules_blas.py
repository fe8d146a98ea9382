"""Graphs on which the rules of rules/blas.py fire."""

from typing import Any

import numpy as np

from theano._src.ops.elementwise.arithmetic import add, mul, sub
from theano._src.ops.linalg.blas import gemm_no_inplace
from theano._src.ops.linalg.dot import dot
from theano._src.ops.shape.dims import dimshuffle
from theano._src.rules.blas import _matrices
from theano._src.types.convert import constant
from theano._src.types.tensor import tensor_type


def _sum_example() -> tuple[list[Any], list[Any]]:
    x, y, z, q = _matrices("xyzq")
    v, w = (tensor_type("float64", (False,))(name) for name in "vw")
    a = tensor_type("float64", ())("a")
    return [x, y, z, q, v, w, a], [
        sub(mul(3.0, z), mul(0.5, add(dot(x, y), mul(a, q)))),
        sub(w, mul(0.1, add(dot(v, x), mul(0.02, w)))),
        add(z, mul(a, dot(dimshuffle(v, 0, "x"), dimshuffle(w, "x", 0)))),
    ]


def _matrices_example() -> tuple[list[Any], list[Any]]:
    x, y = _matrices("xy")
    return [x, y], [dot(x, y)]


def _vector_example() -> tuple[list[Any], list[Any]]:
    (x,) = _matrices("x")
    v = tensor_type("float64", (False,))("v")
    return [x, v], [dot(x, v), dot(v, x)]


def _narrow_example() -> tuple[list[Any], list[Any]]:
    z, x = _matrices("zx")
    row, column = (tensor_type("float64", b)("v") for b in ((True, False), (False, True)))
    a, one = tensor_type("float64", ())("a"), constant(np.float64(1))
    return [z, x, row, column, a], [
        gemm_no_inplace(z, a, column, row, one),
        gemm_no_inplace(column, a, x, column, a),
    ]


def _scaled_example() -> tuple[list[Any], list[Any]]:
    x, y = _matrices("xy")
    a = tensor_type("float64", ())("a")
    return [x, y, a], [mul(a, 2.0, dot(x, y))]


EXAMPLES = {
    "products_in_sum": _sum_example,
    "dot_of_matrices": _matrices_example,
    "dot_with_vector": _vector_example,
    "narrow_gemm": _narrow_example,
    "scaled_dot": _scaled_example,
}
