"""Draws a scan: what it reads, what it carries, its step, and how it ends."""

from __future__ import annotations

from typing import Any

from tests.properties.programs.description import Loop, names_in
from tests.properties.programs.numbers import Num, kind_of


def scan(d: Any) -> Loop | None:
    """A loop over sequences or a number of steps, with states and outputs."""
    target = d.scope.new_name()
    sequences = _sequences(d)
    steps = None
    if not sequences or d.chance(15):
        shortest = min((_usable(n, t) for _, n, t in sequences), default=5)
        if shortest < 1:
            return None
        steps = d.integer(1 + d.below(min(shortest, 5)))
    states = _states(d, sequences)
    others = [d.pick() for _ in range(d.below(2))]
    others = [o for o in others if o]
    if not sequences and not states:
        return None
    p = target
    values: dict[str, Num] = {}
    for j, (_, n, taps) in enumerate(sequences):
        if not n.x.shape[0]:
            return None
        for i in range(len(taps)):
            values[f"{p}_q{j}_{i}"] = _row(n)
    for j, (_, n, taps) in enumerate(states):
        for i in range(len(taps)):
            values[f"{p}_p{j}_{i}"] = n if taps == (-1,) else _row(n)
    for j, (_, n) in enumerate(others):
        values[f"{p}_n{j}"] = n
    made = _body(d, p, values)
    if made is None:
        return None
    body, inner, fresh = made
    returns, infos = [], []
    for j, (name, n, taps) in enumerate(states):
        row = n if taps == (-1,) else _row(n)
        found = _next_state(d, p, j, row, body, inner)
        if found is None:
            return None
        returns.append(found)
        infos.append((name, taps))
    for _ in range(d.below(2) + (not states)):
        lines = [t for line in body for t in line.targets]
        returns.append(d.among(lines if lines and d.chance(75) else list(inner)))
        infos.append((None, ()))
    stop = None
    if d.chance(20):
        bools = [k for k, n in inner.items() if not n.ndim and kind_of(n.dtype) in "if"]
        if bools:
            stop = f"{d.among(bools)} > {d.among((0, 1, 3))}"
    texts = " ".join([*returns, stop or ""])
    read = names_in(texts).union(*(line.reads() for line in body)) - {name for name, _ in others}
    updates = _updates(d, read)
    backwards = bool(sequences) and d.chance(25)
    truncate = d.among((1, 2, 3)) if d.chance(12) else -1
    d._new = fresh
    return Loop(
        tuple(d.scope.new_name(i) for i in range(len(returns))),
        tuple((name, t) for name, _, t in sequences),
        tuple(infos),
        tuple(name for name, _ in others),
        tuple(body),
        tuple(returns),
        stop,
        updates,
        steps,
        backwards,
        truncate,
    )


def _row(n: Num) -> Num:
    return n.moved(lambda x: x[0], n.ones[1:])


def _usable(n: Num, taps: tuple[int, ...]) -> int:
    return int(n.x.shape[0]) - max(0, *taps, 0) + min(0, *taps, 0)


def _sequences(d: Any) -> list[tuple[str, Num, tuple[int, ...]]]:
    made = []
    for _ in range(d.among((0, 1, 1, 1, 2))):
        found = d.pick(lambda n: n.ndim > 0 and n.x.shape[0] > 0 and not n.ones[0])
        if found is None:
            continue
        taps = d.among(((0,), (0,), (0,), (-1, 0), (0, 1), (-2, 0)))
        if _usable(found[1], taps) > 0:
            made.append((*found, taps))
    return made


def _states(d: Any, sequences: Any) -> list[tuple[str, Num, tuple[int, ...]]]:
    made = []
    for _ in range(d.among((0, 1, 1, 2) if sequences else (1, 1, 2))):
        taps = d.among(((-1,), (-1,), (-1,), (-2, -1), (-3, -1), (-2,)))
        found = _last_state(d) if taps == (-1,) else _first_rows(d, -min(taps))
        if found is not None:
            made.append((*found, taps))
    return made


def _last_state(d: Any) -> tuple[str, Num] | None:
    return d.pick(lambda n: n.ndim <= 2)


def _first_rows(d: Any, depth: int) -> tuple[str, Num] | None:
    """As many rows as a state looks back."""
    found = d.pick(lambda n: n.ndim > 0 and n.x.shape[0] >= depth and not n.ones[0])
    if found is None or found[1].x.shape[0] == depth:
        return found
    name, n = found
    return f"{name}[:{depth}]", n.moved(lambda x: x[:depth], (False, *n.ones[1:]))


def _body(d: Any, prefix: str, values: dict[str, Num]) -> Any:
    """Lines of a step, drawn in a scope of their own."""
    outer, before = d.scope, list(d._new)
    scope = type(outer)(f"{prefix}_a", outer)
    scope.values |= values
    d.scope, d.depth = scope, d.depth + 1
    try:
        for _ in range(12):
            if len(scope.lines) >= 1 + d.among((0, 1, 1, 2, 3)):
                break
            d.step()
    finally:
        d.scope, d.depth = outer, d.depth - 1
    d._new = before
    return list(scope.lines), dict(scope.values), before


def _next_state(
    d: Any, prefix: str, j: int, row: Num, body: list[Any], inner: dict[str, Num]
) -> str | None:
    """What a state becomes: something of its type, or a mixture with it."""
    from_lines = [t for line in body for t in line.targets]
    fits = [
        k
        for k in [*from_lines, *inner]
        if k in inner
        and inner[k].x.shape == row.x.shape
        and inner[k].ones == row.ones
        and (kind_of(inner[k].dtype) != "c" or kind_of(row.dtype) == "c")
    ]
    own = f"{prefix}_p{j}_0"
    fits = [k for k in fits if k != own]
    others = [k for k in from_lines if kind_of(inner[k].dtype) in "biuf"]
    if fits and not (others and d.chance(15)):
        new = d.among(fits[:3])
        text = new if inner[new].dtype == row.dtype else f"{new}.astype({row.dtype!r})"
    elif others:
        # of another shape: its sum stretches over the state
        text = f"T.sum({d.among(others)}).astype({row.dtype!r})"
        return f"({own} / 2 + {text} / 8)" if kind_of(row.dtype) in "fc" else f"({own} + {text})"
    else:
        text = own
    if kind_of(row.dtype) in "fc" and d.chance(60):
        return f"({own} / 2 + {text} / 4)"
    if kind_of(row.dtype) in "iu" and d.chance(50):
        return f"({own} + {text})"
    return text if text != own else f"({own} + {own})"


def _updates(d: Any, read: set[str]) -> tuple[tuple[str, str], ...]:
    """A shared variable that every step changes; ``read`` is what steps read beside arguments.

    What is computed from it outside, and not passed as an argument, scan computes anew in each
    step. NumPy has no such names: none is read.
    """
    if d.depth or d.floats or not d.chance(15):
        return ()
    shared = [leaf for leaf in d.leaves if leaf.kind == "shared"]
    for leaf in d.shuffled(shared):
        if kind_of(leaf.dtype) in "if":
            made_of = {leaf.name}
            for line in d.scope.lines:
                if line.reads() & made_of:
                    made_of.update(line.targets)
            if (made_of - {leaf.name}) & read:
                return ()
            if leaf.dtype.startswith("int"):
                return ((leaf.name, f"{leaf.name} + 1"),)
            return ((leaf.name, f"{leaf.name} / 2"),)
    return ()
