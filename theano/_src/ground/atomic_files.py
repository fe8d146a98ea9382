"""Files that are written whole, or not at all."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from itertools import count
from typing import Any

#: a link that somebody else put there is not followed, and no byte is translated, where a system
#: would do either
_AS_IT_IS: int = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)

#: how the names of unfinished files end
PART = ".part"

_counter = count()

PathLike = str | os.PathLike[str]


def write_all(files: Mapping[Any, bytes]) -> None:
    """Write files beside where they go, then rename them: a reader never sees half of one.

    Their contents reach the disk before their names do.

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
    """Write one file for this user alone; after a loss of power it may be missing.

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
            # unique for each process, thread and call: several may write the same file
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
    """Bring what a folder says of its files to the disk; where folders cannot be opened, nothing.

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
