"""Profiles of functions: how often each was called and how long that took, in the documented form.

Single nodes are not measured yet: ``apply_time`` and its kin are empty.
"""

from __future__ import annotations

import atexit
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TextIO

from theano._src.ground.config import config
from theano._src.ground.documented import documented_in

_started = time.perf_counter()
_to_print: list[ProfileStats] = []


@documented_in("theano.compile.profiling")
class ProfileStats:
    """Counts calls of the functions that are given it, and adds up seconds.

    Parameters
    ----------
    atexit_print : bool
        Whether to print the summary when Python ends, to ``config.profiling.destination``.
    flag_time_thunks : bool, optional
        Accepted: single nodes are not measured yet.
    **kwargs
        Further attributes, as ``message``.

    Attributes
    ----------
    fct_callcount, fct_call_time
        Calls, and their seconds; a call in which XLA compiles takes as long as that takes.
    vm_call_time
        The seconds of them in ``Function.fn``: all but the check of arguments.
    compile_time, optimizer_time, linker_time
        Seconds of ``theano.function``, in it those of rewriting, and of linking.
    nb_nodes
        The nodes of the function that was made last.
    apply_time, apply_callcount
        Empty.

    >>> import theano, theano.tensor as T
    >>> x = T.dscalar("x")
    >>> profile = theano.compile.ProfileStats(atexit_print=False, message="both")
    >>> f, g = (theano.function([x], y, profile=profile) for y in (x + 1, x * 2))
    >>> f(1) + g(2), profile.fct_callcount
    (np.float64(6.0), 2)
    """

    def __init__(
        self, atexit_print: bool = True, flag_time_thunks: bool | None = None, **kwargs: Any
    ) -> None:
        self.message: str | None = None
        self.flag_time_thunks = bool(flag_time_thunks)
        self.nb_nodes = 0
        self.compile_time = self.optimizer_time = self.validate_time = 0.0
        self.linker_time = self.import_time = 0.0
        self.reset()
        self.__dict__.update(kwargs)
        if atexit_print:
            _to_print.append(self)

    def reset(self) -> None:
        """Forget the calls so far."""
        self.fct_callcount = 0
        self.fct_call_time = self.vm_call_time = 0.0
        self.apply_time: dict[Any, float] = {}
        self.apply_callcount: dict[Any, int] = {}
        self.apply_cimpl: dict[Any, bool] = {}

    def summary(
        self, file: TextIO | None = None, n_ops_to_print: int = 20, n_apply_to_print: int = 20
    ) -> None:
        """Print what was counted, by default to stderr; how many nodes to print has no effect."""
        out = sys.stderr if file is None else file
        if not self.fct_callcount and not self.compile_time:
            print("Skipping empty Profile", file=out)
            return
        whole = self.fct_call_time
        inside = f" ({100 * self.vm_call_time / whole:.3f}%)" if whole else ""
        lines = [
            "Function profiling",
            "==================",
            f"  Message: {self.message}",
            f"  Time in {self.fct_callcount} calls to Function.__call__: {whole:e}s",
            f"  Time in Function.fn.__call__: {self.vm_call_time:e}s{inside}",
            f"  Total compile time: {self.compile_time:e}s",
            f"    Number of Apply nodes: {self.nb_nodes}",
            f"    Theano Optimizer time: {self.optimizer_time:e}s",
            f"    Theano Linker time: {self.linker_time:e}s",
            "",
            f"Time since theano import {time.perf_counter() - _started:.3f}s",
            "Single nodes are not measured yet; theano.printing.explain(f) shows what a function "
            "runs, where, and what that is estimated to take.",
        ]
        print("\n".join(lines), file=out)


def as_profile(given: Any, name: str | None) -> ProfileStats | None:
    """What ``theano.function(..., profile=given)`` counts with; None if it does not."""
    if given is None:
        given = bool(config.profile or config.print_global_stats)
    if given is False:
        return None
    if given is True:
        return ProfileStats(message=name)
    if isinstance(given, str):
        return ProfileStats(message=given)
    if hasattr(given, "fct_callcount"):
        found: ProfileStats = given
        return found
    raise TypeError(
        "profile takes None, True, False, a message or a theano.compile.ProfileStats, "
        f"got {given!r} of {type(given).__name__}"
    )


@contextmanager
def _destination() -> Iterator[TextIO]:
    match config.profiling.destination:
        case "stderr":
            yield sys.stderr
        case "stdout":
            yield sys.stdout
        case path:
            with open(path, "a", encoding="utf-8") as file:
                yield file


@atexit.register
def _print_all() -> None:
    called = [profile for profile in _to_print if profile.fct_callcount]
    if not called:
        return
    with _destination() as file:
        for profile in called:
            profile.summary(file)
