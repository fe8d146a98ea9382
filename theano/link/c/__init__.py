"""C code of ops and types, under the names of Theano-PyMC; theano.gof has the same."""

from theano._src.ground.public import public as _public

__getattr__ = _public(
    __name__,
    "theano.link.c: basic exceptions interface",
    at_first_use="theano.link.c: cmodule",
)
