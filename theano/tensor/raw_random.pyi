# Written by tools/stubs.py from raw_random.py: change that file.
import numpy as np
import theano
from theano._src.ops.random.distributions import (
    choice_helper as choice_helper,
    multinomial_helper as multinomial_helper,
    permutation_helper as permutation_helper,
    random_integers_helper as random_integers_helper,
)
from theano._src.ops.random.random_function import (
    RandomFunction as RandomFunction,
    _infer_ndim_bcast as _infer_ndim_bcast,
)
from theano._src.ops.random.random_streams import RandomStreamsBase as RandomStreamsBase
from theano._src.ops.random.raw_random import (
    binomial as binomial,
    choice as choice,
    multinomial as multinomial,
    normal as normal,
    permutation as permutation,
    poisson as poisson,
    random_integers as random_integers,
    uniform as uniform,
)
from theano._src.types.randomstate import (
    RandomStateType as RandomStateType,
    random_state_type as random_state_type,
)
