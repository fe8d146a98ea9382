"""ifelse: a choice between branches, of which one is computed."""

from theano._src.ground.public import public as _public

__getattr__ = _public(__name__, "theano._src.control.ifelse: IfElse ifelse")
