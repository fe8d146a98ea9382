"""Reductions, which fold a scalar op over dimensions: sum, product, maximum, minimum."""

from __future__ import annotations

import copy
import math
import operator
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Self

import numpy as np

from theano._src.graph.graph import Apply, Constant, Variable
from theano._src.graph.op import Op
from theano._src.ground.array_types import Array, ArrayNamespace
from theano._src.ground.documented import documented_in
from theano._src.ground.length_numbers import are_numbers
from theano._src.ground.utils import is_several
from theano._src.ops.core.cast import cast
from theano._src.ops.core.grad_helpers import conjugated
from theano._src.ops.core.scalar import BinaryScalarOp, ScalarOp
from theano._src.ops.elementwise.arithmetic import (
    fill,
    scalar_add,
    scalar_maximum,
    scalar_minimum,
    scalar_mul,
    upcast_out_min8,
)
from theano._src.ops.elementwise.compare import eq, switch
from theano._src.ops.reduce.reduce_grad import (
    along_product,
    at_extreme,
    spread,
    through_product,
    with_lost_dims,
)
from theano._src.types.aliases import Axis, DTypeLike, TensorLike
from theano._src.types.convert import as_tensor_variable
from theano._src.types.dtypes import (
    bool_dtypes,
    complex_dtypes,
    continuous_dtypes,
    discrete_dtypes,
    int_dtypes,
    known_dtype,
    uint_dtypes,
    upcast,
)
from theano._src.types.null import grad_not_implemented
from theano._src.types.tensor import TensorVariable, tensor_type

# NumPy and jax.numpy have whole-array forms of these folds
_FOLDS = {"add": "sum", "multiply": "prod", "maximum": "max", "minimum": "min"}

_WIDE = (
    dict.fromkeys((*bool_dtypes, *int_dtypes), "int64")
    | dict.fromkeys(uint_dtypes, "uint64")
    | {"float16": "float32", "float32": "float64", "complex64": "complex128"}
)


_OF_TWO = {
    "Max": ". The larger of two tensors is theano.tensor.maximum(x, y)",
    "Min": ". The smaller of two tensors is theano.tensor.minimum(x, y)",
}


def read_axis(axis: Axis, who: str) -> tuple[int, ...] | None:
    """Return ``axis`` as a tuple of ints, which may be negative; None means all dimensions."""
    if axis is None:
        return None
    data: Any = axis
    if isinstance(data, Variable):
        if not isinstance(data, Constant):
            raise TypeError(
                f"{who} takes a constant axis, got the symbolic variable {axis}; "
                "the number of dimensions of a result is part of its type" + _OF_TWO.get(who, "")
            )
        data = data.data
        if data is None:
            return None
    if isinstance(data, np.ndarray):
        data = data.tolist()
    try:
        if is_several(data):
            return tuple(operator.index(_plain(a)) for a in data)
        return (operator.index(data),)
    except TypeError:
        raise TypeError(
            f"{who} takes None, an int or a list of ints as axis, got {axis!r:.80}"
        ) from None


def _plain(axis: Any) -> Any:
    return axis.data[()] if isinstance(axis, Constant) else axis


def settle_axis(
    axis: tuple[int, ...] | None, x: TensorVariable, who: str
) -> tuple[int, ...] | None:
    """Return ``axis`` non-negative, sorted and unique; raise ValueError if it is out of range."""
    if axis is None:
        return None
    for a in axis:
        if not -x.ndim <= a < x.ndim:
            have = f"from {-x.ndim} to {x.ndim - 1}" if x.ndim else "of none (it is 0-d)"
            raise ValueError(
                f"{who} takes axes {have} for {x} of type {x.type}, got axis {a}; "
                "not enough dimensions to reduce"
            )
    return tuple(sorted({a % x.ndim for a in axis}))


def _converted(xp: ArrayNamespace, value: Array, dtype: str) -> Any:
    """Cast ``value`` to ``dtype``; for a real dtype the imaginary part is dropped."""
    if value.dtype.kind == "c" and dtype not in complex_dtypes:
        value = xp.real(value)
    return xp.astype(value, dtype)


