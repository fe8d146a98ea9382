"""Elementwise ops and reductions as classes."""

from theano._src.ground.absent import module_getattr as _module_getattr
from theano._src.ops.core.dimshuffle import DimShuffle as DimShuffle
from theano._src.ops.core.elemwise import Elemwise as Elemwise
from theano._src.ops.reduce.any_all import All as All, Any as Any
from theano._src.ops.reduce.careduce import (
    CAReduce as CAReduce,
    CAReduceDtype as CAReduceDtype,
    MulWithoutZeros as MulWithoutZeros,
    Prod as Prod,
    ProdWithoutZeros as ProdWithoutZeros,
    Sum as Sum,
)

__getattr__ = _module_getattr(__name__)
