"""Run a program as ``python PROGRAM`` does, with old packages enabled."""

from __future__ import annotations

import os
import runpy
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from types import ModuleType, TracebackType

from theano._src.ground.old_packages.hook import (
    compile_file,
    converted,
    enable,
    python2_files,
)
from theano._src.ground.tracebacks import traceback_of

__all__ = ["run_program"]

_USAGE = """\
python -m theano run [--python2] PROGRAM [ARGUMENTS]
python -m theano run [--python2] -m MODULE [ARGUMENTS]
python -m theano run [--python2] -c TEXT [ARGUMENTS]

Runs a program with the names that today's Python, NumPy and other libraries no longer have.
Sources of Python 2 are converted in memory: the program and all that is in its folder, if Python 3
cannot read the program or --python2 is given; otherwise the files that Python 3 cannot read."""


def run_program(words: Sequence[str]) -> int:
    """Run the program of a command line; return its exit code."""
    words = list(words)
    python2 = words[:1] == ["--python2"]
    words = words[python2:]
    if not words or words[0] in ("-h", "--help") or words in (["-m"], ["-c"]):
        print(_USAGE)
        return int(words not in (["-h"], ["--help"]))
    option = words.pop(0) if words[0] in ("-m", "-c") else ""
    path = words[0]
    if not option and not os.path.exists(path):
        print(f"python -m theano run: there is no file {path!r}", file=sys.stderr)
        return 2
    folder = os.getcwd() if option else _folder(path)
    if python2:
        python2_files.append(os.path.join(folder, "*"))
    enable()
    _forget_theano()
    sys.argv = [option, *words[1:]] if option == "-c" else words
    if not sys.flags.safe_path:
        sys.path[0] = "" if option == "-c" else folder
    if option == "-m":
        start: Callable[[], object] = lambda: runpy.run_module(
            path, run_name="__main__", alter_sys=True
        )
    elif option == "-c":
        start = lambda: _execute("<string>", path.encode(), folder)
    elif os.path.isdir(path):
        start = lambda: runpy.run_path(path, run_name="__main__")
    else:
        start = lambda: _execute(os.path.abspath(path), Path(path).read_bytes(), folder)
    return _reported(start)


def _folder(path: str) -> str:
    path = os.path.realpath(path)
    return path if os.path.isdir(path) else os.path.dirname(path)


def _execute(path: str, data: bytes, folder: str) -> None:
    """Run a file as the main module."""
    code = compile_file(path, data)
    if converted:
        # the modules in its folder were written for Python 2, too
        python2_files.append(os.path.join(folder, "*"))
    main = ModuleType("__main__")
    if path != "<string>":
        main.__file__ = path
    sys.modules["__main__"] = main
    exec(code, vars(main))


def _forget_theano() -> None:
    """Unload theano, so that the program can set flags in the environment before importing it."""
    ours, theano = __name__.rpartition(".")[0], __name__.partition(".")[0]
    for name in list(sys.modules):
        if name.partition(".")[0] == theano and not name.startswith(ours):
            del sys.modules[name]


def _reported(start: Callable[[], object]) -> int:
    """Start a program; print errors as Python does, without our frames."""
    try:
        start()
    except (SystemExit, KeyboardInterrupt):
        raise
    except BaseException as error:
        error.__traceback__ = _without_ours(error.__traceback__)
        sys.excepthook(type(error), error, error.__traceback__)
        return 1
    return 0


def _without_ours(traceback: TracebackType | None) -> TracebackType | None:
    """Remove the frames that started the program and loaded its modules."""
    kept = []
    while traceback is not None:
        path = traceback.tb_frame.f_code.co_filename
        if os.path.dirname(path) != os.path.dirname(__file__) and not path.startswith("<frozen "):
            kept.append(traceback)
        traceback = traceback.tb_next
    return traceback_of(kept)
