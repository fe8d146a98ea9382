# Written by tools/stubs.py from opt.py: change that file.
from theano._src.legacy.gpu import (
    gpu_optimizer as gpu_optimizer,
    gpu_optimizer2 as gpu_optimizer2,
    gpu_seqopt as gpu_seqopt,
    op_lifter as op_lifter,
    register_opt as register_opt,
    register_opt2 as register_opt2,
)
