"""Graphs as interactive HTML pages, where older programs look for them."""

from theano._src.ground.public import public as _public

__getattr__ = _public(__name__, "theano._src.show.drawing.d3viz: d3viz d3write")
