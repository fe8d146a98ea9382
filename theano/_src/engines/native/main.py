"""The main function of a native program: everything that is done once a call.

Lengths, checks, views, single numbers, memory. Each value has a level: main runs the nests of a
level, and then the code that belongs to it. Main returns 0, or why it stopped: the position of a
node plus 1 if a check failed, or one of the codes of `nests`.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from theano._src.engines.link import Job
from theano._src.engines.native import ir
from theano._src.engines.native.addresses import Parts
from theano._src.engines.native.functions import copied_as
from theano._src.engines.native.inline import TYPES
from theano._src.engines.native.ir import NULL, ONE, ZERO, Function, Number, Operand, Value, integer
from theano._src.engines.native.loops import (
    PY_ARRAY_NEW,
    ArrayFields,
    NotNative,
    numpy_function,
    python_function,
)
from theano._src.engines.native.nest_kernel import copier, mover
from theano._src.engines.native.nests import NO_ROOM, NOT_HERE, RAISED, Array, ndim_of
from theano._src.graph.graph import Constant, Variable
from theano._src.types.randomstate import RandomStateType
from theano._src.types.shared import Cell
from theano._src.types.tensor import TensorType

#: elements from which a loop releases the interpreter's lock
LONG = 1 << 16

# the context that entry hands to main, in words: the arena, its size, how much of it is used,
# whether long loops release the interpreter's lock, and for the step of a loop the context of main
ARENA, CAPACITY, USED, RELEASES, ROOT, FIRST = range(6)


def _turn() -> None:
    """A call of Python: it runs handlers of signals, and threads that have waited for 5 ms."""


class Main:
    """The main function while it is written: its lengths, arrays and memory.

    ``main`` and ``kernels`` are the functions of the program. Entry puts the data pointer and the
    lengths of input ``i`` into the words of the context from ``input_words[i]`` on, and finds
    output ``o`` in the word after ``output_words[o]``.

    The function of a step of a loop has the main function around it as ``outer``, and shares its
    kernels and its table of addresses.
    """

    #: arrays of the arena begin at multiples of so many bytes
    alignment = 64
    #: types of Python objects: main hands them from one node that is called back to the next
    objects: tuple[type, ...] = (RandomStateType,)

    def __init__(self, job: Job, outer: Main | None = None, parts: Parts | None = None) -> None:
        self.fgraph, self.order, self.cells = job.fgraph, job.order, job.cells
        self._outer = outer
        self.parts: Parts = (parts or Parts()) if outer is None else outer.parts
        self.addresses, self.functions = self.parts.addresses, self.parts.functions
        self.kernels, self.called_back = self.parts.kernels, self.parts.called_back
        self._kernel_names = self.parts.kernel_names
        self.main = self.new_main()
        self.context = self.main.params[0]
        self.code: dict[int, list[ir.Instruction]] = defaultdict(list)
        self._arrays: dict[Variable, Array] = {}
        self.objects_at: dict[Variable, tuple[Operand, int]] = {}
        self._same: dict[Any, Operand] = {}  # lengths that are equal: a forest
        self._length_level: dict[Value, int] = {}
        #: lengths that are not below 0
        self.lengths_of_arrays: set[Operand] = set()
        self.position = 0
        #: how long the context is, in words
        self.words = FIRST
        #: words of what must live until the call ends; those of shared values by their inputs
        self.held_words: list[int] = []
        self.held_inputs: dict[int, int] = {}
        #: whether a call runs Python, which may let other threads run
        self.runs_python = False
        self._check_types()
        self._readers = self._count_readers()
        self.begin()
        # a pointer, lengths, and strides where the input is a view
        self.input_words = [self._take_words(1 + 2 * ndim_of(v)) for v in self.fgraph.inputs]
        self.output_words = [self._take_words(2 + ndim_of(v)) for v in self.fgraph.outputs]
        #: outputs by the variable that is first in their memory
        self.output_of = self._first_in_memory()
        self.new_outputs: dict[int, Operand] = {}
        for i, (v, words) in enumerate(zip(self.fgraph.inputs, self.input_words, strict=True)):
            if self.is_object(v):
                with self.at(0):
                    self.objects_at[v] = self.main.load("p", self.context, integer(words)), 0
            else:
                self._arrays[v] = self.input_array(i, v, words)

    def new_main(self) -> Function:
        """The main function, without its body."""
        name = "run" if self._outer is None else f"step{next(self.parts.numbers)}"
        return Function(name, [("context", "p")], once=self._outer is None)

    def begin(self) -> None:
        """Write what comes before everything else."""

    def end(self) -> None:
        """Write what comes last, after all outputs."""

    def note(self, positions: Sequence[int]) -> None:
        """Write a comment on the work of the nodes at these positions."""

    def stop_code(self) -> int:
        """The result of a function of the program if a check of the current node fails."""
        return self.position + 1

    def leave_if(self, condition: Operand, for_bits: bool = False) -> None:
        """Leave the call to the numpy engine.

        With ``for_bits`` the program could do it, with other digits than the numpy engine's.
        """
        with self.main.when(condition):
            self.main.give(integer(NOT_HERE))

    def used(self) -> Operand:
        """How much of the arena is used."""
        return self.main.load("i64", self.context, integer(USED))

    def set_used(self, used: Operand) -> None:
        self.main.store(self.context, integer(USED), used)

    def check_room(self, used: Operand) -> None:
        """Stop where the arena is smaller."""
        capacity = self.main.load("i64", self.context, integer(CAPACITY))
        with self.main.when(self.main.compare("gt", used, capacity)):
            self.main.give(integer(NO_ROOM))

    def arena_start(self) -> Operand:
        return self.main.load("p", self.context, integer(ARENA))

    def fill_context(self, context: Operand) -> None:
        """Store what the function of an inner graph shares with this one into its context."""
        self.main.store(context, integer(ARENA), self.arena_start())
        self.main.store(context, integer(ROOT), self.root_context())

    def give_room(self, context: Operand, used: Operand, most: Operand | None = None) -> None:
        """Let an inner function use the arena from ``used`` on, up to ``most`` if that is given."""
        m = self.main
        if most is None:
            most = m.load("i64", self.context, integer(CAPACITY))
        m.store(context, integer(USED), used)
        m.store(context, integer(CAPACITY), most)

    def inner_stopped(self, code: Operand, context: Operand, takes_all: bool = True) -> None:
        """Give up after an inner function, which ``takes_all`` the arena, or a part of it."""
        m = self.main
        with m.when(m.compare("eq", code, integer(NO_ROOM))):
            if takes_all:
                self.set_used(m.load("i64", context, integer(USED)))
            m.give(integer(NO_ROOM if takes_all else NOT_HERE))
        with m.when(m.compare("lt", code, ZERO)):
            m.give(code)
        m.give(integer(self.stop_code()))

    def let_others_run(self) -> None:
        """Run handlers of signals, and threads that wait."""
        m = self.main
        turn = m.address(self.addresses.of_object("turn", _turn))
        nothing = m.call(self.function("PyObject_Vectorcall"), "p", [turn, NULL, ZERO, NULL])
        with m.when(m.compare("eq", nothing, NULL)):
            m.give(integer(RAISED))
        m.call(self.function("Py_DecRef"), None, [nothing])

    # types, readers and outputs

    def _check_types(self) -> None:
        for v in (*self.fgraph.inputs, *self.fgraph.outputs):
            if not isinstance(v.type, TensorType) and not self.is_object(v):
                raise NotNative(f"{v} is a {v.type}, not a tensor")

    def is_object(self, v: Variable) -> bool:
        """Whether a variable is a Python object."""
        return isinstance(v.type, self.objects)

    def _count_readers(self) -> Counter[Variable]:
        readers = Counter(v for node in self.order for v in node.inputs)
        readers.update(self.fgraph.outputs)
        return readers

    def _first_in_memory(self) -> dict[Variable, int]:
        first: dict[Variable, int] = {}
        for o, v in enumerate(self.fgraph.outputs):
            # nodes that write into a part of the memory of what they change
            while v.owner is not None and hasattr(v.owner.op, "set_instead_of_inc"):
                if getattr(v.owner.op, "destroy_map", None) != {0: [0]}:
                    break
                before = v.owner.inputs[0]
                if self._readers[before] > 1 or before.owner is None:
                    break
                v = before
            first.setdefault(v, o)
        return first

    def is_read_once(self, v: Variable) -> bool:
        return self._readers[v] == 1

    def hold(self) -> int:
        """A word for an object that must live until the call ends."""
        self.held_words.append(self._take_words(1))
        return self.held_words[-1]

    def keep(self, thing: Operand) -> None:
        """Hold an object that was made; in a step of a loop until the next step makes another."""
        m, root = self.main, self
        while root._outer is not None:
            root = root._outer
        word, context = integer(root.hold()), self.root_context()
        if root is not self:
            m.call(self.function("Py_DecRef"), None, [m.load("p", context, word)])
        m.store(context, word, thing)

    def root_context(self) -> Operand:
        """The context of main, also in a step of a loop."""
        return (
            self.context
            if self._outer is None
            else self.main.load("p", self.context, integer(ROOT))
        )

    def lets_go(self, runs_python: bool = False) -> None:
        """Other threads may run during a call: they may put new values into shared variables."""
        if self._outer is not None:
            self._outer.lets_go(runs_python)
            return
        self.runs_python |= runs_python
        if not self.held_inputs:
            inputs = enumerate(self.fgraph.inputs)
            self.held_inputs = {
                i: self.hold() for i, v in inputs if isinstance(self.cells[v], Cell)
            }

    @contextmanager
    def unlocked(self, work: Operand) -> Iterator[None]:
        """Release the interpreter's lock around what is written, from so much work on."""
        if isinstance(work, Number) and work.value < LONG:
            yield
            return
        m = self.main
        self.lets_go()
        thread = m.declare(NULL)
        with m.when(m.compare("ge", work, integer(LONG))):
            releases = m.load("i64", self.root_context(), integer(RELEASES))
            with m.when(m.compare("ne", releases, ZERO)):
                m.put(thread, m.call(self.function("PyEval_SaveThread"), "p", []))
        yield
        with m.when(m.compare("ne", m.get(thread), NULL)):
            m.call(self.function("PyEval_RestoreThread"), None, [m.get(thread)])

    def known_at(self, length: Operand, level: int) -> None:
        """Note the level from which a length is known, the first time."""
        if isinstance(length, Value):
            self._length_level.setdefault(length, level)
            self.lengths_of_arrays.add(length)

    def _take_words(self, n: int) -> int:
        self.words += n
        return self.words - n

    # levels and lengths

    def at(self, level: int) -> Any:
        """Write to what main does after the nests of ``level``."""
        return self.main.writing(self.code[level])

    def length(self, n: Operand) -> Operand:
        """The length that stands for all that are equal to ``n``."""
        while (known := self._same.get(n)) is not None:
            n = known
        return n

    def level_of(self, *lengths: Operand) -> int:
        return max([self._length_level.get(n, 0) for n in lengths if isinstance(n, Value)] + [0])

    def require_equal(self, a: Operand, b: Operand, level: int = 0) -> None:
        """Lengths that must be equal: main stops where they are not, at ``level`` or later."""
        a, b = self.length(a), self.length(b)
        if a == b:
            return
        with self.at(max(level, self.level_of(a, b))):
            self.stop_if(self.main.compare("ne", a, b))
        # a number stands for both, else the length that is known first
        if isinstance(a, Number) or self.level_of(a) < self.level_of(b):
            a, b = b, a
        if isinstance(a, Value):
            self._same[a] = b

    def stop_if(self, condition: Operand) -> None:
        with self.main.when(condition):
            self.main.give(integer(self.stop_code()))

    # arrays

    def input_array(self, i: int, v: Variable, words: int) -> Array:
        """Input ``i``, which is at some words of the context."""
        m = self.main
        with self.at(0):
            pointer = m.load("p", self.context, integer(words))
            lengths = [
                ONE if is_one else m.load("i64", self.context, integer(words + 1 + i))
                for i, is_one in enumerate(v.type.broadcastable)
            ]
        for n in lengths:
            self.known_at(n, 0)
        return self.whole(v.type.numpy_dtype, pointer, lengths, 0)

    def whole(self, dtype: Any, pointer: Operand, lengths: Sequence[Operand], level: int) -> Array:
        """An array whose elements lie one after another."""
        array = Array(dtype, list(lengths), pointer=pointer, level=level)
        array.strides = self.strides(lengths)
        return array

    def strides(self, lengths: Sequence[Operand]) -> list[Operand]:
        strides: list[Operand] = []
        stride: Operand = ONE
        with self.at(self.level_of(*lengths)):
            for n in reversed(lengths):
                strides.insert(0, stride)
                if len(strides) < len(lengths):
                    stride = self.main.mul(stride, n)
        return strides

    def array(self, v: Variable) -> Array:
        """The array of a variable that was lowered, or of a constant."""
        array = self._arrays.get(v)
        if array is None:
            assert isinstance(v, Constant)
            array = self._arrays[v] = self._constant(v)
        return array

    def _constant(self, v: Constant) -> Array:
        if not isinstance(v.type, TensorType):
            raise NotNative(f"{v} is a {v.type}, not a tensor")
        data = np.ascontiguousarray(v.data).reshape(v.data.shape)
        kind = TYPES.get(data.dtype)
        if kind is not None and all(v.type.broadcastable):
            array = self.a_number(data.dtype, Number(kind, data.reshape(()).item()), data.ndim)
        else:
            with self.at(0):
                place = self.addresses.place(("constant", id(v)), data.ctypes.data, data)
                pointer = self.main.address(place)
            array = self.whole(data.dtype, pointer, [integer(n) for n in data.shape], 0)
        array.constant = data
        return array

    def a_number(self, dtype: Any, number: Operand, ndim: int = 0, level: int = 0) -> Array:
        """An array of one element, which is ``number``."""
        return Array(dtype, [ONE] * ndim, [ZERO] * ndim, number=number, level=level)

    def object(self, v: Variable) -> tuple[Operand, int]:
        """The Python object of a variable, and the level from which it is there."""
        if v not in self.objects_at:
            assert isinstance(v, Constant)
            with self.at(0):
                place = self.addresses.of_object(("constant", id(v)), v.data)
                self.objects_at[v] = self.main.address(place), 0
        return self.objects_at[v]

    def set(self, v: Variable, array: Array) -> None:
        array.variable = v
        self._arrays[v] = array

    def number(self, array: Array) -> Operand:
        """The one element of an array; it is there from the array's level on."""
        if array.number is None:
            if array.type is None:
                raise NotNative(f"a number of {array.dtype}")
            pointer = self.memory(array)
            with self.at(array.level):
                array.number = self.main.load(array.type, pointer)
        return array.number

    def memory(self, array: Array) -> Operand:
        """The pointer to an array; an element of a nest will be written, a number is stored."""
        if array.pointer is None:
            if array.nest is not None:
                array.pointer = self.main.new("p", "m")
                array.nest.written[array.at] = array
            else:
                assert array.number is not None
                with self.at(array.level):
                    array.pointer = self.arena(ONE, array.dtype.itemsize)
                    self.main.store(array.pointer, ZERO, array.number)
        return array.pointer

    def count(self, lengths: Sequence[Operand]) -> Operand:
        count: Operand = ONE
        for n in lengths:
            count = self.main.mul(count, self.length(n))
        return count

    def arena(self, count: Operand, size: int) -> Operand:
        """Memory for ``count`` elements of ``size`` bytes, until the call ends."""
        m = self.main
        used = self.used()
        after = m.add(used, m.mul(count, integer(size)))
        after = m.binary("and", m.add(after, integer(self.alignment - 1)), integer(-self.alignment))
        self.set_used(after)
        self.check_room(after)
        return m.offset(self.arena_start(), used, 1)

    def room_for(self, v: Variable | None, dtype: Any, lengths: Sequence[Operand]) -> Operand:
        """Memory of a variable: that of an output of the function, or of the arena."""
        o = None if v is None else self.output_of.get(v)
        if o is None:
            return self.arena(self.count(lengths), dtype.itemsize)
        return self.new_output(o, lengths)

    def new_array(
        self, v: Variable | None, lengths: Sequence[Operand], level: int, dtype: Any = None
    ) -> Array:
        """Memory for an array, written at the current place of main; that of ``v``, if given."""
        if v is not None:
            dtype = v.type.numpy_dtype
        array = self.whole(dtype, self.room_for(v, dtype, lengths), lengths, level)
        array.owned, array.output = True, None if v is None else self.output_of.get(v)
        return array

    def new_output(self, o: int, lengths: Sequence[Operand]) -> Operand:
        m, context, words = self.main, self.context, self.output_words[o]
        dtype = self.fgraph.outputs[o].type.numpy_dtype
        for i, n in enumerate(lengths):
            m.store(context, integer(words + 2 + i), self.length(n))
        array = m.call(
            self.function("PyArray_New"),
            "p",
            [
                m.address(self.addresses.of_object("ndarray", np.ndarray)),
                Number("i32", len(lengths)),
                m.offset(context, integer(words + 2), 8),
                Number("i32", dtype.num),
                NULL,
                NULL,
                Number("i32", 0),
                Number("i32", 0),
                NULL,
            ],
        )
        m.store(context, integer(words + 1), array)
        with m.when(m.compare("eq", array, NULL)):
            m.give(integer(RAISED))
        self.new_outputs[o] = m.load("p", array, integer(ArrayFields.data // 8))
        return self.new_outputs[o]

    def function(self, name: str) -> Value:
        """A function of Python's or NumPy's C interface."""
        address = numpy_function(PY_ARRAY_NEW) if name == "PyArray_New" else python_function(name)
        return self.main.address(self.addresses.place(("python", name), address))

    # copies

    def copy(self, target: Operand, source: Operand, array: Array) -> None:
        """The elements of an array one after another into ``target``."""
        kind, words = copied_as(array.dtype)
        if array.flat:
            count = self.main.mul(self.count(array.lengths), integer(words))
            lengths: list[Operand] = [count]
            strides: list[Operand] = [ONE]
        elif words == 1:
            lengths, strides = [self.length(n) for n in array.lengths], array.strides
        else:
            raise NotNative(f"a copy of a view of {array.dtype}")
        name = self.kernel(copier(kind, len(lengths)))
        with self.unlocked(self.count(lengths)):
            self.main.call(name, "i64", [target, source, *lengths, *strides])

    def move(self, target: Array, array: Array, source: Operand, add: bool) -> None:
        """The elements of an array into a view of the same lengths, or added to them."""
        assert array.type is not None and target.pointer is not None
        kernel = mover(array.type, len(array.lengths), add)
        lengths = [self.length(n) for n in target.lengths]
        strides = [*target.strides, *array.strides]
        self.main.call(self.kernel(kernel), "i64", [target.pointer, source, *lengths, *strides])

    def kernel(self, f: Function, arguments: Sequence[Operand] = ()) -> str:
        """The name of a kernel, which main calls with ``arguments``; equal ones are one."""
        if f.text not in self._kernel_names:
            self._kernel_names[f.text] = f.name
            self.kernels.append(f)
        return self._kernel_names[f.text]
