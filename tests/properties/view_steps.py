"""Steps of programs on views: reads and writes, each drawn to fit the values that are there."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

import numpy as np

from tests.properties.view_programs import (
    NUMERIC,
    Leaf,
    Line,
    array_text,
    as_type,
    needed_lines,
)

SHAPES: tuple[tuple[int, ...], ...] = (
    *((4, 4), (6,), (12,), (16,), (3, 4), (2, 3)),
    *((2, 6), (8, 8), (2, 3, 2), (2, 2, 4), (5, 3)),
)
_LARGEST = 500  # float16 counts to 2048
_MOST_ITEMS = 150


class Drawing:
    """A program as it is being drawn, or the inside of a loop or of an op's graph."""

    def __init__(self, random: Random, prefix: str = "v") -> None:
        self.random, self.prefix = random, prefix
        self.leaves: list[Leaf] = []
        self.lines: list[Line] = []
        self.values: dict[str, Any] = {}
        self.indices: dict[str, Any] = {}  # inputs that are numbers, positions or masks
        self.inside = prefix != "v"

    # draws

    def below(self, n: int) -> int:
        return self.random.randrange(n)

    def chance(self, percent: int) -> bool:
        return self.below(100) < percent

    def among(self, things: Sequence[Any]) -> Any:
        return things[self.below(len(things))]

    def integer(self, n: int) -> str:
        """An integer as text: written out, an input, or a length."""
        if self.chance(70):
            return repr(n)
        if self.inside or self.chance(40):
            long = [(k, x) for k, x in self.values.items() if x.ndim]
            name, x = self.among(long)
            d = self.below(x.ndim)
            return f"({name}.shape[{d}] + {n - x.shape[d]})"
        return self.leaf(np.array(n, "int64"), "n", kind="input")

    def leaf(self, value: Any, letter: str, **how: Any) -> str:
        name = f"{letter}{len(self.leaves)}"
        self.leaves.append(Leaf(name, value, **how))
        if letter in "nk":
            self.indices[name] = value
        return name

    def data(self, dtype: str, shape: tuple[int, ...]) -> Any:
        size = int(np.prod(shape))
        if dtype == "bool":
            return np.array([self.below(2) for _ in range(size)], bool).reshape(shape)
        # values that differ, so that elements that change places are seen
        order = list(range(size))
        self.random.shuffle(order)
        return (np.array(order, "int64") + 1).astype(dtype).reshape(shape)

    def shape(self) -> tuple[int, ...]:
        return self.among(SHAPES)

    def array(self, dims: int = 1) -> tuple[str, Any]:
        """A value, mostly one of the last."""
        found = [(k, x) for k, x in self.values.items() if x.ndim >= dims and x.size]
        if not found:
            return self.among([(k, x) for k, x in self.values.items() if x.ndim])
        return self.among(found[-3:] if self.chance(60) else found)

    # steps

    def add(
        self, symbolic: str, numeric: str | None = None, linear: bool = True, **more: Any
    ) -> str | None:
        """Add a line, if NumPy takes it and the values stay small."""
        name = f"{self.prefix}{len(self.lines)}"
        texts = [t.replace("f_?", f"f_{name}") for t in (symbolic, numeric or symbolic)]
        line = Line(name, *texts, linear=linear, **more)
        env = {**NUMERIC, **self.indices, **{k: x.copy() for k, x in self.values.items()}}
        with np.errstate(all="ignore"):
            exec(line.text("numeric"), env)
        made = np.array(env[name])
        if made.size > _MOST_ITEMS or made.ndim > 4 or made.size == 0:
            return None
        if made.dtype.kind in "ifcu" and np.abs(made.astype("complex128")).max() > _LARGEST:
            return None
        self.lines.append(line)
        self.values[name] = made
        return name

    def step(self) -> None:
        self.among(STEPS if not self.inside else INNER_STEPS)(self)

    # parts of steps

    def slice_of(self, n: int) -> str:
        """A slice along a dimension of so many, which is not empty."""
        for _ in range(20):
            step = self.among((None, None, 1, 2, -1, -1, -2, 3))
            start, stop = (
                self.among((None, None, self.below(2 * n + 1) - n)) for _ in ("start", "stop")
            )
            if len(range(n)[slice(start, stop, step)]):
                bounds = [("" if e is None else self.integer(e)) for e in (start, stop)]
                return ":".join(bounds) + ("" if step is None else f":{self.integer(step)}")
        return ":"

    def basic(self, x: Any) -> str:
        """Slices and integers for some dimensions of an array."""
        k = 1 + self.below(x.ndim)
        last = k < x.ndim and self.chance(15)
        parts = ["..."] if last else []
        for n in x.shape[-k:] if last else x.shape[:k]:
            if self.chance(25):
                parts.append(self.integer(self.below(2 * n) - n))
            else:
                parts.append(":" if self.chance(20) else self.slice_of(n))
        return ", ".join(parts)

    def advanced(self, x: Any, once: bool) -> str:
        """An index with arrays of positions, without repetition if ``once``."""
        d = self.below(x.ndim)
        n = x.shape[d]
        count = 1 + self.below(n)
        at = list(range(n))
        self.random.shuffle(at)
        at = at[:count] if once else [self.below(n) for _ in range(count)]
        at = [i - n * self.below(2) for i in at]
        if self.chance(15):
            mask = np.zeros(n, bool)
            mask[at] = True
            text = array_text(mask)
            if not self.inside and self.chance(40):
                text = self.leaf(mask, "k")
        else:
            text = array_text(np.array(at))
            if not self.inside and self.chance(40):
                text = self.leaf(np.array(at), "k")
        before = [":" if self.chance(60) else self.slice_of(n) for n in x.shape[:d]]
        parts = [*before, text]
        if d + 1 < x.ndim and self.chance(30):
            parts.append(self.slice_of(x.shape[d + 1]))
        return ", ".join(parts)

    def fitted(self, shape: Sequence[int], near: str) -> str:
        """Text of something of a shape, read from a value in some order; ``near`` is likely."""
        size = int(np.prod(shape))
        likely = [near] if near and self.chance(50) else list(self.values)
        name = self.among([k for k in likely if self.values[k].ndim])
        x = self.values[name]
        same = [k for k, v in self.values.items() if v.shape == tuple(shape)]
        if same and self.chance(25):
            return self.among(same)
        pairs = list(zip(x.shape, shape, strict=False))
        inside = x.ndim == len(shape) and all(m >= n for m, n in pairs)
        if inside and self.chance(60):
            return f"{name}[{', '.join(self.cut(m, n) for m, n in pairs)}]"
        lengths = "(" + "".join(f"{self.integer(n)}, " for n in shape) + ")"
        if x.size >= size and self.chance(60):
            part = self.cut(x.size, size)
            if x.ndim == 1:
                return f"{name}[{part}].reshape({lengths})"
            return f"{name}.flatten()[{part}].reshape({lengths})"
        at = array_text(np.array([self.below(x.size) for _ in range(size)]))
        return f"{name}.flatten()[{at}].reshape({lengths})"

    def cut(self, m: int, n: int) -> str:
        """A slice of ``n`` of ``m``, forward or backward."""
        first = self.below(m - n + 1)
        if self.chance(50):
            return f"{self.integer(first)}:{self.integer(first + n)}"
        last = first + n - 1
        return f"{last}:{'' if first == 0 else first - 1}:-1"


