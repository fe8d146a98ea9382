"""Cache of shared libraries on disk, each under the digest of everything it depends on.

A library is built in a folder of its own and renamed when it is complete: processes do not wait
for each other, and a killed process leaves no invalid entry. A library that was damaged later does
not match its digest, or does not load, and is built again.
"""

from __future__ import annotations

import atexit
import contextlib
import functools
import importlib.util
import logging
import os
import re
import shutil
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from importlib.machinery import ExtensionFileLoader
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from theano._src.c_code import compiler
from theano._src.c_code.compiler import Options
from theano._src.ground import private_folders
from theano._src.ground.config import config

log = logging.getLogger("theano.c_code")

__all__ = ["FOLDER", "Kept", "all_kept", "clean_up", "clear", "imported", "library", "opened"]

T = TypeVar("T")

#: the name of the cache in the compile directory
FOLDER = "c_code"
SOURCE, LIBRARY, DIGEST = "code.cpp", "library.so", "digest"
#: prefix of folders in which a library is built or removed
_PART = "part-"
_NONE = Options()
_INCLUDED = re.compile(r'^\s*#\s*include\s*["<]([^">]+)[">]', re.M)


def library(text: str, options: Options = _NONE) -> Path:
    """Return the shared library of a C++ text, from the cache or compiled now.

    Raises
    ------
    MissingGXX, CompileError
        There is no compiler, or it rejects the text.
    """
    compiler.need_compiler(options.python)
    path = _place() / _key(text, options)
    if not _is_whole(path):
        _make(path, text, options)
    with contextlib.suppress(OSError):
        os.utime(path)  # its age counts from the last use
    return path / LIBRARY


def opened(text: str, open_with: Callable[[str], T], options: Options = _NONE) -> T:
    """Return ``open_with(path)`` of a library; a library that does not load is built again.

    >>> import ctypes
    >>> text = 'extern "C" int twice(int x) { return 2 * x; }'
    >>> opened(text, ctypes.CDLL).twice(4)
    8
    """
    for _ in range(2):
        path = library(text, options)
        try:
            return open_with(str(path))
        except (OSError, ImportError) as e:
            # damaged without a change of its digest, or removed by another process
            log.info("%s does not load, and is compiled again: %s", path, e)
        _remove(path.parent)
    return open_with(str(library(text, options)))


