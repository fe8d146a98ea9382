"""The C++ text of a kernel: a function of plain pointers and shapes, for ctypes and for XLA.

A text has one body and two ways in: ``theano_kernel``, which ctypes calls, and ``theano_xla``, a
handler of XLA's foreign-function interface. The handler is written against ``c_api.h`` alone, in
the words that all its versions share; where jaxlib is not installed it is left out.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

__all__ = ["C_TYPES", "Array", "constants_text", "kernel_text", "loop_text", "xla_headers"]

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
    """An array as a kernel sees it: what it is called in C, the dtype of its elements."""

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
    """The folder with the headers of XLA's foreign-function interface; None without jaxlib."""
    found = find_spec("jaxlib")
    if found is None or not found.submodule_search_locations:
        return None
    folder = Path(found.submodule_search_locations[0]) / "include"
    return str(folder) if (folder / "xla/ffi/api/c_api.h").is_file() else None


def can_fail(text: str) -> bool:
    """Whether the text of a kernel says how it fails."""
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
    """The text of a kernel that an author wrote as the body of a C function.

    Parameters
    ----------
    body : str
        Sees ``x``, ``x_shape``, ``x_size``, ``x_ndim`` and ``dtype_x`` for each array ``x``.
    inputs, outputs : list of (Array, number of dimensions)
    constants : dict
        Numbers and texts that the body knows by name.
    headers, support
        What is included, and what stands before the function.
    xla : bool
        Whether the handler of XLA is part of it.
    """
    arrays = [*inputs, *outputs]
    lines = [_begin([a for a, _ in arrays], headers), constants_text(constants), support]
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
    lines.append(_entries(len(inputs), len(outputs), fails, _ALONE, xla=xla))
    return "\n".join(lines)


def loop_text(
    code: str,
    inputs: Sequence[Array],
    outputs: Sequence[Array],
    numbers: Sequence[bool],
    headers: Sequence[str] = (),
    support: str = "",
    *,
    xla: bool,
) -> str:
    """The text of a kernel that runs C code of single numbers over arrays, which broadcast.

    Parameters
    ----------
    code : str
        Reads the variables of the inputs, sets those of the outputs.
    numbers : list of bool
        Which inputs are expected to have one element. Others are expected to be as large as the
        outputs. Both are looked up at each call; what is expected is what runs fast.
    """
    arrays = [*inputs, *outputs]
    n = len(inputs)
    lines = [_begin(arrays, headers), _NPY, support]
    for array in arrays:
        lines.append(f"typedef {array.c_type} dtype_{array.name};")
    pointers = ", ".join(
        f"{'const ' if k < n else ''}dtype_{a.name}* theano_p{k}" for k, a in enumerate(arrays)
    )
    passed = ", ".join(
        f"({'const ' if k < n else ''}dtype_{a.name}*) at[{k}]" for k, a in enumerate(arrays)
    )
    for variant in ("flat", "strided"):
        flat = variant == "flat"
        steps = ["0" if is_number else "1" for is_number in numbers]
        if not flat:
            steps = [f"theano_step[{k}]" for k in range(n)]
        lines.append(
            f"static void theano_{variant}({pointers}, int64_t theano_count"
            f"{'' if flat else ', const int64_t* theano_step'}) {{"
        )
        hoisted = [k for k in range(n) if flat and numbers[k]]
        for k in hoisted:
            lines.append(f"  const dtype_{inputs[k].name} {inputs[k].name} = theano_p{k}[0];")
        lines.append("  _Pragma(\"GCC ivdep\")")
        lines.append("  for (int64_t theano_i = 0; theano_i < theano_count; theano_i++) {")
        for k, array in enumerate(inputs):
            if k not in hoisted:
                at = "theano_i" if steps[k] == "1" else f"theano_i * {steps[k]}"
                lines.append(f"    const dtype_{array.name} {array.name} = theano_p{k}[{at}];")
        for array in outputs:
            lines.append(f"    dtype_{array.name} {array.name};")
        lines += ["    {", code, "    }"]
        for k, array in enumerate(outputs, n):
            lines.append(f"    theano_p{k}[theano_i] = {array.name};")
        lines += ["  }", "}"]
    lines.append("static const int64_t theano_width[] = {")
    lines.append("  " + ", ".join(f"sizeof(dtype_{a.name})" for a in arrays) + "};")
    expected = ", ".join("0" if is_number else "1" for is_number in numbers)
    lines.append(f"static const int64_t theano_expected[] = {{{expected or '0'}}};")
    lines.append(
        _LOOP % {"passed": passed, "n": n, "all": len(arrays)}
    )
    lines.append(_entries(n, len(outputs), False, _SHARED, xla=xla))
    return "\n".join(lines)


