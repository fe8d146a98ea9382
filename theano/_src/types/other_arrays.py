"""View other libraries' arrays as NumPy arrays, by protocols and without importing them."""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np

from theano._src.types.dtypes import NUMPY_DTYPES

#: NumPy arrays, values that NumPy converts by its own rules, and text, which is never an array
_OWN = (float, int, np.ndarray, np.generic, complex, list, tuple, range, str, bytes)
#: the same as exact classes, for a fast test
NO_ARRAYS = frozenset({*_OWN, bool, np.float64, np.float32, np.int64, type(None)})
#: DLPack device numbers of memory that the host can read: host memory, and pinned memory
_HOST = (1, 3, 11)
_DEVICES = {2: "CUDA", 4: "OpenCL", 7: "Vulkan", 8: "Metal", 10: "ROCm", 13: "CUDA", 14: "oneAPI"}


class RefusedArrayError(TypeError):
    """Raised for another library's array that NumPy cannot hold; the message says what to do."""


def viewed(value: Any) -> np.ndarray[Any, Any] | None:
    """View another library's array as a NumPy array, sharing its memory where possible.

    Takes objects with ``__array__``, ``__array_interface__``, ``__array_struct__``, Python's
    buffer protocol or ``__dlpack__``. Returns None for anything else, and for numbers, lists and
    NumPy arrays.

    Raises
    ------
    RefusedArrayError
        If it is on another device, requires a gradient in its library, or does not hold numbers.

    >>> import array
    >>> x = array.array("d", [1.0, 2.0])
    >>> viewed(x)[0] = 7
    >>> x, viewed([1.0])
    (array('d', [7.0, 2.0]), None)
    """
    if type(value) in NO_ARRAYS or isinstance(value, _OWN):
        return None
    # NumPy copies jax arrays to the host from any device
    if not hasattr(type(value), "is_fully_addressable"):
        _check_memory(value)
    try:
        result = _converted(value)
    except Exception as error:
        text = f"NumPy cannot read {_describe(value)}: {str(error).splitlines()[0].rstrip('.')}"
        raise RefusedArrayError(f"{text}{_advice(value)}") from error
    if result is None or result.dtype.kind in "biufc":
        return result
    if hasattr(value, "to_numpy"):
        return _of_table(value)
    refuse_dtype(value, result)


def kept(kind: Any, value: Any, borrow: bool = False, **how: Any) -> Any:
    """Filter a value by a tensor type, for storage: another library's array is copied.

    With ``borrow`` the result may share its memory, unless that is read-only.

    >>> import theano.tensor as T
    >>> x = memoryview(bytearray(b"ab"))
    >>> made = kept(T.TensorType("uint8", (False,)), x)
    >>> x[0] = 7
    >>> made.tolist()
    [97, 98]
    """
    result = viewed(value)
    if result is None or how.get("strict"):
        return kind.filter(value, **how)
    out = kind.filter(result, **how)
    if np.may_share_memory(out, result) and not (borrow and out.flags.writeable):
        return out.copy(order="K")
    return out


def for_sparse(value: Any) -> str:
    """Return advice for a sparse matrix given as a dense array; an empty string otherwise."""
    if hasattr(value, "tocsr"):
        return "; sparse matrices go to variables of theano.sparse, or dense, as value.toarray()"
    return ""


def _advice(value: Any) -> str:
    if "Tracer" in type(value).__name__:
        return "; theano.as_jax makes of a function one that jax can trace"
    dtype = str(getattr(value, "dtype", "bool")).rpartition(".")[2]
    return "" if dtype in NUMPY_DTYPES else "; convert it first, to float32 for example"


def refuse_dtype(value: Any, array: np.ndarray[Any, Any]) -> NoReturn:
    """Raise for a value whose array form does not have a numeric NumPy dtype."""
    if array.dtype.kind == "O":
        advice = "make numbers of them first, as numpy.asarray(value, 'float64') does"
    elif array.dtype.kind in "mM":
        advice = (
            "make numbers of it first, as (times - times[0]) / numpy.timedelta64(1, 's') does of "
            "dates"
        )
    else:
        advice = "convert it first, to float32 for example"
    raise RefusedArrayError(
        "tensors hold bools, integers, floats and complex numbers, got "
        f"{_describe(value, array.dtype)}; {advice}"
    )


def _converted(value: Any) -> np.ndarray[Any, Any] | None:
    if any(hasattr(value, n) for n in ("__array__", "__array_interface__", "__array_struct__")):
        return np.asarray(value)
    try:
        buffer = memoryview(value)
    except TypeError:
        return np.from_dlpack(value) if hasattr(value, "__dlpack__") else None
    return np.asarray(buffer)


def _check_memory(value: Any) -> None:
    """Refuse arrays that the host cannot read, or that require a gradient in their library."""
    if getattr(value, "requires_grad", False) is True:
        raise RefusedArrayError(
            f"{_describe(value)} requires a gradient, which ends here: give value.detach()"
        )
    ask = getattr(value, "__dlpack_device__", None)
    if ask is None:
        return
    try:
        kind, index = map(int, ask())
    except Exception:
        return  # some have no device: the error of the conversion will say why
    if kind not in _HOST:
        raise RefusedArrayError(
            f"{_describe(value)} is on a device ({_DEVICES.get(kind, f'number {kind} of DLPack')} "
            f"{index}), and arrays are taken from the host: give value.cpu() if it is a tensor of "
            "torch, value.get() if it is an array of cupy"
        )


def _describe(value: Any, dtype: Any = None) -> str:
    shape, dtype = getattr(value, "shape", None), dtype or getattr(value, "dtype", None)
    facts = [f"shape {tuple(shape)}"] if isinstance(shape, tuple) else []
    facts += [] if dtype is None else [f"dtype {dtype}"]
    name = f"{type(value).__module__.partition('.')[0]}.{type(value).__name__}"
    return f"{name} of {' and '.join(facts)}" if facts else name


# tables and columns, whose dtypes need not be NumPy's


def _of_table(value: Any) -> np.ndarray[Any, Any]:
    """Convert a table of numeric columns for which NumPy would return dtype object."""
    columns: dict[Any, Any]
    if hasattr(value, "columns") and hasattr(value, "dtypes"):
        columns = dict(zip(value.columns, value.dtypes, strict=True))
    else:
        columns = {getattr(value, "name", None): value.dtype}
    wrong = {c: d for c, d in columns.items() if getattr(d, "kind", "O") not in "biufc"}
    if wrong:
        texts = ", ".join(f"{c!r} ({d})" for c, d in list(wrong.items())[:5])
        more = f" and {len(wrong) - 5} more" if len(wrong) > 5 else ""
        raise RefusedArrayError(
            f"tensors hold numbers, got {_describe(value)} with other things in "
            f"{texts}{more}; leave "
            "them out, or make numbers of them first"
        )
    common = np.result_type(*[np.dtype(getattr(d, "numpy_dtype", d)) for d in columns.values()])
    try:
        result: np.ndarray[Any, Any] = value.to_numpy(dtype=common)
    except (TypeError, ValueError) as error:
        empty = [c for c in columns if _has_missing(value, c)]
        raise RefusedArrayError(
            f"{_describe(value)} has missing values in {', '.join(map(repr, empty[:5]))}, "
            f"and {common} "
            "has none: fill them, or give value.astype('float64'), where they are NaN"
            if empty
            else f"{_describe(value)} is not an array of {common}: {error}"
        ) from error
    return result


def _has_missing(value: Any, column: Any) -> bool:
    part = value[column] if hasattr(value, "columns") else value
    return bool(np.any(part.isna()))
