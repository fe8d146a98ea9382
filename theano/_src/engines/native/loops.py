"""The inner loops of NumPy's and SciPy's ufuncs by address, and how Python's objects lie in memory.

A native program calls the loop that NumPy itself would call, so that it gives NumPy's bits. It
reads arrays, lists and tuples where they lie. Nothing is assumed: the layouts, and those of each
ufunc, are compared with what Python says of the same objects. A difference raises `NotNative`.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import Any

import numpy as np

from theano._src.engines.native.ir import ZERO, Function, Operand, integer
from theano._src.types.dtypes import NUMPY_DTYPES
from theano._src.types.shared import Group


class NotNative(Exception):
    """Something that has no native form; its text says why."""


#: bytes before the fields of an object; the type is in the last word of them
HEAD = object.__basicsize__


def pointer_at(address: int) -> int:
    return ctypes.c_void_p.from_address(address).value or 0


def _int_at(address: int) -> int:
    return ctypes.c_int.from_address(address).value


class ArrayFields:
    """Offsets of the fields of an ndarray, in bytes."""

    data, ndim, lengths, strides = HEAD, HEAD + 8, HEAD + 16, HEAD + 24
    dtype, flags = HEAD + 40, HEAD + 48
    #: C-contiguous, and aligned
    plain = 0x0001 | 0x0100


#: offsets of the pointer to the items of a list, and of the items of a tuple
LIST_ITEMS, TUPLE_ITEMS, TYPE = HEAD + 8, HEAD + 8, HEAD - 8


def number_types(dtype: np.dtype[Any]) -> tuple[type, ...]:
    """Types of objects that hold a number of this dtype right after their head."""
    of_python = {"float64": (float,), "complex128": (complex,)}
    return (dtype.type, *of_python.get(dtype.name, ()))


@cache
def check_layouts() -> None:
    """Raise NotNative if objects lie in memory in another way than programs assume."""
    if any(read != known for read, known in _layouts()):
        raise NotNative("objects lie in memory in a way that the native engine does not know")


def _layouts() -> Iterator[tuple[Any, Any]]:
    """Fields of objects as read from memory, and their true values.

    A pointer is followed only after what lies around it was right.
    """
    array = np.arange(6, dtype="int16").reshape(2, 3)
    base, fields = id(array), ArrayFields
    items, pair = [array, base], (array, base)
    yield ctypes.sizeof(ctypes.c_void_p), 8
    yield pointer_at(base + TYPE), id(np.ndarray)
    yield pointer_at(base + fields.data), array.ctypes.data
    yield _int_at(base + fields.ndim), 2
    yield pointer_at(base + fields.dtype), id(array.dtype)
    yield _int_at(base + fields.flags) & fields.plain, fields.plain
    yield _int_at(id(array.T) + fields.flags) & fields.plain, 0x0100
    lengths, strides = pointer_at(base + fields.lengths), pointer_at(base + fields.strides)
    yield strides - lengths, 2 * 8  # NumPy keeps both in one piece
    yield [ctypes.c_int64.from_address(lengths + 8 * i).value for i in (0, 1)], [2, 3]
    yield [ctypes.c_int64.from_address(strides + 8 * i).value for i in (0, 1)], [6, 2]
    yield pointer_at(id(pair) + TUPLE_ITEMS), base
    yield pointer_at(id(items) + LIST_ITEMS - 8), len(items)
    yield pointer_at(pointer_at(id(items) + LIST_ITEMS)), base
    for dtype in NUMPY_DTYPES.values():
        for kind in number_types(dtype):
            number = kind(1)
            yield ctypes.string_at(id(number) + HEAD, dtype.itemsize), dtype.type(1).tobytes()


@cache
def lock_fields() -> tuple[int, int, int]:
    """Offsets of a group's lock and parent, and of the number of times that a lock is held.

    They are looked for in memory. Raises NotNative if there is not exactly one place of each.
    """
    group, parent = Group(), Group()
    within = range(HEAD, Group.__basicsize__, 8)
    locks = [at for at in within if pointer_at(id(group) + at) == id(group.lock)]
    parents = [at for at in within if pointer_at(id(group) + at) == id(None)]
    group.parent = parent
    parents = [at for at in parents if pointer_at(id(group) + at) == id(parent)]
    lock = group.lock
    within = range(HEAD, type(lock).__basicsize__, 8)
    read: list[list[int]] = []
    for _ in range(3):
        read.append([pointer_at(id(lock) + at) for at in within])
        lock.acquire()
    for _ in range(3):
        lock.release()
    read.append([pointer_at(id(lock) + at) for at in within])
    counts = [at for at, *seen in zip(within, *read, strict=True) if seen == [0, 1, 2, 0]]
    if (len(locks), len(parents), len(counts)) != (1, 1, 1):
        raise NotNative("locks lie in memory in a way that the native engine does not know")
    return locks[0], parents[0], counts[0]


def _types_of(ufunc: np.ufunc) -> tuple[int, int, list[bytes]]:
    """Where a ufunc has its loops and their data, and the numbers of the dtypes of each."""
    base = id(ufunc) + HEAD
    counts = [_int_at(base + 4 * i) for i in range(3)]
    n_loops = _int_at(base + 32)
    if counts != [ufunc.nin, ufunc.nout, ufunc.nargs] or n_loops != ufunc.ntypes:
        raise NotNative(f"{ufunc} lies in memory in a way that the native engine does not know")
    table = ctypes.string_at(pointer_at(base + 48), n_loops * ufunc.nargs)
    kinds = [table[i : i + ufunc.nargs] for i in range(0, len(table), ufunc.nargs)]
    declared = [bytes(np.dtype(c).num for c in text.replace("->", "")) for text in ufunc.types]
    if kinds != declared:
        raise NotNative(f"{ufunc} has other loops in memory than it says")
    return pointer_at(base + 16), pointer_at(base + 24), kinds


@cache
def loop_address(ufunc: np.ufunc, dtypes: tuple[np.dtype[Any], ...]) -> tuple[int, int]:
    """The loop of a ufunc for these dtypes of inputs and outputs, and the data that it takes.

    There may be several; NumPy takes the first.
    """
    check_layouts()
    functions, data, kinds = _types_of(ufunc)
    wanted = bytes(d.num for d in dtypes)
    if wanted not in kinds:
        names = ", ".join(d.name for d in dtypes)
        raise NotNative(f"{ufunc.__name__} has no loop for {names}")
    at = 8 * kinds.index(wanted)
    return pointer_at(functions + at), pointer_at(data + at) if data else 0


def call_loop(
    f: Function,
    address: Callable[..., int],
    ufunc: np.ufunc,
    dtypes: tuple[np.dtype[Any], ...],
    places: Sequence[tuple[Operand, Operand]],
    count: Operand,
) -> None:
    """Call a ufunc's loop on arrays given by pointer and stride in elements."""
    loop, data = loop_address(ufunc, dtypes)
    key = (ufunc.__name__, loop)
    pointers, steps, counts = f.room(8 * len(places)), f.room(8 * len(places)), f.room(8)
    for i, ((pointer, stride), dtype) in enumerate(zip(places, dtypes, strict=True)):
        f.store(pointers, integer(i), pointer)
        f.store(steps, integer(i), f.mul(stride, integer(dtype.itemsize)))
    f.store(counts, ZERO, count)
    function = f.address(address(("loop", *key), loop))
    f.call(function, None, [pointers, counts, steps, f.address(address(("data", *key), data))])


@cache
def numpy_function(index: int) -> int:
    """The address of a function of NumPy's C interface."""
    capsule = np._core.multiarray._ARRAY_API  # type: ignore[attr-defined]
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    return pointer_at(get(capsule, None) + 8 * index)


#: places in NumPy's C interface, which never change
PY_ARRAY_NEW = 93


@cache
def python_function(name: str) -> int:
    """The address of a function of Python's C interface."""
    function = getattr(ctypes.pythonapi, name)
    return ctypes.cast(function, ctypes.c_void_p).value or 0
