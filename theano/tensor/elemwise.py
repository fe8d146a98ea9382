"""Elementwise ops and reductions as classes."""

from theano._src.ops.anyall import All, Any
from theano._src.ops.careduce import (
    CAReduce,
    CAReduceDtype,
    MulWithoutZeros,
    Prod,
    ProdWithoutZeros,
    Sum,
)
from theano._src.ops.elemwise import DimShuffle, Elemwise

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
