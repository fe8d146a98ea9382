"""Ops made from graphs."""

from theano._src.control.inner_graph import InnerGraph as InnerGraph
from theano._src.control.op_from_graph import OpFromGraph as OpFromGraph
from theano._src.ground.absent import module_getattr as _module_getattr

__getattr__ = _module_getattr(__name__)
