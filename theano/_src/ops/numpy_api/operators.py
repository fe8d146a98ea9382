"""The operators and methods of tensor and scalar variables, installed on their classes.

Most methods only call a function of some family.
"""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import Any

import numpy as np

from theano._src.graph.graph import Variable
from theano._src.ground.documented import short_traceback
from theano._src.ground.errors import AsTensorError
from theano._src.ground.utils import is_several
from theano._src.ops.arrays import cumulative, diagonal as diagonals, search, select, sort
from theano._src.ops.core import cast
from theano._src.ops.core.dimshuffle import DimShuffle
from theano._src.ops.elementwise import (
    arithmetic,
    compare,
    complex_parts,
    explog,
    int_division,
    rounding,
    trig,
)
from theano._src.ops.index import index
from theano._src.ops.linalg import dot
from theano._src.ops.meta import misc, op_helpers
from theano._src.ops.numpy_api import not_values
from theano._src.ops.reduce import reduce
from theano._src.ops.shape import alloc, dims, shape, static_values
from theano._src.ops.shape.shape import reshape
from theano._src.types.aliases import Axis, DTypeLike, ShapeLike, TensorLike
from theano._src.types.convert import CONVERTERS
from theano._src.types.dtypes import known_dtype
from theano._src.types.scalar import (
    FROM_VARIABLES,
    Scalar,
    ScalarConstant,
    _scalar_py_operators,
    get_scalar_type,
)
from theano._src.types.tensor import TensorVariable, _tensor_py_operators


def _binary(op: Callable[[Any, Any], Any], other_way: str) -> Callable[[Any, Any], Any]:
    """Return the method for ``self`` on the left; ``other_way`` names that of the right operand."""

    def method(self: Variable, other: TensorLike) -> Any:
        try:
            return op(self, other)
        except Exception as error:
            if isinstance(error, AsTensorError) and _knows(other, other_way):
                return NotImplemented
            raise

    return method


def _knows(other: object, method: str) -> bool:
    """Whether another object may implement the operator, so that Python should try it."""
    kind = type(other)
    # lists, strings and the like have operators, but not with variables
    if kind.__module__ == "builtins":
        return False
    return getattr(kind, method, None) is not getattr(object, method, None)


