# Written by tools/stubs.py from type.py: change that file.
from theano._src.graph.type import Type as Type
from theano._src.types.generic import CDataType as CDataType, Generic as Generic, generic as generic
from theano._src.types.params_type import (
    CEnumType as CEnumType,
    EnumList as EnumList,
    EnumType as EnumType,
)

CType = Type