def constants_text(constants: Mapping[str, Any]) -> str:
    """Numbers, texts and tuples of numbers as constants in C; other values are left out."""
    lines = []
    for name, value in constants.items():
        if isinstance(value, tuple | list) and value and len({type(x) for x in value}) == 1:
            found = [_constant(x) for x in value]
            if None not in found:
                items = ", ".join(f[1] for f in found if f is not None)
                kind = found[0][0]  # type: ignore[index]
                lines.append(f"static {kind} {name}[] = {{{items}}};")
            continue
        one = _constant(value)
        if one is not None:
            lines.append(f"static {one[0]} {name} = {one[1]};")
    return "\n".join(lines)


def _constant(value: Any) -> tuple[str, str] | None:
    """The C type and text of a value."""
    if isinstance(value, bool):
        return "const bool", str(value).lower()
    if isinstance(value, int):
        if not -(2**63) <= value < 2**63:
            return None
        # the smallest number has no literal of its own
        return "const int64_t", f"({value + 1}LL - 1)" if value < 0 else f"{value}LL"
    if isinstance(value, float):
        return "const double", number_text(value)
    if isinstance(value, str):
        return "const char* const", _string(value)
    return None


def number_text(value: float, dtype: str = "float64") -> str:
    """A float as C text."""
    if value != value:
        return "NAN"
    if value in (float("inf"), float("-inf")):
        return "INFINITY" if value > 0 else "(-INFINITY)"
    text = repr(float(value))
    text = text if "." in text or "e" in text else f"{text}.0"
    return f"({text}{'f' if dtype == 'float32' else ''})"


def _string(value: str) -> str:
    # each byte on its own: no digit may follow an escape
    return '"' + "".join(f"\\{b:03o}" for b in value.encode()) + '"'


def _begin(arrays: Sequence[Array], headers: Sequence[str]) -> str:
    found = ["<stdint.h>", "<stddef.h>", "<stdio.h>", "<string.h>", "<math.h>", "<exception>"]
    if any(a.dtype.startswith("complex") for a in arrays):
        found.append("<complex>")
    found += [h if h.startswith(("<", '"')) else f'"{h}"' for h in headers]
    return "\n".join(f"#include {h}" for h in dict.fromkeys(found)) + "\n" + _SIZE


def _entries(n_in: int, n_out: int, fails: bool, run: str, *, xla: bool) -> str:
    words = {"n_in": n_in, "n_out": n_out, "n": n_in + n_out, "fails": int(fails)}
    text = run + _CTYPES % words
    return text + _XLA % words if xla else text


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

# NumPy's names of number types, which C code of scalar ops uses, without NumPy's headers
_NPY = """
typedef unsigned char npy_bool;
typedef signed char npy_int8;
typedef short npy_int16;
typedef int npy_int32;
typedef int64_t npy_int64;
typedef unsigned char npy_uint8;
typedef unsigned short npy_uint16;
typedef unsigned int npy_uint32;
typedef uint64_t npy_uint64;
typedef float npy_float32;
typedef double npy_float64;
typedef float npy_float;
typedef double npy_double;
"""

