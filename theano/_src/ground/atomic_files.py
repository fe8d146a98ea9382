"""Files that are written whole, or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path


def write_all(files: Mapping[Path, bytes]) -> None:
    """Write files beside where they go, then rename them: a reader never sees half of one.

    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> write_all({folder / "a": b"one", folder / "b": b"two"})
    >>> sorted(p.name for p in folder.iterdir()), (folder / "b").read_bytes()
    (['a', 'b'], b'two')
    """
    parts: dict[Path, str] = {}
    try:
        for path, content in files.items():
            handle, parts[path] = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
            with os.fdopen(handle, "wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            os.chmod(parts[path], 0o666 & ~_umask())
        for path in files:
            os.replace(parts.pop(path), path)
        for folder in {path.absolute().parent for path in files}:
            flush_names(folder)
    finally:
        for part in parts.values():
            with suppress(OSError):
                os.unlink(part)


def flush_names(folder: str | os.PathLike[str]) -> None:
    """Bring what a folder says of its files to the disk; where folders cannot be opened, nothing.

    >>> flush_names(tempfile.mkdtemp())
    """
    if os.name != "posix":
        return
    entry = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(entry)
    finally:
        os.close(entry)


def _umask() -> int:
    found = os.umask(0)
    os.umask(found)
    return found
