"""The user's line that created a node: stored as code positions, formatted when shown."""

from __future__ import annotations

import contextlib
import itertools
import linecache
import os
import sys
from collections.abc import Iterator
from contextvars import ContextVar
from types import CodeType
from typing import Any, NamedTuple

from theano._src.ground.config import config
from theano._src.ground.documented import documented_in


class SavedLine(NamedTuple):
    """A source line read from a saved graph, with the interface of a code object."""

    co_filename: str
    co_firstlineno: int
    co_name: str
    text: str | None

    def co_lines(self) -> Iterator[tuple[int, int, int | None]]:
        return iter(())


Trace = tuple[tuple[CodeType | SavedLine, int], ...]

_HOME = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))) + os.sep
# the trace of nodes that are created by the package and not by the user;
# per thread, as one thread may compile while another builds a graph
_instead: ContextVar[tuple[Trace | None] | None] = ContextVar("instead", default=None)
#: overrides ``config.compute_test_value`` meanwhile
test_values: ContextVar[str | None] = ContextVar("test_values", default=None)
#: files of program runners: a trace ends at these frames
_RUNNERS = (
    *(f"{os.sep}{package}{os.sep}" for package in ("IPython", "ipykernel", "_pytest", "pluggy")),
    f"{os.sep}doctest.py",
    "runpy",
)
#: the file with the functions that create variables for users
_FOR_USERS = os.path.join("types", "constructors.py")


def capture(depth: int = 1) -> Trace | None:
    """Return the positions of the innermost frames outside this package.

    While tracing is ``paused``, return its ``instead``. A position is a code object and an
    instruction offset: holding frames would keep their locals alive, and line numbers are
    computed only when a trace is shown.
    """
    instead = _instead.get()
    if instead is not None:
        return instead[0]
    frame = sys._getframe(depth)
    limit = config.traceback.limit
    results = []
    while frame is not None and limit != 0:
        # the user's frames may alternate with ours: scan calls the user's step function
        if not frame.f_code.co_filename.startswith(_HOME):
            results.append((frame.f_code, frame.f_lasti))
            limit -= 1
        frame = frame.f_back  # type: ignore[assignment]
    return tuple(results)


@contextlib.contextmanager
def paused(instead: Trace | None = None) -> Iterator[None]:
    """Give nodes created inside no trace, or the trace ``instead``, and no test values.

    Rewrites copy the trace of the node that they replace. Test values are computed only if
    ``config.compute_test_value_opt`` requests it for rewriting.
    """
    one = _instead.set((instead,))
    other = test_values.set(test_values.get() or "off")
    try:
        yield
    finally:
        _instead.reset(one)
        test_values.reset(other)


def line_of(code: CodeType | SavedLine, offset: int) -> int:
    for start, end, line in code.co_lines():
        if start <= offset < end and line is not None:
            return line
    return code.co_firstlineno


def called_at() -> str | None:
    """Return ``file:line`` of the innermost call outside this package."""
    frame = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith(_HOME):
        frame = frame.f_back  # type: ignore[assignment]
    if frame is None:
        return None
    name = frame.f_code.co_filename
    return f"{_cell(name) or name}:{frame.f_lineno}"


def lines(trace: Trace | None) -> list[tuple[str, int, str, str | None]]:
    """Return ``(file, line number, function, text)`` for each position, outermost first."""
    out = []
    for code, offset in reversed(trace or ()):
        number = line_of(code, offset)
        text: str | None
        if isinstance(code, SavedLine):
            text = code.text
        else:
            text = linecache.getline(code.co_filename, number).strip() or None
        out.append((code.co_filename, number, code.co_name, text))
    return out


def _of_program(trace: Trace | None) -> Trace:
    """Return the innermost positions of a trace, up to the runner of the program."""
    kept = itertools.takewhile(
        lambda at: not any(part in at[0].co_filename for part in _RUNNERS), trace or ()
    )
    return tuple(kept) or trace or ()


def _cell(filename: str) -> str | None:
    """Return IPython's name for a cell that it ran under a generated file name, or None."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    named = getattr(getattr(shell, "compile", None), "format_code_name", lambda name: None)
    result = named(filename)
    return None if result is None else " ".join(result)


def short_name(filename: str) -> str:
    """Return the name of a file without its folder, or the notebook's name for a cell.

    >>> short_name("/home/me/train.py")
    'train.py'
    """
    plain = filename if filename.startswith("<") else os.path.basename(filename)
    return _cell(filename) or plain


def format_trace(trace: Trace | None) -> str:
    """Format a trace as a Python traceback, with the notebook's names for cells.

    The frames of program runners (IPython, pytest, runpy) are left out.
    """
    out = []
    for name, number, function, text in lines(_of_program(trace)):
        cell = _cell(name)
        where = f'File "{name}"' if cell is None else cell
        out.append(f"  {where}, line {number}, in {function}\n")
        if text:
            out.append(f"    {text}\n")
    return "".join(out)


def get_variable_trace_string(v: Any) -> str:
    """Format where a variable was created, as in error messages; "" if that is not known.

    >>> import theano, theano.tensor as T
    >>> y = T.exp(T.dscalar("x"))
    >>> print(theano.gof.utils.get_variable_trace_string(y))
    <BLANKLINE>
    Backtrace when that variable is created:
    ...
    """
    result = None if v.owner is None else v.owner.trace
    text = format_trace(result or v.__dict__.get("_made_at"))
    return f"\nBacktrace when that variable is created:\n\n{text}" if text else ""


def mark_root(variable: Any) -> None:
    """Record where the user created a variable without owner.

    ``Type.__call__`` calls this. Calls from this package create outputs of nodes, which have the
    trace of their node, and are not recorded.
    """
    caller = sys._getframe(2).f_code.co_filename
    if not caller.startswith(_HOME) or caller.endswith(_FOR_USERS):
        result = capture(3)
        if result:
            variable.__dict__["_made_at"] = result


def mark_shared(variable: Any) -> None:
    """Record the user's line that created a shared variable, outside our constructors."""
    result = capture(2)
    if result:
        variable.__dict__["_made_at"] = result


def trace_of(variable: Any) -> Trace | None:
    """Return the trace of a variable's node, or its own recorded trace if it has no node."""
    if variable.owner is not None:
        trace: Trace | None = variable.owner.trace
        return trace
    result: Trace | None = variable.__dict__.get("_made_at")
    return result


@documented_in("theano.gof.utils")
def add_tag_trace(thing: Any, user_line: int | None = None) -> Any:
    """Record the caller's line in ``thing.tag.trace``; return ``thing``.

    >>> import theano
    >>> v = theano.gof.utils.add_tag_trace(theano.gof.Variable(theano.tensor.dscalar))
    >>> bool(v.tag.trace)
    True
    """
    result = capture(2)
    thing.tag.trace = [lines(result[:user_line] if result and user_line else result)]
    return thing
