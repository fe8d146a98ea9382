"""Several parameters of an op as one value."""

from theano._src.types.params_type import EnumType, Params, ParamsType

__all__ = ["EnumType", "Params", "ParamsType"]
