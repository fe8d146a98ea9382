"""The C++ text of a kernel: a function of plain pointers and shapes, for ctypes and for XLA.

A text has one body and two entry points: ``theano_kernel``, which ctypes calls, and
``theano_xla``, a handler of XLA's foreign-function interface. The handler uses only the part of
``c_api.h`` that all its versions share; it is left out if jaxlib is not installed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

__all__ = [
    "C_TYPES",
    "Array",
    "begin",
    "can_fail",
    "constants_text",
    "entries",
    "kernel_text",
    "xla_headers",
]

#: the C type of the elements of an array, by dtype
C_TYPES = {
    "bool": "bool",
    "int8": "int8_t",
    "int16": "int16_t",
    "int32": "int32_t",
    "int64": "int64_t",
    "uint8": "uint8_t",
    "uint16": "uint16_t",
    "uint32": "uint32_t",
    "uint64": "uint64_t",
    "float32": "float",
    "float64": "double",
    "complex64": "std::complex<float>",
    "complex128": "std::complex<double>",
}


class Array(NamedTuple):
    """An array of a kernel: its name in C, and the dtype of its elements."""

    name: str
    dtype: str

    @property
    def c_type(self) -> str:
        if self.dtype not in C_TYPES:
            raise TypeError(
                f"a kernel in C takes arrays of {', '.join(C_TYPES)}, got {self.dtype} for "
                f"{self.name}; cast it first"
            )
        return C_TYPES[self.dtype]


def xla_headers() -> str | None:
    """Return the folder of the headers of XLA's FFI; None without jaxlib."""
    spec = find_spec("jaxlib")
    if spec is None or not spec.submodule_search_locations:
        return None
    folder = Path(spec.submodule_search_locations[0]) / "include"
    return str(folder) if (folder / "xla/ffi/api/c_api.h").is_file() else None


def can_fail(text: str) -> bool:
    """Whether the text of a kernel contains ``FAIL`` or ``throw``."""
    return re.search(r"\b(FAIL|throw)\b", text) is not None


def kernel_text(
    body: str,
    inputs: Sequence[tuple[Array, int]],
    outputs: Sequence[tuple[Array, int]],
    constants: Mapping[str, Any],
    headers: Sequence[str] = (),
    support: str = "",
    *,
    xla: bool,
) -> str:
    """Return the text of a kernel whose author wrote the body of a C function.

    Parameters
    ----------
    body : str
        May use ``x``, ``x_shape``, ``x_size``, ``x_ndim`` and ``dtype_x`` for each array ``x``.
    inputs, outputs : list of (Array, number of dimensions)
    constants : dict
        Numbers and texts that the body can use by name.
    headers, support
        Headers to include, and the code before the function.
    xla : bool
        Whether to include the handler for XLA.
    """
    arrays = [*inputs, *outputs]
    lines = [begin([a for a, _ in arrays], headers), constants_text(constants), support]
    for array, _ in arrays:
        lines.append(f"typedef {array.c_type} dtype_{array.name};")
    lines.append(_FAIL)
    lines.append(f"static int theano_body({_ARGUMENTS}) {{")
    for k, (array, ndim) in enumerate(arrays):
        const = "const " if k < len(inputs) else ""
        name = array.name
        lines.append(
            f"  {const}dtype_{name}* const {name} = ({const}dtype_{name}*) theano_data[{k}];\n"
            f"  const int64_t* const {name}_shape = theano_dims[{k}];\n"
            f"  const int64_t {name}_ndim = {ndim};\n"
            f"  const int64_t {name}_size = theano_size({ndim}, {name}_shape);"
        )
    lines += ["  {", body, "  }", "  return 0;", "}", "#undef FAIL"]
    fails = can_fail(body + support)
    lines.append(entries(len(inputs), len(outputs), fails, _ALONE, _ALONE_IN_XLA if xla else None))
    return "\n".join(lines)


def constants_text(constants: Mapping[str, Any]) -> str:
    """Define numbers, texts and tuples of them as C constants; other values are left out."""
    lines = []
    for name, value in constants.items():
        if isinstance(value, tuple | list) and value and len({type(x) for x in value}) == 1:
            results = [_constant(x) for x in value]
            if None not in results:
                items = ", ".join(f[1] for f in results if f is not None)
                kind = results[0][0]  # type: ignore[index]
                lines.append(f"static {kind} {name}[] = {{{items}}};")
            continue
        one = _constant(value)
        if one is not None:
            lines.append(f"static {one[0]} {name} = {one[1]};")
    return "\n".join(lines)


def _constant(value: Any) -> tuple[str, str] | None:
    """Return the C type and text of a value; None if it has none."""
    if isinstance(value, bool):
        return "const bool", str(value).lower()
    if isinstance(value, int):
        if not -(2**63) <= value < 2**63:
            return None
        # the smallest int64 has no literal
        return "const int64_t", f"({value + 1}LL - 1)" if value < 0 else f"{value}LL"
    if isinstance(value, float):
        return "const double", _number_text(value)
    if isinstance(value, str):
        return "const char* const", _string(value)
    return None


def _number_text(value: float) -> str:
    """A float as C text."""
    if value != value:
        return "NAN"
    if value in (float("inf"), float("-inf")):
        return "INFINITY" if value > 0 else "(-INFINITY)"
    text = repr(float(value))
    return f"({text})" if "." in text or "e" in text else f"({text}.0)"


