"""Call the log-density from Python, with ctypes.

`cc -O2 -shared -fPIC model.c -lm -o libmodel.so` compiles the library.
"""

import ctypes

import numpy as np

library = ctypes.CDLL("./libmodel.so")


def log_density(q, x, y):
    """The log-density and its gradient, given contiguous arrays of float64."""
    given = [item for v in (q, x, y) for item in (v.ctypes, ctypes.c_int64(v.size))]
    sizes, density, gradient = np.empty(2, "int64"), np.empty(()), np.empty_like(q)
    code = library.logp_sizes(*given, sizes.ctypes)
    scratch = np.empty(-(-sizes[0] // 16), "complex128")
    code = code or library.logp(*given, density.ctypes, gradient.ctypes, scratch.ctypes)
    if code:
        library.model_message.restype = ctypes.c_char_p
        raise ValueError(library.model_message(code).decode())
    return density, gradient


x, y = np.arange(4.0), np.array([0.4, 2.7, 4.4, 6.5])
density, gradient = log_density(np.array([0.5, 2.0, -1.0]), x, y)
print(repr(float(density)), *map(repr, gradient.tolist()))
