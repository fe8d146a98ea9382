"""CLinkerOp: the methods by which an op gives C code."""

from __future__ import annotations

from typing import Any

from theano._src.ground.documented import documented_in
from theano._src.ground.utils import MethodNotDefined


@documented_in("theano.gof.op")
class CLinkerOp:
    """The C side of an op. A method that is not given raises MethodNotDefined."""

    def _absent(self, method: str) -> Any:
        raise MethodNotDefined(method, type(self), self.__class__.__name__)

    def c_code(self, node: Any, name: str, inputs: Any, outputs: Any, sub: dict[str, str]) -> str:
        self._absent("c_code")
        return ""

    def c_code_cleanup(
        self, node: Any, name: str, inputs: Any, outputs: Any, sub: dict[str, str]
    ) -> str:
        self._absent("c_code_cleanup")
        return ""

    def c_code_cache_version(self) -> tuple[Any, ...]:
        return ()

    def c_code_cache_version_apply(self, node: Any) -> tuple[Any, ...]:
        return self.c_code_cache_version()

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

    def c_support_code_apply(self, node: Any, name: str) -> str:
        self._absent("c_support_code_apply")
        return ""
