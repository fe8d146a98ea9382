"""The public functions of ``theano.gof.cmodule``: compiler, its arguments, module import."""

from __future__ import annotations

import ctypes
import os
import struct
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Sequence
from typing import Any

from theano._src.c_code import compiler
from theano._src.c_code.compiler import CompileError, MissingGXX, Options
from theano._src.c_code.library_cache import imported, library
from theano._src.ground.config import config
from theano._src.ground.documented import documented_in

__all__ = [
    "CompileError",
    "GCC_compiler",
    "MissingGXX",
    "dlimport",
    "gcc_llvm",
    "gcc_version",
    "get_gcc_shared_library_arg",
    "get_lib_extension",
    "local_bitwidth",
    "std_include_dirs",
    "std_lib_dirs",
    "std_libs",
]


@documented_in("theano.gof.cmodule")
def local_bitwidth() -> int:
    """Return the number of bits of a pointer: 32 or 64.

    >>> from theano.gof import cmodule
    >>> cmodule.local_bitwidth()
    64
    """
    return struct.calcsize("P") * 8


@documented_in("theano.gof.cmodule")
def get_lib_extension() -> str:
    """Return the suffix of extension modules on this platform, without the dot.

    >>> from theano.gof import cmodule
    >>> cmodule.get_lib_extension()
    'so'
    """
    return "pyd" if sys.platform == "win32" else "so"


@documented_in("theano.gof.cmodule")
def get_gcc_shared_library_arg() -> str:
    """Return the compiler's argument for shared libraries.

    >>> from theano.gof import cmodule
    >>> cmodule.get_gcc_shared_library_arg()
    '-shared'
    """
    return "-dynamiclib" if sys.platform == "darwin" else "-shared"


@documented_in("theano.gof.cmodule")
def std_include_dirs() -> list[str]:
    """Return the folders of the headers of Python and NumPy.

    >>> from theano.gof import cmodule
    >>> len(cmodule.std_include_dirs())
    2
    """
    return list(compiler.python_dirs())


@documented_in("theano.gof.cmodule")
def std_lib_dirs() -> list[str]:
    """Return the folders of Python's library.

    >>> from theano.gof import cmodule
    >>> isinstance(cmodule.std_lib_dirs(), list)
    True
    """
    config_var = sysconfig.get_config_var("LIBDIR")
    return [config_var] if config_var else []


@documented_in("theano.gof.cmodule")
def std_libs() -> list[str]:
    """Return the name of Python's library; modules here find its symbols in the process itself.

    >>> from theano.gof import cmodule
    >>> len(cmodule.std_libs())
    1
    """
    return [f"python{sysconfig.get_config_var('LDVERSION') or sysconfig.get_python_version()}"]


@documented_in("theano.gof.cmodule")
def gcc_version() -> str | None:
    """Return the version that ``config.cxx`` reports; None without a compiler.

    >>> from theano.gof import cmodule
    >>> isinstance(cmodule.gcc_version(), str)
    True
    """
    if compiler.why_no_compiler() is not None:
        return None
    words = [*compiler.command(Options())[:1], "-dumpversion"]
    return subprocess.run(words, capture_output=True, text=True).stdout.strip()


@documented_in("theano.gof.cmodule")
def gcc_llvm() -> bool | None:
    """Return whether ``config.cxx`` is an LLVM compiler; None without a compiler.

    >>> from theano.gof import cmodule
    >>> cmodule.gcc_llvm() in (True, False)
    True
    """
    if compiler.why_no_compiler() is not None:
        return None
    return any(name in compiler.version(config.cxx).lower() for name in ("clang", "llvm"))


@documented_in("theano.gof.cmodule")
def dlimport(fullpath: str, suffix: str | None = None) -> Any:
    """Import an extension module from a file in any folder.

    Parameters
    ----------
    fullpath : str
        The path of the library; the name of the module is that of the file, without its suffix.
    suffix : str, optional
        The suffix of the file name; by default, all after the first dot.

    >>> from theano.gof import cmodule
    >>> cmodule.dlimport("/nowhere/there.so")
    Traceback (most recent call last):
    ImportError: /nowhere/there.so: cannot open shared object file: No such file or directory
    """
    name = os.path.basename(fullpath)
    return imported(name.removesuffix(suffix) if suffix else name.partition(".")[0], fullpath)


@documented_in("theano.gof.cmodule")
class GCC_compiler:
    """The C++ compiler that ``config.cxx`` names.

    >>> from theano.gof.cmodule import GCC_compiler
    >>> GCC_compiler.try_compile_tmp("int main() { return 0; }", try_run=True)
    (True, True)
    """

    @staticmethod
    def version_str() -> str:
        """Return the name and the version of the compiler."""
        return f"{config.cxx} {gcc_version()}"

    @staticmethod
    def compile_args() -> list[str]:
        """Return the arguments that C code is compiled with."""
        return compiler.command(Options())[1:]

    @staticmethod
    def try_compile_tmp(
        src_code: str,
        tmp_prefix: str = "",
        flags: Sequence[str] = (),
        try_run: bool = False,
        output: bool = False,
        comp_args: bool = True,
    ) -> Any:
        """Return whether a program compiles, and with ``try_run`` also whether it runs.

        With ``output``, the text of both output streams follows.
        """
        compiler.need_compiler()
        with tempfile.TemporaryDirectory(prefix=f"{tmp_prefix}theano-") as folder:
            source, target = os.path.join(folder, "code.cpp"), os.path.join(folder, "program")
            with open(source, "w", encoding="utf-8") as file:
                file.write(src_code)
            left = ("-shared", "-fPIC")
            args = [a for a in GCC_compiler.compile_args() if a not in left] if comp_args else []
            words = [*compiler.command(Options())[:1], *args, source, "-o", target, *flags]
            done = subprocess.run(words, capture_output=True, text=True)
            right = ran = done.returncode == 0
            if right and try_run:
                done = subprocess.run([target], capture_output=True, text=True)
                ran = done.returncode == 0
        result = (right, ran) if try_run else (right,)
        if output:
            return (*result, done.stdout, done.stderr)
        return result if try_run else right

    @staticmethod
    def try_flags(
        flag_list: Sequence[str],
        preambule: str = "",
        body: str = "",
        try_run: bool = False,
        output: bool = False,
        comp_args: bool = True,
    ) -> Any:
        """Return whether a program compiles with the given arguments."""
        text = f"{preambule}\nint main(int argc, char** argv) {{ {body} return 0; }}"
        return GCC_compiler.try_compile_tmp(
            text, flags=flag_list, try_run=try_run, output=output, comp_args=comp_args
        )

    @staticmethod
    def compile_str(
        module_name: str,
        src_code: str,
        location: str | None = None,
        include_dirs: Sequence[str] | None = None,
        lib_dirs: Sequence[str] | None = None,
        libs: Sequence[str] | None = None,
        preargs: Sequence[str] | None = None,
        py_module: bool = True,
        hide_symbols: bool = True,
    ) -> Any:
        """Compile a text to a shared library and import it as an extension module.

        The library is cached by its content, so ``location`` has no effect. If ``py_module`` is
        false, the library is loaded by ``ctypes``.
        """
        options = Options(
            header_dirs=tuple(include_dirs or ()),
            lib_dirs=tuple(lib_dirs or ()),
            libraries=tuple(libs or ()),
            args=tuple(preargs or ()),
            python=True,
        )
        path = str(library(src_code, options))
        if not py_module:
            return ctypes.CDLL(path)
        return imported(module_name, path)
