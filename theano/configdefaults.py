"""Helpers for the defaults of flags."""

from theano._src.ground.public import public as _public

__getattr__ = _public(
    __name__,
    """
    theano._src.ground.config: AddConfigVar TheanoConfigParser config
    theano._src.ground.flags: default_base_compiledir local_bitwidth python_int_bitwidth
        short_platform
    theano._src.ground.params: BoolParam ConfigParam EnumStr FloatParam IntParam StrParam
    """,
)
