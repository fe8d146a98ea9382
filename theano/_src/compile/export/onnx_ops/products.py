"""Products of matrices and tensors."""

from __future__ import annotations

from collections.abc import Sequence
from string import ascii_letters

from theano._src.compile.export.onnx_ops.context import Export, Form
from theano._src.compile.export.onnx_ops.writer import NoForm, Value
from theano._src.graph.graph import Apply
from theano._src.graph.op import Op
from theano._src.ops.linalg.blas import Dot22, Dot22Scalar, Gemm, Gemv, Ger
from theano._src.ops.linalg.dot import BatchedDot, Dot, TensorDot
from theano._src.ops.linalg.einsum import Einsum
from theano._src.ops.linalg.inverse import Det


def _common(to: Export, node: Apply, *inputs: Value) -> list[Value]:
    """Cast factors to the dtype of the product; integers to int64, for which kernels exist."""
    dtype = to.dtype(node.outputs[0])
    if dtype.kind in "biu":
        dtype = to.written("int64")
    return [x.astype(dtype) for x in inputs]


def matmul(to: Export, node: Apply, a: Value, b: Value) -> Value:
    return to.to.op("MatMul", *_common(to, node, a, b))


def batched(to: Export, node: Apply, a: Value, b: Value) -> Value:
    left, right = (v.type.ndim for v in node.inputs)
    a, b = _common(to, node, a, b)
    a = a if left == 3 else to.to.unsqueeze(a, 1)
    b = b if right == 3 else to.to.unsqueeze(b, 2)
    result = to.to.op("MatMul", a, b)
    gone = (1,) * (left == 2) + (2,) * (right == 2)
    return to.to.squeeze(result, *gone)


def tensordot(to: Export, node: Apply, a: Value, b: Value) -> Value:
    op, (m, n) = node.op, (v.type.ndim for v in node.inputs)
    a, b = _common(to, node, a, b)
    if not op.batch and (op.axes_a, op.axes_b) == ((m - 1,), (0,)) and n <= 2:
        return to.to.op("MatMul", a, b)
    pairs = dict(zip(op.axes_b, op.axes_a, strict=True))
    right = [0 if op.batch and j == 0 else pairs.get(j, m + j) for j in range(n)]
    free_a = [i for i in range(int(op.batch), m) if i not in op.axes_a]
    free_b = [m + j for j in range(int(op.batch), n) if j not in op.axes_b]
    return _einsum(to, [range(m), right], [*range(int(op.batch)), *free_a, *free_b], a, b)


def einsum(to: Export, node: Apply, *inputs: Value) -> Value:
    return _einsum(to, node.op.terms, node.op.output, *_common(to, node, *inputs))


def _einsum(
    to: Export, terms: Sequence[Sequence[int]], output: Sequence[int], *inputs: Value
) -> Value:
    labels = sorted({i for term in terms for i in term})
    if len(labels) > len(ascii_letters):
        raise NoForm(f"Einsum of ONNX has {len(ascii_letters)} letters, got {len(labels)} labels")
    letter = dict(zip(labels, ascii_letters, strict=False))
    spelled = ["".join(letter[i] for i in term) for term in (*terms, output)]
    equation = f"{','.join(spelled[:-1])}->{spelled[-1]}"
    return to.to.op("Einsum", *inputs, equation=equation)


def _scaled_product(to: Export, node: Apply, x: Value, y: Value, a: Value) -> Value:
    x, y, a = _common(to, node, x, y, a)
    return to.to.op("MatMul", x, y) * a


def _gemm(to: Export, node: Apply, z: Value, a: Value, x: Value, y: Value, b: Value) -> Value:
    """b z + a (x . y), for matrices and for vectors."""
    z, a, x, y, b = _common(to, node, z, a, x, y, b)
    return b * z + a * to.to.op("MatMul", x, y)


def _ger(to: Export, node: Apply, A: Value, a: Value, x: Value, y: Value) -> Value:
    A, a, x, y = _common(to, node, A, a, x, y)
    return A + a * (to.to.unsqueeze(x, 1) * y)


def _det(to: Export, node: Apply, x: Value) -> Value:
    return to.to.op("Det", x.astype(to.dtype(node.outputs[0])))


FORMS: dict[type[Op], Form] = {
    Dot: matmul,
    Dot22: matmul,
    Dot22Scalar: _scaled_product,
    BatchedDot: batched,
    TensorDot: tensordot,
    Einsum: einsum,
    Gemm: _gemm,
    Gemv: _gemm,
    Ger: _ger,
    Det: _det,
}
