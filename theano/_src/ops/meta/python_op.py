"""Ops from Python functions: FromFunctionOp and as_op."""

from __future__ import annotations

import importlib
import pickle
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from theano._src.graph.graph import Apply
from theano._src.graph.op import Op
from theano._src.graph.type import Type
from theano._src.ground.documented import documented_in
from theano._src.ops.meta.misc import as_variable
from theano._src.types.aliases import TensorLike
from theano._src.types.tensor import TensorType

Types: TypeAlias = Type | Sequence[Type]


@documented_in("theano.compile.ops")
def load_back(mod: str, name: str) -> Any:
    """Return the object of that name in a module; used to unpickle ``as_op`` functions.

    >>> import theano
    >>> theano.compile.ops.load_back("math", "sqrt")(9.0)
    3.0
    """
    return getattr(importlib.import_module(mod), name)


@documented_in("theano.compile.ops")
class FromFunctionOp(Op):
    """An op that calls a Python function on values; it runs on the host and has no gradient.

    Parameters
    ----------
    fn : callable
        Takes one value per input, and returns one value or a list of values.
    itypes, otypes : list of Type
        Types of the inputs and outputs.
    infer_shape : callable or None
        Called as ``infer_shape(node, shapes)``. Without it, shapes are known only after ``fn``
        has run.
    """

    runs_on = "host"

    def __init__(
        self,
        fn: Callable[..., Any],
        itypes: Sequence[Type],
        otypes: Sequence[Type],
        infer_shape: Callable[..., Any] | None,
    ) -> None:
        self._fn = fn
        self.itypes = list(itypes)
        self.otypes = list(otypes)
        self._infer_shape = infer_shape
        if infer_shape is not None:
            self.infer_shape = infer_shape

    def __eq__(self, other: object) -> bool:
        return (
            type(self) is type(other)
            and isinstance(other, FromFunctionOp)
            and self._fn == other._fn
            and self.itypes == other.itypes
            and self.otypes == other.otypes
        )

    def __hash__(self) -> int:
        return hash((type(self), self._fn))

    def __str__(self) -> str:
        return f"FromFunctionOp{{{getattr(self._fn, '__name__', self._fn)}}}"

    def make_node(self, *inputs: TensorLike) -> Apply:
        if len(inputs) != len(self.itypes):
            raise ValueError(f"{self} takes {len(self.itypes)} inputs, got {len(inputs)}")
        given = [as_variable(x) for x in inputs]
        if not all(x.type == t for x, t in zip(given, self.itypes, strict=True)):
            raise TypeError(
                f"{self} takes inputs of types {self.itypes}, got {[x.type for x in given]}; "
                "cast them, or change itypes"
            )
        return Apply(self, given, [t() for t in self.otypes])

    def perform(self, node: Apply, inputs: list[Any], output_storage: list[list[Any]]) -> None:
        result = self._fn(*inputs)
        if not isinstance(result, (list, tuple)):
            result = (result,)
        if len(result) != len(output_storage):
            raise ValueError(
                f"the function of {self} gave {len(result)} values, its otypes are {self.otypes}"
            )
        for cell, out, value in zip(output_storage, self.otypes, result, strict=True):
            if value is None and isinstance(out, TensorType):
                raise TypeError(f"the function of {self} gave None, its otypes are {self.otypes}")
            cell[0] = out.filter(value, strict=False, allow_downcast=True)

    def __reduce__(self) -> Any:
        # as_op as a decorator replaces the function, so the op is pickled by that name
        name = getattr(self._fn, "__name__", None)
        module = getattr(self._fn, "__module__", None)
        if name is None or module is None:
            raise pickle.PicklingError(f"{self} cannot be pickled: its function has no name")
        try:
            result = load_back(module, name)
        except (ImportError, KeyError, AttributeError):
            raise pickle.PicklingError(
                f"{self} cannot be pickled: it is not found as {module}.{name}"
            ) from None
        if result is not self:
            raise pickle.PicklingError(
                f"{self} cannot be pickled: {module}.{name} is another object; "
                "use as_op as a decorator at the top of a module"
            )
        return load_back, (module, name)


def _types(name: str, types: Types) -> list[Type]:
    given = [types] if isinstance(types, Type) else types
    if not isinstance(given, (list, tuple)) or not all(isinstance(t, Type) for t in given):
        raise TypeError(f"as_op: {name} has to be a list of Theano types, got {types!r}")
    return list(given)


@documented_in("theano.compile.ops")
def as_op(
    itypes: Types, otypes: Types, infer_shape: Callable[..., Any] | None = None
) -> Callable[[Callable[..., Any]], FromFunctionOp]:
    """Return a decorator that turns a Python function on values into an op.

    Parameters
    ----------
    itypes, otypes : Type or list of Type
        Types of the inputs and outputs.
    infer_shape : callable, optional
        ``infer_shape(node, shapes)`` returns one tuple of lengths per output.

    >>> import theano, theano.tensor as T
    >>> @theano.compile.ops.as_op([T.dvector], [T.dvector])
    ... def backwards(x):
    ...     return x[::-1].copy()
    >>> x = T.dvector()
    >>> theano.function([x], backwards(x))([1, 2, 3]).tolist()
    [3.0, 2.0, 1.0]
    """
    ins, outs = _types("itypes", itypes), _types("otypes", otypes)
    if infer_shape is not None and not callable(infer_shape):
        raise TypeError(f"as_op: infer_shape needs to be a callable, got {infer_shape!r}")

    def make_op(fn: Callable[..., Any]) -> FromFunctionOp:
        return FromFunctionOp(fn, ins, outs, infer_shape)

    return make_op