def imported(name: str, path: str) -> Any:
    """Import the extension module ``name`` from a library."""
    loader = ExtensionFileLoader(name, path)
    spec = importlib.util.spec_from_file_location(name, path, loader=loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module


def _key(text: str, options: Options) -> str:
    import hashlib  # not needed by `import theano`

    digest = hashlib.sha256()
    parts = [text, private_folders.processor(), *compiler.identity(options)]
    for part in (*parts, *_own_headers(text, options)):
        digest.update(part.encode() + b"\0")
    return digest.hexdigest()[:40]


def _own_headers(text: str, options: Options) -> Iterator[str]:
    """Yield the texts of included headers in ``header_dirs``: their author may change them."""
    seen: set[str] = set()
    texts = [text]
    while texts:
        for name in _INCLUDED.findall(texts.pop()):
            for folder in options.header_dirs:
                path = os.path.join(folder, name)
                if path not in seen and os.path.isfile(path):
                    seen.add(path)
                    texts.append(Path(path).read_text(encoding="utf-8", errors="replace"))
                    yield texts[-1]


def _make(path: Path, text: str, options: Options) -> None:
    """Compile ``text`` and put the library at ``path``; replace a damaged one."""
    # another process may have removed the folder by `theano-cache purge`
    private_folders.make_private(str(path.parent))
    part = Path(tempfile.mkdtemp(prefix=_PART, dir=path.parent))
    try:
        (part / SOURCE).write_text(text, encoding="utf-8")
        compiler.compile_library(str(part / SOURCE), str(part / LIBRARY), options)
        (part / DIGEST).write_text(_digest(part / LIBRARY), encoding="ascii")
        _put(part, path)
    except compiler.CompileError:
        if config.nocleanup:
            log.warning("kept what did not compile: %s", part / SOURCE)
            raise
        shutil.rmtree(part, ignore_errors=True)
        raise
    except BaseException:
        shutil.rmtree(part, ignore_errors=True)
        raise


def _put(part: Path, path: Path) -> None:
    """Rename a complete folder to ``path``; keep a complete one that is already there."""
    while True:
        try:
            os.rename(part, path)
            return
        except OSError:
            if not path.exists():
                raise
        if _is_whole(path):
            shutil.rmtree(part, ignore_errors=True)
            return
        _remove(path)


def _remove(path: Path) -> bool:
    """Remove a folder, atomically for other processes; return whether it is gone."""
    with contextlib.suppress(OSError):
        away = Path(tempfile.mkdtemp(prefix=_PART, dir=path.parent))
        with contextlib.suppress(OSError):
            os.rename(path, away / "removed")
        shutil.rmtree(away, ignore_errors=True)
    return not path.exists()


def _digest(path: Path) -> str:
    import hashlib

    return hashlib.sha256(path.read_bytes()).hexdigest()


def _is_whole(path: Path) -> bool:
    with contextlib.suppress(OSError):
        return (path / DIGEST).read_bytes() == _digest(path / LIBRARY).encode()
    return False


# location of the cache


def _place() -> Path:
    """Return the folder of libraries, which exists; warn once if it is not in ``compiledir``."""
    return Path(_place_in(str(config.compiledir)))


@functools.cache
def _place_in(compiledir: str) -> str:
    path, complaints = private_folders.choose(FOLDER, make=True)
    if path is None:
        log.warning("compiled C code is not kept: %s", "; ".join(complaints))
        path = tempfile.mkdtemp(prefix="theano-c-")
        atexit.register(shutil.rmtree, path, ignore_errors=True)
    elif complaints:
        warnings.warn(
            f"compiled C code is kept in {path}: {'; '.join(complaints)}. "
            "Set base_compiledir to a folder of your own, or chmod go-w it",
            RuntimeWarning,
            stacklevel=2,
        )
    return path


# functions of theano-cache


class Kept(NamedTuple):
    """A library in the cache: its folder, its name, its size, and the seconds since its use."""

    path: str
    program: str
    size: int
    age: float


def all_kept(folder: str) -> list[Kept]:
    """Return the libraries in a folder, the last used first."""
    results = [
        Kept(path, f"c-{os.path.basename(path)[:8]}", size, age)
        for path, size, age in _folders(folder)
        if not os.path.basename(path).startswith(_PART)
    ]
    return sorted(results, key=lambda kept: (kept.age, kept.path))


def clear(folder: str) -> list[str]:
    """Remove all libraries and leftovers; return the paths that could not be removed."""
    return [path for path, _, _ in _folders(folder) if not _remove(Path(path))]


def clean_up(folder: str, unused: float) -> list[Kept]:
    """Remove libraries that are damaged or unused for ``unused`` seconds; return them."""
    for path, _, age in _folders(folder):
        if os.path.basename(path).startswith(_PART) and age > 3600:  # its process has died
            shutil.rmtree(path, ignore_errors=True)
    return [
        kept
        for kept in all_kept(folder)
        if (kept.age > unused or not _is_whole(Path(kept.path))) and _remove(Path(kept.path))
    ]


def _folders(folder: str) -> Iterator[tuple[str, int, float]]:
    now = time.time()
    with contextlib.suppress(OSError):
        for path in sorted(os.scandir(folder), key=lambda entry: entry.name):
            with contextlib.suppress(OSError):  # removed since
                if path.is_dir(follow_symlinks=False):
                    size = sum(f.stat().st_size for f in os.scandir(path))
                    yield path.path, size, max(0.0, now - path.stat().st_mtime)
