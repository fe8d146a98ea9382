"""Orders in which the nodes of a graph run, by comparisons."""

from theano._src.graph.schedule import (
    key_to_cmp,
    make_dependence_cmp,
    make_depends,
    posort,
    reverse_dict,
    sort_apply_nodes,
    sort_schedule_fn,
)
from theano._src.graph.schedule import ordered as _toposort

__all__ = [
    "_toposort",
    "key_to_cmp",
    "make_dependence_cmp",
    "make_depends",
    "posort",
    "reverse_dict",
    "sort_apply_nodes",
    "sort_schedule_fn",
]