#: from this many columns on, add rows one by one: XLA itself would sum column by column
_WIDE_ROWS = {"float32": 256, "float64": 4096}


@documented_in("theano.tensor.elemwise")
class CAReduce(Op):
    """A commutative, associative scalar op of two numbers, folded over dimensions.

    Parameters
    ----------
    scalar_op : ScalarOp
        Its ``identity`` is the result for no elements; without one, no elements raise ValueError.
    axis : int or list of ints, optional
        The dimensions to reduce over; all by default.

    >>> import theano, theano.tensor as T
    >>> from theano.tensor.elemwise import CAReduce
    >>> largest = CAReduce(theano.scalar.maximum, axis=1)
    >>> largest(T.as_tensor_variable([[1, 5], [7, 3]])).eval().tolist()
    [5, 7]
    """

    __props__: ClassVar[tuple[str, ...]] = ("scalar_op", "axis")

    _shown: str | None = None
    #: the NumPy ufunc whose ``reduce`` computes this op, if there is one
    _ufunc: np.ufunc | None = None

    def __init__(self, scalar_op: ScalarOp, axis: Axis = None) -> None:
        if not isinstance(scalar_op, ScalarOp):
            raise TypeError(f"{type(self).__name__} takes a ScalarOp, got {scalar_op!r}")
        if scalar_op.nin not in (-1, 2) or scalar_op.nout != 1:
            raise NotImplementedError(
                f"{type(self).__name__} takes a function of two numbers with one result, got "
                f"{scalar_op} with {scalar_op.nin} inputs and {scalar_op.nout} outputs"
            )
        self.scalar_op = scalar_op
        self.axis = read_axis(axis, self._shown or f"Reduce{{{scalar_op}}}")
        self.runs_on = scalar_op.runs_on if scalar_op.has_compute else "host"  # type: ignore[misc]

    @property
    def name(self) -> str:
        """The printed form: ``Sum``, ``Sum{0}``, ``Reduce{maximum}{0, 1}``."""
        shown = self._shown or f"Reduce{{{self.scalar_op}}}"
        return shown if self.axis is None else f"{shown}{{{', '.join(map(str, self.axis))}}}"

    def make_node(self, x: TensorLike) -> Apply:
        x = as_tensor_variable(x)
        op = self._for_input(x)
        pattern = tuple(
            b for i, b in enumerate(x.broadcastable) if op.axis is not None and i not in op.axis
        )
        return Apply(op, [x], [tensor_type(op._output_dtype(x.dtype), pattern)()])

    def _for_input(self, x: TensorVariable) -> Self:
        """Return this op with the properties that depend on the input."""
        axis = settle_axis(self.axis, x, str(self))
        if axis == self.axis:
            return self
        op = copy.copy(self)
        op.axis = axis
        return op

    def _output_dtype(self, dtype: str) -> str:
        return dtype

    def compute(self, xp: ArrayNamespace, x: Array) -> Any:
        fold = _FOLDS.get(self.scalar_op.nfunc or "")
        if fold in ("max", "min"):
            return getattr(xp, fold)(x, axis=self.axis)
        if fold is not None and x.dtype != bool:
            return getattr(xp, fold)(x, axis=self.axis, dtype=x.dtype)
        return self._fold(xp, x)

    def _fold(self, xp: ArrayNamespace, x: Array) -> Any:
        """Fold with the scalar op: adjacent pairs if it is associative, else one by one."""
        axis = tuple(range(x.ndim)) if self.axis is None else self.axis
        kept = tuple(i for i in range(x.ndim) if i not in axis)
        shape = tuple(x.shape[i] for i in kept)
        n = math.prod(x.shape[i] for i in axis)
        x = xp.reshape(xp.transpose(x, axis + kept), (n, *shape))
        if n == 1:
            return xp.array(x[0], copy=True)
        if n == 0:
            return xp.full(shape, np.asarray(self.scalar_op.identity).astype(x.dtype))
        dtype = x.dtype
        loops, _ = self.scalar_op.plan((dtype, dtype))

        def both(a: Array, b: Array) -> Any:
            result = self.scalar_op.compute(xp, xp.astype(a, loops[0]), xp.astype(b, loops[1]))
            return xp.astype(xp.asarray(result), dtype)

        if not self.scalar_op.associative:
            result = x[0]
            for i in range(1, n):
                result = both(result, x[i])
            return result
        while n > 1:
            even = n - n % 2
            x = xp.concatenate([both(x[0:even:2], x[1:even:2]), x[even:]])
            n = n - n // 2
        return x[0]

    def bind(self, node: Apply) -> Callable[..., Any]:
        ufunc, axis, dtype = self._ufunc, self.axis, node.outputs[0].type.numpy_dtype
        if ufunc is None or self._loop_dtype(node) != dtype:
            return Op.bind(self, node)
        reduce, validate = ufunc.reduce, self.validate

        def run(x: Array) -> Any:
            if not x.size:
                validate(node, (x,))
            return reduce(x, axis, dtype)

        return run

    def _loop_dtype(self, node: Apply) -> Any:
        return node.inputs[0].type.numpy_dtype

    def validate(self, node: Apply, inputs: Sequence[Any]) -> None:
        (x,) = inputs
        if x.size == 0 and self.scalar_op.identity is None:
            for a in range(x.ndim) if self.axis is None else self.axis:
                if x.shape[a] == 0:
                    raise ValueError(
                        f"{self} takes at least one element, got an input of shape {x.shape} with "
                        f"zero-size on axis {a}; {self.scalar_op} has no identity to give instead"
                    )

    def infer_shape(self, node: Apply, shapes: Sequence[Any]) -> list[tuple[Any, ...]]:
        (shape,) = shapes
        if self.axis is None:
            return [()]
        return [tuple(n for i, n in enumerate(shape) if i not in self.axis)]

    def batch_rule(
        self, node: Apply, inputs: Sequence[Any], is_batched: Sequence[bool]
    ) -> Sequence[Any] | None:
        (x,) = inputs
        op = copy.copy(self)
        op.axis = tuple(range(1, x.ndim) if self.axis is None else [a + 1 for a in self.axis])
        return [op(x)]

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        (x,), (y,), (g,) = inputs, outputs, output_grads
        match _FOLDS.get(self.scalar_op.nfunc or ""):
            case "sum":
                return [spread(x, g, self.axis)]
            case "prod":
                return [self._through_product(x, y, g)]
            case "max" | "min":
                # each of several equal extremes gets the whole gradient
                return [switch(eq(x, spread(x, y, self.axis)), spread(x, g, self.axis), 0)]
        return [grad_not_implemented(self, 0, x, f"Nothing says how {self.scalar_op} changes.")]

    def _through_product(self, x: TensorVariable, y: TensorVariable, g: TensorVariable) -> Any:
        return through_product(
            x,
            makeKeepDims(x, g, self.axis),
            lambda u: reduced(self, u, True),
            lambda t: sum(t, self.axis, keepdims=True),
            lambda h: fill(x, h),
        )

    def R_op(self, inputs: list[Any], eval_points: list[Any]) -> list[Any]:
        (x,), (dx,) = inputs, eval_points
        y = self(x)
        if dx is None or y.dtype in discrete_dtypes:
            return [None]
        fold = _FOLDS.get(self.scalar_op.nfunc or "")
        if fold == "sum":
            return [sum(dx, self.axis, y.dtype)]
        if fold in ("max", "min"):
            return [at_extreme(x, y, dx, self.axis)]
        if fold == "prod":
            return [along_product(x, dx, self, lambda t: sum(t, self.axis))]
        raise NotImplementedError(f"{self}: nothing says how {self.scalar_op} changes")


