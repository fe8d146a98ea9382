"""The Type contract, and the Types that hold no arrays."""

from theano._src.ground.public import public as _public

__getattr__ = _public(
    __name__,
    """
    theano._src.graph.type: Type CType=Type
    theano._src.types.generic: CDataType Generic generic
    theano._src.types.params_type: CEnumType EnumList EnumType
    """,
)
