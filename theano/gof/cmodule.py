"""The C++ compiler, for programs that ask for it."""

from theano._src.ground.public import public as _public

__getattr__ = _public(
    __name__,
    """
    theano._src.c_code.cmodule: CompileError GCC_compiler MissingGXX dlimport gcc_llvm
        gcc_version get_gcc_shared_library_arg get_lib_extension local_bitwidth std_include_dirs
        std_lib_dirs std_libs
    """,
)
