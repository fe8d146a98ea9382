"""CLinkerObject: the C code methods that ops and types have in common."""

from __future__ import annotations

from typing import Any

from theano._src.ground.documented import documented_in
from theano._src.ground.utils import MethodNotDefined


@documented_in("theano.gof.op")
class CLinkerObject:
    """Headers, libraries, support code and compiler flags for C code.

    A method that is not overridden raises MethodNotDefined, and nothing is added.
    """

    def _absent(self, method: str) -> Any:
        raise MethodNotDefined(method, type(self), self.__class__.__name__)

    def c_headers(self) -> list[str]:
        self._absent("c_headers")
        return []

    def c_header_dirs(self) -> list[str]:
        self._absent("c_header_dirs")
        return []

    def c_libraries(self) -> list[str]:
        self._absent("c_libraries")
        return []

    def c_lib_dirs(self) -> list[str]:
        self._absent("c_lib_dirs")
        return []

    def c_compile_args(self) -> list[str]:
        self._absent("c_compile_args")
        return []

    def c_no_compile_args(self) -> list[str]:
        self._absent("c_no_compile_args")
        return []

    def c_init_code(self) -> list[str]:
        self._absent("c_init_code")
        return []

    def c_support_code(self) -> str:
        self._absent("c_support_code")
        return ""

    def c_compiler(self) -> Any:
        self._absent("c_compiler")

    def c_code_cache_version(self) -> tuple[Any, ...]:
        return ()
