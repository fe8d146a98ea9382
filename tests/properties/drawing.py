"""Random programs: drawn step by step beside their NumPy values, built, listed and made smaller."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from random import Random
from typing import Any

import numpy as np
from hypothesis import strategies as st

import theano
import theano.tensor as T
from tests.properties.choices import stretches
from tests.properties.steps import NUMERIC, ROWS, Row

DEPTH = 30  # ops on the longest path of a program, at least
_MOST_TRIES = 600  # steps that are tried before a program stays as it is
_MOST_ITEMS = 300
_SYMBOLIC = {"T": T, "theano": theano, "np": np}

# Two right evaluations of a program differ by rounding. How far is measured, not guessed: the NumPy
# forms run three times, twice with every float moved at random by the units in the last place
# that a step is granted. A step is drawn only if those runs agree within a quarter of the
# tolerance, and exactly where the result is discrete; so the tolerance is never short by the
# program's own conditioning, and need not grow with its depth.
_RUNS = 3
#: tolerance in units of the coarsest float among a value's ancestors, relative to 1 + |value|
UNITS = {"float16": 32.0, "float32": 256.0, "float64": 256.0}
_LARGEST = {"float16": 500.0}  # float values are kept below; 1e4 for the other dtypes


def coarseness(dtype: np.dtype) -> float:
    """The part of the tolerance that a dtype brings: 3.1e-2, 3.1e-5 or 5.7e-14; 0 if discrete."""
    if dtype.kind not in "fc":
        return 0.0
    real = np.empty(0, dtype).real.dtype
    return UNITS[real.name] * float(np.finfo(real).eps)


@dataclass
class Value:
    """A name of a program with its NumPy values: as it is, and moved by rounding."""

    name: str
    runs: list[Any]
    pattern: tuple[bool, ...]
    tolerance: float = 0.0
    depth: int = 0
    var: Any = None

    @property
    def x(self) -> Any:
        return self.runs[0]


@dataclass(frozen=True)
class Leaf:
    """An input, a constant or a shared variable, with its value."""

    kind: str
    name: str
    value: Any
    pattern: tuple[bool, ...]

    def build(self) -> Any:
        if self.kind == "constant":
            return T.constant(self.value)
        if self.kind == "shared":
            return theano.shared(self.value, name=self.name, broadcastable=self.pattern)
        return T.TensorType(self.value.dtype.name, self.pattern)(self.name)

    def listed(self) -> str:
        data = array_text(self.value)
        if self.kind == "constant":
            return f"{self.name} = T.constant({data})"
        if self.kind == "shared":
            return f"{self.name} = theano.shared({data}, broadcastable={self.pattern})"
        kind = f"T.TensorType({self.value.dtype.name!r}, {self.pattern})"
        return f"{self.name} = {kind}({self.name!r})  # {data}"


@dataclass(frozen=True)
class Line:
    """One step of a program: both of its forms, as text over names."""

    name: str
    row: Row
    symbolic: str
    numeric: str


def array_text(x: Any) -> str:
    """An array as source text that gives the same bits."""
    x = np.asarray(x)
    if x.size == 0:
        return f"np.zeros({x.shape}, {x.dtype.name!r})"
    return f"np.array({x.tolist()!r}, {x.dtype.name!r})"


def _names_in(text: str) -> set[str]:
    return set(re.findall(r"\b[icsv]\d+\b", text))


class Program:
    """Leaves, lines and the names of what is computed, with the NumPy value of every name."""

    def __init__(
        self,
        leaves: Sequence[Leaf],
        lines: Sequence[Line],
        outputs: Sequence[str],
        values: dict[str, Value],
    ) -> None:
        self.outputs, self.values = list(outputs), values
        needed = set(outputs)
        self.lines: list[Line] = []
        for line in reversed(lines):
            if line.name in needed:
                needed |= _names_in(line.symbolic)
                self.lines.insert(0, line)
        self.leaves = [leaf for leaf in leaves if leaf.name in needed]

    @property
    def inputs(self) -> list[Leaf]:
        return [leaf for leaf in self.leaves if leaf.kind == "input"]

    def build(self) -> dict[str, Any]:
        """The symbolic variable of each name."""
        env: dict[str, Any] = dict(_SYMBOLIC)
        for leaf in self.leaves:
            env[leaf.name] = leaf.build()
        for line in self.lines:
            env[line.name] = eval(line.symbolic, env)
        return env

    def listing(self) -> str:
        """The program as Python source: what to paste into a test."""
        expected = ", ".join(array_text(self.values[name].x) for name in self.outputs)
        return "\n".join(
            [
                *(leaf.listed() for leaf in self.leaves),
                *(f"{line.name} = {line.symbolic}  # numpy: {line.numeric}" for line in self.lines),
                f"outputs = [{', '.join(self.outputs)}]",
                f"expected = [{expected}]",
            ]
        )

    def with_outputs(self, outputs: Sequence[str]) -> Program:
        return Program(self.leaves, self.lines, outputs, self.values)

    def cut_at(self, name: str) -> Program:
        """The same, with the NumPy value of a line given as an input."""
        value = self.values[name]
        leaf = Leaf("input", name, value.x, value.pattern)
        lines = [line for line in self.lines if line.name != name]
        return Program([*self.leaves, leaf], lines, self.outputs, self.values)

    def without_constants(self) -> Program:
        leaves = [Leaf("input", leaf.name, leaf.value, leaf.pattern) for leaf in self.leaves]
        return Program(leaves, self.lines, self.outputs, self.values)


def reduced(program: Program, fails: Callable[[Program], bool]) -> Program:
    """The shortest program found that still fails: one output, and values given where they can be.

    Every value is known, so a step is taken out by giving its value instead.
    """
    for name in program.outputs:
        if fails(one := program.with_outputs([name])):
            program = one
            break
    for line in list(program.lines):
        if line in program.lines and line.name not in program.outputs:
            program = next((p for p in [program.cut_at(line.name)] if fails(p)), program)
    plain = program.without_constants()
    return plain if fails(plain) else program


class Drawing:
    """A program as it is being drawn; what the rows' makers are called with."""

    def __init__(self, seed: int, floats: bool = False) -> None:
        self._random = Random(seed)
        self._floats = floats
        self._rows = [row for row in ROWS for _ in range(row.weight)]
        self.rng = np.random.default_rng(seed)
        self.memo = ""
        self.wild = not floats and self.chance(15)  # whether infinities and NaN are among inputs
        self.values: list[Value] = []
        self.leaves: list[Leaf] = []
        self.lines: list[Line] = []
        self._new: list[tuple[Leaf, Value]] = []
        self._depths: dict[Any, int] = {}

    # ---- draws

    def below(self, n: int) -> int:
        return self._random.randrange(n)

    def chance(self, percent: int) -> bool:
        return self.below(100) < percent

    def among(self, things: Sequence[Any]) -> Any:
        return things[self.below(len(things))]

    def permutation(self, n: int) -> list[int]:
        left = list(range(n))
        return [left.pop(self.below(len(left))) for _ in range(n)]

    def length(self) -> int:
        return self.among((2, 3, 4, 1, 3, 2, 5, 0 if self.chance(25) else 1))

    def find(self, suits: Callable[[Value], bool]) -> Value | None:
        found = [v for v in self.values if suits(v)]
        return self.among(found) if found else None

    def integer(self, n: int) -> str:
        """An integer as text: written out, an input, a length, or read from data."""
        choice = self.below(10)
        if choice < 5:
            return repr(n)
        if choice == 9:
            held = [v for v in self.values if v.x.ndim == 0 and v.x.dtype.kind == "i"]
            held = [v for v in held if abs(int(v.x)) < 50]
            if held:
                v = self.among(held)
                return f"({v.name} + {n - int(v.x)})"
        if choice > 6:
            long = [v for v in self.values if v.x.ndim]
            if long:
                v = self.among(long)
                d = self.below(v.x.ndim)
                return f"({v.name}.shape[{d}] + {n - v.x.shape[d]})"
        dtype = self.among(("int64", "int32", "int8"))
        return self.leaf(dtype, (), (), np.asarray(n)).name

    # ---- leaves

    def leaf(
        self,
        dtype: str,
        shape: tuple[int, ...],
        pattern: tuple[bool, ...] | None = None,
        value: Any = None,
    ) -> Value:
        """A new input, constant or shared variable."""
        if pattern is None:
            pattern = tuple(n == 1 and self.chance(50) for n in shape)
        kind = self.among(("input",) * 6 + ("constant",) * 3 + ("shared",))
        data = np.asarray(self._data(dtype, shape) if value is None else value).astype(dtype)
        data = np.ascontiguousarray(data).reshape(shape)
        if kind == "constant":
            pattern = tuple(n == 1 for n in shape)
        name = f"{kind[0]}{len(self.leaves) + len(self._new)}"
        leaf = Leaf(kind, name, data, pattern)
        made = Value(name, [data] * _RUNS, pattern, coarseness(data.dtype))
        self._new.append((leaf, made))
        return made

    def _data(self, dtype: str, shape: tuple[int, ...]) -> Any:
        kind, rng = np.dtype(dtype).kind, self.rng
        if kind == "b":
            return rng.integers(0, 2, shape)
        if kind in "iu":
            if self.chance(15):  # the ends of the range, so that arithmetic wraps
                info = np.iinfo(dtype)
                ends = np.array([info.min, info.max, 0, 1, info.max // 2], dtype)
                return ends[rng.integers(0, 5, shape)]
            return rng.integers(0 if kind == "u" else -6, 7, shape)
        if self.chance(40):  # few bits: sums and products are exact
            return rng.integers(-24, 25, shape) / 8
        x = rng.uniform(-3, 3, shape)
        if self.wild and kind == "f":
            odd = rng.choice([np.nan, np.inf, -np.inf, 0.0, -0.0], shape)
            return np.where(rng.uniform(0, 1, shape) < 0.2, odd, x)
        return x + 1j * rng.uniform(-3, 3, shape) if kind == "c" else x

    # ---- steps

    def draw_program(self) -> Program | None:
        for _ in range(2 + self.below(3)):
            shape = tuple(self.length() for _ in range(self.below(4)))
            self.leaf(self.among(("float64", "float32", "int64", "int8", "float64")), shape)
        self._commit()
        for _ in range(_MOST_TRIES):
            if max(v.depth for v in self.values) >= DEPTH:
                break
            self._step()
        else:
            return None
        lines = [v for v in self.values if v.depth]
        outputs = {lines[-1].name, max(lines, key=lambda v: v.depth).name}
        outputs |= {self.among(lines).name for _ in range(3)}
        named = {v.name: v for v in self.values}
        return Program(self.leaves, self.lines, sorted(outputs), named)

    def _step(self) -> None:
        self._new = []
        a = self._reached()
        row = self.among(self._rows)
        if a.x.dtype.kind not in row.kinds or not row.when(a.x):
            return
        if row.family == "dot" and self.wild:
            return  # BLAS may leave out products by zero: 0 * inf is 0 or NaN
        if row.family == "data" and sum(line.row.family == "data" for line in self.lines) >= 3:
            return  # each is a stage of its own when compiled
        operands = {"a": a}
        for letter, maker in (("b", row.b), ("c", row.c)):
            if maker is not None:
                operands[letter] = maker(self, a)
        if row.family == "elementwise":
            pairs = combinations(operands.values(), 2)
            if not all(stretches(p, q) for p, q in pairs):
                return
        filled = {k: v.name for k, v in operands.items()}
        filled |= {k: maker(self, a) for k, maker in row.params.items()}
        symbolic, numeric = row.symbolic.format(**filled), row.numeric.format(**filled)
        near = {v.name: v for v in [*self.values, *(v for _, v in self._new)]}
        used = [near[name] for name in sorted(_names_in(numeric))]
        runs = self._evaluate(row, numeric, used)
        if runs is None or (self._floats and runs[0].dtype.kind != "f"):
            return
        if self.wild and (_counts_bools(row, used, runs[0]) or _cancels(row, used)):
            return
        tolerance = max([coarseness(runs[0].dtype), *(v.tolerance for v in used)])
        if not agree(runs, tolerance) or (runs[0].size == 0 and not self.chance(10)):
            return
        self._commit()
        name = f"v{len(self.lines)}"
        self.lines.append(Line(name, row, symbolic, numeric))
        made = Value(name, runs, (), tolerance)
        made.var = self._symbolic(made, symbolic)
        made.pattern = tuple(made.var.broadcastable)
        made.depth = self._depth(made.var)
        self.values.append(made)

    def _reached(self) -> Value:
        """One of the deepest values, mostly, and one that holds something."""
        full = [v for v in self.values if v.x.size or self.chance(10)] or self.values
        if self.chance(15):
            return self.among(full)
        return self.among(sorted(full, key=lambda v: v.depth)[-3:])

    def _commit(self) -> None:
        for leaf, value in self._new:
            value.var = leaf.build()
            self.leaves.append(leaf)
            self.values.append(value)
            self._depths[value.var] = 0
        self._new = []

    def _evaluate(self, row: Row, numeric: str, used: Sequence[Value]) -> list[Any] | None:
        code = compile(numeric, "<numpy form>", "eval")

        def run(i: int, ulps: float) -> Any:
            env = {v.name: self._moved(v.runs[i], ulps) for v in used}
            return np.array(eval(code, dict(NUMERIC), env))

        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            try:
                plain = run(0, 0)
                if plain.size > _MOST_ITEMS or plain.ndim > 4 or not _tame(plain, self.wild):
                    return None
                exact = row.ulps <= 1 and all(_short(v) for v in used) and _few_bits(plain)
                if row.ulps == 0 or exact or plain.dtype.kind not in "fc":
                    return [plain, *(run(i, 0) for i in range(1, _RUNS))]
                ulps = row.ulps
                return [plain, *(self._moved(run(i, ulps), ulps) for i in range(1, _RUNS))]
            except (ValueError, IndexError, TypeError, ZeroDivisionError, OverflowError):
                return None  # NumPy takes no such operands: not a program

    def _moved(self, x: Any, ulps: float) -> Any:
        """Floats, each moved at random by so many units in its last place."""
        if x.dtype.kind not in "fc" or not ulps or not x.size:
            return x
        by = ulps * float(np.finfo(x.dtype).eps)
        if x.dtype.kind == "c":
            noise = self.rng.uniform(-by, by, (2, *x.shape))
            return (x + np.abs(x) * (noise[0] + 1j * noise[1])).astype(x.dtype)
        wide = x.astype("float64")
        return (wide * (1 + self.rng.uniform(-by, by, x.shape))).astype(x.dtype)

    def _symbolic(self, made: Value, text: str) -> Any:
        env = {**_SYMBOLIC, **{v.name: v.var for v in self.values}}
        named = {v.name: v for v in [*self.values, made]}
        try:
            var = eval(text, env)
            x = made.x
            assert var.dtype == x.dtype.name, f"dtype {var.dtype}, where NumPy has {x.dtype}"
            assert var.ndim == x.ndim, f"{var.ndim} dimensions, where NumPy has {x.ndim}"
            wrong = [d for d, flag in enumerate(var.broadcastable) if flag and x.shape[d] != 1]
            assert not wrong, f"pattern {var.broadcastable} for lengths {x.shape}"
        except Exception as e:
            program = Program(self.leaves, self.lines, [made.name], named)
            for line in program.lines[:-1]:
                program = program.cut_at(line.name)
            e.add_note(f"while building\n{program.listing()}")
            raise
        return var

    def _depth(self, var: Any) -> int:
        """Nodes on the longest path to a variable."""
        known, waiting = self._depths, [var]
        while waiting:
            v = waiting[-1]
            parents = v.owner.inputs if v.owner else ()
            new = [p for p in parents if p not in known]
            if new:
                waiting += new
                continue
            known[v] = 1 + max((known[p] for p in parents), default=-1)
            waiting.pop()
        return known[var]


def agree(runs: Sequence[Any], tolerance: float) -> bool:
    """Whether the moved runs leave the value where it is: discrete ones exactly."""
    x = runs[0]
    for other in runs[1:]:
        if other.shape != x.shape:
            return False
        if x.dtype.kind not in "fc":
            if not np.array_equal(x, other):
                return False
        elif not close(other, x, tolerance / 4):
            return False
    return True


def close(got: Any, want: Any, tolerance: float) -> bool:
    """Whether floats are within a tolerance of 1 + |value|; the same where it is not finite."""
    got, want = _wide(got), _wide(want)
    rest = ~np.isfinite(want)
    if not np.array_equal(got[rest], want[rest], equal_nan=True):
        return False
    off = np.abs(got[~rest] - want[~rest])
    return bool(np.all(off <= tolerance * (1 + np.abs(want[~rest]))))


def _wide(x: Any) -> Any:
    with np.errstate(all="ignore"):  # some NaNs of float16 are signalling ones
        return x.astype("complex128" if x.dtype.kind == "c" else "float64")


def _tame(x: Any, wild: bool) -> bool:
    """Finite, of ordinary size, and not so small that XLA takes it for zero."""
    if x.dtype.kind not in "fc" or not x.size:
        return True
    if wild and x.dtype.kind == "f":
        x = x[np.isfinite(x)]
    size = np.abs(_wide(x))
    tiny = 64 * float(np.finfo(x.dtype).tiny)
    return bool(
        np.all(size < _LARGEST.get(x.dtype.name, 1e4)) and np.all((size == 0) | (size > tiny))
    )


def _cancels(row: Row, used: Sequence[Value]) -> bool:
    """Whether algebra, which has no NaN, makes 0 of a step: x * 0, or x - mean(x) of one x."""
    if "T.mul(" in row.symbolic:
        return any(v.x.size and not v.x.any() for v in used)
    spread = "T.var(" in row.symbolic or "T.std(" in row.symbolic
    return spread and any(True in v.pattern for v in used)


def _counts_bools(row: Row, used: Sequence[Value], x: Any) -> bool:
    """Whether bools become numbers: XLA takes their products with NaN for zero (test_found.py)."""
    if any(word in row.symbolic for word in ("T.eye", "T.tri(", "T.to_one_hot")):
        return True
    if row.family == "index" or any(word in row.symbolic for word in ("T.switch", "T.choose")):
        return False
    return x.dtype != bool and any(v.x.dtype == bool for v in used)


def _short(v: Value) -> bool:
    """Whether every run has the same few bits."""
    return all(np.array_equal(v.x, other) for other in v.runs[1:]) and _few_bits(v.x)


def _few_bits(x: Any) -> bool:
    if x.dtype.kind not in "fc":
        return True
    if x.dtype == "float16":
        return False
    parts = np.stack([x.real, x.imag]) if x.dtype.kind == "c" else x
    return bool(np.all(np.abs(parts) < 2**10) and np.all(parts * 2**10 == np.round(parts * 2**10)))


def _drawn(seed: int, floats: bool) -> Program | None:
    with np.errstate(all="ignore"):
        return Drawing(seed, floats).draw_program()


def programs(floats: bool = False) -> Any:
    """Programs at least ``DEPTH`` ops deep; None for the few that do not get there.

    With ``floats`` every step gives floats: gradients pass through all of them.

    Hypothesis draws the seed of each and never the same one twice. It does not draw the steps: its
    changes to what it drew before mostly give the same program again, and a program is made
    small better by giving values for steps (see `reduced`) than by drawing fewer of them.
    """
    return st.integers(0, 2**64 - 1).map(lambda seed: _drawn(seed, floats))
