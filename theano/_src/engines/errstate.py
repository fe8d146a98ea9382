"""NumPy's error state during a call, set from the flags and restored cheaply."""

from __future__ import annotations

import contextvars
from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from theano._src.ground.config import config

_KEPT = 8  # callers' states that are remembered


@cache
def error_state() -> Any:
    """The arguments of ``np.errstate`` during a call, from the flags at the first use."""
    flags = config.numpy
    state = {"all": flags.seterr_all}
    if flags.seterr_all == "None":
        state = {}
    for name in ("divide", "over", "under", "invalid"):
        value = getattr(flags, f"seterr_{name}")
        if value != "None":
            state[name] = value
    return state


class Quiet(NamedTuple):
    """The functions and states that generated code uses to set the error state and restore it.

    ``token = enter(state if current() is usual else within())``, and ``leave(token)`` afterwards.
    """

    current: Callable[[], Any]
    usual: Any
    state: Any
    within: Callable[[], Any]
    enter: Callable[[Any], Any]
    leave: Callable[[Any], Any]


@cache
def quiet() -> Quiet:
    """A faster equivalent of ``np.errstate`` for the calls of compiled functions.

    NumPy keeps its state in a context variable, which is identified by entering ``np.errstate``.
    """
    outside = contextvars.Context()
    inside = outside.run(_changed)
    changed = [v for v in inside if inside[v] is not outside.get(v)]
    return _by_variable(changed[0]) if len(changed) == 1 else _by_errstate()


def _changed() -> contextvars.Context:
    with np.errstate(**error_state()):
        return contextvars.copy_context()


def _by_variable(var: contextvars.ContextVar[Any]) -> Quiet:
    def make_state() -> Any:
        with np.errstate(**error_state()):
            return var.get()

    fresh = contextvars.Context()
    usual, state = fresh.run(var.get), fresh.run(make_state)
    # a caller's own state may set more than the flags do: a handler, the size of buffers
    known: dict[int, tuple[Any, Any]] = {id(state): (state, state)}

    def within() -> Any:
        outer = var.get()
        result = known.get(id(outer))
        if result is None:
            if len(known) >= _KEPT:
                known.clear()
            result = known[id(outer)] = (outer, make_state())
        return result[1]

    return Quiet(var.get, usual, state, within, var.set, var.reset)


def _by_errstate() -> Quiet:
    def enter(state: Any) -> Any:
        entered = np.errstate(**error_state())
        entered.__enter__()
        return entered

    def nothing() -> None:
        return None

    return Quiet(
        nothing, None, None, nothing, enter, lambda entered: entered.__exit__(None, None, None)
    )
