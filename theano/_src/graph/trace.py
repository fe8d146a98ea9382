"""Where the user made a node: captured as code positions, turned into text only when shown."""

from __future__ import annotations

import contextlib
import linecache
import os
import sys
from collections.abc import Iterator
from types import CodeType
from typing import Any

from theano._src.ground.config import config
from theano._src.ground.documented import documented_in

Trace = tuple[tuple[CodeType, int], ...]

_HOME = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))) + os.sep
_paused = 0
_instead: Trace | None = None


def capture(depth: int = 1) -> Trace | None:
    """Positions of the innermost frames outside this package; while tracing is paused, none.

    A position is a code object and an instruction offset: holding frames would keep their
    locals alive, and finding line numbers is left until somebody looks.
    """
    if _paused:
        return _instead
    frame = sys._getframe(depth)
    limit = config.traceback.limit
    while frame is not None and frame.f_code.co_filename.startswith(_HOME):
        frame = frame.f_back  # type: ignore[assignment]
    found = []
    while frame is not None and limit != 0:
        found.append((frame.f_code, frame.f_lasti))
        frame = frame.f_back  # type: ignore[assignment]
        limit -= 1
    return tuple(found)


@contextlib.contextmanager
def paused(instead: Trace | None = None) -> Iterator[None]:
    """Nodes made inside have no trace of their own: whoever rewrites hands one on.

    With ``instead`` they get that one.
    """
    global _paused, _instead
    before = _instead
    _paused, _instead = _paused + 1, instead
    try:
        yield
    finally:
        _paused, _instead = _paused - 1, before


def line_of(code: CodeType, offset: int) -> int:
    for start, end, line in code.co_lines():
        if start <= offset < end and line is not None:
            return line
    return code.co_firstlineno


def lines(trace: Trace | None) -> list[tuple[str, int, str, str | None]]:
    """``(file, line number, function, text)`` for each position, outermost first."""
    out = []
    for code, offset in reversed(trace or ()):
        number = line_of(code, offset)
        text = linecache.getline(code.co_filename, number).strip() or None
        out.append((code.co_filename, number, code.co_name, text))
    return out


def format_trace(trace: Trace | None) -> str:
    """The trace in the form of a Python traceback."""
    out = []
    for name, number, function, text in lines(trace):
        out.append(f'  File "{name}", line {number}, in {function}\n')
        if text:
            out.append(f"    {text}\n")
    return "".join(out)


def trace_of(variable: Any) -> Trace | None:
    """The trace of the node that makes a variable, or of the variable itself if it was marked."""
    if variable.owner is not None:
        found: Trace | None = variable.owner.trace
        return found
    return None


@documented_in("theano.gof.utils")
def add_tag_trace(thing: Any, user_line: int | None = None) -> Any:
    """Note on ``thing.tag.trace`` the line that called; return ``thing``.

    >>> import theano
    >>> v = theano.gof.utils.add_tag_trace(theano.gof.Variable(theano.tensor.dscalar))
    >>> bool(v.tag.trace)
    True
    """
    found = capture(2)
    thing.tag.trace = [lines(found[:user_line] if found and user_line else found)]
    return thing
