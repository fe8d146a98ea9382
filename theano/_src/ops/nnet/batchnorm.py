"""Batch normalization by a given mean and deviation, or by those of the batch itself."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from theano._src.graph.graph import Apply
from theano._src.graph.op import Op
from theano._src.ground.array_types import Array, ArrayNamespace
from theano._src.ground.config import config
from theano._src.ground.documented import documented_in
from theano._src.ops.core.cast import cast
from theano._src.ops.elementwise.arithmetic import add, fill, mul, sqrt, sub, true_div
from theano._src.ops.reduce.careduce import sum as sum_
from theano._src.ops.reduce.statistics import mean as mean_
from theano._src.ops.shape.dims import addbroadcast, dimshuffle, patternbroadcast
from theano._src.ops.shape.shape import shape_i
from theano._src.ops.shape.static_values import product
from theano._src.types.aliases import Axis, TensorLike
from theano._src.types.convert import as_tensor_variable, constant
from theano._src.types.dtypes import discrete_dtypes, upcast
from theano._src.types.null import DisconnectedType, disconnected
from theano._src.types.tensor import TensorVariable, tensor_type


def accumulated(xp: ArrayNamespace, dtype: np.dtype[Any]) -> str:
    """The dtype of averages: as in Sum, at least float64 where the engine has it."""
    return "float32" if dtype == "float16" else str(xp.accumulator(dtype.name, "float64"))


def summed_like(g: TensorVariable, v: TensorVariable) -> Any:
    """Reduce ``g`` to the gradient of ``v``, which was broadcast to the shape of ``g``."""
    more = [d for d, one in enumerate(v.broadcastable) if one and not g.broadcastable[d]]
    g = sum_(g, more, keepdims=True) if more else g
    return cast(patternbroadcast(g, v.broadcastable), v.dtype)


def _spread(x: TensorVariable, g: TensorVariable) -> Any:
    return g if g.broadcastable == x.broadcastable else fill(x, g)


class BatchNorm(Op):
    """(x - mean) / sqrt(var + epsilon) * scale + bias, with the mean and variance of the batch.

    The inputs are ``x``, ``scale`` and ``bias``; the latter two have length 1 in ``axes``. The
    outputs are the result, the mean, 1 / sqrt(var + epsilon), and the variance; the latter three
    have length 1 in ``axes``.

    >>> import theano.tensor as T
    >>> BatchNorm((0,), 0.0)([[1.0], [3.0]], [[1.0]], [[0.0]])[0].eval().tolist()
    [[-1.0], [1.0]]
    """

    __props__ = ("axes", "epsilon")

    def __init__(self, axes: Sequence[int], epsilon: float) -> None:
        self.axes = tuple(axes)
        self.epsilon = float(epsilon)

    def make_node(self, x: TensorLike, scale: TensorLike, bias: TensorLike) -> Apply:
        given = [as_tensor_variable(v) for v in (x, scale, bias)]
        dtype = upcast(*(v.dtype for v in given))
        dtype = "float64" if dtype in discrete_dtypes else dtype
        ins = [cast(v, dtype) for v in given]
        ndim = ins[0].ndim
        pattern = tuple(b or (i in self.axes) for i, b in enumerate(ins[0].broadcastable))
        for v in ins[1:]:
            if v.ndim != ndim or not all(v.broadcastable[a] for a in self.axes):
                raise ValueError(
                    f"{self} takes scale and bias of {ndim} dimensions, of length 1 in axes "
                    f"{self.axes}, got {v} of {v.type}"
                )
        stats = [tensor_type(dtype, pattern)() for _ in range(3)]
        return Apply(self, ins, [ins[0].type(), *stats])

    def validate(self, node: Apply, inputs: Sequence[Any]) -> None:
        x = inputs[0]
        for v, given in zip(node.inputs[1:], inputs[1:], strict=True):
            for d, one in enumerate(v.type.broadcastable):
                if not one and given.shape[d] != x.shape[d]:
                    raise ValueError(
                        f"{self} takes scale and bias as long as x in dimension {d}, got "
                        f"{given.shape[d]} for {x.shape[d]}"
                    )

    def compute(self, xp: ArrayNamespace, x: Array, scale: Array, bias: Array) -> Any:
        axes, dtype, acc = self.axes, x.dtype, accumulated(xp, x.dtype)
        mean = xp.mean(x, axis=axes, keepdims=True, dtype=acc)
        away = x - xp.astype(mean, dtype)
        var = xp.mean(away * away, axis=axes, keepdims=True, dtype=acc)
        invstd = 1 / xp.sqrt(var + self.epsilon)
        mean, invstd, var = (xp.astype(v, dtype) for v in (mean, invstd, var))
        return away * (scale * invstd) + bias, mean, invstd, var

    def infer_shape(self, node: Apply, shapes: Sequence[Any]) -> list[Any]:
        one = constant(np.asarray(1, "int64"))
        stats = tuple(one if i in self.axes else n for i, n in enumerate(shapes[0]))
        return [shapes[0], stats, stats, stats]

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        (x, scale, bias), (_, mean, invstd, _) = inputs, outputs
        g, g_mean, g_invstd, g_var = (
            None if isinstance(v.type, DisconnectedType) else v for v in output_grads
        )
        n = self._count(x)
        away = sub(x, mean)
        terms = []
        g_scale = g_bias = disconnected()
        if g is not None:
            unit = mul(away, invstd)
            s_bias = sum_(g, self.axes, keepdims=True)
            s_scale = sum_(mul(g, unit), self.axes, keepdims=True)
            # Ioffe and Szegedy, "Batch Normalization" (2015), section 3, with sums collected
            inner = sub(sub(g, true_div(s_bias, n)), mul(unit, true_div(s_scale, n)))
            terms.append(mul(mul(scale, invstd), inner))
            g_scale, g_bias = summed_like(s_scale, scale), summed_like(s_bias, bias)
        if g_mean is not None:
            terms.append(true_div(g_mean, n))
        slope = [] if g_var is None else [g_var]
        if g_invstd is not None:
            slope.append(mul(-0.5, g_invstd, invstd, invstd, invstd))
        if slope:
            whole = slope[0] if len(slope) == 1 else add(*slope)
            terms.append(mul(away, true_div(mul(2.0, whole), n)))
        if not terms:
            return [disconnected() for _ in inputs]
        gx = terms[0] if len(terms) == 1 else add(*terms)
        return [cast(_spread(x, gx), x.dtype), g_scale, g_bias]

    def R_op(self, inputs: list[Any], eval_points: list[Any]) -> list[Any]:
        (x, scale, _), (dx, dscale, dbias) = inputs, eval_points
        _, mean, invstd, _ = self(*inputs)
        away = sub(x, mean)
        terms: list[Any] = []
        moved: list[Any] = [None] * 3
        if dx is not None:
            dmean = mean_(dx, self.axes, keepdims=True)
            dvar = mul(2.0, mean_(mul(away, dx), self.axes, keepdims=True))
            dinvstd = mul(-0.5, invstd, invstd, invstd, dvar)
            moved = [dmean, dinvstd, dvar]
            terms.append(mul(sub(dx, dmean), scale, invstd))
            terms.append(mul(away, scale, dinvstd))
        if dscale is not None:
            terms.append(mul(away, invstd, dscale))
        if dbias is not None:
            terms.append(dbias)
        if not terms:
            return [None] * 4
        return [_spread(x, add(*terms) if len(terms) > 1 else terms[0]), *moved]

    def connection_pattern(self, node: Apply) -> list[list[bool]]:
        return [[True] * 4, [True, False, False, False], [True, False, False, False]]

    def _count(self, x: TensorVariable) -> Any:
        # not in float16, whose largest value is 65504
        dtype = "float64" if x.dtype == "float64" else "float32"
        return cast(product(shape_i(x, a) for a in self.axes), dtype)

    def __str__(self) -> str:
        return f"BatchNorm{{axes={self.axes}}}"


def _read_axes(who: str, axes: Axis | str, ndim: int) -> tuple[int, ...]:
    if isinstance(axes, str) and axes == "per-activation":
        return (0,)
    if isinstance(axes, str) and axes == "spatial":
        return (0, *range(2, ndim))
    if not isinstance(axes, tuple | list | np.ndarray):
        raise ValueError(
            f"{who} takes 'per-activation', 'spatial' or a tuple of ints as axes, got {axes!r}"
        )
    positions = tuple(sorted({int(a) for a in axes}))
    if not positions or positions[0] < 0 or positions[-1] >= ndim:
        raise ValueError(
            f"{who} takes at least one axis, counted from 0 to {ndim - 1}, got axes={axes!r}"
        )
    return positions


def _read_epsilon(who: str, epsilon: float) -> Any:
    # 1e-5 rounds down in float32
    array = np.asarray(epsilon, config.floatX)
    if not array >= 1e-5:
        raise ValueError(f"{who} takes an epsilon of at least 1e-5, got {epsilon}")
    return array


class _Layout:
    """The layout of parameters: all dimensions of the inputs, or only those not averaged over."""

    def __init__(
        self, who: str, inputs: TensorVariable, axes: Axis | str, params: dict[str, Any]
    ) -> None:
        self.axes = _read_axes(who, axes, inputs.ndim)
        self.kept = [i for i in range(inputs.ndim) if i not in self.axes]
        first = next(iter(params.values()))
        self.whole = first.ndim == inputs.ndim
        wanted = inputs.ndim if self.whole else len(self.kept)
        for name, v in params.items():
            if v.ndim != wanted:
                raise ValueError(
                    f"{who} takes {', '.join(params)} of {len(self.kept)} dimensions, those that "
                    f"are not averaged over, or all of the {inputs.ndim} of its inputs, got "
                    f"{name} of {v.ndim} with {next(iter(params))} of {first.ndim}"
                )
        self.order: list[int | str] = ["x"] * inputs.ndim
        for i, axis in enumerate(self.kept):
            self.order[axis] = i

    def open(self, v: TensorVariable) -> Any:
        """Return a parameter with all dimensions of the inputs."""
        return addbroadcast(v, *self.axes) if self.whole else dimshuffle(v, *self.order)

    def close(self, v: TensorVariable) -> Any:
        """Return a statistic in the layout of the parameters: the inverse of ``open``."""
        return v if self.whole else dimshuffle(v, *self.kept)


@documented_in("theano.tensor.nnet.bn")
def batch_normalization(
    inputs: TensorLike,
    gamma: TensorLike,
    beta: TensorLike,
    mean: TensorLike,
    std: TensorLike,
    mode: str = "low_mem",
) -> Any:
    """Return (inputs - mean) / std * gamma + beta, element by element.

    Parameters
    ----------
    inputs : tensor
        A batch of activations.
    gamma, beta : tensors
        Scale and shift; they broadcast against ``inputs``.
    mean, std : tensors
        Subtracted from ``inputs``, and divided by; they broadcast against ``inputs``.
    mode : 'low_mem' or 'high_mem'
        The order of the operations. Both are rewritten and fused, and use the same memory.

    >>> from theano.tensor.nnet.bn import batch_normalization
    >>> batch_normalization([1.0, 3.0], gamma=[2.0], beta=[0.5], mean=[2.0], std=[1.0]).eval()
    array([-1.5,  2.5])
    """
    inputs, gamma, beta, mean, std = map(as_tensor_variable, (inputs, gamma, beta, mean, std))
    if mode == "low_mem":
        return add(mul(true_div(sub(inputs, mean), std), gamma), beta)
    if mode == "high_mem":
        return add(mul(sub(inputs, mean), true_div(gamma, std)), beta)
    raise ValueError(f"batch_normalization takes 'low_mem' or 'high_mem' as mode, got {mode!r}")


@documented_in("theano.tensor.nnet.bn")
def batch_normalization_train(
    inputs: TensorLike,
    gamma: TensorLike,
    beta: TensorLike,
    axes: Axis | str = "per-activation",
    epsilon: float = 1e-4,
    running_average_factor: TensorLike = 0.1,
    running_mean: TensorLike = None,
    running_var: TensorLike = None,
) -> tuple[Any, ...]:
    r"""Normalize a batch by its own mean and variance.

    .. math:: y = \gamma \, \frac{x - \mu}{\sqrt{\sigma^2 + \epsilon}} + \beta

    Parameters
    ----------
    inputs : tensor
        A batch of activations.
    gamma, beta : tensors
        Scale and shift. Their shape is that of ``inputs``, with ``axes`` of length 1 or dropped.
    axes : 'per-activation', 'spatial' or tuple of ints
        The dimensions to average over: dimension 0, all but dimension 1, or the given ones.
    epsilon : float
        Added to the variance; at least 1e-5.
    running_average_factor : float
        The weight of the batch in the new running averages.
    running_mean, running_var : tensors, optional
        The previous running averages, both or neither, with the layout of ``gamma``.

    Returns
    -------
    out, mean, invstd : tensors
        The result, the mean, and 1 / sqrt(variance + epsilon); the latter two have the layout of
        ``gamma``.
    new_running_mean, new_running_var : tensors
        The new running averages, only if running averages were given. The new variance uses the
        unbiased estimate: the variance of the batch times m / (m - 1) for m elements.

    >>> import theano.tensor as T
    >>> from theano.tensor.nnet.bn import batch_normalization_train
    >>> one = T.ones(1)
    >>> outs = batch_normalization_train(
    ...     T.constant([[1.0], [3.0]]), one, 0 * one, epsilon=1e-5,
    ...     running_average_factor=0.5, running_mean=0 * one, running_var=one)
    >>> [v.eval().round(4).tolist() for v in outs]
    [[[-1.0], [1.0]], [2.0], [1.0], [1.0], [1.5]]
    """
    who = "batch_normalization_train"
    inputs, gamma, beta = map(as_tensor_variable, (inputs, gamma, beta))
    if (running_mean is None) != (running_var is None):
        raise ValueError(
            f"{who} takes both running_mean and running_var, or neither, got one of them"
        )
    params = {"gamma": gamma, "beta": beta}
    if running_mean is not None:
        params["running_mean"] = as_tensor_variable(running_mean)
        params["running_var"] = as_tensor_variable(running_var)
    layout = _Layout(who, inputs, axes, params)
    epsilon = _read_epsilon(who, epsilon)
    opened = {name: layout.open(v) for name, v in params.items()}
    dtype = upcast(inputs.dtype, *(v.dtype for v in params.values()))
    op = BatchNorm(layout.axes, epsilon)
    out, mean, invstd, var = op(cast(inputs, dtype), opened["gamma"], opened["beta"])
    results = [mean, invstd]
    if running_mean is not None:
        keep, take = sub(1.0, running_average_factor), running_average_factor
        n = op._count(inputs)
        unbiased = mul(true_div(n, sub(n, 1.0)), var)
        for name, new in (("running_mean", mean), ("running_var", unbiased)):
            old = opened[name]
            averaged = cast(add(mul(old, keep), mul(new, take)), dtype)
            results.append(patternbroadcast(averaged, old.broadcastable))
    return (out, *map(layout.close, results))


@documented_in("theano.tensor.nnet.bn")
def batch_normalization_test(
    inputs: TensorLike,
    gamma: TensorLike,
    beta: TensorLike,
    mean: TensorLike,
    var: TensorLike,
    axes: Axis | str = "per-activation",
    epsilon: float = 1e-4,
) -> Any:
    r"""Normalize a batch by a given mean and variance, often running averages.

    .. math:: y = \gamma \, \frac{x - \mu}{\sqrt{\sigma^2 + \epsilon}} + \beta

    Parameters
    ----------
    inputs : tensor
        A batch of activations.
    gamma, beta, mean, var : tensors
        Scale and shift, mean and variance. Their shape is that of ``inputs``, with ``axes`` of
        length 1 or dropped.
    axes : 'per-activation', 'spatial' or tuple of ints
        The dimensions averaged over: dimension 0, all but dimension 1, or the given ones.
    epsilon : float
        Added to the variance; at least 1e-5.

    >>> import theano.tensor as T
    >>> from theano.tensor.nnet.bn import batch_normalization_test
    >>> two = T.constant([2.0])
    >>> x = T.constant([[1.0], [3.0]])
    >>> batch_normalization_test(x, two, two, two, two * two).eval().round(3).tolist()
    [[1.0], [3.0]]
    """
    who = "batch_normalization_test"
    inputs, gamma, beta, mean, var = map(as_tensor_variable, (inputs, gamma, beta, mean, var))
    params = {"gamma": gamma, "beta": beta, "mean": mean, "var": var}
    layout = _Layout(who, inputs, axes, params)
    epsilon = _read_epsilon(who, epsilon)
    dtype = upcast(inputs.dtype, *(v.dtype for v in params.values()))
    dtype = "float64" if dtype in discrete_dtypes else dtype
    gamma, beta, mean, var = (cast(layout.open(v), dtype) for v in params.values())
    scale = true_div(gamma, sqrt(add(var, cast(epsilon, dtype))))
    return add(mul(sub(cast(inputs, dtype), mean), scale), beta)
