"""Databases of rewrites, and queries on them by tags."""

from theano._src.ground.public import public as _public

__getattr__ = _public(
    __name__,
    "theano._src.rewrite.database: DB EquilibriumDB LocalGroupDB ProxyDB Query SequenceDB TopoDB",
)
