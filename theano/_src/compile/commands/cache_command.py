"""The command ``theano-cache``: list and remove the files that are kept on disk."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict
from functools import partial
from importlib.metadata import version

from theano._src.c_code import library_cache
from theano._src.compile.debug.engine_check import FORMULAS, QUICK, Formula, check
from theano._src.engines import disk_cache
from theano._src.engines.choice.calibrate import calibrate
from theano._src.engines.jax.device import use_device
from theano._src.ground.compilelock import LOCK, force_unlock
from theano._src.ground.config import config
from theano._src.ground.private_folders import choose, make_private

__all__ = ["main"]

_HELP = """\
theano-cache                        print the folder of compiled programs
theano-cache help                   print this help
theano-cache list                   print the compiled programs, with sizes and ages
theano-cache clear                  remove the compiled programs
theano-cache cleanup                remove damaged ones, and those not used for a while
theano-cache purge                  remove the folder, and what was measured of this machine
theano-cache unlock                 break the lock of the folder
theano-cache calibrate              measure this machine, for the choice between engines
theano-cache check                  compare many calls of many formulas on XLA with NumPy
theano-cache check quick            the same in less than a minute
theano-cache basecompiledir         print the folder that the folders for each platform are in
theano-cache basecompiledir list    print those folders
theano-cache basecompiledir purge   remove those folders"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command.

    Parameters
    ----------
    arguments : sequence of str, optional
        The command-line arguments; by default those of this process.

    Returns
    -------
    int
        0, or 1 on failure.

    Examples
    --------
    >>> main(["basecompiledir"])
    /...
    0
    """
    words = tuple(sys.argv[1:] if arguments is None else arguments)
    command = _COMMANDS.get(words)
    if command is None:
        print(f"theano-cache takes one of the commands below, got {' '.join(words)!r}")
        print(_HELP)
        return 1
    return 0 if command() else 1


def _where() -> bool:
    print(config.compiledir)
    return True


def _help() -> bool:
    print(_HELP)
    return True


def _entries() -> disk_cache.Entries | None:
    """The cache that a program would use now; print why other folders are not used."""
    path, complaints = disk_cache.choose()
    for complaint in complaints:
        print(f"not used: {complaint}")
    return None if path is None else disk_cache.Entries(path)


def _libraries() -> str | None:
    """The folder of compiled C code that a program would use now."""
    return choose(library_cache.FOLDER)[0]


def _list() -> bool:
    entries, libraries = _entries(), _libraries()
    if entries is None:
        return False
    print(entries.path)
    results = [*entries.all(), *(library_cache.all_kept(libraries) if libraries else ())]
    wide = max((len(e.program) for e in results), default=0)
    for e in results:
        print(f"  {e.program:<{wide}}  {_size(e.size):>8}  used {_age(e.age)} ago")
    print(f"{_many(len(results), 'program')}, {_size(sum(e.size for e in results))}")
    return True


def _clear() -> bool:
    entries, libraries = _entries(), _libraries()
    if entries is None:
        return False
    before = [*entries.all(), *(library_cache.all_kept(libraries) if libraries else ())]
    left = [*entries.clear(), *(library_cache.clear(libraries) if libraries else ())]
    gone = [e for e in before if e.path not in set(left)]
    print(f"removed {_many(len(gone), 'program')}, {_size(sum(e.size for e in gone))}")
    return _all_gone(left)


def _clean_up() -> bool:
    entries, libraries = _entries(), _libraries()
    if entries is None:
        return False
    unused = config.cmodule.age_thresh_use
    gone = [
        *entries.clean_up(unused),
        *(library_cache.clean_up(libraries, unused) if libraries else ()),
    ]
    print(f"removed {_many(len(gone), 'program')}, {_size(sum(e.size for e in gone))}")
    return True


def _purge() -> bool:
    path, _ = disk_cache.choose()
    used = [] if path is None else [os.path.dirname(path)]
    return _all_gone(
        [left for folder in dict.fromkeys([config.compiledir, *used]) for left in _remove(folder)]
    )


def _unlock() -> bool:
    force_unlock()
    print("the folder is not locked")
    return True


def _calibrate() -> bool:
    try:
        make_private(config.compiledir)
        use_device()
        result = calibrate()
    except OSError as e:
        print(f"what was measured cannot be kept: {e}")
        return False
    for name, value in asdict(result).items():
        for kind, seconds in value.items() if isinstance(value, dict) else ((name, (value,)),):
            print(f"  {kind:<18}{' '.join(f'{s:.3g}' for s in seconds)} s")
    return True


def _check(formulas: Sequence[Formula], calls: int) -> bool:
    wrong = check(formulas, calls)
    for each in wrong:
        print(each)
    print(
        f"{len(formulas)} formulas x {calls} calls x float32 and float64 "
        f"on jaxlib {version('jaxlib')}: {len(wrong) or 'none'} wrong"
    )
    return not wrong


def _base() -> bool:
    print(config.base_compiledir)
    return True


def _base_list() -> bool:
    print(config.base_compiledir)
    for folder in _folders():
        print(f"  {os.path.relpath(folder, config.base_compiledir)}")
    return True


def _base_purge() -> bool:
    return _all_gone([left for folder in _folders() for left in _remove(folder)])


_COMMANDS: dict[tuple[str, ...], Callable[[], bool]] = {
    (): _where,
    ("help",): _help,
    ("-h",): _help,
    ("--help",): _help,
    ("list",): _list,
    ("clear",): _clear,
    ("cleanup",): _clean_up,
    ("purge",): _purge,
    ("unlock",): _unlock,
    ("calibrate",): _calibrate,
    ("check",): partial(_check, FORMULAS, 50),
    ("check", "quick"): partial(_check, QUICK, 20),
    ("basecompiledir",): _base,
    ("basecompiledir", "list"): _base_list,
    ("basecompiledir", "purge"): _base_purge,
}


# folders

_OURS = (disk_cache.FOLDER, library_cache.FOLDER, "rates.json", LOCK)


def _folders() -> list[str]:
    """The folders ``compiledir_*`` in base_compiledir, and the folder in use."""
    base = config.base_compiledir
    try:
        names = sorted(os.listdir(base))
    except OSError:
        names = []
    results = [os.path.join(base, n) for n in names if n.startswith("compiledir_")]
    if os.path.isdir(config.compiledir):
        results.append(config.compiledir)
    return [f for f in dict.fromkeys(results) if os.path.isdir(f) and not os.path.islink(f)]


def _remove(folder: str) -> list[str]:
    """Remove a folder of programs; return the paths that could not be removed.

    A folder whose name the user chose may be their home, so only our own files in it are removed.
    """
    if not os.path.isdir(folder):
        return []
    left: list[str] = []
    whole = os.path.basename(folder).startswith("compiledir_") and not os.path.islink(folder)
    for path in [folder] if whole else [os.path.join(folder, name) for name in _OURS]:
        if os.path.isdir(path) and not os.path.islink(path):
            shutil.rmtree(path, ignore_errors=True)
            if os.path.isdir(path):
                left.append(path)
        elif os.path.lexists(path):
            try:
                os.remove(path)
            except OSError:
                left.append(path)
    if not whole and not left and not os.listdir(folder):
        shutil.rmtree(folder, ignore_errors=True)
    return left


def _all_gone(left: Sequence[str]) -> bool:
    for path in left:
        print(f"could not remove {path}")
    return not left


# words


def _many(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def _size(size: int) -> str:
    """Format a size in the unit with at most three digits before the point."""
    for unit, value in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if size >= value:
            return f"{size / value:.1f} {unit}"
    return f"{size} B"


def _age(seconds: float) -> str:
    for unit, value in (("day", 86400), ("hour", 3600), ("minute", 60)):
        if seconds >= value:
            return _many(int(seconds // value), unit)
    return _many(int(seconds), "second")
