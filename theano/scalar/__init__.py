"""Single numbers: their types, and the functions that elementwise ops are made of."""

from theano._src.graph.node import Apply
from theano._src.graph.op import Op
from theano._src.graph.variable import Constant, Variable
from theano.scalar import basic, basic_scipy, sharedvar
from theano.scalar.basic import *
from theano.scalar.basic_scipy import *
