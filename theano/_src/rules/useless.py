"""Remove elementwise ops whose result is known or is an input; checks that they make are kept."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from theano._src.graph.graph import Apply, Constant
from theano._src.ops.core.cast import cast
from theano._src.ops.core.elemwise import Elemwise
from theano._src.ops.elementwise.arithmetic import (
    Add,
    Identity,
    IntDiv,
    Maximum,
    Minimum,
    Mul,
    Pow,
    Sub,
    TrueDiv,
    abs_,
)
from theano._src.ops.elementwise.compare import (
    AND,
    EQ,
    GE,
    GT,
    LE,
    LT,
    NEQ,
    OR,
    XOR,
    Invert,
    IsInf,
    IsNan,
    eq,
    ge,
    gt,
    invert,
    le,
    lt,
    neq,
)
from theano._src.ops.elementwise.complex_parts import conj
from theano._src.ops.elementwise.trig import (
    arccosh,
    arcsinh,
    arctanh,
    cosh,
    deg2rad,
    rad2deg,
    sinh,
    tanh,
)
from theano._src.ops.meta.misc import (
    ScalarFromTensor,
    TensorFromScalar,
    ViewOp,
)
from theano._src.ops.shape.shape import Shape_i
from theano._src.rewrite.pattern import Hole, uniform_value
from theano._src.rewrite.rule import FunctionRule, Rule
from theano._src.rules.fills import filled
from theano._src.rules.lengths import drops_a_check
from theano._src.types.convert import constant
from theano._src.types.dtypes import complex_dtypes, discrete_dtypes


def number_of(v: Any) -> Any:
    """Return the value of a constant; None for others, or if its lengths must be checked."""
    if v.owner is None and not isinstance(v, Constant):
        return None
    return uniform_value(v) if all(v.type.broadcastable) else None


def everywhere(fgraph: Any, node: Apply, value: Any) -> list[Any] | None:
    """Return ``value`` broadcast to the shape of a node's output.

    Return None where an error would be lost: of an index, an Assert, or a user's op.
    """
    if drops_a_check(node, ()):
        return None
    out: Any = node.outputs[0]
    new = filled(fgraph, value, node.inputs, out)
    return [new] if new.type == out.type else None


def one_input(node: Apply) -> list[Any] | None:
    """add(x) -> x, mul(x) -> x, identity(x) -> x"""
    if len(node.inputs) > 1 or node.op.inplace_items or node.inputs[0].type != node.outputs[0].type:
        return None
    return [node.inputs[0]]


def product_with_zero(fgraph: Any, node: Apply) -> list[Any] | None:
    """x * 0 -> 0, in the shape of x"""
    for v in node.inputs:
        if number_of(v) == 0:
            return everywhere(fgraph, node, 0)
    return None


def zero_divided(fgraph: Any, node: Apply) -> list[Any] | None:
    """0 / x -> 0, in the shape of x"""
    return everywhere(fgraph, node, 0) if number_of(node.inputs[0]) == 0 else None


def power_zero(fgraph: Any, node: Apply) -> list[Any] | None:
    """x ** 0 -> 1, in the shape of x"""
    if node.outputs[0].type.dtype in complex_dtypes or number_of(node.inputs[1]) != 0:
        return None
    return everywhere(fgraph, node, 1)


def difference_with_itself(fgraph: Any, node: Apply) -> list[Any] | None:
    """x - x -> 0, in the shape of x"""
    return everywhere(fgraph, node, 0) if node.inputs[0] is node.inputs[1] else None


def divided_by_one(node: Apply) -> list[Any] | None:
    """n // 1 -> n, for integers"""
    n, one = node.inputs
    if n.type.dtype not in discrete_dtypes or number_of(one) != 1 or node.op.inplace_items:
        return None
    out: Any = node.outputs[0]
    return [cast(n, out.type.dtype)] if out.type.dtype in discrete_dtypes else None


