"""The rank-one update by its name in SciPy: here it is the one op."""

from theano._src.ground.public import public as _public

__getattr__ = _public(
    __name__,
    """
    theano._src.ops.linalg.blas: Ger ger ger_destructive ScipyGer=Ger
        scipy_ger_inplace=ger_destructive scipy_ger_no_inplace=ger
    theano._src.ops.linalg.scipy_blas: have_fblas
    """,
)
