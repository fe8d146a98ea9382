"""The complex Fourier transform of one dimension, as an op with symbolic length and dimension."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from theano._src.graph.graph import Apply, Constant
from theano._src.graph.op import Op
from theano._src.ground.array_types import Array, ArrayNamespace
from theano._src.ground.documented import documented_in
from theano._src.ops.elementwise.arithmetic import minimum
from theano._src.ops.elementwise.compare import eq, switch
from theano._src.ops.elementwise.complex_parts import conj, real
from theano._src.ops.index.index import getitem, set_subtensor
from theano._src.ops.shape.shape import shape, shape_i
from theano._src.ops.shape.static_values import as_length
from theano._src.types.aliases import TensorLike
from theano._src.types.convert import as_tensor_variable
from theano._src.types.dtypes import complex_dtypes, integer_dtypes
from theano._src.types.null import disconnected
from theano._src.types.tensor import tensor_type


@documented_in("theano.tensor.fourier")
class Fourier(Op):
    """The discrete Fourier transform along one dimension, in complex128, as ``numpy.fft.fft``.

    ``theano.tensor.fft`` has transforms of real numbers over several dimensions, and inverses.

    Parameters
    ----------
    a : tensor of one dimension or more
    n : integer, or None
        The length to which the dimension is cut or zero-padded; None keeps its length.
    axis : integer, or None
        The dimension, counted from 0; None is the last.

    >>> import theano.tensor as T
    >>> T.fourier.fft([1.0, 2.0, 3.0, 4.0], None, None).eval().round(6).tolist()
    [(10+0j), (-2+2j), (-2+0j), (-2-2j)]
    """

    __props__ = ()
    demand_only = (1, 2)
    linear_in = (0,)
    nondiff_inputs = slice(1, None)

    def make_node(self, a: TensorLike, n: TensorLike, axis: TensorLike) -> Apply:
        a = as_tensor_variable(a)
        if a.ndim < 1:
            raise TypeError(f"{self} takes an array of one dimension or more, got a scalar, {a}")
        axis = as_tensor_variable(a.ndim - 1 if axis is None else axis)
        at = int(axis.data) if isinstance(axis, Constant) and axis.ndim == 0 else None
        if axis.dtype not in integer_dtypes or axis.ndim or not 0 <= (at or 0) < a.ndim:
            raise TypeError(
                f"{self} takes an integer from 0 to {a.ndim - 1} as axis, got {axis} of {axis.type}"
            )
        n = as_tensor_variable(
            (shape(a)[axis] if at is None else shape_i(a, at)) if n is None else n
        )
        if n.dtype not in integer_dtypes or n.ndim or (isinstance(n, Constant) and n.data < 1):
            raise TypeError(f"{self} takes an integer above 0 as n, got {n} of {n.type}")
        pattern = tuple(b and at is not None and i != at for i, b in enumerate(a.broadcastable))
        return Apply(self, [a, n, axis], [tensor_type("complex128", pattern)()])

    def demands(self, node: Apply, shapes: Sequence[Any]) -> Sequence[Any]:
        return [as_length(v) for v in node.inputs[1:]]

    def compute(self, xp: ArrayNamespace, a: Array, n: Array, axis: Array) -> Any:
        return self.lower_xla(xp, (int(n), int(axis)), a)

    def lower_xla(self, xp: ArrayNamespace, sizes: Sequence[int], a: Array, *others: Array) -> Any:
        n, axis = sizes
        if n < 1:
            raise ValueError(f"{self} takes a length above 0, got {n}")
        if not 0 <= axis < a.ndim:
            raise ValueError(f"{self} takes an axis from 0 to {a.ndim - 1}, got {axis}")
        return xp.fft.fft(xp.astype(a, "complex128"), n, axis)

    def infer_shape(self, node: Apply, shapes: Sequence[Any]) -> list[Any]:
        _, n, axis = node.inputs
        n = as_length(n)
        if isinstance(axis, Constant):
            at = int(axis.data)
            return [tuple(n if i == at else m for i, m in enumerate(shapes[0]))]
        return [tuple(switch(eq(axis, i), n, m) for i, m in enumerate(shapes[0]))]

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        (a, n, axis), (g,) = inputs, output_grads
        if not isinstance(axis, Constant):
            raise NotImplementedError(
                f"the gradient of {self} takes a constant axis, got the variable {axis}"
            )
        at = int(axis.data)
        # the transform is a symmetric matrix: its adjoint is its conjugate
        back = conj(self(conj(g), n, axis))
        both = minimum(as_length(n), shape_i(a, at))
        part = (*[slice(None)] * at, slice(None, both))
        zeros = a.zeros_like(dtype="complex128")
        result = set_subtensor(getitem(zeros, part), getitem(back, part))
        result = result if a.dtype in complex_dtypes else real(result)
        return [result, disconnected(), disconnected()]


fft = Fourier()
