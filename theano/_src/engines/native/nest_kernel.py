"""The kernel of a nest: its loops, blocks, and calls of NumPy's loops.

A kernel works in blocks that stay in the cache. Steps that are instructions of the language share
a loop over a block. A loop of NumPy's is called on the block between two such loops.
"""

from __future__ import annotations

from contextlib import nullcontext
from functools import cache, partial
from typing import Any

from theano._src.engines.native.ir import (
    FLOATS,
    ONE,
    SIZES,
    ZERO,
    Function,
    Number,
    Operand,
    integer,
)
from theano._src.engines.native.nests import FROM_THE_END, IN_BOUNDS, NOT_HERE, Nest

#: elements that are worked on at a time
BLOCK = 512
#: elements that NumPy adds up without splitting them in two
LEAF = 128


class Kernel:
    """The function of a nest, and the arguments that the program calls it with.

    Parameters
    ----------
    nest : Nest
    lengths : list of operands
        Those of the nest, as they are known by now.
    flat : bool
        Whether all arrays are read and written from the first element to the last.
    sums : operand, optional
        Memory for the totals.
    """

    def __init__(
        self,
        name: str,
        nest: Nest,
        lengths: list[Operand],
        flat: bool,
        sums: Operand | None = None,
    ) -> None:
        self.nest = nest
        self._used = self._needed()
        self.arguments: list[Operand] = []
        #: whether it is called for parts of the arrays, as sums of many elements want
        self._in_parts = bool(nest.totals) and not (
            isinstance(lengths[0], Number) and lengths[0].value <= LEAF
        )
        self._params: list[tuple[str, str]] = [("first", "i64")] if self._in_parts else []
        if self._in_parts:
            self.arguments.append(ZERO)
        self._counts = [self._param("n", n, keep=self._in_parts) for n in lengths]
        self._places: dict[int, tuple[Any, list[Any]]] = {}
        self._numbers: dict[int, Any] = {}
        self._sources: dict[int, tuple[Any, Any]] = {}
        for at in self._used:
            self._take(at, flat)
        self._targets = [
            (self._param("w", s.target.pointer), self._param("n", s.target.lengths[0]))
            for s in nest.scatters
        ]
        self._results = {
            at: self._param("z", array.pointer)
            for at, array in nest.written.items()
            if array.pointer is not None
        }
        if sums is not None:
            self._param("sums", sums)
        self.function = Function(name, self._params)
        f = self.function
        f.alone = {f.params[at].name for at in self._results.values()}
        f.alone.update(f.params[at].name for at, _ in self._targets)
        self._arrange()
        self._write(flat)

    # which elements, and where they are

    def _needed(self) -> list[int]:
        used = {*self.nest.written, *(t.arg for t in self.nest.totals)}
        used.update(at for s in self.nest.scatters for at in (s.value, s.index))
        for at in reversed(range(len(self.nest.elements))):
            if at in used:
                used.update(self.nest.elements[at].args)
        return sorted(used)

    def _param(self, hint: str, value: Operand | None, keep: bool = False) -> Any:
        """A parameter's position, or the number itself where it is known."""
        assert value is not None
        if isinstance(value, Number) and not keep:
            return value
        self._params.append((f"{hint}{len(self._params)}", value.type))
        self.arguments.append(value)
        return len(self._params) - 1

    def _take(self, at: int, flat: bool) -> None:
        element = self.nest.elements[at]
        if element.source is not None:
            vector = element.source
            self._sources[at] = (
                self._param("b", vector.pointer),
                self._param("n", vector.lengths[0]),
            )
        elif element.number is not None:
            self._numbers[at] = self._param("c", element.number)
        elif element.array is not None:
            array = element.array
            strides: list[Any] = [ONE]
            if not flat:
                strides = [
                    ZERO if n == ONE else self._param("s", s)
                    for n, s in zip(array.lengths, array.strides, strict=True)
                ]
            self._places[at] = self._param("a", array.pointer), strides

    def _value(self, param: Any) -> Operand:
        return param if isinstance(param, Number) else self.function.params[param]

    # the order of steps

    def _arrange(self) -> None:
        """Choose the turn of each step, after the calls that it reads, and the values in memory."""
        elements = self.nest.elements
        self._turn: dict[int, int] = {}
        self._calls: list[int] = []
        for at in self._used:
            element = elements[at]
            ready = [self._turn[a] + (a in self._calls) for a in element.args]
            self._turn[at] = max(ready, default=0)
            if self.nest.is_call(at):
                self._calls.append(at)
        self._stored = {t.arg for t in self.nest.totals} | set(self._calls)
        self._stored.update(at for s in self.nest.scatters for at in (s.value, s.index))
        for at in self._used:
            for a in elements[at].args:
                if at in self._calls or (elements[a].name and self._turn[a] < self._turn[at]):
                    self._stored.add(a)
        # arrays are in memory already
        self._stored = {at for at in self._stored if elements[at].array is None}

    # writing

    def _write(self, flat: bool) -> None:
        f, nest = self.function, self.nest
        counts = [self._value(n) for n in self._counts]
        in_blocks = bool(self._calls or nest.scatters)
        self._stopped = f.declare(ZERO) if nest.can_stop else None
        self._buffers = {}
        self._slots = {}
        size = LEAF if nest.totals else BLOCK
        if counts and isinstance(counts[-1], Number):
            size = max(1, min(size, counts[-1].value))
        for at in sorted(self._stored):
            dtype = nest.elements[at].dtype
            if at in self._numbers:
                self._slots[at] = self._slot(at)
            elif at not in self._results:
                self._buffers[at] = f.room(size * dtype.itemsize)
        if self._in_parts:
            self._in_halves(counts[0])
        elif nest.totals:
            self._block(ZERO, counts[0], {})
        elif flat:
            self._rows(counts[0], {}, in_blocks)
        else:
            self._nested(counts, [], in_blocks)
        f.give(ZERO if self._stopped is None else f.get(self._stopped))

    def _slot(self, at: int) -> Operand:
        """A number in memory, for the loops of NumPy."""
        f, number = self.function, self._value(self._numbers[at])
        if number.type == "p":
            return number  # of a dtype that is in memory only
        slot = f.room(8)
        f.store(slot, ZERO, number)
        return slot

    def _in_halves(self, count: Operand) -> None:
        """As NumPy adds: halves of what is longer than a leaf, each by a call of this function."""
        f = self.function
        first, sums = f.params[0], f.params[-1]
        totals = self.nest.totals
        position = self._counts[0]
        with f.when(f.compare("gt", count, integer(LEAF))):
            half = f.binary("and", f.binary("div", count, integer(2)), integer(-8))
            others = f.room(SIZES[totals[0].result.type] * len(totals))
            codes = []
            halves: list[tuple[Operand, Operand, Operand]] = [
                (first, half, sums),
                (f.add(first, half), f.sub(count, half), others),
            ]
            for start, n, place in halves:
                arguments: list[Operand] = list(f.params)
                arguments[0], arguments[position], arguments[-1] = start, n, place
                codes.append(f.call("self", "i64", arguments))
            for i, total in enumerate(totals):
                kind, where = total.result.type, integer(i)
                pair = f.load(kind, sums, where), f.load(kind, others, where)
                f.store(sums, where, f.on_elements("add", *pair))
            f.give(f.binary("or", *codes))
        self._block(first, count, {})

    def _rows(self, count: Operand, bases: dict[int, Operand], in_blocks: bool) -> None:
        f = self.function
        if not in_blocks or (isinstance(count, Number) and count.value <= BLOCK):
            self._block(ZERO, count, bases)
            return
        blocks = f.binary("div", f.add(count, integer(BLOCK - 1)), integer(BLOCK))
        with f.loop(blocks) as block:
            first = f.mul(block, integer(BLOCK))
            self._block(first, f.binary("min", integer(BLOCK), f.sub(count, first)), bases)

    def _nested(self, counts: list[Operand], indices: list[Operand], in_blocks: bool) -> None:
        f = self.function
        if len(indices) < len(counts) - 1:
            with f.loop(counts[len(indices)]) as index:
                self._nested(counts, [*indices, index], in_blocks)
            return
        bases: dict[int, Operand] = {}
        for at, (_, strides) in self._places.items():
            base: Operand = ZERO
            for i, stride in zip(indices, strides[:-1], strict=True):
                base = f.add(base, f.mul(i, self._value(stride)))
            bases[at] = base
        base = ZERO
        for i, count in zip(indices, counts[1:], strict=True):
            base = f.mul(f.add(base, i), count)
        bases.update(dict.fromkeys(self._results, base))
        self._rows(counts[-1], bases, in_blocks)

    def _where(self, at: int, first: Operand, bases: dict[int, Operand]) -> tuple[Operand, Operand]:
        """Pointer and stride of an element in memory, from the first of a block on."""
        f, size = self.function, self.nest.elements[at].dtype.itemsize
        base = bases.get(at, ZERO)
        if at in self._results:
            pointer = self._value(self._results[at])
            return f.offset(pointer, f.add(base, first), size), ONE
        if at in self._buffers:
            return self._buffers[at], ONE
        place, strides = self._places[at]
        stride = self._value(strides[-1])
        return f.offset(self._value(place), f.add(base, f.mul(first, stride)), size), stride

    def _block(self, first: Operand, count: Operand, bases: dict[int, Operand]) -> None:
        """The work on ``count`` elements from ``first`` on."""
        f, nest = self.function, self.nest
        for turn in range(max(self._turn.values(), default=0) + 1):
            here = [at for at in self._used if self._turn[at] == turn]
            self._instructions(here, turn, first, count, bases)
            for at in here:
                if at in self._calls:
                    self._call(at, first, count, bases)
        for i, total in enumerate(nest.totals):
            pointer, _ = self._where(total.arg, first, bases)
            kind = total.result.type
            value = f.call(f"leaf_{kind}", kind, [pointer, count])
            f.store(f.params[-1], integer(i), value)
        if nest.scatters:
            self._scatter(first, count, bases)

    def _in_bounds(
        self, index: Operand, length: Operand, stop: int
    ) -> tuple[Operand, Operand | None]:
        """An index, counted from the end if it is below 0, and whether it is out of bounds."""
        f = self.function
        at = f.cast("i64", index)
        if stop == IN_BOUNDS:
            return at, None
        at = f.select(f.compare("lt", at, ZERO), f.add(at, length), at)
        if stop == FROM_THE_END:
            return at, None
        bad = f.compare("ge", f.cast("u64", at), f.cast("u64", length))
        self._stop(bad, stop)
        return at, bad

    def _stop(self, condition: Operand, code: int) -> None:
        """Return ``code`` in the end, if the condition holds."""
        f = self.function
        assert self._stopped is not None
        f.put(self._stopped, f.select(condition, integer(code), f.get(self._stopped)))

    def _scatter(self, first: Operand, count: Operand, bases: dict[int, Operand]) -> None:
        """One loop for all scatters: their targets differ, so that none waits for another."""
        f, nest = self.function, self.nest
        places = {at for s in nest.scatters for at in (s.value, s.index)}
        sources = {at: self._source(at, first, bases) for at in sorted(places)}
        targets = [map(self._value, target) for target in self._targets]
        with f.loop(count) as i:
            values = {
                at: f.load(str(nest.elements[at].type), pointer, f.mul(i, step))
                for at, (pointer, step) in sources.items()
            }
            for scatter, (pointer, length) in zip(nest.scatters, targets, strict=True):
                place, bad = self._in_bounds(values[scatter.index], length, scatter.stop)
                with nullcontext() if bad is None else f.when(f.compute("not", bad)):
                    value: Operand = values[scatter.value]
                    if scatter.add:
                        value = f.on_elements("add", f.load(value.type, pointer, place), value)
                    f.store(pointer, place, value)

    def _instructions(
        self, here: list[int], turn: int, first: Operand, count: Operand, bases: dict[int, Operand]
    ) -> None:
        """One loop for the steps of a turn that are instructions, and for copies of arrays."""
        f, nest = self.function, self.nest
        elements = nest.elements
        last = turn == max(self._turn.values(), default=0)
        steps = [at for at in here if elements[at].name and at not in self._calls]
        copies = [at for at in self._results if last and not elements[at].name]
        if not steps and not copies:
            return
        read = {a for at in steps for a in elements[at].args} | set(copies)
        kept = {at for at in steps if at in self._stored or at in self._results}
        in_memory = {
            a
            for a in read
            if elements[a].array is not None
            or (
                a in self._stored
                and (self._turn[a] < turn or a in self._calls)
                and elements[a].name
            )
        }
        sources = {a: self._source(a, first, bases) for a in sorted(in_memory)}
        targets = {at: self._where(at, first, bases) for at in sorted(kept)}
        for at in copies:
            targets[at] = self._where(at, first, bases)
        with f.loop(count) as i:
            values: dict[int, Operand] = {}

            def value(a: int) -> Operand:
                if a not in values:
                    if a in sources:
                        pointer, stride = sources[a]
                        kind = elements[a].type
                        assert kind is not None
                        values[a] = f.load(kind, pointer, f.mul(i, stride))
                    else:
                        values[a] = self._value(self._numbers[a])
                return values[a]

            for at in steps:
                element = elements[at]
                kind = element.type
                assert kind is not None
                arguments = [value(a) for a in element.args]
                if nest.may_leave(at):
                    self._stop(nest.functions.leaves(f, arguments, kind), NOT_HERE)
                if element.source is None:
                    values[at] = nest.functions.write(f, element.name, arguments, kind)
                else:
                    pointer, length = map(self._value, self._sources[at])
                    place, bad = self._in_bounds(arguments[0], length, element.stop)
                    if bad is not None:
                        place = f.select(bad, ZERO, place)
                    values[at] = f.load(kind, pointer, place)
            for at, (pointer, stride) in targets.items():
                f.store(pointer, f.mul(i, stride), value(at))

    def _source(
        self, at: int, first: Operand, bases: dict[int, Operand]
    ) -> tuple[Operand, Operand]:
        """Where an element is read: a number or an array that is also a result, where it was."""
        if at in self._slots:
            return self._slots[at], ZERO
        if self.nest.elements[at].array is None:
            return self._where(at, first, bases)
        f, size = self.function, self.nest.elements[at].dtype.itemsize
        place, strides = self._places[at]
        stride = self._value(strides[-1])
        base = bases.get(at, ZERO)
        return f.offset(self._value(place), f.add(base, f.mul(first, stride)), size), stride

    def _call(self, at: int, first: Operand, count: Operand, bases: dict[int, Operand]) -> None:
        """A loop of NumPy's on a block. Its arguments are set each time: some loops move them."""
        element = self.nest.elements[at]
        operands = (*element.args, at)
        dtypes = tuple(self.nest.elements[a].dtype for a in operands)
        assert element.ufunc is not None
        places = [
            self._source(a, first, bases) if a != at else self._where(a, first, bases)
            for a in operands
        ]
        self.nest.functions.call(self.function, element.ufunc, dtypes, places, count)