# A loop over the elements of the outputs: begin and end count them. Where all inputs are as they
# are expected to be, it is one flat loop; elsewhere a loop for each row.
_LOOP = """
struct TheanoLoop {
  void* const* data;
  int64_t rank;
  const int64_t* shape;  // of the outputs
  bool flat;
  int64_t steps[%(n)s + 1][16];  // of each input, in elements, by dimension
};

static bool theano_plan(TheanoLoop* loop, void* const* data, const int64_t* const* dims,
                        const int64_t* ranks) {
  loop->data = data;
  loop->rank = ranks[%(n)s];
  loop->shape = dims[%(n)s];
  loop->flat = true;
  if (loop->rank > 16) return false;
  const int64_t size = theano_size(loop->rank, loop->shape);
  for (int k = 0; k < %(n)s; k++) {
    const int64_t own = theano_size(ranks[k], dims[k]);
    if (own != (theano_expected[k] ? size : 1)) loop->flat = false;
    int64_t step = 1;
    for (int64_t d = loop->rank - 1, e = ranks[k] - 1; d >= 0; d--, e--) {
      const int64_t length = e >= 0 ? dims[k][e] : 1;
      loop->steps[k][d] = length == 1 ? 0 : step;
      step *= length;
    }
  }
  return true;
}

static void theano_piece(const TheanoLoop* loop, int64_t begin, int64_t end) {
  if (begin >= end) return;
  char* at[%(all)s];
  if (loop->flat) {
    for (int k = 0; k < %(all)s; k++) {
      const int64_t skip = k < %(n)s && !theano_expected[k] ? 0 : begin;
      at[k] = (char*) loop->data[k] + skip * theano_width[k];
    }
    theano_flat(%(passed)s, end - begin);
    return;
  }
  const int64_t last = loop->rank - 1;
  int64_t index[16], rest = begin;
  for (int64_t d = last; d >= 0; d--) {
    index[d] = rest %% loop->shape[d];
    rest /= loop->shape[d];
  }
  int64_t inner[%(n)s + 1];
  bool as_expected = true;
  for (int k = 0; k < %(n)s; k++) {
    inner[k] = last < 0 ? 0 : loop->steps[k][last];
    as_expected = as_expected && inner[k] == theano_expected[k];
  }
  while (begin < end) {
    int64_t count = last < 0 ? 1 : loop->shape[last] - index[last];
    if (count > end - begin) count = end - begin;
    for (int k = 0; k < %(all)s; k++) {
      int64_t offset = begin;
      if (k < %(n)s) {
        offset = 0;
        for (int64_t d = 0; d <= last; d++) offset += index[d] * loop->steps[k][d];
      }
      at[k] = (char*) loop->data[k] + offset * theano_width[k];
    }
    if (as_expected) theano_flat(%(passed)s, count);
    else theano_strided(%(passed)s, count, inner);
    begin += count;
    if (last < 0) break;
    index[last] += count;
    for (int64_t d = last; d > 0 && index[d] == loop->shape[d]; d--) {
      index[d] = 0;
      index[d - 1]++;
    }
  }
}
"""

# how a kernel runs that its author wrote: in one piece
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
#define THEANO_RUN_IN_XLA(frame, data, dims, ranks, message, room) \\
  theano_run(data, dims, ranks, message, room)
"""

# How a loop runs: in one piece, or in pieces that the threads of XLA take. The thread that was
# called takes pieces too, and waits only for those that another has begun: it never waits for a
# task that has no thread.
_SHARED = """
static int theano_run(void* const* data, const int64_t* const* dims, const int64_t* ranks,
                      char* message, size_t room) {
  TheanoLoop loop;
  if (!theano_plan(&loop, data, dims, ranks)) {
    snprintf(message, room, "C code of numbers takes at most 16 dimensions");
    return 1;
  }
  theano_piece(&loop, 0, theano_size(loop.rank, loop.shape));
  return 0;
}
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

_XLA_BEGIN = """
#include "xla/ffi/api/c_api.h"
"""

