"""ifelse: each branch is a function of its own, and main calls one of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from theano._src.engines.native.forms.inner import Inner, inner_function
from theano._src.engines.native.ir import NULL, ONE, ZERO, Number, Operand, Value, integer
from theano._src.engines.native.lowering import Lowering
from theano._src.engines.native.main import USED
from theano._src.engines.native.nests import Array
from theano._src.graph.graph import Apply


def chosen(low: Lowering, node: Apply) -> None:
    """IfElse, both of whose branches are there: outputs are copies of one of them."""
    condition, *values = [low.array(v) for v in node.inputs]
    n = node.op.n_outs
    choice = _Choice(low, node, condition, values)
    pointers = [low.memory(a) for a in values]
    for k in (0, 1):
        with choice.side(k):
            for o, out in enumerate(node.outputs):
                i = k * n + o
                copy = low.new_array(None, values[i].lengths, choice.level, out.type.numpy_dtype)
                assert copy.pointer is not None
                low.copy(copy.pointer, pointers[i], values[i])
                choice.set(o, copy.pointer, values[i].lengths)
    choice.end()


def branches(low: Lowering, node: Apply) -> None:
    """Branches, which hold the graphs of both."""
    op = node.op
    condition, *values = [low.array(v) for v in node.inputs]
    given = [[values[i] for i in at] for at in op.reads]
    functions = [
        inner_function(low, node, graph, {i: a for i, a in enumerate(arrays) if _is_view(a)})
        for graph, arrays in zip(op.sides, given, strict=True)
    ]
    choice = _Choice(low, node, condition, values)
    pointers = [[low.memory(a) for a in arrays] for arrays in given]
    for k, f in enumerate(functions):
        with choice.side(k):
            context = _run(low, f, given[k], pointers[k])
            for o in range(op.n_outs):
                choice.set(o, f.output_pointer(low, context, o), f.output_lengths(low, context, o))
    choice.end()


def _is_view(array: Array) -> bool:
    return array.number is None and not array.flat


def _run(low: Lowering, f: Inner, arrays: Sequence[Array], pointers: Sequence[Operand]) -> Operand:
    """A call of a branch; its context has the outputs."""
    m, context = low.main, f.new_context(low)
    for i, (array, pointer) in enumerate(zip(arrays, pointers, strict=True)):
        f.give_input(low, context, i, array, pointer)
    low.give_room(context, low.used())
    code = m.call(f.main.name, "i64", [context])
    with m.when(m.compare("ne", code, ZERO)):
        low.inner_stopped(code, context)
    low.set_used(m.load("i64", context, integer(USED)))
    return context


class _Choice:
    """The outputs of one of two branches: variables of main that the branch sets."""

    def __init__(
        self, low: Lowering, node: Apply, condition: Array, values: Sequence[Array]
    ) -> None:
        self.low, self.node = low, node
        number = low.number(condition)
        lengths = [n for a in values for n in a.lengths]
        self.level = max([a.level for a in (condition, *values)] + [low.level_of(*lengths)])
        m = low.main
        with low.at(self.level):
            self._is_first = m.compare("ne", number, Number(number.type, 0))
            self._pointers = [m.declare(NULL) for _ in node.outputs]
            self._lengths: list[list[Value | None]] = [
                [None if is_one else m.declare(ZERO) for is_one in v.type.broadcastable]
                for v in node.outputs
            ]

    @contextmanager
    def side(self, k: int) -> Iterator[None]:
        """Write what is done if branch ``k`` is chosen; it sets the outputs."""
        m = self.low.main
        with self.low.at(self.level):
            is_chosen = self._is_first if k == 0 else m.compute("not", self._is_first)
            with m.when(is_chosen):
                yield

    def set(self, o: int, pointer: Operand, lengths: Sequence[Operand]) -> None:
        m = self.low.main
        m.put(self._pointers[o], pointer)
        for place, n in zip(self._lengths[o], lengths, strict=True):
            if place is not None:
                m.put(place, self.low.length(n))
            elif n != ONE:
                self.low.stop_if(m.compare("ne", n, ONE))

    def end(self) -> None:
        low, m = self.low, self.low.main
        for v, pointer, places in zip(
            self.node.outputs, self._pointers, self._lengths, strict=True
        ):
            with low.at(self.level):
                lengths: list[Operand] = []
                for place in places:
                    n = ONE if place is None else m.get(place)
                    low.known_at(n, self.level)
                    lengths.append(n)
                array = low.whole(v.type.numpy_dtype, m.get(pointer), lengths, self.level)
            low.set(v, array)
