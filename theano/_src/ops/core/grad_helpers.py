"""Helpers for derivatives of scalar functions."""

from __future__ import annotations

import numpy as np

from theano._src.graph.graph import Variable
from theano._src.types.convert import constant
from theano._src.types.dtypes import complex_dtypes
from theano._src.types.tensor import TensorConstant, TensorVariable


def conjugated(slope: TensorVariable) -> TensorVariable:
    """Return the factor for a gradient: the conjugate of a complex slope, a real slope unchanged.

    The gradient of z is dC/dRe(z) + i dC/dIm(z); through an analytic function f it is the
    gradient of f(z) times the conjugate of f'(z).
    """
    return slope.conj() if slope.type.dtype in complex_dtypes else slope


def const_like(value: complex, like: Variable) -> TensorConstant:
    """Return ``value`` as a constant with the dtype of ``like``; a Python float might widen it."""
    return constant(np.asarray(value, like.type.dtype))
