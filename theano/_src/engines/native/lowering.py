"""From a graph to a native program: a main function, and the kernels that it calls.

Main does what is done once a call: lengths, checks, views, numbers, memory. Each value has a level.
Main runs, level by level, the nests of a level and then the rest that belongs to it: a node may join
any nest of its lengths that runs after what it reads. Main returns 0, or why it stopped: the
position of a node plus 1 where a check failed, or one of the codes below.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from theano._src.engines.link import Job
from theano._src.engines.native import inline, ir
from theano._src.engines.native.callbacks import call_back
from theano._src.engines.native.inline import TYPES
from theano._src.engines.native.ir import ONE, ZERO, Function, Number, Operand, Value, integer
from theano._src.engines.native.loops import (
    PY_ARRAY_NEW,
    ArrayFields,
    NotNative,
    loop_address,
    numpy_function,
    python_function,
)
from theano._src.engines.native.nests import Array, Kernel, Nest, Total, call_loop, leaf_sum
from theano._src.engines.native.steps import Formula, Input, Result
from theano._src.graph.graph import Apply, Constant, Variable
from theano._src.graph.op_table import OpTable
from theano._src.types.tensor import TensorType

#: what main returns where the arena is too small, and where Python has raised
NO_ROOM, RAISED = -1, -2

# the context that entry hands to main, in words: the arena, its size, how much of it is used
ARENA, CAPACITY, USED, FIRST = 0, 1, 2, 3

#: how a node is written natively: a function of the lowering and the node
Form = Callable[[Any, Apply], None]


class Addresses:
    """The table of all addresses that a program uses; its code has none in it."""

    def __init__(self) -> None:
        self.values: list[int] = []
        self._places: dict[Any, int] = {}
        self._alive: list[Any] = []

    def place(self, key: Any, value: int, alive: Any = None) -> int:
        """The place of an address, which is put there if the key is new."""
        if key not in self._places:
            self._places[key] = len(self.values)
            self.values.append(value)
            self._alive.append(alive)
        return self._places[key]

    def of_object(self, key: Any, thing: Any) -> int:
        return self.place(key, id(thing), thing)


class Lowering:
    """The program of a graph, while it is written and after.

    ``main`` and ``kernels`` are its functions. Entry puts the data pointer and the lengths of input
    ``i`` into the words from ``input_words[i]`` on, and finds those of output ``o`` in
    ``output_words[o]``: the data, then the array itself. ``called_back`` are nodes that run in Python.
    """

    def __init__(self, job: Job, forms: OpTable[Form]) -> None:
        self.fgraph, self.order = job.fgraph, job.order
        self._forms = forms
        self.addresses = Addresses()
        self.main = Function("main", [("context", "p")], once=True)
        self.context = self.main.params[0]
        self.kernels: list[Function] = []
        self.called_back: list[Apply] = []
        self._kernel_names: dict[str, str] = {}
        self._code: dict[int, list[ir.Instruction]] = defaultdict(list)
        self._nests: dict[Any, dict[int, list[Nest]]] = defaultdict(lambda: defaultdict(list))
        self._arrays: dict[Variable, Array] = {}
        self._same: dict[Any, Operand] = {}  # lengths that are equal: a forest
        self._length_level: dict[Value, int] = {}
        #: lengths that are not below 0
        self.lengths_of_arrays: set[Operand] = set()
        self.position = 0
        self._words = FIRST
        #: words of what must live until the call ends
        self.held_words: list[int] = []
        self._check_types()
        self._readers = self._count_readers()
        self.input_words = [self._take_words(1 + v.type.ndim) for v in self.fgraph.inputs]
        self.output_words = [self._take_words(2 + v.type.ndim) for v in self.fgraph.outputs]
        #: outputs by the variable that is first in their memory
        self._output_of = self._first_in_memory()
        self._new_outputs: dict[int, Operand] = {}
        for v, words in zip(self.fgraph.inputs, self.input_words, strict=True):
            self._arrays[v] = self._input(v, words)
        for self.position, node in enumerate(self.order):
            self._node(node)
        self._finish()

    # what is looked at before

    def _check_types(self) -> None:
        for v in (*self.fgraph.inputs, *self.fgraph.outputs):
            if not isinstance(v.type, TensorType):
                raise NotNative(f"{v} is a {v.type}, not a tensor")

    def _count_readers(self) -> dict[Variable, int]:
        readers: dict[Variable, int] = defaultdict(int)
        for node in self.order:
            for v in node.inputs:
                readers[v] += 1
        for v in self.fgraph.outputs:
            readers[v] += 1
        return readers

    def _first_in_memory(self) -> dict[Variable, int]:
        first: dict[Variable, int] = {}
        for o, v in enumerate(self.fgraph.outputs):
            # nodes that write into the memory of what they change
            while v.owner is not None and getattr(v.owner.op, "destroy_map", None) == {0: [0]}:
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

    def known_at(self, length: Operand, level: int) -> None:
        """Note the level from which a length is known."""
        if isinstance(length, Value):
            self._length_level.setdefault(length, level)
            self.lengths_of_arrays.add(length)

    def owned_copy(self, array: Array, pointer: Operand) -> Operand:
        """A copy of an array in the arena."""
        target = self._arena(self._count(array.lengths), array.dtype.itemsize)
        self.copy(target, pointer, array)
        return target

    def _take_words(self, n: int) -> int:
        self._words += n
        return self._words - n

    @property
    def words(self) -> int:
        """How long the context is, in words."""
        return self._words

    # levels and lengths

    def at(self, level: int) -> Any:
        """Write to what main does after the nests of ``level``."""
        return self.main.writing(self._code[level])

    def length(self, n: Operand) -> Operand:
        """The length that stands for all that are equal to ``n``."""
        while (known := self._same.get(n)) is not None:
            n = known
        return n

    def equal(self, a: Operand, b: Operand) -> bool:
        return self.length(a) == self.length(b)

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
            self.main.give(integer(self.position + 1))

    # arrays

    def _input(self, v: Variable, words: int) -> Array:
        m = self.main
        with self.at(0):
            pointer = m.load("p", self.context, integer(words))
            lengths = [
                ONE if is_one else m.load("i64", self.context, integer(words + 1 + i))
                for i, is_one in enumerate(v.type.broadcastable)
            ]
        self.lengths_of_arrays.update(lengths)
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
        kind = TYPES.get(data.dtype.name)
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
                    array.pointer = self._arena(ONE, array.dtype.itemsize)
                    self.main.store(array.pointer, ZERO, array.number)
        return array.pointer

    def _count(self, lengths: Sequence[Operand]) -> Operand:
        count: Operand = ONE
        for n in lengths:
            count = self.main.mul(count, self.length(n))
        return count

    def _arena(self, count: Operand, size: int) -> Operand:
        """Memory for ``count`` elements of ``size`` bytes, until the call ends."""
        m, context = self.main, self.context
        used = m.load("i64", context, integer(USED))
        after = m.add(used, m.mul(count, integer(size)))
        after = m.binary("and", m.add(after, integer(63)), integer(-64))
        m.store(context, integer(USED), after)
        with m.when(m.compare("gt", after, m.load("i64", context, integer(CAPACITY)))):
            m.give(integer(NO_ROOM))
        return m.offset(m.load("p", context, integer(ARENA)), used, 1)

    def room_for(self, v: Variable, dtype: Any, lengths: Sequence[Operand]) -> Operand:
        """Memory of a variable: that of an output of the function, or of the arena."""
        o = self._output_of.get(v)
        if o is None:
            return self._arena(self._count(lengths), dtype.itemsize)
        return self._new_output(o, lengths)

    def new_array(self, v: Variable, lengths: Sequence[Operand], level: int) -> Array:
        """Memory of a variable as an array; written at the current place of main."""
        dtype = v.type.numpy_dtype
        array = self.whole(dtype, self.room_for(v, dtype, lengths), lengths, level)
        array.owned, array.output = True, self._output_of.get(v)
        return array

    def _new_output(self, o: int, lengths: Sequence[Operand]) -> Operand:
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
                ir.NULL,
                ir.NULL,
                Number("i32", 0),
                Number("i32", 0),
                ir.NULL,
            ],
        )
        m.store(context, integer(words + 1), array)
        with m.when(m.compare("eq", array, ir.NULL)):
            m.give(integer(RAISED))
        self._new_outputs[o] = m.load("p", array, integer(ArrayFields.data // 8))
        return self._new_outputs[o]

    def function(self, name: str) -> Value:
        """A function of Python's or NumPy's C interface."""
        address = numpy_function(PY_ARRAY_NEW) if name == "PyArray_New" else python_function(name)
        return self.main.address(self.addresses.place(("python", name), address))

    # nodes

    def _node(self, node: Apply) -> None:
        form = self._forms.get(node.op)
        if form is not None:
            try:
                form(self, node)
                return
            except NotNative:
                pass
        call_back(self, node)
        self.called_back.append(node)

    def nest_for(
        self,
        arrays: Sequence[Array],
        lengths: list[Operand],
        after: int = 0,
        flat: bool = False,
    ) -> Nest:
        """A nest of these lengths that runs when the arrays are there, or makes them.

        It runs after level ``after``; with ``flat`` all that it reads is from the first element to
        the last.
        """
        need = max([a.level for a in arrays] + [self.level_of(*lengths)])
        least = max(self.level_of(*lengths), after) + 1
        nests = self._nests[tuple(self.length(n) for n in lengths)]
        for level in sorted(level for level in nests if level >= max(need, least)):
            for nest in nests[level]:
                if (
                    all(a.level < level or a.nest is nest for a in arrays)
                    and (
                        not (nest.totals or nest.scatters)
                        or all(self._may_join(a, lengths) for a in arrays)
                    )
                    and (not flat or self._all_flat(nest, lengths))
                ):
                    return nest
        nest = Nest(max(need + 1, least), lengths)
        nests[nest.level].append(nest)
        return nest

    def _all_flat(self, nest: Nest, lengths: Sequence[Operand]) -> bool:
        arrays = [e.array for e in nest.elements if e.array is not None]
        return all(self._is_flat(a, lengths) for a in arrays)

    def _may_join(self, array: Array, lengths: Sequence[Operand]) -> bool:
        """Whether an array may be read by a nest that adds up from the first to the last."""
        return array.number is not None or self._is_flat(array, lengths)

    def into(self, nest: Nest, array: Array) -> int:
        """The element of an array in a nest."""
        if array.nest is nest:
            return array.at
        if array.number is not None or (array.type and all(n == ONE for n in array.lengths)):
            return nest.given(self.number(array), array.dtype)
        self.memory(array)
        return nest.read(array)

    def write_formula(self, node: Apply, formula: Formula) -> None:
        """A node that computes a formula of the elements of its inputs."""
        (out,) = node.outputs
        arrays = [self.array(v) for v in node.inputs]
        if not all(a.ordered for a in arrays):
            raise NotNative("an input whose dimensions were exchanged")
        lengths = self._joint_lengths(node, arrays)
        dtypes = [s.dtype for s in formula.steps] + [a.dtype for a in arrays]
        if all(n == ONE for n in lengths) and all(d.name in TYPES for d in dtypes):
            self._of_numbers(out, formula, arrays)
            return
        nest = self.nest_for(arrays, lengths)
        inputs = [self.into(nest, a) for a in arrays]
        results: list[int] = []

        def place(arg: Any) -> int:
            if isinstance(arg, Input):
                return inputs[arg.at]
            if isinstance(arg, Result):
                return results[arg.at]
            return nest.given(self._known(arg), arg.dtype)

        for step in formula.steps:
            args = [place(a) for a in step.args]
            results.append(nest.step(step.name, step.ufunc, args, step.dtype))
        at = place(formula.result)
        array = Array(out.type.numpy_dtype, lengths, level=nest.level, nest=nest, at=at, owned=True)
        array.output = self._output_of.get(out)
        array.strides = self.strides(lengths)
        self.set(out, array)

    def _known(self, value: np.ndarray) -> Operand:
        """A number that is known, or where it lies."""
        kind = TYPES.get(value.dtype.name)
        if kind is not None:
            return Number(kind, value.item())
        key = ("number", value.dtype.name, value.tobytes())
        with self.at(0):
            return self.main.address(self.addresses.place(key, value.ctypes.data, value))

    def _joint_lengths(self, node: Apply, arrays: Sequence[Array]) -> list[Operand]:
        """The lengths of an elementwise output, which all inputs that are not 1 there have."""
        lengths: list[Operand] = []
        for i, is_one in enumerate(node.outputs[0].type.broadcastable):
            mine: Operand | None = ONE if is_one else None
            for v, a in zip(node.inputs, arrays, strict=True):
                if v.type.broadcastable[i]:
                    continue
                if mine is None:
                    mine = a.lengths[i]
                else:
                    self.require_equal(mine, a.lengths[i])
            assert mine is not None
            lengths.append(self.length(mine))
        return lengths

    def _of_numbers(self, out: Variable, formula: Formula, arrays: Sequence[Array]) -> None:
        level = max([a.level for a in arrays], default=0)
        inputs = [self.number(a) for a in arrays]
        results: list[Operand] = []

        def value(arg: Any) -> Operand:
            if isinstance(arg, Input):
                return inputs[arg.at]
            return results[arg.at] if isinstance(arg, Result) else self._known(arg)

        with self.at(level):
            for step in formula.steps:
                args = [value(a) for a in step.args]
                results.append(self._step_of_numbers(step, args))
        number = value(formula.result)
        self.set(out, self.a_number(out.type.numpy_dtype, number, out.type.ndim, level))

    def _step_of_numbers(self, step: Any, args: Sequence[Operand]) -> Operand:
        m, kind = self.main, TYPES[step.dtype.name]
        if inline.is_inline(step.name, [a.type for a in args], kind):
            return inline.write(m, step.name, args, kind)
        if step.ufunc is None:
            raise NotNative(f"{step.name} to {step.dtype} is left to NumPy")
        dtypes = (*(_DTYPES[a.type] for a in args), step.dtype)
        places = [m.room(8) for _ in dtypes]
        for place, arg in zip(places, args, strict=False):
            m.store(place, ZERO, arg)
        strided = [(place, ZERO) for place in places]
        call_loop(m, self.addresses.place, step.ufunc, dtypes, strided, ONE)
        return m.load(kind, places[-1])

    # the end

    def _finish(self) -> None:
        by_level: dict[int, list[Nest]] = defaultdict(list)
        for nests in self._nests.values():
            for level, some in nests.items():
                by_level[level] += some
        last = max([*self._code, *by_level, 0]) + 1
        for o, v in enumerate(self.fgraph.outputs):
            self._output(o, v, last)
        body: list[ir.Instruction] = []
        for level in range(last + 1):
            with self.main.writing(body):
                for nest in by_level.get(level, ()):
                    self._write_nest(nest)
            body += self._code.get(level, ())
        self.main.body = body
        with self.main.writing(body):
            self.main.give(ZERO)

    def _output(self, o: int, v: Variable, last: int) -> None:
        array = self.array(v)
        if array.nest is not None and array.variable is v and self._output_of.get(v) == o:
            self.memory(array)  # the nest writes to the output
            return
        if array.output == o:
            return
        source = None if array.number is not None else self.memory(array)
        # nothing else is in its memory
        self._output_of = {u: other for u, other in self._output_of.items() if other != o}
        with self.at(last):
            pointer = self._new_outputs.get(o)
            if pointer is None:
                pointer = self._new_output(o, array.lengths)
            if source is None:
                assert array.number is not None
                self.main.store(pointer, ZERO, array.number)
            else:
                self.copy(pointer, source, array)

    def copy(self, target: Operand, source: Operand, array: Array) -> None:
        """The elements of an array one after another into ``target``."""
        kind, words = _COPIED_AS[array.dtype.itemsize]
        if array.flat:
            count = self.main.mul(self._count(array.lengths), integer(words))
            lengths, strides = [count], [ONE]
        elif words == 1:
            lengths, strides = [self.length(n) for n in array.lengths], array.strides
        else:
            raise NotNative(f"a copy of a view of {array.dtype}")
        name = self._kernel(_copier(kind, len(lengths)))
        self.main.call(name, "i64", [target, source, *lengths, *strides])

    def move(self, target: Array, array: Array, source: Operand, add: bool) -> None:
        """The elements of an array into a view of the same lengths, or added to them."""
        assert array.type is not None and target.pointer is not None
        kernel = _mover(array.type, len(array.lengths), add)
        lengths = [self.length(n) for n in target.lengths]
        strides = [*target.strides, *array.strides]
        self.main.call(self._kernel(kernel), "i64", [target.pointer, source, *lengths, *strides])

    def matmul(self, out: Variable, a: Array, b: Array) -> Array:
        """A product by NumPy's own loop, which calls its BLAS."""
        dtype = out.type.numpy_dtype
        if a.dtype != dtype or b.dtype != dtype or dtype.name not in ("float64", "float32"):
            raise NotNative("a product of other dtypes")
        if not 1 <= len(a.lengths) <= 2 or not 1 <= len(b.lengths) <= 2:
            raise NotNative("a product with a number")
        pointers = [self.memory(a), self.memory(b)]
        level = max(a.level, b.level)
        self.require_equal(a.lengths[-1], b.lengths[0], level)
        row, column = len(a.lengths) == 1, len(b.lengths) == 1
        lengths = [*a.lengths[: 1 - row], *b.lengths[1:]]
        n, k, p = ONE if row else a.lengths[0], a.lengths[-1], ONE if column else b.lengths[1]
        m, size = self.main, integer(dtype.itemsize)
        loop, _ = loop_address(np.matmul, (dtype,) * 3)
        level = max(level, self.level_of(*lengths, k))
        with self.at(level):
            result = self.new_array(out, lengths, level)
            # a dimension of length 1 has the stride that it would have without gaps
            strides_a = [m.mul(k, a.strides[-1]) if n == ONE else a.strides[0], a.strides[-1]]
            strides_b = [b.strides[0], ONE if p == ONE else b.strides[-1]]
            places, counts, steps = m.room(24), m.room(32), m.room(72)
            for i, pointer in enumerate([*pointers, result.pointer]):
                assert pointer is not None
                m.store(places, integer(i), pointer)
            for i, count in enumerate((ONE, n, k, p)):
                m.store(counts, integer(i), self.length(count))
            strides = [*strides_a, *strides_b, self.length(p), ONE]
            for i, stride in enumerate([ZERO, ZERO, ZERO, *strides]):
                m.store(steps, integer(i), m.mul(stride, size))
            function = m.address(self.addresses.place(("matmul", dtype.name), loop))
            m.call(function, None, [places, counts, steps, ir.NULL])
        return result

    def _kernel(self, f: Function) -> str:
        """The name of a kernel; equal ones are one."""
        text = repr((f.params, sorted(f.alone), f.result, f.body))
        if text not in self._kernel_names:
            self._kernel_names[text] = f.name
            self.kernels.append(f)
        return self._kernel_names[text]

    def _write_nest(self, nest: Nest) -> None:
        m = self.main
        if not nest.written and not nest.totals and not nest.scatters:
            return
        for array in nest.written.values():
            pointer = self.room_for(array.variable, array.dtype, nest.lengths)
            assert isinstance(array.pointer, Value)
            m.append(ir.Offset(array.pointer, pointer, ZERO, 1))
        lengths = [self.length(n) for n in nest.lengths]
        flat = all(e.array is None or self._is_flat(e.array, lengths) for e in nest.elements)
        if flat:
            lengths = [self._count(lengths)]
        sums = m.room(8 * len(nest.totals)) if nest.totals else None
        name = f"k{len(self.kernels)}"
        kernel = Kernel(name, nest, lengths, flat, self.addresses.place, sums)
        for kind in {t.result.type for t in nest.totals}:
            self._kernel(leaf_sum(kind))
        code = m.call(self._kernel(kernel.function), "i64", kernel.arguments)
        if nest.can_stop:
            with m.when(m.compare("ne", code, ZERO)):
                m.give(code)
        for i, total in enumerate(nest.totals):
            kind = total.result.type
            value = m.load(kind, sums, integer(8 // ir.SIZES[kind] * i))  # type: ignore[arg-type]
            zero = Number(kind, 0.0 if kind in ir.FLOATS else 0)
            m.append(ir.Compute(total.result, "add", (value, zero)))

    def _is_flat(self, array: Array, lengths: Sequence[Operand]) -> bool:
        mine = [self.length(n) for n in array.lengths if n != ONE]
        return array.flat and mine == [n for n in lengths if n != ONE]

    def total(self, node: Apply, array: Array, dtype: Any) -> None:
        """A node that adds up all elements of an array that is flat."""
        kind = TYPES[dtype.name]
        lengths = [self.length(n) for n in array.lengths]
        nest = self.nest_for([array], lengths, flat=True)
        at = self.into(nest, array)
        if array.dtype != dtype:
            at = nest.step("cast", None, [at], dtype)
        result = self.main.new(kind, "sum")
        nest.totals.append(Total(at, result))
        self.set(node.outputs[0], self.a_number(dtype, result, 0, nest.level))


#: integers that elements are copied as, by their size, and how many of them
_COPIED_AS = {1: ("i8", 1), 2: ("i16", 1), 4: ("i32", 1), 8: ("i64", 1), 16: ("i64", 2)}
_DTYPES = {kind: np.dtype(name) for name, kind in TYPES.items()}


def _mover(kind: str, ndim: int, add: bool) -> Function:
    """A kernel that puts, or adds, one array with strides into another."""
    names = [(f"{c}{i}", "i64") for c in "nts" for i in range(ndim)]
    word = "add" if add else "set"
    f = Function(f"{word}{ndim}_{kind}", [("target", "p"), ("source", "p"), *names])
    target, source, *rest = f.params
    f.alone = {"target"}
    lengths, to_strides, strides = rest[:ndim], rest[ndim : 2 * ndim], rest[2 * ndim :]

    def nest(i: int, to: Operand, since: Operand) -> None:
        if i == ndim:
            value: Operand = f.load(kind, source, since)
            if add:
                value = f.add(f.load(kind, target, to), value)
            f.store(target, to, value)
            return
        with f.loop(lengths[i]) as index:
            nest(
                i + 1,
                f.add(to, f.mul(index, to_strides[i])),
                f.add(since, f.mul(index, strides[i])),
            )

    nest(0, ZERO, ZERO)
    f.give(ZERO)
    return f


def _copier(kind: str, ndim: int) -> Function:
    """A kernel that copies an array with strides to memory without."""
    names = [(f"n{i}", "i64") for i in range(ndim)] + [(f"s{i}", "i64") for i in range(ndim)]
    f = Function(f"copy{ndim}_{kind}", [("target", "p"), ("source", "p"), *names])
    target, source, *rest = f.params
    f.alone = {"target"}
    lengths, strides = rest[:ndim], rest[ndim:]

    def nest(i: int, to: Operand, since: Operand) -> None:
        if i == ndim:
            f.store(target, to, f.load(kind, source, since))
            return
        with f.loop(lengths[i]) as index:
            nest(
                i + 1,
                f.add(f.mul(to, lengths[i]), index),
                f.add(since, f.mul(index, strides[i])),
            )

    nest(0, ZERO, ZERO)
    f.give(ZERO)
    return f
