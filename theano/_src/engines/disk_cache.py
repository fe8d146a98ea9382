"""Compiled programs on disk: a private folder of entries that are verified when read.

An entry is machine code that will run here, so it is accepted only from a file that this user alone
could have written, and only if it is complete. No lock is needed: a file gets its name when it is
complete, and two processes that compile the same program write the same entry.
"""

from __future__ import annotations

import contextlib
import logging
import os
import stat
import time
import warnings
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from theano._src.ground import private_folders
from theano._src.ground.atomic_files import PART, write_private
from theano._src.ground.config import config
from theano._src.ground.private_folders import make_private, others, processor

log = logging.getLogger("theano.xla")

__all__ = ["Entries", "Entry", "choose", "kept_entries", "open_entries"]

#: the folder of the programs of all engines
FOLDER = "xla"
_SUFFIX = "-cache"
_MAGIC = b"theano program 1\n"
_DIGEST = 32


class Entry(NamedTuple):
    """One file of a cache: its path, its program, its size in bytes, seconds since its last use."""

    path: str
    program: str
    size: int
    age: float


class Entries:
    """The entries in one folder: bytes by key.

    No method raises for the state of the disk: an entry that cannot be read is compiled again, and
    one that cannot be written is not kept.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self._warned = False

    def file(self, key: str) -> str:
        """The path of the entry of ``key``; other processors have entries of their own."""
        return os.path.join(self.path, f"{key}-{processor()}{_SUFFIX}")

    def get(self, key: str) -> bytes | None:
        path = self.file(key)
        try:
            result = _read(path)
        except FileNotFoundError:
            return None
        except OSError as e:
            self._tell(f"cannot read {path}: {e}")
            return None
        value = None if result is None else _unsealed(key, result)
        if value is None:
            log.warning("removing damaged entry %s: it is compiled again", path)
            self.remove(key)
            return None
        with contextlib.suppress(OSError):
            os.utime(path)  # its age is counted from its last use
        return value

    def remove(self, key: str) -> None:
        with contextlib.suppress(OSError):
            os.remove(self.file(key))

    def put(self, key: str, value: bytes) -> None:
        try:
            try:
                write_private(self.file(key), _sealed(key, value))
            except FileNotFoundError:
                # `theano-cache purge` in another process
                make_private(self.path)
                write_private(self.file(key), _sealed(key, value))
        except OSError as e:
            self._tell(f"cannot write to {self.path}: {e}")

    def _tell(self, text: str) -> None:
        """Log a warning, once; the program still runs."""
        if not self._warned:
            self._warned = True
            log.warning("%s; compiled programs are not kept", text)

    def all(self) -> list[Entry]:
        """All entries, the most recently used first."""
        results = [
            Entry(path, _program(path), size, age) for path, size, age in self._files(_SUFFIX)
        ]
        return sorted(results, key=lambda e: (e.age, e.path))

    def clear(self) -> list[str]:
        """Remove all entries and temporary files; return the paths that could not be removed."""
        files = [*self._files(_SUFFIX), *self._files(PART)]
        return [path for path, _, _ in files if not _removed(path)]

    def clean_up(self, unused: float) -> list[Entry]:
        """Remove damaged entries and those unused for ``unused`` seconds; return the removed."""
        for path, _, age in self._files(PART):
            if age > 3600:  # its writer died
                _removed(path)
        return [
            entry
            for entry in self.all()
            if (entry.age > unused or not _is_whole(entry.path)) and _removed(entry.path)
        ]

    def _files(self, ending: str) -> Iterator[tuple[str, int, float]]:
        now = time.time()
        names = []
        with contextlib.suppress(OSError), os.scandir(self.path) as scanned:
            names += [e.path for e in scanned if e.name.endswith(ending)]
        for path in names:
            with contextlib.suppress(OSError):  # removed since
                status = os.lstat(path)
                yield path, status.st_size, max(0.0, now - status.st_mtime)


def _program(path: str) -> str:
    """The displayed name of an entry's program: its name and the first digits of its key."""
    name, _, rest = os.path.basename(path).removesuffix(_SUFFIX).rpartition("-")
    module, _, digest = name.rpartition("-")
    return f"{module}-{digest[:8]}" if module else name or rest


def _removed(path: str) -> bool:
    try:
        os.remove(path)
    except FileNotFoundError:
        pass
    except OSError:
        return False
    return True


# the format of an entry

_NO_LINK: int = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)


def _sealed(key: str, value: bytes) -> bytes:
    import hashlib  # keeps `import theano` fast

    # the key is hashed too: an entry under another key would be another program
    return _MAGIC + hashlib.sha256(key.encode() + b"\0" + value).digest() + value


def _unsealed(key: str, data: bytes) -> bytes | None:
    """The value that was stored under ``key``, or None if the bytes are not exactly that."""
    start = len(_MAGIC) + _DIGEST
    value = data[start:]
    return value if data[:start] == _sealed(key, value)[:start] else None


def _read(path: str) -> bytes | None:
    """The bytes of a file that no other user could have written, else None."""
    # do not block on a pipe
    fd = os.open(path, os.O_RDONLY | _NO_LINK | getattr(os, "O_NONBLOCK", 0))
    with open(fd, "rb") as file:
        status = os.fstat(fd)
        if not stat.S_ISREG(status.st_mode) or others(status) is not None:
            return None
        return file.read()


def _is_whole(path: str) -> bool:
    name = os.path.basename(path).removesuffix(_SUFFIX)
    with contextlib.suppress(OSError):
        data = _read(path)
        return data is not None and _unsealed(name.rpartition("-")[0], data) is not None
    return False


# the folder


def choose(make: bool = False) -> tuple[str | None, list[str]]:
    """The folder for entries, or None, and why folders before it in the list were rejected."""
    return private_folders.choose(FOLDER, make)


def open_entries() -> Entries | None:
    """The cache of this process, or None; warns if it is not where ``config`` says."""
    path, complaints = choose(make=True)
    if path is None:
        log.warning("compiled programs are not kept: %s", "; ".join(complaints))
        return None
    if complaints:
        warnings.warn(
            f"compiled programs are kept in {path}: {'; '.join(complaints)}. "
            "Set base_compiledir to a folder of your own, or chmod go-w it",
            RuntimeWarning,
            stacklevel=2,
        )
    return Entries(path)


def kept_entries() -> Entries | None:
    """The cache that ``config`` names now, or None; each is opened once, with one warning."""
    return _opened(str(config.compiledir)) if config.xla.disk_cache else None


@cache
def _opened(compiledir: str) -> Entries | None:
    return open_entries()
