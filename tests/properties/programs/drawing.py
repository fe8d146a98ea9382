"""Draws a program: line after line, each tried at once on the values it would read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from random import Random
from typing import Any

import numpy as np

from tests.properties.programs import numbers as nb, steps
from tests.properties.programs.description import (
    LAYOUTS,
    Gradient,
    Leaf,
    Line,
    Loop,
    Program,
    names_in,
)
from tests.properties.programs.expected import RAISED, expect, float_leaves, run
from tests.properties.programs.numbers import Num, Undecided

DTYPES = (
    *("float64",) * 7,
    *("float32",) * 5,
    *("int64",) * 3,
    *("int32", "int8", "bool", "float16", "float16") * 2,
    *("int16", "uint8", "uint16", "uint32", "uint64", "complex128", "complex64"),
)
FLOATS = ("float64", "float64", "float64", "float32")
_MOST_TRIES = 60
_MOST_ITEMS = 400

#: what kinds of programs there are, and how many of a hundred
PROFILES = {
    "plain": 38,
    "indexing": 20,
    "loop": 14,
    "state": 10,
    "gradient": 13,
    "error": 3,
    "large": 1,
    "odd": 1,
}


class Scope:
    """Names that a line may read, and the lines so far."""

    def __init__(self, prefix: str = "v", outer: Scope | None = None) -> None:
        self.prefix, self.outer = prefix, outer
        self.values: dict[str, Num] = {}
        self.lines: list[Any] = []

    def new_name(self, ahead: int = 0) -> str:
        count = sum(len(line.targets) for line in self.lines) + ahead
        return f"{self.prefix}{count}"

    def visible(self) -> dict[str, Num]:
        return {**(self.outer.visible() if self.outer else {}), **self.values}


class Drawing:
    """A program as it is being drawn."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self._random = Random(seed)
        self.rng = np.random.default_rng(seed)
        self.profile = self._random.choices(list(PROFILES), list(PROFILES.values()))[0]
        self.large = self.profile == "large"
        self.floats = self.profile == "gradient"
        self.calls = 1
        if not self.large and not self.floats:
            self.calls = self.among((1, 1, 2, 3) if self.profile != "state" else (2, 3, 3))
        self.varying = self.calls > 1 and self.chance(35)
        self.lengths = self._lengths()
        self.scope = Scope()
        self.leaves: list[Leaf] = []
        self._new: list[tuple[Leaf, Num]] = []
        self.depth = 0  # of loops
        self._named = 0

    # ---- draws

    def below(self, n: int) -> int:
        return self._random.randrange(n)

    def chance(self, percent: float) -> bool:
        return self._random.random() * 100 < percent

    def among(self, things: Sequence[Any]) -> Any:
        return things[self.below(len(things))]

    def shuffled(self, things: Sequence[Any]) -> list[Any]:
        out = list(things)
        self._random.shuffle(out)
        return out

    def _lengths(self) -> list[dict[int, int]]:
        """For each call: what a length of the first call has become."""
        same = {n: n for n in range(12)}
        if not self.varying:
            return [same] * self.calls
        made = [same]
        for _ in range(1, self.calls):
            other = {n: max(0, n + self.among((0, 0, 1, 2, -1))) for n in range(2, 12)}
            made.append({0: 0, 1: 1, **other} if self.chance(75) else same)
        return made

    def length(self) -> int:
        if self.large and not self.scope.outer:
            return self.among((1000, 1003, 20_000, 1_000_003, 3, 7))
        return self.among((2, 3, 3, 4, 4, 5, 7, 1, 0 if self.chance(30) else 6))

    def shape(self, rank: int | None = None) -> tuple[int, ...]:
        rank = self.among((0, 1, 1, 1, 2, 2, 2, 3)) if rank is None else rank
        if self.large:
            return self.among(
                [(1_000_003,), (1001, 1003), (3, 400_000), (20_000,), (1003,), (50, 30_000), (7,)]
            )
        return tuple(self.length() for _ in range(rank))

    def dtype(self) -> str:
        return self.among(FLOATS if self.floats else DTYPES)

    def pick(self, suits: Callable[[Num], bool] = lambda n: True) -> tuple[str, Num] | None:
        """A value, a recent one mostly."""
        found = [(k, n) for k, n in self.scope.visible().items() if suits(n)]
        if not found:
            return None
        if self.chance(55):
            found = found[-4:]
        return self.among(found)

    def integer(self, n: int, low: int | None = None, high: int | None = None) -> str:
        """An integer as text: written out, an input, a length, or a value."""
        choice = self.below(10)
        if choice >= 8:
            long = [(k, v) for k, v in self.scope.visible().items() if v.ndim]
            if long:
                k, v = self.among(long)
                d = self.below(v.ndim)
                return f"({k}.shape[{d}] + {n - v.x.shape[d]})".replace("+ -", "- ")
        if choice == 7:
            held = [
                (k, v)
                for k, v in self.scope.visible().items()
                if not v.ndim and v.dtype in ("int64", "int32") and abs(int(v.x)) < 50
            ]
            if held:
                k, v = self.among(held)
                return f"({k} + {n - int(v.x)})".replace("+ -", "- ")
        if choice == 6 and not self.depth:
            dtype = self.among(("int64", "int32", "int8"))
            return self.leaf(dtype, (), data=lambda rng, shape, call: n, kind="input")
        return repr(n)

    # ---- leaves

    def leaf(
        self,
        dtype: str,
        shape: tuple[int, ...],
        data: Callable[..., Any] | None = None,
        kind: str | None = None,
        ones: tuple[bool, ...] | None = None,
    ) -> str:
        """A new input, constant or shared variable; its name."""
        if kind is None:
            kinds = ("input",) * 6 + ("constant",) * 2 + ("shared",) * 2
            kind = "shared" if self.profile == "state" and self.chance(50) else self.among(kinds)
        if int(np.prod(shape)) > 1000 and kind == "constant":
            kind = "input"
        if ones is None:
            ones = tuple(n == 1 and self.chance(70) for n in shape)
        if kind == "constant":
            ones = tuple(n == 1 for n in shape)
        data = data or self._data(dtype)
        values = []
        for call in range(self.calls if kind == "input" else 1):
            table = self.lengths[call]
            lengths = tuple(n if one else table.get(n, n) for n, one in zip(shape, ones))
            x = np.asarray(data(self.rng, lengths, call))
            values.append(np.ascontiguousarray(x.astype(dtype)).reshape(lengths))
        layout = self.among(list(LAYOUTS)) if kind == "input" and self.chance(35) else "C"
        name = f"{kind[0]}{self._named}"
        self._named += 1
        made = Leaf(kind, name, tuple(values), ones, layout)
        self._new.append((made, nb.leaf(values[0], ones)))
        return name

    def _data(self, dtype: str) -> Callable[..., Any]:
        kind = nb.kind_of(dtype)
        short, ends, odd = self.chance(50), self.chance(10), self.profile == "odd"

        def make(rng: Any, shape: tuple[int, ...], call: int) -> Any:
            if kind == "b":
                return rng.integers(0, 2, shape)
            if kind in "iu":
                if ends:  # of the range, so that arithmetic wraps
                    info = np.iinfo(dtype)
                    few = np.array([info.min, info.max, 0, 1, info.max // 2], dtype)
                    return few[rng.integers(0, 5, shape)]
                return rng.integers(0 if kind == "u" else -6, 7, shape)
            if short:  # few bits: sums and products are exact
                x = rng.integers(-24, 25, shape) / 8
            else:
                x = rng.uniform(-3, 3, shape)
            if odd and kind == "f":
                which = rng.choice([np.nan, np.inf, -np.inf, 0.0], shape)
                return np.where(rng.uniform(0, 1, shape) < 0.3, which, x)
            return x + 1j * rng.integers(-24, 25, shape) / 8 if kind == "c" else x

        return make

    def positions(
        self, n: int, shape: tuple[int, ...], unique: bool = False, wrong: bool = False
    ) -> str:
        """Integers that are positions along a length, from either end."""
        dtype = self.among(("int64", "int64", "int32", "int8", "uint8"))
        if n > 127:
            dtype = "int64"

        def make(rng: Any, lengths: tuple[int, ...], call: int) -> Any:
            m = self.lengths[call].get(n, n)
            if unique:
                count = int(np.prod(lengths))
                return rng.permutation(m)[:count] if count <= m else np.zeros(lengths)
            low = 0 if dtype == "uint8" else -m
            at = rng.integers(low, max(m, low + 1), lengths)
            if wrong and call == self.calls - 1 and at.size:
                at.flat[0] = m + 2
            return at

        return self.leaf(dtype, shape, make, ones=(False,) * len(shape))

    # ---- lines

    def add(self, line: Any) -> bool:
        """Whether a line has a value; then it stands in the program."""
        scope = self.scope
        fresh = {leaf.name: n for leaf, n in self._new}
        env = {**scope.visible(), **fresh}
        try:
            after = run(line.source(), env)
            made = {t: after[t] for t in line.targets}
            for n in made.values():
                self._check(n)
        except (Undecided, TypeError, MemoryError, *RAISED):
            self._new = []
            return False
        root = scope
        while root.outer:
            root = root.outer
        root.values |= fresh
        self.leaves += [leaf for leaf, _ in self._new]
        self._new = []
        scope.values |= made
        scope.lines.append(line)
        return True

    def _check(self, n: Any) -> None:
        if not isinstance(n, Num) or n.x.ndim > 4:
            raise Undecided("too many dimensions")
        if n.x.size > (nb.MOST_ITEMS if self.large else _MOST_ITEMS):
            raise Undecided("too large")
        if n.x.size == 0 and not self.chance(15):
            raise Undecided("empty arrays come seldom")
        if n.dtype == "float16" and not self.chance(60):
            raise Undecided("little is left of what float16 has touched")

    def step(self) -> bool:
        """One more line, if what is drawn makes sense."""
        self._new = []
        maker = self._random.choices(*steps.makers(self))[0]
        line = maker(self)
        if line is None:
            self._new = []
            return False
        return self.add(line)

    def line(self, text: str, *parts: str, count: int = 1) -> Line:
        names = tuple(self.scope.new_name(i) for i in range(count))
        return Line(names, text, parts)

    # ---- programs

    def program(self) -> Program | None:
        for _ in range(1 + self.below(3)):
            self.leaf(self.dtype(), self.shape())
        for leaf, n in self._new:
            self.leaves.append(leaf)
            self.scope.values[leaf.name] = n
        self._new = []
        wanted = 2 + self.below(3) if self.large else 3 + self.below(6)
        for _ in range(_MOST_TRIES):
            if len(self.scope.lines) >= wanted:
                break
            self.step()
        if not self.scope.lines:
            return None
        if self.profile == "error":
            steps.add_an_error(self)
        return self._finished()

    def _finished(self) -> Program | None:
        lines = self.scope.lines
        names = [t for line in lines for t in line.targets]
        outputs = {names[-1], *(self.among(names[-4:]) for _ in range(1 + self.below(2)))}
        drawn = Program(
            tuple(self.leaves),
            tuple(lines),
            tuple(sorted(outputs)),
            tuple(self._updates()),
            self.calls,
            None,
            self.seed,
            frozenset({self.profile} | ({"varying"} if self.varying else set())),
        ).trimmed()
        if self.profile == "gradient":
            drawn = self._with_gradient(drawn)
        return self._with_calls(drawn)

    def _updates(self) -> list[tuple[str, str]]:
        made = []
        values = self.scope.visible()
        loops = [line for line in self.scope.lines if isinstance(line, Loop) and line.updates]
        for leaf in self.leaves:
            if leaf.kind != "shared":
                continue
            inner = [loop for loop in loops if any(s == leaf.name for s, _ in loop.updates)]
            if inner:
                made.append((leaf.name, f"{inner[-1].finals}[{leaf.name}]"))
                continue
            if self.floats or self.chance(30):
                continue
            fits = [
                k
                for k, n in values.items()
                if n.ndim == len(leaf.ones)
                and k != leaf.name
                and all(not one or n.ones[d] for d, one in enumerate(leaf.ones))
                and (n.dtype == leaf.dtype or nb.kind_of(n.dtype) != "c")
                and nb.kind_of(leaf.dtype) in "iufc"
            ]
            if not fits:
                continue
            k = self.among(fits)
            same = values[k].dtype == leaf.dtype
            new = k if same else f"{k}.astype({leaf.dtype!r})"
            if values[k].x.shape == leaf.values[0].shape and self.chance(60):
                new = f"({leaf.name} + {new})"
            made.append((leaf.name, new))
        return made

    def _with_gradient(self, program: Program) -> Program:
        """The same with derivatives of one of its values, where there are any."""
        named = self.scope.visible()
        floats = [
            t
            for line in program.lines
            for t in line.targets
            if named[t].dtype in ("float64", "float32") and named[t].x.size
        ]
        for of in reversed(floats):
            wrt = float_leaves(program, of)
            if not wrt:
                continue
            wrt = self.shuffled(wrt)[: 1 + self.below(3)]
            shapes = {leaf.name: leaf.values[0] for leaf in program.leaves}
            directions = tuple(
                self.rng.integers(-16, 17, shapes[n].shape).astype(shapes[n].dtype) / 16
                for n in wrt
            )
            directions = tuple(
                np.asarray(d, shapes[n].dtype) for d, n in zip(directions, wrt, strict=True)
            )
            order = 2 if self.chance(20) else 1
            forward = order == 1 and self.chance(15)
            cut = any(isinstance(k, Loop) and k.truncate != -1 for k in program.walk())
            if cut:
                order, forward = 1, False
            gradient = Gradient(of, tuple(wrt), directions, order, forward, not cut)
            made = replace(program, gradient=gradient).trimmed()
            try:
                expect(made)
            except (Undecided, TypeError, MemoryError, *RAISED):
                continue
            return made
        return program

    def _with_calls(self, program: Program) -> Program | None:
        """As many calls as have one answer; one that raises is the last."""
        while program.calls:
            try:
                found = expect(program)
            except Undecided:
                program = replace(program, calls=program.calls - 1)
                continue
            except TypeError:
                if not program.updates:
                    return None
                program = replace(program, updates=()).trimmed()
                continue
            wrong = [k for k, call in enumerate(found.calls) if call.error]
            if not wrong:
                return program
            if self.profile == "error" or (wrong[0] > 0 and self.chance(8)):
                made = replace(program, calls=wrong[0] + 1, notes=program.notes | {"raises"})
                return self._strict(made)
            program = replace(program, calls=wrong[0])
        return None

    def _strict(self, program: Program) -> Program:
        """The same; with a note if it is the last line that raises, and nothing before."""
        # an element of what is all ones is 1: by rewriting nothing is left that could raise
        if any(word in program.source() for word in ("_like(", "* 0", "alloc(")):
            return program
        rest = replace(program, lines=program.lines[:-1], outputs=(), gradient=None)
        last = program.lines[-1]
        used = [text for _, text in program.updates]
        if last.targets[0] not in program.outputs or names_in(" ".join(used)) & set(last.targets):
            return program
        try:
            fine = all(call.error is None for call in expect(rest).calls)
        except (Undecided, NameError):
            return program
        return replace(program, notes=program.notes | {"strict"}) if fine else program


def drawn(seed: int) -> Program | None:
    """The program of a seed; None for the few that come to nothing."""
    return Drawing(seed).program()
