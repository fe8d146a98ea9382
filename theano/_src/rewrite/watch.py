"""Find the line at which the function of a rule returned."""

from __future__ import annotations

import inspect
import linecache
import os
import sys
from collections.abc import Callable
from typing import Any


def watched(fn: Callable[..., Any], *args: Any) -> tuple[Any, str]:
    """Return the result of ``fn(*args)`` and the source line at which it returned.

    The line is empty if the function is not written in Python. A bare return statement is shown
    with the line that ran before it.

    >>> def sign(x):
    ...     if x < 0:
    ...         return False
    ...     return True
    >>> watched(sign, -1)[0], watched(abs, -1)
    (False, (1, ''))
    """
    code = getattr(inspect.unwrap(getattr(fn, "__func__", fn)), "__code__", None)
    if code is None:
        return fn(*args), ""
    seen = [0, 0]  # the last two lines that ran

    def inside(frame: Any, event: str, arg: Any) -> Any:
        if event == "line":
            seen[0], seen[1] = seen[1], frame.f_lineno
        return inside

    def entered(frame: Any, event: str, arg: Any) -> Any:
        return inside if frame.f_code is code else None

    before = sys.gettrace()
    sys.settrace(entered)
    try:
        result = fn(*args)
    finally:
        sys.settrace(before)
    return result, _report(code.co_filename, *seen)


def _report(file: str, earlier: int, last: int) -> str:
    text = linecache.getline(file, last).strip()
    if not text:
        return ""
    if text.startswith("return") and 0 < earlier < last:
        text = f"{linecache.getline(file, earlier).strip()} {text}"
    return f"{os.path.basename(file)}:{last}: {text}"
