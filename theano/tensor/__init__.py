"""Tensors: everything that builds expressions on arrays.

`from theano.tensor import *` brings `theano` and `np` along, which programs rely on.
"""

import numpy as np

import theano
from theano import compile as compile, gof as gof, printing as printing
from theano._src.compile.verify import numeric_grad as numeric_grad, verify_grad as verify_grad
from theano._src.control import vectorize as _vectorize
from theano._src.control.jacobian import hessian as hessian, jacobian as jacobian
from theano._src.grad.driver import grad as grad
from theano._src.grad.products import Lop as Lop, Rop as Rop
from theano._src.ground.absent import module_getattr as _module_getattr
from theano._src.ground.config import config as config
from theano._src.ops.meta.grad_views import (
    consider_constant as consider_constant,
    disconnected_grad as disconnected_grad,
    zero_grad as zero_grad,
)
from theano._src.types.null import DisconnectedType as DisconnectedType
from theano._src.types.shared_constructors import shared as shared, tensor_constructor as _shared
from theano.tensor import (
    basic as basic,
    blas_c as blas_c,
    blas_scipy as blas_scipy,
    elemwise as elemwise,
    extra_ops as extra_ops,
    fourier as fourier,
    inplace as inplace,
    io as io,
    nlinalg as nlinalg,
    randomstreams as randomstreams,
    raw_random as raw_random,
    shared_randomstreams as shared_randomstreams,
    sharedvar as sharedvar,
    slinalg as slinalg,
    sort as _sort,
    subtensor as subtensor,
    type as type,
    type_other as type_other,
    utils as utils,
    var as var,
    xlogx as xlogx,
)
from theano.tensor.basic import *
from theano.tensor.basic import _tensor_py_operators as _tensor_py_operators
from theano.tensor.extra_ops import *
from theano.tensor.io import *
from theano.tensor.sort import *
from theano.tensor.subtensor import *

vectorize = _vectorize.vectorize_function

__getattr__ = _module_getattr(__name__, "blas", "nnet", "opt", "opt_uncanonicalize")
