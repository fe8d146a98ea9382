"""Roots and minima inside a graph, with derivatives, after scipy.optimize."""

from theano._src.ground.public import public as _public

__getattr__ = _public(
    __name__,
    """
    theano._src.control.solvers.optimize: minimize minimize_scalar root root_scalar
    theano._src.ground.errors: ConvergenceError
    """,
)
