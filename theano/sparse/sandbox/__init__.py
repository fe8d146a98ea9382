"""What was tried before it moved to theano.sparse; random sparse matrices."""

from theano._src.ground.absent import module_getattr as _module_getattr
from theano.sparse.sandbox import sp as sp, sp2 as sp2

__getattr__ = _module_getattr(__name__)
