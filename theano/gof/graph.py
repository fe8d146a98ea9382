"""Graphs: variables, constants, nodes, and walks over them."""

from theano._src.graph.clone import as_string, clone, clone_get_equiv
from theano._src.graph.graph import Apply, Constant, NoParams, Variable
from theano._src.graph.walk import (
    ancestors,
    equal_computations,
    general_toposort,
    inputs,
    io_toposort,
    is_in_ancestors,
    is_same_graph,
    list_of_nodes,
    ops,
    orphans,
    stack_search,
    variables,
    variables_and_orphans,
    view_roots,
)

__all__ = [
    "Apply",
    "Constant",
    "NoParams",
    "Variable",
    "ancestors",
    "as_string",
    "clone",
    "clone_get_equiv",
    "equal_computations",
    "general_toposort",
    "inputs",
    "io_toposort",
    "is_in_ancestors",
    "is_same_graph",
    "list_of_nodes",
    "ops",
    "orphans",
    "stack_search",
    "variables",
    "variables_and_orphans",
    "view_roots",
]
