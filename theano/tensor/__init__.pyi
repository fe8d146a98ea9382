# Written by tools/stubs.py from __init__.py: change that file.
import numpy as np
import theano
from theano._src.compile.debug.verify import (
    numeric_grad as numeric_grad,
    verify_grad as verify_grad,
)
from theano._src.grad.driver import grad as grad
from theano._src.grad.products import Lop as Lop, Rop as Rop
from theano._src.ground.config import config as config
from theano._src.ops.meta.grad_views import (
    consider_constant as consider_constant,
    disconnected_grad as disconnected_grad,
    zero_grad as zero_grad,
)
from theano._src.types.null import DisconnectedType as DisconnectedType
from theano._src.types.shared_constructors import (
    shared as shared,
    tensor_constructor as _tensor_constructor,
)
from theano.tensor.basic import *
from theano.tensor.basic import _tensor_py_operators as _tensor_py_operators
from theano.tensor.extra_ops import *
from theano.tensor.io import *
from theano.tensor.sort import *
from theano.tensor.subtensor import *
from theano import compile as compile, gof as gof, printing as printing
from theano._src.control.jacobian import hessian as hessian, jacobian as jacobian
from theano._src.control.solvers.odeint import odeint as odeint
from theano._src.control.vectorize import vectorize_function as _vectorize_function
from theano._src.ops.linalg.hints import assume as assume
from theano.tensor import (
    blas as blas,
    blas_c as blas_c,
    blas_scipy as blas_scipy,
    elemwise as elemwise,
    fourier as fourier,
    inplace as inplace,
    nlinalg as nlinalg,
    nnet as nnet,
    opt as opt,
    opt_uncanonicalize as opt_uncanonicalize,
    optimize as optimize,
    randomstreams as randomstreams,
    raw_random as raw_random,
    shared_randomstreams as shared_randomstreams,
    sharedvar as sharedvar,
    slinalg as slinalg,
    type as type,
    type_other as type_other,
    utils as utils,
    xlogx as xlogx,
)

_shared = _tensor_constructor
vectorize = _vectorize_function
