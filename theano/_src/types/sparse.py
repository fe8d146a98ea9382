"""Sparse matrices are not built yet: what programs ask about with isinstance, and nothing else."""

from __future__ import annotations

from typing import Any

from theano._src.graph.graph import Variable
from theano._src.graph.type import Type
from theano._src.ground.absent import LATER, reason
from theano._src.ground.documented import documented_in

#: whether sparse matrices can be used
enable_sparse = False


@documented_in("theano.sparse.type")
class SparseType(Type):
    """The type of sparse matrices: no variable is of it yet."""

    def __init__(self, format: str, dtype: Any, broadcastable: Any = None) -> None:
        raise NotImplementedError(reason("theano.sparse.SparseType", LATER))


@documented_in("theano.sparse.basic")
class SparseVariable(Variable):
    """A variable that is a sparse matrix: there is none yet."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise NotImplementedError(reason("theano.sparse.SparseVariable", LATER))
