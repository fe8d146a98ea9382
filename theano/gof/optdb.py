"""Databases of rewrites, and queries on them by tags."""

from theano._src.rewrite.database import (
    DB as DB,
    EquilibriumDB as EquilibriumDB,
    LocalGroupDB as LocalGroupDB,
    ProxyDB as ProxyDB,
    Query as Query,
    SequenceDB as SequenceDB,
    TopoDB as TopoDB,
)
