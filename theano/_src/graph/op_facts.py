"""Methods of ops that are generated from a class attribute such as ``__props__``."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

from theano._src.graph.graph import Apply

#: positions of inputs
Positions = Sequence[int] | slice


def _props(self: Any) -> tuple[Any, ...]:
    return tuple(getattr(self, name) for name in self.__props__)


def _props_dict(self: Any) -> dict[str, Any]:
    return {name: getattr(self, name) for name in self.__props__}


def arguments_of(cls: Any) -> tuple[str, ...]:
    """Return the names of the arguments of a class, except ``*args`` and ``**kwargs``."""
    taken = inspect.signature(cls.__init__).parameters.values()
    named = [a.name for a in taken if a.kind in (a.POSITIONAL_OR_KEYWORD, a.KEYWORD_ONLY)]
    return tuple(named[1:] if named[:1] == ["self"] else named)


def _hash(self: Any) -> int:
    return hash((type(self), self._props()))


def _eq(self: Any, other: object) -> bool:
    return type(self) is type(other) and self._props() == other._props()  # type: ignore[attr-defined]


def _ne(self: Any, other: object) -> bool:
    return not (self == other)  # noqa: SIM201


def _str(self: Any) -> str:
    name = getattr(self, "name", None)
    if name:
        return str(name)
    if not self.__props__:
        return type(self).__name__
    shown = ", ".join(f"{k}={v!r}" for k, v in self._props_dict().items())
    return f"{type(self).__name__}{{{shown}}}"


def _positions(fact: Positions, n: int) -> Sequence[int]:
    return range(n)[fact] if isinstance(fact, slice) else fact


def _linear_R_op(self: Any, inputs: list[Any], eval_points: list[Any]) -> list[Any]:
    at = _positions(self.linear_in, len(inputs))
    if all(eval_points[i] is None for i in at):
        return [None] * len(self.make_node(*inputs).outputs)
    tangents = list(inputs)
    for i in at:
        tangents[i] = inputs[i].zeros_like() if eval_points[i] is None else eval_points[i]
    results: list[Any] = self(*tangents, return_list=True)
    return results


def _pattern(self: Any, node: Apply) -> list[list[bool]]:
    n = len(node.inputs)
    excluded = _positions(self.nondiff_inputs, n)
    return [[i not in excluded] * len(node.outputs) for i in range(n)]


def _same_shapes(self: Any, node: Apply, shapes: Sequence[Any]) -> list[Any]:
    like = self.shape_like
    return [shapes[i] for i in ([like] * len(node.outputs) if isinstance(like, int) else like)]


def _pulled_back(
    self: Any, inputs: list[Any], outputs: list[Any], output_grads: list[Any]
) -> list[Any]:
    (x,), (y,), (g,) = inputs, outputs, output_grads
    return [self.pullback(g, x, y)]


#: class attributes, and the methods that are generated from them
BY_FACT: dict[str, tuple[str, Callable[..., Any]]] = {
    "linear_in": ("R_op", _linear_R_op),
    "nondiff_inputs": ("connection_pattern", _pattern),
    "shape_like": ("infer_shape", _same_shapes),
    "pullback": ("L_op", _pulled_back),
}

BY_PROPS: dict[str, Callable[..., Any]] = {
    "_props": _props,
    "_props_dict": _props_dict,
    "__hash__": _hash,
    "__eq__": _eq,
    "__ne__": _ne,
    "__str__": _str,
}
