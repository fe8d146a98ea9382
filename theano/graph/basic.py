"""Graphs: variables, constants, nodes, and walks that yield what they find."""

from theano._src.ground.public import public as _public

__getattr__ = _public(
    __name__,
    """
    theano._src.control.inner_graph: io_connection_pattern=connections
    theano._src.graph.clone: as_string clone clone_get_equiv default_leaf_formatter
        default_node_formatter op_as_string
    theano._src.graph.generators: ancestors applys_between graph_inputs orphans_between
        vars_between walk
    theano._src.graph.graph: Apply Constant NoParams Variable Node=Tagged
    theano._src.graph.walk: equal_computations general_toposort io_toposort is_in_ancestors
        list_of_nodes view_roots
    """,
)
