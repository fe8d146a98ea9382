"""Shapes as expressions of inputs, so that no array is computed only for its shape."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from theano._src.graph import source_line
from theano._src.graph.features import Feature
from theano._src.graph.graph import Apply, Constant, Variable, owner_of
from theano._src.graph.walk import same_computations
from theano._src.ground.config import config
from theano._src.ground.documented import documented_in
from theano._src.ground.errors import AlreadyThere, ShapeError
from theano._src.ground.utils import MethodNotDefined
from theano._src.ops.index.index_list import fill
from theano._src.ops.index.subtensor import Subtensor
from theano._src.ops.shape.join import MakeVector, make_vector
from theano._src.ops.shape.shape import Shape, Shape_i, shape_i_op
from theano._src.ops.shape.static_values import as_length
from theano._src.rewrite.driver import RewriteWarning
from theano._src.rewrite.rule import FunctionRule
from theano._src.types.convert import constant

Lengths = tuple[Any, ...]


class ShapeOf(Mapping[Variable, "Lengths | None"]):
    """The lengths of each variable of a graph, inferred on first use."""

    def __init__(self, feature: ShapeFeature) -> None:
        self._feature = feature

    def __getitem__(self, v: Variable) -> Lengths | None:
        return self._feature.shape(v)

    def __contains__(self, v: object) -> bool:
        return isinstance(v, Variable)

    def __iter__(self) -> Iterator[Variable]:
        return iter(self._feature._known)

    def __len__(self) -> int:
        return len(self._feature._known)


@documented_in("theano.tensor.opt")
class ShapeFeature(Feature):
    """Infers the shape of each variable of a graph as int64 expressions, by ``infer_shape``.

    Attached to a graph it is ``fgraph.shape_feature``; ``shape_of[v]`` is a tuple with a scalar
    for each dimension, or None for a variable that is not an array. A dimension that cannot be
    inferred from the inputs is a ``Shape_i`` of the variable itself.

    >>> import theano, theano.tensor as T
    >>> x = T.dmatrix("x")
    >>> g = theano.gof.FunctionGraph([x], [T.exp(x.T)], clone=False)
    >>> g.attach_feature(ShapeFeature())
    >>> g.shape_feature.shape_of[g.outputs[0]]
    (Shape_i{1}.0, Shape_i{0}.0)
    """

    pickled = True

    def __init__(self) -> None:
        self.fgraph: Any = None
        self.lscalar_one = as_length(1)
        self.shape_of = ShapeOf(self)
        self._known: dict[Variable, Lengths | None] = {}
        # variables whose op cannot infer their shape: other shapes are expressed in theirs
        self._opaque: set[Variable] = set()

    def __reduce__(self) -> Any:
        # shapes are inferred again; they would double the size of a saved function
        return (ShapeFeature, ())

    def on_attach(self, fgraph: Any) -> None:
        if hasattr(fgraph, "shape_feature"):
            raise AlreadyThere("ShapeFeature is already attached")
        self.fgraph = fgraph
        fgraph.shape_feature = self

    def on_detach(self, fgraph: Any) -> None:
        self._known, self._opaque = {}, set()
        self.fgraph = None
        del fgraph.shape_feature

    def on_prune(self, fgraph: Any, node: Apply, reason: Any) -> None:
        for v in node.outputs:
            self._known.pop(v, None)
            if v in self._opaque:
                # shapes in terms of it would bring it back into the graph
                self._known, self._opaque = {}, set()

    def get_shape(self, var: Variable, idx: int) -> Any:
        """Return the length of dimension ``idx`` of ``var``."""
        lengths = self.shape(var)
        if lengths is None:
            raise ShapeError(f"{var} of {var.type} has no shape")
        return lengths[idx]

    def shape_tuple(self, r: Variable) -> Lengths | None:
        """Return a ``Shape_i`` of ``r`` for each dimension; None if ``r`` is not an array."""
        pattern = getattr(r.type, "broadcastable", None)
        if pattern is None:
            return None
        return tuple(self.lscalar_one if b else shape_i_op(i)(r) for i, b in enumerate(pattern))

    def shape_ir(self, i: int, r: Variable) -> Any:
        """Return the ``Shape_i`` of dimension ``i`` of ``r``, or 1 if that is broadcastable."""
        return self.lscalar_one if r.type.broadcastable[i] else shape_i_op(i)(r)

    def same_shape(
        self, x: Variable, y: Variable, dim_x: int | None = None, dim_y: int | None = None
    ) -> bool:
        """Whether two variables, or two dimensions of them, are known to be equally long."""
        for v, dim in ((x, dim_x), (y, dim_y)):
            if dim is not None and not 0 <= dim < v.type.ndim:
                raise IndexError(f"{v} of {v.type} has no dimension {dim}")
        a, b = self.shape(x), self.shape(y)
        if a is None or b is None:
            return False
        if dim_x is not None:
            a = a[dim_x : dim_x + 1]
        if dim_y is not None:
            b = b[dim_y : dim_y + 1]
        return len(a) == len(b) and same_computations(a, b)

    def shape(self, v: Variable) -> Lengths | None:
        """Return the lengths of ``v``, as ``shape_of[v]``."""
        if v not in self._known:
            with source_line.paused():
                self._find(v)
        return self._known[v]

    def _find(self, wanted: Variable) -> None:
        """Infer what ``wanted`` depends on, inputs first; not recursive, as graphs are deep."""
        known = self._known
        stack = [wanted]
        while stack:
            v = stack[-1]
            if v in known:
                stack.pop()
                continue
            node = v.owner
            if node is None or not getattr(v.type, "ndim", 0) or all(v.type.broadcastable):
                known[v] = self._at_once(v)
                continue
            if getattr(node.op, "infer_shape", None) is None:
                self._give_up(node)
                continue
            missing = [i for i in node.inputs if i not in known]
            if missing:
                stack.extend(missing)
            else:
                self._infer(node)

    def _at_once(self, v: Variable) -> Lengths | None:
        if isinstance(v, Constant) and isinstance(v.data, np.ndarray):
            return tuple(as_length(n) for n in v.data.shape)
        return self.shape_tuple(v)

    def _give_up(self, node: Apply) -> None:
        for v in node.outputs:
            self._known[v] = self.shape_tuple(v)
            self._opaque.add(v)

    def _infer(self, node: Apply) -> None:
        try:
            result = node.op.infer_shape(node, [self._known[v] for v in node.inputs])
            if len(result) != len(node.outputs):
                raise ValueError(
                    f"infer_shape of {node.op} gives one shape for each of {len(node.outputs)} "
                    f"outputs, got {len(result)}"
                )
            lengths = [self.unpack(s, v) for s, v in zip(result, node.outputs, strict=True)]
        except (ShapeError, NotImplementedError, MethodNotDefined):
            # raised by ops that cannot infer the shape
            self._give_up(node)
            return
        except Exception as error:
            if config.on_shape_error == "raise":
                error.add_note(f"while inferring the shape of {node}")
                raise
            warnings.warn(
                f"infer_shape of {node.op} failed on {node}: {type(error).__name__}: {error}. Its "
                "value is computed where its shape is needed; config.on_shape_error='raise' stops "
                "instead",
                RewriteWarning,
                stacklevel=2,
            )
            self._give_up(node)
            return
        for v, s in zip(node.outputs, lengths, strict=True):
            if s is None:
                self._known[v] = self.shape_tuple(v)
                self._opaque.add(v)
            else:
                self._known[v] = s

    def unpack(self, s: Sequence[Any] | None, v: Variable) -> Lengths | None:
        """Return the result of ``infer_shape`` for ``v`` as int64 scalars, 1 if broadcastable."""
        if s is None or getattr(v.type, "ndim", None) is None:
            return None
        s = tuple(s)
        if len(s) != v.type.ndim:
            raise ValueError(
                f"infer_shape of {owner_of(v).op} gives {v.type.ndim} lengths for {v} of {v.type}, "
                f"got {len(s)}"
            )
        return tuple(
            self.lscalar_one if b else as_length(n)
            for n, b in zip(s, v.type.broadcastable, strict=True)
        )


def attach_shapes(fgraph: Any, log: Any = None) -> int:
    """Attach a ShapeFeature to a graph; a pass of the pipeline."""
    fgraph.attach_feature(ShapeFeature())
    return 0


def length_lifted(fgraph: Any, node: Apply) -> list[Any] | None:
    """Shape_i{i}(f(x)) -> the length of dimension i, in terms of the shape of x"""
    feature = getattr(fgraph, "shape_feature", None)
    (x,) = node.inputs
    lengths = None if feature is None else feature.shape(x)
    if lengths is None:
        return None
    result = lengths[node.op.i]
    own = result.owner
    if own is not None and own.inputs[0] is x and isinstance(own.op, Shape_i):
        return None
    return [result]


def shape_to_lengths(fgraph: Any, node: Apply) -> list[Any] | None:
    """Shape(f(x)) -> MakeVector(its lengths, in terms of the shape of x)"""
    feature = getattr(fgraph, "shape_feature", None)
    lengths = None if feature is None else feature.shape(node.inputs[0])
    if lengths is None:
        return None
    if not lengths:
        return [constant(np.zeros(0, "int64"))]
    return [make_vector(*lengths)]


def entry_of_vector(node: Apply) -> list[Any] | None:
    """MakeVector(a, b, c)[1] -> b; MakeVector(a, b, c)[1:] -> MakeVector(b, c)"""
    result = node.inputs[0].owner
    parts = node.inputs[1:]
    if result is None or not isinstance(result.op, MakeVector) or len(node.op.idx_list) != 1:
        return None
    numbers = [int(p.data) for p in parts if isinstance(p, Constant)]
    if len(numbers) < len(parts):
        return None
    (at,) = fill(node.op.idx_list, numbers)
    if isinstance(at, slice):
        chosen = result.inputs[at]
        if not chosen:
            return [constant(np.zeros(0, result.op.dtype))]
        return [result.op(*chosen)]
    # out of range: the call must raise the error
    return [result.inputs[at]] if -len(result.inputs) <= at < len(result.inputs) else None


_UNREAD = "what is not computed, as only its lengths are read, raises no error"
# fmt: off
RULES = (
    FunctionRule(shape_to_lengths, "shape_to_lengths", "canonicalize specialize", [Shape],
                 tags=("shape", "local_shape_to_shape_i"),
                 depth=1, hazard=_UNREAD),
    FunctionRule(length_lifted,    "length_lifted",    "canonicalize specialize", [Shape_i],
                 tags=("shape", "local_shape_i_lift", "local_track_shape_i"), hazard=_UNREAD),
    FunctionRule(entry_of_vector,  "entry_of_vector",  "canonicalize specialize", [Subtensor],
                 tags=("local_subtensor_make_vector",)),
)
# fmt: on
