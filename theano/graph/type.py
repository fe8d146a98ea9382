"""The Type contract, and the Types that hold no arrays."""

from theano._src.graph.type import Type as Type
from theano._src.ground.absent import module_getattr as _module_getattr
from theano._src.types.generic import CDataType as CDataType, Generic as Generic, generic as generic
from theano._src.types.params_type import (
    CEnumType as CEnumType,
    EnumList as EnumList,
    EnumType as EnumType,
)

CType = Type

__getattr__ = _module_getattr(__name__)
