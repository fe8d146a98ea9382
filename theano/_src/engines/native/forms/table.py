"""The native forms of ops, by class."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from theano._src.engines.native.forms import (
    branches,
    classes,
    computed,
    folds,
    index,
    index_pairs,
    index_rows,
    loops,
    products,
    random,
    shape,
    sums,
)
from theano._src.engines.native.loops import NotNative
from theano._src.engines.native.lowering import Form, Lowering
from theano._src.engines.native.steps import formula_of
from theano._src.graph.graph import Apply
from theano._src.graph.op_table import OpTable
from theano._src.ground.xp import numpy_xp
from theano._src.types.checked import is_checked


def elemwise(low: Lowering, node: Apply) -> None:
    scalar_op = node.op.scalar_op
    if len(node.outputs) != 1:
        raise NotNative("a function of several outputs")
    dtypes = [v.type.numpy_dtype for v in node.inputs]
    if is_checked(scalar_op) and _flags(scalar_op, dtypes):
        raise NotNative("a function with checks")
    low.write_formula(node, formula_of(scalar_op, dtypes))


def _flags(scalar_op: Any, dtypes: Sequence[Any]) -> Sequence[Any]:
    """The checks for inputs of these dtypes: integers only, in some cases."""
    ones = [np.ones((), dtype) for dtype in dtypes]
    flags: Sequence[Any] = scalar_op.checks(numpy_xp, (), ones, ())
    return flags


def take(low: Lowering, node: Apply) -> None:
    (index.take if node.inputs[0].type.ndim == 1 else index_rows.take)(low, node)


def put(low: Lowering, node: Apply) -> None:
    is_sum = node.inputs[0].type.ndim == 1 and not node.op.set_instead_of_inc
    (index.add if is_sum else index_rows.put)(low, node)


#: How the native engine writes a node: a function of the lowering and the node. An op without a
#: row, or whose function raises NotNative, is called back in Python.
native_forms: OpTable[Form] = OpTable(
    {
        "theano._src.control.lazy_branches.Branches": branches.branches,
        "theano._src.ops.reduce.careduce.Max": folds.fold,
        "theano._src.ops.reduce.careduce.Min": folds.fold,
        "theano._src.ops.reduce.max_min.Argmin": folds.position,
        "theano._src.ops.shape.check_lengths.CheckLengths": shape.check_lengths,
        "theano.compile.ops.DeepCopyOp": shape.same,
        "theano.compile.ops.Rebroadcast": shape.rebroadcast,
        "theano.compile.ops.Shape_i": shape.shape_i,
        "theano.compile.ops.ViewOp": shape.same,
        "theano.scan_module.scan_op.Scan": loops.scan,
        "theano.tensor.basic.ARange": shape.arange,
        "theano.tensor.basic.Alloc": shape.alloc,
        "theano.tensor.basic.AllocEmpty": shape.alloc_empty,
        "theano.tensor.basic.Argmax": folds.position,
        "theano.tensor.basic.Dot": products.product,
        "theano.tensor.basic.Join": shape.join,
        "theano.tensor.basic.Reshape": shape.reshape,
        "theano.tensor.basic.Split": shape.split,
        "theano._src.ops.linalg.dot.TensorDot": products.tensordot,
        "theano.tensor.blas.Dot22": products.product,
        "theano.tensor.blas.Dot22Scalar": products.scaled_product,
        "theano.tensor.blas.Gemm": products.scaled_sum,
        "theano.tensor.blas.Gemv": products.scaled_sum,
        "theano.tensor.elemwise.All": folds.of_bools,
        "theano.tensor.elemwise.Any": folds.of_bools,
        "theano.tensor.elemwise.DimShuffle": shape.dimshuffle,
        "theano.tensor.elemwise.Elemwise": elemwise,
        "theano.tensor.elemwise.Prod": folds.fold,
        "theano.tensor.elemwise.Sum": sums.total,
        "theano._src.ops.nnet.crossentropy.CrossentropySoftmax1Hot": classes.crossentropy,
        "theano._src.ops.nnet.softmax.LogSumExp": computed.of_few,
        "theano.ifelse.IfElse": branches.chosen,
        "theano.sandbox.rng_mrg.mrg_uniform": random.uniform,
        "theano.tensor.nnet.nnet.CrossentropyCategorical1Hot": classes.of_probabilities,
        "theano.tensor.nnet.nnet.CrossentropySoftmax1HotWithBiasDx": classes.softmax_gradient,
        "theano.tensor.nnet.nnet.CrossentropySoftmaxArgmax1HotWithBias": classes.crossentropy,
        "theano.tensor.nnet.nnet.LogSoftmax": computed.of_few,
        "theano.tensor.nnet.nnet.Softmax": computed.computed,
        "theano.tensor.nnet.nnet.SoftmaxGrad": computed.computed,
        "theano.tensor.nnet.nnet.SoftmaxWithBias": computed.computed,
        "theano.tensor.opt.MakeVector": shape.make_vector,
        "theano.tensor.subtensor.AdvancedIncSubtensor": index_pairs.put,
        "theano.tensor.subtensor.AdvancedIncSubtensor1": put,
        "theano.tensor.subtensor.AdvancedSubtensor": index_pairs.take,
        "theano.tensor.subtensor.AdvancedSubtensor1": take,
        "theano.tensor.subtensor.IncSubtensor": index.inc_subtensor,
        "theano.tensor.subtensor.Subtensor": index.subtensor,
    },
    by_meaning=True,
)
