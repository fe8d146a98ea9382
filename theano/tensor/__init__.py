"""Tensors: everything that builds expressions on arrays.

`from theano.tensor import *` brings `theano` and `np` along, which programs rely on.
"""

import numpy as np

import theano
from theano._src.ground.public import public as _public

# functions have these names too: the modules must not come later
from theano.tensor import sort as _sort, var as _var

__getattr__ = _public(
    __name__,
    """
    theano._src.compile.debug.verify: numeric_grad verify_grad
    theano._src.grad.driver: grad
    theano._src.grad.products: Lop Rop
    theano._src.ground.config: config
    theano._src.ops.meta.grad_views: consider_constant disconnected_grad zero_grad
    theano._src.types.null: DisconnectedType
    theano._src.types.shared_constructors: shared _shared=tensor_constructor
    theano.tensor.basic: * _tensor_py_operators
    theano.tensor.extra_ops: *
    theano.tensor.io: *
    theano.tensor.sort: *
    theano.tensor.subtensor: *
    """,
    at_first_use="""
    theano: compile gof printing
    theano._src.control.jacobian: hessian jacobian
    theano._src.control.solvers.odeint: odeint
    theano._src.control.vectorize: vectorize=vectorize_function
    theano._src.ops.linalg.hints: assume
    theano.tensor: blas blas_c blas_scipy elemwise fourier inplace nlinalg nnet opt
        opt_uncanonicalize optimize randomstreams raw_random shared_randomstreams sharedvar slinalg
        type type_other utils xlogx
    """,
)
