# Written by tools/stubs.py from basic.py: change that file.
from theano._src.control.inner_graph import connections as _connections
from theano._src.graph.clone import (
    as_string as as_string,
    clone as clone,
    clone_get_equiv as clone_get_equiv,
    default_leaf_formatter as default_leaf_formatter,
    default_node_formatter as default_node_formatter,
    op_as_string as op_as_string,
)
from theano._src.graph.generators import (
    ancestors as ancestors,
    applys_between as applys_between,
    graph_inputs as graph_inputs,
    orphans_between as orphans_between,
    vars_between as vars_between,
    walk as walk,
)
from theano._src.graph.graph import (
    Apply as Apply,
    Constant as Constant,
    NoParams as NoParams,
    Variable as Variable,
    Tagged as _Tagged,
)
from theano._src.graph.walk import (
    equal_computations as equal_computations,
    general_toposort as general_toposort,
    io_toposort as io_toposort,
    is_in_ancestors as is_in_ancestors,
    list_of_nodes as list_of_nodes,
    view_roots as view_roots,
)

io_connection_pattern = _connections
Node = _Tagged
