"""Graphs and what works on them, under the names of Theano-PyMC; theano.gof has the same."""

from theano._src.ground.absent import module_getattr as _module_getattr
from theano.graph import (
    basic as basic,
    destroyhandler as destroyhandler,
    fg as fg,
    null_type as null_type,
    op as op,
    opt as opt,
    optdb as optdb,
    params_type as params_type,
    sched as sched,
    toolbox as toolbox,
    type as type,
    utils as utils,
)

__getattr__ = _module_getattr(__name__)