# kernels that are the same for every graph


@cache
def mover(kind: str, ndim: int, add: bool) -> Function:
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
                value = f.on_elements("add", f.load(kind, target, to), value)
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


@cache
def clearer(kind: str) -> Function:
    """A kernel that puts zeros into memory."""
    f = Function(f"clear_{kind}", [("target", "p"), ("n", "i64")])
    target, n = f.params
    with f.loop(n) as i:
        f.store(target, i, Number(kind, 0))
    f.give(ZERO)
    return f


@cache
def copier(kind: str, ndim: int) -> Function:
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


@cache
def leaf_sum(kind: str, since: str | None = None) -> Function:
    """The sum of up to 128 numbers in NumPy's order: eight accumulators, then what is left.

    The numbers are of type ``since`` if that is given.
    """
    since = since or kind
    name = f"leaf_{kind}" if since == kind else f"leaf_{since}_{kind}"
    f = Function(name, [("x", "p"), ("n", "i64")], kind)
    x, n = f.params
    zero = Number(kind, -0.0 if kind in FLOATS else 0)

    def at(i: Operand) -> Operand:
        return f.cast(kind, f.load(since, x, i))

    add = partial(f.on_elements, "add")
    with f.when(f.compare("lt", n, integer(8))):
        short = f.declare(zero)
        with f.loop(n) as i:
            f.put(short, add(f.get(short), at(i)))
        f.give(f.get(short))
    sums = [f.declare(at(integer(k))) for k in range(8)]
    eighths = f.binary("div", n, integer(8))
    with f.loop(f.sub(eighths, ONE)) as block:
        start = f.mul(f.add(block, ONE), integer(8))
        for k in range(8):
            f.put(sums[k], add(f.get(sums[k]), at(f.add(start, integer(k)))))
    parts: list[Operand] = [f.get(s) for s in sums]
    while len(parts) > 1:
        parts = [add(a, b) for a, b in zip(parts[::2], parts[1::2], strict=True)]
    total = f.declare(parts[0])
    done = f.mul(eighths, integer(8))
    with f.loop(f.sub(n, done)) as i:
        f.put(total, add(f.get(total), at(f.add(done, i))))
    f.give(f.get(total))
    return f
