"""Tensors: everything that builds expressions on arrays.

`from theano.tensor import *` brings `theano` and `np` along, which programs rely on.
"""

import numpy as np

import theano
from theano import compile, gof, printing
from theano._src.compile.verify import numeric_grad, verify_grad
from theano._src.control.jacobian import hessian, jacobian
from theano._src.control.vectorize import vectorize_function as vectorize
from theano._src.grad.driver import grad
from theano._src.grad.products import Lop, Rop
from theano._src.ground.absent import module_getattr
from theano._src.ground.config import config
from theano._src.ops.meta.grad_views import consider_constant, disconnected_grad, zero_grad
from theano._src.types.null import DisconnectedType
from theano._src.types.shared_constructors import shared, tensor_constructor as _shared
from theano.tensor import (
    basic,
    blas_c,
    blas_scipy,
    elemwise,
    extra_ops,
    fourier,
    inplace,
    io,
    nlinalg,
    randomstreams,
    raw_random,
    shared_randomstreams,
    sharedvar,
    slinalg,
    sort as _sort,
    subtensor,
    type,
    type_other,
    utils,
    var,
    xlogx,
)
from theano.tensor.basic import *
from theano.tensor.extra_ops import *
from theano.tensor.io import *
from theano.tensor.sort import *
from theano.tensor.subtensor import *

__getattr__ = module_getattr(__name__, "blas", "nnet", "opt", "opt_uncanonicalize")
