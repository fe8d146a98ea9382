# Written by tools/stubs.py from params_type.py: change that file.
from theano._src.graph.type import Type as Type
from theano._src.ground.c_keywords import c_cpp_keywords as c_cpp_keywords
from theano._src.ground.utils import MethodNotDefined as MethodNotDefined
from theano._src.types.params_type import (
    EnumType as EnumType,
    Params as Params,
    ParamsType as ParamsType,
)
