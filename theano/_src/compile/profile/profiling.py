"""Profiles of functions: the time of calls, nodes, programs, lines and rewriting."""

from __future__ import annotations

import atexit
import os
import sys
import time
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from copy import copy
from typing import Any, TextIO

import numpy as np

from theano._src.compile.profile.figures import Figures
from theano._src.compile.profile.flame import flame
from theano._src.compile.profile.html import as_html
from theano._src.compile.profile.memory import memory_table
from theano._src.compile.profile.node_rows import (
    Row,
    by_class,
    by_op,
    merged,
    opened,
    total,
)
from theano._src.compile.profile.rewriting import rewriting_table
from theano._src.compile.profile.tables import (
    cut,
    line_table,
    merged_table,
    node_table,
    program_table,
)
from theano._src.compile.profile.trace import trace_events, write_trace
from theano._src.engines.node_times import NodeTimes
from theano._src.engines.numpy.inside_times import look_inside
from theano._src.ground.config import config
from theano._src.ground.documented import documented_in
from theano._src.rewrite.passes import Report
from theano._src.show.debugprint import debugprint

_started = time.perf_counter()
_to_print: list[ProfileStats] = []
#: profiles that only count for the totals of ``config.print_global_stats``
_counted: list[ProfileStats] = []
#: the number of calls whose begin and end are kept for traces
_CALLS = 1000

#: figures that add up over functions
_FIGURES = (
    "fct_callcount",
    "fct_call_time",
    "vm_call_time",
    "compile_time",
    "optimizer_time",
    "validate_time",
    "linker_time",
    "nb_nodes",
    "_imported_before",
    "_xla_before",
)


