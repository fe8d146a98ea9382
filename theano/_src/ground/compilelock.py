"""A lock on a folder between processes, for programs that use it as documented.

The cache itself needs no lock. The operating system releases the lock when its holder ends, so a
killed process never leaves a lock behind.
"""

from __future__ import annotations

import contextlib
import logging
import os
from collections.abc import Iterator
from typing import Any

from filelock import FileLock, Timeout

from theano._src.ground.config import config
from theano._src.ground.documented import documented_in

log = logging.getLogger("theano.compilelock")

LOCK = "lock"


class _State:
    """The lock that this process holds: one folder at a time."""

    used = True
    lock: FileLock | None = None


_state = _State()


@documented_in("theano.gof.compilelock")
def get_lock(lock_dir: str | None = None, **kwargs: Any) -> None:
    """Acquire the lock of a folder; wait until its holder releases it or ends.

    The lock is reentrant: call `release_lock` as many times as `get_lock`.

    Parameters
    ----------
    lock_dir : str, optional
        The folder; ``config.compiledir`` by default.
    **kwargs
        ``max_wait``: the maximum number of seconds between two attempts, ``config.compile.wait``
        by default. ``timeout`` and ``min_wait`` are accepted and have no effect; the lock of a
        live process is never broken.

    Examples
    --------
    >>> import tempfile, os
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     get_lock(folder)
    ...     print(os.listdir(folder))
    ...     release_lock()
    ['lock']
    """
    if not _state.used:
        return
    folder = os.path.abspath(config.compiledir if lock_dir is None else lock_dir)
    path = os.path.join(folder, LOCK)
    lock = _state.lock
    if lock is None or not lock.is_locked:
        os.makedirs(folder, mode=0o700, exist_ok=True)
        # threads share the lock of their process
        lock = _state.lock = FileLock(path, mode=0o600, thread_local=False)
    elif lock.lock_file != path:
        raise ValueError(
            f"get_lock takes one folder at a time, got {folder} with the lock of "
            f"{os.path.dirname(lock.lock_file)} taken; release_lock() comes first"
        )
    try:
        lock.acquire(blocking=False)
    except Timeout:
        log.info("waiting for the lock of %s", folder)
        longest = float(kwargs.get("max_wait") or config.compile.wait)
        lock.acquire(poll_interval=min(longest, 0.05))


@documented_in("theano.gof.compilelock")
def release_lock() -> None:
    """Release the lock that `get_lock` acquired; do nothing if there is none.

    Examples
    --------
    >>> release_lock()
    """
    if _state.lock is not None:
        _state.lock.release()


@documented_in("theano.gof.compilelock")
@contextlib.contextmanager
def lock_ctx(lock_dir: str | None = None, keep_lock: bool = False, **kwargs: Any) -> Iterator[None]:
    """Context manager that holds the lock.

    Parameters
    ----------
    lock_dir : str, optional
        The folder; ``config.compiledir`` by default.
    keep_lock : bool
        Do not release the lock at the end.
    **kwargs
        As for `get_lock`.

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
    """Set whether `get_lock` has any effect in this process; the default is True.

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
    """Break the lock of ``config.compiledir``, also of another process: `get_lock` then succeeds.

    Examples
    --------
    >>> force_unlock()
    """
    with contextlib.suppress(FileNotFoundError):
        os.remove(os.path.join(config.compiledir, LOCK))
