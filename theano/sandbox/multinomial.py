"""Ops that make choices of uniform samples."""

from theano._src.ground.absent import module_getattr as _module_getattr
from theano._src.ops.random.multinomial import (
    ChoiceFromUniform as ChoiceFromUniform,
    MultinomialFromUniform as MultinomialFromUniform,
    MultinomialWOReplacementFromUniform as MultinomialWOReplacementFromUniform,
)

__getattr__ = _module_getattr(__name__)
