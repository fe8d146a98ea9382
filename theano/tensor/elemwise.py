"""Elementwise ops and reductions as classes."""

from theano._src.ops.core.dimshuffle import DimShuffle
from theano._src.ops.core.elemwise import Elemwise
from theano._src.ops.reduce.any_all import All, Any
from theano._src.ops.reduce.careduce import (
    CAReduce,
    CAReduceDtype,
    MulWithoutZeros,
    Prod,
    ProdWithoutZeros,
    Sum,
)

__all__ = [
    "All",
    "Any",
    "CAReduce",
    "CAReduceDtype",
    "DimShuffle",
    "Elemwise",
    "MulWithoutZeros",
    "Prod",
    "ProdWithoutZeros",
    "Sum",
]
