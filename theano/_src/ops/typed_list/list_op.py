"""ListOp, the base class of ops on typed lists, and the checks of their arguments."""

from __future__ import annotations

import operator
from typing import Any, ClassVar

from theano._src.graph.graph import Variable
from theano._src.graph.op import Op
from theano._src.ops.core.cast import cast
from theano._src.types.convert import constant
from theano._src.types.dtypes import integer_dtypes
from theano._src.types.null import disconnected, grad_not_implemented
from theano._src.types.scalar import Scalar
from theano._src.types.tensor import TensorType
from theano._src.types.typed_list import TypedListType

_NO_LISTS = "Gradients do not go through typed lists; use tensors, as theano.tensor.stack makes."


class ListOp(Op):
    """An op on typed lists: it runs on the host, and its derivatives are not implemented."""

    __props__: ClassVar[tuple[str, ...]] = ()
    runs_on = "host"
    nondiff_inputs: ClassVar[tuple[int, ...]] = ()

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        excluded = self.nondiff_inputs
        return [
            disconnected() if i in excluded else grad_not_implemented(self, i, x, _NO_LISTS)
            for i, x in enumerate(inputs)
        ]

    def R_op(self, inputs: list[Any], eval_points: list[Any]) -> list[Any]:
        at = next(i for i, point in enumerate(eval_points) if point is not None)
        return [grad_not_implemented(self, at, inputs[at], _NO_LISTS)]


def typed_list(op: Any, x: Any) -> Variable:
    """Return the variable ``x``; raise TypeError unless it is a typed list."""
    if isinstance(x, Variable) and isinstance(x.type, TypedListType):
        return x
    got = f"{x} of {x.type}" if isinstance(x, Variable) else f"{x!r:.60} of {type(x).__name__}"
    raise TypeError(
        f"{op} takes a typed list, got {got}; TypedListType(type)() is one, and make_list makes "
        "one of variables"
    )


def element(op: Any, x: Variable, y: Any) -> Variable:
    """Return ``y``, a variable or a value, as an element of the list ``x``."""
    try:
        variable: Variable = x.type.ttype.filter_variable(y)
    except TypeError as error:
        got = f"{y} of {y.type}" if isinstance(y, Variable) else f"{y!r:.60}: {error}"
        raise TypeError(
            f"{op} takes an element of {x.type.ttype}, as the list {x} has them, got {got}"
        ) from None
    return variable


def position(op: Any, index: Any) -> Any:
    """Return ``index`` as a 0-d int64 variable."""
    if not isinstance(index, Variable):
        try:
            return constant(operator.index(index), dtype="int64")
        except TypeError:
            raise TypeError(f"{op} takes an integer as index, got {index!r:.60}") from None
    kind = index.type
    if not isinstance(kind, TensorType) or kind.ndim or kind.dtype not in integer_dtypes:
        also = "; tensor_from_scalar makes one" if isinstance(kind, Scalar) else ""
        raise TypeError(
            f"{op} takes a 0-d integer tensor as index, got {index} of {index.type}{also}"
        )
    return index if kind.dtype == "int64" else cast(index, "int64")
