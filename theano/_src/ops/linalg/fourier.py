"""Fourier transforms of real numbers; complex numbers are pairs in a last axis of length 2."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from theano._src.graph.graph import Apply
from theano._src.graph.op import Op
from theano._src.ground.array_types import Array, ArrayNamespace
from theano._src.ground.documented import documented_in
from theano._src.ops.core.cast import cast
from theano._src.ops.core.grad_helpers import const_like
from theano._src.ops.elementwise.arithmetic import add, int_div, minimum, sqrt, true_div
from theano._src.ops.elementwise.compare import and_, ge, lt, switch
from theano._src.ops.index.index import set_subtensor
from theano._src.ops.index.index_grad import zero_like
from theano._src.ops.index.slices import int64
from theano._src.ops.linalg.matrix_stacks import in_working_dtype, working_dtype
from theano._src.ops.shape.alloc import alloc
from theano._src.ops.shape.dims import dimshuffle, patternbroadcast
from theano._src.ops.shape.join import make_vector
from theano._src.ops.shape.ranges import arange
from theano._src.ops.shape.shape import shape_i
from theano._src.ops.shape.static_values import as_length, product, vector_entries, vector_length
from theano._src.types.aliases import TensorLike
from theano._src.types.convert import as_tensor_variable
from theano._src.types.dtypes import complex_dtypes, integer_dtypes
from theano._src.types.null import disconnected
from theano._src.types.tensor import TensorVariable, tensor_type


class _Transform(Op):
    """A transform over all dimensions but the first, to lengths ``s``."""

    __props__: ClassVar[tuple[str, ...]] = ()
    demand_only = (1,)
    nondiff_inputs = slice(1, None)
    linear_in = (0,)

    _extra = 0  # trailing dimensions that are not transformed

    def _inputs(self, a: TensorLike, s: TensorLike) -> tuple[TensorVariable, TensorVariable]:
        who = type(self).__name__
        a = as_tensor_variable(a)
        if a.ndim < 2 + self._extra:
            last = ", with real and imaginary parts in the last" if self._extra else ""
            raise TypeError(
                f"{who} takes {2 + self._extra} or more dimensions, with batches in the "
                f"first{last}, got {a} of type {a.type}"
            )
        if a.dtype in complex_dtypes:
            raise TypeError(f"{who} takes real numbers, got {a.dtype}")
        count = a.ndim - 1 - self._extra
        if s is None:
            s = make_vector(*self._own_lengths(a))
        s = as_tensor_variable(s)
        if s.ndim != 1 or s.dtype not in integer_dtypes:
            raise TypeError(
                f"{who}: length of the transformed axis must be of type integer; a vector of them "
                f"is taken as s, got {s} of type {s.type}"
            )
        known = vector_length(s)
        if known is not None and known != count:
            raise ValueError(f"{who} takes {count} lengths for {a.type}, got {known} in s")
        return a, s

    def _own_lengths(self, a: TensorVariable) -> list[Any]:
        raise NotImplementedError

    def _lengths(self, node: Apply) -> list[Any]:
        """The lengths ``s`` of the transform, as int64 scalars."""
        a, s = node.inputs
        return [as_length(n) for n in vector_entries(s, a.type.ndim - 1 - self._extra)]

    def demands(self, node: Apply, shapes: Sequence[Any]) -> Sequence[Any]:
        return self._lengths(node)

    def compute(self, xp: ArrayNamespace, a: Array, s: Array) -> Any:
        return self.lower_xla(xp, [int(n) for n in s], a)

    def _check(self, a: Array, lengths: Sequence[int]) -> None:
        who = type(self).__name__
        if len(lengths) != a.ndim - 1 - self._extra:
            raise ValueError(
                f"{who} takes one length for each transformed dimension of shape {a.shape}, got "
                f"{list(lengths)}"
            )
        if any(n < 1 for n in lengths):
            raise ValueError(f"{who} takes lengths of 1 or more, got {list(lengths)}")


@documented_in("theano.tensor.fft")
class RFFTOp(_Transform):
    """The non-redundant half of the Fourier transform of real numbers, not scaled.

    Examples
    --------
    >>> import theano.tensor as T
    >>> from theano.tensor.fft import rfft_op
    >>> rfft_op(T.constant([[1.0, 2.0]]), [3]).eval().round(6)[0].tolist()
    [[3.0, 0.0], [0.0, -1.732051]]
    """

    __props__ = ()

    def make_node(self, a: TensorLike, s: TensorLike = None) -> Apply:
        a, s = self._inputs(a, s)
        out = tensor_type(working_dtype(a.dtype), (False,) * (a.ndim + 1))
        return Apply(self, [a, s], [out()])

    def _own_lengths(self, a: TensorVariable) -> list[Any]:
        return [shape_i(a, i) for i in range(1, a.ndim)]

    def lower_xla(self, xp: ArrayNamespace, sizes: Sequence[int], *inputs: Array) -> Any:
        a = in_working_dtype(xp, inputs[0])
        self._check(a, sizes)
        *others, n = sizes
        result = xp.fft.rfft(a, n=n, axis=-1)
        for axis, m in enumerate(others, 1):
            result = xp.fft.fft(result, n=m, axis=axis)
        return xp.stack([xp.real(result), xp.imag(result)], axis=-1)

    def infer_shape(self, node: Apply, shapes: Sequence[Any]) -> list[tuple[Any, ...]]:
        *others, n = self._lengths(node)
        return [(shapes[0][0], *others, add(int_div(n, int64(2)), int64(1)), int64(2))]

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        (a, s), (g,) = inputs, output_grads
        result = irfft_op(_weighted(g, s, 0.5), s)
        return [_fitted(result, a, range(1, a.ndim)), disconnected()]


@documented_in("theano.tensor.fft")
class IRFFTOp(_Transform):
    """The inverse of ``RFFTOp``, not scaled: the original numbers times their count.

    Examples
    --------
    >>> import theano.tensor as T
    >>> from theano.tensor.fft import irfft_op
    >>> irfft_op(T.constant([[[3.0, 0.0], [1.0, 0.0]]])).eval().tolist()
    [[4.0, 2.0]]
    """

    __props__ = ()
    _extra = 1

    def make_node(self, a: TensorLike, s: TensorLike = None) -> Apply:
        a, s = self._inputs(a, s)
        out = tensor_type(working_dtype(a.dtype), (False,) * (a.ndim - 1))
        return Apply(self, [a, s], [out()])

    def _own_lengths(self, a: TensorVariable) -> list[Any]:
        *others, n = (shape_i(a, i) for i in range(1, a.ndim - 1))
        return [*others, (n - 1) * 2]

    def lower_xla(self, xp: ArrayNamespace, sizes: Sequence[int], *inputs: Array) -> Any:
        a = in_working_dtype(xp, inputs[0])
        self._check(a, sizes)
        if a.shape[-1] != 2:
            raise ValueError(
                f"IRFFTOp takes real and imaginary parts in a last dimension of length 2, got "
                f"shape {tuple(a.shape)}"
            )
        *others, n = sizes
        result = xp.join_complex(a[..., 0], a[..., 1])
        for axis, m in enumerate(others, 1):
            result = xp.fft.ifft(result, n=m, axis=axis, norm="forward")
        return xp.fft.irfft(result, n=n, axis=-1, norm="forward")

    def infer_shape(self, node: Apply, shapes: Sequence[Any]) -> list[tuple[Any, ...]]:
        return [(shapes[0][0], *self._lengths(node))]

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        (a, s), (g,) = inputs, output_grads
        result = _weighted(rfft_op(g, s), s, 2)
        return [_fitted(result, a, range(1, a.ndim - 1)), disconnected()]


rfft_op = RFFTOp()
irfft_op = IRFFTOp()


def _weighted(half: TensorVariable, s: TensorVariable, weight: float) -> Any:
    """Multiply by ``weight`` all but the first and, for even n, the last (without conjugates)."""
    n = as_length(vector_entries(s, half.ndim - 2)[-1])
    k = arange(shape_i(half, half.ndim - 2))
    inside = and_(ge(k, int64(1)), lt(k, int_div(add(n, int64(1)), int64(2))))
    weights = switch(inside, const_like(weight, half), const_like(1, half))
    return half * dimshuffle(weights, *["x"] * (half.ndim - 2), 0, "x")


def _fitted(g: TensorVariable, a: TensorVariable, axes: Sequence[int]) -> Any:
    """Cut or zero-pad a gradient to the lengths of ``a``, as the transform did with ``a``."""
    lengths = [shape_i(a, i) for i in range(a.ndim)]
    part = tuple(
        slice(0, minimum(lengths[i], shape_i(g, i))) if i in axes else slice(None)
        for i in range(a.ndim)
    )
    whole = set_subtensor(alloc(zero_like(g), *lengths)[part], g[part])
    return patternbroadcast(whole, a.broadcastable)


def _scale(norm: str | None, inverse: bool, lengths: Sequence[Any], dtype: str) -> Any:
    """Return the divisor of the transform, or None for no scaling."""
    if norm not in (None, "ortho", "no_norm"):
        raise ValueError(
            f"Invalid value {norm!r} for norm: rfft and irfft take None, 'ortho' or 'no_norm'"
        )
    if norm == "no_norm" or (norm is None and not inverse):
        return None
    n = cast(product(lengths), dtype)
    return sqrt(n) if norm == "ortho" else n


@documented_in("theano.tensor.fft")
def rfft(inp: TensorLike, norm: str | None = None) -> TensorVariable:
    """The Fourier transform of real numbers over all dimensions but the first, the batch.

    Parameters
    ----------
    inp : real tensor, of shape (m, ..., n)
    norm : {None, 'ortho', 'no_norm'}
        'ortho' divides by the square root of the number of transformed elements; the other
        values do not scale.

    Returns
    -------
    tensor of shape (m, ..., n // 2 + 1, 2)
        The non-redundant frequencies, with real and imaginary parts in the last dimension.

    Examples
    --------
    >>> import theano.tensor as T
    >>> from theano.tensor.fft import rfft
    >>> rfft(T.constant([[1.0, 2.0, 3.0, 4.0]])).eval()[0].tolist()
    [[10.0, 0.0], [-2.0, 2.0], [-2.0, 0.0]]
    """
    inp = as_tensor_variable(inp)
    result = rfft_op(inp)
    lengths = [shape_i(inp, i) for i in range(1, inp.ndim)]
    scale = _scale(norm, False, lengths, result.dtype)
    return result if scale is None else true_div(result, scale)


@documented_in("theano.tensor.fft")
def irfft(inp: TensorLike, norm: str | None = None, is_odd: bool = False) -> Any:
    """The inverse of ``rfft``: real numbers from the non-redundant half of their transform.

    Parameters
    ----------
    inp : real tensor, of shape (m, ..., n // 2 + 1, 2)
    norm : {None, 'ortho', 'no_norm'}
        None divides by the number of elements, 'ortho' by its square root; 'no_norm' does not
        scale.
    is_odd : bool
        Whether n, the length of the last dimension of the result, is odd.

    Returns
    -------
    tensor of shape (m, ..., n)

    Examples
    --------
    >>> import theano.tensor as T
    >>> from theano.tensor.fft import irfft
    >>> irfft(T.constant([[[10.0, 0.0], [-2.0, 2.0], [-2.0, 0.0]]])).eval().tolist()
    [[1.0, 2.0, 3.0, 4.0]]
    """
    if is_odd not in (True, False):
        raise ValueError(f"Invalid value {is_odd!r} for is_odd: irfft takes True or False")
    inp = as_tensor_variable(inp)
    if inp.ndim < 3:
        return irfft_op(inp)  # raises
    *others, n = (shape_i(inp, i) for i in range(1, inp.ndim - 1))
    lengths = [*others, (n - 1) * 2 + int(is_odd)]
    result = irfft_op(inp, make_vector(*lengths))
    scale = _scale(norm, True, lengths, result.dtype)
    return result if scale is None else true_div(result, scale)
