"""The C and C++ compilers of this machine, for the tests of exported C.

A compiler is a command, such as ``gcc`` or ``python -m ziglang cc``. Tests that need one that is
not installed are skipped: `needed` and `needed_flags` say why.
"""

import functools
import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import pytest

#: warnings are errors; the standard is C99, with no extensions
STRICT = ("-std=c99", "-pedantic-errors", "-Wall", "-Wextra", "-Werror", "-Wstrict-prototypes")
STRICT_CPP = ("-x", "c++", "-std=c++11", "-pedantic-errors", "-Wall", "-Wextra", "-Werror")
#: the program stops at the first error
SANITIZERS = ("-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")
THREAD_SANITIZER = ("-g", "-fsanitize=thread")
BITS_32 = ("-m32",)
#: seconds; zig compiles the C library of a target when it is first used
LIMIT = 600

#: an exit code of valgrind that programs of tests do not have
FOUND = 77
_EMPTY = '#include <math.h>\n#include <stdio.h>\nint main(void) { puts(""); return 0; }\n'


class Compiler(NamedTuple):
    """A compiler of C, and the same for C++."""

    name: str
    c: tuple[str, ...]
    cpp: tuple[str, ...]


@functools.cache
def compilers() -> dict[str, Compiler]:
    """The compilers that are installed, by name: ``gcc``, ``clang``, ``zig``."""
    found = {}
    for name, cpp in (("gcc", "g++"), ("clang", "clang++")):
        if shutil.which(name) and shutil.which(cpp) and _works((name,)):
            found[name] = Compiler(name, (name,), (cpp,))
    zig = (sys.executable, "-m", "ziglang")
    if importlib.util.find_spec("ziglang") and _works((*zig, "cc")):
        found["zig"] = Compiler("zig", (*zig, "cc"), (*zig, "c++"))
    return found


def needed(*names: str) -> Compiler:
    """The first of these compilers that is installed, of all if none is named; else skip."""
    for name in names or ("gcc", "clang", "zig"):
        if name in compilers():
            return compilers()[name]
    pytest.skip(f"needs a C compiler: {' or '.join(names) or 'gcc, clang or zig'}")


def needed_program(name: str) -> str:
    """The path of a program, such as ``valgrind`` or ``cargo``; skip where it is not installed."""
    path = shutil.which(name)
    return path or pytest.skip(f"needs {name}")


def needed_flags(compiler: Compiler, *flags: str) -> tuple[str, ...]:
    """The flags, if a program compiled with them runs; else skip."""
    if not _works(compiler.c, flags):
        pytest.skip(f"{compiler.name} makes no program with {' '.join(flags)} that runs here")
    return flags


@functools.cache
def _works(command: tuple[str, ...], flags: tuple[str, ...] = ()) -> bool:
    with tempfile.TemporaryDirectory() as folder:
        source, program = Path(folder, "empty.c"), Path(folder, "empty")
        source.write_text(_EMPTY)
        try:
            _call([*command, *flags, source, "-lm", "-o", program])
            _call([program])
        except (OSError, subprocess.SubprocessError):
            return False
    return True


def compiled(
    compiler: Compiler,
    sources: Sequence[Path | str],
    target: Path,
    *flags: str,
    cpp: bool = False,
) -> Path:
    """Compile and link files, with the math library, to ``target``.

    With ``-c`` among the flags it is an object, with ``-shared`` a library. A compiler that fails
    or, under ``-Werror``, warns is an AssertionError with what it printed.

    Examples
    --------
    ::

        compiled(needed(), ["model.c", "main.c"], tmp_path / "program", *STRICT)
    """
    command = [*(compiler.cpp if cpp else compiler.c), *flags, *sources]
    language = ["-x", "none"] if "-x" in flags else []
    command += [*language, *([] if "-c" in flags else ["-lm"]), "-o", target]
    try:
        _call(command)
    except subprocess.CalledProcessError as error:
        words = " ".join(str(word) for word in command)
        raise AssertionError(f"{words}\n{error.stderr}{error.stdout}") from None
    return Path(target)


def printed(program: Path | str, *args: str, under: Sequence[str] = ()) -> str:
    """Run a program and return what it printed; ``under`` is a command that runs it.

    A program that ends with another code than 0 is an AssertionError with what it printed; so is
    one in which a sanitizer or valgrind found an error.
    """
    made = subprocess.run(
        [*under, program, *args], capture_output=True, text=True, timeout=LIMIT, env=_environment()
    )
    assert made.returncode == 0, f"{program}: code {made.returncode}\n{made.stderr}{made.stdout}"
    return made.stdout


def valgrind() -> tuple[str, ...]:
    """The command under which a program fails that reads or writes memory it should not, or leaks.

    Programs compiled with sanitizers do not run under it.
    """
    return (
        needed_program("valgrind"), "--quiet", f"--error-exitcode={FOUND}", "--leak-check=full",
        "--errors-for-leak-kinds=definite,indirect",
    )  # fmt: skip


def size_of_object(path: Path) -> int:
    """Bytes of code and constants in an object file, as the program ``size`` counts them."""
    lines = printed(needed_program("size"), str(path)).splitlines()
    text, data, bss = (int(word) for word in lines[1].split()[:3])
    return text + data + bss


def _call(command: Sequence[Path | str]) -> None:
    subprocess.run(
        [str(word) for word in command], capture_output=True, text=True, check=True,
        timeout=LIMIT, env=_environment(), stdin=subprocess.DEVNULL,
    )  # fmt: skip


def _environment() -> dict[str, str]:
    return {**os.environ, "LC_ALL": "C", "UBSAN_OPTIONS": "print_stacktrace=1"}
