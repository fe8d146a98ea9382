"""Ops that make choices of uniform samples."""

from theano._src.ops.random.multinomial import (
    ChoiceFromUniform as ChoiceFromUniform,
    MultinomialFromUniform as MultinomialFromUniform,
    MultinomialWOReplacementFromUniform as MultinomialWOReplacementFromUniform,
)
