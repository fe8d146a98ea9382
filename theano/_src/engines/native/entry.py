"""The call from Python: a function that reads its arguments where they lie and runs main.

It takes arrays that are exactly as the graph says: of the right dtype and number of dimensions, in
C order, aligned. For an input of no dimensions the call of a function object also takes a number of
NumPy of that dtype, and Python's ``int``, ``float`` and ``complex`` where they fit. Any other call,
and one that main does not finish, goes on to a Python function.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from operator import le
from typing import Any, Literal

import numpy as np

from theano._src.engines.link import Cells
from theano._src.engines.native.inline import TYPES
from theano._src.engines.native.ir import (
    INTEGERS,
    NULL,
    ONE,
    ZERO,
    Function,
    Number,
    Operand,
    integer,
)
from theano._src.engines.native.loops import (
    HEAD,
    LIST_ITEMS,
    TYPE,
    ArrayFields,
    lock_fields,
    number_types,
    python_function,
)
from theano._src.engines.native.lowering import Lowering
from theano._src.engines.native.main import ARENA, CAPACITY, RELEASES, USED
from theano._src.engines.native.nests import RAISED
from theano._src.types.shared import Cell, Group


class State:
    """Words that machine code and Python share.

    ``run_limits`` and ``call_limits`` are the lengths of all inputs up to which the functions
    ``entry`` and ``call`` of a program take a call; ``left`` is the number of calls that they take.
    """

    #: places of the words: the arena and its size, why a call was left and how much memory it
    #: needed, whether the program is on, whether a call runs, and how many calls are left
    _ARENA, _SIZE, CODE, NEEDED, ON, BUSY, LEFT, LIMITS = range(8)

    def __init__(self, lengths: int) -> None:
        self.words = (ctypes.c_int64 * (self.LIMITS + 2 * (1 + lengths)))()
        self._taken, self._granted = 0, 0
        self.run_limits = Limits(self.words, self.LIMITS, lengths)
        self.call_limits = Limits(self.words, self.LIMITS + 1 + lengths, lengths)
        self.on, self.left = True, EVERY
        #: bytes that a call may need; one that needs more runs on NumPy
        self.most = EVERY
        self.grow(1 << 14)

    @property
    def address(self) -> int:
        return ctypes.addressof(self.words)

    @property
    def on(self) -> bool:
        return bool(self.words[self.ON])

    @on.setter
    def on(self, value: bool) -> None:
        self.words[self.ON] = value

    @property
    def left(self) -> int:
        return self.words[self.LEFT]

    @left.setter
    def left(self, calls: int) -> None:
        self._taken, self._granted = self.taken, calls
        self.words[self.LEFT] = calls

    @property
    def taken(self) -> int:
        """How many calls machine code has taken."""
        return self._taken + self._granted - self.left

    def grow(self, size: int) -> None:
        if self.words[self.BUSY]:
            return  # another thread runs in the present arena
        self._arena = np.empty(size + 64, np.uint8)
        self.words[self._ARENA] = (self._arena.ctypes.data + 63) & -64
        self.words[self._SIZE] = size

    def take_code(self) -> tuple[int, int]:
        """Why the last call was not finished, and how much memory it needed; 0 for no reason."""
        code, self.words[self.CODE] = self.words[self.CODE], 0
        return code, self.words[self.NEEDED]


#: more calls than a program will ever make, and longer than any array
EVERY = 1 << 62


class Limits:
    """The longest lengths of the inputs of calls that are taken; none is taken at first."""

    def __init__(self, words: Any, first: int, lengths: int) -> None:
        self._words, self.first, self._lengths = words, first, lengths

    @property
    def is_open(self) -> bool:
        return bool(self._words[self.first])

    def open(self, lengths: Sequence[int] | None = None) -> None:
        """Take calls of up to these lengths; of all, if none are given."""
        for i in range(self._lengths):
            self._words[self.first + 1 + i] = EVERY if lengths is None else lengths[i]
        self._words[self.first] = 1

    def close(self) -> None:
        self._words[self.first] = 0

    @property
    def lengths(self) -> list[int]:
        return list(self._words[self.first + 1 : self.first + 1 + self._lengths])

    def take(self, lengths: Sequence[int]) -> bool:
        return self.is_open and all(map(le, lengths, self.lengths))


#: what a call returns: a list of the outputs, the first of them, or None
Returns = Literal["list", "first", "none"]


def write_entry(
    name: str,
    low: Lowering,
    cells: Cells,
    given: Sequence[int],
    state: State,
    elsewhere: list[Callable[..., Any]],
    returns: Returns = "list",
    group: Group | None = None,
) -> Function:
    """The function ``name(self, args, n, keywords)`` of Python's calling convention.

    Calls that it does not take, or does not finish, go to the function in ``elsewhere``. With the
    ``group`` of the shared variables, it takes calls while their lock is free. It keeps the
    interpreter's lock, so that no other thread takes theirs meanwhile.
    """
    f = Function(
        name, [("self", "p"), ("args", "p"), ("n", "i64"), ("keywords", "p")], "p", once=True
    )
    _, args, n, keywords = f.params
    place = low.addresses.place
    context = f.room(8 * low.words)
    shared = f.address(place("state", state.address, state))
    limits = state.run_limits if name == "entry" else state.call_limits

    def python(name: str, type: str | None, *arguments: Operand) -> Any:
        function = f.address(place(("python", name), python_function(name)))
        return f.call(function, type, arguments)

    def go_elsewhere() -> None:
        others = f.address(low.addresses.of_object(("elsewhere", name), elsewhere))
        other = f.load("p", f.load("p", others, integer(LIST_ITEMS // 8)))
        f.give(python("PyObject_Vectorcall", "p", other, args, n, keywords))

    def word(at: int) -> Operand:
        return f.load("i64", shared, integer(at))

    left = word(State.LEFT)
    odd = f.compare("ne", n, integer(len(given)))
    if group is not None:
        odd = f.binary("or", odd, _is_locked(f, low, group))
    for other in (
        f.compare("ne", keywords, NULL),
        f.compare("eq", word(State.ON), ZERO),
        f.compare("ne", word(State.BUSY), ZERO),
        f.compare("le", left, ZERO),
        f.compare("eq", word(limits.first), ZERO),
    ):
        odd = f.binary("or", odd, other)
    with f.when(odd):
        go_elsewhere()
    arrays: list[Operand] = []
    at = limits.first + 1
    for i, v in enumerate(low.fgraph.inputs):
        if i in given:
            array: Operand = f.load("p", args, integer(list(given).index(i)))
        else:
            cell = f.address(low.addresses.of_object(("cell", i), cells[v]))
            array = f.load("p", f.load("p", cell, integer(LIST_ITEMS // 8)))
        arrays.append(array)
        if low.is_object(v):
            f.store(context, integer(low.input_words[i]), array)
            continue
        most = [word(at + k) for k in range(v.type.ndim)]
        place_of = low.input_words[i]
        if name == "call" and i in given and not v.type.ndim:
            _read_number(f, low, array, v.type, context, place_of, go_elsewhere)
        else:
            _read_array(f, low, array, v.type, most, context, place_of, go_elsewhere)
        at += v.type.ndim
    for to, since in ((ARENA, State._ARENA), (CAPACITY, State._SIZE)):
        f.store(context, integer(to), word(since))
    f.store(context, integer(USED), ZERO)
    f.store(context, integer(RELEASES), ONE if group is None else ZERO)
    for words in low.output_words:
        f.store(context, integer(words + 1), NULL)
    for place_of in low.held_words:
        f.store(context, integer(place_of), NULL)
    for i, held in low.held_inputs.items():
        # others may put a new value into the cell while the interpreter's lock is released
        python("Py_IncRef", None, arrays[i])
        f.store(context, integer(held), arrays[i])
    f.store(shared, integer(State.BUSY), ONE)
    f.store(shared, integer(State.LEFT), f.sub(left, ONE))
    code = f.call("run", "i64", [context])
    f.store(shared, integer(State.BUSY), ZERO)
    for place_of in low.held_words:
        python("Py_DecRef", None, f.load("p", context, integer(place_of)))
    with f.when(f.compare("ne", code, ZERO)):
        for words in low.output_words:
            python("Py_DecRef", None, f.load("p", context, integer(words + 1)))
        with f.when(f.compare("eq", code, integer(RAISED))):
            f.give(NULL)
        f.store(shared, integer(State.CODE), code)
        f.store(shared, integer(State.NEEDED), f.load("i64", context, integer(USED)))
        go_elsewhere()
    for words in low.output_words:  # a fault of the program must not end the process
        with f.when(f.compare("eq", f.load("p", context, integer(words + 1)), NULL)):
            go_elsewhere()
    _give_results(f, low, cells, context, python, returns)
    return f


def _is_locked(f: Function, low: Lowering, group: Group) -> Operand:
    """Whether somebody has the lock of shared variables, or they are in another group by now."""
    lock_at, parent_at, count_at = lock_fields()
    of_object = low.addresses.of_object
    here = f.address(of_object(("group", id(group)), group))
    lock = f.load("p", here, integer(lock_at // 8))
    count = f.load("i64", lock, integer(count_at // 8))
    parent = f.load("p", here, integer(parent_at // 8))
    none = f.address(of_object("None", None))
    return f.binary("or", f.compare("ne", count, ZERO), f.compare("ne", parent, none))


def _read_array(
    f: Function,
    low: Lowering,
    array: Operand,
    kind: Any,
    most: Sequence[Operand],
    context: Operand,
    words: int,
    go_elsewhere: Callable[[], None],
) -> None:
    """The data and the lengths of an argument into the context; ``most`` are the longest."""
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
        beyond = f.compare("ne", length, ONE) if is_one else f.compare("gt", length, most[i])
        with f.when(beyond):
            go_elsewhere()
        if not is_one:
            f.store(context, integer(words + 1 + i), length)


def _read_number(
    f: Function,
    low: Lowering,
    given: Operand,
    kind: Any,
    context: Operand,
    word: int,
    go_elsewhere: Callable[[], None],
) -> None:
    """The place of an argument's value into the context: in an array, or in the object itself."""
    type_of, is_number = f.load("p", given, integer(TYPE // 8)), f.declare(ZERO)

    def is_of(each: type) -> Any:
        address = f.address(low.addresses.of_object(("type", each), each))
        return f.when(f.compare("eq", type_of, address))

    for each in number_types(kind.numpy_dtype):
        with is_of(each):
            f.store(context, integer(word), f.offset(given, integer(HEAD), 1))
            f.put(is_number, ONE)
    number_type = TYPES.get(kind.numpy_dtype)
    if number_type in _TAKE_INT:
        with is_of(int):
            number = f.room(8)
            f.store(number, ZERO, _of_int(f, low, given, number_type, go_elsewhere))
            f.store(context, integer(word), number)
            f.put(is_number, ONE)
    with f.when(f.compare("eq", f.get(is_number), ZERO)):
        _read_array(f, low, given, kind, (), context, word, go_elsewhere)


#: types of inputs that take a Python int; float64 rounds it as NumPy does
_TAKE_INT = INTEGERS - {"u64"} | {"f64"}


def _of_int(
    f: Function, low: Lowering, given: Operand, type: str, go_elsewhere: Callable[[], None]
) -> Operand:
    """A Python int as a number of ``type``; one that does not fit goes elsewhere."""
    overflow = f.room(8)
    name = "PyLong_AsLongLongAndOverflow"
    function = f.address(low.addresses.place(("python", name), python_function(name)))
    number = f.call(function, "i64", [given, overflow])
    result = f.cast(type, number)
    odd = f.compare("ne", f.load("i32", overflow), Number("i32", 0))
    if type in INTEGERS:
        odd = f.binary("or", odd, f.compare("ne", f.cast("i64", result), number))
    with f.when(odd):
        go_elsewhere()
    return result


def _give_results(
    f: Function,
    low: Lowering,
    cells: Cells,
    context: Operand,
    python: Callable[..., Any],
    returns: Returns,
) -> None:
    """New values into their cells, and the outputs to the caller."""
    updates = low.fgraph.update_mapping or {}
    outputs = [f.load("p", context, integer(words + 1)) for words in low.output_words]
    n = len(outputs) - len(updates)
    if returns == "first":
        result: Operand = outputs[0]
    elif returns == "list":
        result = python("PyList_New", "p", integer(n))
        with f.when(f.compare("eq", result, NULL)):
            f.give(NULL)
        items = f.load("p", result, integer(LIST_ITEMS // 8))
        for o in range(n):
            f.store(items, integer(o), outputs[o])
    else:
        result = f.address(low.addresses.of_object("None", None))
        python("Py_IncRef", None, result)
        for output in outputs[:n]:
            python("Py_DecRef", None, output)
    for o, i in updates.items():
        cell = f.address(low.addresses.of_object(("cell", i), cells[low.fgraph.inputs[i]]))
        python("PyList_SetItem", "i32", cell, ZERO, outputs[o])
    f.give(result)


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
    method = _MethodDef(b"native", address, _FASTCALL_WITH_KEYWORDS, None)
    owner.methods.append(method)
    function: Callable[..., Any] = new(ctypes.addressof(method), owner, None)
    return function
