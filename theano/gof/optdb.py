"""Databases of rewrites, and queries on them by tags."""

from theano._src.rewrite.database import (
    DB,
    EquilibriumDB,
    LocalGroupDB,
    ProxyDB,
    Query,
    SequenceDB,
    TopoDB,
)

__all__ = ["DB", "EquilibriumDB", "LocalGroupDB", "ProxyDB", "Query", "SequenceDB", "TopoDB"]
