"""Ops that hold something else: a scalar op, a Python function; views with a gradient."""

from __future__ import annotations

import math

import numpy as np

import theano.tensor as T
from theano import distributed as dist, gradient, scalar
from theano._src.ops.shape.check_lengths import CheckLengths
from theano.compile.ops import as_op
from theano.tensor.elemwise import CAReduce, CAReduceDtype, Elemwise
from theano.testing import Case, OpSpec, Raises, spec_tests

inf, nan = math.inf, math.nan
X = np.random.default_rng(8).uniform(-2, 2, (2, 3))
Y = np.random.default_rng(9).uniform(-2, 2, (4, 2))
VECTORS = [Case(X[0]), Case(Y[:, 0], id="longer"), Case(np.zeros(0), id="empty")]


@as_op(itypes=[T.dvector], otypes=[T.dvector])
def reversed_(v):
    return v[::-1].copy()


def inside(low, high, openlow, openhi):
    return lambda x: (x > low if openlow else x >= low) & (x < high if openhi else x <= high)


def bounded(openlow, openhi):
    op = Elemwise(scalar.InRange(openlow, openhi))
    return OpSpec(
        lambda x: op(x, -1, 2), inside(-1, 2, openlow, openhi), name=str(op.scalar_op),
        dtypes=("int8", "int64", "float32", "float64"), out_dtype="bool",
        special={-1: not openlow, 2: not openhi, inf: False, -inf: False, nan: False},
    )  # fmt: skip


CHANGED = "none: its gradient is not the slope of its value; that is what it is for"

# fmt: off
SPECS = [
    *[OpSpec(view, np.array, name=name, grad=CHANGED, cases=[Case(X), Case(Y), Case(X[:0])])
      for name, view in [
          ("zero_grad", gradient.zero_grad),
          ("consider_constant", gradient.consider_constant),
          ("disconnected_grad", gradient.disconnected_grad),
          ("undefined_grad", gradient.undefined_grad),
          ("grad_clip", lambda x: gradient.grad_clip(x, -1, 1)),
          ("grad_scale", lambda x: gradient.grad_scale(x, 3)),
      ]],
    OpSpec(lambda x: dist.constrain(x, dist.mesh({"data": 1})["data"]), np.array, name="constrain",
           cases=[Case(X), Case(Y), Case(X[:0], id="empty")],
           errors=[Raises(X[0, 0], ValueError, "dimension")]),
    OpSpec(CAReduce(scalar.maximum, axis=0), lambda x: np.array([max(c) for c in x.T.tolist()]),
           name="CAReduce", cases=[Case(X), Case(Y)], grad="none: no slope of maximum is folded"),
    OpSpec(CAReduceDtype(scalar.add, axis=1, dtype="float64"), lambda x: x @ np.ones(x.shape[1]),
           name="CAReduceDtype", out_dtype="float64", grad="none: only sums and products have one",
           cases=[Case(X.astype("float32")), Case(np.arange(8).reshape(2, 4)), Case(X)]),
    OpSpec(lambda x, n: CheckLengths([1])(x, n), lambda x, n: +x, name="CheckLengths",
           cases=[Case(X, np.int64(3)), Case(Y, np.int64(2), id="longer")],
           errors=[Raises((X, np.int64(4)), ValueError, r"input\[0\].shape\[1\] = 3, another",
                          when="run")]),
    OpSpec(reversed_, lambda v: v[list(range(len(v) - 1, -1, -1))], name="as_op",
           cases=VECTORS, grad="none: a Python function has none",
           xla="host: a Python function on values", file="none: it holds a Python function"),
    *[bounded(low, high) for low in (False, True) for high in (False, True)],
]
# fmt: on


test_ops = spec_tests(SPECS)
