"""Linkers, under the names of Theano-PyMC; theano.gof has the same."""

from theano._src.ground.absent import module_getattr as _module_getattr
from theano.link import basic as basic, c as c, utils as utils, vm as vm

__getattr__ = _module_getattr(__name__)
