"""The rules by which entries depend on entries, by class of ops."""

from __future__ import annotations

from theano._src.control.sparsity import entries, graphs, products
from theano._src.control.sparsity.walk import Row
from theano._src.graph.op_table import OpTable

_MOVES = Row(entries.moves)
_SAME = Row(entries.same)
_NOTHING = Row(entries.nothing)
_WRITE = Row(entries.write)
_REDUCTION = Row(entries.reduction)
_ALONG = Row(entries.along_axes)
_DOT = Row(products.dot, peeks=True)

_REDUCTIONS = (
    "theano._src.ops.nnet.softmax.LogSumExp",
    "theano._src.ops.reduce.careduce.Max",
    "theano._src.ops.reduce.careduce.Min",
    "theano.tensor.basic.MaxAndArgmax",
    "theano.tensor.basic.Mean",
    "theano.tensor.elemwise.CAReduce",
    "theano.tensor.elemwise.CAReduceDtype",
    "theano.tensor.elemwise.Prod",
    "theano.tensor.elemwise.ProdWithoutZeros",
    "theano.tensor.elemwise.Sum",
)
_OF_MATRICES = (
    "theano.tensor.nlinalg.Det",
    "theano.tensor.nlinalg.Eig",
    "theano.tensor.nlinalg.Eigh",
    "theano.tensor.nlinalg.MatrixInverse",
    "theano.tensor.nlinalg.MatrixPinv",
    "theano.tensor.nlinalg.QRFull",
    "theano.tensor.nlinalg.QRIncomplete",
    "theano.tensor.nlinalg.SLogDet",
    "theano.tensor.nlinalg.SVD",
    "theano.tensor.slinalg.Cholesky",
    "theano.tensor.slinalg.Expm",
    "theano.tensor.slinalg.Solve",
    "theano.tensor.slinalg.SolveTriangular",
)
_VIEWS = (
    "theano.compile.ops.DeepCopyOp",
    "theano.compile.ops.OutputGuard",
    "theano.compile.ops.ViewOp",
    "theano.gradient.GradClip",
    "theano.gradient.GradScale",
    "theano.printing.Print",
    "theano.tensor.extra_ops.CpuContiguous",
)
_SOFTMAX = (
    "theano.tensor.nnet.nnet.LogSoftmax",
    "theano.tensor.nnet.nnet.Softmax",
    "theano.tensor.nnet.nnet.SoftmaxGrad",
)