@documented_in("theano.tensor.elemwise")
class CAReduceDtype(CAReduce):
    """A reduction with a dtype for its result and a dtype for its accumulator.

    Parameters
    ----------
    scalar_op : ScalarOp
    axis : int or list of ints, optional
    dtype : str, optional
        The dtype of the result: by default that of the input, but 64 bits for integers and bools.
    acc_dtype : str, optional
        The dtype of the accumulator: by default at least 64 bits (float32 for float16), and
        complex128 for complex numbers.
    acc_given : bool, optional
        Whether the program set ``acc_dtype``; by default, whether it is given. One that is
        not is narrower on TPUs, which have no float64.
    """

    __props__: ClassVar[tuple[str, ...]] = ("scalar_op", "axis", "dtype", "acc_dtype", "acc_given")
    batch_rule = CAReduce.batch_rule
    #: that of ops in pickles, which may lack it
    acc_given: bool = False

    def __init__(
        self,
        scalar_op: ScalarOp,
        axis: Axis = None,
        dtype: DTypeLike = None,
        acc_dtype: DTypeLike = None,
        acc_given: bool | None = None,
    ) -> None:
        CAReduce.__init__(self, scalar_op, axis)
        self.dtype = None if dtype is None else known_dtype(dtype)
        self.acc_dtype = None if acc_dtype is None else known_dtype(acc_dtype)
        self.acc_given = acc_dtype is not None if acc_given is None else bool(acc_given)

    @property
    def name(self) -> str:
        """The printed form; dtypes are not shown."""
        shown = super().name
        return shown if self._shown else shown.replace("Reduce", "ReduceDtype", 1)

    def _for_input(self, x: TensorVariable) -> Self:
        op = CAReduce._for_input(self, x)
        dtype, acc_dtype = self._output_dtype(x.dtype), self._acc_dtype(x.dtype)
        if (op.dtype, op.acc_dtype) != (dtype, acc_dtype):
            op = copy.copy(op)
            op.dtype, op.acc_dtype = dtype, acc_dtype
        return op

    def _output_dtype(self, dtype: str) -> str:
        if self.dtype is not None:
            return self.dtype
        return _WIDE[dtype] if dtype in discrete_dtypes else dtype

    def _loop_dtype(self, node: Apply) -> Any:
        return self.acc_dtype

    def _accumulator(self, xp: ArrayNamespace, x: Array) -> str:
        """The dtype in which an array is folded by this engine."""
        acc = str(self.acc_dtype)
        is_given = self.acc_given or self.dtype == acc
        return acc if is_given else str(xp.accumulator(x.dtype.name, acc))

    def _acc_dtype(self, dtype: str) -> str:
        acc = self.acc_dtype
        if acc is None:
            return _WIDE.get(dtype, dtype)
        if upcast(dtype, acc) != acc and not (
            acc in continuous_dtypes and dtype in discrete_dtypes
        ):
            raise TypeError(
                f"{self} takes an acc_dtype that holds its input, got acc_dtype={acc} for an "
                f"input of {dtype}; leave acc_dtype out, or give dtype={acc!r} to cast the result, "
                "or cast the input"
            )
        return acc

    def compute(self, xp: ArrayNamespace, x: Array) -> Any:
        x = xp.astype(x, self._accumulator(xp, x))
        return _converted(xp, CAReduce.compute(self, xp, x), str(self.dtype))


