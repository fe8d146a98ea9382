"""scan for `Num`: a Python loop."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tests.properties.programs.numbers import Num, Undecided, as_num


class until:
    """The loop ends after the step in which the condition holds."""

    def __init__(self, condition: Num) -> None:
        self.condition = condition


def _sequence(given: Any) -> tuple[Num, list[int]]:
    n, taps = (given["input"], given["taps"]) if isinstance(given, dict) else (given, [0])
    # a copy: a step may change a shared variable, and reads the sequence as it was
    return Num(n.x, n.dtype, n.err, n.ones), taps


def _state(given: Any) -> tuple[Num, list[int]] | None:
    if given is None:
        return None
    n, taps = (given["initial"], given["taps"]) if isinstance(given, dict) else (given, [-1])
    n = as_num(n)
    return Num(n.x, n.dtype, n.err, n.ones), taps


def _row(n: Num, i: int) -> Num:
    return n.moved(lambda x: x[i], n.ones[1:])


def _flags(a: Num, b: Num) -> Any:
    return zip(a.x.shape, a.ones, b.ones, strict=True)


def _stacked(rows: list[Num], first: Num | None) -> Num:
    if not rows:
        if first is None:
            raise Undecided("no step says how long a row is")
        return Num(np.zeros((0, *first.x.shape), first.x.dtype), first.dtype)
    if len({r.x.shape for r in rows}) > 1:
        raise ValueError("rows of different shapes")
    err = None
    if any(r.err is not None for r in rows):
        err = np.stack([r.bound() for r in rows])
    return Num(np.stack([r.x for r in rows]), rows[0].dtype, err, (False, *rows[0].ones))


def _returned(made: Any) -> tuple[list[Num], dict[Num, Num], Num | None]:
    """Outputs, updates and the condition to stop, in whatever form a step gives them."""
    parts = made if isinstance(made, tuple) else (made,)
    outputs: list[Num] = []
    updates: dict[Num, Num] = {}
    stop = None
    for part in parts:
        if isinstance(part, until):
            stop = part.condition
        elif isinstance(part, dict):
            updates = part
        else:
            outputs = list(part) if isinstance(part, list) else [part]
    return outputs, updates, stop


def scan(
    fn: Callable[..., Any],
    sequences: Any = (),
    outputs_info: Any = (),
    non_sequences: Any = (),
    n_steps: Any = None,
    truncate_gradient: int = -1,
    go_backwards: bool = False,
    return_list: bool = True,
    strict: bool = False,
) -> tuple[list[Num], dict[Num, Num]]:
    """Apply ``fn`` along sequences; as documented, step by step."""
    read = [_sequence(s) for s in sequences]
    states = [_state(s) for s in outputs_info]
    # taps of a sequence: position t + tap, counted from the first position that all taps can read
    lengths = []
    for n, taps in read:
        lengths.append(n.x.shape[0] - max(0, *taps) + min(0, *taps))
    steps = min(lengths) if n_steps is None else int(n_steps)
    if n_steps is not None and any(length < steps for length in lengths):
        raise ValueError("a sequence is too short")
    if n_steps is not None and steps < 0:
        raise ValueError(f"{steps} steps")
    steps = max(steps, 0)
    histories: list[list[Num]] = []
    for s in states:
        if s is None:
            histories.append([])
            continue
        n, taps = s
        depth = -min(taps)
        if depth > 1 and n.x.shape[0] < depth:
            raise Undecided("a row that is missing may be one that nothing needs")
        histories.append([_row(n, i) for i in range(depth)] if depth > 1 else [n])
    starts = [len(h) for h in histories]
    held: dict[Num, tuple[Any, Any]] = {}
    for t in range(steps):
        args = []
        for n, taps in read:
            low = min(0, *taps)
            length = n.x.shape[0] - max(0, *taps) + low
            at = length - 1 - t if go_backwards else t
            args += [_row(n, at + tap - low) for tap in taps]
        for s, h in zip(states, histories, strict=True):
            if s is not None:
                args += [h[len(h) + tap] for tap in s[1]]
        outputs, updates, stop = _returned(fn(*args, *non_sequences))
        for out, h, s in zip(outputs, histories, states, strict=True):
            if s is not None and (out.dtype != h[-1].dtype or out.ndim != h[-1].ndim):
                raise TypeError("a state changes its type")
            if s is not None and out.x.shape != h[-1].x.shape:
                raise ValueError("a state changes its shape")
            if s is not None and any(m == 1 and not (p and q) for m, p, q in _flags(out, h[-1])):
                raise Undecided("whether a length is 1 by type has to be the same")
            # a copy: the output may be a shared variable, which a later step changes
            h.append(Num(out.x, out.dtype, out.err, out.ones if s is None else h[-1].ones))
        for shared, new in updates.items():
            held.setdefault(shared, (shared.x, shared.err))
            shared.x, shared.err = new.x, new.err
        if stop is not None and bool(stop.x):
            break
    after = {shared: Num(shared.x, shared.dtype, shared.err, shared.ones) for shared in held}
    for shared, (x, err) in held.items():
        shared.x, shared.err = x, err
    made = []
    for h, start, s in zip(histories, starts, states, strict=True):
        rows = h[start:]
        made.append(_stacked(rows, h[0] if s is not None else None))
    return made, after
