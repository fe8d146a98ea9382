"""Orders in which the nodes of a graph run, by comparisons."""

from theano._src.graph.schedule import (
    key_to_cmp,
    make_dependence_cmp,
    make_depends,
    ordered as _toposort,
    posort,
    reverse_dict,
    sort_apply_nodes,
    sort_schedule_fn,
)

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
