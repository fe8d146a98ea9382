"""The C++ text of a loop: scalar C code, applied to arrays with broadcasting."""

from __future__ import annotations

from collections.abc import Sequence

from theano._src.c_code.kernel_text import Array, begin, entries

__all__ = ["loop_text"]


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
    """Return the text of a kernel that applies scalar C code to arrays, with broadcasting.

    Parameters
    ----------
    code : str
        Reads the variables of the inputs and sets those of the outputs.
    numbers : list of bool
        Which inputs are expected to have one element; the others are expected to have as many as
        the outputs. Sizes are checked at each call; other sizes work, but are slower.
    """
    arrays = [*inputs, *outputs]
    n = len(inputs)
    lines = [begin(arrays, headers), _NPY, support]
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
            lines.append(f"  const dtype_{inputs[k].name} theano_n{k} = theano_p{k}[0];")
        lines.append('  _Pragma("GCC ivdep")')
        lines.append("  for (int64_t theano_i = 0; theano_i < theano_count; theano_i++) {")
        for k, array in enumerate(inputs):
            at = "theano_i" if steps[k] == "1" else f"theano_i * {steps[k]}"
            value = f"theano_n{k}" if k in hoisted else f"theano_p{k}[{at}]"
            lines.append(f"    dtype_{array.name} {array.name} = {value};")
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
    lines.append(_LOOP % {"passed": passed, "n": n, "all": len(arrays)})
    lines.append(entries(n, len(outputs), False, _RUN, _THREADS if xla else None))
    return "\n".join(lines)


# NumPy's names of number types, which scalar C code uses, without NumPy's headers
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


# A loop over the elements of the outputs from begin to end. It is one flat loop if all inputs have
# the expected sizes, and otherwise one loop per row.
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


_RUN = """
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

# A loop runs in one piece, or in pieces that the threads of XLA take. The calling thread takes
# pieces, too, and waits only for pieces that another thread has begun: it never waits for a task
# that has no thread.
_THREADS = """#include <sched.h>
#include <stdlib.h>
#include <unistd.h>
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
  for (int k = 0; __atomic_load_n(&work->done, __ATOMIC_ACQUIRE) < pieces; k++) {
    if (k < 100) sched_yield();
    else usleep(20);  // the thread that has the last piece is not running
  }
  theano_let_go(work);
  return 0;
}
#define THEANO_RUN_IN_XLA theano_run_in_xla
"""