@documented_in("theano.tensor.elemwise")
class Sum(CAReduceDtype):
    """The sum over dimensions; 0 for no elements.

    >>> import theano.tensor as T
    >>> str(T.dmatrix("x").sum(axis=0))
    'Sum{0}.0'
    """

    __props__ = ("axis", "dtype", "acc_dtype", "acc_given")

    _shown = "Sum"
    _ufunc = np.add
    batch_rule = CAReduce.batch_rule

    def __init__(
        self,
        axis: Axis = None,
        dtype: DTypeLike = None,
        acc_dtype: DTypeLike = None,
        acc_given: bool | None = None,
    ) -> None:
        CAReduceDtype.__init__(self, scalar_add, axis, dtype, acc_dtype, acc_given)

    def compute(self, xp: ArrayNamespace, x: Array) -> Any:
        result = xp.sum(x, axis=self.axis, dtype=self._accumulator(xp, x))
        return _converted(xp, result, str(self.dtype))

    def lower_xla(self, xp: ArrayNamespace, sizes: Sequence[int], x: Array) -> Any:
        axis = self.axis or ()
        columns = math.prod(x.shape[len(axis) :])
        least = _WIDE_ROWS.get(x.dtype.name)
        if axis != tuple(range(len(axis))) or not axis or least is None:
            return self.compute(xp, x)
        if not are_numbers(*x.shape) or columns < least:
            return self.compute(xp, x)
        rows = xp.reshape(x, (math.prod(x.shape[: len(axis)]), columns))
        result = xp.reshape(xp.sum_rows(rows, self._accumulator(xp, x)), x.shape[len(axis) :])
        return xp.astype(result, str(self.dtype))


