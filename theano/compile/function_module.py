"""The parts of theano.function."""

from theano._src.ground.public import public as _public

__getattr__ = _public(
    __name__,
    """
    theano._src.compile.aliasing: infer_reuse_pattern insert_deepcopy
    theano._src.compile.function: orig_function
    theano._src.compile.function_object: Function remade
    theano._src.compile.maker: FunctionMaker std_fgraph
    theano._src.graph.destroy: Supervisor
    theano._src.ground.errors: AliasedMemoryError UnusedInputError
    theano._src.legacy.old_pickles: _constructor_Function=constructor_of_functions
    theano._src.ops.meta.misc: deep_copy_op view_op
    """,
)