# every step adds at most one line


def slicing(d: Drawing) -> None:
    name, x = d.array()
    d.add(f"{name}[{d.basic(x)}]")


def reshaping(d: Drawing) -> None:
    name, x = d.array()
    a = d.among([n for n in range(1, x.size + 1) if x.size % n == 0])
    shape = d.among(((x.size,), (a, x.size // a), (1, x.size), (x.size, 1)))
    lengths = "(" + "".join(f"{d.integer(n)}, " for n in shape) + ")"
    if d.chance(20):
        lengths = "(-1,)"
    d.add(f"{name}.reshape({lengths})")


def flattening(d: Drawing) -> None:
    name, x = d.array()
    if d.chance(60):
        d.add(f"{name}.flatten()")
    else:
        k = 1 + d.below(x.ndim)
        d.add(f"{name}.flatten({k})", f"flat({name}, {k})")


def dimshuffling(d: Drawing) -> None:
    name, x = d.array()
    order: list[Any] = list(range(x.ndim))
    d.random.shuffle(order)
    while len(order) < 4 and d.chance(30):
        order.insert(d.below(len(order) + 1), "x")
    d.add(f"{name}.dimshuffle({', '.join(map(repr, order))})", f"shuffled({name}, {order!r})")


def transposing(d: Drawing) -> None:
    name, x = d.array(2)
    axes = d.below(x.ndim), d.below(x.ndim)
    d.add(*d.among(((f"{name}.T",), (f"T.swapaxes({name}, {axes[0]}, {axes[1]})",
                     f"np.swapaxes({name}, {axes[0]}, {axes[1]})"))))  # fmt: skip


def taking_the_diagonal(d: Drawing) -> None:
    name, x = d.array(2)
    if x.ndim < 2:
        return
    a, b = d.random.sample(range(x.ndim), 2)
    k = d.below(3) - 1
    d.add(f"T.diagonal({name}, {k}, {a}, {b})", f"np.diagonal({name}, {k}, {a}, {b})")


def passing_on(d: Drawing) -> None:
    name, x = d.array()
    lengths = "(" + "".join(f"{d.integer(n)}, " for n in x.shape) + ")"
    forms = [
        f"T.join(0, {name})",
        f"T.specify_shape({name}, {lengths})",
        f"theano.compile.view_op({name})",
        f"theano.compile.deep_copy_op({name})",
        f"T.opt.assert_op({name}, {name}.shape[0] > 0)",
        f"T.unbroadcast({name}, 0)",
        f"T.tensor_copy({name})",
    ]
    if x.dtype.kind == "f":
        forms.append(f"theano.gradient.grad_clip({name}, -1000, 1000)")
    d.add(d.among(forms), name)


def splitting(d: Drawing) -> None:
    name, x = d.array()
    axis = d.below(x.ndim)
    n = x.shape[axis]
    first = 1 + d.below(n)
    if first == n:
        return
    k = d.below(2)
    d.add(
        f"T.split({name}, [{d.integer(first)}, {d.integer(n - first)}], 2, {axis})[{k}]",
        f"np.split({name}, [{first}], {axis})[{k}]",
    )


def joining(d: Drawing) -> None:
    name, x = d.array()
    axis = d.below(x.ndim)
    other = d.fitted(x.shape, name) if d.chance(50) else name
    pair = [name, other] if d.chance(50) else [other, name]
    d.add(f"T.join({axis}, {pair[0]}, {pair[1]})", f"np.concatenate([{', '.join(pair)}], {axis})")


def rolling(d: Drawing) -> None:
    name, x = d.array()
    by, axis = d.below(5) - 2, d.below(x.ndim)
    d.add(f"T.roll({name}, {d.integer(by)}, {axis})", f"np.roll({name}, {by}, {axis})")


def picking(d: Drawing) -> None:
    name, x = d.array()
    d.add(f"{name}[{d.advanced(x, once=False)}]")


def computing(d: Drawing) -> None:
    name, x = d.array()
    if x.dtype == bool:
        return
    other = d.fitted(x.shape, name)
    forms = [f"{name} + {other}"]
    if x.dtype.kind != "u":  # the number 1 is an int8: the sum of both is an int16
        forms += [f"{name} - {other}", f"{name} * 2", f"{name} + 1", f"-{name}"]
    d.add(d.among(forms), linear=x.dtype.kind in "fc")


def choosing_the_larger(d: Drawing) -> None:
    name, x = d.array()
    if x.dtype.kind in "bc":
        return
    other = d.fitted(x.shape, name)
    d.add(f"T.maximum({name}, {other})", f"np.maximum({name}, {other})", linear=False)


def _block(d: Drawing, name: str, x: Any, index: str, near: str) -> str | None:
    """What may be written to ``x[index]``."""
    env = {**NUMERIC, **d.indices, **{k: v.copy() for k, v in d.values.items()}}
    part = np.asarray(eval(f"{name}[{index}]", env))
    if part.size == 0:
        return None
    shape = part.shape
    if shape and d.chance(15):
        shape = shape[1:]  # stretched along the first
    if not shape:
        source = d.among([k for k, v in d.values.items() if v.ndim])
        v = d.values[source]
        return f"{source}[{', '.join(repr(d.below(n)) for n in v.shape)}]"
    return d.fitted(shape, near)


def _source(d: Drawing, name: str) -> str:
    """What a value was made from, or itself: the likely place to read from."""
    line = next((e for e in d.lines if e.name == name), None)
    near = sorted(line.names() & set(d.values)) if line else []
    near = [k for k in near if d.values[k].ndim]
    return d.among(near) if near and d.chance(60) else name


def writing(d: Drawing) -> None:
    name, x = d.array()
    index = d.basic(x)
    block = _block(d, name, x, index, _source(d, name))
    if block is None:
        return
    if x.dtype == bool or d.chance(60):
        d.add(f"T.set_subtensor({name}[{index}], {block})", f"put({name}, np.s_[{index}], {block})")
    else:
        d.add(f"T.inc_subtensor({name}[{index}], {block})", f"inc({name}, np.s_[{index}], {block})")


def _flattened(d: Drawing, x: Any) -> tuple[str, str]:
    return "{}.flatten()", "{}.flatten()"


def _folded(d: Drawing, x: Any) -> tuple[str, str]:
    a = d.among([n for n in range(1, x.size + 1) if x.size % n == 0])
    text = f"{{}}.reshape(({d.integer(a)}, {d.integer(x.size // a)}))"
    return text, text


def _deepened(d: Drawing, x: Any) -> tuple[str, str]:
    order: list[Any] = [*range(x.ndim)]
    order.insert(d.below(x.ndim + 1), "x")
    return f"{{}}.dimshuffle({', '.join(map(repr, order))})", f"shuffled({{}}, {order!r})"


def _turned(d: Drawing, x: Any) -> tuple[str, str]:
    return "{}.T", "{}.T"


def _rolled(d: Drawing, x: Any) -> tuple[str, str]:
    by, axis = 1 + d.below(3), d.below(x.ndim)
    return f"T.roll({{}}, {by}, {axis})", f"np.roll({{}}, {by}, {axis})"


def _reversed(d: Drawing, x: Any) -> tuple[str, str]:
    text = f"{{}}[{':, ' * d.below(x.ndim)}::-1]"
    return text, text


def _permuted(d: Drawing, x: Any) -> tuple[str, str]:
    axis = d.below(x.ndim)
    at = list(range(x.shape[axis]))
    d.random.shuffle(at)
    text = f"{{}}[{':, ' * axis}np.array({at!r})]"
    return text, text


def _doubled(d: Drawing, x: Any) -> tuple[str, str]:
    text = "{}" if x.dtype.kind in "bu" else "({} * 2)"
    return text, text


_UNMOVED = (_flattened, _folded, _deepened)
_MOVED = (*_UNMOVED, _turned, _rolled, _reversed, _reversed, _permuted, _doubled)


def _chain(d: Drawing, name: str, x: Any, most: int, kinds: Any) -> tuple[str, str, Any]:
    """A value through some views in a row, in both forms, and what NumPy makes of it."""
    symbolic = numeric = name
    for _ in range(d.below(most + 1)):
        more, more_numeric = d.among(kinds)(d, x)
        env = {**NUMERIC, **d.indices, **d.values, "x": x}
        made = np.array(eval(more_numeric.format("x"), env))
        if made.ndim <= 4:
            symbolic, numeric, x = more.format(symbolic), more_numeric.format(numeric), made
    return symbolic, numeric, x


def writing_through_views(d: Drawing) -> None:
    """A block of an array, seen in one form, is written to what is read from it in another."""
    name, x = d.array()
    base, base_numeric, b = _chain(d, name, x, 2, _UNMOVED)
    source, source_numeric, r = _chain(d, name, x, 3, _MOVED)
    counts = [1 + d.below(n) for n in b.shape]
    while int(np.prod(counts)) > r.size:
        counts[d.below(len(counts))] = 1
    firsts = [d.below(n - k + 1) for n, k in zip(b.shape, counts, strict=True)]
    index = ", ".join(
        f"{d.integer(i)}:{d.integer(i + k)}" for i, k in zip(firsts, counts, strict=True)
    )
    if len(counts) > 1 and counts[0] == 1 and d.chance(50):
        index = ", ".join([d.integer(firsts[0]), *index.split(", ")[1:]])
        counts = counts[1:]
    pairs = list(zip(r.shape, counts, strict=False))
    if r.ndim == len(counts) and all(m >= n for m, n in pairs) and d.chance(50):
        block = f"[{', '.join(d.cut(m, n) for m, n in pairs)}]"
    else:
        part = d.cut(r.size, int(np.prod(counts)))
        block = f".flatten()[{part}].reshape(({', '.join(map(repr, counts))},))"
    kind, numeric = ("set", "put") if x.dtype == bool or d.chance(75) else ("inc", "inc")
    d.add(
        f"T.{kind}_subtensor({base}[{index}], {source}{block})",
        f"{numeric}({base_numeric}, np.s_[{index}], {source_numeric}{block})",
    )


def writing_by_arrays(d: Drawing) -> None:
    name, x = d.array()
    adds = x.dtype != bool and d.chance(40)
    index = d.advanced(x, once=not adds)
    block = _block(d, name, x, index, _source(d, name))
    if block is None:
        return
    kind, numeric = ("inc", "inc") if adds else ("set", "put")
    d.add(
        f"T.{kind}_subtensor({name}[{index}], {block})",
        f"{numeric}({name}, np.s_[{index}], {block})",
    )


def _inner(d: Drawing, arrays: dict[str, Any], steps: int) -> tuple[Line, ...] | None:
    """Lines of a function of ``arrays`` that gives something like the first, or None."""
    (first, x), *_ = arrays.items()
    inner = Drawing(d.random, "w")
    inner.values = dict(arrays)
    for _ in range(steps):
        inner.step()
    alike = [k for k, v in inner.values.items() if v.shape == x.shape and k not in arrays]
    if not alike or inner.values[alike[-1]].dtype != x.dtype:
        return None
    last = alike[-1]
    end = Line("w99", as_type(first, last), last)
    return needed_lines([*inner.lines, end], {end.name})[0]


def looping(d: Drawing) -> None:
    name, x = d.array()
    if x.ndim > 3:
        return
    kind = d.among(("state", "state", "state", "taps", "rows"))
    n = 1 + d.below(3)
    near = _source(d, name)
    arrays: dict[str, Any] = {"c": x, "e": d.values[near]}
    if kind == "taps":
        arrays = {"c": x, "b": x, "e": d.values[near]}
    if kind == "rows":
        if d.values[near].ndim < 2:
            return
        n = min(n, d.values[near].shape[0])
        arrays = {"r": d.values[near][0], "c": x}
        lines = _inner(d, {"c": x, "r": d.values[near][0]}, 1 + d.below(3))
    else:
        lines = _inner(d, arrays, 1 + d.below(3))
    if lines is None:
        return
    linear = all(e.linear for e in lines)
    keep = d.among(("[-1]", "", "[0]"))
    count = d.integer(n)
    plain = _as_free(name, x)
    if kind == "rows":
        symbolic = f"theano.scan(f_?, sequences=[{near}[:{n}]], outputs_info=[{plain}])[0]{keep}"
        numeric = f"loop(f_?, [{name}], [], {near}, {n}){keep}"
    elif kind == "taps":
        two = f"T.stack([{plain}, {plain}])"
        symbolic = (
            f"theano.scan(f_?, outputs_info=[dict(initial={two}, taps=[-2, -1])], "
            f"non_sequences=[{near}], n_steps={count})[0]{keep}"
        )
        numeric = f"loop(f_?, [{name}, {name}], [{near}], None, {n}){keep}"
    else:
        symbolic = (
            f"theano.scan(f_?, outputs_info=[{plain}], non_sequences=[{near}], "
            f"n_steps={count})[0]{keep}"
        )
        numeric = f"loop(f_?, [{name}], [{near}], None, {n}){keep}"
    d.add(symbolic, numeric, linear, args=tuple(arrays), inner=lines)


def _as_free(name: str, x: Any) -> str:
    """A value whose pattern lets every dimension have any length."""
    return f"T.patternbroadcast({name}, {(False,) * x.ndim})"


def opening_a_graph(d: Drawing) -> None:
    name, x = d.array()
    near = name if d.chance(50) else _source(d, name)
    lines = _inner(d, {"c": x, "e": d.values[near]}, 1 + d.below(3))
    if lines is None:
        return
    args = f"({name}, {near})"
    d.add(
        f"theano.OpFromGraph([c := {name}.type(), e := {near}.type()], [f_?(c, e)]){args}",
        f"f_?({name}, {near})",
        all(e.linear for e in lines),
        args=("c", "e"),
        inner=lines,
    )


def branching(d: Drawing) -> None:
    name, x = d.array()
    other = d.fitted(x.shape, name)
    c = d.leaf(np.array(d.below(2), "int64"), "n")
    d.add(
        f"ifelse({c}, {_as_free(name, x)}, {_as_free(other, x)})",
        f"({name} if {c} else {other})",
    )


_READS = (
    *(slicing, slicing, reshaping, flattening, dimshuffling, transposing, taking_the_diagonal),
    *(passing_on, splitting, joining, rolling, picking, computing, choosing_the_larger),
)
_WRITES = (writing,) * 3 + (writing_by_arrays,) * 2 + (writing_through_views,) * 10
INNER_STEPS = (*_READS, *_WRITES, writing, writing, writing)
STEPS = (*_READS, *_WRITES, looping, looping, opening_a_graph, branching)
