"""Kernel: a compiled function of plain arrays, called by ctypes, or by XLA through a handler."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from theano._src.c_code.asking import asked_list
from theano._src.c_code.compiler import Options
from theano._src.c_code.library_cache import opened

#: the maximum length of the error message of a kernel, in bytes
_ROOM = 1024


class Kernel:
    """The compiled form of a text of ``kernel_text``; it is compiled at first use.

    Parameters
    ----------
    who : str
        The owner of the kernel, for messages.
    text : str
    options : Options
        The compiler options.
    can_fail : bool
        Whether its handler returns a status after its outputs, 0 for success.
    error : class of exceptions
        The exception for a failure on the host.
    elementwise : bool
        Whether it also accepts arrays with an additional leading dimension.
    """

    def __init__(
        self,
        who: str,
        text: str,
        options: Options,
        can_fail: bool,
        error: type[Exception] = ValueError,
        elementwise: bool = False,
    ) -> None:
        self.who, self.text, self.options = who, text, options
        self.can_fail, self.error, self.elementwise = can_fail, error, elementwise
        self._library: ctypes.CDLL | None = None
        self._name = ""
        self._call: Any = None

    def library(self) -> ctypes.CDLL:
        """Return the loaded library; calls of it release the GIL."""
        if self._library is None:
            self._library = opened(self.text, self._open, self.options)
        return self._library

    def _open(self, path: str) -> ctypes.CDLL:
        result = ctypes.CDLL(path)
        self._name = f"theano_{Path(path).parent.name}"
        self._call = result.theano_kernel
        self._call.restype = ctypes.c_int
        self._call.argtypes = [*[ctypes.c_void_p] * 4, ctypes.c_int64]
        return result

    @property
    def name(self) -> str:
        """A name derived from the content: kernels with the same name are the same."""
        self.library()
        return self._name

    def run(self, inputs: Sequence[Any], outputs: Sequence[np.ndarray]) -> None:
        """Fill ``outputs``, which are C-contiguous arrays; raise if the kernel fails."""
        if self._library is None:
            self.library()
        arrays = [x if _is_plain(x) else np.asarray(x, order="C") for x in inputs]
        arrays += outputs
        lengths: list[int] = []
        for a in arrays:
            lengths += a.shape
        message = ctypes.create_string_buffer(_ROOM)
        status = self._call(
            _pointers(len(arrays))(*[a.__array_interface__["data"][0] for a in arrays]),
            _integers(len(lengths))(*lengths),
            _integers(len(arrays))(*[a.ndim for a in arrays]),
            message,
            _ROOM,
        )
        if status:
            text = message.value.decode(errors="replace")
            raise self.error(text or f"the C code of {self.who} failed with status {status}")


def _is_plain(x: Any) -> bool:
    return x.__class__ is np.ndarray and x.flags.c_contiguous


@cache
def _pointers(n: int) -> Any:
    return ctypes.c_void_p * n


@cache
def _integers(n: int) -> Any:
    return ctypes.c_int64 * n


def options_of(ops: Sequence[Any], header_dirs: Sequence[str], args: Sequence[str] = ()) -> Options:
    """Return the combined compiler options for the C code of several ops."""

    def all_asked(name: str) -> list[str]:
        return list(dict.fromkeys(x for op in ops for x in asked_list(op, name)))

    return Options(
        header_dirs=[*all_asked("c_header_dirs"), *header_dirs],
        libraries=all_asked("c_libraries"),
        lib_dirs=all_asked("c_lib_dirs"),
        args=[*args, *all_asked("c_compile_args")],
        without=all_asked("c_no_compile_args"),
    )
