"""The user's C++ compiler: availability, command line and errors."""

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

#: lines of C code to show before and after the line of an error
_AROUND = 3
_NAMED = re.compile(r"^(?P<file>[^\s:][^:\n]*):(?P<line>\d+):(?:\d+:)? (?:fatal )?error:", re.M)


@documented_in("theano.gof.cmodule")
class MissingGXX(Exception):
    """There is C code to compile, but no compiler; ``config.cxx`` sets it."""


@documented_in("theano.gof.cmodule")
class CompileError(Exception):
    """The compiler rejects C code; with its messages and the lines that they name."""


@dataclass(frozen=True)
class Options:
    """Compiler options of a library, in addition to the flags in ``config``.

    ``python`` adds the headers of Python and NumPy; ``without`` removes arguments.
    """

    header_dirs: Sequence[str] = ()
    libraries: Sequence[str] = ()
    lib_dirs: Sequence[str] = ()
    args: Sequence[str] = ()
    without: Sequence[str] = ()
    python: bool = False


def why_no_compiler(python: bool = False) -> str | None:
    """Return why C code cannot be compiled here, or None if it can.

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
    """Raise MissingGXX if C code cannot be compiled."""
    why = why_no_compiler(python)
    if why is not None:
        raise MissingGXX(f"C code needs a compiler: {why}; set the flag cxx")


def command(options: Options) -> list[str]:
    """Return the command line of the compiler, without file names."""
    flags = [] if config.cmodule.remove_gxx_opt else ["-O3", *_for_this_processor()]
    flags += ["-shared", "-fPIC", "-fno-math-errno"]
    # so that C code with the same operations as `perform` rounds in the same way
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
        # libraries in the user's folders must also be found when they are loaded
        *(f"-Wl,-rpath,{folder}" for folder in options.lib_dirs),
    ]


def identity(options: Options) -> tuple[str, ...]:
    """Return everything but the source text that determines the compiled library."""
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
        The compiler rejects the text.
    """
    libraries = [f"-l{name}" for name in options.libraries]
    words = [*command(options), "-o", target, source, *libraries]
    # messages are parsed: they must not be translated
    env = os.environ | {"LC_ALL": "C"}
    done = subprocess.run(words, capture_output=True, text=True, errors="replace", env=env)
    if done.returncode or not os.path.exists(target):
        with open(source, encoding="utf-8") as file:
            text = file.read()
        raise CompileError(_refusal(done.returncode, done.stderr, source, text, words))
    if config.cmodule.compilation_warning and done.stderr.strip():
        print(done.stderr.replace(source, os.path.basename(source)), file=sys.stderr)


def _refusal(status: int, message: str, source: str, text: str, words: Sequence[str]) -> str:
    """Return the compiler's messages, and the C code around the first three lines they name."""
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
    """Split a command with arguments, such as `ccache g++`, but not a path with spaces."""
    return [cxx] if shutil.which(cxx) else shlex.split(cxx)


def python_dirs() -> tuple[str, str]:
    """Return the folders of the headers of Python and NumPy."""
    import numpy as np

    return sysconfig.get_paths()["include"], np.get_include()


def version(cxx: str) -> str:
    """Return the output of ``--version`` of a compiler; "" if it does not exist."""
    result = shutil.which(_command(cxx)[0])
    if result is None:
        return ""
    # another compiler may be installed at the same path while a process runs
    return _version_of(cxx, os.stat(result).st_mtime_ns)


@cache
def _version_of(cxx: str, changed: int) -> str:
    words = [*_command(cxx), "--version"]
    return subprocess.run(words, capture_output=True, text=True, errors="replace").stdout


def _for_this_processor() -> list[str]:
    """Return `-march=native` if the compiler supports it."""
    known = os.uname().machine in ("x86_64", "i686") or "clang" not in version(config.cxx)
    return ["-march=native"] if known else []
