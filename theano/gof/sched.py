"""Orders in which the nodes of a graph run, by comparisons."""

from theano._src.ground.public import public as _public

__getattr__ = _public(
    __name__,
    """
    theano._src.graph.schedule: key_to_cmp make_dependence_cmp make_depends _toposort=ordered
        posort reverse_dict sort_apply_nodes sort_schedule_fn
    theano._src.graph.walk: list_of_nodes
    """,
)
