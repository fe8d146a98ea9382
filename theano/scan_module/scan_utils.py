"""What steps of loops return, and tools for graphs that programs take from here."""

from theano._src.control.map_variables import (
    expand_empty,
    forced_replace,
    get_updates_and_outputs,
    hash_listsDictsTuples,
    isNaN_or_Inf_or_None,
    map_variables,
    reconstruct_graph,
    safe_new,
)
from theano._src.control.scan.args import until
from theano._src.graph.clone import clone_replace as clone
from theano._src.graph.walk import equal_computations

__all__ = [
    "clone",
    "equal_computations",
    "expand_empty",
    "forced_replace",
    "get_updates_and_outputs",
    "hash_listsDictsTuples",
    "isNaN_or_Inf_or_None",
    "map_variables",
    "reconstruct_graph",
    "safe_new",
    "until",
]
