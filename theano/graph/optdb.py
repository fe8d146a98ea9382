"""Databases of rewrites, and queries on them by tags."""

from theano._src.ground.absent import module_getattr as _module_getattr
from theano._src.rewrite.database import (
    DB as DB,
    EquilibriumDB as EquilibriumDB,
    LocalGroupDB as LocalGroupDB,
    ProxyDB as ProxyDB,
    Query as Query,
    SequenceDB as SequenceDB,
    TopoDB as TopoDB,
)

__getattr__ = _module_getattr(__name__)
