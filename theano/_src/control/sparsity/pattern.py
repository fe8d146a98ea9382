"""PatternGraph: the sparsity pattern of a derivative as a function of lengths and indices."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from theano._src.control.sparsity.dependence import Dependence
from theano._src.control.sparsity.table import sparsity_rules
from theano._src.control.sparsity.walk import State, Walk
from theano._src.graph.clone import rebuild
from theano._src.graph.graph import Constant, Variable
from theano._src.graph.walk import nodes_of
from theano._src.ops.shape.shape import Shape, Shape_i, shape_i
from theano._src.ops.sparse.base import KINDS
from theano._src.ops.sparse.csm import csm_properties
from theano._src.types.dtypes import discrete_dtypes
from theano._src.types.sparse import SparseType
from theano._src.types.tensor import TensorType, tensor_type


class PatternGraph:
    """The graph between ``x`` and ``y``: their pattern for given lengths and indices.

    The graph is a copy, whose inputs are ``x`` and the variables next to it that do not depend on
    ``x``. ``given`` are the outer variables that determine the pattern: lengths, indices, and the
    positions that sparse matrices store.
    """

    def __init__(self, y: Any, x: Any) -> None:
        outer = [x, *_cuts(y, x)]
        inside = [v.type() for v in outer]
        self._walk = walk = Walk(
            inside, rebuild([y], dict(zip(outer, inside, strict=True))), sparsity_rules
        )
        # values that the pattern does not depend on, but lengths may
        unread = {inside[0], *(v for v in inside if not _is_index(v))}
        self._lengths: list[Variable] = []
        self.given = self._take_lengths(dict(zip(inside, outer, strict=True)), unread)
        #: for each input whose value is read, the entries of ``given`` for it
        self._read: list[tuple[int, slice]] = []
        for i, v in enumerate(inside):
            if i and v in walk.read:
                start = len(self.given)
                self.given += (
                    csm_properties(outer[i])[1:] if isinstance(v.type, SparseType) else [outer[i]]
                )
                self._read.append((i, slice(start, len(self.given))))

    def __getstate__(self) -> dict[str, Any]:
        # the given variables belong to the outer graph
        return {**self.__dict__, "given": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._walk.use(sparsity_rules)

    def _take_lengths(
        self, outer: dict[Variable, Variable], unread: set[Variable]
    ) -> list[Variable]:
        """Replace lengths by inputs where they are free, or need unread values; return these."""
        walk = self._walk
        given: dict[Variable, Variable] = {}
        lengths: dict[Variable, tuple[Variable, ...] | None] = {}
        for v, some in walk.lengths.items():
            here = []
            for i, n in enumerate(some or ()):
                needed = {n, *(u for node in nodes_of([n], unread) for u in node.inputs)}
                if not needed.isdisjoint(unread):
                    n = tensor_type("int64", ())()
                    (original,) = rebuild([walk.origin[v]], outer)
                    given[n] = shape_i(original, i)
                here.append(n)
            lengths[v] = None if some is None else tuple(here)
        walk.set_lengths(lengths)
        used = {n for some in lengths.values() for n in some or ()}
        used |= {v for node in walk.value_order for v in node.inputs}
        for v, free in zip(walk.inputs, walk.free, strict=True):
            given.update((n, shape_i(outer[v], i)) for i, n in enumerate(free or ()) if n in used)
        self._lengths = list(given)
        return list(given.values())

    def matrix(self, values: Sequence[Any]) -> Any:
        """Return the pattern, a boolean CSR matrix, for the values of ``given``."""
        walk = self._walk
        lengths = {n: np.asarray(v) for n, v in zip(self._lengths, values, strict=False)}
        states = []
        for free in walk.free:
            known = [] if free is None else [int(lengths[n]) for n in free if n in lengths]
            states.append(State(None if free is None or len(known) < len(free) else tuple(known)))
        for i, part in self._read:
            states[i] = _with_value(walk.inputs[i], values[part])
        columns = math.prod(states[0].shape or ())
        states[0].depends = Dependence.of_entries(columns)
        (out,) = walk.run(states, lengths)
        if out.depends is None:
            return sp.csr_matrix((math.prod(out.shape or ()), columns), dtype=bool)
        return out.depends.matrix()


def _with_value(v: Variable, parts: Sequence[Any]) -> State:
    """Return the state of an input whose value, or positions, are known."""
    if not isinstance(v.type, SparseType):
        return State(np.shape(parts[0]), None, parts[0])
    indices, indptr, shape = parts
    # NaN: no element counts as zero
    stored = np.full(len(indices), np.nan).astype(v.type.dtype)
    value = KINDS[v.type.format]((stored, indices, indptr), tuple(map(int, shape)))
    return State(value.shape, None, value, partial=True)


def _is_index(v: Any) -> bool:
    return isinstance(v.type, TensorType) and v.type.dtype in discrete_dtypes and v.type.ndim < 2


def _cuts(y: Any, x: Any) -> list[Variable]:
    """Return the variables between ``x`` and ``y`` that do not depend on ``x``.

    They are inputs of nodes that do. Values computed from only constants and lengths stay in the
    graph, so that their zeros are known.
    """
    depends, fixed = {x}, set()
    cuts: dict[Variable, None] = {}
    for node in nodes_of([y], [x]):
        if isinstance(node.op, Shape | Shape_i):
            (v,) = node.inputs
            if v in depends or v in fixed or isinstance(v, Constant):
                fixed.update(node.outputs)
            continue
        if any(v in depends for v in node.inputs):
            depends.update(node.outputs)
            rest = (v for v in node.inputs if v not in depends and v not in fixed)
            cuts.update((v, None) for v in rest if not isinstance(v, Constant))
        elif node.inputs and all(v in fixed or isinstance(v, Constant) for v in node.inputs):
            fixed.update(node.outputs)
    return list(cuts)
