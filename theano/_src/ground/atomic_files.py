"""Atomic file writes: a file is written completely or not at all."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from itertools import count
from typing import Any

#: do not follow symbolic links (Unix), and do not translate line ends (Windows)
_AS_IT_IS: int = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)

#: suffix of unfinished files
PART = ".part"

_counter = count()

PathLike = str | os.PathLike[str]


def write_all(files: Mapping[Any, bytes]) -> None:
    """Write temporary files in the same folders, then rename them: readers see whole files only.

    The contents reach the disk before the names do.

    >>> import tempfile, pathlib
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> write_all({folder / "a": b"one", folder / "b": b"two"})
    >>> sorted(p.name for p in folder.iterdir()), (folder / "b").read_bytes()
    (['a', 'b'], b'two')
    """
    _write(files, 0o666, durable=True)
    for folder in {os.path.dirname(os.path.abspath(path)) for path in files}:
        flush_names(folder)


def write_private(path: PathLike, content: bytes) -> None:
    """Write one file that only this user can access; it may be missing after a power failure.

    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "a"
    >>> write_private(path, b"one")
    >>> path.read_bytes()
    b'one'
    """
    _write({path: content}, 0o600, durable=False)


def _write(files: Mapping[Any, bytes], mode: int, durable: bool) -> None:
    parts: dict[Any, str] = {}
    try:
        for path, content in files.items():
            folder, name = os.path.split(os.fspath(path))
            # unique per process, thread and call: several may write the same file
            unique = f"{os.getpid()}-{threading.get_ident()}-{next(_counter)}-{time.time_ns()}"
            part = os.path.join(folder, f".{name[-64:]}.{unique}{PART}")
            handle = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _AS_IT_IS, mode)
            parts[path] = part
            with open(handle, "wb") as file:
                file.write(content)
                if durable:
                    file.flush()
                    os.fsync(file.fileno())
        for path in files:
            os.replace(parts[path], path)
            del parts[path]
    finally:
        for part in parts.values():
            with suppress(OSError):
                os.unlink(part)


def flush_names(folder: PathLike) -> None:
    """Flush the entries of a folder to the disk; does nothing on systems other than POSIX.

    >>> import tempfile
    >>> flush_names(tempfile.mkdtemp())
    """
    if os.name != "posix":
        return
    entry = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(entry)
    finally:
        os.close(entry)
