"""The Type contract, and the Types that hold no arrays."""

from theano._src.graph.graph import Constant, Variable
from theano._src.graph.type import CLinkerType, PureType, SingletonType, Type
from theano._src.types.generic import CDataType, Generic, generic
from theano._src.types.params_type import CEnumType, EnumList, EnumType

__all__ = [
    "CDataType",
    "CEnumType",
    "CLinkerType",
    "Constant",
    "EnumList",
    "EnumType",
    "Generic",
    "PureType",
    "SingletonType",
    "Type",
    "Variable",
    "generic",
]
