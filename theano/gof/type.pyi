# Written by tools/stubs.py from type.py: change that file.
from theano._src.graph.c_object import CLinkerObject as CLinkerObject
from theano._src.graph.graph import Constant as Constant, Variable as Variable
from theano._src.graph.op import Op as Op
from theano._src.graph.type import (
    CLinkerType as CLinkerType,
    PureType as PureType,
    SingletonType as SingletonType,
    Type as Type,
)
from theano._src.ground.utils import MethodNotDefined as MethodNotDefined, object2 as object2
from theano._src.types.generic import CDataType as CDataType, Generic as Generic, generic as generic
from theano._src.types.params_type import (
    CEnumType as CEnumType,
    EnumList as EnumList,
    EnumType as EnumType,
)
