"""Single numbers: their types, and the functions that elementwise ops are made of."""

from theano.scalar import basic, basic_scipy
from theano.scalar.basic import *
from theano.scalar.basic_scipy import *
