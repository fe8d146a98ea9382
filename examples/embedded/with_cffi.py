"""Call the log-density from Python, with cffi and the library of `with_ctypes.py`."""

import numpy as np
from cffi import FFI

ffi = FFI()
ffi.cdef("""
int logp_sizes(const double *q, int64_t q_n, const double *x, int64_t x_n,
               const double *y, int64_t y_n, int64_t *sizes);
int logp(const double *q, int64_t q_n, const double *x, int64_t x_n,
         const double *y, int64_t y_n, double *density, double *gradient, void *scratch);
const char *model_message(int code);
""")
library = ffi.dlopen("./libmodel.so")


def log_density(q, x, y):
    """The log-density and its gradient, given contiguous arrays of float64."""
    given = [item for v in (q, x, y) for item in (ffi.from_buffer("double[]", v), v.size)]
    sizes, density, gradient = ffi.new("int64_t[2]"), ffi.new("double *"), np.empty_like(q)
    code = library.logp_sizes(*given, sizes)
    scratch = ffi.new("long double[]", -(-sizes[0] // 16))
    code = code or library.logp(*given, density, ffi.from_buffer("double[]", gradient), scratch)
    if code:
        raise ValueError(ffi.string(library.model_message(code)).decode())
    return density[0], gradient


x, y = np.arange(4.0), np.array([0.4, 2.7, 4.4, 6.5])
density, gradient = log_density(np.array([0.5, 2.0, -1.0]), x, y)
print(repr(density), *map(repr, gradient.tolist()))
