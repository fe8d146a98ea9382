"""Theano's documented batch normalization ops, which take a symbolic epsilon, and the gradient.

The functions of ``theano.tensor.nnet.bn`` build other graphs; these ops are for programs that
apply them directly. Rewriting replaces them with the graphs that the functions build.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from theano._src.graph.graph import Apply, Constant, Variable
from theano._src.graph.op import Op
from theano._src.ground.array_types import Array, ArrayNamespace
from theano._src.ground.documented import documented_in
from theano._src.ops.core.cast import cast
from theano._src.ops.elementwise.arithmetic import add, fill, mul, neg, sqrt, sub, true_div
from theano._src.ops.nnet.batchnorm import BatchNorm, accumulated, summed_like
from theano._src.ops.reduce.careduce import sum as sum_
from theano._src.ops.reduce.statistics import mean as mean_, var as var_
from theano._src.ops.shape.dims import addbroadcast
from theano._src.ops.shape.shape import shape_i
from theano._src.ops.shape.static_values import product
from theano._src.rewrite.rule import FunctionRule
from theano._src.types.aliases import TensorLike
from theano._src.types.convert import as_tensor_variable, constant
from theano._src.types.dtypes import discrete_dtypes, upcast
from theano._src.types.null import DisconnectedType, disconnected
from theano._src.types.tensor import TensorVariable, tensor_type


def _is_none(g: Variable) -> bool:
    return isinstance(g.type, DisconnectedType)


def _add(terms: Sequence[Any]) -> Any:
    return terms[0] if len(terms) == 1 else add(*terms)


class _Normalization(Op):
    """Base class: averages over ``axes``, with parameters of length 1 in these dimensions.

    The first ``_tensors`` inputs have the dimensions of x. Those from ``_params`` on have length 1
    in ``axes``, whether or not their types declare it.
    """

    __props__ = ("axes",)
    _tensors: int
    _params: int

    def __init__(self, axes: Sequence[int] = (0,)) -> None:
        if not isinstance(axes, (tuple, list)) or not axes:
            raise TypeError(
                f"{type(self).__name__} takes a tuple of one axis or more, got {axes!r}"
            )
        self.axes = tuple(int(a) for a in axes)

    def _inputs(self, tensors: Sequence[Any], numbers: Sequence[Any]) -> list[Any]:
        ins = [as_tensor_variable(v) for v in tensors]
        dtype = upcast(*(v.dtype for v in ins))
        dtype = "float64" if dtype in discrete_dtypes else dtype
        ins = [cast(v, dtype) for v in ins]
        ndim = ins[0].ndim
        if any(v.ndim != ndim for v in ins):
            raise TypeError(
                f"{self} takes tensors of as many dimensions as x, {ndim}, got "
                f"{[v.ndim for v in ins]}"
            )
        if min(self.axes) < 0 or max(self.axes) >= ndim:
            raise ValueError(f"{self} takes axes from 0 to {ndim - 1}, got {self.axes}")
        return [*ins, *(as_tensor_variable(v) for v in numbers)]

    def _at(self, n: int) -> list[int]:
        """Return the positions of the parameters among ``n`` inputs."""
        return [*range(self._params, self._tensors), *range(self._tensors + self._numbers, n)]

    def _open(self, inputs: Sequence[Any]) -> list[Any]:
        """Return the inputs, with parameters declared broadcastable in ``axes`` and where x is."""
        ins = list(inputs)
        # a longer parameter would repeat x
        ones = {*self.axes, *(d for d, one in enumerate(ins[0].broadcastable) if one)}
        for i in self._at(len(ins)):
            ins[i] = addbroadcast(ins[i], *sorted(ones))
        return ins

    def _statistic(self, x: TensorVariable, scale: TensorVariable) -> Any:
        """Return the type of an average of ``x`` over ``axes``.

        It is that of ``scale``, except where one scale is for many values of x.
        """
        pairs = zip(x.broadcastable, scale.broadcastable, strict=True)
        ones = tuple(b and (a or d in self.axes) for d, (a, b) in enumerate(pairs))
        return tensor_type(scale.dtype, ones)

    def _lengths(self, lengths: Sequence[Any]) -> tuple[Any, ...]:
        """Return the lengths of an average of x, from the lengths of x."""
        one = constant(np.asarray(1, "int64"))
        return tuple(one if d in self.axes else n for d, n in enumerate(lengths))

    #: how many scalar inputs follow the tensors, before the optional ones
    _numbers = 1

    def validate(self, node: Apply, inputs: Sequence[Any]) -> None:
        x = inputs[0]
        for i in self._at(len(inputs)):
            wanted = tuple(1 if d in self.axes else n for d, n in enumerate(x.shape))
            # only a dimension of length 1 by its type is repeated
            stretched = node.inputs[i].type.broadcastable
            shape = inputs[i].shape
            if not all(
                n == m or (n == 1 and one)
                for n, m, one in zip(shape, wanted, stretched, strict=True)
            ):
                raise ValueError(
                    f"{self} takes parameters of length 1 in axes {self.axes} and as long as x in "
                    f"the others, got {shape} as input {i} for {x.shape}"
                )

    def _count(self, x: TensorVariable) -> Any:
        n = product(shape_i(x, a) for a in self.axes)
        return cast(n, "float64" if x.dtype == "float64" else "float32")

    def _sum(self, v: Variable) -> Any:
        return sum_(v, self.axes, keepdims=True)

    def _mean(self, v: Variable) -> Any:
        return mean_(v, self.axes, keepdims=True)

    def _like(self, results: Sequence[Any], wanted: Sequence[Any]) -> list[Any]:
        """Convert each result to the pattern and dtype of the variable it corresponds to."""
        out = []
        for g, v in zip(results, wanted, strict=True):
            if not _is_none(g):
                g = summed_like(g if g.ndim == v.ndim else fill(v, g), v)
            out.append(g)
        return out

    def __str__(self) -> str:
        return f"{type(self).__name__}{{axes={self.axes}}}"


@documented_in("theano.tensor.nnet.bn")
class AbstractBatchNormTrain(_Normalization):
    """Batch normalization by the mean and variance of the batch, as one op.

    The inputs are x, scale, bias, epsilon, the running average factor and, optionally, both the
    running mean and variance. All tensors have as many dimensions as x; parameters have length 1
    in ``axes``. The outputs are the result, the mean, 1 / sqrt(variance + epsilon), and the new
    running averages. Most programs should call ``batch_normalization_train`` instead.

    >>> import theano.tensor as T
    >>> from theano.tensor.nnet import bn
    >>> one = T.constant([[1.0]])
    >>> outs = bn.AbstractBatchNormTrain((0,))([[1.0], [3.0]], one, 0 * one, 1e-4)
    >>> outs[0].eval().round(3).tolist()
    [[-1.0], [1.0]]
    """

    _tensors, _params, _numbers = 3, 1, 2

    def make_node(
        self,
        x: TensorLike,
        scale: TensorLike,
        bias: TensorLike,
        epsilon: TensorLike = 1e-4,
        running_average_factor: TensorLike = 0.1,
        running_mean: TensorLike = None,
        running_var: TensorLike = None,
    ) -> Apply:
        if (running_mean is None) != (running_var is None):
            raise ValueError(
                f"{self} takes both running_mean and running_var, or neither, got one of them"
            )
        averages = [] if running_mean is None else [running_mean, running_var]
        result = self._inputs([x, scale, bias, *averages], [epsilon, running_average_factor])
        ins = [*result[:3], *result[-2:], *result[3:-2]]
        statistic = self._statistic(*result[:2])
        stats = [statistic() for _ in range(2 + len(averages))]
        return Apply(self, ins, [result[0].type(), *stats])

    def infer_shape(self, node: Apply, shapes: Sequence[Any]) -> list[Any]:
        return [shapes[0], *[self._lengths(shapes[0])] * (len(node.outputs) - 1)]

    def compute(
        self,
        xp: ArrayNamespace,
        x: Array,
        scale: Array,
        bias: Array,
        epsilon: Array,
        factor: Array,
        *averages: Array,
    ) -> Any:
        dtype, acc = x.dtype, accumulated(xp, x.dtype)
        mean = xp.mean(x, axis=self.axes, keepdims=True, dtype=acc)
        away = x - xp.astype(mean, dtype)
        var = xp.mean(away * away, axis=self.axes, keepdims=True, dtype=acc)
        invstd = 1 / xp.sqrt(var + xp.astype(epsilon, acc))
        results = [away * (scale * xp.astype(invstd, dtype)) + bias, mean, invstd]
        if averages:
            n = 1
            for a in self.axes:
                n *= x.shape[a]
            # NaN for a single element, which has no unbiased variance
            unbiased = var * xp.true_divide(xp.asarray(n, acc), xp.asarray(n - 1, acc))
            for old, new in zip(averages, (mean, unbiased), strict=True):
                results.append(old * (1 - factor) + new * factor)
        return tuple(xp.astype(v, dtype) for v in results)

    def expanded(self, node: Apply) -> list[Any]:
        """Return the outputs as a graph of other ops."""
        x, scale, bias, epsilon, factor, *averages = self._open(node.inputs)
        if isinstance(epsilon, Constant) and epsilon.type.ndim == 0:
            out, mean, invstd, var = BatchNorm(self.axes, float(epsilon.data))(x, scale, bias)
        else:
            mean, var = self._mean(x), var_(x, self.axes, keepdims=True)
            invstd = true_div(1.0, sqrt(add(var, cast(epsilon, var.dtype))))
            out = add(mul(sub(x, mean), mul(scale, invstd)), bias)
        results = [out, mean, invstd]
        if averages:
            n = self._count(x)
            unbiased = mul(true_div(n, sub(n, 1.0)), var)
            for old, new in zip(averages, (mean, unbiased), strict=True):
                results.append(add(mul(old, sub(1.0, factor)), mul(new, factor)))
        return self._like(results, node.outputs)

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        x, scale, bias, _, factor, *averages = self._open(inputs)
        g, g_mean, g_invstd, *g_averages = output_grads
        n = self._count(x)
        g_var: Any = disconnected()
        results = []
        if averages:
            through = (factor, mul(factor, true_div(n, sub(n, 1.0))))
            more = []
            for one, rate in zip(g_averages, through, strict=True):
                results.append(one if _is_none(one) else mul(one, sub(1.0, factor)))
                more.append(one if _is_none(one) else mul(one, rate))
            if not _is_none(more[0]):
                g_mean = more[0] if _is_none(g_mean) else add(g_mean, more[0])
            g_var = more[1]
        stats = [addbroadcast(v, *self.axes) for v in outputs[1:3]]
        grads = [g]
        for v in (g_mean, g_invstd, g_var):
            grads.append(v if _is_none(v) else addbroadcast(v, *self.axes))
        own = BatchNorm(self.axes, 0.0).L_op([x, scale, bias], [outputs[0], *stats, None], grads)
        still = [disconnected(), disconnected()]
        return [*self._like(own, inputs[:3]), *still, *self._like(results, inputs[5:])]

    def connection_pattern(self, node: Apply) -> list[list[bool]]:
        more = len(node.outputs) - 3
        rows = [[True] * (3 + more)] + [[True] + [False] * (2 + more) for _ in range(2)]
        rows += [[False] * (3 + more) for _ in range(2)]
        return rows + [[i == 3 + k for i in range(3 + more)] for k in range(more)]


@documented_in("theano.tensor.nnet.bn")
class AbstractBatchNormInference(_Normalization):
    """Batch normalization by a given mean and variance, as one op.

    The inputs are x, scale, bias, the mean, the variance and epsilon; all tensors have as many
    dimensions as x. Most programs should call ``batch_normalization_test`` instead.

    >>> import theano.tensor as T
    >>> from theano.tensor.nnet import bn
    >>> one = T.constant([[1.0]])
    >>> out = bn.AbstractBatchNormInference((0,))([[1.0], [3.0]], one, one, 2 * one, one, 1e-4)
    >>> out.eval().round(3).tolist()
    [[0.0], [2.0]]
    """

    _tensors, _params = 5, 1
    shape_like = 0
    nondiff_inputs = slice(5, None)

    def make_node(
        self,
        x: TensorLike,
        scale: TensorLike,
        bias: TensorLike,
        estimated_mean: TensorLike,
        estimated_variance: TensorLike,
        epsilon: TensorLike = 1e-4,
    ) -> Apply:
        tensors = [x, scale, bias, estimated_mean, estimated_variance]
        ins = self._inputs(tensors, [epsilon])
        return Apply(self, ins, [ins[0].type()])

    def compute(
        self,
        xp: ArrayNamespace,
        x: Array,
        scale: Array,
        bias: Array,
        mean: Array,
        var: Array,
        eps: Array,
    ) -> Any:
        return (x - mean) * (scale / xp.sqrt(var + xp.astype(eps, var.dtype))) + bias

    def expanded(self, node: Apply) -> list[Any]:
        """Return the outputs as a graph of other ops."""
        x, scale, bias, mean, var, epsilon = self._open(node.inputs)
        rate = true_div(scale, sqrt(add(var, cast(epsilon, var.dtype))))
        return self._like([add(mul(sub(x, mean), rate), bias)], node.outputs)

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        x, scale, _, mean, var, epsilon = self._open(inputs)
        (g,) = output_grads
        raised = add(var, cast(epsilon, var.dtype))
        std = sqrt(raised)
        rate = true_div(scale, std)
        total, away = self._sum(g), self._sum(mul(g, sub(x, mean)))
        g_var = neg(mul(away, true_div(rate, mul(2.0, raised))))
        results = [mul(g, rate), true_div(away, std), total, neg(mul(total, rate)), g_var]
        return [*self._like(results, inputs[:5]), disconnected()]


@documented_in("theano.tensor.nnet.bn")
class AbstractBatchNormTrainGrad(_Normalization):
    """The gradients of AbstractBatchNormTrain with respect to x, scale and bias.

    The inputs are x, the gradient of the result, scale, the mean, 1 / sqrt(variance + epsilon),
    and epsilon. Epsilon has no effect, as the mean and the deviation are given. The gradients of
    scale and bias have a value for each mean.

    >>> import numpy as np
    >>> from theano.tensor.nnet import bn
    >>> x, one = np.array([[1.0], [3.0]]), np.array([[1.0]])
    >>> outs = bn.AbstractBatchNormTrainGrad((0,))(x, x, one, 2 * one, one)
    >>> [v.eval().tolist() for v in outs]
    [[[0.0], [0.0]], [[2.0]], [[4.0]]]
    """

    _tensors, _params = 5, 2

    def make_node(
        self,
        x: TensorLike,
        dy: TensorLike,
        scale: TensorLike,
        x_mean: TensorLike,
        x_invstd: TensorLike,
        epsilon: TensorLike = 1e-4,
    ) -> Apply:
        ins = self._inputs([x, dy, scale, x_mean, x_invstd], [epsilon])
        statistic = self._statistic(ins[0], ins[2])
        return Apply(self, ins, [ins[0].type(), statistic(), statistic()])

    def infer_shape(self, node: Apply, shapes: Sequence[Any]) -> list[Any]:
        return [shapes[0], *[self._lengths(shapes[0])] * 2]

    def validate(self, node: Apply, inputs: Sequence[Any]) -> None:
        x, dy = inputs[:2]
        if x.shape != dy.shape:
            raise ValueError(f"{self} takes dy of the shape of x, got {dy.shape} for {x.shape}")
        super().validate(node, inputs)

    def compute(
        self,
        xp: ArrayNamespace,
        x: Array,
        dy: Array,
        scale: Array,
        mean: Array,
        invstd: Array,
        e: Array,
    ) -> Any:
        axes = self.axes
        away = x - mean
        tilt = xp.mean(dy * away, axis=axes, keepdims=True)
        slope = dy * invstd - away * (tilt * invstd**3)
        gx = scale * (slope - xp.mean(slope, axis=axes, keepdims=True))
        g_scale = xp.sum(dy * invstd * away, axis=axes, keepdims=True)
        result = (gx, g_scale, xp.sum(dy, axis=axes, keepdims=True))
        return tuple(xp.astype(v, x.dtype) for v in result)

    def expanded(self, node: Apply) -> list[Any]:
        """Return the outputs as a graph of other ops."""
        x, dy, scale, mean, invstd, _ = self._open(node.inputs)
        away = sub(x, mean)
        cube = mul(invstd, invstd, invstd)
        slope = sub(mul(dy, invstd), mul(away, mul(self._mean(mul(dy, away)), cube)))
        results = [
            mul(scale, sub(slope, self._mean(slope))),
            self._sum(mul(dy, invstd, away)),
            self._sum(dy),
        ]
        return self._like(results, node.outputs)

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        x, dy, scale, mean, invstd, _ = self._open(inputs)
        g_x, g_scale, g_bias = output_grads
        away, total = sub(x, mean), self._sum
        # contributions of the outputs to the gradients of x - mean, dy, scale and invstd
        by_away: list[Any] = []
        by_dy: list[Any] = []
        by_scale: list[Any] = []
        by_invstd: list[Any] = []
        if not _is_none(g_x):
            # subtracting the mean is a symmetric map, so it can be applied to g_x instead
            pull = mul(scale, sub(g_x, self._mean(g_x)))
            tilt, lean = self._mean(mul(dy, away)), self._mean(mul(pull, away))
            square = mul(invstd, invstd)
            cube = mul(square, invstd)
            by_dy.append(sub(mul(pull, invstd), mul(cube, away, lean)))
            by_away.append(neg(mul(cube, add(mul(pull, tilt), mul(dy, lean)))))
            by_invstd.append(total(mul(pull, sub(dy, mul(3.0, square, away, tilt)))))
            slope = sub(mul(dy, invstd), mul(cube, away, tilt))
            by_scale.append(total(mul(g_x, sub(slope, self._mean(slope)))))
        if not _is_none(g_scale):
            g_scale = addbroadcast(g_scale, *self.axes)
            by_away.append(mul(invstd, g_scale, dy))
            by_dy.append(mul(invstd, g_scale, away))
            by_invstd.append(mul(g_scale, total(mul(dy, away))))
        if not _is_none(g_bias):
            by_dy.append(fill(dy, addbroadcast(g_bias, *self.axes)))
        gx = _add(by_away) if by_away else disconnected()
        results = [
            gx,
            _add(by_dy) if by_dy else disconnected(),
            _add(by_scale) if by_scale else disconnected(),
            neg(total(gx)) if by_away else disconnected(),
            _add(by_invstd) if by_invstd else disconnected(),
        ]
        return [*self._like(results, inputs[:5]), disconnected()]

    def connection_pattern(self, node: Apply) -> list[list[bool]]:
        some = [True, True, False]
        return [some, [True] * 3, [True, False, False], some, some, [False] * 3]


def written_out(node: Apply) -> list[Any]:
    """AbstractBatchNorm...(x, ...) -> the same as other ops"""
    return node.op.expanded(node)  # type: ignore[no-any-return]


def _inputs_of_example() -> list[Any]:
    row = tensor_type("float64", (True, False))
    return [tensor_type("float64", (False, False))("m"), *(row(name) for name in "sbuv")]


def _train_example() -> tuple[list[Any], list[Any]]:
    inputs = m, scale, bias, mean, var = _inputs_of_example()
    return inputs, AbstractBatchNormTrain((0,))(m, scale, bias, 0.01, 0.2, mean, var)


def _inference_example() -> tuple[list[Any], list[Any]]:
    inputs = m, scale, bias, mean, var = _inputs_of_example()
    return inputs, [AbstractBatchNormInference((0,))(m, scale, bias, mean, mul(var, var), 0.01)]


def _gradient_example() -> tuple[list[Any], list[Any]]:
    inputs = m, scale, bias, mean, var = _inputs_of_example()
    return inputs, AbstractBatchNormTrainGrad((0,))(m, mul(m, bias), scale, mean, var)


# fmt: off
_UNREAD = "a parameter that only unused outputs need is not checked"
RULES = tuple(
    FunctionRule(written_out, name, "canonicalize", [cls], example=example, hazard=hazard,
                 tags=("batchnorm_opts", "fast_compile"))
    for name, cls, example, hazard in (
        ("local_abstract_batch_norm_train", AbstractBatchNormTrain, _train_example, _UNREAD),
        ("local_abstract_batch_norm_inference", AbstractBatchNormInference,
         _inference_example, None),
        ("local_abstract_batch_norm_train_grad", AbstractBatchNormTrainGrad,
         _gradient_example, _UNREAD),
    )
)
# fmt: on
