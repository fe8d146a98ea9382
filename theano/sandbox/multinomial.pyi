# Written by tools/stubs.py from multinomial.py: change that file.
from theano._src.ops.random.multinomial import (
    ChoiceFromUniform as ChoiceFromUniform,
    MultinomialFromUniform as MultinomialFromUniform,
    MultinomialWOReplacementFromUniform as MultinomialWOReplacementFromUniform,
)
