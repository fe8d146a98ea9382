"""The xp contract for jax.numpy: the namespace that ``Op.compute`` gets while XLA traces it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from functools import cache
from typing import Any

import numpy as np

from theano._src.engines.jax.arrays.absent import Fourier, Linalg
from theano._src.engines.jax.arrays.convolution import jax_convolution
from theano._src.engines.jax.arrays.materialized import materialized
from theano._src.engines.jax.arrays.matrix_rows import one_of_each_row, sum_rows
from theano._src.engines.jax.arrays.products import (
    jax_dot,
    jax_einsum,
    jax_matmul,
    jax_prod,
    jax_tensordot,
)
from theano._src.engines.jax.arrays.quotients import reciprocal, true_divide
from theano._src.engines.jax.arrays.windows import fold_windows, spread_windows
from theano._src.engines.jax.devices import target
from theano._src.engines.jax.faults import compiler_options
from theano._src.engines.jax.mesh_devices import constrained
from theano._src.engines.jax.private_jax import released
from theano._src.ground.errors import OnlyOnHost
from theano._src.ground.length_numbers import are_numbers
from theano._src.ground.xp import numpy_xp, wide_index


class JaxXp:
    """jax.numpy under NumPy's names; jax is loaded when the first name is looked up."""

    name = "jax"
    #: convolution and its transposes, in the form that suits the shapes
    conv = jax_convolution
    # full contractions are split into a product and a sum where XLA would lose digits
    dot = staticmethod(jax_dot)
    matmul = staticmethod(jax_matmul)
    tensordot = staticmethod(jax_tensordot)
    einsum = staticmethod(jax_einsum)
    prod = staticmethod(jax_prod)
    true_divide = staticmethod(true_divide)
    reciprocal = staticmethod(reciprocal)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        import jax.numpy

        try:
            result = getattr(jax.numpy, name)
        except AttributeError:
            raise AttributeError(
                f"jax.numpy has no {name!r}; write compute with names that both namespaces have, "
                "or set runs_on = 'host'"
            ) from None
        setattr(self, name, result)
        return result

    @property
    def special(self) -> Any:
        """jax.scipy.special, under SciPy's names."""
        return _special

    @property
    def slinalg(self) -> Any:
        """jax.scipy.linalg, under SciPy's names."""
        import jax.scipy.linalg

        return Linalg(jax.scipy.linalg)

    @property
    def linalg(self) -> Any:
        """jax.numpy.linalg."""
        import jax.numpy

        return Linalg(jax.numpy.linalg)

    @property
    def fft(self) -> Any:
        """jax.numpy.fft."""
        import jax.numpy

        return Fourier(jax.numpy.fft)

    @staticmethod
    def astype(x: Any, dtype: Any) -> Any:
        import jax

        if isinstance(x, jax.Array) and x.dtype == dtype and not x.weak_type:
            return x  # the usual case: tracing a cast costs as much as tracing an operation
        x = jax.numpy.asarray(x)
        if x.dtype == bool and np.dtype(dtype).kind in "fc":
            # XLA turns a product with a bool into a select, and NaN into zero where it is false
            x = x.astype("int8")
        return x.astype(dtype)

    @staticmethod
    def once(x: Any) -> Any:
        """``x``, computed once for all that read it.

        On TPUs, XLA computes a sum again in each product that reads it, if it can: of a block of
        attention this was a fifth of the cycles.
        """
        return materialized(x) if target() == "tpu" else x

    @staticmethod
    def accumulator(dtype: str, wide: str) -> str:
        """The dtype in which arrays of ``dtype`` are summed if nothing says.

        TPUs have no float64. XLA computes it with pairs of float32, which take many times as long
        and do not fuse with the products that a sum follows.
        """
        if target() != "tpu":
            return wide
        return _HALVES.get((dtype, wide), wide)

    constrained = staticmethod(constrained)
    sum_rows = staticmethod(sum_rows)
    one_of_each_row = staticmethod(one_of_each_row)
    fold_windows = staticmethod(fold_windows)
    spread_windows = staticmethod(spread_windows)

    @staticmethod
    def triangular_factor(x: Any, lower: bool) -> Any:
        """The Cholesky factor of the matrix that one triangle of ``x`` defines."""
        return _triangular_factor()(x, lower)

    @staticmethod
    def map_rows(function: Any, arrays: Any) -> list[Any]:
        """``function(rows)``, a list of arrays, for each row of all ``arrays``, vectorized."""
        import jax

        return list(jax.vmap(function)(list(arrays)))

    @staticmethod
    def validated(node: Any, args: Sequence[Any]) -> None:
        """Run the op's validation of its inputs, as far as shapes and dtypes determine it."""
        import jax

        text = (jax.errors.ConcretizationTypeError, jax.errors.TracerArrayConversionError)
        with suppress(*text, jax.errors.TracerIntegerConversionError):
            node.op.validate(node, args)  # conditions on values are in `checks`

    @staticmethod
    def cond(pred: Any, then: Any, otherwise: Any, operands: Any) -> list[Any]:
        """``then(*operands)`` if ``pred`` holds, else ``otherwise(*operands)``; only one runs."""
        import jax

        branches = released(then), released(otherwise)
        return list(jax.lax.cond(jax.numpy.asarray(pred, bool), *branches, *operands))

    @staticmethod
    def scan(step: Any, carry: Any, sequences: Any, n: int, reverse: bool) -> Any:
        """``carry, made = step(carry, elements)`` per step; return the last carry, and all made."""
        import jax

        if are_numbers(n):
            return jax.lax.scan(released(step), carry, sequences, length=n, reverse=reverse)

        # a symbolic length is taken from a sequence
        def stepped(carry: Any, row: Any) -> Any:
            return step(carry, row[1])

        rows = (jax.numpy.arange(n), sequences)
        return jax.lax.scan(released(stepped), carry, rows, reverse=reverse)

    @staticmethod
    def map_steps(step: Any, sequences: Any, n: int, at_once: int) -> Any:
        """The results of ``step(elements)`` for each of ``n`` steps, ``at_once`` at a time."""
        import jax

        if at_once is n or at_once >= n:
            return jax.vmap(step, axis_size=n)(sequences)
        return jax.lax.map(released(step), sequences, batch_size=at_once)

    @staticmethod
    def while_loop(goes_on: Any, step: Any, carry: Any) -> Any:
        """``carry = step(carry)`` while ``goes_on(carry)``."""
        import jax

        return jax.lax.while_loop(released(goes_on), released(step), carry)

    @staticmethod
    def take_row(x: Any, i: Any) -> Any:
        """Row ``i``, which must exist."""
        import jax

        return jax.lax.dynamic_index_in_dim(x, i, keepdims=False)

    @staticmethod
    def put_row(x: Any, row: Any, i: Any) -> Any:
        """``x`` with row ``i``, which must exist, replaced by ``row``."""
        import jax

        return jax.lax.dynamic_update_index_in_dim(x, row, i, 0)

    @staticmethod
    def outline(function: Any) -> Any:
        """A function that returns the shapes and dtypes of the results of ``function``."""
        return outline(function)

    @staticmethod
    def index_set(x: Any, index: Any, value: Any) -> Any:
        """``x`` with ``x[index]`` replaced by ``value``."""
        import jax.numpy

        return jax.numpy.asarray(x).at[wide_index(index)].set(materialized(value))

    @staticmethod
    def index_add(x: Any, index: Any, value: Any) -> Any:
        """``x`` with ``value`` added at ``index``; repeated indices add up."""
        import jax.numpy

        x, index = jax.numpy.asarray(x), wide_index(index)
        if x.dtype == bool:  # JAX adds no bools; NumPy's sum of them is "or"
            return x.at[index].max(materialized(value))
        return x.at[index].add(materialized(value))

    @staticmethod
    def dynamic_slice(x: Any, starts: Any, lengths: Any) -> Any:
        """The block of ``x`` that begins at ``starts``, moved inside if it would stick out."""
        import jax

        return jax.lax.dynamic_slice(x, _as_starts(starts), lengths)

    @staticmethod
    def write_block(x: Any, y: Any, starts: Any, counts: Any, add: bool) -> Any:
        """``x`` with ``y``, broadcast to ``counts``, stored in or added to the block at ``starts``.

        A dimension whose count is None is a single index, which ``y`` does not have. The block is
        moved inside if it would stick out.
        """
        import jax

        starts, lengths = _as_starts(starts), [1 if c is None else c for c in counts]
        y = (
            y if np.prod(lengths) == 1 else materialized(y)
        )  # one element is read before it is written
        y = jax.numpy.broadcast_to(y, [c for c in counts if c is not None]).reshape(lengths)
        if add:
            y = jax.lax.dynamic_slice(x, starts, lengths) + y
        return jax.lax.dynamic_update_slice(x, y, starts)

    @staticmethod
    def nonzero(a: Any, size: int) -> Any:
        """The indices where ``a`` is not 0; their number is ``size``."""
        import jax.numpy

        a = jax.numpy.asarray(a)
        if target() != "cpu" or a.size == 0 or size == 0:
            return jax.numpy.nonzero(a, size=size)
        at = _count_places(a.reshape(-1) != 0, size)
        return (at,) if a.ndim == 1 else jax.numpy.unravel_index(at, a.shape)

    @staticmethod
    def call_kernel(kernel: Any, inputs: Any, outputs: Any) -> tuple[list[Any], list[Any]]:
        """The results of a C kernel on arrays, and the flags of its failures.

        ``outputs`` are shapes and dtypes. The kernel becomes part of the program, only on a CPU.
        """
        import jax

        if target() != "cpu":
            raise OnlyOnHost(f"the C code of {kernel.who} runs on CPUs, not on {target()}")
        results = [jax.ShapeDtypeStruct(shape, dtype) for shape, dtype in outputs]
        if kernel.can_fail:
            results.append(jax.ShapeDtypeStruct((), "int32"))
        batching = "expand_dims" if kernel.elementwise else "sequential"
        call = jax.ffi.ffi_call(_registered(kernel), results, vmap_method=batching)
        result = list(call(*inputs))
        return (result[:-1], [result[-1] == 0]) if kernel.can_fail else (result, [])

    @staticmethod
    def join_complex(real: Any, imag: Any) -> Any:
        """Complex numbers from their parts; ``real + 1j * imag`` would turn infinities into NaN."""
        import jax

        return jax.lax.complex(*jax.numpy.broadcast_arrays(real, imag))

    @staticmethod
    def arctan2(y: Any, x: Any) -> Any:
        # XLA returns NaN for zeros that are constants in its loops: docs/internals/engine-faults.md
        import jax.numpy as jnp

        angle = jnp.arctan2(y, x)
        return jnp.where((x == 0) & (y == 0), _angle_of_zero(x, y), angle)

    @staticmethod
    def log(x: Any) -> Any:
        return _log("log", x)

    @staticmethod
    def log2(x: Any) -> Any:
        return _log("log2", x, 1 / math.log(2))

    @staticmethod
    def log10(x: Any) -> Any:
        return _log("log10", x, 1 / math.log(10))

    @staticmethod
    def log1p(x: Any) -> Any:
        return _log("log1p", x, at=-1)

    @staticmethod
    def promote_types(a: Any, b: Any) -> Any:
        # jax promotes int32 with float32 to float32; dtypes here follow NumPy
        return np.promote_types(a, b)

    @staticmethod
    def result_type(*args: Any) -> Any:
        return np.result_type(*[getattr(a, "dtype", a) for a in args])

    @staticmethod
    def errstate(**states: str) -> AbstractContextManager[None]:
        # XLA never warns
        return nullcontext()


