"""The call from Python: a function that reads its arguments where they lie and runs main.

It takes arrays that are exactly as the graph says: of the right dtype and number of dimensions, in
C order, aligned. Any other call, and one that main does not finish, goes on to a Python function.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from theano._src.engines.link import Cells
from theano._src.engines.native.ir import NULL, ONE, ZERO, Function, Number, Operand, integer
from theano._src.engines.native.loops import LIST_ITEMS, TYPE, ArrayFields, python_function
from theano._src.engines.native.lowering import Lowering
from theano._src.engines.native.main import ARENA, CAPACITY, RAISED, USED
from theano._src.types.shared import Cell


class State:
    """Words that entry and Python share: the arena and its size, the last code, what was needed.

    ``on`` turns the native program off for good.
    """

    def __init__(self) -> None:
        self.words = (ctypes.c_int64 * 5)()
        self.on = True
        self.grow(1 << 14)

    @property
    def address(self) -> int:
        return ctypes.addressof(self.words)

    @property
    def on(self) -> bool:
        return bool(self.words[4])

    @on.setter
    def on(self, value: bool) -> None:
        self.words[4] = value

    def grow(self, size: int) -> None:
        self._arena = np.empty(size + 64, np.uint8)
        self.words[0] = (self._arena.ctypes.data + 63) & -64
        self.words[1] = size

    def take_code(self) -> tuple[int, int]:
        """Why the last call was not finished, and how much memory it needed; 0 for no reason."""
        code, self.words[2] = self.words[2], 0
        return code, self.words[3]


def write_entry(
    low: Lowering, cells: Cells, given: Sequence[int], state: State, elsewhere: Callable[..., Any]
) -> Function:
    """The function ``entry(self, args, n, keywords)`` of Python's calling convention."""
    f = Function(
        "entry", [("self", "p"), ("args", "p"), ("n", "i64"), ("keywords", "p")], "p", once=True
    )
    _, args, n, keywords = f.params
    place = low.addresses.place
    context = f.room(8 * low.words)
    shared = f.address(place("state", state.address, state))

    def python(name: str, type: str | None, *arguments: Operand) -> Any:
        function = f.address(place(("python", name), python_function(name)))
        return f.call(function, type, arguments)

    def go_elsewhere() -> None:
        other = f.address(low.addresses.of_object("elsewhere", elsewhere))
        f.give(python("PyObject_Vectorcall", "p", other, args, n, keywords))

    for odd in (
        f.compare("ne", n, integer(len(given))),
        f.compare("ne", keywords, NULL),
        f.compare("eq", f.load("i64", shared, integer(4)), ZERO),
    ):
        with f.when(odd):
            go_elsewhere()
    for i, v in enumerate(low.fgraph.inputs):
        if i in given:
            array: Operand = f.load("p", args, integer(list(given).index(i)))
        else:
            cell = f.address(low.addresses.of_object(("cell", i), cells[v]))
            array = f.load("p", f.load("p", cell, integer(LIST_ITEMS // 8)))
        _read_array(f, low, array, v.type, context, low.input_words[i], go_elsewhere)
    for to, since in ((ARENA, 0), (CAPACITY, 1)):
        f.store(context, integer(to), f.load("i64", shared, integer(since)))
    f.store(context, integer(USED), ZERO)
    for words in low.output_words:
        f.store(context, integer(words + 1), NULL)
    for word in low.held_words:
        f.store(context, integer(word), NULL)
    code = f.call("run", "i64", [context])
    for word in low.held_words:
        python("Py_DecRef", None, f.load("p", context, integer(word)))
    with f.when(f.compare("ne", code, ZERO)):
        for words in low.output_words:
            python("Py_DecRef", None, f.load("p", context, integer(words + 1)))
        with f.when(f.compare("eq", code, integer(RAISED))):
            f.give(NULL)
        f.store(shared, integer(2), code)
        f.store(shared, integer(3), f.load("i64", context, integer(USED)))
        go_elsewhere()
    for words in low.output_words:  # a fault of the program must not end the process
        with f.when(f.compare("eq", f.load("p", context, integer(words + 1)), NULL)):
            go_elsewhere()
    _give_results(f, low, cells, context, python)
    return f


def _read_array(
    f: Function,
    low: Lowering,
    array: Operand,
    kind: Any,
    context: Operand,
    words: int,
    go_elsewhere: Callable[[], None],
) -> None:
    """The data and the lengths of an argument into the context."""
    fields, of_object = ArrayFields, low.addresses.of_object
    ndarray = f.address(of_object("ndarray", np.ndarray))
    with f.when(f.compare("ne", f.load("p", array, integer(TYPE // 8)), ndarray)):
        go_elsewhere()
    dtype = f.address(of_object(("dtype", kind.dtype), kind.numpy_dtype))
    plain = Number("i32", fields.plain)
    flags = f.load("i32", array, integer(fields.flags // 4))
    ndim = f.load("i32", array, integer(fields.ndim // 4))
    odd = f.compare("ne", f.load("p", array, integer(fields.dtype // 8)), dtype)
    for other in (
        f.compare("ne", ndim, Number("i32", kind.ndim)),
        f.compare("ne", f.binary("and", flags, plain), plain),
    ):
        odd = f.binary("or", odd, other)
    with f.when(odd):
        go_elsewhere()
    f.store(context, integer(words), f.load("p", array, integer(fields.data // 8)))
    if not kind.ndim:
        return
    lengths = f.load("p", array, integer(fields.lengths // 8))
    for i, is_one in enumerate(kind.broadcastable):
        length = f.load("i64", lengths, integer(i))
        if is_one:
            with f.when(f.compare("ne", length, ONE)):
                go_elsewhere()
        else:
            f.store(context, integer(words + 1 + i), length)


def _give_results(
    f: Function, low: Lowering, cells: Cells, context: Operand, python: Callable[..., Any]
) -> None:
    """New values into their cells, and a list of the outputs."""
    updates = low.fgraph.update_mapping or {}
    outputs = [f.load("p", context, integer(words + 1)) for words in low.output_words]
    results = python("PyList_New", "p", integer(len(outputs) - len(updates)))
    for o, i in updates.items():
        cell = f.address(low.addresses.of_object(("cell", i), cells[low.fgraph.inputs[i]]))
        python("PyList_SetItem", "i32", cell, ZERO, outputs[o])
    items = f.load("p", results, integer(LIST_ITEMS // 8))
    for o in range(len(outputs) - len(updates)):
        f.store(items, integer(o), outputs[o])
    f.give(results)


def given_inputs(low: Lowering, cells: Cells) -> list[int]:
    """The inputs that are arguments; shared variables are read from their cells."""
    return [i for i, v in enumerate(low.fgraph.inputs) if not isinstance(cells[v], Cell)]


class _MethodDef(ctypes.Structure):
    _fields_ = [
        ("name", ctypes.c_char_p),
        ("method", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("doc", ctypes.c_char_p),
    ]


_FASTCALL_WITH_KEYWORDS = 0x0080 | 0x0002


def as_callable(address: int, owner: Any) -> Callable[..., Any]:
    """Machine code as a function of Python; it keeps ``owner``, which keeps the code."""
    new = ctypes.pythonapi.PyCFunction_NewEx
    new.restype, new.argtypes = (
        ctypes.py_object,
        [ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p],
    )
    owner.method = _MethodDef(b"native", address, _FASTCALL_WITH_KEYWORDS, None)
    function: Callable[..., Any] = new(ctypes.addressof(owner.method), owner, None)
    return function
