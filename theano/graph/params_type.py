"""Several parameters of an op as one value."""

from theano._src.ground.absent import module_getattr as _module_getattr
from theano._src.ground.c_keywords import c_cpp_keywords as c_cpp_keywords
from theano._src.types.params_type import Params as Params, ParamsType as ParamsType

__getattr__ = _module_getattr(__name__)
