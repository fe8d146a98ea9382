"""Small helpers."""

from theano._src.ground.public import public as _public

__getattr__ = _public(
    __name__,
    """
    theano._src.ground.utils: difference flatten from_return_values hash_from_code memoize
        to_return_values uniq
    """,
)
