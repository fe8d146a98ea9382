"""Orders in which the nodes of a graph run, by comparisons."""

from theano._src.graph.schedule import (
    key_to_cmp as key_to_cmp,
    make_dependence_cmp as make_dependence_cmp,
    make_depends as make_depends,
    posort as posort,
    reverse_dict as reverse_dict,
    sort_apply_nodes as sort_apply_nodes,
    sort_schedule_fn as sort_schedule_fn,
)
from theano._src.ground.absent import module_getattr as _module_getattr

__getattr__ = _module_getattr(__name__)