def compared_with_itself(fgraph: Any, node: Apply) -> list[Any] | None:
    """x < x -> False; x == x -> True, for integers"""
    a, b = node.inputs
    if a is not b:
        return None
    op = type(node.op.scalar_op)
    if op in (LT, GT):
        return everywhere(fgraph, node, False)
    if a.type.dtype not in discrete_dtypes:
        return None  # NaN does not equal itself
    return everywhere(fgraph, node, op is not NEQ)


#: whether comparing a length, which is never negative, with n is never true, or always
_NEVER: dict[Any, Callable[[Any], Any]] = {
    LT: lambda n: n <= 0,
    LE: lambda n: n < 0,
    EQ: lambda n: n < 0,
}
_ALWAYS: dict[Any, Callable[[Any], Any]] = {
    GE: lambda n: n <= 0,
    GT: lambda n: n < 0,
    NEQ: lambda n: n < 0,
}
_FLIPPED = {LT: GT, GT: LT, LE: GE, GE: LE, EQ: EQ, NEQ: NEQ}


def _is_length(v: Any, depth: int = 3) -> bool:
    """Whether a number is a length, or the sum of lengths: never negative."""
    if isinstance(v, Constant):
        return v.type.ndim == 0 and bool(v.data >= 0)
    node = v.owner
    if node is None or depth == 0:
        return False
    if isinstance(node.op, Shape_i):
        return True
    return (
        isinstance(node.op, Elemwise)
        and isinstance(node.op.scalar_op, Add)
        and v.type.dtype == "int64"
        and all(_is_length(u, depth - 1) for u in node.inputs)
    )


def length_compared(node: Apply) -> list[Any] | None:
    """shape[i] < 0 -> False; shape[i] >= 0 -> True"""
    a, b = node.inputs
    op = type(node.op.scalar_op)
    if node.outputs[0].type.ndim:
        return None
    n = number_of(b)
    if n is None:
        n, a, op = number_of(a), b, _FLIPPED[op]
    if n is None or isinstance(a, Constant) or not _is_length(a):
        return None
    if op in _NEVER:
        return [constant(np.asarray(False))] if _NEVER[op](n) else None
    return [constant(np.asarray(True))] if _ALWAYS[op](n) else None


def length_bounded(node: Apply) -> list[Any] | None:
    """maximum(shape[i], 0) -> shape[i]; minimum(shape[i], 0) -> 0"""
    a, b = node.inputs
    if node.outputs[0].type.ndim:
        return None
    n = number_of(b)
    if n is None:
        n, a, b = number_of(a), b, a
    if n is None or n > 0 or isinstance(a, Constant) or not _is_length(a):
        return None
    kept = a if isinstance(node.op.scalar_op, Maximum) else b
    return [kept] if kept.type == node.outputs[0].type else None


def logic_with_constant(fgraph: Any, node: Apply) -> list[Any] | None:
    """and(x, False) -> False, and(x, True) -> x, or(x, 0) -> x, xor(x, 0) -> x"""
    if node.op.inplace_items:
        return None
    out: Any = node.outputs[0]
    op, dtype = type(node.op.scalar_op), out.type.dtype
    for a, b in (node.inputs, node.inputs[::-1]):
        n = number_of(b)
        if n is None:
            continue
        every_bit = bool(n) if dtype == "bool" else n == -1
        if n == 0:
            return everywhere(fgraph, node, 0) if op is AND else [cast(a, dtype)]
        if not every_bit:
            continue
        if op is AND:
            return [cast(a, dtype)]
        if op is OR:
            return everywhere(fgraph, node, n)
        if dtype == "bool":
            return [invert(a)]
    return None


def logic_with_itself(fgraph: Any, node: Apply) -> list[Any] | None:
    """and(x, x) -> x, or(x, x) -> x, xor(x, x) -> 0"""
    a, b = node.inputs
    if a is not b or node.op.inplace_items:
        return None
    if isinstance(node.op.scalar_op, XOR):
        return everywhere(fgraph, node, 0)
    return [a]


