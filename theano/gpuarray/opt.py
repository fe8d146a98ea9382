"""Rewrites that moved work to GPUs: none is used."""

from theano._src.ground.absent import module_getattr
from theano._src.legacy.gpu import (
    gpu_optimizer,
    gpu_optimizer2,
    gpu_seqopt,
    op_lifter,
    register_opt,
    register_opt2,
)

__getattr__ = module_getattr(__name__)
