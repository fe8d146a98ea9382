"""Connectionist temporal classification."""

from theano._src.ground.public import public as _public

__getattr__ = _public(
    __name__,
    """
    theano._src.ops.nnet.ctc: ConnectionistTemporalClassification ctc ctc_available
        ctc_present=ctc_available
    """,
)
