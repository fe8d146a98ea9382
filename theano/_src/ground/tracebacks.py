"""Short tracebacks: errors that leave the package show the user's frames, not its own.

The traceback is trimmed where the exception passes a public entry point, without a hook.
``config.exception_verbosity = 'high'`` keeps every frame.
"""

from __future__ import annotations

import sys
import warnings
from types import CodeType, FrameType, TracebackType

from theano._src.ground.lazy import ABOVE

#: the start of the file names of generated code
GENERATED = "<theano "
_HOME = __file__.rpartition("_src")[0]
#: packages that we call; their frames are hidden, but user code that they call is shown
_WORKERS = frozenset("numpy scipy jax jaxlib opt_einsum contextlib functools".split())
#: code of ours whose frames are kept for debuggers
KEPT: set[CodeType] = set()


def shorten(error: BaseException) -> None:
    """Remove the frames of this package from the tracebacks of an exception and its causes.

    Call it in an ``except`` clause that ends with a bare ``raise``, which does not add its own
    frame.

    >>> def fails():
    ...     raise ValueError("no")
    >>> try:
    ...     fails()
    ... except ValueError as error:
    ...     shorten(error)
    ...     error.__traceback__ is None  # this module is one of the package
    True
    """
    if ABOVE.get("keeps_every_frame", bool)():
        return
    seen: set[int] = set()
    each: BaseException | None = error
    while each is not None and id(each) not in seen:
        seen.add(id(each))
        each.__traceback__ = _without_ours(each.__traceback__)
        each = each.__cause__ or each.__context__


def is_ours(frame: FrameType) -> bool:
    """Whether a frame runs code of this package, or code that it generated."""
    name, file = frame.f_globals.get("__name__"), frame.f_code.co_filename
    if isinstance(name, str) and name.partition(".")[0] == "theano":
        # a user's module may have such a name, too, as tests written for Theano do
        return file.startswith((_HOME, "<"))
    return file.startswith(GENERATED)


def warn_user(text: str, category: type[Warning] = UserWarning) -> None:
    """Warn with the line of the innermost user frame.

    >>> with warnings.catch_warnings(record=True, action="always") as caught:
    ...     exec("warn_user('slow')", {"warn_user": warn_user, "__name__": "program"})
    >>> caught[0].filename
    '<string>'
    """
    level, frame = 1, sys._getframe()
    while is_ours(frame) and frame.f_back is not None:
        level, frame = level + 1, frame.f_back
    warnings.warn(text, category, stacklevel=level)


def _without_ours(tb: TracebackType | None) -> TracebackType | None:
    kept: list[TracebackType] = []
    inside = False
    while tb is not None:
        package = str(tb.tb_frame.f_globals.get("__name__")).partition(".")[0]
        inside = is_ours(tb.tb_frame) or (inside and package in _WORKERS)
        if not inside or tb.tb_frame.f_code in KEPT:
            kept.append(tb)
        tb = tb.tb_next
    return traceback_of(kept)


def traceback_of(kept: list[TracebackType]) -> TracebackType | None:
    """Return a traceback with only these frames, the outermost first."""
    type_: TracebackType | None = None
    for tb in reversed(kept):
        type_ = TracebackType(type_, tb.tb_frame, tb.tb_lasti, tb.tb_lineno)
    return type_
