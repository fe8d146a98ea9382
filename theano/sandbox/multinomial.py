"""Ops that make choices of uniform samples."""

from theano._src.ground.public import public as _public

__getattr__ = _public(
    __name__,
    """
    theano._src.ops.random.multinomial: ChoiceFromUniform MultinomialFromUniform
        MultinomialWOReplacementFromUniform
    """,
)
