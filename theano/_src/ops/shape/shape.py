"""Ops that read, assert and change shapes."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np

from theano._src.graph.fg import FunctionGraph
from theano._src.graph.graph import Apply, Constant, Variable
from theano._src.graph.op import Op
from theano._src.ground.array_types import Array, ArrayNamespace, Arrays
from theano._src.ground.documented import documented_in
from theano._src.ground.errors import NotScalarConstantError
from theano._src.ops.core.elemwise import Elemwise
from theano._src.ops.core.non_differentiable import NonDifferentiable
from theano._src.ops.elementwise.arithmetic import Add, IntDiv, Mul, int_div
from theano._src.ops.elementwise.compare import eq, switch
from theano._src.ops.shape.dims import dimshuffle
from theano._src.ops.shape.static_values import (
    SCALAR_CONSTANTS,
    VECTOR_ENTRIES,
    VECTOR_LENGTHS,
    as_length,
    first_input_constant,
    known_int,
    product,
    vector_entries,
    vector_length,
)
from theano._src.types.aliases import ShapeLike, TensorLike
from theano._src.types.convert import as_tensor_variable, constant
from theano._src.types.dtypes import integer_dtypes
from theano._src.types.null import disconnected
from theano._src.types.tensor import tensor_type

_ONE = as_length(1)


@documented_in("theano.compile.ops")
class Shape(NonDifferentiable):
    """The lengths of the dimensions of its input, as a vector of int64.

    >>> import theano.tensor as T
    >>> T.shape(T.zeros((2, 3))).eval()
    array([2, 3])
    """

    __props__ = ()

    def make_node(self, x: TensorLike) -> Apply:
        if not isinstance(x, Variable):
            x = as_tensor_variable(x)
        return Apply(self, [x], [tensor_type("int64", (False,))()])

    def compute(self, xp: ArrayNamespace, x: Array) -> Any:
        return xp.asarray(x.shape, dtype="int64")

    def batch_rule(
        self, node: Apply, inputs: Sequence[Any], is_batched: Sequence[bool]
    ) -> Sequence[Any] | None:
        return [shape(inputs[0])[1:]]

    def infer_shape(self, node: Apply, shapes: Sequence[Any]) -> list[Any]:
        return [(as_length(node.inputs[0].type.ndim),)]


@documented_in("theano.compile.ops")
class Shape_i(NonDifferentiable):
    """The length of dimension ``i`` of its input, as an int64."""

    __props__ = ("i",)

    def __init__(self, i: int) -> None:
        self.i = int(i)

    def make_node(self, x: TensorLike) -> Apply:
        ndim = getattr(x, "ndim", None)
        if not isinstance(x, Variable) or ndim is None:
            raise TypeError(f"{self} takes a Variable with dimensions, got {x!r}")
        if not 0 <= self.i < ndim:
            raise TypeError(f"{self} takes a Variable with more dimensions, got {x} of {x.type}")
        return Apply(self, [x], [tensor_type("int64", ())()])

    def compute(self, xp: ArrayNamespace, x: Array) -> Any:
        return xp.asarray(x.shape[self.i], dtype="int64")

    def batch_rule(
        self, node: Apply, inputs: Sequence[Any], is_batched: Sequence[bool]
    ) -> Sequence[Any] | None:
        return [shape_i_op(self.i + 1)(inputs[0])]

    def infer_shape(self, node: Apply, shapes: Sequence[Any]) -> list[Any]:
        return [()]

    def __str__(self) -> str:
        return f"Shape_i{{{self.i}}}"


shape = Shape()


@documented_in("theano.compile.ops")
@cache
def shape_i_op(i: int) -> Shape_i:
    """Return the ``Shape_i`` op for dimension ``i``, cached per dimension.

    >>> import theano.compile.ops
    >>> str(theano.compile.ops.shape_i_op(1))
    'Shape_i{1}'
    """
    return Shape_i(i)


@documented_in("theano.compile.ops")
def shape_i(var: Variable, i: int, fgraph: FunctionGraph | None = None) -> Any:
    """Return the length of one dimension of a variable.

    Parameters
    ----------
    var : Variable
    i : int
    fgraph : FunctionGraph, optional
        A graph whose shape feature may already have an expression for the length.

    Examples
    --------
    >>> import theano.tensor as T
    >>> from theano.compile.ops import shape_i
    >>> x = T.dmatrix()
    >>> shape_i(x, 1).eval({x: [[1, 2, 3]]}).item()
    3
    """
    feature = getattr(fgraph, "shape_feature", None)
    if feature is not None and feature.shape_of.get(var) is not None:
        return feature.shape_of[var][i]
    return shape_i_op(i)(var)


def _shape_entries(node: Apply) -> list[Any]:
    (x,) = node.inputs
    return [_ONE if b else shape_i_op(i)(x) for i, b in enumerate(x.type.broadcastable)]


def _shape_i_constant(node: Apply, v: Variable, value_of: Callable[[Any], Any]) -> Any:
    (x,) = node.inputs
    if isinstance(x, Constant):
        return np.asarray(x.data.shape[node.op.i], dtype="int64")
    if x.type.broadcastable[node.op.i]:
        return np.asarray(1, dtype="int64")
    raise NotScalarConstantError(v)


VECTOR_LENGTHS[Shape] = lambda node: node.inputs[0].type.ndim
VECTOR_ENTRIES[Shape] = _shape_entries
SCALAR_CONSTANTS[Shape_i] = _shape_i_constant


@documented_in("theano.compile.ops")
class SpecifyShape(Op):
    """Return the first input, and check at run time that its shape is the second input.

    >>> import theano.tensor as T
    >>> x = T.dvector("x")
    >>> T.specify_shape(x, (2,)).eval({x: [1, 2]})
    array([1., 2.])
    """

    __props__ = ()
    view_map = {0: [0]}
    linear_in = (0,)
    nondiff_inputs = (1,)

    def make_node(self, x: TensorLike, shape: TensorLike) -> Apply:
        x = x if isinstance(x, Variable) else as_tensor_variable(x)
        if isinstance(shape, (list, tuple)) and any(n is None for n in shape):
            raise TypeError(f"SpecifyShape takes the length of every dimension, got {shape}")
        if isinstance(shape, (list, tuple)) and not shape:
            shape = np.zeros(0, "int64")
        shape = as_tensor_variable(shape)
        if shape.ndim != 1:
            raise TypeError(f"SpecifyShape takes a vector of lengths, got {shape} of {shape.type}")
        if shape.dtype not in integer_dtypes:
            raise TypeError(f"SpecifyShape takes integers as lengths, got {shape.type}")
        n = vector_length(shape)
        if n is not None and n != x.type.ndim:
            raise AssertionError(
                f"SpecifyShape takes one length for each of the {x.type.ndim} dimensions of {x}, "
                f"got {n}"
            )
        return Apply(self, [x, shape], [x.type()])

    def validate(self, node: Apply, inputs: Sequence[Any]) -> None:
        x, shape = inputs
        if x.shape != tuple(shape.tolist()):
            raise AssertionError(
                f"SpecifyShape: Got shape {x.shape}, expected {tuple(shape.tolist())}."
            )

    def compute(self, xp: ArrayNamespace, x: Array, shape: Array) -> Any:
        return x

    def checks(
        self, xp: ArrayNamespace, sizes: Sequence[int], inputs: Arrays, outputs: Arrays
    ) -> Sequence[Any]:
        x, shape = inputs
        if shape.shape != (x.ndim,):
            return (xp.asarray(False),)
        return (xp.all(shape == xp.asarray(x.shape, dtype=shape.dtype)),)

    def infer_shape(self, node: Apply, shapes: Sequence[Any]) -> list[Any]:
        x_shape, _ = shapes
        entries = vector_entries(node.inputs[1], len(x_shape))
        results = [known_int(e) for e in entries]
        return [
            tuple(
                n if known is None else as_length(known)
                for n, known in zip(x_shape, results, strict=True)
            )
        ]

    def batch_rule(
        self, node: Apply, inputs: Sequence[Any], is_batched: Sequence[bool]
    ) -> Sequence[Any] | None:
        x, lengths = inputs
        if is_batched[1] or vector_length(lengths) is None:
            return None
        entries = vector_entries(lengths, x.ndim - 1)
        return [self(x, [shape_i_op(0)(x), *[as_length(e) for e in entries]])]

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        (_, lengths), (g,) = inputs, output_grads
        return [self(g, lengths), disconnected()]


specify_shape = SpecifyShape()


@documented_in("theano.tensor.basic")
class Reshape(Op):
    """The first input in the shape given by the second; one length may be -1."""

    __props__ = ("ndim",)
    view_map = {0: [0]}
    demand_only = (1,)
    linear_in = (0,)
    nondiff_inputs = (1,)

    def __init__(self, ndim: int, name: str | None = None) -> None:
        self.ndim = int(ndim)
        if self.ndim < 0:
            raise ValueError(f"Reshape takes a number of dimensions, got {ndim}")
        if name is not None:
            raise TypeError(f"Reshape takes no name, got {name!r}; name its output instead")

    def make_node(self, x: TensorLike, shp: TensorLike) -> Apply:
        x, shp = as_tensor_variable(x), as_tensor_variable(shp)
        if shp.ndim == 0:
            shp = shp.dimshuffle("x")
        if shp.ndim != 1:
            raise TypeError(f"{self} takes a vector of lengths, got {shp} of {shp.type}")
        n = vector_length(shp)
        if n == 0:
            # NumPy converts an empty list to float64
            shp = constant(np.zeros(0, "int64"))
        if shp.dtype not in integer_dtypes:
            raise TypeError(f"{self} takes integers as lengths, got {shp} of {shp.type}")
        if n is not None and n != self.ndim:
            raise ValueError(
                f"{self} takes {self.ndim} lengths, got {n}: {shp}; all lengths are one tuple, as "
                "in reshape(x, (2, 3))"
            )
        if n is None:
            pattern = (False,) * self.ndim
        else:
            pattern = tuple(known_int(e) == 1 for e in vector_entries(shp, n))
        return Apply(self, [x, shp], [tensor_type(x.dtype, pattern)()])

    def compute(self, xp: ArrayNamespace, x: Array, shp: Array) -> Any:
        lengths = tuple(shp.tolist())
        return self._reshape(xp, x, len(lengths), lengths)

    def _reshape(self, xp: ArrayNamespace, x: Array, n: int, lengths: tuple[int, ...]) -> Any:
        if n != self.ndim:
            raise ValueError(f"{self} takes {self.ndim} lengths, got {n}: {lengths}")
        if any(n < -1 for n in lengths):
            # NOTE: NumPy treats any negative length as -1
            raise ValueError(f"{self} takes lengths from 0, or one -1, got {lengths}")
        try:
            return xp.reshape(x, lengths)
        except ValueError as e:
            raise ValueError(
                f"Cannot reshape input of shape {x.shape} to shape {lengths}: {e}"
            ) from None

    def demands(self, node: Apply, shapes: Sequence[Any]) -> Sequence[Any]:
        x, shp = node.inputs
        given = [_own_length(e, x, shapes[0]) for e in vector_entries(shp, self.ndim)]
        # a vector may hold more lengths than ndim
        return [*given, shapes[1][0]]

    def lower_xla(self, xp: ArrayNamespace, sizes: Sequence[int], *inputs: Array) -> Any:
        *lengths, n = sizes
        return self._reshape(xp, inputs[0], n, tuple(lengths))

    def infer_shape(self, node: Apply, shapes: Sequence[Any]) -> list[tuple[Any, ...]]:
        x, shp = node.inputs
        given = vector_entries(shp, self.ndim)
        entries = [_own_length(e, x, shapes[0]) for e in given]
        results = [known_int(e) for e in given]
        free = results.count(-1)
        out = []
        for i, (e, n) in enumerate(zip(entries, results, strict=True)):
            if n != -1 and (n is not None or free or is_count(given[i])):
                out.append(e if n is None else as_length(n))
                continue
            others = product(entries[:i] + entries[i + 1 :])
            left = int_div(product(shapes[0]), others)
            out.append(left if n == -1 else switch(eq(e, -1), left, e))
        return [tuple(out)]

    def batch_rule(
        self, node: Apply, inputs: Sequence[Any], is_batched: Sequence[bool]
    ) -> Sequence[Any] | None:
        x, lengths = inputs
        if is_batched[1] or vector_length(lengths) is None:
            return None
        row = [shape_i_op(i)(x) for i in range(1, x.ndim)]
        here = self.make_node(node.inputs[0], lengths)
        # NOTE: -1 cannot be inferred where the batch is empty
        (result,) = self.infer_shape(here, [row, (as_length(self.ndim),)])
        return [Reshape(self.ndim + 1)(x, [shape_i_op(0)(x), *result])]

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        (x, _), (g,) = inputs, output_grads
        return [Reshape(x.ndim)(g, shape(x)), disconnected()]

    def __str__(self) -> str:
        return f"Reshape{{{self.ndim}}}"


def _own_length(n: Variable, x: Variable, lengths: Sequence[Any]) -> Any:
    """Return a length as int64; a ``Shape_i`` of ``x`` is replaced by its entry in ``lengths``."""
    if n.owner is not None and isinstance(n.owner.op, Shape_i) and n.owner.inputs[0] is x:
        return lengths[n.owner.op.i]
    return as_length(n)


def is_count(v: Variable) -> bool:
    """Whether a length is surely not negative: it is computed from lengths of dimensions only."""
    todo, budget = [v], 16
    while todo:
        v = todo.pop()
        budget -= 1
        if isinstance(v, Constant):
            if v.data < 0:
                return False
            continue
        if v.owner is None:
            return False
        op, inputs = v.owner.op, v.owner.inputs
        if isinstance(op, Shape_i):
            continue
        if type(op).__name__ == "Subtensor" and isinstance(
            getattr(inputs[0].owner, "op", None), Shape
        ):
            continue
        known = isinstance(op, Elemwise) and isinstance(op.scalar_op, (Add, Mul, IntDiv))
        if not known or budget < 0:
            return False
        todo.extend(inputs)
    return True


@documented_in("theano.tensor.basic")
def reshape(x: TensorLike, newshape: ShapeLike, ndim: int | None = None) -> Any:
    """Return ``x`` with the same elements in another shape.

    Parameters
    ----------
    x : tensor_like
    newshape : sequence of integers and integer scalars, or integer vector
        One length may be -1: it is inferred from the others.
    ndim : int, optional
        The length of ``newshape``; needed where the graph does not determine it.

    Raises
    ------
    ValueError
        If the number of dimensions is not known; when the function runs, if the number of
        elements differs.

    Examples
    --------
    >>> import theano.tensor as T
    >>> T.reshape(T.arange(6), (2, -1)).eval().tolist()
    [[0, 1, 2], [3, 4, 5]]
    """
    if ndim is None:
        newshape = as_tensor_variable(newshape)
        if newshape.ndim != 1:
            raise TypeError(
                "reshape takes a vector, or a list or tuple of scalars, as the new shape, got "
                f"{newshape} of {newshape.type}"
            )
        ndim = vector_length(newshape)
        if ndim is None:
            raise ValueError(
                f"reshape cannot tell how many entries {newshape} has, and so not how many "
                "dimensions the result; give it with the keyword ndim"
            )
    return Reshape(ndim)(x, newshape)


@documented_in("theano.tensor.basic")
class Flatten(Op):
    """The input with ``outdim`` dimensions: the first ones are kept, the rest merged into the last.

    ``flatten`` builds a Reshape; this op exists for code that refers to it by name.
    """

    __props__ = ("outdim",)
    view_map = {0: [0]}
    linear_in = (0,)

    def __init__(self, outdim: int = 1) -> None:
        self.outdim = int(outdim)

    def make_node(self, x: TensorLike) -> Apply:
        x = as_tensor_variable(x)
        k = self.outdim
        if k < 1 or (x.ndim and k > x.ndim):
            raise ValueError(f"{self} takes at least {max(k, 1)} dimensions, got {x} of {x.type}")
        pattern = (*x.broadcastable[: k - 1], all(x.broadcastable[k - 1 :]))
        return Apply(self, [x], [tensor_type(x.dtype, pattern)()])

    def compute(self, xp: ArrayNamespace, x: Array) -> Any:
        kept = x.shape[: self.outdim - 1]
        return xp.reshape(x, (*kept, math.prod(x.shape[self.outdim - 1 :])))

    def infer_shape(self, node: Apply, shapes: Sequence[Any]) -> list[tuple[Any, ...]]:
        (lengths,) = shapes
        return [(*lengths[: self.outdim - 1], product(lengths[self.outdim - 1 :]))]

    def batch_rule(
        self, node: Apply, inputs: Sequence[Any], is_batched: Sequence[bool]
    ) -> Sequence[Any] | None:
        (x,) = inputs
        if x.ndim == 1:
            return [dimshuffle(x, 0, "x")]
        return [Flatten(self.outdim + 1)(x)]

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        (x,), (g,) = inputs, output_grads
        return [Reshape(x.ndim)(g, shape(x))]

    def __str__(self) -> str:
        return f"Flatten{{{self.outdim}}}"


SCALAR_CONSTANTS[Flatten] = first_input_constant


@documented_in("theano.tensor.basic")
def flatten(x: TensorLike, ndim: int | None = None, outdim: int | None = None) -> Any:
    """Return ``x`` with its last dimensions merged into one.

    Parameters
    ----------
    x : tensor_like
    ndim : int
        The number of dimensions of the result (1 if not given); the first ``ndim - 1`` are kept.
    outdim : int
        The older name of ``ndim``; give only one of the two.

    Examples
    --------
    >>> import theano.tensor as T
    >>> T.flatten(T.zeros((2, 3, 4, 5)), ndim=2).eval().shape
    (2, 60)
    """
    if ndim is not None and outdim is not None:
        raise ValueError("flatten takes ndim or outdim, got both; give ndim only")
    k = outdim if ndim is None else ndim
    k = 1 if k is None else int(k)
    x = as_tensor_variable(x)
    if k < 1 or k > max(x.ndim, 1):
        raise ValueError(f"flatten takes ndim from 1 to {max(x.ndim, 1)} for {x}, got {k}")
    kept = [1 if b else shape_i_op(i)(x) for i, b in enumerate(x.broadcastable[: k - 1])]
    rest = range(k - 1, x.ndim)
    # NOTE: -1 cannot be inferred if a kept length is 0
    last = product(shape_i_op(i)(x) for i in rest) if kept else -1
    return reshape(x, [*kept, 1 if all(x.broadcastable[k - 1 :]) else last])
