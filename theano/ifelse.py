"""ifelse: a choice between branches, of which one is computed."""

from theano._src.control.ifelse import IfElse as IfElse, ifelse as ifelse
from theano._src.ground.absent import module_getattr as _module_getattr

__getattr__ = _module_getattr(__name__)
