# Written by tools/stubs.py from opt_uncanonicalize.py: change that file.
from theano._src.rules.named import (
    local_alloc_dimshuffle as local_alloc_dimshuffle,
    local_dimshuffle_alloc as local_dimshuffle_alloc,
    local_dimshuffle_subtensor as local_dimshuffle_subtensor,
    local_max_and_argmax as local_max_and_argmax,
    local_max_to_min as local_max_to_min,
    local_reshape_dimshuffle as local_reshape_dimshuffle,
)
