"""Correlation in two dimensions."""

from theano._src.ground.public import public as _public

__getattr__ = _public(
    __name__,
    "theano._src.ops.conv.corr: CorrMM CorrMM_gradInputs CorrMM_gradWeights",
)
