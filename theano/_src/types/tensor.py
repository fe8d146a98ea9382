"""TensorType and its variables: arrays with one dtype and a fixed number of dimensions."""

from __future__ import annotations

import contextlib
import copy
from collections.abc import Callable, Iterable
from numbers import Number
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from theano._src.c_code.tensor_text import TensorInC
from theano._src.graph.graph import Constant, Variable
from theano._src.graph.old_state import set_by_init
from theano._src.graph.type import Type
from theano._src.ground.config import config
from theano._src.ground.documented import documented_in, short_traceback
from theano._src.ground.tracebacks import warn_user
from theano._src.types.allclose import values_eq_approx
from theano._src.types.dtypes import NUMPY_DTYPES, known_dtype, upcast
from theano._src.types.exact_values import EXACT_UP_TO, equal_numbers, same_numbers
from theano._src.types.other_arrays import NO_ARRAYS, for_sparse, kept, refuse_dtype, viewed

if TYPE_CHECKING:
    from theano._src.types.tensor_methods import TensorMethods
else:
    TensorMethods = object  # the ops layer installs them

_SHORT = {
    (): "scalar",
    (False,): "vector",
    (True, False): "row",
    (False, True): "col",
    (False, False): "matrix",
}


@documented_in("theano.tensor.type")
class TensorType(TensorInC, Type):
    """Values are NumPy arrays of one dtype with a known number of dimensions.

    Parameters
    ----------
    dtype : str
    broadcastable : iterable of bool
        One entry per dimension. True: the length is always 1, and elementwise ops broadcast
        the dimension. False: any length, and the dimension is never broadcast.
    name : str, optional

    >>> import theano.tensor as T
    >>> T.TensorType("float64", (False, False)) == T.dmatrix
    True
    """

    #: set by the ops layer: gives a variable another broadcast pattern
    rebroadcast: ClassVar[Callable[[Any, TensorType], Variable] | None] = None
    filter_checks_isfinite = False
    sparse_grad = False
    __setstate__ = set_by_init  # reads pickles of Theano 1.0

    @short_traceback
    def __init__(
        self,
        dtype: Any,
        broadcastable: Iterable[Any],
        name: str | None = None,
        sparse_grad: bool = False,
    ) -> None:
        self.dtype = known_dtype(dtype)
        self.numpy_dtype = NUMPY_DTYPES[self.dtype]
        self.broadcastable = _pattern(broadcastable)
        self.ndim = len(self.broadcastable)
        self.name = name
        self.sparse_grad = sparse_grad
        self._hash = hash((type(self), self.dtype, self.broadcastable))
        self._stretchy = any(self.broadcastable)

    if TYPE_CHECKING:

        def make_variable(self, name: Any = None) -> TensorVariable: ...

        def __call__(self, name: Any = None) -> TensorVariable: ...

    def clone(self, dtype: Any = None, broadcastable: Any = None) -> TensorType:
        """Return this type with another dtype or broadcast pattern."""
        return type(self)(
            self.dtype if dtype is None else dtype,
            self.broadcastable if broadcastable is None else broadcastable,
            name=self.name,
        )

    def __eq__(self, other: object) -> bool:
        return self is other or (
            type(self) is type(other)
            and isinstance(other, TensorType)
            and self.dtype == other.dtype
            and self.broadcastable == other.broadcastable
        )

    def __hash__(self) -> int:
        return self._hash

    def __reduce__(self) -> Any:
        return (type(self), (self.dtype, self.broadcastable, self.name))

    def __str__(self) -> str:
        if self.name:
            return self.name
        kind = _SHORT.get(self.broadcastable)
        if kind is None:
            kind = str(self.broadcastable) if any(self.broadcastable) else f"{self.ndim}D"
        return f"TensorType({self.dtype}, {kind})"

    __repr__ = __str__

    def filter(self, data: Any, strict: bool = False, allow_downcast: bool | None = None) -> Any:
        if type(data) is np.ndarray and data.dtype == self.numpy_dtype:
            value = data
        elif isinstance(data, Variable):
            raise TypeError(
                f"{self} takes arrays and numbers as values, got the symbolic variable {data}; "
                "compile a function of it, or use givens"
            )
        elif strict:
            value = self._filter_strict(data)
        else:
            own = isinstance(data, np.ndarray) or data.__class__ in NO_ARRAYS
            given = data if own else viewed(data)
            if isinstance(given, np.ndarray):
                take = self._filter_array if own else self._filter_viewed
                value = take(given, allow_downcast)
            elif allow_downcast:
                value = self._filter_downcast(data)
            else:
                value = self._filter_python(data, allow_downcast)
        if value.ndim != self.ndim:
            raise TypeError(
                f"Wrong number of dimensions: expected {self.ndim}, got {value.ndim} with shape "
                f"{value.shape}."
            )
        if not value.flags.aligned:
            value = np.require(value, requirements="A") if not strict else _unaligned(self)
        if self._stretchy:
            for axis, (b, n) in enumerate(zip(self.broadcastable, value.shape, strict=True)):
                if b and n != 1:
                    raise TypeError(
                        "Non-unit value on shape on a broadcastable dimension: "
                        f"{self} has length 1 in dimension {axis}, got shape {value.shape}"
                    )
        if self.filter_checks_isfinite and not np.all(np.isfinite(value)):
            raise ValueError(f"non-finite elements not allowed in {self}")
        return value

    def _filter_strict(self, data: Any) -> Any:
        if not isinstance(data, np.ndarray):
            raise TypeError(
                f"{self} with strict=True takes a numpy.ndarray, got {type(data).__name__}"
            )
        if data.dtype != self.numpy_dtype:
            raise TypeError(
                f"{self} with strict=True takes arrays of {self.dtype}, got {data.dtype}"
            )
        return data

    def _filter_array(self, data: Any, allow_downcast: bool | None) -> Any:
        if hasattr(data, "mask"):
            raise TypeError(
                f"{self} takes arrays without a mask, got {type(data).__name__}; "
                "use its filled() values"
            )
        name = data.dtype.name
        if data.dtype == self.numpy_dtype:
            return np.asarray(data)
        if data.dtype.kind in "VmM":
            refuse_dtype(data, data)
        if not allow_downcast and (
            name not in NUMPY_DTYPES or upcast(self.dtype, name) != self.dtype
        ):
            raise TypeError(
                f"{self} cannot store a value of dtype {name} without risking loss of precision. "
                "If you do not mind this loss, you can: 1) explicitly cast your data to "
                f"{self.dtype}, or 2) set allow_input_downcast=True when calling 'function', or "
                "allow_downcast=True when calling 'shared'."
            )
        return data.astype(self.numpy_dtype)

    def _filter_viewed(self, data: Any, allow_downcast: bool | None) -> Any:
        """Convert another library's array under NumPy's rules, else only if no value changes."""
        try:
            return self._filter_array(data, allow_downcast)
        except TypeError:
            if data.dtype.name not in NUMPY_DTYPES:
                raise
            with contextlib.suppress(TypeError):
                return self._filter_python(data, allow_downcast)
            raise

    def _filter_python(self, data: Any, allow_downcast: bool | None) -> Any:
        """Convert numbers, lists and other sequences if no value changes."""
        if allow_downcast is None and type(data) is float and self.dtype == config.floatX:
            return np.array(data, self.numpy_dtype)
        if type(data) is int:
            if abs(data) <= EXACT_UP_TO.get(self.dtype, -1):
                return np.array(data, self.numpy_dtype)
            if self.numpy_dtype.kind in "iu":
                ends = np.iinfo(self.numpy_dtype)
                if not ends.min <= data <= ends.max:
                    raise self._not_exactly(data)
        if isinstance(data, np.generic) and data.dtype == self.numpy_dtype:
            return np.asarray(data)
        given = self._numbers(data)
        # NOTE: Python ints have no dtype, so a value that fits is not a downcast
        if given.dtype.kind == "c" and self.numpy_dtype.kind != "c":
            raise TypeError(f"{self} takes real numbers, got complex ones: {data!r:.80}")
        with np.errstate(all="ignore"):
            value = given.astype(self.numpy_dtype)
        if not same_numbers(value, given):
            raise self._not_exactly(data)
        return value

    def _not_exactly(self, data: Any) -> TypeError:
        kept, cut = (0.5, 0.1) if self.numpy_dtype.kind in "fc" else (2.0, 2.5)
        return TypeError(
            f"{self} cannot hold {data!r:.80} exactly: numbers of Python are taken only where "
            f"{self.dtype} holds each as it is, as it does {kept} and not {cut}. Give an array of "
            f"dtype {self.dtype}, numpy.asarray(values, {self.dtype!r}), or set "
            "allow_input_downcast=True when calling 'function', or allow_downcast=True when "
            "calling 'shared'."
        )

    def _filter_downcast(self, data: Any) -> Any:
        """Convert numbers and sequences as NumPy casts arrays: ints wrap, floats are truncated."""
        given = self._numbers(data)
        if given.dtype.kind in "biu":
            return given.astype(self.numpy_dtype)
        # convert the Python numbers: they refuse to turn NaN or a complex number into an int
        return _asarray(data, self.numpy_dtype)

    def _numbers(self, data: Any) -> Any:
        given = _asarray(data)
        if given.dtype == object and all(isinstance(x, Number) for x in given.flat):
            # fractions, and ints of more than 64 bits
            given = _asarray(data, np.float64)
        if given.dtype.kind not in "biufc":
            raise TypeError(
                f"{self} takes arrays, numbers and nested lists of numbers, got "
                f"{type(data).__name__}: {data!r:.80}{for_sparse(data)}"
            )
        return given

    def filter_variable(self, other: Any, allow_convert: bool = True) -> Variable:
        if not isinstance(other, Variable):
            other = self.Constant(type=self, data=kept(self, other))
        variable: Variable = other
        if other.type is self or other.type == self:
            return variable
        if (
            allow_convert
            and TensorType.rebroadcast is not None
            and self._differs_in_pattern(other)
            and self._promises(other.type, self)
        ):
            # every value of the other type is a value of this one
            return TensorType.rebroadcast(other, self)
        raise TypeError(
            f"Cannot convert Type {other.type} (of Variable {other}) into Type {self}. You can try "
            f"to manually convert {other} into a {self}."
        )

    def convert_variable(self, var: Any) -> Variable | None:
        if self == var.type:
            variable: Variable = var
            return variable
        if (
            TensorType.rebroadcast is not None
            and self._differs_in_pattern(var)
            and (self._promises(self, var.type) or self._promises(var.type, self))
        ):
            # narrowing is documented and checked at run time; Theano 1.0.5 also widens
            return TensorType.rebroadcast(var, self)
        return None

    def _differs_in_pattern(self, var: Any) -> bool:
        """Whether the type of ``var`` differs from this one at most in the broadcast pattern."""
        kind = var.type
        return type(kind) is type(self) and (kind.dtype, kind.ndim) == (self.dtype, self.ndim)

    @staticmethod
    def _promises(narrow: TensorType, wide: TensorType) -> bool:
        """Whether ``narrow`` is broadcastable in every dimension where ``wide`` is."""
        pairs = zip(narrow.broadcastable, wide.broadcastable, strict=True)
        return all(n or not w for n, w in pairs)

    def value_validity_msg(self, a: Any) -> str:
        try:
            self.filter(a, strict=True)
        except Exception as e:
            return str(e)
        return "value is valid"

    @staticmethod
    def values_eq(a: Any, b: Any, force_same_dtype: bool = True) -> bool:
        a, b = np.asarray(a), np.asarray(b)
        if a.shape != b.shape or (force_same_dtype and a.dtype != b.dtype):
            return False
        return equal_numbers(a, b)

    values_eq_approx = staticmethod(values_eq_approx)

    @staticmethod
    def may_share_memory(a: Any, b: Any) -> bool:
        if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
            return bool(np.may_share_memory(a, b))
        return False

    def get_shape_info(self, obj: Any) -> Any:
        return obj.shape

    def get_size(self, shape_info: Any) -> int:
        size = int(np.prod(shape_info)) if shape_info else 1
        return size * self.numpy_dtype.itemsize

    def value_zeros(self, shape: Any) -> Any:
        return np.zeros(shape, dtype=self.numpy_dtype)


