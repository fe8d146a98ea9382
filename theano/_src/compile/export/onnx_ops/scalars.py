"""Elementwise ops: an ONNX operator if there is one, else the traced formula of the op."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any

import numpy as np

from theano._src.compile.export.onnx_ops.context import Export, Form
from theano._src.compile.export.onnx_ops.formulas import Formulas
from theano._src.compile.export.onnx_ops.patterns import PATTERNS
from theano._src.compile.export.onnx_ops.writer import NoForm, Value
from theano._src.graph.graph import Apply, Variable
from theano._src.graph.op import Op
from theano._src.ops.core.cast import Cast
from theano._src.ops.core.composite import Composite, _Number
from theano._src.ops.core.dimshuffle import DimShuffle
from theano._src.ops.core.elemwise import Elemwise
from theano._src.ops.core.scalar import ScalarOp
from theano._src.ops.elementwise import activations, arithmetic, compare

#: ops that need no wider integers
_ANY_WIDTH = (Cast, arithmetic.Identity, arithmetic.Second)
#: the integer dtypes to compute in: those that runtimes have kernels for
_WIDER = {
    "int8": "int32",
    "int16": "int32",
    "uint8": "int32",
    "uint16": "int32",
    "uint32": "int64",
    "uint64": "int64",
}


def elemwise(to: Export, node: Apply, *inputs: Value) -> Any:
    """Write an Elemwise node; ONNX broadcasts from the right, as NumPy does."""
    for pattern in PATTERNS.get(type(node.op.scalar_op), ()):
        result = pattern(to, node)
        if result is not None:
            return result
    return of_scalar(to, node.op.scalar_op, _unpadded(to, node.inputs, inputs))


def of_number(to: Export, node: Apply, *inputs: Value) -> Any:
    """Write a node of a scalar op."""
    return of_scalar(to, node.op, inputs)


def _unpadded(to: Export, variables: Sequence[Variable], inputs: Sequence[Value]) -> list[Value]:
    """The inputs without leading dimensions that were added, if another input has them all."""
    plain = [_before_padding(v) for v in variables]
    ndim = variables[0].type.ndim
    if all(v.type.ndim < ndim for v in plain):
        return list(inputs)
    return [x if p is v else to.value(p) for x, p, v in zip(inputs, plain, variables, strict=True)]


def _before_padding(v: Variable) -> Variable:
    node = v.owner
    if node is None or not isinstance(node.op, DimShuffle):
        return v
    (x,), order = node.inputs, list(node.op.new_order)
    padding = ["x"] * (len(order) - x.type.ndim)
    return x if order == [*padding, *range(x.type.ndim)] else v


def of_scalar(to: Export, op: ScalarOp, inputs: Sequence[Value]) -> Any:
    """Write a scalar op; cast the inputs as Elemwise does, because ONNX does not promote dtypes."""
    if isinstance(op, Composite):
        return _opened(to, op, inputs)
    if isinstance(op, _Number):
        return to.to.constant(op.number, to.written(op.dtype))
    loops, outs = op.plan(tuple(x.dtype for x in inputs))
    wide = {} if isinstance(op, _ANY_WIDTH) else _WIDER
    args = [
        x.astype(to.written(wide.get(np.dtype(d).name, d)))
        for x, d in zip(inputs, loops, strict=True)
    ]
    form = SCALARS.get(type(op))
    result = _traced(to, op, args) if form is None else form(to, op, *args)
    if len(outs) == 1:
        value: Value = result.astype(to.written(outs[0]))
        return value
    return [m.astype(to.written(d)) for m, d in zip(result, outs, strict=True)]


def _traced(to: Export, op: ScalarOp, args: Sequence[Value]) -> Any:
    if not op.has_compute:
        raise NoForm("it has no formula, only code that runs here")
    try:
        return op.compute(Formulas(to.to), *args)
    except (AttributeError, TypeError) as error:
        raise NoForm(f"its formula is not one of ONNX: {error}") from error


def _opened(to: Export, op: Composite, inputs: Sequence[Value]) -> Any:
    values = [x.astype(to.written(d)) for x, d in zip(inputs, op.dtypes, strict=True)]
    for step, args in op.steps:
        values.append(of_scalar(to, step, [values[a] for a in args]))
    results = [values[o] for o in op.outs]
    return results[0] if len(results) == 1 else results


# forms of single ops: form(to, op, *values)

ScalarForm = Callable[..., Any]


def _operator(op_type: str) -> ScalarForm:
    return lambda to, op, *args: to.to.op(op_type, *args)


def _add(to: Export, op: ScalarOp, *args: Value) -> Value:
    return reduce(Formulas(to.to).add, args)


def _mul(to: Export, op: ScalarOp, *args: Value) -> Value:
    return reduce(Formulas(to.to).multiply, args)


def _abs(to: Export, op: ScalarOp, x: Value) -> Value:
    return x if x.dtype == bool else to.to.op("Abs", x)


def _cast(to: Export, op: Cast, x: Value) -> Value:
    wanted = np.dtype(op.o_type.dtype)
    if x.dtype.kind == "f" and wanted.kind in "iu" and wanted.itemsize < 8:
        # via int64, so that values out of range wrap around
        x = x.astype("int64")
    return x.astype(to.written(wanted))


def _floored(name: str) -> ScalarForm:
    """Floored quotient or remainder; integers divided by 0 give 0."""

    def form(to: Export, op: ScalarOp, a: Value, b: Value) -> Value:
        xp = Formulas(to.to)
        if a.dtype.kind == "f":
            value: Value = op.compute(xp, a, b)
            return value
        whole = getattr(xp, name)
        if b.data is not None and (b.data != 0).all():
            return whole(a, b)  # type: ignore[no-any-return]
        zero = b == 0
        return xp.where(zero, 0, whole(a, xp.where(zero, 1, b)))

    return form


def _second(to: Export, op: ScalarOp, a: Value, b: Value) -> Value:
    return to.to.op("Expand", b, to.to.shape(a))


def _switch(to: Export, op: ScalarOp, condition: Value, a: Value, b: Value) -> Value:
    return Formulas(to.to).where(condition.astype(bool), a, b)


def _clip(to: Export, op: ScalarOp, x: Value, low: Value, high: Value) -> Value:
    ends = [v.data for v in (low, high)]
    if all(e is not None and e.size == 1 for e in ends) and ends[0].item() <= ends[1].item():
        one, other = (to.to.constant(e.reshape(()).astype(x.dtype)) for e in ends)
        return to.to.op("Clip", x, one, other)
    xp = Formulas(to.to)
    return xp.where(xp.less(x, low), low, xp.where(xp.greater(x, high), high, x))


def _with_alpha(op_type: str) -> ScalarForm:
    """An operator with a constant slope as attribute; otherwise, and for float64, the formula."""

    def form(to: Export, op: ScalarOp, x: Value, alpha: Value) -> Value:
        # attributes are float32
        exact = x.dtype != "float64" and alpha.data is not None and alpha.data.size == 1
        if exact:
            return to.to.op(op_type, x, alpha=float(alpha.data.item()))
        value: Value = op.compute(Formulas(to.to), x, alpha)
        return value

    return form


def _isnan(to: Export, op: ScalarOp, x: Value) -> Value:
    return Formulas(to.to).isnan(x) if x.dtype.kind == "f" else ~(x == x)


#: other ops are written by their formula
SCALARS: dict[type[ScalarOp], ScalarForm] = {
    Cast: _cast,
    activations.Elu: _with_alpha("Elu"),
    activations.LeakyRelu: _with_alpha("LeakyRelu"),
    activations.Relu: _operator("Relu"),
    activations.ScalarSigmoid: _operator("Sigmoid"),
    activations.ScalarSoftplus: _operator("Softplus"),
    activations.ScalarSoftsign: _operator("Softsign"),
    arithmetic.Abs: _abs,
    arithmetic.Add: _add,
    arithmetic.Clip: _clip,
    arithmetic.Identity: lambda to, op, x: x,
    arithmetic.IntDiv: _floored("floor_divide"),
    arithmetic.Inv: _operator("Reciprocal"),
    arithmetic.Mod: _floored("remainder"),
    arithmetic.Mul: _mul,
    arithmetic.Second: _second,
    compare.IsNan: _isnan,
    compare.Switch: _switch,
}


FORMS: dict[type[Op], Form] = {
    Elemwise: elemwise,
    arithmetic._Clip: elemwise,
}