def _reflected(op: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    return lambda self, other: op(other, self)


def _divmod(self: Variable, other: TensorLike) -> tuple[Any, Any]:
    return arithmetic.int_div(self, other), arithmetic.mod(self, other)


def _reshape(self: Variable, shape: ShapeLike, *rest: Any, ndim: int | None = None) -> Any:
    """Reshape as in NumPy; lengths may be symbolic. Give ``ndim`` if it cannot be inferred."""
    if rest and isinstance(rest[0], int) and not isinstance(shape, int):
        ndim, rest = rest[0], ()
    return reshape(self, (shape, *rest) if rest else shape, ndim=ndim)


def _dimshuffle(self: Variable, *pattern: Any) -> Any:
    """Reorder the dimensions; 'x' adds a broadcastable one."""
    if len(pattern) == 1 and is_several(pattern[0]):
        pattern = tuple(pattern[0])
    return DimShuffle(self.type.broadcastable, pattern)(self)


def _transpose(self: Variable, *axes: Any) -> Any:
    """Permute the dimensions, as numpy.transpose does."""
    if not axes:
        return dims.transpose(self)
    if len(axes) == 1 and is_several(axes[0]):
        axes = tuple(axes[0])
    return dims.transpose(self, axes)


def _size(self: TensorVariable) -> Any:
    """The number of elements."""
    if self.ndim == 1:
        return self.shape[0]
    return reduce.prod(self.shape)


def _ones_like(self: Variable, dtype: DTypeLike = None) -> Any:
    return alloc.ones_like(self, dtype=dtype)


def _norm(self: Variable, L: float, axis: Axis = None, keepdims: bool = False) -> Any:
    """The L-norm: the L-th root of the sum of the L-th powers of the absolute values."""
    if L == 0:
        raise NotImplementedError("norm with L=0 is not a norm; count with neq(x, 0).sum()")
    if np.isinf(L):
        raise NotImplementedError("norm with L=inf: use abs_(x).max(axis)")
    powers = arithmetic.pow(arithmetic.abs_(self), L)
    return arithmetic.pow(reduce.sum(powers, axis=axis, keepdims=keepdims), 1.0 / L)


def _copy(self: Variable, name: str | None = None) -> Any:
    """Return a copy of the values."""
    result = arithmetic.tensor_copy(self)
    result.name = name
    return result


def _trace(self: Variable) -> Any:
    return diagonals.trace(self)


def _as_scalar_tensor(x: object) -> Any:
    if isinstance(x, Variable) and isinstance(x.type, Scalar):
        return misc.tensor_from_scalar(x)
    return None


_TENSOR: dict[str, Any] = {
    "__abs__": arithmetic.abs_,
    "__neg__": arithmetic.neg,
    "__invert__": compare.invert,
    "__lt__": _binary(compare.lt, "__gt__"),
    "__le__": _binary(compare.le, "__ge__"),
    "__gt__": _binary(compare.gt, "__lt__"),
    "__ge__": _binary(compare.ge, "__le__"),
    "__and__": _binary(compare.and_, "__rand__"),
    "__or__": _binary(compare.or_, "__ror__"),
    "__xor__": _binary(compare.xor, "__rxor__"),
    "__rand__": _reflected(compare.and_),
    "__ror__": _reflected(compare.or_),
    "__rxor__": _reflected(compare.xor),
    "__add__": _binary(arithmetic.add, "__radd__"),
    "__sub__": _binary(arithmetic.sub, "__rsub__"),
    "__mul__": _binary(arithmetic.mul, "__rmul__"),
    "__truediv__": _binary(arithmetic.true_div, "__rtruediv__"),
    "__floordiv__": _binary(arithmetic.int_div, "__rfloordiv__"),
    "__mod__": _binary(arithmetic.mod, "__rmod__"),
    "__pow__": _binary(arithmetic.pow, "__rpow__"),
    "__divmod__": _binary(_divmod, "__rdivmod__"),
    "__div__": int_division.div_proxy,
    "__radd__": _reflected(arithmetic.add),
    "__rsub__": _reflected(arithmetic.sub),
    "__rmul__": _reflected(arithmetic.mul),
    "__rtruediv__": _reflected(arithmetic.true_div),
    "__rdiv__": _reflected(int_division.div_proxy),
    "__rfloordiv__": _reflected(arithmetic.int_div),
    "__rmod__": _reflected(arithmetic.mod),
    "__rpow__": _reflected(arithmetic.pow),
    "__matmul__": _binary(dot.matmul, "__rmatmul__"),
    "__rmatmul__": _reflected(dot.matmul),
    "__ceil__": rounding.ceil,
    "__floor__": rounding.floor,
    "__trunc__": rounding.trunc,
    "__bool__": not_values.truth,
    "__complex__": not_values.no_number("complex number", "use .astype('complex128')"),
    "__contains__": not_values.no_contains,
    "__eq__": not_values.equal,
    "__format__": not_values.no_format,
    "__getattr__": not_values.no_attribute,
    "__round__": not_values.no_round,
    "__len__": not_values.length,
    "__float__": not_values.no_number(
        "float", "use theano.tensor.exp and its like for those of math"
    ),
    "__int__": not_values.no_number("int", "use .astype('int64')"),
    "__index__": not_values.no_number(
        "integer", "loop with theano.scan instead of range, make arrays with theano.tensor.zeros"
    ),
    "__getitem__": lambda self, key: index.getitem(self, key),
    "__setitem__": not_values.no_setitem,
    "__iter__": lambda self: index.iterate(self),
    # otherwise NumPy's operators would treat a variable as an element
    "__array_priority__": 1000,
    "T": property(lambda self: dims.transpose(self)),
    "shape": property(lambda self: shape.shape(self)),
    "size": property(_size),
    "real": property(complex_parts.real),
    "imag": property(complex_parts.imag),
    "reshape": _reshape,
    "dimshuffle": _dimshuffle,
    "transpose": _transpose,
    "flatten": lambda self, ndim=1, outdim=None: shape.flatten(
        self, ndim=ndim if outdim is None else outdim
    ),
    "ravel": lambda self: shape.flatten(self),
    "squeeze": dims.squeeze,
    "swapaxes": dims.swapaxes,
    "sum": reduce.sum,
    "prod": reduce.prod,
    "mean": reduce.mean,
    "var": reduce.var,
    "std": reduce.std,
    "min": reduce.min,
    "max": reduce.max,
    "argmin": reduce.argmin,
    "argmax": reduce.argmax,
    "any": reduce.any,
    "all": reduce.all,
    "ptp": reduce.ptp,
    "norm": _norm,
    "dot": dot.dot,
    "__dot__": dot.dot,
    "__rdot__": _reflected(dot.dot),
    "astype": cast.cast,
    "transfer": op_helpers.transfer,
    "clip": arithmetic.clip,
    "conj": complex_parts.conj,
    "conf": complex_parts.conj,
    "conjugate": complex_parts.conj,
    "round": rounding.round,
    "copy": _copy,
    "fill": lambda self, value: arithmetic.fill(self, value),
    "zeros_like": lambda self, dtype=None: alloc.zeros_like(self, dtype=dtype),
    "ones_like": _ones_like,
    "get_scalar_constant_value": lambda self: static_values.get_scalar_constant_value(self),
    "take": select.take,
    "choose": select.choose,
    "repeat": select.repeat,
    "diagonal": diagonals.diagonal,
    "trace": _trace,
    "nonzero": select.nonzero,
    "nonzero_values": select.nonzero_values,
    "compress": lambda self, a, axis=None: select.compress(self, a, axis=axis),
    "searchsorted": search.searchsorted,
    "sort": sort.sort,
    "argsort": sort.argsort,
    "cumsum": cumulative.cumsum,
    "cumprod": cumulative.cumprod,
    "exp": explog.exp,
    "exp2": explog.exp2,
    "expm1": explog.expm1,
    "log": explog.log,
    "log2": explog.log2,
    "log10": explog.log10,
    "log1p": explog.log1p,
    "sqrt": arithmetic.sqrt,
    "ceil": rounding.ceil,
    "floor": rounding.floor,
    "trunc": rounding.trunc,
    **{
        name: getattr(trig, name)
        for name in (
            "sin cos tan arcsin arccos arctan sinh cosh tanh arcsinh arccosh arctanh "
            "deg2rad rad2deg"
        ).split()
    },
}

_SCALAR_NAMES = {
    "__abs__": "abs_",
    "__neg__": "neg",
    "__add__": "add",
    "__sub__": "sub",
    "__mul__": "mul",
    "__truediv__": "true_div",
    "__floordiv__": "int_div",
    "__mod__": "mod",
    "__pow__": "pow",
    "__lt__": "lt",
    "__le__": "le",
    "__gt__": "gt",
    "__ge__": "ge",
    "__and__": "and_",
    "__or__": "or_",
    "__xor__": "xor",
    "__invert__": "invert",
}


def _filled_with(number: int) -> Callable[..., Any]:
    def like(self: Variable, dtype: DTypeLike = None) -> Any:
        kind = get_scalar_type(self.type.dtype if dtype is None else known_dtype(dtype))
        return arithmetic.scalar_second(self, ScalarConstant(kind, kind.filter(number)))

    return like


_SCALAR_METHODS: dict[str, Callable[..., Any]] = {
    "zeros_like": _filled_with(0),
    "ones_like": _filled_with(1),
    "astype": cast.scalar_cast,
}


def _install() -> None:
    for name, method in _TENSOR.items():
        # ops are not functions, so they do not bind to instances
        if hasattr(method, "make_node"):
            method = _bound(method)
        if isinstance(method, FunctionType):
            method = short_traceback(method)
        setattr(_tensor_py_operators, name, method)
    for name, which in _SCALAR_NAMES.items():
        tensor_op = getattr(arithmetic, which, None) or getattr(compare, which)
        scalar_op = tensor_op.scalar_op
        setattr(_scalar_py_operators, name, _bound(scalar_op))
        if name.count("_") == 4 and name not in ("__abs__", "__neg__", "__invert__"):
            setattr(_scalar_py_operators, f"__r{name[2:]}", _reflected(scalar_op))
    for name, method in _SCALAR_METHODS.items():
        setattr(_scalar_py_operators, name, method)
    CONVERTERS.insert(0, _as_scalar_tensor)
    FROM_VARIABLES.append(_number_in)


def _number_in(x: Variable) -> Any:
    """Return a 0-d tensor as a scalar variable; None for other variables."""
    return misc.scalar_from_tensor(x) if getattr(x.type, "ndim", None) == 0 else None


def _bound(op: Callable[..., Any]) -> Callable[..., Any]:
    return lambda self, *args: op(self, *args)


_install()
