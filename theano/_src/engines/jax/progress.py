"""Reports of long compilations: in the log, and on the terminal if configured."""

from __future__ import annotations

import contextlib
import logging
import sys
import threading
from collections.abc import Iterator
from importlib.util import find_spec
from time import perf_counter
from typing import Any

from theano._src.ground.config import config

log = logging.getLogger("theano.xla")

#: compilations from this many seconds are reported
_LONG = 0.5


#: per thread: whether calls go on while it compiles
_aside = threading.local()


def compiles_aside() -> None:
    """Mark this thread: calls do not wait for its compilations, only the end of the process."""
    _aside.here = True


def first_call(what: str, of: str, function: Any, *args: Any) -> Any:
    """Call ``function``, which traces and compiles ``what``, a part of the function ``of``."""
    start = perf_counter()
    with _status(f"compiling {what}"), _announced(of):
        result = function(*args)
    seconds = perf_counter() - start
    if seconds >= _LONG:
        log.info("%s was compiled in %.2f s", what, seconds)
        if config.xla.verbose:
            print(f"theano: {what} was compiled in {seconds:.2f} s", file=sys.stderr)
    return result


@contextlib.contextmanager
def _announced(of: str) -> Iterator[None]:
    """Print a line after some seconds of waiting, and again each time the wait has doubled."""
    first = config.xla.announce_after
    if first <= 0:
        yield
        return
    over, aside = threading.Event(), getattr(_aside, "here", False)

    def announce() -> None:
        start, pause = perf_counter(), first
        while not over.wait(pause):
            pause = perf_counter() - start
            if not aside or not threading.main_thread().is_alive():
                print(f"theano: still compiling {of}, {pause:.0f} s", file=sys.stderr, flush=True)

    threading.Thread(target=announce, name="theano-xla-announce", daemon=True).start()
    try:
        yield
    finally:
        over.set()


def _status(text: str) -> Any:
    """A moving status line, if there is a terminal and rich is installed."""
    # NOTE: a background thread must not write between the lines of the user's program
    if (
        not config.xla.verbose
        or threading.current_thread() is not threading.main_thread()
        or not sys.stderr.isatty()
        or find_spec("rich") is None
    ):
        return contextlib.nullcontext()
    from rich.console import Console

    return Console(stderr=True).status(text)
