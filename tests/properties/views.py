"""Random programs that read and write one array through chains of views, and NumPy's word on them.

A program is drawn from a seed as Python text in two forms, Theano's and NumPy's. The NumPy form is
run step by step on copies, so nothing in it shares memory, and no part of an engine takes part.
Values are small integers in every dtype: all comparisons are exact.

To drive it from elsewhere: ``check(seed)`` gives None, or the failure of that one program as
text (seed, mode, what differs, and a short Theano program that shows it); ``check_all(seeds)``
gives the failures of many, computed together, and takes a fraction of the time.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from random import Random
from typing import Any

import numpy as np

import theano
import theano.tensor as T
from tests.properties.view_programs import Leaf, Line, Program, array_text
from tests.properties.view_steps import Drawing

#: programs that one function computes in ``check_all``
TOGETHER = 20

UNREWRITTEN_XLA = "xla, nothing rewritten"

MODES: dict[str, Callable[[], Any]] = {
    "numpy": lambda: theano.Mode("numpy"),
    "numpy, nothing rewritten": lambda: theano.Mode("numpy", None),
    "xla": lambda: theano.Mode("xla"),
    UNREWRITTEN_XLA: lambda: theano.Mode("xla", None),
}

DTYPES = (
    *("float64",) * 6,
    *("float32",) * 4,
    *("int64", "int64", "int32", "int8", "uint8", "float16", "complex64", "complex128", "bool"),
)


def draw(seed: int) -> Program:
    """The program of a seed."""
    d = Drawing(Random(seed))
    dtype = d.among(DTYPES)
    for k in range(1 + d.chance(40)):
        kind = d.among(
            ("input", "input", "shared", "shared", "constant") if k else ("input", "shared")
        )
        handed = d.among(("", "", "borrow=True", "mutable=True")) if kind == "input" else ""
        value = d.data(dtype, d.shape())
        name = d.leaf(
            value, "x", kind=kind, handed=handed, strided=kind == "input" and d.chance(20)
        )
        d.values[name] = value
    wanted = 2 + d.below(7)
    for _ in range(60):
        if len(d.lines) >= wanted:
            break
        d.step()
    lines = [line.name for line in d.lines] or ["x0"]
    outputs = dict.fromkeys([lines[-1], *(d.among(lines) for _ in range(d.below(3)))])
    updates = []
    for leaf in d.leaves:
        if leaf.kind != "shared" or d.chance(20):
            continue
        alike = [
            k
            for k, v in d.values.items()
            if v.shape == leaf.value.shape and v.dtype == leaf.value.dtype and k != leaf.name
        ]
        if alike:
            updates.append((leaf.name, d.among(alike[-3:])))
    program = Program(
        seed,
        tuple(d.leaves),
        tuple(d.lines),
        tuple(outputs),
        tuple(updates),
        frozenset(k for k in outputs if d.chance(25)),
    )
    return _with_gradient(d, program).trimmed()


def _with_gradient(d: Drawing, program: Program) -> Program:
    """With the gradient of an output in an input, where NumPy can tell it exactly."""
    floats = [f for f in program.inputs if f.value.dtype.kind == "f" and f.name[0] == "x"]
    if not floats or not all(line.linear for line in program.lines) or not d.chance(35):
        return program
    leaf, of = d.among(floats), program.outputs[0]
    part = replace(program, outputs=(of,), updates=()).trimmed()
    if leaf not in part.leaves or d.values[of].dtype != leaf.value.dtype:
        return program
    x = d.values[of]
    weights = array_text((np.arange(x.size) % 5 - 2).astype(x.dtype).reshape(x.shape))
    line = Line(
        f"v{len(program.lines)}",
        f"T.grad(T.sum({of} * {weights}), {leaf.name}, disconnected_inputs='ignore')",
        f"({of} * {weights}).sum()",
        wrt=leaf.name,
    )
    lines = (*program.lines, line)
    return replace(program, lines=lines, outputs=(*program.outputs, line.name))


def run(programs: Sequence[Program], mode: str) -> list[str | None]:
    """What differs in each program, all of them computed by one function."""
    ins, outs, updates = [], [], []
    shared = []
    for program in programs:
        env = program.build()
        ins += [_in(leaf, env[leaf.name]) for leaf in program.inputs]
        outs += [_out(env[k], k in program.borrowed) for k in program.outputs]
        for s, new in program.updates:
            updates.append((env[s], T.patternbroadcast(env[new], env[s].broadcastable)))
        shared.append([env[leaf.name] for leaf in program.shared])
    f = theano.function(ins, outs, updates=updates, mode=MODES[mode](), on_unused_input="ignore")
    found: list[str | None] = [None] * len(programs)
    expected = [program.expected() for program in programs]
    kept: list[list[tuple[Any, Any]]] = [[] for _ in programs]
    for call in range(max(p.calls for p in programs)):
        given = [[_given(leaf) for leaf in p.inputs] for p in programs]
        made = iter(f(*[x for xs in given for x in xs]))
        for k, program in enumerate(programs):
            mine = [next(made) for _ in program.outputs]
            if found[k] is not None or call >= program.calls:
                continue
            state = [s.get_value(borrow=True) for s in shared[k]]
            wanted = expected[k][call]
            words = _differs(program, mine, state, wanted) or _touched(program, given[k], mine)
            words = words or _changed(kept[k])
            found[k] = f"call {call + 1}: {words}" if words else None
            kept[k] += [
                (x, x.copy())
                for x, name in zip(mine, program.outputs, strict=True)
                if name not in program.borrowed
            ]
    return found


def _in(leaf: Leaf, v: Any) -> Any:
    return theano.In(v, **{leaf.handed.split("=")[0]: True}) if leaf.handed else v


def _out(v: Any, borrowed: bool) -> Any:
    return theano.Out(v, borrow=True) if borrowed else v


def _given(leaf: Leaf) -> Any:
    if leaf.strided and leaf.value.ndim:
        return np.repeat(leaf.value[..., ::-1], 2, -1)[..., ::-2]
    return leaf.value.copy()


def _differs(program: Program, made: Any, state: Any, wanted: Any) -> str | None:
    names = [*program.outputs, *(f"{leaf.name} (state)" for leaf in program.shared)]
    for name, got, want in zip(names, [*made, *state], [*wanted[0], *wanted[1]], strict=True):
        got = np.asarray(got)
        if got.dtype != want.dtype or got.shape != want.shape:
            return f"{name} is {got.dtype} {got.shape}, NumPy has {want.dtype} {want.shape}"
        if not np.array_equal(got, want):
            return f"{name} is {got.tolist()}, NumPy has {want.tolist()}"
    return None


def _touched(program: Program, given: Sequence[Any], made: Sequence[Any]) -> str | None:
    for leaf, x in zip(program.inputs, given, strict=True):
        if leaf.handed == "mutable=True":
            continue
        if not np.array_equal(x, leaf.value):
            return f"the array given for {leaf.name} was overwritten"
        for name, out in zip(program.outputs, made, strict=True):
            if name not in program.borrowed and np.shares_memory(out, x):
                return f"{name} shares memory with the array given for {leaf.name}"
    return None


def _changed(kept: Sequence[tuple[Any, Any]]) -> str | None:
    if all(np.array_equal(x, was) for x, was in kept):
        return None
    return "an output of an earlier call was overwritten"


def trouble(program: Program, mode: str) -> str | None:
    """What is wrong with one program alone: a difference, or an exception."""
    try:
        return run([program], mode)[0]
    except Exception as e:
        return f"{type(e).__name__}: {str(e).splitlines()[0] if str(e) else ''}"


def smaller(program: Program) -> Iterator[Program]:
    """Programs that are simpler by one thing; each is a program with a meaning of its own."""
    if program.calls > 1:
        yield replace(program, calls=1)
    for line in program.lines:
        one = replace(program, outputs=(line.name,)).trimmed()
        if len(one.lines) < len(program.lines):
            yield one
    for name in program.outputs:
        if len(program.outputs) > 1:
            rest = tuple(k for k in program.outputs if k != name)
            yield replace(program, outputs=rest)
    for pair in program.updates:
        yield replace(program, updates=tuple(p for p in program.updates if p != pair))
    if program.borrowed:
        yield replace(program, borrowed=frozenset())
    env = program.evaluated({})
    for line in program.lines:
        value = env[line.name]
        if line.name not in program.outputs and not line.wrt:
            given = Leaf(line.name, value)
            lines = tuple(e for e in program.lines if e is not line)
            yield replace(program, lines=lines, leaves=(*program.leaves, given))
    updated = {s for s, _ in program.updates}
    for leaf in program.leaves:
        others = tuple(e for e in program.leaves if e is not leaf)
        if leaf.handed or leaf.strided:
            yield replace(program, leaves=(*others, replace(leaf, handed="", strided=False)))
        if leaf.kind != "input" and leaf.name not in updated:
            yield replace(program, leaves=(*others, replace(leaf, kind="input")))
        if leaf.value.ndim == 0 and leaf.name[0] == "n":
            lines = tuple(_written_out(e, leaf) for e in program.lines)
            yield replace(program, leaves=others, lines=lines)


def _written_out(line: Line, leaf: Leaf) -> Line:
    by = re.compile(rf"\b{leaf.name}\b")
    texts = (by.sub(repr(int(leaf.value)), text) for text in (line.symbolic, line.numeric))
    return replace(line, symbolic=next(texts), numeric=next(texts))


def reduced(program: Program, fails: Callable[[Program], bool]) -> Program:
    """The shortest program found that still fails."""
    again = True
    while again:
        again = False
        for other in smaller(program):
            other = other.trimmed()
            if fails(other):
                program, again = other, True
                break
    return program


def report(program: Program, mode: str) -> str:
    words = trouble(program, mode)
    return f"seed {program.seed}, {mode}: {words}\n\n{program.listing(mode)}"


def check(seed: int, modes: Sequence[str] = tuple(MODES)) -> str | None:
    """The failure of the program of one seed, as text, or None."""
    program = draw(seed)
    for mode in modes:
        if trouble(program, mode) is not None:
            return report(reduced(program, lambda p: trouble(p, mode) is not None), mode)  # noqa: B023
    return None


def check_all(
    seeds: Sequence[int], modes: Sequence[str] = tuple(MODES), together: int = TOGETHER
) -> dict[int, str]:
    """The failures of many seeds; ``together`` programs are compiled as one function."""
    failures: dict[int, str] = {}
    for first in range(0, len(seeds), together):
        some = seeds[first : first + together]
        programs = {seed: draw(seed) for seed in some}
        for mode in modes:
            try:
                found = run(list(programs.values()), mode)
                words: str | None = None
            except Exception as e:
                found, words = [""] * len(some), f"{type(e).__name__}: {e}"
            bad = [s for s, w in zip(programs, found, strict=True) if w is not None]
            alone = {s: check(s, [mode]) for s in bad if s not in failures}
            failures.update({s: text for s, text in alone.items() if text is not None})
            if bad and not any(alone.values()) and not any(s in failures for s in bad):
                told = words or next(w for w in found if w)
                failures[bad[0]] = f"seeds {list(some)}, {mode}: fail only together: {told}"
    return failures
