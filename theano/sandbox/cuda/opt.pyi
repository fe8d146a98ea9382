# Written by tools/stubs.py from opt.py: change that file.
from theano._src.legacy.gpu import (
    gpu_optimizer as gpu_optimizer,
    gpu_seqopt as gpu_seqopt,
    register_opt as register_opt,
)
