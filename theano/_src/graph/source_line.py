"""The user's line that made a node: kept as code positions, formatted when shown."""

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
    """A line of a program that ran elsewhere, read from a file: what code objects tell."""

    co_filename: str
    co_firstlineno: int
    co_name: str
    text: str | None

    def co_lines(self) -> Iterator[tuple[int, int, int | None]]:
        return iter(())


Trace = tuple[tuple[CodeType | SavedLine, int], ...]

_HOME = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))) + os.sep
# what nodes get instead of a trace of their own, while somebody else than the user makes them;
# of each thread, as one may compile while another builds
_instead: ContextVar[tuple[Trace | None] | None] = ContextVar("instead", default=None)
#: what stands for ``config.compute_test_value`` meanwhile
test_values: ContextVar[str | None] = ContextVar("test_values", default=None)
#: files of what runs programs: frames from there on outwards are nobody's concern
_RUNNERS = (
    *(f"{os.sep}{package}{os.sep}" for package in ("IPython", "ipykernel", "_pytest", "pluggy")),
    f"{os.sep}doctest.py",
    "runpy",
)
#: where functions live that make variables in a user's name
_FOR_USERS = os.path.join("types", "constructors.py")


def capture(depth: int = 1) -> Trace | None:
    """Positions of the innermost frames outside this package; while tracing is paused, none.

    A position is a code object and an instruction offset: holding frames would keep their
    locals alive, and finding line numbers is left until somebody looks.
    """
    instead = _instead.get()
    if instead is not None:
        return instead[0]
    frame = sys._getframe(depth)
    limit = config.traceback.limit
    results = []
    while frame is not None and limit != 0:
        # between the user's frames may be ours: a step of scan is called from there
        if not frame.f_code.co_filename.startswith(_HOME):
            results.append((frame.f_code, frame.f_lasti))
            limit -= 1
        frame = frame.f_back  # type: ignore[assignment]
    return tuple(results)


@contextlib.contextmanager
def paused(instead: Trace | None = None) -> Iterator[None]:
    """Nodes made inside are not the user's: they have no trace and no test value of their own.

    Whoever rewrites hands a trace on; with ``instead`` they get that one. Test values are computed
    where rewriting was told to (``config.compute_test_value_opt``).
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
    """``file:line`` of the innermost call outside this package."""
    frame = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith(_HOME):
        frame = frame.f_back  # type: ignore[assignment]
    if frame is None:
        return None
    name = frame.f_code.co_filename
    return f"{_cell(name) or name}:{frame.f_lineno}"


def lines(trace: Trace | None) -> list[tuple[str, int, str, str | None]]:
    """``(file, line number, function, text)`` for each position, outermost first."""
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
    """The innermost positions of a trace, up to what runs the program."""
    kept = itertools.takewhile(
        lambda at: not any(part in at[0].co_filename for part in _RUNNERS), trace or ()
    )
    return tuple(kept) or trace or ()


def _cell(filename: str) -> str | None:
    """What IPython calls a cell that it ran under a file name of its own making, or None."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    named = getattr(getattr(shell, "compile", None), "format_code_name", lambda name: None)
    result = named(filename)
    return None if result is None else " ".join(result)


def short_name(filename: str) -> str:
    """The name of a file without its folder; of a cell of a notebook, what the notebook calls it.

    >>> short_name("/home/me/train.py")
    'train.py'
    """
    plain = filename if filename.startswith("<") else os.path.basename(filename)
    return _cell(filename) or plain


def format_trace(trace: Trace | None) -> str:
    """The trace in the form of a Python traceback; cells of a notebook are named as it names them.

    What runs the program (IPython, pytest, runpy) is left out.
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
    """Where a variable was made, as errors write it; nothing, if that is not known.

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
    """Note where a variable was made that no node computes, if a user made it.

    Called by what calls a Type: ours make the outputs of nodes so, which have their node's trace.
    """
    caller = sys._getframe(2).f_code.co_filename
    if not caller.startswith(_HOME) or caller.endswith(_FOR_USERS):
        result = capture(3)
        if result:
            variable.__dict__["_made_at"] = result


def mark_shared(variable: Any) -> None:
    """Note the user's line that made a shared variable; constructors of ours stand between."""
    result = capture(2)
    if result:
        variable.__dict__["_made_at"] = result


def trace_of(variable: Any) -> Trace | None:
    """The trace of the node that makes a variable, or of the variable itself if it was marked."""
    if variable.owner is not None:
        trace: Trace | None = variable.owner.trace
        return trace
    result: Trace | None = variable.__dict__.get("_made_at")
    return result


@documented_in("theano.gof.utils")
def add_tag_trace(thing: Any, user_line: int | None = None) -> Any:
    """Note on ``thing.tag.trace`` the line that called; return ``thing``.

    >>> import theano
    >>> v = theano.gof.utils.add_tag_trace(theano.gof.Variable(theano.tensor.dscalar))
    >>> bool(v.tag.trace)
    True
    """
    result = capture(2)
    thing.tag.trace = [lines(result[:user_line] if result and user_line else result)]
    return thing
