"""Ops that make choices of uniform samples."""

from theano._src.ops.random.multinomial import (
    ChoiceFromUniform,
    MultinomialFromUniform,
    MultinomialWOReplacementFromUniform,
)

__all__ = [
    "ChoiceFromUniform",
    "MultinomialFromUniform",
    "MultinomialWOReplacementFromUniform",
]