@documented_in("theano.tensor.elemwise")
class Prod(CAReduceDtype):
    """The product over dimensions; 1 for no elements.

    ``no_zeros_in_input`` promises that no element is 0, which makes the gradient simpler.
    """

    __props__ = ("axis", "dtype", "acc_dtype", "no_zeros_in_input", "acc_given")

    _shown = "Prod"
    _ufunc = np.multiply
    batch_rule = CAReduce.batch_rule

    def __init__(
        self,
        axis: Axis = None,
        dtype: DTypeLike = None,
        acc_dtype: DTypeLike = None,
        no_zeros_in_input: bool = False,
        acc_given: bool | None = None,
    ) -> None:
        CAReduceDtype.__init__(self, scalar_mul, axis, dtype, acc_dtype, acc_given)
        self.no_zeros_in_input = bool(no_zeros_in_input)

    def compute(self, xp: ArrayNamespace, x: Array) -> Any:
        result = xp.prod(x, axis=self.axis, dtype=self._accumulator(xp, x))
        return _converted(xp, result, str(self.dtype))

    def _through_product(self, x: TensorVariable, y: TensorVariable, g: TensorVariable) -> Any:
        if self.acc_dtype in discrete_dtypes:
            # integer accumulation rounds: the gradient is 0
            return x.zeros_like(dtype=g.dtype)
        if x.dtype in discrete_dtypes:
            # the dtype of the computation: a quotient of integers may have a wider one
            x = cast(x, self.acc_dtype)
        if not self.no_zeros_in_input:
            op = Prod(self.axis, self.dtype, self.acc_dtype, True, self.acc_given)
            return CAReduce._through_product(op, x, y, g)
        return spread(x, g, self.axis) * conjugated(spread(x, y, self.axis) / x)


@documented_in("theano.tensor.elemwise")
class MulWithoutZeros(BinaryScalarOp):
    """x * y, but a factor 0 is ignored: the result is the other factor."""

    name = "mul_without_zeros"
    commutative = True
    associative = True
    # the result is 0 if all factors are ignored
    identity = 0

    def compute(self, xp: ArrayNamespace, x: Array, y: Array) -> Any:
        return xp.where(x == 0, y, xp.where(y == 0, x, x * y))


mul_without_zeros = MulWithoutZeros(upcast_out_min8, name="mul_without_zeros")


@documented_in("theano.tensor.elemwise")
class ProdWithoutZeros(CAReduceDtype):
    """The product of the elements that are not zero; 0 if there are none."""

    __props__ = ("axis", "dtype", "acc_dtype", "acc_given")

    _shown = "ProdWithoutZeros"
    batch_rule = CAReduce.batch_rule

    def __init__(
        self,
        axis: Axis = None,
        dtype: DTypeLike = None,
        acc_dtype: DTypeLike = None,
        acc_given: bool | None = None,
    ) -> None:
        CAReduceDtype.__init__(self, mul_without_zeros, axis, dtype, acc_dtype, acc_given)

    def compute(self, xp: ArrayNamespace, x: Array) -> Any:
        x = xp.astype(x, self._accumulator(xp, x))
        present = x != 0
        result = xp.prod(xp.where(present, x, xp.ones_like(x)), axis=self.axis, dtype=x.dtype)
        result = xp.where(xp.any(present, axis=self.axis), result, xp.zeros_like(result))
        return _converted(xp, result, str(self.dtype))

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        (x,), (y,), (g,) = inputs, outputs, output_grads
        # an ignored element has gradient 0
        slope = switch(eq(x, 0), 0, spread(x, y, self.axis) / switch(eq(x, 0), 1, x))
        return [spread(x, g, self.axis) * conjugated(slope)]

    def R_op(self, inputs: list[Any], eval_points: list[Any]) -> list[Any]:
        (x,), (dx,) = inputs, eval_points
        if dx is None:
            return [None]
        return [self(x) * sum(switch(eq(x, 0), 0, dx / switch(eq(x, 0), 1, x)), self.axis)]


