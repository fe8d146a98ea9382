"""Rewrites that moved work to GPUs: none is used."""

from theano._src.ground.public import public as _public

__getattr__ = _public(__name__, "theano._src.legacy.gpu: gpu_optimizer gpu_seqopt register_opt")
