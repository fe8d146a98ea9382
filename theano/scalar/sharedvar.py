"""Shared variables that hold one number."""

from theano._src.ground.public import public as _public

__getattr__ = _public(
    __name__,
    "theano._src.types.shared_number: ScalarSharedVariable shared=shared_number",
)