_OPPOSITE = {LT: ge, GE: lt, GT: le, LE: gt, EQ: neq, NEQ: eq}


def opposite(node: Apply) -> list[Any] | None:
    """not (a == b) -> a != b; not (a < b) -> a >= b, for integers; not (not x) -> x"""
    inner = node.inputs[0].owner
    if inner is None or not isinstance(inner.op, Elemwise) or node.op.inplace_items:
        return None
    op = type(inner.op.scalar_op)
    if op is Invert:
        return [inner.inputs[0]]
    if op not in _OPPOSITE:
        return None
    if op not in (EQ, NEQ) and any(v.type.dtype not in discrete_dtypes for v in inner.inputs):
        return None  # no comparison holds for NaN
    return [_OPPOSITE[op](*inner.inputs)]


def never_of_integers(fgraph: Any, node: Apply) -> list[Any] | None:
    """isnan(n) -> False, isinf(n) -> False, for integers"""
    if node.inputs[0].type.dtype not in discrete_dtypes:
        return None
    return everywhere(fgraph, node, False)


def constants_upcast(node: Apply) -> list[Any] | None:
    """x + 1 -> x + 1.0: constants are cast to the dtype in which the op computes"""
    dtype = node.outputs[0].type.dtype
    odd = [
        i for i, v in enumerate(node.inputs) if isinstance(v, Constant) and v.type.dtype != dtype
    ]
    if not odd or len(odd) == len(node.inputs) or node.op.inplace_items:
        return None
    inputs: list[Any] = list(node.inputs)
    if all(v.type.dtype in discrete_dtypes for v in inputs) and dtype not in discrete_dtypes:
        return None  # division of integers has its own dtype
    if not any(v.type.dtype == dtype for i, v in enumerate(inputs) if i not in odd):
        return None  # the other inputs are cast too: nothing is gained
    for i in odd:
        inputs[i] = constant(inputs[i].data.astype(dtype))
        if inputs[i].type.broadcastable != node.inputs[i].type.broadcastable:
            return None
    return [node.op(*inputs)]


def there_and_back(node: Apply) -> list[Any] | None:
    """TensorFromScalar(ScalarFromTensor(x)) -> x, and vice versa"""
    inner = node.inputs[0].owner
    other = ScalarFromTensor if isinstance(node.op, TensorFromScalar) else TensorFromScalar
    if inner is None or not isinstance(inner.op, other):
        return None
    return [inner.inputs[0]]


def useless_view(node: Apply) -> list[Any] | None:
    """view_op(x) -> x"""
    # NOTE: a user's subclass of ViewOp may mean more
    return [node.inputs[0]] if type(node.op) is ViewOp else None


x, real = Hole("x"), Hole("x", kind="f")
_FIRST = "canonicalize specialize"
_COMPARED = (EQ, NEQ, LT, GT, LE, GE)
_INVERSE, _ROUNDED = ("local_func_inv",), "the last digits may differ"

