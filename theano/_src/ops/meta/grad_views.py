"""Ops that return their input unchanged and change its gradient."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from theano._src.graph.graph import Apply
from theano._src.ground.array_types import Array, ArrayNamespace
from theano._src.ground.config import config
from theano._src.ground.documented import documented_in
from theano._src.ops.elementwise.arithmetic import clip, mul
from theano._src.ops.meta.misc import ViewOp, as_variable
from theano._src.rewrite.rule import FunctionRule
from theano._src.types.aliases import TensorLike
from theano._src.types.convert import as_tensor_variable, constant
from theano._src.types.dtypes import continuous_dtypes
from theano._src.types.null import disconnected, grad_undefined


class _GradientView(ViewOp):
    """Base class of views that only affect gradients."""

    batch_rule = ViewOp.batch_rule

    def make_node(self, x: TensorLike) -> Apply:
        x = as_tensor_variable(x)
        return Apply(self, [x], [x.type()])


@documented_in("theano.gradient")
class ZeroGrad(_GradientView):
    """x, with a zero gradient; the cost stays connected to it.

    >>> import theano, theano.tensor as T
    >>> x = T.dscalar("x")
    >>> T.grad(theano.gradient.zero_grad_(x) * x, x).eval({x: 3}).item()
    3.0
    """

    batch_rule = ViewOp.batch_rule

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        (x,) = inputs
        return [x.zeros_like(dtype=x.dtype if x.dtype in continuous_dtypes else config.floatX)]

    def R_op(self, inputs: list[Any], eval_points: list[Any]) -> list[Any]:
        (dx,) = eval_points
        return [None if dx is None else dx.zeros_like()]


@documented_in("theano.gradient")
class ConsiderConstant(ZeroGrad):
    """x, treated as a constant by gradients: the older name of ZeroGrad.

    >>> import theano, theano.tensor as T
    >>> x = T.dscalar("x")
    >>> T.grad(theano.gradient.consider_constant_(x) * x, x).eval({x: 3}).item()
    3.0
    """


@documented_in("theano.gradient")
class DisconnectedGrad(_GradientView):
    """x, disconnected from the cost for gradients.

    >>> import theano, theano.tensor as T
    >>> x = T.dscalar("x")
    >>> T.grad(theano.gradient.disconnected_grad_(x) * x, x).eval({x: 3}).item()
    3.0
    """

    batch_rule = ViewOp.batch_rule
    nondiff_inputs = slice(None)

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        return [disconnected()]

    def R_op(self, inputs: list[Any], eval_points: list[Any]) -> list[Any]:
        return [None]


@documented_in("theano.gradient")
class UndefinedGrad(_GradientView):
    """x, with an undefined gradient: requesting it raises an error.

    >>> import theano, theano.tensor as T
    >>> x = T.dscalar("x")
    >>> theano.gradient.undefined_grad_(x).eval({x: 3}).item()
    3.0
    """

    batch_rule = ViewOp.batch_rule

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        return [grad_undefined(self, 0, inputs[0])]

    def R_op(self, inputs: list[Any], eval_points: list[Any]) -> list[Any]:
        return [None]


@documented_in("theano.gradient")
class GradClip(_GradientView):
    """x, with its gradient clipped between two bounds, element by element."""

    __props__ = ("clip_lower_bound", "clip_upper_bound")
    batch_rule = ViewOp.batch_rule

    def __init__(self, clip_lower_bound: float, clip_upper_bound: float) -> None:
        if not clip_upper_bound >= clip_lower_bound:
            raise ValueError(
                f"grad_clip takes a lower bound and a higher one, got {clip_lower_bound} and "
                f"{clip_upper_bound}"
            )
        self.clip_lower_bound = clip_lower_bound
        self.clip_upper_bound = clip_upper_bound

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        (g,) = output_grads
        return [clip(g, self.clip_lower_bound, self.clip_upper_bound)]


@documented_in("theano.gradient")
class GradScale(_GradientView):
    """x, with its gradient multiplied by a number."""

    __props__ = ("multiplier",)
    batch_rule = ViewOp.batch_rule

    def __init__(self, multiplier: float) -> None:
        self.multiplier = multiplier

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        (g,) = output_grads
        return [mul(constant(self.multiplier, dtype=g.dtype), g)]


class Tied(_GradientView):
    """Return the first input; the others become part of the graph, but have no effect."""

    shape_like = 0
    nondiff_inputs = slice(1, None)

    def make_node(self, x: TensorLike, *others: TensorLike) -> Apply:
        x = as_variable(x)
        return Apply(self, [x, *map(as_variable, others)], [x.type()])

    def compute(self, xp: ArrayNamespace, *inputs: Array) -> Any:
        return inputs[0]

    def batch_rule(
        self, node: Apply, inputs: Sequence[Any], is_batched: Sequence[bool]
    ) -> Sequence[Any] | None:
        return [self(*inputs)]

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        return [output_grads[0], *[disconnected() for _ in inputs[1:]]]

    def R_op(self, inputs: list[Any], eval_points: list[Any]) -> list[Any]:
        return eval_points[:1]


tied = Tied()
zero_grad_ = ZeroGrad()
consider_constant_ = ConsiderConstant()
disconnected_grad_ = DisconnectedGrad()
undefined_grad_ = UndefinedGrad()


@documented_in("theano.gradient")
def zero_grad(x: TensorLike) -> Any:
    """Return ``x`` with a zero gradient; the cost stays connected to it.

    >>> import theano, theano.tensor as T
    >>> x = T.dscalar()
    >>> T.grad(x * theano.gradient.zero_grad(x), x).eval({x: 3}).item()
    3.0
    """
    return zero_grad_(x)


@documented_in("theano.gradient")
def consider_constant(x: TensorLike) -> Any:
    """Return ``x``, a constant for gradients; prefer ``zero_grad`` or ``disconnected_grad``.

    >>> import theano, theano.tensor as T
    >>> x = T.dscalar("x")
    >>> T.grad(theano.gradient.consider_constant(x) * x, x).eval({x: 3}).item()
    3.0
    """
    return consider_constant_(x)


@documented_in("theano.gradient")
def disconnected_grad(x: TensorLike) -> Any:
    """Return ``x``, disconnected from the cost for gradients.

    >>> import theano, theano.tensor as T
    >>> x = T.dscalar()
    >>> T.grad(x * theano.gradient.disconnected_grad(x), x).eval({x: 3}).item()
    3.0
    """
    return disconnected_grad_(x)


@documented_in("theano.gradient")
def undefined_grad(x: TensorLike) -> Any:
    """Return ``x``; taking a gradient through it raises an error.

    >>> import theano, theano.tensor as T
    >>> x = T.dscalar("x")
    >>> T.grad(theano.gradient.undefined_grad(x), x)
    Traceback (most recent call last):
    theano.gradient.NullTypeGradError: ...
    """
    return undefined_grad_(x)


@documented_in("theano.gradient")
def grad_clip(x: TensorLike, lower_bound: float, upper_bound: float) -> Any:
    """Return ``x``, with its gradient clipped between ``lower_bound`` and ``upper_bound``.

    >>> import theano, theano.tensor as T
    >>> x = T.dscalar()
    >>> T.grad(theano.gradient.grad_clip(x, -1, 1) ** 2, x).eval({x: 2}).item()
    1.0
    """
    return GradClip(lower_bound, upper_bound)(x)


@documented_in("theano.gradient")
def grad_scale(x: TensorLike, multiplier: float) -> Any:
    """Return ``x``, with its gradient multiplied by ``multiplier``.

    >>> import theano, theano.tensor as T
    >>> x = T.dscalar()
    >>> T.grad(theano.gradient.grad_scale(x, -2), x).eval({x: 2}).item()
    -2.0
    """
    return GradScale(multiplier)(x)


def view_removed(node: Apply) -> list[Any]:
    """view(x) -> x: gradients have been taken by now"""
    return node.inputs[:1]


RULES = (
    FunctionRule(
        view_removed,
        "gradient_view_removed",
        "canonicalize",
        [_GradientView],
        tags=("fast_compile",),
    ),
)
