"""Graphs as interactive HTML pages."""

from theano._src.ground.absent import module_getattr as _module_getattr
from theano.d3viz.d3viz import d3viz as d3viz, d3write as d3write

__getattr__ = _module_getattr(__name__)
