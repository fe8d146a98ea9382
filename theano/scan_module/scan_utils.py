"""Results of steps of loops, and tools for graphs that programs import from here."""

from theano._src.ground.public import public as _public

__getattr__ = _public(
    __name__,
    """
    theano._src.control.map_variables: expand_empty forced_replace get_updates_and_outputs
        hash_listsDictsTuples isNaN_or_Inf_or_None map_variables reconstruct_graph safe_new
    theano._src.control.scan.args: until
    theano._src.graph.clone: clone=clone_replace
    theano._src.graph.walk: equal_computations
    """,
)
