"""Rewrites that moved work to GPUs: none is used."""

from theano._src.engines.gpu import gpu_optimizer, gpu_seqopt, register_opt
from theano._src.ground.absent import module_getattr

__getattr__ = module_getattr(__name__)
