"""Arrays of other libraries, seen as NumPy arrays: by protocol, nothing is imported."""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np

from theano._src.types.dtypes import NUMPY_DTYPES

#: what is an array of NumPy's already, or becomes one by its own rules; str and bytes are neither
_OWN = (float, int, np.ndarray, np.generic, complex, list, tuple, range, str, bytes)
#: the same by their classes, which is quickly asked
NO_ARRAYS = frozenset({*_OWN, bool, np.float64, np.float32, np.int64, type(None)})
#: numbers of DLPack for memory that the host can read: its own, and what is pinned for a device
_HOST = (1, 3, 11)
_DEVICES = {2: "CUDA", 4: "OpenCL", 7: "Vulkan", 8: "Metal", 10: "ROCm", 13: "CUDA", 14: "oneAPI"}


class RefusedArrayError(TypeError):
    """An array of another library that has no form as an array of NumPy's; says what to do."""


def viewed(value: Any) -> np.ndarray[Any, Any] | None:
    """An array of another library as one of NumPy's, in the same memory wherever that can be.

    Taken is what has ``__array__``, ``__array_interface__``, Python's buffers or ``__dlpack__``.
    None for anything else: numbers, lists, arrays of NumPy's.

    Raises
    ------
    RefusedArrayError
        If it is on another device, takes part in another library's gradients, or holds no numbers.

    >>> import array
    >>> x = array.array("d", [1.0, 2.0])
    >>> viewed(x)[0] = 7
    >>> x, viewed([1.0])
    (array('d', [7.0, 2.0]), None)
    """
    if type(value) in NO_ARRAYS or isinstance(value, _OWN):
        return None
    # arrays of jax are brought over by NumPy, wherever they are
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
    """A value as a tensor type takes it, to be kept: a copy of what is another library's array.

    With ``borrow`` it may be the same memory, unless its owner protects that.

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
    """What to do with a sparse matrix that was given for a dense array; nothing for others."""
    if hasattr(value, "tocsr"):
        return "; sparse matrices go to variables of theano.sparse, or dense, as value.toarray()"
    return ""


def _advice(value: Any) -> str:
    if "Tracer" in type(value).__name__:
        return "; theano.as_jax makes of a function one that jax can trace"
    dtype = str(getattr(value, "dtype", "bool")).rpartition(".")[2]
    return "" if dtype in NUMPY_DTYPES else "; convert it first, to float32 for example"


def refuse_dtype(value: Any, array: np.ndarray[Any, Any]) -> NoReturn:
    """Raise for a value that is, as an array, one of other things than numbers of NumPy's."""
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
    """Refuse what the host cannot read, and what another library differentiates."""
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
        return  # some have no device: what they say on conversion says why
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


# tables, and columns of them, whose dtypes are not all NumPy's own


def _of_table(value: Any) -> np.ndarray[Any, Any]:
    """A table whose columns hold numbers, though NumPy makes objects of them together."""
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
            else f"{_describe(value)} is no array of {common}: {error}"
        ) from error
    return result


def _has_missing(value: Any, column: Any) -> bool:
    part = value[column] if hasattr(value, "columns") else value
    return bool(np.any(part.isna()))
