"""Products with vectors by their names in C: here they are the one op."""

from theano._src.ground.public import public as _public

__getattr__ = _public(
    __name__,
    """
    theano._src.ops.linalg.blas: CGemv=Gemv CGer=Ger cgemv_inplace=gemv_inplace
        cgemv_no_inplace=gemv_no_inplace cger_inplace=ger_destructive cger_no_inplace=ger
    """,
)
