"""Rewrites that moved work to GPUs: none is used."""

from theano._src.ground.absent import module_getattr as _module_getattr
from theano._src.legacy.gpu import (
    gpu_optimizer as gpu_optimizer,
    gpu_optimizer2 as gpu_optimizer2,
    gpu_seqopt as gpu_seqopt,
    op_lifter as op_lifter,
    register_opt as register_opt,
    register_opt2 as register_opt2,
)

__getattr__ = _module_getattr(__name__)