#: accumulators that TPUs compute with pairs of numbers, by the dtype of the terms, and their halves
_HALVES = {
    ("float16", "float64"): "float32",
    ("float32", "float64"): "float32",
    ("complex64", "complex128"): "complex64",
}

#: kernels that XLA knows, by names that depend on their content
known_kernels: dict[str, Any] = {}


def _registered(kernel: Any) -> str:
    """The name under which XLA knows a kernel; register it before a program with it is loaded."""
    import jax

    name: str = kernel.name
    if name not in known_kernels:
        library = kernel.library()
        handler = jax.ffi.pycapsule(library.theano_xla)
        jax.ffi.register_ffi_target(name, handler, platform="cpu")
        known_kernels[name] = library
    return name


@cache
def _triangular_factor() -> Any:
    import jax
    import jax.numpy as jnp

    def factor(x: Any, lower: bool) -> Any:
        return jax.scipy.linalg.cholesky(x, lower=lower)

    def tangent(lower: bool, primals: Any, tangents: Any) -> Any:
        # NOTE: jax's own rule assumes that the tangent's other triangle mirrors this one
        def mirrored(x: Any) -> Any:
            part = jnp.tril(x) if lower else jnp.triu(x)
            rest = jnp.tril(x, -1) if lower else jnp.triu(x, 1)
            whole = part + jnp.conj(jnp.swapaxes(rest, -1, -2))
            return jax.scipy.linalg.cholesky(whole, lower=lower)

        return jax.jvp(mirrored, primals, tangents)

    result: Any = jax.custom_jvp(factor, nondiff_argnums=(1,))
    result.defjvp(tangent)
    return result


