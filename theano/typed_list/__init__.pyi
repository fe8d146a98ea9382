# Written by tools/stubs.py from __init__.py: change that file.
from theano.typed_list import basic as basic, opt as opt, type as type
from theano.typed_list.basic import *
from theano.typed_list.type import TypedListType as TypedListType
