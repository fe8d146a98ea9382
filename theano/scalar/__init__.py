"""Single numbers: their types, and the functions that elementwise ops are made of."""

from theano._src.graph.graph import Apply as Apply, Constant as Constant, Variable as Variable
from theano._src.graph.op import Op as Op
from theano._src.ground.absent import module_getattr as _module_getattr
from theano.scalar import basic as basic, basic_scipy as basic_scipy, sharedvar as sharedvar
from theano.scalar.basic import *
from theano.scalar.basic_scipy import *

__getattr__ = _module_getattr(__name__)
