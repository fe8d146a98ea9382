"""Graphs and what works on them, under the names of Theano-PyMC; theano.gof has the same."""

from theano._src.ground.public import public as _public

__getattr__ = _public(
    __name__,
    """
    theano.graph: basic destroyhandler fg null_type op opt optdb params_type sched toolbox type
        utils
    """,
)
