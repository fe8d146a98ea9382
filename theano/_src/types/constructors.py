"""Constructors of tensor variables: ``dmatrix`` by prefix, ``matrix`` of floatX, and plurals."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol

from theano._src.ground.config import config
from theano._src.ground.documented import documented_in
from theano._src.types.dtypes import known_dtype
from theano._src.types.tensor import TensorType, TensorVariable, tensor_type

_PREFIXES = {
    "b": "int8",
    "w": "int16",
    "i": "int32",
    "l": "int64",
    "f": "float32",
    "d": "float64",
    "c": "complex64",
    "z": "complex128",
}
_KINDS: dict[str, tuple[bool, ...]] = {
    "scalar": (),
    "vector": (False,),
    "row": (True, False),
    "col": (False, True),
    "matrix": (False, False),
    "tensor3": (False,) * 3,
    "tensor4": (False,) * 4,
    "tensor5": (False,) * 5,
    "tensor6": (False,) * 6,
    "tensor7": (False,) * 7,
}


@documented_in("theano.tensor.basic")
def tensor(*args: Any, **kwargs: Any) -> TensorVariable:
    """Return a variable of ``TensorType(dtype, broadcastable)``, with an optional ``name``.

    ``args`` and ``kwargs`` are the arguments of ``TensorType``; ``name`` names the variable.

    >>> import theano.tensor as T
    >>> T.tensor("float64", (False,), name="x").type
    TensorType(float64, vector)
    """
    name = kwargs.pop("name", None)
    return TensorType(*args, **kwargs)(name=name)


class Constructor(Protocol):
    """A function that makes one variable."""

    def __call__(self, name: str | None = None, dtype: Any = None) -> TensorVariable: ...


def _of_floatx(kind: str, pattern: tuple[bool, ...]) -> Constructor:
    def make(name: Any = None, dtype: Any = None) -> TensorVariable:
        if isinstance(dtype, (int, tuple, list)):
            raise TypeError(
                f"{kind} takes a name and a dtype, got {dtype!r}; a shape is not part of a type, "
                "it comes with the value (theano.tensor.specify_shape checks it)"
            )
        return tensor_type(known_dtype(config.floatX if dtype is None else dtype), pattern)(name)

    make.__name__ = make.__qualname__ = kind
    make.__doc__ = f"""A symbolic {kind}, of floatX unless ``dtype`` says otherwise.

    >>> import theano.tensor as T
    >>> T.{kind}("x", dtype="int32").broadcastable
    {pattern}
    """
    return documented_in("theano.tensor.basic")(make)


def _several(one: Callable[..., Any], kind: str) -> Callable[..., list[TensorVariable]]:
    """Return a function that makes several variables, from names, letters or a number."""

    def make(*args: Any, **kwargs: Any) -> Any:
        if len(args) == 1 and not kwargs and not isinstance(args[0], str):
            if isinstance(args[0], int):
                return [one() for _ in range(args[0])]
            args = tuple(args[0])
        if len(args) == 1 and isinstance(args[0], str):
            if len(args[0]) == 1:
                return one(args[0], **kwargs)
            args = tuple(args[0])
        return [one(name=name, **kwargs) for name in args]

    make.__name__ = make.__qualname__ = kind
    make.__doc__ = f"""Several variables at once: {kind}("x", "y"), {kind}("xy") or {kind}(2).

    >>> import theano.tensor as T
    >>> [v.name for v in T.{kind}("xy")]
    ['x', 'y']
    """
    return documented_in("theano.tensor.basic")(make)


def _plural(kind: str) -> str:
    return "matrices" if kind == "matrix" else kind + "s"


def _all() -> dict[str, Any]:
    result: dict[str, Any] = {}
    for kind, pattern in _KINDS.items():
        result[kind] = _of_floatx(kind, pattern)
        result[_plural(kind)] = _several(result[kind], _plural(kind))
        for prefix, dtype in _PREFIXES.items():
            result[prefix + kind] = tensor_type(dtype, pattern)
            plural = prefix + _plural(kind)
            result[plural] = _several(result[prefix + kind], plural)
    return result


def _families() -> dict[str, Any]:
    """Return tuples of types by kind of dtype: ``int_vector_types`` and so on."""
    result: dict[str, Any] = {}
    for family, prefixes in (("int", "bwil"), ("float", "fd"), ("complex", "cz")):
        for kind in ("scalar", "vector", "matrix"):
            result[f"{family}_{kind}_types"] = tuple(CONSTRUCTORS[p + kind] for p in prefixes)
        result[f"{family}_types"] = result[f"{family}_scalar_types"]
    return result


if TYPE_CHECKING:
    # for type checkers, the names that are defined dynamically below
    scalar = vector = row = col = matrix = _of_floatx("", ())
    tensor3 = tensor4 = tensor5 = tensor6 = tensor7 = _of_floatx("", ())
    scalars = vectors = rows = cols = matrices = _several(vector, "")
    tensor3s = tensor4s = tensor5s = tensor6s = tensor7s = _several(vector, "")
    bscalar = bvector = brow = bcol = bmatrix = tensor_type("", ())
    btensor3 = btensor4 = btensor5 = btensor6 = btensor7 = tensor_type("", ())
    wscalar = wvector = wrow = wcol = wmatrix = tensor_type("", ())
    wtensor3 = wtensor4 = wtensor5 = wtensor6 = wtensor7 = tensor_type("", ())
    iscalar = ivector = irow = icol = imatrix = tensor_type("", ())
    itensor3 = itensor4 = itensor5 = itensor6 = itensor7 = tensor_type("", ())
    lscalar = lvector = lrow = lcol = lmatrix = tensor_type("", ())
    ltensor3 = ltensor4 = ltensor5 = ltensor6 = ltensor7 = tensor_type("", ())
    fscalar = fvector = frow = fcol = fmatrix = tensor_type("", ())
    ftensor3 = ftensor4 = ftensor5 = ftensor6 = ftensor7 = tensor_type("", ())
    dscalar = dvector = drow = dcol = dmatrix = tensor_type("", ())
    dtensor3 = dtensor4 = dtensor5 = dtensor6 = dtensor7 = tensor_type("", ())
    cscalar = cvector = crow = ccol = cmatrix = tensor_type("", ())
    ctensor3 = ctensor4 = ctensor5 = ctensor6 = ctensor7 = tensor_type("", ())
    zscalar = zvector = zrow = zcol = zmatrix = tensor_type("", ())
    ztensor3 = ztensor4 = ztensor5 = ztensor6 = ztensor7 = tensor_type("", ())
    bscalars = bvectors = brows = bcols = bmatrices = _several(vector, "")
    btensor3s = btensor4s = btensor5s = btensor6s = btensor7s = _several(vector, "")
    wscalars = wvectors = wrows = wcols = wmatrices = _several(vector, "")
    wtensor3s = wtensor4s = wtensor5s = wtensor6s = wtensor7s = _several(vector, "")
    iscalars = ivectors = irows = icols = imatrices = _several(vector, "")
    itensor3s = itensor4s = itensor5s = itensor6s = itensor7s = _several(vector, "")
    lscalars = lvectors = lrows = lcols = lmatrices = _several(vector, "")
    ltensor3s = ltensor4s = ltensor5s = ltensor6s = ltensor7s = _several(vector, "")
    fscalars = fvectors = frows = fcols = fmatrices = _several(vector, "")
    ftensor3s = ftensor4s = ftensor5s = ftensor6s = ftensor7s = _several(vector, "")
    dscalars = dvectors = drows = dcols = dmatrices = _several(vector, "")
    dtensor3s = dtensor4s = dtensor5s = dtensor6s = dtensor7s = _several(vector, "")
    cscalars = cvectors = crows = ccols = cmatrices = _several(vector, "")
    ctensor3s = ctensor4s = ctensor5s = ctensor6s = ctensor7s = _several(vector, "")
    zscalars = zvectors = zrows = zcols = zmatrices = _several(vector, "")
    ztensor3s = ztensor4s = ztensor5s = ztensor6s = ztensor7s = _several(vector, "")
    int_scalar_types = int_vector_types = int_matrix_types = int_types = (bscalar,) * 4
    float_scalar_types = float_vector_types = float_matrix_types = float_types = (bscalar,) * 2
    complex_scalar_types = complex_vector_types = complex_matrix_types = (bscalar,) * 2
    complex_types = complex_scalar_types


CONSTRUCTORS = _all()
FAMILIES = _families()
globals().update(CONSTRUCTORS | FAMILIES)

__all__ = ["tensor", *CONSTRUCTORS, *FAMILIES]
