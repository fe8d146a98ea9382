# Written by tools/stubs.py from sched.py: change that file.
from theano._src.graph.schedule import (
    key_to_cmp as key_to_cmp,
    make_dependence_cmp as make_dependence_cmp,
    make_depends as make_depends,
    ordered as _ordered,
    posort as posort,
    reverse_dict as reverse_dict,
    sort_apply_nodes as sort_apply_nodes,
    sort_schedule_fn as sort_schedule_fn,
)
from theano._src.graph.walk import list_of_nodes as list_of_nodes

_toposort = _ordered
