"""Connectionist temporal classification."""

from theano._src.ops.nnet.ctc import (
    ConnectionistTemporalClassification,
    ctc,
    ctc_available,
    ctc_available as ctc_present,
)

__all__ = ["ConnectionistTemporalClassification", "ctc", "ctc_available", "ctc_present"]
