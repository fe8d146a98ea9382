"""Assertions, printing, views, copies, and conversion between scalars and tensors."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import numpy as np

from theano._src.graph.graph import Apply, Constant, Variable
from theano._src.graph.op import Op
from theano._src.ground.array_types import Array, ArrayNamespace, Arrays
from theano._src.ground.documented import documented_in
from theano._src.ground.errors import NotScalarConstantError
from theano._src.ops.reduce.any_all import all as all_
from theano._src.ops.shape.static_values import SCALAR_CONSTANTS, first_input_constant
from theano._src.types.aliases import TensorLike
from theano._src.types.convert import as_tensor_variable
from theano._src.types.null import disconnected
from theano._src.types.scalar import Scalar, get_scalar_type
from theano._src.types.tensor import TensorType, tensor_type


def as_variable(x: TensorLike) -> Variable:
    return x if isinstance(x, Variable) else as_tensor_variable(x)


class _Same(Op):
    """Base class of ops whose output equals their input; derivatives pass through unchanged."""

    def make_node(self, x: TensorLike) -> Apply:
        x = as_variable(x)
        return Apply(self, [x], [x.type()])

    def batch_rule(
        self, node: Apply, inputs: Sequence[Any], is_batched: Sequence[bool]
    ) -> Sequence[Any] | None:
        return [self(inputs[0])]

    # NOTE: not L_op, which would hide the grad that user code defines in subclasses of ViewOp
    def grad(self, inputs: list[Any], output_grads: list[Any]) -> list[Any]:
        return output_grads

    def R_op(self, inputs: list[Any], eval_points: list[Any]) -> list[Any]:
        return eval_points


@documented_in("theano.tensor.opt")
class Assert(Op):
    """Return the first input if all others are true; otherwise raise AssertionError with ``msg``.

    >>> import theano, theano.tensor as T
    >>> x = T.dvector()
    >>> f = theano.function([x], T.opt.Assert("some x is negative")(x, T.all(x >= 0)))
    >>> f([1, 2]).tolist()
    [1.0, 2.0]
    """

    __props__ = ("msg",)
    view_map = {0: [0]}
    shape_like = 0
    nondiff_inputs = slice(1, None)

    def __init__(self, msg: str = "Theano Assert failed!") -> None:
        self.msg = msg

    def make_node(self, value: TensorLike, *conds: TensorLike) -> Apply:
        value = as_variable(value)
        conditions = [as_tensor_variable(c) for c in conds]
        for c in conditions:
            if c.ndim:
                raise TypeError(
                    f"Assert takes conditions that are scalars, got {c} of {c.type}; "
                    "use theano.tensor.all"
                )
        return Apply(self, [value, *conditions], [value.type()])

    def validate(self, node: Apply, inputs: Sequence[Any]) -> None:
        if not all(inputs[1:]):
            raise AssertionError(self.msg)

    def compute(self, xp: ArrayNamespace, value: Array, *conds: Array) -> Any:
        return value

    def checks(
        self, xp: ArrayNamespace, sizes: Sequence[int], inputs: Arrays, outputs: Arrays
    ) -> Sequence[Any]:
        return [xp.astype(c, "bool") for c in inputs[1:]]

    def batch_rule(
        self, node: Apply, inputs: Sequence[Any], is_batched: Sequence[bool]
    ) -> Sequence[Any] | None:
        value, *conds = inputs
        return [
            self(value, *[all_(c) if m else c for c, m in zip(conds, is_batched[1:], strict=True)])
        ]

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        return [*output_grads, *(disconnected() for _ in inputs[1:])]

    def R_op(self, inputs: list[Any], eval_points: list[Any]) -> list[Any]:
        return eval_points[:1]


assert_ = Assert
assert_op = Assert()


def _asserted_constant(node: Apply, v: Variable, value_of: Callable[[Any], Any]) -> Any:
    if not all(value_of(c) for c in node.inputs[1:]):
        raise NotScalarConstantError(f"{v} may still fail")
    return value_of(node.inputs[0])


SCALAR_CONSTANTS[Assert] = _asserted_constant


def _print_fn(op: Print, xin: object) -> None:
    for attr in op.attrs:
        result = getattr(xin, attr)
        print(op.message, attr, "=", result() if callable(result) else result)


@documented_in("theano.printing")
class Print(_Same):
    """Return the input, and print a message with its value each time it runs.

    Parameters
    ----------
    message : str
    attrs : str or sequence of str
        Attributes of the value to print; methods are called first.
    global_fn : callable, optional
        Called as ``global_fn(op, value)`` instead of printing.

    >>> import theano, theano.tensor as T
    >>> x = T.dvector()
    >>> f = theano.function([x], theano.printing.Print("x is", attrs=["shape"])(x))
    >>> f([1, 2, 3]).tolist()
    x is shape = (3,)
    [1.0, 2.0, 3.0]
    """

    __props__ = ("message", "attrs", "global_fn")
    view_map = {0: [0]}
    runs_on = "host"
    batch_rule = _Same.batch_rule

    def __init__(
        self,
        message: str = "",
        attrs: str | Sequence[str] = ("__str__",),
        global_fn: Callable[[Print, Any], None] = _print_fn,
    ) -> None:
        self.message = message
        self.attrs = (attrs,) if isinstance(attrs, str) else tuple(attrs)
        self.global_fn = global_fn

    def perform(self, node: Apply, inputs: list[Any], output_storage: list[list[Any]]) -> None:
        (xin,) = inputs
        output_storage[0][0] = xin
        self.global_fn(self, xin)

    def do_constant_folding(self, node: Apply) -> bool:
        return False


@documented_in("theano.compile.ops")
class ViewOp(_Same):
    """A view of the input, as another variable.

    >>> import theano, theano.tensor as T
    >>> theano.compile.view_op(T.constant([1, 2])).eval()
    array([1, 2])
    """

    __props__: ClassVar[tuple[str, ...]] = ()
    view_map = {0: [0]}
    batch_rule = _Same.batch_rule
    shape_like = 0

    def __init__(self, use_c_code: bool | None = None) -> None:
        pass

    def compute(self, xp: ArrayNamespace, x: Array) -> Any:
        return x


@documented_in("theano.compile.ops")
class OutputGuard(ViewOp):
    """A view that declares that it destroys its input, so that no other op may do so."""

    __props__ = ()
    destroy_map = {0: [0]}


@documented_in("theano.compile.ops")
class DeepCopyOp(_Same):
    """A copy of the input that shares no memory with it.

    >>> import theano, theano.tensor as T
    >>> theano.compile.deep_copy_op(T.constant([1, 2])).eval()
    array([1, 2])
    """

    __props__ = ()
    batch_rule = _Same.batch_rule
    shape_like = 0

    def __init__(self, use_c_code: bool | None = None) -> None:
        pass

    def compute(self, xp: ArrayNamespace, x: Array) -> Any:
        return xp.array(x)

    def bind(self, node: Apply) -> Callable[..., Any]:
        return np.array if isinstance(node.inputs[0].type, TensorType) else copy.deepcopy

    def perform(self, node: Apply, inputs: list[Any], output_storage: list[list[Any]]) -> None:
        output_storage[0][0] = self.bind(node)(inputs[0])


view_op = ViewOp()
deep_copy_op = DeepCopyOp()


@documented_in("theano.tensor.basic")
class TensorFromScalar(Op):
    """Convert a scalar variable to a 0-d tensor.

    >>> import theano.tensor as T
    >>> T.tensor_from_scalar(T.scalar_from_tensor(T.constant(2.0))).type
    TensorType(float32, scalar)
    """

    __props__ = ()
    linear_in = (0,)

    def make_node(self, s: TensorLike) -> Apply:
        if not (isinstance(s, Variable) and isinstance(s.type, Scalar)):
            raise TypeError(f"TensorFromScalar takes a scalar variable, got {s!r}")
        return Apply(self, [s], [tensor_type(s.type.dtype, ())()])

    def batch_rule(
        self, node: Apply, inputs: Sequence[Any], is_batched: Sequence[bool]
    ) -> Sequence[Any] | None:
        return inputs

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        (g,) = output_grads
        return [scalar_from_tensor(g)]

    def compute(self, xp: ArrayNamespace, s: Array) -> Any:
        return xp.array(s)

    def infer_shape(self, node: Apply, shapes: Sequence[Any]) -> list[Any]:
        return [()]


@documented_in("theano.tensor.basic")
class ScalarFromTensor(Op):
    """Convert a 0-d tensor to a scalar variable.

    >>> import theano.tensor as T
    >>> T.scalar_from_tensor(T.constant(2.0)).type
    Scalar(float32)
    """

    __props__ = ()
    linear_in = (0,)

    def make_node(self, t: TensorLike) -> Apply:
        t = as_tensor_variable(t)
        if t.ndim:
            raise TypeError(f"ScalarFromTensor takes 0 dimensions, got {t} of {t.type}")
        return Apply(self, [t], [get_scalar_type(t.dtype)()])

    def batch_rule(
        self, node: Apply, inputs: Sequence[Any], is_batched: Sequence[bool]
    ) -> Sequence[Any] | None:
        return inputs

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        (g,) = output_grads
        return [tensor_from_scalar(g)]

    def compute(self, xp: ArrayNamespace, t: Array) -> Any:
        return t[()]

    def infer_shape(self, node: Apply, shapes: Sequence[Any]) -> list[Any]:
        return [()]


tensor_from_scalar = TensorFromScalar()
scalar_from_tensor = ScalarFromTensor()
SCALAR_CONSTANTS[TensorFromScalar] = first_input_constant
SCALAR_CONSTANTS[ScalarFromTensor] = first_input_constant


@documented_in("theano.misc.doubleop")
class DoubleOp(Op):
    """Twice the input: a minimal complete op, as an example.

    >>> import theano.tensor as T
    >>> from theano.misc.doubleop import DoubleOp
    >>> DoubleOp()([1.0, 2.0]).eval().tolist()
    [2.0, 4.0]
    """

    __props__ = ()
    shape_like = 0

    def __init__(self, use_c_code: bool | None = None) -> None:
        pass

    def make_node(self, x: TensorLike) -> Apply:
        x = as_tensor_variable(x)
        return Apply(self, [x], [x.type()])

    def compute(self, xp: ArrayNamespace, x: Array) -> Any:
        return xp.astype(x * 2, x.dtype)

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        (g,) = output_grads
        return [g * 2]

    def R_op(self, inputs: list[Any], eval_points: list[Any]) -> list[Any]:
        return [None if dx is None else dx * 2 for dx in eval_points]


@documented_in("theano.tensor")
def value(x: TensorLike, name: str | None = None, ndim: int | None = None) -> Any:
    """Return a variable of the type of ``constant(x, name, ndim)``, with ``x`` as ``tag.value``.

    >>> import theano, theano.tensor as T
    >>> d = T.value(1.5)
    >>> float(theano.function([d], d + 1)(3))
    4.0
    """
    like = as_tensor_variable(x, ndim=ndim)
    if not isinstance(like, Constant):
        raise TypeError(f"value takes a number or an array, got the symbolic variable {x}")
    result = like.type(name)
    result.tag.value = like.data
    return result
