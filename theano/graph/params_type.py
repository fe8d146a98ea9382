"""Several parameters of an op as one value."""

from theano._src.ground.public import public as _public

__getattr__ = _public(
    __name__,
    """
    theano._src.ground.c_keywords: c_cpp_keywords
    theano._src.types.params_type: Params ParamsType
    """,
)
