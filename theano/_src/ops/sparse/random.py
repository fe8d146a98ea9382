"""Random sparse matrices, drawn from NumPy's global generator: Poisson, Binomial, Multinomial."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from theano._src.graph.graph import Apply
from theano._src.ground.array_types import ArrayNamespace
from theano._src.ground.documented import documented_in
from theano._src.ops.sparse.base import (
    KINDS,
    SparseOp,
    as_sparse_variable,
    in_format,
    same_pattern,
)
from theano._src.ops.sparse.csm import lengths
from theano._src.types.convert import as_tensor_variable
from theano._src.types.null import grad_undefined
from theano._src.types.sparse import SparseType

_WHY = "what is drawn has no gradient"


class _Drawn(SparseOp):
    """Base class of ops that draw new numbers at every call."""

    def do_constant_folding(self, node: Apply) -> bool:
        return False

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        return [grad_undefined(self, i, x, _WHY) for i, x in enumerate(inputs)]


@documented_in("theano.sparse.sandbox.sp2")
class Poisson(_Drawn):
    """A sparse matrix of Poisson numbers, whose means are the stored elements of the input.

    >>> import scipy.sparse
    >>> x = scipy.sparse.csr_matrix([[0, 7], [8, 0]])
    >>> import theano.sparse.sandbox.sp2 as sp2
    >>> sp2.poisson(x).eval().shape
    (2, 2)
    """

    __props__ = ()
    shape_like = 0

    def make_node(self, x: Any) -> Apply:
        x = as_sparse_variable(x)
        return Apply(self, [x], [x.type()])

    def compute(self, xp: ArrayNamespace, x: Any) -> Any:
        result = same_pattern(x, np.random.poisson(x.data).astype(x.dtype)).copy()
        result.eliminate_zeros()
        return result


poisson = Poisson()


@documented_in("theano.sparse.sandbox.sp2")
class Binomial(_Drawn):
    """A sparse matrix of binomial numbers: the successes in ``n`` trials with probability ``p``.

    Parameters
    ----------
    format, dtype : str
        The format and the dtype of the result.

    >>> import theano.sparse.sandbox.sp2 as sp2
    >>> sp2.csr_fbinomial(10, 0.5, [2, 3]).eval().shape
    (2, 3)
    """

    __props__ = ("format", "dtype")
    nondiff_inputs = (2,)

    def __init__(self, format: str, dtype: str) -> None:
        self.format, self.dtype = format, dtype

    def make_node(self, n: Any, p: Any, shape: Any) -> Apply:
        ins = [as_tensor_variable(x) for x in (n, p, shape)]
        return Apply(self, ins, [SparseType(self.format, self.dtype)()])

    def compute(self, xp: ArrayNamespace, n: Any, p: Any, shape: Any) -> Any:
        drawn = np.random.binomial(n, p, size=tuple(shape))
        return KINDS[self.format](drawn, dtype=self.dtype)

    def infer_shape(self, node: Apply, shapes: Any) -> list[Any]:
        shape: Any = node.inputs[2]
        return [(shape[0], shape[1])]


csr_fbinomial, csc_fbinomial = Binomial("csr", "float32"), Binomial("csc", "float32")
csr_dbinomial, csc_dbinomial = Binomial("csr", "float64"), Binomial("csc", "float64")


@documented_in("theano.sparse.sandbox.sp2")
class Multinomial(_Drawn):
    """Multinomial counts: each row holds ``n`` draws with the probabilities in a row of ``p``.

    >>> import scipy.sparse
    >>> import theano.sparse.sandbox.sp2 as sp2
    >>> p = scipy.sparse.csr_matrix([[0.5, 0.5]])
    >>> sp2.multinomial(10, p).eval().sum().item()
    10.0
    """

    __props__ = ()

    def make_node(self, n: Any, p: Any) -> Apply:
        n, p = as_tensor_variable(n), as_sparse_variable(p)
        if p.type.format != "csr":
            raise NotImplementedError(f"multinomial takes a csr matrix, got {p} of {p.type}")
        return Apply(self, [n, p], [p.type()])

    def compute(self, xp: ArrayNamespace, n: Any, p: Any) -> Any:
        if n.ndim and n.shape[0] != p.shape[0]:
            raise ValueError(f"multinomial takes {p.shape[0]} numbers of draws, got {n.shape[0]}")
        data = np.zeros_like(p.data)
        for row in range(p.shape[0]):
            here = slice(p.indptr[row], p.indptr[row + 1])
            if p.indptr[row] < p.indptr[row + 1]:
                data[here] = np.random.multinomial(n[row] if n.ndim else n, p.data[here])
        result = in_format(sp.csr_matrix((data, p.indices, p.indptr), shape=p.shape), "csr")
        return result.copy()

    def infer_shape(self, node: Apply, shapes: Any) -> list[Any]:
        return [lengths(node.inputs[1])]


multinomial = Multinomial()
