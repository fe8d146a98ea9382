"""From a graph to a native program: main, and the nests whose kernels it calls.

A node may join any nest of its lengths that runs after its inputs are there.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections import defaultdict
from collections.abc import Callable, Sequence
from operator import attrgetter
from typing import Any

import numpy as np

from theano._src.engines.link import Job
from theano._src.engines.native import ir
from theano._src.engines.native.addresses import Parts
from theano._src.engines.native.callbacks import call_back
from theano._src.engines.native.inline import DTYPES, TYPES
from theano._src.engines.native.ir import ONE, ZERO, Number, Operand, Value, integer
from theano._src.engines.native.loops import NotNative
from theano._src.engines.native.main import Main
from theano._src.engines.native.nest_kernel import Kernel, leaf_sum
from theano._src.engines.native.nests import Array, Nest, Total
from theano._src.engines.native.steps import Formula, Input, Result
from theano._src.graph.graph import Apply, Variable
from theano._src.graph.op_table import OpTable

#: instructions from which the step of a loop is not optimised
_LONG_STEP = 400
_LEVEL = attrgetter("level")
#: how a node is written natively: a function of the lowering and the node
Form = Callable[[Any, Apply], None]


class Lowering(Main):
    """The program of a graph, while it is written and after; ``called_back`` runs in Python."""

    #: the class of the functions of graphs inside ops, if it is not `Inner`
    inner_class: Any = None

    def __init__(
        self,
        job: Job,
        forms: OpTable[Form],
        outer: Main | None = None,
        parts: Parts | None = None,
    ) -> None:
        super().__init__(job, outer, parts)
        self.forms = forms
        #: nests by their lengths, in the order of their levels
        self._nests: dict[Any, list[Nest]] = defaultdict(list)
        for position, node in enumerate(self.order):
            self.position = position
            self._node(node)
        self._finish()

    # nodes

    def _node(self, node: Apply) -> None:
        form = self.forms.get(node.op)
        if form is not None:
            try:
                form(self, node)
                return
            except NotNative as e:
                why = str(e)
        else:
            why = "the op has no native form"
        self.without_form(node, why)

    def without_form(self, node: Apply, why: str) -> None:
        """A node that is not written natively."""
        call_back(self, node)
        self.called_back.append(node)

    def nest_for(
        self,
        arrays: Sequence[Array],
        lengths: list[Operand],
        after: int = 0,
        flat: bool = False,
        sums: str | None = None,
    ) -> Nest:
        """A nest of these lengths that runs when the arrays are there, or makes them.

        It runs after level ``after``; with ``flat`` all that it reads is from the first element to
        the last. With ``sums`` it adds up numbers of that type, and of no other.
        """
        need = max([a.level for a in arrays] + [self.level_of(*lengths)])
        least = max(self.level_of(*lengths), after) + 1
        nests = self._nests[tuple(self.length(n) for n in lengths)]
        for i in range(bisect_left(nests, max(need, least), key=_LEVEL), len(nests)):
            nest = nests[i]
            if (
                all(a.level < nest.level or a.nest is nest for a in arrays)
                and (
                    not (nest.totals or nest.scatters)
                    or all(self._may_join(a, lengths) for a in arrays)
                )
                and (not flat or self._all_flat(nest, lengths))
                and (sums is None or all(t.result.type == sums for t in nest.totals))
            ):
                break
        else:
            nest = Nest(max(need + 1, least), lengths, self.functions)
            insort(nests, nest, key=_LEVEL)
        nest.positions.append(self.position)
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
        patterns = [v.type.broadcastable for v in node.inputs]
        array = self.elementwise([self.array(v) for v in node.inputs], patterns, formula, out)
        self.set(out, array)

    def elementwise(
        self,
        arrays: Sequence[Array],
        patterns: Sequence[tuple[bool, ...]],
        formula: Formula,
        out: Variable | None = None,
    ) -> Array:
        """A formula of the elements of arrays; those with True in their patterns stretch there."""
        if not all(a.ordered for a in arrays):
            raise NotNative("an input whose dimensions were exchanged")
        lengths = self._joint_lengths(arrays, patterns)
        dtypes = [s.dtype for s in formula.steps] + [a.dtype for a in arrays]
        if all(n == ONE for n in lengths) and all(d in TYPES for d in dtypes):
            return self._of_numbers(len(lengths), formula, arrays)
        nest = self.nest_for(arrays, lengths)
        inputs = [self.into(nest, a) for a in arrays]
        level = max((a.level for a in arrays if a.number is not None), default=0)
        results: list[int] = []

        def place(arg: Any) -> int:
            if isinstance(arg, Input):
                return inputs[arg.at]
            if isinstance(arg, Result):
                return results[arg.at]
            return nest.given(self._operand(arg), arg.dtype)

        for step in formula.steps:
            args = [place(a) for a in step.args]
            numbers = [nest.elements[a].number for a in args]
            if step.dtype in TYPES and all(n and n.type != "p" for n in numbers):
                # NumPy computes a number once, and some loops look whether an input is one
                with self.at(level):
                    number = self._step_of_numbers(step, numbers)  # type: ignore[arg-type]
                results.append(nest.given(number, step.dtype))
            else:
                results.append(nest.step(step.name, step.ufunc, args, step.dtype))
        return self.element(out, nest, place(formula.result), lengths)

    def element(self, out: Variable | None, nest: Nest, at: int, lengths: list[Operand]) -> Array:
        """An element of a nest as the array of a variable, which no other variable shares."""
        at = nest.own(at)
        dtype = nest.elements[at].dtype
        array = Array(dtype, lengths, level=nest.level, nest=nest, at=at, owned=True)
        array.output = None if out is None else self.output_of.get(out)
        array.strides = self.strides(lengths)
        return array

    def _operand(self, value: np.ndarray) -> Operand:
        """A number that is known, or where it lies."""
        kind = TYPES.get(value.dtype)
        if kind is not None:
            return Number(kind, value.item())
        key = ("number", value.dtype.name, value.tobytes())
        with self.at(0):
            return self.main.address(self.addresses.place(key, value.ctypes.data, value))

    def _joint_lengths(
        self, arrays: Sequence[Array], patterns: Sequence[tuple[bool, ...]]
    ) -> list[Operand]:
        """The lengths of an elementwise output, which all inputs that are not 1 there have."""
        lengths: list[Operand] = []
        for i in range(len(patterns[0])):
            mine: Operand | None = None
            for pattern, a in zip(patterns, arrays, strict=True):
                if pattern[i]:
                    continue
                if mine is None:
                    mine = a.lengths[i]
                else:
                    self.require_equal(mine, a.lengths[i])
            lengths.append(ONE if mine is None else self.length(mine))
        return lengths

    def _of_numbers(self, ndim: int, formula: Formula, arrays: Sequence[Array]) -> Array:
        level = max([a.level for a in arrays], default=0)
        inputs = [self.number(a) for a in arrays]
        results: list[Operand] = []

        def value(arg: Any) -> Operand:
            if isinstance(arg, Input):
                return inputs[arg.at]
            return results[arg.at] if isinstance(arg, Result) else self._operand(arg)

        with self.at(level):
            for step in formula.steps:
                args = [value(a) for a in step.args]
                results.append(self._step_of_numbers(step, args))
        number = value(formula.result)
        return self.a_number(DTYPES[number.type], number, ndim, level)

    def _step_of_numbers(self, step: Any, args: Sequence[Operand]) -> Operand:
        m, kind = self.main, TYPES[step.dtype]
        types = [a.type for a in args]
        if self.functions.is_instruction(step.name, types, kind):
            if self.functions.may_leave(step.name, types, kind):
                self.leave_if(self.functions.leaves(m, args, kind))
            return self.functions.write(m, step.name, args, kind)
        if step.ufunc is None:
            raise NotNative(f"{step.name} to {step.dtype} is left to NumPy")
        dtypes = (*(DTYPES[a.type] for a in args), step.dtype)
        places = [m.room(8) for _ in dtypes]
        for place, arg in zip(places, args, strict=False):
            m.store(place, ZERO, arg)
        strided = [(place, ZERO) for place in places]
        self.functions.call(m, step.ufunc, dtypes, strided, ONE)
        return m.load(kind, places[-1])

    # the end

    def _finish(self) -> None:
        by_level: dict[int, list[Nest]] = defaultdict(list)
        for nests in self._nests.values():
            for nest in nests:
                by_level[nest.level].append(nest)
        last = max([*self.code, *by_level, 0]) + 1
        for o, v in enumerate(self.fgraph.outputs):
            self._output(o, v, last)
        body: list[ir.Instruction] = []
        for level in range(last + 1):
            with self.main.writing(body):
                for nest in by_level.get(level, ()):
                    self._write_nest(nest)
            body += self.code.get(level, ())
        self.main.body = body
        with self.main.writing(body):
            self.end()
            self.main.give(ZERO)
        # long steps of loops mostly call kernels
        self.main.once = self.main.once or self.main.size > _LONG_STEP

    def _output(self, o: int, v: Variable, last: int) -> None:
        if self.is_object(v):
            with self.at(last):
                thing, _ = self.object(v)
                self.main.call(self.function("Py_IncRef"), None, [thing])
                self.main.store(self.context, integer(self.output_words[o] + 1), thing)
            return
        array = self.array(v)
        if array.nest is not None and array.variable is v and self.output_of.get(v) == o:
            self.memory(array)  # the nest writes to the output
            return
        if array.output == o:
            return
        source = None if array.number is not None else self.memory(array)
        # nothing else is in its memory
        self.output_of = {u: other for u, other in self.output_of.items() if other != o}
        with self.at(last):
            pointer = self.new_outputs.get(o)
            if pointer is None:
                pointer = self.new_output(o, array.lengths)
            if source is None:
                assert array.number is not None
                self.main.store(pointer, ZERO, array.number)
            else:
                self.copy(pointer, source, array)

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
            lengths = [self.count(lengths)]
        sums = (
            m.room(ir.SIZES[nest.totals[0].result.type] * len(nest.totals)) if nest.totals else None
        )
        name = f"nest{len(self.kernels)}"
        kernel = Kernel(name, nest, lengths, flat, sums)
        for kind in sorted({t.result.type for t in nest.totals}):
            self.kernel(leaf_sum(kind))
        kernel_name = self.kernel(kernel.function, kernel.arguments)
        self.note(nest.positions)
        with self.unlocked(self.count(lengths)):
            code = m.call(kernel_name, "i64", kernel.arguments)
        if nest.can_stop:
            with m.when(m.compare("ne", code, ZERO)):
                m.give(code)
        for i, total in enumerate(nest.totals):
            kind = total.result.type
            value = m.load(kind, sums, integer(i))  # type: ignore[arg-type]
            zero = Number(kind, 0.0 if kind in ir.FLOATS else 0)
            m.append(ir.Compute(total.result, "add", (value, zero)))

    def _is_flat(self, array: Array, lengths: Sequence[Operand]) -> bool:
        mine = [self.length(n) for n in array.lengths if n != ONE]
        return array.flat and mine == [n for n in lengths if n != ONE]

    def total(self, node: Apply, array: Array, dtype: Any) -> None:
        """A node that adds up all elements of an array that is flat."""
        kind = TYPES[dtype]
        lengths = [self.length(n) for n in array.lengths]
        nest = self.nest_for([array], lengths, flat=True, sums=kind)
        at = self.into(nest, array)
        if array.dtype != dtype or nest.elements[at].number is not None:
            # what is added up lies in memory, element by element
            at = nest.step("cast", None, [at], dtype)
        result = self.main.new(kind, "sum")
        nest.totals.append(Total(at, result))
        self.set(node.outputs[0], self.a_number(dtype, result, 0, nest.level))
