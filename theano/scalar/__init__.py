"""Single numbers: their types, and the functions that elementwise ops are made of."""

from theano._src.graph.graph import Apply, Constant, Variable
from theano._src.graph.op import Op
from theano.scalar import basic, basic_scipy, sharedvar
from theano.scalar.basic import *
from theano.scalar.basic_scipy import *
