"""The user's C++ compiler: whether there is one, how it is called, and what its errors say."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from theano._src.ground.config import config
from theano._src.ground.documented import documented_in

__all__ = [
    "CompileError",
    "MissingGXX",
    "Options",
    "compile_library",
    "need_compiler",
    "why_no_compiler",
]

#: lines of C around one that an error names
_AROUND = 3
_NAMED = re.compile(r"^(?P<file>[^\s:][^:\n]*):(?P<line>\d+):(?:\d+:)? (?:fatal )?error:", re.M)


@documented_in("theano.gof.cmodule")
class MissingGXX(Exception):
    """There is C code to compile, and no compiler: ``config.cxx`` names it."""


@documented_in("theano.gof.cmodule")
class CompileError(Exception):
    """C code that the compiler refuses, with what it says and the lines that it names."""


@dataclass(frozen=True)
class Options:
    """What a library is compiled with, besides the flags of ``config``.

    ``python`` adds the headers of Python and NumPy; ``without`` takes arguments away.
    """

    header_dirs: Sequence[str] = ()
    libraries: Sequence[str] = ()
    lib_dirs: Sequence[str] = ()
    args: Sequence[str] = ()
    without: Sequence[str] = ()
    python: bool = False


def why_no_compiler(python: bool = False) -> str | None:
    """Why C code cannot be compiled here, or None if it can.

    Parameters
    ----------
    python : bool
        Whether the code needs the headers of Python and NumPy.
    """
    if sys.platform == "win32":
        return "C code of ops is compiled on Linux and macOS only"
    if not config.cxx:
        return "config.cxx is empty: there is no C++ compiler, or it was turned off"
    if shutil.which(_command(config.cxx)[0]) is None:
        return f"config.cxx is {config.cxx!r}, and there is no such program"
    if python:
        for header, folder in zip(("Python.h", "numpy/arrayobject.h"), python_dirs(), strict=True):
            if not os.path.exists(os.path.join(folder, header)):
                return f"{header} is not in {folder}: the development files are not installed"
    return None


def need_compiler(python: bool = False) -> None:
    """Raise MissingGXX where C code cannot be compiled."""
    why = why_no_compiler(python)
    if why is not None:
        raise MissingGXX(f"C code needs a compiler: {why}; set the flag cxx")


def command(options: Options) -> list[str]:
    """The command line of the compiler, without the names of files."""
    flags = [] if config.cmodule.remove_gxx_opt else ["-O3", *_for_this_processor()]
    flags += ["-shared", "-fPIC", "-fno-math-errno"]
    # C that is written like `perform` then rounds like it
    flags += ["-ffp-contract=off"]
    if sys.platform == "darwin":
        flags += ["-undefined", "dynamic_lookup"]
    if config.cmodule.debug:
        flags += ["-DDEBUG"]
    flags += ["-Wall"] if config.cmodule.compilation_warning else ["-w"]
    flags = [f for f in [*flags, *shlex.split(config.gcc.cxxflags)] if f not in options.without]
    python = python_dirs() if options.python else ()
    return [
        *_command(config.cxx),
        *flags,
        *options.args,
        *(f"-I{folder}" for folder in (*options.header_dirs, *python)),
        *(f"-L{folder}" for folder in options.lib_dirs),
        # a library in a folder of the user's is found there when it is loaded, too
        *(f"-Wl,-rpath,{folder}" for folder in options.lib_dirs),
    ]


def identity(options: Options) -> tuple[str, ...]:
    """All that decides what the compiler makes of a text."""
    python: tuple[str, ...] = ()
    if options.python:
        import numpy as np

        python = (sys.version, sysconfig.get_config_var("SOABI") or "", np.__version__)
    return (*command(options), *options.libraries, version(config.cxx), *python)


def compile_library(source: str, target: str, options: Options) -> None:
    """Compile the file ``source`` to the shared library ``target``.

    Raises
    ------
    CompileError
        The compiler refuses the text.
    """
    libraries = [f"-l{name}" for name in options.libraries]
    words = [*command(options), "-o", target, source, *libraries]
    # messages are read here: they must not be translated
    env = os.environ | {"LC_ALL": "C"}
    done = subprocess.run(words, capture_output=True, text=True, errors="replace", env=env)
    if done.returncode or not os.path.exists(target):
        with open(source, encoding="utf-8") as file:
            text = file.read()
        raise CompileError(_refusal(done.returncode, done.stderr, source, text, words))
    if config.cmodule.compilation_warning and done.stderr.strip():
        print(done.stderr.replace(source, os.path.basename(source)), file=sys.stderr)


def _refusal(status: int, message: str, source: str, text: str, words: Sequence[str]) -> str:
    """What the compiler said, and the lines of C around the first few that it names."""
    name = os.path.basename(source)
    parts = [
        f"Compilation failed (return status={status}):",
        message.replace(source, name).rstrip(),
    ]
    lines = text.splitlines()
    named = [int(m["line"]) for m in _NAMED.finditer(message) if m["file"] == source]
    for number in list(dict.fromkeys(named))[:3]:
        parts.append(f"\nLine {number} of the C code:")
        first, last = max(1, number - _AROUND), min(len(lines), number + _AROUND)
        for k in range(first, last + 1):
            parts.append(f"{'>' if k == number else ' '} {k:5d}  {lines[k - 1]}")
    parts.append(f"\nThe command was: {shlex.join(words)}")
    return "\n".join(parts)


def _command(cxx: str) -> list[str]:
    """A path may hold spaces, and a command arguments, as `ccache g++` does."""
    return [cxx] if shutil.which(cxx) else shlex.split(cxx)


def python_dirs() -> tuple[str, str]:
    """The folders of the headers of Python and NumPy."""
    import numpy as np

    return sysconfig.get_paths()["include"], np.get_include()


def version(cxx: str) -> str:
    """What a compiler says of itself."""
    result = shutil.which(_command(cxx)[0])
    if result is None:
        return ""
    # another compiler may come to the same path while a process runs
    return _version_of(cxx, os.stat(result).st_mtime_ns)


@cache
def _version_of(cxx: str, changed: int) -> str:
    words = [*_command(cxx), "--version"]
    return subprocess.run(words, capture_output=True, text=True, errors="replace").stdout


def _for_this_processor() -> list[str]:
    """`-march=native` where the compiler knows it."""
    known = os.uname().machine in ("x86_64", "i686") or "clang" not in version(config.cxx)
    return ["-march=native"] if known else []