@documented_in("theano.compile.profiling")
class ProfileStats(Figures):
    """The times of calls of functions; several functions may share one profile.

    On NumPy each node is timed. A compiled XLA program is timed as a whole, and its time is divided
    among its nodes in proportion to a separate run of each node; ``summary`` notes where.

    Parameters
    ----------
    atexit_print : bool
        Whether to print the summary when Python exits, to ``config.profiling.destination``.
    flag_time_thunks : bool, optional
        Whether to time single nodes; by default ``config.profiling.time_thunks``.
    gpu_checks : bool
        Accepted and ignored: timing a device needs no settings.
    **kwargs
        Further attributes, such as ``message``.

    Attributes
    ----------
    fct_callcount, fct_call_time
        The number of calls and their seconds, without compilation in calls and measuring itself.
    vm_call_time
        The part of these seconds in ``Function.fn``: everything but the checks of arguments.
    apply_time, apply_callcount, apply_cimpl
        For each Apply node: its seconds, its runs, and whether it ran in NumPy's loops or on XLA,
        not in Python.
    compile_time, optimizer_time, validate_time, linker_time
        Seconds of compiling functions; rewriting, validating and linking are parts of it.
    xla_time, import_time
        Seconds of XLA compilation and of loading jax, within calls.
    nb_nodes
        The number of nodes of the functions.
    rewritings
        The reports of rewriting each function, if ``config.profile_optimizer`` is set.

    >>> import theano, theano.tensor as T
    >>> x = T.dvector("x")
    >>> profile = theano.compile.ProfileStats(atexit_print=False, message="both")
    >>> f, g = (theano.function([x], y, profile=profile) for y in (T.exp(x), T.tanh(x)))
    >>> _ = f([1, 2]), f([1, 2]), g([3])
    >>> profile.fct_callcount
    3
    >>> [(str(node), n) for node, n in profile.apply_callcount.items()]
    [('Elemwise{exp,no_inplace}(x)', 2), ('Elemwise{tanh,no_inplace}(x)', 1)]
    """

    def __init__(
        self,
        atexit_print: bool = True,
        flag_time_thunks: bool | None = None,
        gpu_checks: bool = True,
        **kwargs: Any,
    ) -> None:
        self.message: str | None = None
        wanted = config.profiling.time_thunks if flag_time_thunks is None else flag_time_thunks
        self.flag_time_thunks = bool(wanted)
        self.nb_nodes = 0
        self.compile_time = self.optimizer_time = self.validate_time = 0.0
        self.linker_time = self._imported_before = self._xla_before = 0.0
        self.rewritings: list[Report] = []
        self._times: list[NodeTimes] = []
        #: rows and events without their nodes, from a profile that was pickled, or a sum with one
        self._kept: list[Row] = []
        self._kept_events: list[dict[str, Any]] = []
        self._own = [0.0]
        self._ignore = bool(config.profiling.ignore_first_call)
        self.reset()
        self.__dict__.update(kwargs)
        if atexit_print:
            _to_print.append(self)

    def reset(self) -> None:
        """Forget the calls so far."""
        self.fct_callcount = 0
        self.fct_call_time = self.vm_call_time = 0.0
        self._not_calls = 0.0
        self._calls: deque[tuple[str | None, float, float]] = deque(maxlen=_CALLS)
        self._kept, self._kept_events = [], []
        for times in self._times:
            times.reset()

    # called by functions and engines

    def times_for(self, fgraph: Any, order: Sequence[Any]) -> NodeTimes | None:
        """Return the NodeTimes that an engine fills for a function; None if nodes are not timed."""
        if not self.flag_time_thunks:
            return None
        times = NodeTimes(fgraph, order, self._own)
        times.look_inside = look_inside
        self._times.append(times)
        return times

    def ran(self, begin: float, end: float) -> None:
        """Record that a function ran its graph between two times of ``time.perf_counter``."""
        self._not_calls, self._own[0] = self._own[0], 0.0
        self.vm_call_time += end - begin - self._not_calls
        for times in self._times:
            times.ended()

    def called(self, begin: float, end: float) -> None:
        """Record a call of a function between two times of ``time.perf_counter``."""
        self.fct_call_time += end - begin - self._not_calls
        self._not_calls = 0.0
        self.fct_callcount += 1
        self._calls.append((self.message, begin, end))
        if self._ignore:
            self._ignore = False
            self.reset()

    # figures

    @property
    def xla_time(self) -> float:
        """Seconds that XLA compilation took in calls."""
        return self._xla_before + sum(times.compiling for times in self._times)

    @property
    def import_time(self) -> float:
        """Seconds that loading jax took in calls."""
        return self._imported_before + sum(times.loading for times in self._times)

    # texts

    def summary(
        self,
        file: TextIO | None = None,
        n_ops_to_print: int | None = None,
        n_apply_to_print: int | None = None,
    ) -> None:
        """Print all sections of the profile, by default to stderr.

        Parameters
        ----------
        file : file-like, optional
        n_ops_to_print, n_apply_to_print : int, optional
            Numbers of rows; by default ``config.profiling.n_ops`` and ``config.profiling.n_apply``.
        """
        out = sys.stderr if file is None else file
        if not self.fct_callcount and not self.compile_time:
            print("Skipping empty Profile", file=out)
            return
        n_ops = config.profiling.n_ops if n_ops_to_print is None else n_ops_to_print
        n_apply = config.profiling.n_apply if n_apply_to_print is None else n_apply_to_print
        self.summary_function(out)
        self.summary_globals(out)
        if self.rows():
            self.summary_class(out, n_ops)
            self.summary_ops(out, n_ops)
            self.summary_nodes(out, n_apply)
            self.summary_lines(out, n_apply)
            self.summary_programs(out)
        elif self.fct_callcount:
            why = (
                "their linker runs them in its own way"
                if self.flag_time_thunks
                else "profiling.time_thunks is False"
            )
            print(f"Single nodes are not timed: {why}.\n", file=out)
        if config.profile_memory:
            self.summary_memory(out, n_apply)
        if self.rewritings:
            self.summary_rewriting(out, n_ops)
        if config.profiling.debugprint:
            for times in self._times:
                debugprint(times.fgraph, file=out)

    def summary_function(self, file: TextIO) -> None:
        """Print the number and time of the calls, and the time of compilation."""
        whole, inside, nodes = self.fct_call_time, self.vm_call_time, total(self.rows())
        lines = [
            "Function profiling",
            "==================",
            f"  Message: {self.message}",
            f"  Time in {self.fct_callcount} calls to Function.__call__: {whole:e}s",
            f"  Time in Function.fn.__call__: {inside:e}s{_of(inside, whole)}",
        ]
        if nodes:
            lines.append(f"  Time in thunks: {nodes:e}s{_of(nodes, whole)}")
        xla = self.xla_time
        compiling = xla + self.import_time
        lines += [
            f"  Total compile time: {self.compile_time + compiling:e}s",
            f"    Number of Apply nodes: {self.nb_nodes}",
            f"    Theano Optimizer time: {self.optimizer_time:e}s",
            f"       Theano validate time: {self.validate_time:e}s",
            "    Theano Linker time (includes C, CUDA code generation/compiling): "
            f"{self.linker_time + compiling:e}s",
        ]
        if self.import_time:
            lines.append(f"       Import time of jax, in calls: {self.import_time:e}s")
        if xla:
            lines.append(f"       XLA compile time, in calls: {xla:e}s")
        self._print([*lines, ""], file)

    def summary_globals(self, file: TextIO) -> None:
        """Print the time since theano was imported."""
        print(f"Time since theano import {time.perf_counter() - _started:.3f}s", file=file)

    def summary_class(self, file: TextIO, N: int | None = None) -> None:
        """Print the table of classes of ops."""
        n = config.profiling.n_ops if N is None else N
        rows = merged(self.rows(), by_class)
        self._print(merged_table("Class", "Class", "Classes", rows, n), file)

    def summary_ops(self, file: TextIO, N: int | None = None) -> None:
        """Print the table of ops."""
        n = config.profiling.n_ops if N is None else N
        self._print(merged_table("Ops", "Op", "Ops", merged(self.rows(), by_op), n), file)

    def summary_nodes(self, file: TextIO, N: int | None = None) -> None:
        """Print the table of Apply nodes."""
        self._print(node_table(self.rows(), config.profiling.n_apply if N is None else N), file)

    def summary_lines(self, file: TextIO, N: int | None = None) -> None:
        """Print the table of the user's lines."""
        n = config.profiling.n_apply if N is None else N
        self._print(line_table(self.rows(), n), file)

    def summary_programs(self, file: TextIO) -> None:
        """Print the table of compiled programs; nothing if XLA compiled none."""
        self._print(program_table(self._times), file)

    def summary_memory(self, file: TextIO, N: int | None = None) -> None:
        """Print the memory of the results of nodes, and its peak."""
        n = config.profiling.n_apply if N is None else N
        least, search = config.profiling.min_memory_size, config.profiling.min_peak_memory
        self._print(memory_table(self._times, n, least, search), file)

    def summary_rewriting(self, file: TextIO, N: int | None = None) -> None:
        """Print the time of passes and rules."""
        n = config.profiling.n_ops if N is None else N
        self._print(rewriting_table(self.rewritings, n), file)

    def _print(self, lines: Iterable[str], file: TextIO) -> None:
        for line in cut(list(lines), config.profiling.output_line_width):
            print(line, file=file)

    # pictures

    def trace(self, path: str | os.PathLike[str]) -> None:
        """Write the last calls as a trace for chrome://tracing and ui.perfetto.dev.

        Parameters
        ----------
        path : path
            The JSON file to write.

        >>> import json, tempfile, theano, theano.tensor as T
        >>> x = T.dvector("x")
        >>> f = theano.function([x], T.exp(x), profile=theano.compile.ProfileStats(False))
        >>> _ = f([1, 2])
        >>> with tempfile.NamedTemporaryFile("r") as file:
        ...     f.profile.trace(file.name)
        ...     [event["cat"] for event in json.load(file)["traceEvents"] if event["ph"] == "X"]
        ['call', 'node']
        """
        write_trace(self.events(), path)

    def events(self) -> list[dict[str, Any]]:
        """Return the events of ``trace``: calls, programs and nodes, in microseconds."""
        return [*self._kept_events, *trace_events(self._times, list(self._calls))]

    def flame(self, path: str | os.PathLike[str] | None = None, width: int = 960) -> str:
        """Draw the time by line of the user's program, as SVG.

        Parameters
        ----------
        path : path, optional
            The file to write.
        width : int
            The width in pixels.

        >>> import theano, theano.tensor as T
        >>> x = T.dvector("x")
        >>> f = theano.function([x], T.exp(x), profile=theano.compile.ProfileStats(False))
        >>> _ = f([1, 2])
        >>> f.profile.flame().startswith("<svg")
        True
        """
        title = f"{self.message or 'Time by line'}: {self.fct_callcount} calls"
        text = flame(opened(self.rows()), title, width)
        if path is not None:
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
        return text

    def _repr_html_(self) -> str:
        figures = [
            ("calls", str(self.fct_callcount)),
            ("time in calls", f"{self.fct_call_time:.3g} s"),
            ("time in nodes", f"{total(self.rows()):.3g} s"),
            ("compile time", f"{self.compile_time + self.xla_time:.3g} s"),
        ]
        return as_html(self.message or "profile", figures, self.rows(), config.profiling.n_apply)

    # copies

    def __add__(self, other: ProfileStats) -> ProfileStats:
        """Return the sum of two profiles."""
        stats = ProfileStats(atexit_print=False, flag_time_thunks=self.flag_time_thunks)
        for name in _FIGURES:
            setattr(stats, name, getattr(self, name) + getattr(other, name))
        stats._times = [*self._times, *other._times]
        stats._kept = [*self._kept, *other._kept]
        stats._kept_events = [*self._kept_events, *other._kept_events]
        stats._calls.extend([*self._calls, *other._calls])
        stats.rewritings = [*self.rewritings, *other.rewritings]
        return stats

    def __getstate__(self) -> dict[str, Any]:
        """Return figures, rows and events; a pickle has names instead of nodes."""
        state = dict(self.__dict__)
        state["_xla_before"], state["_imported_before"] = self.xla_time, self.import_time
        state["_kept"] = [row.plain() for row in self._in_order()]
        state["_kept_events"] = self.events()
        state["_times"] = []
        state["_calls"] = deque(maxlen=_CALLS)
        state["rewritings"] = [copy(report) for report in self.rewritings]
        for report in state["rewritings"]:
            report.trace = None
        return state


