"""Makes a program that fails small: fewer lines, shorter arrays, plainer numbers."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from tests.properties.programs.description import Leaf, Line, Loop, Program
from tests.properties.programs.expected import expect
from tests.properties.programs.numbers import Num


def shrunk(program: Program, fails: Callable[[Program], bool], seconds: float = 60.0) -> Program:
    """The smallest program found that still fails, within a time."""
    end = time.monotonic() + seconds
    progress = True
    while progress and time.monotonic() < end:
        progress = False
        for change in _CHANGES:
            # each kind of change starts over on what it has made smaller
            again = True
            while again and time.monotonic() < end:
                again = False
                for candidate in change(program):
                    if time.monotonic() > end:
                        break
                    if _still(candidate, fails):
                        program, progress, again = candidate, True, True
                        break
    return program


def _still(program: Program, fails: Callable[[Program], bool]) -> bool:
    try:
        expect(program)
    except Exception:
        return False
    return fails(program)


def _given(program: Program, name: str) -> Leaf | None:
    """The value of a line as an input."""
    values = []
    for call in range(program.calls):
        one = replace(
            program, outputs=(name,), gradient=None, calls=call + 1, updates=program.updates
        )
        try:
            made = expect(one).calls[call]
        except Exception:
            return None
        if made.error is not None or not isinstance(made.outputs[0], Num):
            return None
        n = made.outputs[0]
        values.append(np.asarray(n.x).astype(n.dtype))
    ones = (
        expect(replace(program, outputs=(name,), gradient=None, calls=1)).calls[0].outputs[0].ones
    )
    return Leaf("input", name, tuple(values), ones)


# ---- one kind of change each: candidates, the largest change first


def _fewer_calls(program: Program) -> Iterator[Program]:
    for calls in range(1, program.calls):
        yield replace(program, calls=calls)
    if program.calls > 1:  # the last call alone
        leaves = tuple(
            replace(leaf, values=leaf.values[-1:]) if leaf.kind == "input" else leaf
            for leaf in program.leaves
        )
        yield replace(program, leaves=leaves, calls=1)


def _fewer_results(program: Program) -> Iterator[Program]:
    if program.gradient:
        yield replace(program, gradient=None).trimmed()
        for name in program.gradient.wrt:
            keep = [i for i, n in enumerate(program.gradient.wrt) if n == name]
            if len(program.gradient.wrt) > 1:
                g = replace(
                    program.gradient,
                    wrt=(name,),
                    directions=tuple(program.gradient.directions[i] for i in keep),
                )
                yield replace(program, gradient=g).trimmed()
        if program.gradient.order == 2:
            yield replace(program, gradient=replace(program.gradient, order=1)).trimmed()
        for line in program.lines:
            for t in line.targets:
                if t != program.gradient.of:
                    g = replace(program.gradient, of=t)
                    yield replace(program, gradient=g).trimmed()
    if len(program.outputs) + bool(program.gradient) + bool(program.updates) > 1:
        for name in program.outputs:
            yield replace(program, outputs=(name,)).trimmed()
            yield replace(program, outputs=tuple(n for n in program.outputs if n != name)).trimmed()
    for pair in program.updates:
        yield replace(program, updates=tuple(p for p in program.updates if p != pair)).trimmed()
    for line in program.lines:  # an earlier value instead of the last
        for t in line.targets:
            if program.outputs != (t,) and not program.gradient:
                yield replace(program, outputs=(t,)).trimmed()


def _fewer_lines(program: Program) -> Iterator[Program]:
    """A line's value given as an input, or one of its operands in its place."""
    for line in program.lines:
        if len(line.targets) == 1 and line.targets[0] not in program.outputs:
            leaf = _given(program, line.targets[0])
            if leaf is not None:
                lines = tuple(k for k in program.lines if k is not line)
                yield replace(program, leaves=(*program.leaves, leaf), lines=lines).trimmed()
    for line in program.lines:
        if isinstance(line, Line) and len(line.targets) == 1:
            for name in sorted(line.reads()):
                other = Line(line.targets, "{0}.copy()", (name,))
                if line != other:
                    yield _instead(program, line, other).trimmed()


def _instead(program: Program, old: Any, new: Any) -> Program:
    def swap(lines: tuple[Any, ...]) -> tuple[Any, ...]:
        made = []
        for line in lines:
            if line is old:
                made += [new] if new is not None else []
            elif isinstance(line, Loop):
                made.append(replace(line, body=swap(line.body)))
            else:
                made.append(line)
        return tuple(made)

    return replace(program, lines=swap(program.lines))