def _pattern(given: Any) -> tuple[bool, ...]:
    """Return one bool per dimension; refuse a shape given by mistake."""
    if type(given) is tuple and all(type(b) is bool for b in given):
        return given
    try:
        result = tuple(given)
    except TypeError:
        result = ()
        wrong = True
    else:
        wrong = any(isinstance(b, int) and b not in (0, 1) for b in result)
    if wrong:
        raise TypeError(
            "TensorType takes as broadcastable a bool for each dimension, True where its length is "
            f"1 for certain, got {given!r:.80}; (False, False) is that of a matrix. A shape is "
            "not part of a type, it comes with the value"
        )
    return tuple(bool(b) for b in result)


def _asarray(data: Any, dtype: Any = None) -> Any:
    try:
        return np.asarray(data, dtype=dtype)
    except (ValueError, OverflowError, TypeError) as e:
        raise TypeError(f"cannot make an array of {data!r:.80}: {e}") from e


def _unaligned(type: TensorType) -> Any:
    raise TypeError(
        f"{type} takes aligned arrays, got one whose buffer is not aligned to its dtype; "
        "copy it first"
    )


def _warn_float64() -> None:
    text = (
        "You are creating a TensorVariable with float64 dtype. You requested an action via the "
        "Theano flag warn_float64={ignore,warn,raise,pdb}."
    )
    match config.warn_float64:
        case "warn":
            warn_user(text)
        case "raise":
            raise Exception(text)
        case "pdb":
            import pdb

            pdb.set_trace()


