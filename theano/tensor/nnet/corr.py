"""Correlation in two dimensions."""

from theano._src.ground.absent import module_getattr as _module_getattr
from theano._src.ops.conv.corr import (
    CorrMM as CorrMM,
    CorrMM_gradInputs as CorrMM_gradInputs,
    CorrMM_gradWeights as CorrMM_gradWeights,
)

__getattr__ = _module_getattr(__name__)
