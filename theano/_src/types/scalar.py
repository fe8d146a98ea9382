"""Scalar: the Type of single numbers, on which elementwise ops are defined."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from theano._src.c_code.scalar_text import ScalarInC
from theano._src.graph.graph import Constant, Variable
from theano._src.graph.old_state import set_by_init
from theano._src.graph.type import Type
from theano._src.ground.documented import documented_in
from theano._src.types.convert import autocast_float, autocast_int
from theano._src.types.dtypes import NUMPY_DTYPES, known_dtype, upcast


@documented_in("theano.scalar.basic")
class Scalar(ScalarInC, Type):
    """Values are NumPy scalars of one dtype.

    >>> import theano.scalar
    >>> theano.scalar.int8.filter(3)
    np.int8(3)
    """

    ndim = 0
    broadcastable: tuple[bool, ...] = ()

    def __init__(self, dtype: Any) -> None:
        self.dtype = known_dtype(dtype)
        self.numpy_dtype = NUMPY_DTYPES[self.dtype]

    __setstate__ = set_by_init  # Theano 1.0 pickled the dtype alone

    def filter(self, data: Any, strict: bool = False, allow_downcast: bool | None = None) -> Any:
        kind = self.numpy_dtype.type
        if type(data) is kind:
            return data
        if strict:
            raise TypeError(f"{self} takes a {self.dtype}, got {data!r} of {type(data).__name__}")
        array = np.asarray(data)
        if array.ndim != 0 or array.dtype.name not in NUMPY_DTYPES:
            raise TypeError(f"{self} takes one number, got {data!r:.80}")
        if array.dtype.kind == "c" and self.numpy_dtype.kind != "c":
            raise TypeError(f"{self} takes real numbers, got {data!r}")
        with np.errstate(all="ignore"):
            result = array.astype(self.numpy_dtype)[()]
        fits = bool(result == array) or bool(result != result)
        if allow_downcast or fits or upcast(self.dtype, array.dtype.name) == self.dtype:
            return result
        raise TypeError(f"{self} cannot hold {data!r} exactly; allow_downcast would let it")

    def values_eq_approx(self, a: Any, b: Any, tolerance: float = 1e-4) -> bool:
        if self.numpy_dtype.kind in "biu":
            # unsigned differences wrap, and NumPy cannot subtract bools
            a, b = int(a), int(b)
        return bool(abs(a - b) <= (abs(a) + abs(b)) * tolerance)

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self.dtype == other.dtype

    def __hash__(self) -> int:
        return hash((type(self), self.dtype))

    def __str__(self) -> str:
        return self.dtype

    def __repr__(self) -> str:
        return f"Scalar({self.dtype})"

    def clone(self, dtype: Any = None, **kwargs: Any) -> Scalar:
        return type(self)(self.dtype if dtype is None else dtype)

    def upcast(self, *others: Scalar) -> str:
        return upcast(*[t.dtype for t in (self, *others)])


@documented_in("theano.scalar.basic")
class _scalar_py_operators:
    """Methods and operators of scalar variables; the ops layer installs the operators."""

    __slots__ = ()

    ndim = 0
    type: Any

    @property
    def dtype(self) -> str:
        return str(self.type.dtype)


@documented_in("theano.scalar.basic")
class ScalarVariable(_scalar_py_operators, Variable):
    """A symbolic number."""

    __slots__ = ()


@documented_in("theano.scalar.basic")
class ScalarConstant(_scalar_py_operators, Constant):
    """A number in a graph of scalars."""

    __slots__ = ()

    def signature(self) -> Any:
        # by its bits: NaN equals itself, and 0.0 differs from -0.0
        return (self.type, self.data.tobytes())


Scalar.Variable = ScalarVariable
Scalar.Constant = ScalarConstant

_INTERNED: dict[str, Scalar] = {}


@documented_in("theano.scalar.basic")
def get_scalar_type(dtype: str) -> Scalar:
    """Return the Scalar Type for a dtype: always the same object for a dtype.

    >>> get_scalar_type("float32") is get_scalar_type("float32")
    True
    """
    scalar = _INTERNED.get(dtype)
    if scalar is None:
        scalar = _INTERNED[dtype] = Scalar(dtype)
    return scalar


bool_ = get_scalar_type("bool")
int8, int16, int32, int64 = map(get_scalar_type, ("int8", "int16", "int32", "int64"))
uint8, uint16, uint32, uint64 = map(get_scalar_type, ("uint8", "uint16", "uint32", "uint64"))
float16, float32, float64 = map(get_scalar_type, ("float16", "float32", "float64"))
complex64, complex128 = map(get_scalar_type, ("complex64", "complex128"))


def _several(name: str, kind: Scalar) -> Callable[[Any], Any]:
    """Return a function that makes one variable of ``kind`` per name; for one name, no list."""

    def make(names: Any) -> Any:
        results = [kind(n) for n in names]
        return results[0] if len(results) == 1 else results

    make.__name__ = make.__qualname__ = name
    make.__doc__ = f"""Return scalar variables of {kind.dtype}, one for each of ``names``.

    >>> import theano.scalar
    >>> theano.scalar.{name}("xy")
    [x, y]
    """
    return documented_in("theano.scalar.basic")(make)


ints, floats = _several("ints", int64), _several("floats", float64)
complexs = _several("complexs", complex128)
complexs64, complexs128 = _several("complexs64", complex64), _several("complexs128", complex128)

int_types = int8, int16, int32, int64
uint_types = uint8, uint16, uint32, uint64
float_types = float16, float32, float64
complex_types = complex64, complex128
integer_types = int_types + uint_types
discrete_types = (bool_, *integer_types)
continuous_types = float_types + complex_types
all_types = discrete_types + continuous_types


#: converters from variables of other types; each returns a scalar variable or None
FROM_VARIABLES: list[Callable[[Any], Any]] = []


@documented_in("theano.scalar.basic")
def as_scalar(x: Any, name: Any = None) -> Any:
    """Return ``x`` as a scalar variable: itself, the content of a 0-d tensor, or a constant.

    >>> as_scalar(3).type
    Scalar(int8)
    """
    if isinstance(x, Variable):
        if isinstance(x.type, Scalar):
            return x
        for read in FROM_VARIABLES:
            text = read(x)
            if text is not None:
                return text
        raise TypeError(f"as_scalar takes a scalar variable or a number, got {x} of {x.type}")
    if isinstance(x, int):
        data = autocast_int(x)
    elif isinstance(x, float):
        data = autocast_float(x)
    else:
        data = np.asarray(x)
    if data.ndim:
        raise TypeError(f"as_scalar takes one number, got {x!r:.80}")
    return ScalarConstant(get_scalar_type(data.dtype.name), data[()], name)


@documented_in("theano.scalar.basic")
def constant(x: Any, name: Any = None, dtype: Any = None) -> Any:
    """Return a scalar constant for ``x``; by default the dtype is one that holds it exactly.

    >>> constant(2).type, constant(2, dtype="float32").type
    (Scalar(int8), Scalar(float32))
    """
    if dtype is None:
        return as_scalar(x, name)
    kind = get_scalar_type(known_dtype(dtype))
    return ScalarConstant(kind, kind.filter(x, allow_downcast=True), name)