_INTERNED: dict[tuple[str, tuple[bool, ...]], TensorType] = {}


def tensor_type(dtype: str, broadcastable: tuple[bool, ...]) -> TensorType:
    """Return the TensorType for a dtype and a pattern: always the same object for a pair."""
    key = (dtype, broadcastable)
    type_ = _INTERNED.get(key)
    if type_ is None:
        type_ = _INTERNED[key] = TensorType(dtype, broadcastable)
    return type_


@documented_in("theano.tensor.var")
class _tensor_py_operators(TensorMethods):
    """Methods and operators of tensor variables; the ops layer installs all others."""

    __slots__ = ()

    type: Any
    eval: Callable[..., Any]

    @property
    def ndim(self) -> int:
        """Number of dimensions."""
        return int(self.type.ndim)

    @property
    def broadcastable(self) -> tuple[bool, ...]:
        """Whether each dimension has length 1 and is broadcast."""
        flags: tuple[bool, ...] = self.type.broadcastable
        return flags

    @property
    def dtype(self) -> str:
        """The name of the dtype."""
        return str(self.type.dtype)


@documented_in("theano.tensor.basic")
class TensorVariable(_tensor_py_operators, Variable):
    """A symbolic array, with NumPy's operators and methods.

    >>> import theano.tensor as T
    >>> (T.dmatrix("x") + 1).ndim
    2
    """

    __slots__ = ()

    if not TYPE_CHECKING:  # for type checkers, constants and shared variables derive from this

        def __init__(self, type, owner=None, index=None, name=None):
            Variable.__init__(self, type, owner, index, name)
            # the type may be a user's own, without a dtype
            if getattr(type, "dtype", None) == "float64" and config.warn_float64 != "ignore":
                _warn_float64()


