"""Estimates of a call's time on either engine, from the shape of every value in it."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Sequence
from typing import Any, NamedTuple

from theano._src.engines.choice.work import op_work, work_of
from theano._src.engines.costs import KINDS, Rates, rates
from theano._src.engines.link import Cells
from theano._src.engines.numpy.engine import NumpyProgram
from theano._src.engines.numpy.plan import Line, PlanWriter
from theano._src.engines.xla.staging import is_size
from theano._src.graph.fg import FunctionGraph
from theano._src.graph.graph import Apply, Constant, Variable
from theano._src.graph.walk import nodes_of
from theano._src.ops.core.composite import Composite
from theano._src.ops.core.dimshuffle import DimShuffle
from theano._src.ops.core.elemwise import Elemwise
from theano._src.types.run_node import has_compiled_form
from theano._src.types.scalar import Scalar
from theano._src.types.shared import Cell
from theano._src.types.sparse import SparseType, StoredShape
from theano._src.types.tensor import TensorType

#: from this many bytes, a new array is memory that the process has not touched yet
_LARGE = 1 << 18
#: number of elements that a composite processes at a time
_PIECE = 1 << 13
#: kinds of work that NumPy does with BLAS, which has its own threads
_BLAS = {"product", "products", "lapack", "convolution"}
#: from this ratio of XLA's to NumPy's time, a node is worth a step on the host
_HOST_RATIO = 2.0
#: ops that XLA fuses into the loop that computes their inputs
_JOINING = (Elemwise, DimShuffle)
#: types whose values are numbers of one dtype
_NUMERIC = (TensorType, Scalar)

Shape = tuple[int, ...]


class Estimate(NamedTuple):
    """Seconds for a call on NumPy and on XLA, and to compile; nodes best left on the host."""

    numpy: float
    xla: float
    compiling: float
    host_nodes: tuple[int, ...] = ()
    #: seconds of a call on NumPy that are spent in BLAS
    blas: float = 0.0

    @property
    def gain(self) -> float:
        """Seconds that a call on XLA saves; 0 if less than a tenth, the error of estimates."""
        saved = self.numpy - self.xla
        return saved if saved > 0.1 * self.numpy else 0.0

    @property
    def calls(self) -> int | None:
        """The number of calls that pays for compiling; None if no number does."""
        return math.ceil(self.compiling / self.gain) if self.gain > 0 else None


class Enough(BaseException):
    """Raised when a call has used up the compile time: it starts again on XLA."""


class _Node:
    """The properties of a node that do not depend on shapes."""

    def __init__(self, node: Apply, users: dict[Variable, list[Apply]], last: set[Variable]):
        op = node.op
        self.node = node
        self.host = not has_compiled_form(node)
        self.size = not self.host and is_size(node)
        self.view = bool(getattr(op, "view_map", None)) or isinstance(op, DimShuffle)
        self.elementwise = isinstance(op, Elemwise)
        scalar_op = getattr(op, "scalar_op", None) if self.elementwise else None
        self.steps = len(scalar_op.steps) if isinstance(scalar_op, Composite) else 1
        self.kinds = _kinds_of(node)
        self.bytes = [_itemsize(v) for v in node.outputs]
        self.short = max([0, *self.bytes, *map(_itemsize, node.inputs[:1])]) <= 4
        self.inplace = bool(getattr(op, "destroy_map", None))
        self.inner = _inner_nodes(op)
        #: whether one of XLA's loops ends with this node
        self.ends_loop = self.elementwise and any(
            v in last or not all(map(_joins, users.get(v, ()))) for v in node.outputs
        )

    def compiling(self, here: Rates) -> float:
        if self.host or self.size:
            return 1e-4
        result = sum(here.kinds.get(k, here.kinds["copy"]).compiling for k in self.kinds)
        if self.inner:
            result += 4 * here.loop  # a program of its own, and the values carried between steps
        for n in self.inner:
            result += here.loop + sum(here.kinds[k].compiling for k in _kinds_of(n))
        return result + (here.loop if self.ends_loop else 0.0)


class Model:
    """Estimates the calls of one function."""

    def __init__(
        self,
        fgraph: FunctionGraph,
        cells: Cells,
        order: Sequence[Apply],
        copied: Iterable[Variable] = (),
        undone: Collection[Apply] = (),
    ) -> None:
        self.fgraph = fgraph
        users: dict[Variable, list[Apply]] = {}
        for node in order:
            for v in node.inputs:
                users.setdefault(v, []).append(node)
        last = set(fgraph.outputs)
        self.nodes = [_Node(node, users, last) for node in order]
        self.rates = rates()
        #: inputs that are new in each call; shared ones stay where they are
        self.arguments = [not isinstance(cells[v], Cell) for v in fgraph.inputs]
        #: state that the numpy engine copies, so that a failing call does not change it, and
        #: nodes before which it saves the part of a state that they overwrite
        self.copied, self.undone = list(copied), undone
        results = len(fgraph.outputs) - len(fgraph.update_mapping or {})
        self.results = list(fgraph.outputs[:results])
        #: whether no node may be far slower on XLA, so that a partial count suffices
        known = self.rates.kinds
        self.certain = not any(
            known[k].xla > _HOST_RATIO * known[k].numpy for n in self.nodes for k in n.kinds
        )
        self._programs: dict[tuple[int, ...], float] = {}

    def compiling(self, host_nodes: tuple[int, ...] = ()) -> float:
        """Seconds to compile, with these nodes on the host."""
        value = self._programs.get(host_nodes)
        if value is None:
            here, aside = self.rates, set(host_nodes)
            each = (n.compiling(here) for i, n in enumerate(self.nodes) if i not in aside)
            value = self._programs[host_nodes] = here.program * (1 + len(host_nodes)) + sum(each)
        return value

    def tally(self, shapes: Sequence[Any], most: float | None = None) -> Tally:
        """Return a record of one call, to be filled in as its values are computed."""
        return Tally(self, shapes, most)


class Tally:
    """The cost of one call so far; ``tally[i] = shapes`` adds node ``i`` by its output shapes.

    With ``most``, raises Enough once XLA would have saved more seconds than that.
    """

    def __init__(self, model: Model, shapes: Sequence[Any], most: float | None) -> None:
        self.model, self.most = model, most
        self.shape: dict[Variable, Shape] = {}
        for v, shape in zip(model.fgraph.inputs, shapes, strict=True):
            self.shape[v] = shape if isinstance(shape, tuple) else ()
        here = model.rates
        self.numpy = here.numpy_call
        self.xla = here.xla_call + here.xla_value * (len(shapes) + len(model.results))
        for v, given in zip(model.fgraph.inputs, model.arguments, strict=True):
            if given:
                self.xla += here.xla_in * self._bytes(v)
        for v in model.copied:
            self.numpy += (here.kinds["copy"].numpy / 8 + here.numpy_new) * self._bytes(v)
        self.blas = 0.0
        self.host_nodes: list[int] = []
        self._largest = 0

    def _of(self, v: Variable) -> Shape:
        result = self.shape.get(v)
        if result is None:
            shape = getattr(v.data, "shape", ()) if isinstance(v, Constant) else None
            result = shape if isinstance(shape, tuple) else (1,) * getattr(v.type, "ndim", 0)
            self.shape[v] = result
        return result

    def _bytes(self, v: Variable) -> int:
        shape = self._of(v)
        if isinstance(shape, StoredShape):
            return shape.stored * (_itemsize(v) + 4)
        return math.prod(shape) * _itemsize(v)

    #: the shape and number of stored elements of a sparse matrix
    stored = StoredShape.of

    def __setitem__(self, i: int, outs: tuple[Shape, ...]) -> None:
        known = self.model.nodes[i]
        self.shape.update(zip(known.node.outputs, outs, strict=True))
        on_numpy, on_xla = self._seconds(known, outs)
        self.numpy += on_numpy
        if known.host:
            on_xla += self._transfer_seconds(known)
        elif on_xla > _HOST_RATIO * on_numpy and not (known.size or known.elementwise):
            moved = self._transfer_seconds(known)
            if on_xla > _HOST_RATIO * on_numpy + moved:
                self.host_nodes.append(i)
                on_xla = on_numpy + moved
        self.xla += on_xla
        if self.most is not None and self.numpy - self.xla > self.most:
            raise Enough

    def _transfer_seconds(self, info: _Node) -> float:
        """Seconds to move a node's values to the host and back, and to start again."""
        here = self.model.rates
        into = sum(map(self._bytes, info.node.inputs))
        out = sum(map(self._bytes, info.node.outputs))
        return here.xla_call + here.xla_in * into + here.xla_out * out

    def _seconds(self, info: _Node, outs: tuple[Shape, ...]) -> tuple[float, float]:
        here = self.model.rates
        if info.size:
            return here.numpy_call, here.numpy_call
        if info.elementwise:
            pieces = max(1, math.prod(outs[0]) // _PIECE) if info.steps > 1 else 1
            on_numpy = here.numpy_call * info.steps * pieces
        else:
            on_numpy = here.numpy_node
        if info.view:
            return on_numpy, 0.0
        on_xla = 0.0
        for kind, amount in self._work(info, outs):
            if kind == "temporary" and amount * (4 if info.short else 8) < 2 * _LARGE:
                continue
            rate = here.kinds.get(kind) or here.kinds["copy"]
            seconds = amount * (rate.numpy_short if info.short else rate.numpy)
            if info.node in self.model.undone:
                kept = here.kinds["gather"]
                seconds += amount * (kept.numpy_short if info.short else kept.numpy)
            on_numpy += seconds
            self.blas += seconds if kind in _BLAS else 0.0
            on_xla += amount * (rate.xla_short if info.short else rate.xla)
        if not info.inplace:
            for shape, size in zip(outs, info.bytes, strict=True):
                n = math.prod(shape) * size
                if n >= _LARGE:
                    # memory of the largest array is assumed to be reused
                    on_numpy += here.numpy_new * min(n, self._largest)
                    self._largest = max(n, self._largest)
        if info.ends_loop:
            sizes = (math.prod(s) * b for s, b in zip(outs, info.bytes, strict=True))
            on_xla += here.xla_between * sum(sizes)
        return on_numpy, on_numpy if info.host else on_xla

    def _work(self, info: _Node, outs: tuple[Shape, ...]) -> Sequence[tuple[str, float]]:
        node = info.node
        ins = [self._of(v) for v in node.inputs]
        if info.inner and op_work.get(node.op) is None:
            # an op with an inner graph and without a row for its work
            result = max([1, *map(math.prod, outs)])
            return [(kind, result) for n in info.inner for kind in _kinds_of(n)]
        return work_of(node, ins, outs)

    def estimate(self) -> Estimate:
        here, host_nodes = self.model.rates, tuple(self.host_nodes)
        out = here.xla_out * sum(self._bytes(v) for v in self.model.results)
        return Estimate(
            self.numpy, self.xla + out, self.model.compiling(host_nodes), host_nodes, self.blas
        )


def _kinds_of(node: Apply) -> tuple[str, ...]:
    """The kinds of work in a node, as for arrays of one element."""
    ins, outs = (
        [(1,) * getattr(v.type, "ndim", 0) for v in vs] for vs in (node.inputs, node.outputs)
    )
    results = [kind for kind, _ in work_of(node, ins, outs)]
    return tuple(kind if kind in KINDS else "copy" for kind in results)


def _inner_nodes(op: Any) -> list[Apply]:
    outputs = getattr(op, "inner_outputs", None)
    return nodes_of(outputs, op.inner_inputs) if outputs else []


def _joins(node: Apply) -> bool:
    """Whether XLA fuses a node into the loop that computes its inputs."""
    return isinstance(node.op, _JOINING)


def _itemsize(v: Variable) -> int:
    kind = v.type
    return kind.numpy_dtype.itemsize if isinstance(kind, _NUMERIC) else 8


# the plan that reports the shapes of its values


class CountingWriter(PlanWriter):
    """Writes a plan in which each line also stores its output shapes in ``tally``."""

    numbers = False

    def _node(self, i: int, node: Apply) -> list[Line]:
        lines = super()._node(i, node)
        shapes = "".join(f"{self._shape_of(v)}, " for v in node.outputs)
        return [line._replace(text=f"{line.text}; tally[{i}] = ({shapes})") for line in lines]

    def _shape_of(self, v: Variable) -> str:
        if isinstance(v.type, SparseType):
            return f"tally.stored({self._name(v)})"
        return f"{self._name(v)}.shape" if isinstance(v.type, _NUMERIC) else "()"


class CountingProgram(NumpyProgram):
    """A numpy program that fills in a Tally as it runs."""

    writer = CountingWriter

    def count(self, tally: Tally) -> list[Any]:
        """Run once and fill in ``tally``."""
        self._run.__globals__["tally"] = tally
        return self()
