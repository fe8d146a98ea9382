"""Functions tried before they moved to theano.sparse; random sparse matrices."""

from theano._src.ground.public import public as _public

__getattr__ = _public(__name__, "theano.sparse.sandbox: sp sp2")
