"""The work that each of our ops does: the rows of ``op_work`` that do not use other rows."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np

from theano._src.graph.graph import Apply, Constant
from theano._src.ops.linalg.scipy_blas import has_one_thread
from theano._src.types.sparse import StoredShape

Shape: TypeAlias = Sequence[int]
#: kinds, which have rates in engines/costs.py, and amounts
Work: TypeAlias = Sequence[tuple[str, float]]
#: the work of a node, from the shapes of its inputs and outputs
WorkOf: TypeAlias = Callable[[Any, Apply, Sequence[Any], Sequence[Any]], Work]
#: a kind, with one unit per element of the outputs; or a function
Row: TypeAlias = str | WorkOf


def _same(row: Row, module: str, classes: str) -> dict[str, Row]:
    """One row for several classes of a module."""
    return {f"{module}.{name}": row for name in classes.split()}


def _of_first(kind: str) -> WorkOf:
    """One unit per element of the first input."""
    return lambda op, node, ins, outs: ((kind, math.prod(ins[0])),)


# arrays


def _sort(kind: str) -> WorkOf:
    def row(op: Any, node: Apply, ins: Sequence[Any], outs: Sequence[Any]) -> Work:
        lines = max(ins[0], default=1)  # the axis may be any
        return ((kind, math.prod(ins[0]) * math.log2(lines + 1)),)

    return row


def _copied(op: Any, outs: Sequence[Any]) -> Work:
    """The copy that an op makes of its first input, unless it overwrites that input."""
    return () if op.inplace else (("copy", math.prod(outs[0])),)


def _put(op: Any, node: Apply, ins: Sequence[Any], outs: Sequence[Any]) -> Work:
    return (("scatter", max(map(math.prod, ins[1:]))), *_copied(op, outs))


def _put_rows(op: Any, node: Apply, ins: Sequence[Any], outs: Sequence[Any]) -> Work:
    return (("scatter", math.prod(ins[2]) * math.prod(ins[0][1:])), *_copied(op, outs))


# products


def _sums_of_products(x: Shape, y: Shape, out: Shape, batch: int = 1) -> Work:
    """The multiplications, and the elements that are read once."""
    a, b = math.prod(x), math.prod(y)
    flops = 2 * math.sqrt(a * b * math.prod(out) / max(batch, 1))
    return (("product" if batch == 1 else "products", flops), ("stream", a + b))


def _dot(op: Any, node: Apply, ins: Sequence[Any], outs: Sequence[Any]) -> Work:
    return _sums_of_products(ins[0], ins[1], outs[0])


def _tensor_dot(op: Any, node: Apply, ins: Sequence[Any], outs: Sequence[Any]) -> Work:
    return _sums_of_products(ins[0], ins[1], outs[0], ins[0][0] if op.batch else 1)


def _batched_dot(op: Any, node: Apply, ins: Sequence[Any], outs: Sequence[Any]) -> Work:
    return _sums_of_products(ins[0], ins[1], outs[0], ins[0][0])


def _scaled_product(x: int, y: int) -> WorkOf:
    """The product of the inputs at these positions, scaled and added."""

    def row(op: Any, node: Apply, ins: Sequence[Any], outs: Sequence[Any]) -> Work:
        product = _sums_of_products(ins[x], ins[y], outs[0])
        if has_one_thread():
            return product
        # scaling and adding are separate passes, and the product needs memory of its own
        n = math.prod(outs[0])
        return (*product, ("light", 2 * n), ("temporary", n))

    return row


def _einsum(op: Any, node: Apply, ins: Sequence[Any], outs: Sequence[Any]) -> Work:
    lengths = {label: n for t, s in zip(op.terms, ins, strict=True) for label, n in zip(t, s)}
    have, flops = set(op.terms[0]), 0.0
    for i, term in enumerate(op.terms[1:], 2):
        have |= set(term)
        flops += 2.0 * math.prod(lengths[label] for label in have)
        have &= set(op.output).union(*op.terms[i:])
    return (("products", flops), ("stream", sum(map(math.prod, ins))))


# matrices


def _matrices(weight: float, shape: Shape) -> Work:
    """``weight`` times the work of a Cholesky factor, for a matrix or a stack of them."""
    *stack, m, n = shape
    kind = "lapack" if math.prod(stack) == 1 else "lapack of stacks"
    return ((kind, weight * math.prod(shape) * min(m, n)),)


def _lapack(weight: float) -> WorkOf:
    return lambda op, node, ins, outs: _matrices(weight, ins[0])


def _solve(weight: float) -> WorkOf:
    """``weight`` is that of the factorization: 0 if the factor is given."""

    def row(op: Any, node: Apply, ins: Sequence[Any], outs: Sequence[Any]) -> Work:
        A, b = ins
        columns = b[-1] if len(b) > 1 else 1
        return _matrices(weight + 4 * columns / max(A[-1], 1), A)

    return row


def _expm(op: Any, node: Apply, ins: Sequence[Any], outs: Sequence[Any]) -> Work:
    # products of matrices, which are as fast on XLA
    return (("product", 30.0 * math.prod(ins[0]) * ins[0][-1]),)


def _fourier(op: Any, node: Apply, ins: Sequence[Any], outs: Sequence[Any]) -> Work:
    n = max(math.prod(ins[0]), math.prod(outs[0]))
    return (("fourier", n * math.log2(n + 1)),)


# convolution and pooling


def _convolution(op: Any, results: Shape, filters: Shape) -> Work:
    """As many sums as there are results, each over one filter."""
    own = math.prod(filters[1 : 1 + op.convdim]) if op.unshared else 1
    return (("convolution", 2.0 * math.prod(results) * math.prod(filters[1:]) / max(own, 1)),)


def _windows(op: Any, node: Apply, ins: Sequence[Any], outs: Sequence[Any]) -> Work:
    ws, stride = node.inputs[-3:-1]
    over, calls = 1.0, 8
    if isinstance(ws, Constant) and isinstance(stride, Constant):
        # the number of windows that contain a cell
        over = float(np.prod(ws.data / stride.data))
        calls = 2 * int(ws.data.sum())
    return (("window", over * math.prod(ins[0])), ("call", calls))


def _max_windows(op: Any, node: Apply, ins: Sequence[Any], outs: Sequence[Any]) -> Work:
    (kind, n), calls = _windows(op, node, ins, outs)
    return (kind, n), ("select", 0.4 * n), calls


# networks


def _softmax(op: Any, node: Apply, ins: Sequence[Any], outs: Sequence[Any]) -> Work:
    n = math.prod(ins[0])
    sums = ("reduction", n), ("reduction", n)
    return (("light", 2 * n), ("exp", n), *sums, ("temporary", 2 * n), ("call", 5))


def _crossentropy(op: Any, node: Apply, ins: Sequence[Any], outs: Sequence[Any]) -> Work:
    n = max(map(math.prod, (*ins, *outs)))
    return (("light", 2 * n), ("exp", n), ("reduction", n), ("reduction", n), ("call", 10))


def _crossentropy_dx(op: Any, node: Apply, ins: Sequence[Any], outs: Sequence[Any]) -> Work:
    return (("light", math.prod(outs[0])), ("scatter", math.prod(ins[2])))


def _batch_norm(op: Any, node: Apply, ins: Sequence[Any], outs: Sequence[Any]) -> Work:
    n = math.prod(ins[0])
    return (("reduction", 2 * n), ("light", 4 * n), ("call", 6))


def _block_gemv(op: Any, node: Apply, ins: Sequence[Any], outs: Sequence[Any]) -> Work:
    n = math.prod(ins[3]) * ins[4][1] * math.prod(ins[1][2:])
    return (("gather", n), ("products", 2 * n), ("call", ins[0][0]))


def _block_outer(op: Any, node: Apply, ins: Sequence[Any], outs: Sequence[Any]) -> Work:
    n = math.prod(ins[3]) * ins[4][1] * math.prod(ins[0][2:])
    return (("scatter", n), ("light", n), ("call", ins[1][0]), *_copied(op, outs))


def _ctc(op: Any, node: Apply, ins: Sequence[Any], outs: Sequence[Any]) -> Work:
    time, batch, _ = ins[0]
    ways = 2 if op.compute_grad else 1
    states = time * batch * (2 * ins[1][1] + 1)
    n = math.prod(ins[0])
    exps = (("exp", ways * n), ("gather", states), ("softplus", 2 * ways * states))
    return (*exps, ("call", 10 * ways * time))


# random numbers


def _mrg(op: Any, node: Apply, ins: Sequence[Any], outs: Sequence[Any]) -> Work:
    return (("mod", math.prod(outs[1])), ("copy", math.prod(ins[0])), ("call", 60))


def _multinomial(op: Any, node: Apply, ins: Sequence[Any], outs: Sequence[Any]) -> Work:
    # sums, and for each sample of a row a comparison with all of them
    per_row = len(outs[0]) and max(1, math.prod(ins[1]) // max(1, ins[0][0]))
    n = math.prod(ins[0])
    return (("cumulative", n), ("light", 3 * per_row * n), ("call", 10))


# sparse matrices


def _sparse(op: Any, node: Apply, ins: Sequence[Any], outs: Sequence[Any]) -> Work:
    result = sum(s.stored if isinstance(s, StoredShape) else math.prod(s) for s in outs)
    return (("call", 1), ("copy", result))


def _sparse_product(kind: str) -> WorkOf:
    """A product for each stored element and column."""

    def row(op: Any, node: Apply, ins: Sequence[Any], outs: Sequence[Any]) -> Work:
        stored = max((s.stored for s in ins if isinstance(s, StoredShape)), default=1)
        columns = max((s[1] for s in ins if len(s) == 2), default=1)
        return (("call", 10), (kind, stored * columns))

    return row


def _add_product(op: Any, node: Apply, ins: Sequence[Any], outs: Sequence[Any]) -> Work:
    return (("sparse product", math.prod(ins[1]) * math.prod(ins[4][1:])),)


def _sampled_product(op: Any, node: Apply, ins: Sequence[Any], outs: Sequence[Any]) -> Work:
    return (("sparse sample", math.prod(outs[0]) * math.prod(ins[0][1:])),)


# fmt: off
ROWS: dict[str, Row] = {
    # functions of numbers; ops without a row of their own are light
    "theano.scalar.basic.ScalarOp": "light",
    **_same("root", "theano.scalar.basic", "TrueDiv Inv Sqrt"),
    **_same("exp", "theano.scalar.basic", "Exp Exp2 Expm1"),
    **_same("log", "theano.scalar.basic", "Log Log2 Log10 Log1p"),
    **_same("log", "theano.tensor.xlogx", "XlogX XlogY0"),
    **_same("sin", "theano.scalar.basic", "Sin Cos Tan"),
    **_same("tanh", "theano.scalar.basic", "Sinh Cosh Tanh"),
    **_same("arc", "theano.scalar.basic", "ArcSin ArcCos ArcTan ArcTan2 Angle"),
    **_same("arc", "theano.scalar.basic", "ArcSinh ArcCosh ArcTanh"),
    "theano.scalar.basic.Pow": "power",
    "theano.scalar.basic.Switch": "select",
    "theano._src.ops.elementwise.arithmetic._Floored": "mod",
    **_same("special", "theano._src.ops.elementwise.special", "SpecialOp BinarySpecialOp"),
    "theano._src.ops.elementwise.incomplete.TernarySpecialOp": "special",
    **_same("softplus", "theano._src.ops.elementwise.log_special", "Log1mexp LogExpm1 LogCosh"),
    "theano._src.ops.elementwise.activations.Elu": "exp",
    "theano._src.ops.nnet.losses.SigmoidBinaryCrossentropy": "softplus",
    "theano.tensor.nnet.nnet.ScalarSoftsign": "root",
    "theano.tensor.nnet.sigm.ScalarSigmoid": "sigmoid",
    "theano.tensor.nnet.sigm.ScalarSoftplus": "softplus",
    "theano.tensor.nnet.sigm.UltraFastScalarSigmoid": "select",
    # arrays
    "theano.tensor.elemwise.CAReduce": _of_first("reduction"),
    "theano._src.ops.reduce.max_min._Arg": _of_first("search"),
    "theano.tensor.extra_ops.CumOp": "cumulative",
    "theano.tensor.sort.SortOp": _sort("sort"),
    **_same(_sort("argsort"), "theano.tensor.sort", "ArgSortOp TopKOp"),
    "theano._src.ops.index.static_take.StaticTake": "gather",
    **_same("gather", "theano.tensor.subtensor", "AdvancedSubtensor1 BaseAdvancedSubtensor"),
    "theano.tensor.subtensor.AdvancedIncSubtensor1": _put_rows,
    "theano.tensor.subtensor.BaseAdvancedIncSubtensor": _put,
    # products
    "theano.tensor.basic.Dot": _dot,
    "theano.tensor.blas.Dot22": _dot,
    "theano._src.ops.linalg.dot.TensorDot": _tensor_dot,
    "theano.tensor.blas.BatchedDot": _batched_dot,
    "theano.tensor.blas.Dot22Scalar": _scaled_product(0, 1),
    **_same(_scaled_product(2, 3), "theano.tensor.blas", "Gemm Gemv Ger"),
    "theano._src.ops.linalg.einsum.Einsum": _einsum,
    # matrices
    "theano._src.ops.linalg.matrix_stacks.MatrixOp": _lapack(1.0),
    **_same(_lapack(2.0), "theano.tensor.nlinalg", "Det SLogDet"),
    "theano.tensor.nlinalg.MatrixInverse": _lapack(5.0),
    "theano._src.ops.linalg.factors._QR": _lapack(7.0),
    "theano._src.ops.linalg.spectral.Triangle": _lapack(17.0),
    "theano._src.ops.linalg.spectral.Pair": _lapack(20.0),
    "theano.tensor.nlinalg.SVD": _lapack(37.0),
    "theano.tensor.nlinalg.MatrixPinv": _lapack(45.0),
    "theano.tensor.nlinalg.Eig": _lapack(80.0),
    "theano._src.ops.linalg.triangular.LinearSolve": _solve(2.0),
    "theano.tensor.slinalg.SolveTriangular": _solve(0.0),
    "theano.tensor.slinalg.Expm": _expm,
    "theano._src.ops.linalg.fourier._Transform": _fourier,
    "theano.tensor.fourier.Fourier": _fourier,
    # convolution and pooling
    "theano.tensor.nnet.abstract_conv.AbstractConv":
        lambda op, node, ins, outs: _convolution(op, outs[0], ins[1]),
    "theano.tensor.nnet.abstract_conv.AbstractConv_gradWeights":
        lambda op, node, ins, outs: _convolution(op, ins[1], outs[0]),
    "theano.tensor.nnet.abstract_conv.AbstractConv_gradInputs":
        lambda op, node, ins, outs: _convolution(op, ins[1], ins[0]),
    "theano._src.ops.conv.pool.WindowOp": _windows,
    "theano.tensor.signal.pool.MaxPoolGrad": _max_windows,
    "theano._src.ops.nnet.neighbours.NeighbourOp": "gather",
    # networks
    "theano._src.ops.nnet.softmax.AlongAxis": _softmax,
    "theano._src.ops.nnet.class_index.OfClasses": _crossentropy,
    "theano.tensor.nnet.nnet.CrossentropySoftmax1HotWithBiasDx": _crossentropy_dx,
    "theano._src.ops.nnet.batchnorm.BatchNorm": _batch_norm,
    "theano._src.ops.nnet.batchnorm_ops._Normalization": "light",
    "theano.tensor.nnet.blocksparse.SparseBlockGemv": _block_gemv,
    "theano.tensor.nnet.blocksparse.SparseBlockOuter": _block_outer,
    "theano.tensor.nnet.ctc.ConnectionistTemporalClassification": _ctc,
    # random numbers
    "theano.sandbox.rng_mrg.mrg_uniform": _mrg,
    "theano.sandbox.multinomial.MultinomialFromUniform": _multinomial,
    # sparse matrices
    "theano._src.ops.sparse.base.SparseOp": _sparse,
    "theano._src.ops.sparse.products._Product": _sparse_product("sparse product"),
    "theano._src.ops.sparse.products.StructuredDotGrad": _sparse_product("sparse sample"),
    "theano.sparse.basic.SamplingDot": _sparse_product("sparse sample"),
    "theano._src.ops.sparse.stored_products.AddProduct": _add_product,
    "theano._src.ops.sparse.stored_products.SampledProduct": _sampled_product,
}
# fmt: on
