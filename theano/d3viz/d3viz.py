"""Graphs as interactive HTML pages, where older programs look for them."""

from theano._src.ground.absent import module_getattr as _module_getattr
from theano._src.show.drawing.d3viz import d3viz as d3viz, d3write as d3write

__getattr__ = _module_getattr(__name__)
