# Written by tools/stubs.py from optdb.py: change that file.
from theano._src.rewrite.database import (
    DB as DB,
    EquilibriumDB as EquilibriumDB,
    LocalGroupDB as LocalGroupDB,
    ProxyDB as ProxyDB,
    Query as Query,
    SequenceDB as SequenceDB,
    TopoDB as TopoDB,
)
