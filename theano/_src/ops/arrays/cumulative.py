"""Running sums and products, differences, counts, the Bartlett window, and distinct elements."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from theano._src.graph.graph import Apply
from theano._src.graph.op import Op
from theano._src.ground.documented import documented_in
from theano._src.ops.core.elemwise import zero_gradient
from theano._src.ops.core.non_differentiable import NonDifferentiable
from theano._src.ops.elementwise.arithmetic import maximum, sub
from theano._src.ops.reduce.reduce_grad import along_product, through_product
from theano._src.ops.shape.alloc import alloc
from theano._src.ops.shape.dims import dimshuffle, patternbroadcast
from theano._src.ops.shape.join import join
from theano._src.ops.shape.shape import flatten, shape, shape_i_op
from theano._src.ops.shape.static_values import as_length, product
from theano._src.types.convert import as_tensor_variable
from theano._src.types.dtypes import discrete_dtypes, integer_dtypes, uint_dtypes
from theano._src.types.null import DisconnectedType, disconnected
from theano._src.types.tensor import tensor_type


def _int(who: str, what: str, value: Any) -> int:
    try:
        return operator.index(value)
    except TypeError:
        raise TypeError(f"{who} takes an int as {what}, got {value!r:.80}") from None


def _in_range(who: str, axis: int, x: Any, error: type[Exception] = ValueError) -> int:
    if not -x.ndim <= axis < x.ndim:
        have = f"from {-x.ndim} to {x.ndim - 1}" if x.ndim else "of none (it is 0-d)"
        raise error(f"{who} takes an axis {have} for {x} of type {x.type}, got axis {axis}")
    return axis % x.ndim


@documented_in("theano.tensor.extra_ops")
class CumOp(Op):
    """The sums (``mode='add'``) or products (``'mul'``) of all elements up to each.

    Integers stay of their dtype, and wrap; bools are counted in int64.
    """

    __props__ = ("axis", "mode")
    cost_kind = "cumulative"

    def __init__(self, axis: Any = None, mode: str = "add") -> None:
        if mode not in ("add", "mul"):
            raise ValueError(f"CumOp takes mode='add' or 'mul', got {mode!r}")
        self.axis = None if axis is None else _int("CumOp", "axis", axis)
        self.mode = mode

    def make_node(self, x: Any) -> Apply:
        x = as_tensor_variable(x)
        if self.axis is None:
            pattern: tuple[bool, ...] = (False,)
        else:
            _in_range(str(self), self.axis, x)
            pattern = x.broadcastable
        dtype = "int64" if x.dtype == "bool" else x.dtype
        return Apply(self, [x], [tensor_type(dtype, pattern)()])

    def compute(self, xp: Any, x: Any) -> Any:
        x = xp.reshape(x, (-1,)) if self.axis is None else x
        dtype = np.dtype("int64") if x.dtype == bool else x.dtype
        run = xp.cumsum if self.mode == "add" else xp.cumprod
        return run(x, axis=self.axis or 0, dtype=dtype)

    def infer_shape(self, node: Apply, shapes: Sequence[Any]) -> list[tuple[Any, ...]]:
        (shape,) = shapes
        return [shape if self.axis is not None else (product(shape),)]

    def batch_rule(
        self, node: Apply, inputs: Sequence[Any], is_batched: Sequence[bool]
    ) -> Sequence[Any] | None:
        (x,) = inputs
        if self.axis is not None:
            return [CumOp(self.axis % (x.ndim - 1) + 1, self.mode)(x)]
        zero_gradient = flatten(x, 2) if x.ndim > 1 else dimshuffle(x, 0, "x")
        return [CumOp(1, self.mode)(zero_gradient)]

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        (x,), (g,) = inputs, output_grads
        axis = self.axis or 0
        if self.mode == "add":
            made = _summed_back(g, axis)
        else:
            made = through_product(
                flatten(x) if self.axis is None else x,
                g,
                CumOp(axis, "mul"),
                CumOp(axis, "add"),
                lambda h: _summed_back(h, axis),
            )
        return [made.reshape(shape(x), ndim=x.ndim) if self.axis is None else made]

    def R_op(self, inputs: list[Any], eval_points: list[Any]) -> list[Any]:
        (x,), (dx,) = inputs, eval_points
        if dx is None:
            return [None]
        if self.mode == "add":
            return [self(dx)]
        if self.axis is None:
            x, dx = flatten(x), flatten(dx)
        axis = self.axis or 0
        return [along_product(x, dx, CumOp(axis, "mul"), CumOp(axis, "add"))]

    @property
    def name(self) -> str:
        """The printed form, such as ``CumOp{None, add}``."""
        return f"CumOp{{{self.axis}, {self.mode}}}"


def _summed_back(g: Any, axis: int) -> Any:
    """The sums of all elements from each on."""
    back = _part(axis % g.ndim, slice(None, None, -1))
    return CumOp(axis, "add")(g[back])[back]


def _part(axis: int, index: Any) -> tuple[Any, ...]:
    return (*[slice(None)] * axis, index)


@documented_in("theano.tensor.extra_ops")
class CumsumOp:
    """The CumOp that adds; an older name."""

    def __new__(cls, axis: Any = None) -> CumOp:  # type: ignore[misc]
        return CumOp(axis, "add")


@documented_in("theano.tensor.extra_ops")
class CumprodOp:
    """The CumOp that multiplies; an older name."""

    def __new__(cls, axis: Any = None) -> CumOp:  # type: ignore[misc]
        return CumOp(axis, "mul")


@documented_in("theano.tensor.extra_ops")
def cumsum(x: Any, axis: int | None = None) -> Any:
    """The sums of all elements up to each along an axis.

    Parameters
    ----------
    x : tensor or array
    axis : int, optional
        Along which dimension; by default over the flattened tensor.

    >>> import theano.tensor as T
    >>> T.cumsum([[1, 2], [3, 4]]).eval().tolist()
    [1, 3, 6, 10]
    >>> T.cumsum([[1, 2], [3, 4]], axis=0).eval().tolist()
    [[1, 2], [4, 6]]
    """
    return CumOp(axis, "add")(x)


@documented_in("theano.tensor.extra_ops")
def cumprod(x: Any, axis: int | None = None) -> Any:
    """The products of all elements up to each along an axis.

    Parameters
    ----------
    x : tensor or array
    axis : int, optional
        Along which dimension; by default over the flattened tensor.

    >>> import theano.tensor as T
    >>> T.cumprod([[1, 2], [3, 4]]).eval().tolist()
    [1, 2, 6, 24]
    """
    return CumOp(axis, "mul")(x)


@documented_in("theano.tensor.extra_ops")
class DiffOp(Op):
    """``x[i + 1] - x[i]`` along an axis, ``n`` times over; for bools, whether they differ."""

    __props__ = ("n", "axis")

    def __init__(self, n: int = 1, axis: int = -1) -> None:
        self.n = _int("DiffOp", "n", n)
        self.axis = _int("DiffOp", "axis", axis)
        if self.n < 0:
            raise ValueError(f"DiffOp takes an n of 0 or more, got {n}")

    def make_node(self, x: Any) -> Apply:
        x = as_tensor_variable(x)
        at = _in_range(str(self), self.axis, x)
        # a dimension of length 1 becomes one of length 0
        pattern = tuple(b and (i != at or self.n == 0) for i, b in enumerate(x.broadcastable))
        return Apply(self, [x], [tensor_type(x.dtype, pattern)()])

    def compute(self, xp: Any, x: Any) -> Any:
        if self.n == 0:
            return xp.array(x, copy=True)
        # each difference beyond the last element leaves none
        return xp.diff(x, n=min(self.n, max(x.shape[self.axis], 1)), axis=self.axis)

    def infer_shape(self, node: Apply, shapes: Sequence[Any]) -> list[tuple[Any, ...]]:
        shape = list(shapes[0])
        shape[self.axis] = maximum(sub(shape[self.axis], as_length(self.n)), as_length(0))
        return [tuple(shape)]

    def batch_rule(
        self, node: Apply, inputs: Sequence[Any], is_batched: Sequence[bool]
    ) -> Sequence[Any] | None:
        (x,) = inputs
        return [DiffOp(self.n, self.axis % (x.ndim - 1) + 1)(x)]

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        (x,), (gx,) = inputs, output_grads
        axis = self.axis % x.ndim
        lengths = [as_length(1) if i == axis else shape_i_op(i)(gx) for i in range(x.ndim)]
        end = alloc(np.zeros((), gx.dtype), *lengths)
        for _ in range(self.n):
            gx = join(axis, end, gx) - join(axis, gx, end)
        # of fewer elements than differences nothing is left
        gx = gx[_part(axis, slice(None, shape_i_op(axis)(x)))]
        return [patternbroadcast(gx, x.broadcastable)]

    def R_op(self, inputs: list[Any], eval_points: list[Any]) -> list[Any]:
        (dx,) = eval_points
        return [None if dx is None else self(dx)]


@documented_in("theano.tensor.extra_ops")
def diff(x: Any, n: int = 1, axis: int = -1) -> Any:
    """The differences of neighbours along an axis, ``n`` times over.

    Parameters
    ----------
    x : tensor or array
    n : int
        How often; the result is shorter by this.
    axis : int
        Along which dimension; the last by default.

    >>> import theano.tensor as T
    >>> T.extra_ops.diff([1, 4, 9, 16]).eval().tolist()
    [3, 5, 7]
    >>> T.extra_ops.diff([1, 4, 9, 16], n=2).eval().tolist()
    [2, 2]
    """
    return DiffOp(n, axis)(x)


class BinCountLength(NonDifferentiable):
    """How many bins a vector of non-negative integers fills: its largest element and 1 more."""

    __props__ = ()

    def make_node(self, x: Any) -> Apply:
        return Apply(self, [x], [tensor_type("int64", ())()])

    def compute(self, xp: Any, x: Any) -> Any:
        return xp.max(xp.astype(x, np.dtype("int64")), initial=-1) + 1

    def infer_shape(self, node: Apply, shapes: Sequence[Any]) -> list[tuple[Any, ...]]:
        return [()]


@documented_in("theano.tensor.extra_ops")
class BinCountOp(Op):
    """How often each of 0, 1, ... ``length - 1`` occurs in ``x``, or the sum of its weights.

    Inputs are ``x``, ``weights`` if there are any, and ``length``.
    """

    __props__ = ("weighted", "assert_nonneg")

    def __init__(self, weighted: bool = False, assert_nonneg: bool = False) -> None:
        self.weighted = bool(weighted)
        self.assert_nonneg = bool(assert_nonneg)
        self.demand_only = (1 + self.weighted,)  # type: ignore[misc]

    def make_node(self, x: Any, *rest: Any) -> Apply:
        x = as_tensor_variable(x)
        if x.ndim != 1:
            raise TypeError(f"bincount takes a vector, got {x} of type {x.type}")
        if x.dtype not in integer_dtypes:
            raise TypeError(f"bincount takes integers, got {x} of type {x.type}; cast it first")
        inputs = [x, *map(as_tensor_variable, rest)]
        dtype = "int64"
        if self.weighted:
            weights = inputs[1]
            if weights.ndim > 1:
                raise TypeError(
                    f"bincount takes a vector of weights, got {weights} of type {weights.type}"
                )
            dtype = _summed(weights.dtype)
        return Apply(self, inputs, [tensor_type(dtype, (False,))()])

    def validate(self, node: Apply, inputs: Sequence[Any]) -> None:
        x = inputs[0]
        # lengths first: a compiled program knows them, and not the values
        if self.weighted and inputs[1].ndim and len(inputs[1]) != len(x):
            raise ValueError(
                f"bincount takes as many weights as elements, got {len(inputs[1])} for {len(x)}"
            )
        if x.size and x.min() < 0:
            error = AssertionError if self.assert_nonneg else ValueError
            raise error(
                f"bincount takes non-negative integers, got {x.min()}: "
                "Input to bincount has negative values!"
            )

    def demands(self, node: Apply, shapes: Sequence[Any]) -> Sequence[Any]:
        return [node.inputs[-1]]

    def compute(self, xp: Any, x: Any, *rest: Any) -> Any:
        return self._counted(xp, int(rest[-1]), x, *rest[:-1])

    def lower_xla(self, xp: Any, sizes: Sequence[int], x: Any, *rest: Any) -> Any:
        return self._counted(xp, sizes[0], x, *rest[:-1])

    def _counted(self, xp: Any, length: int, x: Any, weights: Any = None) -> Any:
        dtype = np.dtype("int64" if weights is None else _summed(weights.dtype.name))
        one = np.ones((), dtype) if weights is None else xp.astype(weights, dtype)
        x = xp.astype(x, np.dtype("int64"))
        return xp.index_add(xp.zeros((length,), dtype=dtype), x, one)

    def checks(
        self, xp: Any, sizes: Sequence[int], inputs: Sequence[Any], outputs: Sequence[Any]
    ) -> Sequence[Any]:
        return (xp.all(inputs[0] >= 0),)

    def infer_shape(self, node: Apply, shapes: Sequence[Any]) -> list[tuple[Any, ...]]:
        return [(node.inputs[-1],)]

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        if not self.weighted:
            return [disconnected(), disconnected()]
        (x, weights, _), (g,) = inputs, output_grads
        gw = g[x] if weights.ndim else g[x].sum()
        return [disconnected(), patternbroadcast(gw, weights.broadcastable), disconnected()]

    def R_op(self, inputs: list[Any], eval_points: list[Any]) -> list[Any]:
        dw = eval_points[1] if self.weighted else None
        return [None if dw is None else self(inputs[0], dw, inputs[2])]

    def connection_pattern(self, node: Apply) -> list[list[bool]]:
        return [[self.weighted and i == 1] for i in range(len(node.inputs))]


def _summed(dtype: str) -> str:
    """The dtype that sums of such weights have: as ``sum`` gives."""
    if dtype in discrete_dtypes:
        return "uint64" if dtype in uint_dtypes else "int64"
    return dtype


@documented_in("theano.tensor.extra_ops")
def bincount(
    x: Any, weights: Any = None, minlength: Any = None, assert_nonneg: bool = False
) -> Any:
    """How often each of 0, 1, 2 ... occurs in a vector of non-negative integers.

    Parameters
    ----------
    x : integer vector
        A negative element raises ValueError when the function runs.
    weights : vector, optional
        Of the length of ``x``: added up instead of counted.
    minlength : int or integer scalar, optional
        The result has at least this many entries; by default one more than the largest element.
    assert_nonneg : bool
        Raise AssertionError for a negative element instead.

    Returns
    -------
    int64 vector, or one of the dtype that the sum of the weights has

    >>> import theano.tensor as T
    >>> T.bincount([1, 1, 4]).eval().tolist()
    [0, 2, 0, 0, 1]
    >>> T.bincount([1, 1, 4], weights=[0.5, 0.25, 3]).eval().tolist()
    [0.0, 0.75, 0.0, 0.0, 3.0]
    """
    x = as_tensor_variable(x)
    if x.ndim != 1 or x.dtype not in integer_dtypes:
        raise TypeError(f"bincount takes a vector of integers, got {x} of type {x.type}")
    length = BinCountLength()(x)
    if minlength is not None:
        least = as_tensor_variable(minlength)
        if least.ndim != 0 or least.dtype not in integer_dtypes:
            raise TypeError(f"bincount takes an integer as minlength, got {minlength!r:.80}")
        length = maximum(length, as_length(least))
    op = BinCountOp(weights is not None, assert_nonneg)
    return op(x, length) if weights is None else op(x, weights, length)


@documented_in("theano.tensor.extra_ops")
class Bartlett(NonDifferentiable):
    """The Bartlett (triangular) window of M points; see ``bartlett``.

    >>> import theano.tensor as T
    >>> T.extra_ops.bartlett_(5).eval()
    array([0. , 0.5, 1. , 0.5, 0. ])
    """

    __props__ = ()
    demand_only = (0,)

    def make_node(self, M: Any) -> Apply:
        M = as_tensor_variable(M)
        if M.ndim != 0:
            raise TypeError(f"Bartlett takes a scalar, got {M} of type {M.type}")
        if M.dtype not in integer_dtypes:
            raise TypeError(f"Bartlett takes an integer, got {M} of type {M.type}")
        return Apply(self, [M], [tensor_type("float64", (False,))()])

    def demands(self, node: Apply, shapes: Sequence[Any]) -> Sequence[Any]:
        return list(self.infer_shape(node, shapes)[0])

    def compute(self, xp: Any, M: Any) -> Any:
        return self._window(xp, int(M))

    def lower_xla(self, xp: Any, sizes: Sequence[int], M: Any) -> Any:
        return self._window(xp, sizes[0])

    def _window(self, xp: Any, n: int) -> Any:
        if n <= 1:
            return xp.ones((max(n, 0),), dtype=np.dtype("float64"))
        i = xp.arange(n, dtype=np.dtype("float64"))
        return 2.0 / (n - 1) * xp.minimum(i, n - 1 - i)

    def infer_shape(self, node: Apply, shapes: Sequence[Any]) -> list[tuple[Any, ...]]:
        return [(maximum(as_length(node.inputs[0]), as_length(0)),)]


bartlett_ = Bartlett()


@documented_in("theano.tensor.extra_ops")
def bartlett(M: Any) -> Any:
    """The Bartlett window: a triangle over M points, 0 at both ends and at most 1 in the middle.

    Parameters
    ----------
    M : int or integer scalar
        How many points; the result is empty for 0 and below. The middle reaches 1 if M is odd.

    >>> import theano.tensor as T
    >>> T.bartlett(5).eval().tolist()
    [0.0, 0.5, 1.0, 0.5, 0.0]
    """
    return bartlett_(M)


@documented_in("theano.tensor.extra_ops")
class Unique(Op):
    """The distinct elements of a tensor, or of its slices along an axis; see ``unique``."""

    __props__ = ("return_index", "return_inverse", "return_counts", "axis")
    # how many there are is known only once they are found
    runs_on = "host"

    def __init__(
        self,
        return_index: bool = False,
        return_inverse: bool = False,
        return_counts: bool = False,
        axis: int | None = None,
    ) -> None:
        self.return_index = bool(return_index)
        self.return_inverse = bool(return_inverse)
        self.return_counts = bool(return_counts)
        self.axis = None if axis is None else _int("Unique", "axis", axis)

    def make_node(self, x: Any) -> Apply:
        x = as_tensor_variable(x)
        if self.axis is None:
            pattern: tuple[bool, ...] = (False,)
        else:
            at = _in_range("Unique", self.axis, x, RuntimeError)
            pattern = tuple(b and i != at for i, b in enumerate(x.broadcastable))
        extra = self.return_index + self.return_inverse + self.return_counts
        outs = [tensor_type(x.dtype, pattern)()]
        return Apply(self, [x], outs + [tensor_type("int64", (False,))() for _ in range(extra)])

    def compute(self, xp: Any, x: Any) -> Any:
        found = np.unique(
            x,
            return_index=self.return_index,
            return_inverse=self.return_inverse,
            return_counts=self.return_counts,
            axis=self.axis,
        )
        if not isinstance(found, tuple):
            return found
        return (found[0], *[np.asarray(f, "int64").reshape(-1) for f in found[1:]])

    def infer_shape(self, node: Apply, shapes: Sequence[Any]) -> list[tuple[Any, ...] | None]:
        (shape,) = shapes
        out: list[tuple[Any, ...] | None] = [None] * len(node.outputs)
        if self.return_inverse:
            n = product(shape) if self.axis is None else shape[self.axis]
            out[1 + self.return_index] = (n,)
        return out

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        (x,), g = inputs, output_grads[0]
        if isinstance(g.type, DisconnectedType):
            return [zero_gradient(x)]
        # every one of equal elements gets the whole gradient, as for Max
        if self.return_inverse:
            where = outputs[1 + self.return_index]
        else:
            where = Unique(return_inverse=True, axis=self.axis)(x)[1]
        if self.axis is None:
            return [g[where].reshape(shape(x), ndim=x.ndim)]
        return [patternbroadcast(g[_part(self.axis % x.ndim, where)], x.broadcastable)]

    def R_op(self, inputs: list[Any], eval_points: list[Any]) -> list[Any]:
        (x,), (dx,) = inputs, eval_points
        extra = self.return_index + self.return_inverse + self.return_counts
        if dx is None:
            return [None] * (1 + extra)
        first = Unique(return_index=True, axis=self.axis)(x)[1]
        if self.axis is None:
            return [flatten(dx)[first]] + [None] * extra
        return [dx[_part(self.axis % x.ndim, first)]] + [None] * extra


@documented_in("theano.tensor.extra_ops")
def unique(
    x: Any,
    return_index: bool = False,
    return_inverse: bool = False,
    return_counts: bool = False,
    axis: int | None = None,
) -> Any:
    """The distinct elements of a tensor in ascending order; NaN counts as one element.

    Parameters
    ----------
    x : tensor or array
    return_index : bool
        Give also where each was found first.
    return_inverse : bool
        Give also, for each element of the flattened tensor, which of the distinct ones it is.
    return_counts : bool
        Give also how often each occurs.
    axis : int, optional
        Compare whole slices along this dimension; by default single elements.

    Returns
    -------
    One variable, or a list if more was asked for.

    >>> import theano.tensor as T
    >>> [v.eval().tolist() for v in T.extra_ops.unique([3, 1, 3], return_counts=True)]
    [[1, 3], [1, 2]]
    """
    return Unique(return_index, return_inverse, return_counts, axis)(x)
