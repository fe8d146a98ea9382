"""Rewrites that moved work to GPUs: none is used."""

from theano._src.engines.gpu import (
    gpu_optimizer,
    gpu_optimizer2,
    gpu_seqopt,
    op_lifter,
    register_opt,
    register_opt2,
)
from theano._src.ground.absent import module_getattr

__getattr__ = module_getattr(__name__)
