"""Connectionist temporal classification."""

from theano._src.ground.absent import module_getattr as _module_getattr
from theano._src.ops.nnet.ctc import (
    ConnectionistTemporalClassification as ConnectionistTemporalClassification,
    ctc as ctc,
    ctc_available as ctc_available,
)

ctc_present = ctc_available

__getattr__ = _module_getattr(__name__)
