"""Features for FunctionGraphs."""

from theano._src.ground.public import public as _public

__getattr__ = _public(
    __name__,
    """
    theano._src.graph.features: Bookkeeper Feature History NodeFinder NoOutputFromInplace
        PreserveNames PreserveVariableAttributes PrintListener ReplaceValidate Validator
    theano._src.ground.errors: AlreadyThere BadOptimization ReplacementDidntRemovedError
    """,
)
