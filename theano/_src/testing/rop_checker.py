"""RopLop_checker: the documented test case for products with Jacobians."""

from __future__ import annotations

import unittest
from typing import Any

import numpy as np

from theano._src.compile.function import function
from theano._src.control.jacobian import jacobian
from theano._src.grad.products import Lop, Rop
from theano._src.ground.config import config
from theano._src.ground.documented import documented_in
from theano._src.ops.shape.shape import flatten
from theano._src.testing.unittest_tools import assert_allclose, fetch_seed
from theano._src.types.tensor import tensor_type


@documented_in("theano.tests.test_rop")
class RopLop_checker(unittest.TestCase):
    """A TestCase that compares ``R_op`` and the gradient of an op with its Jacobian.

    ``setUp`` creates a vector ``x`` and a matrix ``mx`` to build expressions of, with their shapes
    at run time in ``in_shape`` and ``mat_in_shape``, and the tangents ``v`` and ``mv``.

    >>> import theano.tensor as T
    >>> from theano.tests.test_rop import RopLop_checker
    >>> class Double(RopLop_checker):
    ...     def test_double(self):
    ...         self.check_rop_lop(self.x * 2, self.in_shape)
    >>> Double("test_double").run().wasSuccessful()
    True
    """

    def setUp(self) -> None:
        self.rng = np.random.RandomState(fetch_seed())
        n = self.rng.randint(5, 9, size=3)
        self.in_shape = (int(n[0]),)
        self.mat_in_shape = (int(n[1]), int(n[2]))
        vector, matrix = (tensor_type(config.floatX, (False,) * k) for k in (1, 2))
        self.x, self.v = vector("x"), vector("v")
        self.mx, self.mv = matrix("mx"), matrix("mv")

    def _drawn(self, shape: tuple[int, ...]) -> Any:
        return self.rng.uniform(size=shape).astype(config.floatX)

    def check_nondiff_rop(self, y: Any) -> None:
        """Check that ``Rop`` of ``y``, a function of ``x``, raises an error."""
        with self.assertRaises((ValueError, TypeError, NotImplementedError)):
            Rop(y, self.x, self.v)

    def check_mat_rop_lop(self, y: Any, out_shape: tuple[int, ...]) -> None:
        """Check ``Rop`` and ``Lop`` of a vector ``y``, a function of the matrix ``mx``."""
        self._check(y, self.mx, self.mv, self.mat_in_shape, out_shape)

    def check_rop_lop(self, y: Any, out_shape: tuple[int, ...]) -> None:
        """Check ``Rop`` and ``Lop`` of a vector ``y``, a function of the vector ``x``."""
        self._check(y, self.x, self.v, self.in_shape, out_shape)

    def _check(
        self, y: Any, x: Any, v: Any, in_shape: tuple[int, ...], out_shape: tuple[int, ...]
    ) -> None:
        at, step, weights = (self._drawn(s) for s in (in_shape, in_shape, out_shape))
        w = y.type("w")
        whole = jacobian(flatten(y), x)
        run = function(
            [x, v, w],
            [y, Rop(y, x, v), Lop(y, x, w), whole],
            on_unused_input="ignore",
        )
        value, ahead, back, rows = run(at, step, weights)
        self.assertEqual(value.shape, tuple(out_shape))
        rows = rows.reshape(value.size, -1)
        assert_allclose((rows @ step.ravel()).reshape(value.shape), ahead)
        assert_allclose((weights.ravel() @ rows).reshape(in_shape), back)
