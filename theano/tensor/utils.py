"""Hashes of values, and shapes of graphs."""

from theano._src.ground.public import public as _public

__getattr__ = _public(
    __name__,
    """
    theano._src.compile.display.shapes: shape_of_variables
    theano._src.ground.utils: hash_from_dict hash_from_ndarray
    """,
)