class Max(CAReduce):
    """The largest element over dimensions; NaN if any is NaN."""

    __props__ = ("axis",)

    _ufunc = np.maximum

    def __init__(self, axis: Axis = None) -> None:
        CAReduce.__init__(self, scalar_maximum, axis)


class Min(CAReduce):
    """The smallest element over dimensions; NaN if any is NaN."""

    __props__ = ("axis",)

    _ufunc = np.minimum

    def __init__(self, axis: Axis = None) -> None:
        CAReduce.__init__(self, scalar_minimum, axis)


@documented_in("theano.tensor.basic")
def makeKeepDims(x: TensorLike, y: TensorLike, axis: Axis) -> TensorVariable:
    """``y``, a reduction of ``x`` over ``axis``, with the reduced dimensions at length 1.

    >>> import theano.tensor as T
    >>> x = T.dmatrix("x")
    >>> T.makeKeepDims(x, x.sum(axis=1), 1).broadcastable
    (False, True)
    """
    x, y = as_tensor_variable(x), as_tensor_variable(y)
    gone = settle_axis(read_axis(axis, "makeKeepDims"), x, "makeKeepDims")
    return with_lost_dims(x, y, gone)


def reduced(op: CAReduce, x: TensorVariable, keepdims: bool) -> TensorVariable:
    """Apply ``op`` to ``x``; with ``keepdims`` the reduced dimensions stay, with length 1."""
    out = op(x)
    return makeKeepDims(x, out, op.axis) if keepdims else out


@documented_in("theano.tensor.basic")
def sum(
    x: TensorLike,
    axis: Axis = None,
    dtype: DTypeLike = None,
    keepdims: bool = False,
    acc_dtype: DTypeLike = None,
) -> TensorVariable:
    """The sum of the elements over dimensions.

    Parameters
    ----------
    x : tensor or array
    axis : int or list of ints, optional
        The dimensions to sum over; all by default.
    dtype : str, optional
        The dtype of the result: by default that of ``x``, but int64 for bools and signed integers
        and uint64 for unsigned integers.
    keepdims : bool
        Whether to keep the reduced dimensions with length 1, so that the result broadcasts
        against ``x``.
    acc_dtype : str, optional
        The dtype of the accumulator: by default at least int64, uint64, float64 or complex128
        (float32 for float16). TPUs have no float64: there a default of float64 is float32.

    >>> import numpy as np, theano.tensor as T
    >>> T.sum(np.array([100, 100], "int8")).eval().item()
    200
    >>> T.sum([[1, 2], [3, 4]], axis=1, keepdims=True).eval().tolist()
    [[3], [7]]
    """
    return reduced(Sum(axis, dtype, acc_dtype), as_tensor_variable(x), keepdims)


@documented_in("theano.tensor.basic")
def prod(
    x: TensorLike,
    axis: Axis = None,
    dtype: DTypeLike = None,
    keepdims: bool = False,
    acc_dtype: DTypeLike = None,
    no_zeros_in_input: bool = False,
) -> TensorVariable:
    """The product of the elements over dimensions.

    Parameters
    ----------
    x : tensor or array
    axis, dtype, keepdims, acc_dtype
        As for ``sum``.
    no_zeros_in_input : bool
        A promise that no element is zero. The gradient is then simpler and can itself be
        differentiated, but it is wrong if an element is zero.

    >>> import theano.tensor as T
    >>> T.prod([[1, 2], [3, 4]], axis=0).eval().tolist()
    [3, 8]
    """
    op = Prod(axis, dtype, acc_dtype, no_zeros_in_input)
    return reduced(op, as_tensor_variable(x), keepdims)
