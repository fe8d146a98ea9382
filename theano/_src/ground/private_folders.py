"""Folders that only this user can write to, because code from them is executed.

They are in ``config.compiledir``, or in a folder of the user if others can write to that.
"""

from __future__ import annotations

import contextlib
import functools
import os
import platform
import stat

from theano._src.ground.config import config
from theano._src.ground.flags import default_base_compiledir

__all__ = ["choose", "compiledirs", "make_private", "others", "processor"]


def compiledirs() -> list[str]:
    """Return ``config.compiledir``, then the private folders used if others can write to it."""
    import tempfile

    first = str(config.compiledir)
    user = getattr(os, "geteuid", lambda: "private")()
    name = os.path.basename(first)
    room = os.path.join(tempfile.gettempdir(), f"theano-{user}")
    return list(
        dict.fromkeys([first, *(os.path.join(b, name) for b in (default_base_compiledir(), room))])
    )


def choose(folder: str, make: bool = False) -> tuple[str | None, list[str]]:
    """Return the path for a folder, or None, and why the candidates before it were rejected.

    With ``make`` it is created. If that fails, the search ends: the disk is read-only or full, and
    a cache elsewhere would be a surprise.
    """
    complaints: list[str] = []
    for compiledir in compiledirs():
        path = os.path.join(compiledir, folder)
        complaint = _complaints(compiledir, path)
        if make and complaint is None:
            try:
                make_private(path)
            except OSError as e:
                return None, [*complaints, f"cannot make {path}: {e}"]
            complaint = _complaints(compiledir, path)
        if complaint is None:
            return path, complaints
        complaints.append(complaint)
    return None, complaints


def make_private(path: str) -> None:
    """Create a folder and its parents with mode 0700; makedirs sets the mode of the last only."""
    missing = []
    while path and not os.path.isdir(path):
        missing.append(path)
        above = os.path.dirname(path)
        if above == path:
            break
        path = above
    for folder in reversed(missing):
        with contextlib.suppress(FileExistsError):
            os.mkdir(folder, 0o700)
    if missing and not os.path.isdir(missing[0]):
        raise NotADirectoryError(f"{missing[0]} is not a folder")


def _complaints(compiledir: str, path: str) -> str | None:
    # anybody who can write to the parent could replace the folder
    return _complaint(path) or _complaint(compiledir, above=True)


def _complaint(path: str, above: bool = False) -> str | None:
    """Return why a folder is not private to this user; None if it is, or does not exist."""
    try:
        status = os.stat(path)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as e:
        return f"cannot look at {path}: {e}"
    if above and hasattr(os, "geteuid") and (status.st_uid == 0 or status.st_mode & stat.S_ISVTX):
        # in a folder of root, or a sticky one, nobody else can rename our folders
        allowed = status.st_mode & stat.S_ISVTX or not status.st_mode & 0o022
        return None if allowed else f"others may write to {path}"
    how = others(status)
    return None if how is None else how.format(path)


def others(result: os.stat_result) -> str | None:
    """Return how others could have written to a file, with ``{}`` for its name; or None."""
    if not hasattr(os, "geteuid"):
        return None  # Windows: the folder of the profile belongs to the user
    if result.st_uid != os.geteuid():
        return f"{{}} belongs to user {result.st_uid}"
    if result.st_mode & 0o022:
        return "others may write to {}"
    return None


@functools.cache
def processor() -> str:
    """Return a short digest of the processor's features: machines may share a home folder."""
    import hashlib

    text = platform.machine() + platform.processor()
    with contextlib.suppress(OSError), open("/proc/cpuinfo", encoding="utf-8") as file:
        # "flags" on x86, "Features" on Arm
        text = next((line for line in file if line.lower().startswith(("flags", "features"))), text)
    return hashlib.blake2b(text.encode(), digest_size=4).hexdigest()
