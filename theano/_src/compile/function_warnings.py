"""Warnings about arguments of ``theano.function`` that are probably mistakes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from theano._src.compile.io import In, SymbolicOutput
from theano._src.graph.graph import Apply, Variable
from theano._src.graph.walk import ancestors, nodes_of
from theano._src.ground.tracebacks import warn_user

Pairs = Sequence[tuple[Any, Any]]


def warn_of_unused_givens(
    params: list[In], outputs: list[SymbolicOutput], updates: Pairs, givens: Pairs
) -> None:
    """Warn about variables in givens that no output, update or other given depends on."""
    ends = [o.variable for o in outputs] + [s.update for s in params if s.update is not None]
    ends += [v for pair in (*updates, *givens) for v in pair[1:]]
    known = set(ancestors([v for v in ends if isinstance(v, Variable)]))
    defaults = [getattr(v, "default_update", None) for v in known]
    known.update(ancestors([v for v in defaults if isinstance(v, Variable)]))
    unused = [str(old) for old, _ in givens if isinstance(old, Variable) and old not in known]
    if unused:
        warn_user(
            f"givens replaces {', '.join(unused)}, which nothing in this function depends on; "
            "leave it out, or see whether it is another variable of that name. "
            "on_unused_input='ignore' silences this"
        )


def warn_of_lost_updates(
    outputs: list[SymbolicOutput], new: dict[Any, Any], explicit: dict[Any, Any], without: Any
) -> None:
    """Warn about loops whose updates of shared variables the function does not store."""
    missing: dict[str, None] = {}
    for node in nodes_of([*(o.variable for o in outputs), *new.values()]):
        for v in _changed_by(node):
            kept = without is True or (without is not False and v in without)
            by_loop = v in new and v in _changed_by(new[v].owner)
            if not (kept or by_loop or v in explicit):
                missing[v.name or f"a {v.type}"] = None
    if missing:
        warn_user(
            f"A scan changes shared variables ({', '.join(missing)}), and the function does not "
            "keep "
            "what they become: random numbers repeat at the next call. Write `outputs, updates = "
            "theano.scan(...)` and theano.function(..., updates=updates); with "
            "no_default_updates=True it is meant so"
        )


def _changed_by(node: Apply | None) -> Sequence[Any]:
    """The shared variables that a loop changes."""
    return getattr(getattr(node, "_tag", None), "scan_updates", ())
