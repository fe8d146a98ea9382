"""Correlation in three dimensions."""

from theano._src.ground.absent import module_getattr as _module_getattr
from theano._src.ops.conv.corr import (
    Corr3dMM as Corr3dMM,
    Corr3dMM_gradInputs as Corr3dMM_gradInputs,
    Corr3dMM_gradWeights as Corr3dMM_gradWeights,
)

__getattr__ = _module_getattr(__name__)
