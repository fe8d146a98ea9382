"""Graphs as pages to look around in, where older programs look for it."""

from theano._src.ground.absent import module_getattr as _module_getattr
from theano._src.show.drawing.d3viz import d3viz as d3viz, d3write as d3write

__getattr__ = _module_getattr(__name__)