def _string(value: str) -> str:
    # three octal digits for every byte: a digit after a shorter escape would be part of it
    return '"' + "".join(f"\\{b:03o}" for b in value.encode()) + '"'


def begin(arrays: Sequence[Array], headers: Sequence[str]) -> str:
    """Return the start of a text: includes, and helpers of all kernels."""
    results = ["<stdint.h>", "<stddef.h>", "<stdio.h>", "<string.h>", "<math.h>", "<exception>"]
    if any(a.dtype.startswith("complex") for a in arrays):
        results.append("<complex>")
    results += [h if h.startswith(("<", '"')) else f'"{h}"' for h in headers]
    return "\n".join(f"#include {h}" for h in dict.fromkeys(results)) + "\n" + _SIZE


def entries(n_in: int, n_out: int, fails: bool, run: str, in_xla: str | None) -> str:
    """Return the two entry points, which call ``theano_run``, defined by ``run``.

    ``in_xla`` defines ``THEANO_RUN_IN_XLA``, whose first argument is the call frame; None leaves
    the handler out.
    """
    words = {"n_in": n_in, "n_out": n_out, "n": n_in + n_out, "fails": int(fails)}
    text = run + _CTYPES % words
    return text if in_xla is None else text + _XLA % {**words, "in_xla": in_xla % words}


_ARGUMENTS = (
    "void* const* theano_data, const int64_t* const* theano_dims, "
    "char* theano_message, size_t theano_room"
)

_SIZE = """
static inline int64_t theano_size(int64_t ndim, const int64_t* shape) {
  int64_t n = 1;
  for (int64_t i = 0; i < ndim; i++) n *= shape[i];
  return n;
}
"""

_FAIL = """
#define FAIL(...) \\
  do { snprintf(theano_message, theano_room, __VA_ARGS__); return 1; } while (0)
"""

# runs a user-written kernel, as a single task
_ALONE = """
static int theano_run(void* const* data, const int64_t* const* dims, const int64_t* ranks,
                      char* message, size_t room) {
  try {
    return theano_body(data, dims, message, room);
  } catch (const std::exception& error) {
    snprintf(message, room, "%s", error.what());
  } catch (...) {
    snprintf(message, room, "an exception in C++");
  }
  return 2;
}
"""

_ALONE_IN_XLA = """
#define THEANO_RUN_IN_XLA(frame, data, dims, ranks, message, room) \\
  theano_run(data, dims, ranks, message, room)
"""

_CTYPES = """
extern "C" __attribute__((visibility("default")))
int theano_kernel(void** data, const int64_t* lengths, const int64_t* ranks, char* message,
                  int64_t room) {
  const int64_t* dims[%(n)s];
  for (int k = 0; k < %(n)s; k++) {
    dims[k] = lengths;
    lengths += ranks[k];
  }
  return theano_run(data, dims, ranks, message, (size_t) room);
}
"""

_XLA = """
#include "xla/ffi/api/c_api.h"
%(in_xla)s

extern "C" __attribute__((visibility("default")))
XLA_FFI_Error* theano_xla(XLA_FFI_CallFrame* frame) {
  // which version of the interface this was compiled for: asked once, without arguments
  if (frame->extension_start != NULL && (int) frame->extension_start->type == 1) {
    XLA_FFI_Metadata* metadata = ((XLA_FFI_Metadata_Extension*) frame->extension_start)->metadata;
    metadata->api_version.struct_size = XLA_FFI_Api_Version_STRUCT_SIZE;
    metadata->api_version.extension_start = NULL;
    metadata->api_version.major_version = XLA_FFI_API_MAJOR;
    metadata->api_version.minor_version = XLA_FFI_API_MINOR;
    metadata->traits = 0;
    return NULL;
  }
  if (frame->stage != XLA_FFI_ExecutionStage_EXECUTE) return NULL;
  const char* wrong = NULL;
  char message[512] = "";
  if (frame->args.size != %(n_in)s || frame->rets.size != %(n_out)s + %(fails)s) {
    wrong = "a kernel of theano got other arguments than it was compiled for";
  } else {
    void* data[%(n)s];
    const int64_t* dims[%(n)s];
    int64_t ranks[%(n)s];
    for (int k = 0; k < %(n)s; k++) {
      const XLA_FFI_Buffer* buffer = (const XLA_FFI_Buffer*)
          (k < %(n_in)s ? frame->args.args[k] : frame->rets.rets[k - %(n_in)s]);
      data[k] = buffer->data;
      dims[k] = buffer->dims;
      ranks[k] = buffer->rank;
    }
    const int status = THEANO_RUN_IN_XLA(frame, data, dims, ranks, message, sizeof message);
    if (%(fails)s) {
      // state that XLA may overwrite would be lost with an error: the caller reads this
      *(int32_t*) ((const XLA_FFI_Buffer*) frame->rets.rets[%(n_out)s])->data = status;
    } else if (status != 0) {
      wrong = message;
    }
  }
  if (wrong == NULL) return NULL;
  XLA_FFI_Error_Create_Args args = {};
  args.struct_size = XLA_FFI_Error_Create_Args_STRUCT_SIZE;
  args.message = wrong;
  args.errc = XLA_FFI_Error_Code_INTERNAL;
  return frame->api->XLA_FFI_Error_Create(&args);
}
"""
