"""Functions of their own for the graphs inside ops: the step of a loop, a branch."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace

from theano._src.control.inner_graph import InnerGraph
from theano._src.engines.link import Job
from theano._src.engines.native.addresses import Parts
from theano._src.engines.native.ir import ONE, ZERO, Operand, Value, integer
from theano._src.engines.native.loops import NotNative
from theano._src.engines.native.lowering import Lowering
from theano._src.engines.native.nests import Array
from theano._src.graph.destroy import DestroyHandler
from theano._src.graph.fg import FunctionGraph
from theano._src.graph.graph import Apply, Variable
from theano._src.types.tensor import TensorType


class Inner(Lowering):
    """The function of a graph inside an op. Its outputs are in the arena.

    ``views`` are the inputs that are not flat, as arrays of the function around it.
    """

    def __init__(self, job: Job, low: Lowering, views: Mapping[int, Array]) -> None:
        self.views = views
        super().__init__(job, low.forms, low)

    def input_array(self, i: int, v: Variable, words: int) -> Array:
        array, outer = super().input_array(i, v, words), self.views.get(i)
        if outer is None:
            return array
        after = words + 1 + v.type.ndim
        with self.at(0):
            strides = [
                ZERO if n == ONE else self.main.load("i64", self.context, integer(after + k))
                for k, n in enumerate(array.lengths)
            ]
        turned = outer.turned and v.type.ndim == 2
        return replace(array, strides=strides, flat=False, ordered=outer.ordered, turned=turned)

    def new_output(self, o: int, lengths: Sequence[Operand]) -> Operand:
        m, context, words = self.main, self.context, self.output_words[o]
        for i, n in enumerate(lengths):
            m.store(context, integer(words + 2 + i), self.length(n))
        size = self.fgraph.outputs[o].type.numpy_dtype.itemsize
        self.new_outputs[o] = pointer = self.arena(self.count(lengths), size)
        m.store(context, integer(words + 1), pointer)
        return pointer

    # for the function around it

    def new_context(self, low: Lowering) -> Value:
        """A context for calls: the arena and the objects that are held are those of ``low``."""
        context = low.main.room(8 * self.words)
        low.fill_context(context)
        return context

    def give_input(
        self,
        low: Lowering,
        context: Operand,
        i: int,
        array: Array,
        pointer: Operand,
        since: int = 0,
    ) -> None:
        """Store input ``i`` into a context: an array without its first ``since`` dimensions."""
        m, words = low.main, self.input_words[i]
        m.store(context, integer(words), pointer)
        lengths, strides = array.lengths[since:], array.strides[since:]
        for k, n in enumerate(lengths):
            m.store(context, integer(words + 1 + k), low.length(n))
        if i in self.views:
            for k, stride in enumerate(strides):
                m.store(context, integer(words + 1 + len(lengths) + k), stride)

    def output_pointer(self, low: Lowering, context: Operand, o: int) -> Value:
        return low.main.load("p", context, integer(self.output_words[o] + 1))

    def output_lengths(self, low: Lowering, context: Operand, o: int) -> list[Operand]:
        return [
            ONE if is_one else low.main.load("i64", context, integer(self.output_words[o] + 2 + i))
            for i, is_one in enumerate(self.fgraph.outputs[o].type.broadcastable)
        ]


@contextmanager
def _kernels_of(parts: Parts) -> Iterator[None]:
    """Drop the kernels that were added if the node turns out to have no native form."""
    kernels, called_back = len(parts.kernels), len(parts.called_back)
    names = dict(parts.kernel_names)
    try:
        yield
    except NotNative:
        del parts.kernels[kernels:], parts.called_back[called_back:]
        parts.kernel_names.clear()
        parts.kernel_names.update(names)
        raise


def inner_function(
    low: Lowering, node: Apply, graph: InnerGraph, views: Mapping[int, Array]
) -> Inner:
    """The function of a graph of an op, which is added to the kernels."""
    if not all(isinstance(v.type, TensorType) for v in (*graph.inputs, *graph.outputs)):
        raise NotNative(f"{node.op} works on values that are no tensors")
    fgraph = FunctionGraph(graph.inputs, graph.outputs)
    if any(getattr(inner.op, "destroy_map", None) for inner in fgraph.apply_nodes):
        fgraph.attach_feature(DestroyHandler())  # the order of nodes matters
    with _kernels_of(low.parts):
        inner: Inner = (low.inner_class or Inner)(Job(fgraph, {}, fgraph.toposort()), low, views)
    low.kernels.append(inner.main)
    return inner
