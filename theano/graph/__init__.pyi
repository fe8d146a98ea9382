# Written by tools/stubs.py from __init__.py: change that file.
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
