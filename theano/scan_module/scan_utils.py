"""What steps of loops return, and tools for graphs that programs take from here."""

from theano._src.control.scan_args import until
from theano._src.graph.clone import clone_replace as clone
from theano._src.graph.walk import equal_computations

__all__ = ["clone", "equal_computations", "until"]
