"""The parts of theano.function."""

from theano._src.ground.public import public as _public

__getattr__ = _public(
    __name__,
    """
    theano._src.compile.aliasing: infer_reuse_pattern insert_deepcopy
    theano._src.compile.function: orig_function
    theano._src.compile.function_object: Function
    theano._src.compile.maker: FunctionMaker std_fgraph
    theano._src.graph.destroy: Supervisor
    theano._src.ground.errors: AliasedMemoryError UnusedInputError
    """,
)
