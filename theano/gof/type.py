"""The Type contract, and the Types that hold no arrays."""

from theano._src.ground.public import public as _public

__getattr__ = _public(
    __name__,
    """
    theano._src.graph.c_object: CLinkerObject
    theano._src.graph.graph: Constant Variable
    theano._src.graph.op: Op
    theano._src.graph.type: CLinkerType PureType SingletonType Type
    theano._src.ground.utils: MethodNotDefined object2
    theano._src.types.generic: CDataType Generic generic
    theano._src.types.params_type: CEnumType EnumList EnumType
    """,
)