def _angle_of_zero(x: Any, y: Any) -> Any:
    """0 or pi by the sign of ``x``, with the sign of ``y``."""
    import jax.numpy as jnp

    dtype = jnp.result_type(x, y, "float16")
    half = jnp.where(jnp.signbit(x), jnp.asarray(np.pi, dtype), jnp.asarray(0, dtype))
    return jnp.copysign(half, y)


def _log(name: str, x: Any, unit: float = 1.0, at: int = 0) -> Any:
    """A logarithm of ``jax.numpy``, with the correct angle where it is -inf, at ``at``."""
    import jax.numpy as jnp

    result = getattr(jnp, name)(x)
    if result.dtype.kind != "c":
        return result
    angle = unit * _angle_of_zero(jnp.real(x) - at, jnp.imag(x))
    return JaxXp.join_complex(jnp.real(result), jnp.where(x == at, angle, jnp.imag(result)))


def _count_places(mask: Any, size: int) -> Any:
    """The indices where a mask holds, found in one pass.

    jax's own form is for many cores: on a CPU it runs 5 times and compiles 10 times as long.
    """
    import jax
    import jax.numpy as jnp

    def step(i: Any, state: Any) -> Any:
        places, result = state
        # written for every i; the next one overwrites it unless the mask holds
        places = jax.lax.dynamic_update_slice(places, i[None], (result,))
        return places, result + mask[i].astype(result.dtype)

    start = (jnp.zeros(size + 1, "int64"), jnp.zeros((), "int64"))
    places, _ = jax.lax.fori_loop(np.int64(0), np.int64(mask.size), step, start)
    return places[:size]


