# Written by tools/stubs.py from graph.py: change that file.
from collections import deque as deque
from theano._src.control.inner_graph import connections as _connections
from theano._src.graph.clone import (
    as_string as as_string,
    clone as clone,
    clone_get_equiv as clone_get_equiv,
    default_leaf_formatter as default_leaf_formatter,
    default_node_formatter as default_node_formatter,
    op_as_string as op_as_string,
)
from theano._src.graph.graph import (
    Apply as Apply,
    Constant as Constant,
    NoParams as NoParams,
    Variable as Variable,
    Tagged as _Tagged,
)
from theano._src.graph.walk import (
    ancestors as ancestors,
    equal_computations as equal_computations,
    general_toposort as general_toposort,
    inputs as inputs,
    io_toposort as io_toposort,
    is_in_ancestors as is_in_ancestors,
    is_same_graph as is_same_graph,
    list_of_nodes as list_of_nodes,
    ops as ops,
    orphans as orphans,
    stack_search as stack_search,
    variables as variables,
    variables_and_orphans as variables_and_orphans,
    view_roots as view_roots,
)
from theano._src.rewrite.merge import is_same_graph_with_merge as is_same_graph_with_merge

io_connection_pattern = _connections
Node = _Tagged