def _of(part: float, whole: float) -> str:
    return f" ({100 * part / whole:.3f}%)" if whole else ""


def as_profile(given: Any, name: str | None, mode: Any = None) -> ProfileStats | None:
    """The profile for ``theano.function(..., profile=given)``; None if it is not profiled."""
    if given is None and (of_mode := getattr(mode, "profile_for", None)) is not None:
        stats: ProfileStats = of_mode(name)
        return stats
    if given is None:
        given = bool(config.profile)
        if not given and config.print_global_stats:
            counted = ProfileStats(atexit_print=False, flag_time_thunks=False, message=name)
            _counted.append(counted)
            return counted
    if isinstance(given, str):
        return ProfileStats(message=given)
    if isinstance(given, ProfileStats):
        return given
    # also 0 and 1, as some programs keep their options in dicts of numbers
    if isinstance(given, (int, np.bool_)) and given in (0, 1):
        return ProfileStats(message=name) if given else None
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


@documented_in("theano.compile.profiling")
def print_global_stats() -> None:
    """Print the total times of all profiled functions; called at exit if the flag is set.

    >>> import theano
    >>> theano.compile.profiling.print_global_stats  # theano.config.print_global_stats = True
    <function print_global_stats at ...>
    """
    profiles = [*_to_print, *_counted]
    since = time.perf_counter() - _started
    spent = sum(p.fct_call_time for p in profiles)
    result = sum(p.compile_time + p.xla_time for p in profiles)
    calls = sum(p.fct_callcount for p in profiles)
    lines = [
        "Global stats",
        "============",
        f"  Time since theano import: {since:.3f}s",
        f"  Time in {calls} calls of {len(profiles)} functions: {spent:.3f}s{_of(spent, since)}",
        f"  Time to compile them: {result:.3f}s{_of(result, since)}",
        f"  Time elsewhere: {since - spent - result:.3f}s{_of(since - spent - result, since)}",
    ]
    with _destination() as file:
        print("\n".join(lines), file=file)


@atexit.register
def _print_all() -> None:
    called = [profile for profile in _to_print if profile.fct_callcount]
    if called:
        with _destination() as file:
            for profile in called:
                profile.summary(file)
            if len(called) > 1:
                whole = sum(called[1:], start=called[0])
                whole.message = "Sum of all printed profiles at exit"
                whole.summary(file)
    if config.print_global_stats:
        print_global_stats()
