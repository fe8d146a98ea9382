"""Graphs: variables, constants, nodes, and walks over them."""

from theano._src.ground.public import public as _public

__getattr__ = _public(
    __name__,
    """
    collections: deque
    theano._src.control.inner_graph: io_connection_pattern=connections
    theano._src.graph.clone: as_string clone clone_get_equiv default_leaf_formatter
        default_node_formatter op_as_string
    theano._src.graph.graph: Apply Constant NoParams Variable Node=Tagged
    theano._src.graph.walk: ancestors equal_computations general_toposort inputs io_toposort
        is_in_ancestors is_same_graph list_of_nodes ops orphans stack_search variables
        variables_and_orphans view_roots
    theano._src.rewrite.merge: is_same_graph_with_merge
    """,
)