_XLA = _XLA_BEGIN + """
#ifndef THEANO_RUN_IN_XLA
#include <sched.h>
#include <stdlib.h>
struct TheanoWork {
  TheanoLoop loop;
  int64_t size, pieces, next, done, holders;
};
static const int64_t theano_piece_length = 1 << 14;

static void theano_take_pieces(TheanoWork* work) {
  for (;;) {
    const int64_t k = __atomic_fetch_add(&work->next, 1, __ATOMIC_RELAXED);
    if (k >= work->pieces) return;
    const int64_t begin = k * theano_piece_length, end = begin + theano_piece_length;
    theano_piece(&work->loop, begin, end < work->size ? end : work->size);
    __atomic_fetch_add(&work->done, 1, __ATOMIC_RELEASE);
  }
}

static void theano_let_go(TheanoWork* work) {
  if (__atomic_sub_fetch(&work->holders, 1, __ATOMIC_ACQ_REL) == 0) free(work);
}

static void theano_task(void* work) {
  theano_take_pieces((TheanoWork*) work);
  theano_let_go((TheanoWork*) work);
}

static void theano_forget(const XLA_FFI_CallFrame* frame, XLA_FFI_Error* error) {
  XLA_FFI_Error_Destroy_Args args = {};
  args.struct_size = XLA_FFI_Error_Destroy_Args_STRUCT_SIZE;
  args.error = error;
  frame->api->XLA_FFI_Error_Destroy(&args);
}

static int64_t theano_threads(const XLA_FFI_CallFrame* frame) {
  int64_t threads = 1;
  XLA_FFI_ThreadPool_NumThreads_Args args = {};
  args.struct_size = XLA_FFI_ThreadPool_NumThreads_Args_STRUCT_SIZE;
  args.ctx = frame->ctx;
  args.num_threads = &threads;
  XLA_FFI_Error* error = frame->api->XLA_FFI_ThreadPool_NumThreads(&args);
  if (error != NULL) theano_forget(frame, error);
  return error != NULL ? 1 : threads;
}

static int theano_run_in_xla(const XLA_FFI_CallFrame* frame, void* const* data,
                             const int64_t* const* dims, const int64_t* ranks, char* message,
                             size_t room) {
  const int64_t size = theano_size(ranks[%(n_in)s], dims[%(n_in)s]);
  const int64_t pieces = (size + theano_piece_length - 1) / theano_piece_length;
  TheanoWork* work = pieces < 4 ? NULL : (TheanoWork*) calloc(1, sizeof(TheanoWork));
  if (work == NULL) return theano_run(data, dims, ranks, message, room);
  if (!theano_plan(&work->loop, data, dims, ranks)) {
    free(work);
    return theano_run(data, dims, ranks, message, room);
  }
  work->size = size;
  work->pieces = pieces;
  work->holders = 1;
  const int64_t threads = theano_threads(frame);
  for (int64_t k = 1; k < threads && k < pieces; k++) {
    XLA_FFI_ThreadPool_Schedule_Args args = {};
    args.struct_size = XLA_FFI_ThreadPool_Schedule_Args_STRUCT_SIZE;
    args.ctx = frame->ctx;
    args.task = theano_task;
    args.data = work;
    __atomic_add_fetch(&work->holders, 1, __ATOMIC_RELAXED);
    XLA_FFI_Error* error = frame->api->XLA_FFI_ThreadPool_Schedule(&args);
    if (error != NULL) {
      theano_forget(frame, error);
      theano_let_go(work);
      break;
    }
  }
  theano_take_pieces(work);
  while (__atomic_load_n(&work->done, __ATOMIC_ACQUIRE) < pieces) sched_yield();
  theano_let_go(work);
  return 0;
}
#define THEANO_RUN_IN_XLA theano_run_in_xla
#endif

extern "C" __attribute__((visibility("default")))
XLA_FFI_Error* theano_xla(XLA_FFI_CallFrame* frame) {
  // which version of the interface this was compiled for: asked once, without arguments
  if (frame->extension_start != NULL && (int) frame->extension_start->type == 1) {
    XLA_FFI_Metadata* told = ((XLA_FFI_Metadata_Extension*) frame->extension_start)->metadata;
    told->api_version.struct_size = XLA_FFI_Api_Version_STRUCT_SIZE;
    told->api_version.extension_start = NULL;
    told->api_version.major_version = XLA_FFI_API_MAJOR;
    told->api_version.minor_version = XLA_FFI_API_MINOR;
    told->traits = 0;
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
      // state that XLA may overwrite would be lost with an error: whoever asked looks at this
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