# fmt: off
RULES = (
    FunctionRule(constants_upcast, "constants_upcast", "canonicalize",
                 [Add, Sub, Mul, TrueDiv, Maximum, Minimum],
                 tags=("local_upcast_elemwise_constant_inputs",), depth=1),
    FunctionRule(one_input, "one_input", _FIRST, [Identity, Add, Mul], depth=1,
                 tags=("local_useless_elemwise", "local_useless_tensor_copy", "local_useless",
                       "local_useless_identity", "local_add_specialize", "fast_compile")),
    FunctionRule(product_with_zero, "product_with_zero", _FIRST, [Mul], depth=1,
                 tags=("local_mul_zero", "local_mul_specialize"),
                 hazard="0 where a factor is infinite or NaN"),
    FunctionRule(zero_divided, "zero_divided", _FIRST, [TrueDiv, IntDiv], depth=1,
                 tags=("local_zero_div",), hazard="0 where the divisor is 0 or NaN"),
    FunctionRule(power_zero, "power_zero", _FIRST, [Pow], depth=1,
                 tags=("local_pow_canonicalize", "local_pow_specialize")),
    FunctionRule(difference_with_itself, "difference_with_itself", _FIRST, [Sub], depth=1,
                 tags=("local_elemwise_sub_zeros",), hazard="0 where x is infinite or NaN"),
    FunctionRule(divided_by_one, "divided_by_one", _FIRST, [IntDiv], depth=1,
                 tags=("local_intdiv_by_one",)),
    FunctionRule(compared_with_itself, "compared_with_itself", _FIRST, _COMPARED, depth=1,
                 tags=("local_useless_elemwise", "local_useless_elemwise_comparison")),
    FunctionRule(length_compared, "length_compared", _FIRST, _COMPARED, depth=4,
                 tags=("local_useless_elemwise_comparison",)),
    FunctionRule(length_bounded, "length_bounded", _FIRST, [Maximum, Minimum], depth=4,
                 tags=("local_useless_elemwise_comparison",)),
    FunctionRule(logic_with_constant, "logic_with_constant", _FIRST, [AND, OR, XOR], depth=1,
                 tags=("local_useless_elemwise",)),
    FunctionRule(logic_with_itself, "logic_with_itself", _FIRST, [AND, OR, XOR], depth=1,
                 tags=("local_useless_elemwise",)),
    FunctionRule(opposite, "opposite", _FIRST, [Invert],
                 tags=("not_lt", "not_le", "not_gt", "not_ge", "not_eq", "not_neq")),
    FunctionRule(never_of_integers, "never_of_integers", _FIRST, [IsNan, IsInf], depth=1),
    FunctionRule(there_and_back, "there_and_back", _FIRST, [TensorFromScalar, ScalarFromTensor],
                 tags=("local_tensor_scalar_tensor", "local_scalar_tensor_scalar")),
    FunctionRule(useless_view, "useless_view", _FIRST, [ViewOp], depth=1,
                 tags=("local_view_op",)),
    Rule("deg2rad_rad2deg", _FIRST, deg2rad(rad2deg(real)), real, tags=_INVERSE, hazard=_ROUNDED),
    Rule("rad2deg_deg2rad", _FIRST, rad2deg(deg2rad(real)), real, tags=_INVERSE, hazard=_ROUNDED),
    Rule("sinh_arcsinh", _FIRST, sinh(arcsinh(real)), real, tags=_INVERSE, hazard=_ROUNDED),
    Rule("arcsinh_sinh", _FIRST, arcsinh(sinh(real)), real, tags=_INVERSE,
         hazard=_ROUNDED + "; finite where sinh is not"),
    Rule("cosh_arccosh", _FIRST, cosh(arccosh(real)), real, tags=_INVERSE,
         example={"x": (1.5, 9.0)}, hazard=_ROUNDED + "; below 1 the result is x, not NaN"),
    Rule("arccosh_cosh", _FIRST, arccosh(cosh(real)), abs_(real), tags=_INVERSE,
         example={"x": (1.0, 9.0)}, hazard=_ROUNDED + "; finite where cosh is not"),
    Rule("tanh_arctanh", _FIRST, tanh(arctanh(real)), real, tags=_INVERSE,
         example={"x": (-0.9, 0.9)}, hazard=_ROUNDED + "; beyond 1 the result is x, not NaN"),
    Rule("arctanh_tanh", _FIRST, arctanh(tanh(real)), real, tags=_INVERSE,
         example={"x": (-0.9, 0.9)}, hazard=_ROUNDED + "; finite where tanh is 1"),
    Rule("conj_conj", _FIRST, conj(conj(x)), x, tags=_INVERSE),
)
# fmt: on
