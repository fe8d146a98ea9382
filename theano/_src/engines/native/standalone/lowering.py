"""Programs that need no Python: inputs are parameters, and outputs are memory of the caller.

They are the programs of the native engine otherwise. Such a function returns 0, or the number of a
reason why it stopped. ``scratch`` is room for what it computes on the way; a second function says
how much it needs, and the lengths of the outputs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

from theano._src.engines.link import Job
from theano._src.engines.native.addresses import Parts
from theano._src.engines.native.forms.inner import Inner
from theano._src.engines.native.forms.table import native_forms
from theano._src.engines.native.functions import Functions, copied_as
from theano._src.engines.native.inline import TYPES
from theano._src.engines.native.ir import ONE, ZERO, Function, Note, Operand, Value, integer
from theano._src.engines.native.lowering import Lowering
from theano._src.engines.native.main import ARENA, USED
from theano._src.engines.native.nest_kernel import copier
from theano._src.engines.native.nests import Array
from theano._src.engines.native.standalone.c_forms import c_forms
from theano._src.engines.native.standalone.names import Names
from theano._src.engines.native.standalone.simplify import slice_of_sizes
from theano._src.engines.native.standalone.stored_elements import Pattern, elements_of
from theano._src.graph import source_line
from theano._src.graph.graph import Apply, Constant, Variable


class Refused(NotImplementedError):
    """A function that cannot be written without Python; its text names the node and its line."""


class Argument(NamedTuple):
    """A parameter of a function: a number or a pointer, of elements of ``dtype``.

    ``lengths`` are the names of the lengths that follow, ``shape`` all lengths as texts. The
    stored elements of a sparse matrix have a ``pattern``.
    """

    name: str
    dtype: np.dtype[Any]
    is_number: bool = False
    lengths: tuple[str, ...] = ()
    shape: tuple[str, ...] = ()
    pattern: Pattern | None = None


class Member(NamedTuple):
    """A shared variable: its name in the state, and its value at the time of export."""

    name: str
    value: np.ndarray


class Reason(NamedTuple):
    """Why a function may stop: a check of a node."""

    node: Apply
    function: str


class StandaloneParts(Parts):
    """Shared by the functions of a module, including the reasons for which they stop."""

    def __init__(self, functions: Callable[[Any], Functions]) -> None:
        super().__init__(functions)
        self.reasons: list[Reason] = []
        self.inner: list[StandaloneInner] = []
        #: the shared variables by their places in the table of addresses
        self.members: dict[int, Member] = {}


def where(node: Apply) -> str | None:
    """The user's line that made a node, as ``file:line: text``."""
    lines = source_line.lines(source_line.trace_of(node.outputs[0]))
    if not lines:
        return None
    name, number, _, text = lines[-1]
    return f"{source_line.short_name(name)}:{number}" + (f": {text}" if text else "")


class Standalone(Lowering):
    """The differences of such a program's functions to those that Python calls."""

    parts: StandaloneParts
    alignment = 16
    objects = ()

    def stop_code(self) -> int:
        reason = Reason(self.order[self.position], self.main.name)
        if reason not in self.parts.reasons:
            self.parts.reasons.append(reason)
        return self.parts.reasons.index(reason) + 1

    def leave_if(self, condition: Operand, for_bits: bool = False) -> None:
        if not for_bits:
            self.stop_if(condition)

    def without_form(self, node: Apply, why: str) -> None:
        raise refused(node, why)

    def check_room(self, used: Operand) -> None: ...
    def let_others_run(self) -> None: ...
    def lets_go(self, runs_python: bool = False) -> None: ...

    @contextmanager
    def unlocked(self, work: Operand) -> Iterator[None]:
        yield

    def fill_context(self, context: Operand) -> None:
        self.main.store(context, integer(ARENA), self.arena_start())

    def give_room(self, context: Operand, used: Operand, most: Operand | None = None) -> None:
        self.main.store(context, integer(USED), used)

    def inner_stopped(self, code: Operand, context: Operand, takes_all: bool = True) -> None:
        self.main.give(code)

    def note(self, positions: Sequence[int]) -> None:
        texts: list[str] = []
        for position in positions:
            text = where(self.order[position])
            if text is not None and text not in texts:
                texts.append(text)
        for text in texts:
            self.main.append(Note(text))

    def kernel(self, f: Function, arguments: Sequence[Operand] = ()) -> str:
        for param, value in zip(f.params, arguments, strict=False):
            name = self.main.names.get(value.name) if isinstance(value, Value) else None
            if name is not None and name not in f.names.values():
                f.names[param.name] = name
        return super().kernel(f, arguments)

    def memory(self, array: Array) -> Operand:
        pointer = super().memory(array)
        name = getattr(array.variable, "name", None)
        if isinstance(pointer, Value) and name and pointer.name not in self.main.names:
            self.main.names[pointer.name] = self.names.new(name)
        return pointer

    @property
    def names(self) -> Names:
        raise NotImplementedError

    def _constant(self, v: Constant) -> Array:
        array = super()._constant(v)
        if array.type is None:
            raise refused_variable(v, f"C has no {array.dtype}")
        return array


