"""Scan: a function for one step, called in a loop.

The arrays of a step are in one of two parts of the arena, in turns: a step reads the states that
the one before it has written into the other part.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext

from theano._src.engines.native.forms.inner import Inner, inner_function
from theano._src.engines.native.functions import copied_as
from theano._src.engines.native.inline import TYPES
from theano._src.engines.native.ir import ONE, ZERO, Number, Operand, Value, integer
from theano._src.engines.native.loops import NotNative
from theano._src.engines.native.lowering import Lowering
from theano._src.engines.native.main import USED
from theano._src.engines.native.nest_kernel import clearer
from theano._src.engines.native.nests import Array
from theano._src.graph.graph import Apply

#: steps after which a loop looks for signals, and lets other threads run
_TURN = 64


def scan(low: Lowering, node: Apply) -> None:
    arrays = [low.array(v) for v in node.inputs]
    step = inner_function(low, node, node.op.graph, _views(node, arrays))
    _Loop(low, node, step, arrays).write()


def _views(node: Apply, arrays: Sequence[Array]) -> dict[int, Array]:
    """The inputs of a step that are not flat, by their positions."""
    op, views = node.op, {}
    for i, a in enumerate(arrays[1 + op.bounded :]):
        if a.number is not None or a.flat:
            continue
        if i < op.n_sequences:
            if a.flat_rows or len(a.lengths) == 1:
                continue
            if not a.ordered:
                raise NotNative("a loop over an array whose dimensions were exchanged")
        elif i < op.n_sequences + op.n_states:
            raise NotNative("a state that is a view")
        views[i] = a
    return views


class _Loop:
    """The code of a loop in main, while it is written."""

    def __init__(self, low: Lowering, node: Apply, step: Inner, arrays: list[Array]) -> None:
        self.low, self.node, self.step, self.op = low, node, step, node.op
        self.given = node.op.given(arrays)
        counts = [low.number(a) for a in arrays[: 1 + node.op.bounded]]
        self.inputs = arrays[1 + node.op.bounded :]
        self.pointers = [low.memory(a) for a in self.inputs]
        lengths = [n for a in self.inputs for n in a.lengths]
        self.level = max([a.level for a in arrays] + [low.level_of(*lengths)])
        self._counts = counts

    def write(self) -> None:
        low, m, op = self.low, self.low.main, self.op
        with low.at(self.level):
            self.n = self._count(self._counts[0])
            steps = self.n
            if op.bounded:
                steps = m.binary("min", self._count(self._counts[1]), self.n)
            for sequence in self.given.sequences:
                low.require_equal(sequence.lengths[0], self.n, self.level)
            low.leave_if(m.compare("le", steps, ZERO))
            self._prepare()
            self._first(m.sub(steps, ONE) if op.reverse else ZERO)
            self._rest(steps)
            self._results()

    def _count(self, number: Operand) -> Operand:
        """A number of steps, or of rows."""
        low, m = self.low, self.low.main
        if isinstance(number, Number):
            return integer(int(number.value))
        count = m.cast("i64", number)
        if count not in low.lengths_of_arrays:
            low.stop_if(m.compare("lt", count, ZERO))
            low.known_at(count, self.level)
        return low.length(count)

    def _prepare(self) -> None:
        """The inputs of the step into its context; elements of sequences come later."""
        low, step, op = self.low, self.step, self.op
        self.context = step.new_context(low)
        for i, (array, pointer) in enumerate(zip(self.inputs, self.pointers, strict=True)):
            step.give_input(low, self.context, i, array, pointer, int(i < op.n_sequences))

    def _run(self, t: Operand, used: Operand, most: Operand | None) -> None:
        """Step ``t`` in a part of the arena; the first in all that is left of it."""
        low, m, step, op = self.low, self.low.main, self.step, self.op
        context = self.context
        for i in range(op.n_sequences):
            array = self.inputs[i]
            at = m.mul(t, array.strides[0])
            row = m.offset(self.pointers[i], at, array.dtype.itemsize)
            m.store(context, integer(step.input_words[i]), row)
        low.give_room(context, used, most)
        code = m.call(step.main.name, "i64", [context])
        with m.when(m.compare("ne", code, ZERO)):
            low.inner_stopped(code, context, takes_all=most is None)
        for k in range(op.n_states):
            given, new = step.input_words[op.n_sequences + k], step.output_words[k]
            for i, is_one in enumerate(op.outs[k].type.broadcastable):
                if not is_one:
                    before = m.load("i64", context, integer(given + 1 + i))
                    after = m.load("i64", context, integer(new + 2 + i))
                    low.stop_if(m.compare("ne", before, after))
            m.store(context, integer(given), step.output_pointer(low, context, k))

    def _first(self, t: Operand) -> None:
        """The first step: it says how much memory a step takes, and the lengths of its outputs."""
        low, m, op = self.low, self.low.main, self.op
        before = low.used()
        self._run(t, before, None)
        after = m.load("i64", self.context, integer(USED))
        self.size = m.sub(after, before)
        low.set_used(after)
        low.arena(self.size, 1)  # the other part
        self.here, self.other = m.declare(after), m.declare(before)
        self.go = m.declare(Number("bool", True))
        self.ran = m.declare(ONE)
        self.rows: dict[int, Array] = {}
        kept = op.split_outputs(self.node.outputs)
        for k, out in enumerate(kept.stacked_outputs):
            if out is None:
                continue
            lengths = self.step.output_lengths(low, self.context, k)
            for n in lengths:
                low.known_at(n, self.level)
            self.rows[k] = array = low.new_array(out, [self.n, *lengths], self.level)
            if op.until or op.bounded:
                assert array.pointer is not None
                self._clear(array)
        self._keep(t)

    def _clear(self, array: Array) -> None:
        """Zeros into an array whose elements lie one after another."""
        low, m = self.low, self.low.main
        assert array.pointer is not None
        kind, words = copied_as(array.dtype)
        count = m.mul(low.count(array.lengths), integer(words))
        m.call(low.kernel(clearer(kind)), "i64", [array.pointer, count])

    def _keep(self, t: Operand) -> None:
        """The outputs of a step into their rows, and whether it was the last."""
        low, m, step = self.low, self.low.main, self.step
        for k, array in self.rows.items():
            assert array.pointer is not None
            row = array.lengths[1:]
            source = step.output_pointer(low, self.context, k)
            target = m.offset(array.pointer, m.mul(t, low.count(row)), array.dtype.itemsize)
            low.copy(target, source, Array(array.dtype, row))
        if self.op.until:
            kind = TYPES.get(self.op.condition.type.numpy_dtype)
            if kind is None:
                raise NotNative("a condition of another dtype")
            place = step.output_pointer(low, self.context, len(self.op.outs))
            ends = m.cast("bool", m.load(kind, place))
            m.put(self.go, m.compute("not", ends))

    def _rest(self, steps: Operand) -> None:
        low, m, op = self.low, self.low.main, self.op
        low.lets_go(runs_python=True)
        with (
            m.loop(m.sub(steps, ONE)) as i,
            m.when(m.get(self.go)) if op.until else nullcontext(),
        ):
            t = m.sub(m.sub(steps, integer(2)), i) if op.reverse else m.add(i, ONE)
            here, other = m.get(self.here), m.get(self.other)
            self._run(t, here, m.add(here, self.size))
            for k, array in self.rows.items():
                now = self.step.output_lengths(low, self.context, k)
                for n, before in zip(now, array.lengths[1:], strict=True):
                    if isinstance(n, Value):
                        low.stop_if(m.compare("ne", n, before))
            self._keep(t)
            m.put(self.here, other)
            m.put(self.other, here)
            m.put(self.ran, m.add(m.get(self.ran), ONE))
            last = integer(_TURN - 1)
            with m.when(m.compare("eq", m.binary("and", i, last), last)):
                low.let_others_run()

    def _results(self) -> None:
        low, m, op, step = self.low, self.low.main, self.op, self.step
        kept = op.split_outputs(self.node.outputs)
        for k, out in enumerate(kept.stacked_outputs):
            if out is not None:
                low.set(out, self.rows[k])
        for k, out in enumerate(kept.finals):
            if out is not None:
                pointer = m.load("p", self.context, integer(step.input_words[op.n_sequences + k]))
                lengths = self.given.states[k].lengths
                low.set(out, low.whole(out.type.numpy_dtype, pointer, lengths, self.level))
        if kept.count is not None:
            count = m.get(self.ran)
            low.set(kept.count, low.a_number(kept.count.type.numpy_dtype, count, 0, self.level))