#: for type checkers, the call of an op with one tensor output: ``__call__: TensorCall``
TensorCall = Callable[..., TensorVariable]

if TYPE_CHECKING:
    #: programs annotate constants and shared variables as TensorVariable too
    TensorBase = TensorVariable
else:
    TensorBase = _tensor_py_operators


@documented_in("theano.tensor.basic")
class TensorConstant(TensorBase, Constant):
    """A constant number or array in a graph."""

    __slots__ = ("_signature",)

    def __init__(self, type: Any, data: Any, name: Any = None) -> None:
        Constant.__init__(self, type, data, name)
        self._signature: Any = None

    def signature(self) -> Any:
        if self._signature is None:
            data = self.data
            raw = data.tobytes()
            if len(raw) > 64:
                import hashlib  # loads OpenSSL: not at import time

                raw = hashlib.blake2b(raw, digest_size=16).digest()
            self._signature = (self.type, data.shape, raw)
        return self._signature

    def unique_value(self) -> Any:
        """Return the value that all elements have, or None; None also if 0-d or empty."""
        data = self.data
        if data.ndim == 0 or data.size == 0:
            return None
        first = data.flat[0]
        return first if bool((data == first).all()) else None

    def __str__(self) -> str:
        if self.name is not None:
            return str(self.name)
        one = self.unique_value()
        text = f"{self.data}" if one is None else f"{self.data.shape} of {one}"
        if len(text) > 20:
            text = text[:10] + ".." + text[-10:]
        return f"TensorConstant{{{text}}}"

    def clone(self) -> TensorConstant:
        cp = type(self)(self.type, self.data, self.name)
        cp.data = self.data
        cp._signature = self._signature
        if self._tag is not None:
            cp._tag = copy.copy(self._tag)
        return cp

    def __getstate__(self) -> tuple[dict[str, Any] | None, dict[str, Any]]:
        own, slots = Constant.__getstate__(self)
        return (own, slots | {"_signature": None})


TensorType.Variable = TensorVariable
TensorType.Constant = TensorConstant
