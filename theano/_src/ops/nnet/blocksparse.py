"""Products with selected blocks of a block matrix, for layers that compute only some units."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from theano._src.graph.graph import Apply
from theano._src.graph.op import Op
from theano._src.ground.array_types import Array, ArrayNamespace, Arrays
from theano._src.ground.documented import documented_in
from theano._src.ops.arrays.select import take
from theano._src.ops.core.cast import cast
from theano._src.ops.core.grad_helpers import conjugated
from theano._src.ops.elementwise.arithmetic import add
from theano._src.ops.index.index_grad import is_zero_tangent, writeable
from theano._src.ops.index.index_list import bounds_hold, from_front
from theano._src.ops.linalg.blas import Accumulating
from theano._src.ops.reduce.careduce import sum as sum_
from theano._src.ops.shape.dims import dimshuffle
from theano._src.types.aliases import TensorLike
from theano._src.types.convert import as_tensor_variable, constant
from theano._src.types.dtypes import integer_dtypes
from theano._src.types.null import disconnected


def _operands(op: Op, given: dict[str, tuple[Any, int]], n_numbers: int) -> list[Any]:
    """Convert and check the inputs of a node: ``n_numbers`` tensors of values, then indices."""
    ins = []
    for k, (name, (v, ndim)) in enumerate(given.items()):
        v = as_tensor_variable(v)
        if v.ndim != ndim:
            raise TypeError(f"{op} takes {name} of {ndim} dimensions, got {v} of {v.type}")
        if k >= n_numbers and v.dtype not in integer_dtypes:
            raise TypeError(f"{op} takes integers as {name}, got {v} of dtype {v.dtype}")
        ins.append(v)
    o, *others = ins[:n_numbers]
    for v in others:
        if not np.can_cast(v.dtype, o.dtype, "same_kind"):
            raise TypeError(
                f"{op} adds to {o} of dtype {o.dtype}, which does not hold {v} of dtype {v.dtype}; "
                "cast one of them"
            )
    return ins


def _check(op: Op, names: str, inputs: Sequence[Any]) -> None:
    """Raise ValueError unless dimensions with the same letter have the same length."""
    result: dict[str, tuple[int, int]] = {}
    for k, (letters, v) in enumerate(zip(names.split(), inputs, strict=True)):
        for d, (letter, n) in enumerate(zip(letters, v.shape, strict=True)):
            first, wanted = result.setdefault(letter, (k, n))
            if n != wanted:
                raise ValueError(
                    f"{op} takes shapes that agree, got {n} in dimension {d} of input {k} for the "
                    f"{wanted} of input {first}"
                )


def _pairs(xp: ArrayNamespace, i: Array, j: Array, n: int, m: int) -> tuple[Any, Any]:
    """Return an index of the blocks at all pairs of selected rows and columns, per example."""
    return (
        xp.expand_dims(from_front(xp, i, n), 2),
        xp.expand_dims(from_front(xp, j, m), 1),
    )


@documented_in("theano.tensor.nnet.blocksparse")
class SparseBlockGemv(Accumulating):
    """``o[b, j] + sum_i h[b, i] W[inputIdx[b, i], outputIdx[b, j]]``, for each b and j.

    ``W`` is a matrix of blocks; only the blocks selected by the indices are read.

    Parameters
    ----------
    o : tensor of shape (batch, outputs, outputSize)
        The products are added to it.
    W : tensor of shape (inputBlocks, outputBlocks, inputSize, outputSize)
    h : tensor of shape (batch, inputs, inputSize)
        Blocks of the input of each example.
    inputIdx : integers of shape (batch, inputs)
        The indices of these input blocks.
    outputIdx : integers of shape (batch, outputs)
        The indices of the output blocks to compute.

    >>> import numpy as np
    >>> from theano.tensor.nnet.blocksparse import sparse_block_gemv
    >>> W = np.arange(4.0).reshape(2, 2, 1, 1)
    >>> sparse_block_gemv(np.ones((1, 1, 1)), W, [[[10.0]]], [[1]], [[0]]).eval().tolist()
    [[[21.0]]]
    """

    perform = Accumulating._run
    _LETTERS = "bjl pqkl bik bi bj"
    nondiff_inputs = slice(3, None)

    def make_node(
        self,
        o: TensorLike,
        W: TensorLike,
        h: TensorLike,
        inputIdx: TensorLike,
        outputIdx: TensorLike,
    ) -> Apply:
        given = {"o": (o, 3), "W": (W, 4), "h": (h, 3)}
        index = {"inputIdx": (inputIdx, 2), "outputIdx": (outputIdx, 2)}
        ins = _operands(self, given | index, 3)
        return Apply(self, ins, [ins[0].type()])

    def validate(self, node: Apply, inputs: Sequence[Any]) -> None:
        _check(self, self._LETTERS, inputs)

    def checks(
        self, xp: ArrayNamespace, sizes: Sequence[int], inputs: Arrays, outputs: Arrays
    ) -> Sequence[Any]:
        _, W, _, i, j = inputs
        return [bounds_hold(xp, i, W.shape[0]), bounds_hold(xp, j, W.shape[1])]

    def compute(self, xp: ArrayNamespace, o: Array, W: Array, h: Array, i: Array, j: Array) -> Any:
        blocks = W[_pairs(xp, i, j, *W.shape[:2])]
        return o + xp.astype(xp.einsum("bik,bijkl->bjl", h, blocks), o.dtype)

    def bind(self, node: Apply) -> Callable[..., Any]:
        def run(o: np.ndarray[Any, Any], W: Array, h: Array, i: Array, j: Array) -> Any:
            self.validate(node, (o, W, h, i, j))
            out = writeable(o, self.inplace)
            for b in range(len(out)):
                blocks = W[i[b][:, None], j[b]]
                out[b] += np.tensordot(h[b], blocks, ((0, 1), (0, 2))).astype(out.dtype)
            return out

        return run

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        (_, W, h, i, j), (g,) = inputs, output_grads
        gW = sparse_block_outer(W.zeros_like(dtype=g.dtype), conjugated(h), g, i, j)
        turned = dimshuffle(conjugated(W), 1, 0, 3, 2)
        gh = sparse_block_gemv(h.zeros_like(dtype=g.dtype), turned, g, j, i)
        return [g, gW, gh, disconnected(), disconnected()]

    def R_op(self, inputs: list[Any], eval_points: list[Any]) -> list[Any]:
        (o, W, h, i, j), (do, dW, dh, _, _) = inputs, eval_points
        zeros = o.zeros_like()
        terms = [] if is_zero_tangent(do) else [do]
        if not is_zero_tangent(dW):
            terms.append(sparse_block_gemv(zeros, dW, h, i, j))
        if not is_zero_tangent(dh):
            terms.append(sparse_block_gemv(zeros, W, dh, i, j))
        return [add(*terms) if len(terms) > 1 else terms[0]] if terms else [None]


@documented_in("theano.tensor.nnet.blocksparse")
class SparseBlockOuter(Accumulating):
    """``o`` with ``alpha * outer(x[b, i], y[b, j])`` added to ``o[xIdx[b, i], yIdx[b, j]]``.

    It computes the gradient of SparseBlockGemv with respect to its matrix of blocks. If a block
    is selected several times, all its products are added.

    Parameters
    ----------
    o : tensor of shape (xBlocks, yBlocks, xSize, ySize)
        The products are added to it.
    x : tensor of shape (batch, xs, xSize)
    y : tensor of shape (batch, ys, ySize)
    xIdx : integers of shape (batch, xs)
    yIdx : integers of shape (batch, ys)
    alpha : scalar, optional
        1 by default.

    >>> import numpy as np
    >>> from theano.tensor.nnet.blocksparse import sparse_block_outer
    >>> o, x, y = np.zeros((2, 1, 1, 2)), [[[2.0]]], [[[3.0, 4.0]]]
    >>> sparse_block_outer(o, x, y, [[1]], [[0]]).eval()[1].tolist()
    [[[6.0, 8.0]]]
    """

    perform = Accumulating._run
    _LETTERS = "pqkl bik bjl bi bj"
    nondiff_inputs = (3, 4)

    def make_node(
        self,
        o: TensorLike,
        x: TensorLike,
        y: TensorLike,
        xIdx: TensorLike,
        yIdx: TensorLike,
        alpha: TensorLike = None,
    ) -> Apply:
        given = {"o": (o, 4), "x": (x, 3), "y": (y, 3)}
        ins = _operands(self, given | {"xIdx": (xIdx, 2), "yIdx": (yIdx, 2)}, 3)
        alpha = constant(np.float32(1)) if alpha is None else as_tensor_variable(alpha)
        if alpha.ndim:
            raise TypeError(f"{self} takes a scalar as alpha, got {alpha} of {alpha.type}")
        return Apply(self, [*ins, alpha], [ins[0].type()])

    def validate(self, node: Apply, inputs: Sequence[Any]) -> None:
        _check(self, self._LETTERS, inputs[:5])

    def checks(
        self, xp: ArrayNamespace, sizes: Sequence[int], inputs: Arrays, outputs: Arrays
    ) -> Sequence[Any]:
        o, _, _, i, j, _ = inputs
        return [bounds_hold(xp, i, o.shape[0]), bounds_hold(xp, j, o.shape[1])]

    def compute(
        self, xp: ArrayNamespace, o: Array, x: Array, y: Array, i: Array, j: Array, alpha: Array
    ) -> Any:
        result = xp.einsum("bik,bjl->bijkl", x * alpha, y)
        return xp.index_add(o, _pairs(xp, i, j, *o.shape[:2]), xp.astype(result, o.dtype))

    def bind(self, node: Apply) -> Callable[..., Any]:
        def run(
            o: np.ndarray[Any, Any], x: Array, y: Array, i: Array, j: Array, alpha: Array
        ) -> Any:
            self.validate(node, (o, x, y, i, j, alpha))
            out = writeable(o, self.inplace)
            for b in range(len(x)):
                result = (x[b] * alpha)[:, None, :, None] * y[b][None, :, None, :]
                np.add.at(out, (i[b][:, None], j[b]), result.astype(out.dtype))
            return out

        return run

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        (_, x, y, i, j, alpha), (g,) = inputs, output_grads
        turned = dimshuffle(g, 1, 0, 3, 2)
        along_x = sparse_block_gemv(x.zeros_like(dtype=g.dtype), turned, conjugated(y), j, i)
        along_y = sparse_block_gemv(y.zeros_like(dtype=g.dtype), g, conjugated(x), i, j)
        g_alpha = sum_(along_x * conjugated(x))
        results = [g, along_x * conjugated(alpha), along_y * conjugated(alpha)]
        results = [v if v.dtype == g.dtype else cast(v, g.dtype) for v in results]
        return [*results, disconnected(), disconnected(), g_alpha]

    def R_op(self, inputs: list[Any], eval_points: list[Any]) -> list[Any]:
        (o, x, y, i, j, alpha), (do, dx, dy, _, _, dalpha) = inputs, eval_points
        result = o.zeros_like() if is_zero_tangent(do) else do
        if not is_zero_tangent(dx):
            result = sparse_block_outer(result, dx, y, i, j, alpha)
        if not is_zero_tangent(dy):
            result = sparse_block_outer(result, x, dy, i, j, alpha)
        if not is_zero_tangent(dalpha):
            result = sparse_block_outer(result, x, y, i, j, dalpha)
        still = all(map(is_zero_tangent, (do, dx, dy, dalpha)))
        return [None if still else result]


sparse_block_gemv = SparseBlockGemv(False)
sparse_block_gemv_inplace = SparseBlockGemv(True)
sparse_block_outer = SparseBlockOuter(False)
sparse_block_outer_inplace = SparseBlockOuter(True)


@documented_in("theano.tensor.nnet.blocksparse")
def sparse_block_dot(
    W: TensorLike, h: TensorLike, inputIdx: TensorLike, b: TensorLike, outputIdx: TensorLike
) -> Any:
    """Return ``h W + b`` for selected blocks of the input and output of a layer.

    Parameters
    ----------
    W : tensor of shape (inputBlocks, outputBlocks, inputSize, outputSize)
        Weights.
    h : tensor of shape (batch, inputs, inputSize), or (inputs, inputSize)
        Blocks of the input of each example.
    inputIdx : integers of shape (batch, inputs), or (inputs,)
        The indices of these input blocks.
    b : matrix of shape (outputBlocks, outputSize)
        A bias for each output block.
    outputIdx : integers of shape (batch, outputs), or (outputs,)
        The indices of the output blocks to compute.

    Returns
    -------
    tensor of shape (batch, outputs, outputSize)
        ``b[outputIdx[b, j]] + sum_i h[b, i] W[inputIdx[b, i], outputIdx[b, j]]``; the batch has
        length 1 if ``h`` is a matrix.

    >>> import numpy as np
    >>> from theano.tensor.nnet.blocksparse import sparse_block_dot
    >>> W = np.arange(4.0).reshape(2, 2, 1, 1)
    >>> sparse_block_dot(W, [[10.0]], [1], [[0.5], [7.0]], [0]).eval().tolist()
    [[[20.5]]]
    """
    W, h, inputIdx, b, outputIdx = map(as_tensor_variable, (W, h, inputIdx, b, outputIdx))
    if not inputIdx.ndim == outputIdx.ndim == h.ndim - 1:
        raise ValueError(
            "sparse_block_dot takes inputIdx and outputIdx of one dimension less than h, got "
            f"{inputIdx.ndim} and {outputIdx.ndim} for the {h.ndim} of h"
        )
    if h.ndim == 2:
        h = dimshuffle(h, "x", 0, 1)
        inputIdx, outputIdx = (dimshuffle(v, "x", 0) for v in (inputIdx, outputIdx))
    return sparse_block_gemv(take(b, outputIdx, axis=0), W, h, inputIdx, outputIdx)
