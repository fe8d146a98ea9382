"""ColouredPattern: the pattern of a derivative at run time, with colours, seeds and places."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Literal

import numpy as np

from theano._src.control.sparsity.colouring import colour_hessian, colour_jacobian, seeds
from theano._src.control.sparsity.pattern import PatternGraph
from theano._src.graph.graph import Apply
from theano._src.graph.op import Op
from theano._src.ground.array_types import ArrayNamespace
from theano._src.ops.sparse.base import KINDS
from theano._src.ops.sparse.csm import CSM
from theano._src.types.convert import constant
from theano._src.types.null import disconnected
from theano._src.types.tensor import tensor_type

#: patterns that are kept, the last one used first
_KEPT = 8


class ColouredPattern(Op):
    """The parts of a sparse Jacobian that do not depend on values.

    The inputs are the ``given`` of the pattern's graph. The outputs are the indices and indptr of
    the CSR matrix, the seeds of products with columns and with rows (one matrix row for each
    colour), and the place of each stored element among the concatenated products. They are
    computed once for each value of the inputs, and kept.
    """

    runs_on: ClassVar[Literal["any", "host"]] = "host"

    def __init__(self, graph: PatternGraph, symmetric: bool, dtypes: Sequence[str]) -> None:
        self.graph, self.symmetric, self.dtypes = graph, symmetric, tuple(dtypes)
        self._known: list[tuple[list[Any], tuple[Any, ...]]] = []
        # the outputs are kept between calls: as views of a constant they are never overwritten
        self.view_map = {i: [len(graph.given)] for i in range(5)}

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_known": []}

    def __str__(self) -> str:
        return f"ColouredPattern{{{'Hessian' if self.symmetric else 'Jacobian'}}}"

    def make_node(self, *given: Any) -> Apply:
        if len(given) == self.view_map[0][0]:
            given = (*given, constant(np.zeros(0, "int64")))
        kinds = [("int32", 1), ("int32", 1), *((d, 2) for d in self.dtypes), ("int64", 1)]
        return Apply(self, given, [tensor_type(d, (False,) * n)() for d, n in kinds])

    def compute(self, xp: ArrayNamespace, *given: Any) -> Any:
        values = list(given[:-1])
        for k, (key, result) in enumerate(self._known):
            if all(map(np.array_equal, key, values)):
                if k:
                    self._known.insert(0, self._known.pop(k))
                return result
        result = coloured(self.graph.matrix(values), self.symmetric, self.dtypes)
        self._known.insert(0, ([np.array(v) for v in values], result))
        del self._known[_KEPT:]
        return result

    def connection_pattern(self, node: Apply) -> list[list[bool]]:
        return [[False] * len(node.outputs) for _ in node.inputs]

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        return [disconnected() for _ in inputs]

    def R_op(self, inputs: list[Any], eval_points: list[Any]) -> list[Any]:
        return [None] * 5


class Assemble(CSM):
    """A csr matrix of given elements at the positions of a pattern, which are copied, not checked.

    The positions are kept for later calls, and SciPy may change those of a matrix in place.
    """

    view_map = {0: [0]}

    def __init__(self) -> None:
        super().__init__("csr")

    def compute(self, xp: ArrayNamespace, data: Any, indices: Any, indptr: Any, shape: Any) -> Any:
        # an array that XLA owns cannot be written to
        own = data if data.flags.writeable else data.copy()
        parts = (own, indices.copy(), indptr.copy())
        return KINDS["csr"](parts, (int(shape[0]), int(shape[1])), copy=False)


def coloured(pattern: Any, symmetric: bool, dtypes: Sequence[str]) -> tuple[Any, ...]:
    """Return the outputs of ColouredPattern for a boolean CSR matrix."""
    if symmetric:
        pattern = symmetrized(pattern)
    colouring = colour_hessian(pattern) if symmetric else colour_jacobian(pattern)
    products = (seeds(colouring.columns, dtypes[0]), seeds(colouring.rows, dtypes[1]))
    indices, indptr = (p.astype("int32", copy=False) for p in (pattern.indices, pattern.indptr))
    return indices, indptr, *products, colouring.places


def symmetrized(pattern: Any) -> Any:
    """Return the union of a pattern and its transpose."""
    result = (pattern + pattern.T).tocsr()
    result.sort_indices()
    return result
