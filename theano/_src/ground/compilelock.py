"""The lock of a folder, between processes: documented for programs that share one.

The cache itself needs none. The operating system holds the lock: it ends with its holder, so none
is ever left behind by a process that was killed.
"""

from __future__ import annotations

import contextlib
import logging
import os
import sys
import time
from collections.abc import Iterator
from typing import Any

from theano._src.ground.config import config
from theano._src.ground.documented import documented_in

log = logging.getLogger("theano.compilelock")

__all__ = ["force_unlock", "get_lock", "lock_ctx", "release_lock", "set_lock_status"]

LOCK = "lock"


class _State:
    """What this process holds: one folder at a time, as often as it was asked for."""

    used = True
    folder: str | None = None
    file: int | None = None
    times = 0
    process = 0


_state = _State()


@documented_in("theano.gof.compilelock")
def get_lock(lock_dir: str | None = None, **kwargs: Any) -> None:
    """Take the lock of a folder, or wait until its holder gives it back or ends.

    It may be taken again by its holder, and is given back by as many `release_lock`.

    Parameters
    ----------
    lock_dir : str, optional
        The folder; ``config.compiledir`` unless given.
    **kwargs
        ``max_wait``: at most so many seconds between two attempts, ``config.compile.wait`` unless
        given. ``timeout``, ``min_wait``: taken, and without effect; the lock of a process that is
        alive is never broken.

    Examples
    --------
    >>> import tempfile, os
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     get_lock(folder)
    ...     print(os.listdir(folder))
    ...     release_lock()
    ['lock']
    """
    if _state.process != os.getpid():
        # a forked child holds nothing of what its parent does
        if _state.file is not None:
            os.close(_state.file)
        _state.file, _state.times, _state.process = None, 0, os.getpid()
    if not _state.used:
        return
    folder = os.path.abspath(config.compiledir if lock_dir is None else lock_dir)
    if _state.times and _state.folder != folder:
        raise ValueError(
            f"get_lock takes one folder at a time, got {folder} with the lock of {_state.folder} "
            "taken; release_lock() comes first"
        )
    if not _state.times:
        _state.file = _take(folder, float(kwargs.get("max_wait") or config.compile.wait))
        _state.folder = folder
    _state.times += 1


@documented_in("theano.gof.compilelock")
def release_lock() -> None:
    """Give back the lock that `get_lock` took last; without one, nothing.

    Examples
    --------
    >>> release_lock()
    """
    if _state.process != os.getpid() or not _state.times:
        return
    _state.times -= 1
    if not _state.times and _state.file is not None:
        _unlock(_state.file)
        os.close(_state.file)
        _state.file = None


@documented_in("theano.gof.compilelock")
@contextlib.contextmanager
def lock_ctx(lock_dir: str | None = None, keep_lock: bool = False, **kwargs: Any) -> Iterator[None]:
    """A block that holds the lock.

    Parameters
    ----------
    lock_dir : str, optional
        The folder; ``config.compiledir`` unless given.
    keep_lock : bool
        Do not give the lock back at the end.
    **kwargs
        As `get_lock` takes.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder, lock_ctx(folder):
    ...     pass
    """
    get_lock(lock_dir, **kwargs)
    try:
        yield
    finally:
        if not keep_lock:
            release_lock()


@documented_in("theano.gof.compilelock")
def set_lock_status(use_lock: bool) -> None:
    """Whether `get_lock` of this process does anything; it does until this is called.

    Parameters
    ----------
    use_lock : bool

    Examples
    --------
    >>> set_lock_status(True)
    """
    _state.used = bool(use_lock)


@documented_in("theano.gof.compilelock")
def force_unlock() -> None:
    """Break the lock of ``config.compiledir``, whoever holds it: the next who asks gets it.

    Examples
    --------
    >>> force_unlock()
    """
    with contextlib.suppress(FileNotFoundError):
        os.remove(os.path.join(config.compiledir, LOCK))


def _take(folder: str, longest: float) -> int:
    os.makedirs(folder, mode=0o700, exist_ok=True)
    path = os.path.join(folder, LOCK)
    told, pause = False, 0.01
    while True:
        file = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            if _locked(file) and _is(path, file):
                return file
        except BaseException:
            os.close(file)
            raise
        os.close(file)
        if not told:
            told = True
            log.info("waiting for the lock of %s", folder)
        time.sleep(min(pause, longest))
        pause *= 2


def _is(path: str, file: int) -> bool:
    """Whether the file is still the one at the path: a broken lock's is not."""
    try:
        return os.path.samestat(os.stat(path), os.fstat(file))
    except FileNotFoundError:
        return False


def _locked(file: int) -> bool:
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(file, msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        return False
    return True


def _unlock(file: int) -> None:
    if sys.platform != "win32":
        import fcntl

        # closing alone would leave it to children that were forked meanwhile
        fcntl.flock(file, fcntl.LOCK_UN)
