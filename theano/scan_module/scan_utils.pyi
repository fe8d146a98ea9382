# Written by tools/stubs.py from scan_utils.py: change that file.
from theano._src.control.map_variables import (
    expand_empty as expand_empty,
    forced_replace as forced_replace,
    get_updates_and_outputs as get_updates_and_outputs,
    hash_listsDictsTuples as hash_listsDictsTuples,
    isNaN_or_Inf_or_None as isNaN_or_Inf_or_None,
    map_variables as map_variables,
    reconstruct_graph as reconstruct_graph,
    safe_new as safe_new,
)
from theano._src.control.scan.args import until as until
from theano._src.graph.clone import clone_replace as _clone_replace
from theano._src.graph.walk import equal_computations as equal_computations

clone = _clone_replace
