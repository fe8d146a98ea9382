"""Graphs as interactive HTML pages."""

from theano._src.ground.public import public as _public

__getattr__ = _public(__name__, "theano.d3viz.d3viz: d3viz d3write")
