"""Folders that nobody but this user can write to: what is loaded from there will run.

They are in ``config.compiledir``, or in the user's own place where others may write to that.
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
    """``config.compiledir``, then the private folders used when others have access to it."""
    import tempfile

    first = str(config.compiledir)
    user = getattr(os, "geteuid", lambda: "private")()
    name = os.path.basename(first)
    room = os.path.join(tempfile.gettempdir(), f"theano-{user}")
    return list(
        dict.fromkeys([first, *(os.path.join(b, name) for b in (default_base_compiledir(), room))])
    )


def choose(folder: str, make: bool = False) -> tuple[str | None, list[str]]:
    """The place of a folder, and why those before it will not do; None if no folder will.

    With ``make`` it is made. A folder that cannot be made ends the search: the disk is read-only or
    full, and a cache elsewhere would be a surprise.
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
    """Make a folder, and those above it, for this user only: makedirs narrows the last alone."""
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
    # whoever may write to the one around it could put another folder in its place
    return _complaint(path) or _complaint(compiledir, above=True)


def _complaint(path: str, above: bool = False) -> str | None:
    """Why a folder is not this user's alone; one that is not there has nothing against it."""
    try:
        status = os.stat(path)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as e:
        return f"cannot look at {path}: {e}"
    if above and hasattr(os, "geteuid") and (status.st_uid == 0 or status.st_mode & stat.S_ISVTX):
        # in a folder of root's, or a sticky one, nobody but us can rename ours
        allowed = status.st_mode & stat.S_ISVTX or not status.st_mode & 0o022
        return None if allowed else f"others may write to {path}"
    how = others(status)
    return None if how is None else how.format(path)


def others(result: os.stat_result) -> str | None:
    """How somebody else could have written to what was found, with a place for its name."""
    if not hasattr(os, "geteuid"):
        return None  # Windows: the profile's folder is the user's
    if result.st_uid != os.geteuid():
        return f"{{}} belongs to user {result.st_uid}"
    if result.st_mode & 0o022:
        return "others may write to {}"
    return None


@functools.cache
def processor() -> str:
    """A few digits for what this processor can do: homes are shared by different machines."""
    import hashlib

    text = platform.machine() + platform.processor()
    with contextlib.suppress(OSError), open("/proc/cpuinfo", encoding="utf-8") as file:
        # x86 calls them flags, Arm features
        text = next((line for line in file if line.lower().startswith(("flags", "features"))), text)
    return hashlib.blake2b(text.encode(), digest_size=4).hexdigest()
