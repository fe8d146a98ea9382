# Written by tools/stubs.py from exceptions.py: change that file.
from theano._src.c_code.compiler import MissingGXX as MissingGXX
