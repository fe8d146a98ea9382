# Written by tools/stubs.py from cmodule.py: change that file.
from theano._src.c_code.cmodule import (
    CompileError as CompileError,
    GCC_compiler as GCC_compiler,
    MissingGXX as MissingGXX,
    dlimport as dlimport,
    gcc_llvm as gcc_llvm,
    gcc_version as gcc_version,
    get_gcc_shared_library_arg as get_gcc_shared_library_arg,
    get_lib_extension as get_lib_extension,
    local_bitwidth as local_bitwidth,
    std_include_dirs as std_include_dirs,
    std_lib_dirs as std_lib_dirs,
    std_libs as std_libs,
)
