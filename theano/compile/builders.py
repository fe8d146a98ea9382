"""Ops made from graphs."""

from theano._src.control.op_from_graph import OpFromGraph as OpFromGraph
