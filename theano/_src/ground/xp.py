"""The xp contract: the array namespace that ``Op.compute`` uses, in its NumPy form.

``xp`` has NumPy's functions under NumPy's names, and the functions below where NumPy has none or
where immutable arrays (XLA) need another form. Each engine passes its own namespace.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from theano._src.ground.convolution import numpy_convolution


class NumpyXp:
    """NumPy, SciPy's special functions and linear algebra, and functional index updates."""

    name = "numpy"
    #: convolution and its transposes, by image patches
    conv = numpy_convolution

    def __getattr__(self, name: str) -> Any:
        result = getattr(np, name)
        setattr(self, name, result)
        return result

    @property
    def special(self) -> Any:
        """SciPy's special functions, loaded at first use."""
        import scipy.special

        return scipy.special

    @property
    def slinalg(self) -> Any:
        """SciPy's linear algebra, loaded at first use."""
        import scipy.linalg

        return scipy.linalg

    @staticmethod
    def astype(x: Any, dtype: Any) -> Any:
        return x if x.dtype == dtype else x.astype(dtype)

    @staticmethod
    def accumulator(dtype: str, wide: str) -> str:
        """Return the dtype in which arrays of ``dtype`` are summed if nothing says: ``wide``."""
        return wide

    @staticmethod
    def constrained(x: Any, sharding: Any) -> Any:
        """Return ``x``: there is one device."""
        return x

    @staticmethod
    def triangular_factor(x: Any, lower: bool) -> Any:
        """Return the Cholesky factor of ``x``; only one triangle of ``x`` is read."""
        return np.linalg.cholesky(x, upper=not lower)

    @staticmethod
    def map_rows(function: Any, arrays: Any) -> list[Any]:
        """Call ``function([x[i] for x in arrays])`` for each row ``i``; stack each output."""
        # with the ellipsis, a row of a vector is an array
        results = [function([x[i, ...] for x in arrays]) for i in range(len(arrays[0]))]
        return [np.stack(column) for column in zip(*results, strict=True)]

    @staticmethod
    def cond(pred: Any, then: Any, otherwise: Any, operands: Any) -> list[Any]:
        """Return ``then(*operands)`` if ``pred``, else ``otherwise(*operands)``; runs only one."""
        return list((then if pred else otherwise)(*operands))

    @staticmethod
    def scan(step: Any, carry: Any, sequences: Any, n: int, reverse: bool) -> Any:
        """Run ``carry, outputs = step(carry, elements)`` n times; return last carry, all outputs.

        ``sequences`` and ``outputs`` are lists of arrays, and there is at least one step.
        """
        all_made = []
        for t in range(n - 1, -1, -1) if reverse else range(n):
            carry, result = step(carry, [x[t] for x in sequences])
            all_made.append(result)
        in_order = all_made[::-1] if reverse else all_made
        return carry, [np.stack(column) for column in zip(*in_order, strict=True)]

    @staticmethod
    def while_loop(goes_on: Any, step: Any, carry: Any) -> Any:
        """Compute ``carry = step(carry)`` while ``goes_on(carry)``."""
        while goes_on(carry):
            carry = step(carry)
        return carry

    @staticmethod
    def index_set(x: Any, index: Any, value: Any) -> Any:
        """Return a copy of ``x`` in which ``x[index]`` is ``value``."""
        out = np.array(x, copy=True)
        out[index] = value
        return out

    @staticmethod
    def index_add(x: Any, index: Any, value: Any) -> Any:
        """Return a copy of ``x`` with ``value`` added at ``index``; repeated indices add up."""
        out = np.array(x, copy=True)
        # NOTE: add.at with a value that broadcasts over the index adds only its first row
        np.add.at(out, index, np.broadcast_to(value, out[index].shape))
        return out

    @staticmethod
    def call_kernel(kernel: Any, inputs: Any, outputs: Any) -> tuple[list[Any], list[Any]]:
        """Run a C kernel on arrays; return its outputs and its failure flags.

        ``outputs`` are shapes and dtypes. Here a failing kernel raises, so there are no flags.
        """
        results = [np.empty(shape, dtype) for shape, dtype in outputs]
        kernel.run(inputs, results)
        return results, []

    @staticmethod
    def join_complex(real: Any, imag: Any) -> Any:
        """Join two float32 or two float64 parts; an infinite part does not make the other NaN."""
        real, imag = np.broadcast_arrays(real, imag)
        out = np.empty(real.shape, "complex64" if real.dtype == "float32" else "complex128")
        out.real = real
        out.imag = imag
        return out


numpy_xp = NumpyXp()


def wide_index(index: Any) -> Any:
    """Convert integers in an index to 64 bits: jax compares them with lengths in their dtype."""
    if isinstance(index, tuple):
        return tuple(map(wide_index, index))
    narrow = getattr(index, "dtype", np.dtype(bool)).kind in "iu"
    return index.astype("int64") if narrow else index