def _plainer_loops(program: Program) -> Iterator[Program]:
    for loop in [k for k in program.walk() if isinstance(k, Loop)]:
        for part in ("stop", "steps"):
            if getattr(loop, part) is not None:
                yield _instead(program, loop, replace(loop, **{part: None}))
        if loop.steps is not None and loop.steps not in ("1", "2"):
            yield _instead(program, loop, replace(loop, steps="2"))
        if loop.backwards:
            yield _instead(program, loop, replace(loop, backwards=False))
        if loop.truncate != -1:
            yield _instead(program, loop, replace(loop, truncate=-1))
        if loop.updates:
            yield _instead(program, loop, replace(loop, updates=()))
        for i, target in enumerate(loop.targets):
            if i and loop.states[i][0] is None:
                cut = lambda t, i=i: t[:i] + t[i + 1 :]
                less = replace(
                    loop,
                    targets=cut(loop.targets),
                    states=cut(loop.states),
                    returns=cut(loop.returns),
                )
                yield _instead(program, loop, less)
            for name in [t for k in loop.body for t in k.targets] + loop.arguments():
                if loop.returns[i] != name:
                    returns = (*loop.returns[:i], name, *loop.returns[i + 1 :])
                    yield _instead(program, loop, replace(loop, returns=returns))
            del target
        used = {n for k in loop.body for n in k.reads()}
        used |= set(" ".join([*loop.returns, loop.stop or ""]).replace("(", " ").split())
        for k in loop.body:
            if not set(k.targets) & used:
                yield _instead(program, k, None)
            elif isinstance(k, Line) and len(k.targets) == 1:
                for name in sorted(k.reads()):
                    yield _instead(program, k, Line(k.targets, "{0}.copy()", (name,)))


def _plainer_parts(program: Program) -> Iterator[Program]:
    """Simpler texts within lines: whole slices, small numbers."""
    for line in program.walk():
        if not isinstance(line, Line):
            continue
        for i, part in enumerate(line.parts):
            for other in _simpler(part):
                parts = (*line.parts[:i], other, *line.parts[i + 1 :])
                yield _instead(program, line, replace(line, parts=parts)).trimmed()


def _simpler(part: str) -> Iterator[str]:
    pieces = part.split(", ")
    if len(pieces) > 1 and "(" not in part:
        for i in range(len(pieces)):
            yield ", ".join(pieces[:i] + pieces[i + 1 :])
    for i, piece in enumerate(pieces):
        for other in (":", "0"):
            if piece != other and ":" in piece:
                yield ", ".join([*pieces[:i], other, *pieces[i + 1 :]])
        if ":" in piece:
            bits = piece.split(":")
            for j, bit in enumerate(bits):
                for less in ("", "1", "-1"):
                    if bit not in ("", less):
                        yield ", ".join(
                            [
                                *pieces[:i],
                                ":".join([*bits[:j], less, *bits[j + 1 :]]),
                                *pieces[i + 1 :],
                            ]
                        )


def _plainer_leaves(program: Program) -> Iterator[Program]:
    def with_leaf(old: Leaf, new: Leaf) -> Program:
        leaves = tuple(new if leaf is old else leaf for leaf in program.leaves)
        return replace(program, leaves=leaves)

    for leaf in program.leaves:
        if leaf.layout != "C":
            yield with_leaf(leaf, replace(leaf, layout="C"))
        if leaf.kind == "constant":
            yield with_leaf(leaf, replace(leaf, kind="input"))
        if leaf.kind == "shared" and not any(s == leaf.name for s, _ in program.updates):
            yield with_leaf(leaf, replace(leaf, kind="input"))


def _shorter(program: Program) -> Iterator[Program]:
    """A length made shorter wherever it stands."""
    lengths = sorted({n for leaf in program.leaves for v in leaf.values for n in v.shape})
    for n in reversed(lengths):
        for m in (1, 2, 3, n // 2, n - 1):
            if m < n:
                yield _with_length(program, n, m, every=True)
                for leaf in program.leaves:
                    if any(n in v.shape for v in leaf.values):
                        yield _with_length(program, n, m, every=False, only=leaf)


def _with_length(
    program: Program, n: int, m: int, every: bool, only: Leaf | None = None
) -> Program:
    def cut(v: Any) -> Any:
        return v[tuple(slice(0, m) if k == n else slice(None) for k in v.shape)].copy()

    leaves = []
    changed: dict[str, Any] = {}
    for leaf in program.leaves:
        new = leaf
        if every or leaf is only:
            new = replace(leaf, values=tuple(cut(v) for v in leaf.values))
            changed[leaf.name] = cut
        leaves.append(new)
    made = replace(program, leaves=tuple(leaves))
    if made.gradient:
        g = made.gradient
        along = [cut(d) if name in changed else d for name, d in zip(g.wrt, g.directions)]
        made = replace(made, gradient=replace(g, directions=tuple(along)))
    return made


def _plainer_numbers(program: Program) -> Iterator[Program]:
    for leaf in program.leaves:
        kind = leaf.values[0].dtype.kind
        forms: list[Any] = [lambda v: np.zeros_like(v), lambda v: np.ones_like(v)]
        if kind in "fiuc":
            forms.append(lambda v: np.arange(v.size).reshape(v.shape).astype(v.dtype))
        if kind == "f":
            forms.append(lambda v: np.round(v))
        for rank, form in enumerate(forms):
            new = tuple(form(v) for v in leaf.values)
            already = next(
                (i for i, g in enumerate(forms) if _same(leaf.values, [g(v) for v in leaf.values])),
                len(forms),
            )
            if rank < already:
                leaves = tuple(
                    replace(leaf, values=new) if other is leaf else other
                    for other in program.leaves
                )
                yield replace(program, leaves=leaves)


def _same(a: Any, b: Any) -> bool:
    return all(np.array_equal(p, q, equal_nan=p.dtype.kind in "fc") for p, q in zip(a, b))


_CHANGES = (
    _fewer_calls,
    _fewer_results,
    _fewer_lines,
    _plainer_loops,
    _plainer_parts,
    _plainer_leaves,
    _shorter,
    _plainer_numbers,
)