def _as_starts(starts: Any) -> Any:
    # XLA requires one dtype
    import jax.numpy

    return [jax.numpy.asarray(s, dtype="int64") for s in starts]


class _Special:
    """jax.scipy.special, with SciPy's spelling where the two differ."""

    _SPELLED = {"psi": "digamma"}

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        import jax.scipy.special

        try:
            result = getattr(jax.scipy.special, self._SPELLED.get(name, name))
        except AttributeError:
            raise AttributeError(
                f"jax.scipy.special has no {name!r}; give lower_xla a form of its own, "
                "or set runs_on = 'host'"
            ) from None
        setattr(self, name, result)
        return result


_special = _Special()
jax_xp = JaxXp()


class FoldingXp:
    """jax_xp, except that calls without traced values run on NumPy: their results are known now."""

    name = "jax"

    def __getattr__(self, name: str) -> Any:
        import jax
        from jax.export import is_symbolic_dim

        traced, known = getattr(jax_xp, name), getattr(numpy_xp, name, None)
        if known is None or not callable(traced) or isinstance(traced, type):
            return traced

        def call(*args: Any, **kwargs: Any) -> Any:
            for a in (*args, *kwargs.values()):
                several = a if isinstance(a, list | tuple) else (a,)
                if any(isinstance(one, jax.Array) or is_symbolic_dim(one) for one in several):
                    return traced(*args, **kwargs)
            return known(*args, **kwargs)

        setattr(self, name, call)
        return call


folding_xp = FoldingXp()


def x64() -> AbstractContextManager[Any]:
    """64-bit types in jax for one block; a new context each time, so that none leaks."""
    import jax

    context: AbstractContextManager[Any] = jax.enable_x64(True)
    return context


def jit(function: Any, **options: Any) -> Any:
    """Return ``jax.jit`` of a function, with options that avoid the known faults of this jaxlib."""
    import jax

    avoiding = compiler_options() if target() == "cpu" else None
    return jax.jit(released(function), compiler_options=avoiding, **options)


def outline(function: Any) -> Any:
    """A function that returns the shapes and dtypes of the results of ``function``, by tracing."""
    import jax

    return lambda *args: jax.eval_shape(released(function), *args)