#: An op without a row is conservative: each entry of an output depends on all entries of the inputs
#: that the output is connected to.
sparsity_rules: OpTable[Row] = OpTable(
    {
        **dict.fromkeys(_REDUCTIONS, _REDUCTION),
        **dict.fromkeys(_OF_MATRICES, Row(entries.by_stack(2))),
        **dict.fromkeys(_VIEWS, _SAME),
        **dict.fromkeys(_SOFTMAX, _ALONG),
        "theano._src.control.batching.Vmap": Row(entries.vmapped),
        "theano._src.control.solvers.ode.Odeint": Row(
            entries.trajectory, reads=lambda node, table: ()
        ),
        "theano._src.control.vectorize.SameRows": Row(lambda step: step.ins),
        "theano._src.ops.arrays.nan_reduce._HasNumbers": _SAME,
        "theano._src.ops.arrays.split.Roll": _MOVES,
        "theano._src.ops.index.static_take.StaticTake": _MOVES,
        "theano._src.ops.linalg.dot.TensorDot": Row(products.tensordot, peeks=True),
        "theano._src.ops.linalg.einsum.Einsum": Row(products.einsum, peeks=True),
        "theano._src.ops.meta.grad_views.Tied": _SAME,
        "theano._src.ops.shape.alloc.SumToLengths": Row(entries.shrink),
        "theano._src.ops.sparse.convert.ConvertFormat": Row(products.converted),
        "theano.compile.builders.OpFromGraph": Row(
            graphs.or_conservative(graphs.of_graph), reads=graphs.reads_of_graph
        ),
        "theano.compile.ops.Rebroadcast": _SAME,
        "theano.compile.ops.SpecifyShape": _SAME,
        "theano.gradient.ConsiderConstant": _NOTHING,
        "theano.gradient.DisconnectedGrad": _NOTHING,
        "theano.gradient.ZeroGrad": _NOTHING,
        "theano.ifelse.IfElse": Row(graphs.either, reads=lambda node, table: [0]),
        "theano.scan_module.scan_op.Scan": Row(
            graphs.or_conservative(graphs.scan), reads=graphs.reads_of_scan
        ),
        "theano.sparse.basic.CSM": Row(products.build),
        "theano.sparse.basic.CSMProperties": Row(products.parts),
        "theano.sparse.basic.Cast": Row(products.same_stored),
        "theano.sparse.basic.DenseFromSparse": Row(products.dense),
        "theano.sparse.basic.Dot": _DOT,
        "theano.sparse.basic.Neg": Row(products.same_stored),
        "theano.sparse.basic.SpSum": Row(products.sums),
        "theano.sparse.basic.StructuredDot": _DOT,
        "theano.sparse.basic.Transpose": Row(products.transpose),
        "theano.tensor.basic.Alloc": Row(entries.stretch, reads=lambda node, table: ()),
        "theano.tensor.basic.AllocDiag": _MOVES,
        "theano.tensor.basic.Choose": Row(entries.choose),
        "theano.tensor.basic.Dot": _DOT,
        "theano.tensor.basic.ExtractDiag": _MOVES,
        "theano.tensor.basic.Flatten": _SAME,
        "theano.tensor.basic.Join": _MOVES,
        "theano.tensor.basic.PermuteRowElements": Row(
            entries.moves_of(0), reads=lambda node, table: [1, 2]
        ),
        "theano.tensor.basic.Reshape": Row(entries.same, reads=lambda node, table: ()),
        "theano.tensor.basic.ScalarFromTensor": _SAME,
        "theano.tensor.basic.Split": _MOVES,
        "theano.tensor.basic.TensorFromScalar": _SAME,
        "theano.tensor.basic.Tile": _MOVES,
        "theano.tensor.blas.BatchedDot": Row(products.batched_dot, peeks=True),
        "theano.tensor.blas.Dot22": _DOT,
        "theano.tensor.blas.Dot22Scalar": Row(products.scaled_product, peeks=True),
        "theano.tensor.blas.Gemm": Row(products.scaled_product, peeks=True),
        "theano.tensor.elemwise.DimShuffle": _MOVES,
        "theano.tensor.elemwise.Elemwise": Row(
            entries.elementwise, peeks=True, reads=lambda node, table: ()
        ),
        "theano.tensor.extra_ops.CumOp": Row(entries.cumulative),
        "theano.tensor.extra_ops.DiffOp": Row(entries.differences),
        "theano.tensor.extra_ops.FillDiagonal": _MOVES,
        "theano.tensor.extra_ops.FillDiagonalOffset": Row(
            entries.moves_of(0, 1), reads=lambda node, table: [2]
        ),
        "theano.tensor.extra_ops.RepeatOp": _MOVES,
        "theano.tensor.nnet.abstract_conv.AbstractConv": Row(entries.per_row([0])),
        "theano.tensor.nnet.conv3d2d.DiagonalSubtensor": _MOVES,
        "theano.tensor.nnet.neighbours.Images2Neibs": _MOVES,
        "theano.tensor.nnet.nnet.CrossentropyCategorical1Hot": Row(entries.per_row([0])),
        "theano.tensor.nnet.nnet.CrossentropyCategorical1HotGrad": Row(entries.per_row([0, 1])),
        "theano.tensor.nnet.nnet.CrossentropySoftmax1HotWithBiasDx": Row(entries.per_row([0, 1])),
        "theano.tensor.nnet.nnet.CrossentropySoftmaxArgmax1HotWithBias": Row(entries.per_row([0])),
        "theano.tensor.nnet.nnet.SoftmaxWithBias": Row(entries.per_row([0])),
        "theano.tensor.opt.Assert": _SAME,
        "theano.tensor.opt.MakeVector": Row(entries.stack),
        "theano.tensor.signal.pool.Pool": Row(entries.pooling),
        "theano.tensor.sort.SortOp": Row(entries.along_input),
        "theano.tensor.sort.TopKOp": Row(entries.largest),
        "theano.tensor.subtensor.AdvancedBooleanIncSubtensor": _WRITE,
        "theano.tensor.subtensor.AdvancedBooleanSubtensor": _MOVES,
        "theano.tensor.subtensor.AdvancedIncSubtensor": _WRITE,
        "theano.tensor.subtensor.AdvancedIncSubtensor1": _WRITE,
        "theano.tensor.subtensor.AdvancedSubtensor": _MOVES,
        "theano.tensor.subtensor.AdvancedSubtensor1": _MOVES,
        "theano.tensor.subtensor.IncSubtensor": _WRITE,
        "theano.tensor.subtensor.Subtensor": _MOVES,
    },
    by_meaning=True,
)