class StandaloneInner(Standalone, Inner):
    """The function of a graph inside an op: what goes in and out is in a struct."""

    def __init__(self, job: Job, low: Standalone, views: Mapping[int, Array]) -> None:
        self._names = low.names.copy()
        super().__init__(job, low, views)
        low.parts.inner.append(self)

    @property
    def names(self) -> Names:
        return self._names

    def sizes(self, inner: Mapping[str, str]) -> Function:
        """A function that stores how much memory the step needs, and the lengths of its outputs."""
        f = Function(f"{self.main.name}_sizes", [("context", "p")])
        f.params = self.main.params
        words = {USED}
        for v, at in zip(self.fgraph.outputs, self.output_words, strict=True):
            words.update(range(at + 2, at + 2 + v.type.ndim))
        f.body[:] = slice_of_sizes(self.main, self.context, words, inner)
        f.give(ZERO)
        return f


class StandaloneMain(Standalone):
    """A function of a module.

    Parameters
    ----------
    job : Job
    name : str
    parts : StandaloneParts
    arguments : dict
        For the positions of inputs that are given: their arguments.
    members : dict
        For the positions of the other inputs: shared variables.
    outputs : list of Argument
        For all outputs that are no new values of shared variables.
    in_c : bool
        Whether it is written as C: the state is a parameter, and there are comments. Otherwise the
        state is at known addresses.
    """

    inner_class = StandaloneInner

    def __init__(
        self,
        job: Job,
        name: str,
        parts: StandaloneParts,
        arguments: Mapping[int, Argument],
        members: Mapping[int, Member],
        outputs: Sequence[Argument],
        in_c: bool = True,
    ) -> None:
        self.name, self.arguments, self.members = name, dict(arguments), dict(members)
        self.given_outputs, self._in_c = list(outputs), in_c
        self.output_lengths: dict[int, list[Operand]] = {}
        self._inputs = [p for a in self.arguments.values() for p in _params(a)]
        taken = [n for n, _ in self._inputs] + [a.name for a in outputs]
        self._names = Names([*taken, "scratch", "state", "sizes"])
        super().__init__(job, c_forms if in_c else native_forms, None, parts)

    @property
    def names(self) -> Names:
        return self._names

    def note(self, positions: Sequence[int]) -> None:
        if self._in_c:
            super().note(positions)

    def _check_types(self) -> None:
        """Nothing: the types were checked where the arguments got their names."""

    def _first_in_memory(self) -> dict[Variable, int]:
        first = super()._first_in_memory()
        for o, v in enumerate(self.fgraph.outputs):
            data = elements_of(v)
            if data is not None and data.owner is not None and self.is_read_once(data):
                first.setdefault(data, o)
        return first

    def new_main(self) -> Function:
        params = [*self._inputs, *((a.name, "p") for a in self.given_outputs)]
        params += [("state", "p")] if self.members and self._in_c else []
        f = Function(self.name, [*params, ("scratch", "p")])
        self._params = {p.name: p for p in f.params}
        f.names = {p.name: p.name for p in f.params}
        f.alone = {a.name for a in self.given_outputs}
        return f

    def begin(self) -> None:
        with self.at(0):
            self._used = self.main.declare(ZERO)

    def used(self) -> Operand:
        return self.main.get(self._used)

    def set_used(self, used: Operand) -> None:
        self.main.put(self._used, used)

    def arena_start(self) -> Operand:
        return self._params["scratch"]

    def input_array(self, i: int, v: Variable, words: int) -> Array:
        if TYPES.get(v.type.numpy_dtype) is None:
            raise refused_variable(v, f"C has no {v.type.dtype}")
        if i in self.members:
            return self._member(i)
        argument = self.arguments[i]
        pointer = self._params[argument.name]
        if argument.is_number:
            return self.a_number(argument.dtype, pointer)
        lengths: list[Operand] = [
            self._params[n] if n in self._params else integer(int(n)) for n in argument.shape
        ]
        for n in lengths:
            self.known_at(n, 0)
        return self.whole(argument.dtype, pointer, lengths, 0)

    def _member(self, i: int) -> Array:
        member = self.members[i]
        value = member.value
        with self.at(0):
            place = self.addresses.place(("state", member.name), value.ctypes.data, value)
            self.parts.members[place] = member
            pointer = self.main.address(place)
        self.main.names[pointer.name] = self.names.new(member.name)
        return self.whole(value.dtype, pointer, [integer(n) for n in value.shape], 0)

    def new_output(self, o: int, lengths: Sequence[Operand]) -> Operand:
        dtype = self.fgraph.outputs[o].type.numpy_dtype
        if TYPES.get(dtype) is None:
            raise refused_variable(self.fgraph.outputs[o], f"C has no {dtype}")
        self.output_lengths[o] = list(lengths)
        if o in (self.fgraph.update_mapping or {}):
            pointer = self.arena(self.count(lengths), dtype.itemsize)
        else:
            pointer = self._params[self.given_outputs[o].name]
        self.new_outputs[o] = pointer
        return pointer

    def end(self) -> None:
        """New values into the state, once nothing can fail."""
        m, updates = self.main, self.fgraph.update_mapping or {}
        targets = {}
        for o, i in updates.items():
            targets[o] = self._arrays[self.fgraph.inputs[i]]
            self.position = self._position_of(o)
            for n, known in zip(self.output_lengths[o], targets[o].lengths, strict=True):
                self.stop_if(m.compare("ne", self.length(n), known))
        for o, array in targets.items():
            kind, words = copied_as(array.dtype)
            count = m.mul(self.count(array.lengths), integer(words))
            name = self.kernel(copier(kind, 1))
            assert array.pointer is not None
            m.call(name, "i64", [array.pointer, self.new_outputs[o], count, ONE])
        self._known_sizes = [
            m.get(self._used),
            *(
                self.length(n)
                for o, a in enumerate(self.given_outputs)
                for n, text in zip(self.output_lengths[o], a.shape, strict=True)
                if text
            ),
        ]

    def _position_of(self, o: int) -> int:
        node = self.fgraph.outputs[o].owner
        return self.position if node is None else self.order.index(node)

    def sizes(self, inner: Mapping[str, str]) -> Function:
        """A function that stores the size of the scratch memory, and the lengths of outputs."""
        f = Function(f"{self.name}_sizes", [*self._inputs, ("sizes", "p")])
        sizes = f.params[-1]
        n = len(self._inputs)
        f.params = [*self.main.params[:n], sizes]
        f.names = dict(self.main.names)
        f.body[:] = self.main.body[:-1]
        for at, size in enumerate(self._known_sizes):
            f.store(sizes, integer(at), size)
        f.body[:] = slice_of_sizes(f, sizes, None, inner)
        f.give(ZERO)
        return f


def _params(argument: Argument) -> list[tuple[str, str]]:
    kind = TYPES[argument.dtype] if argument.is_number else "p"
    return [(argument.name, kind), *((n, "i64") for n in argument.lengths)]


def refused(node: Apply, why: str) -> Refused:
    at = where(node)
    return Refused(f"{node.op} cannot be written in C: {why}" + (f" ({at})" if at else ""))


def refused_variable(v: Variable, why: str) -> Refused:
    return Refused(f"{v} of type {v.type} cannot be written in C: {why}")
