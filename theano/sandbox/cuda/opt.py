"""Rewrites that moved work to GPUs: none is used."""

from theano._src.ground.absent import module_getattr as _module_getattr
from theano._src.legacy.gpu import (
    gpu_optimizer as gpu_optimizer,
    gpu_seqopt as gpu_seqopt,
    register_opt as register_opt,
)

__getattr__ = _module_getattr(__name__)
