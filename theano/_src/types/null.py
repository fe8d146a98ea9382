"""Types of gradients that do not exist: DisconnectedType and NullType."""

from __future__ import annotations

from typing import Any

from theano._src.graph.type import SingletonType, Type
from theano._src.ground.documented import documented_in


@documented_in("theano.gradient")
class DisconnectedType(SingletonType):
    """The Type of a gradient with respect to a variable on which the cost does not depend.

    >>> import theano
    >>> theano.gradient.DisconnectedType()()
    <DisconnectedType>
    """

    def filter(self, data: Any, strict: bool = False, allow_downcast: bool | None = None) -> Any:
        raise TypeError("a disconnected gradient has no value")

    def __str__(self) -> str:
        return "DisconnectedType"

    __repr__ = __str__


@documented_in("theano.gof.null_type")
class NullType(Type):
    """The Type of a gradient that is undefined or not implemented.

    ``why_null`` names the op, the input and the reason; ``written`` is False if the gradient
    exists mathematically but is not implemented.
    """

    def __init__(self, why_null: str = "(no explanation given)", written: bool = True) -> None:
        self.why_null = why_null
        self.written = written

    def filter(self, data: Any, strict: bool = False, allow_downcast: bool | None = None) -> Any:
        raise ValueError("NullType has no values: " + self.why_null)

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other)

    def __ne__(self, other: object) -> bool:
        return not (self == other)

    def __hash__(self) -> int:
        return hash(type(self))

    def __str__(self) -> str:
        return "NullType"

    __repr__ = __str__


null_type = NullType()
disconnected_type = DisconnectedType()


def disconnected() -> Any:
    """Return the gradient with respect to an input that affects no output's value.

    >>> import theano.extend
    >>> theano.extend.disconnected().type
    DisconnectedType
    """
    return DisconnectedType()()


@documented_in("theano.gradient")
def grad_undefined(op: Any, x_pos: int, x: Any, comment: str = "") -> Any:
    """Return a placeholder for a gradient that does not exist mathematically; using it raises.

    The error names the op and the input. Arguments as for ``grad_not_implemented``.

    >>> import theano, theano.tensor as T
    >>> theano.gradient.grad_undefined(T.exp, 0, T.dscalar()).type
    NullType
    """
    return NullType(
        "This variable is Null because the grad method for input "
        f"{x_pos} ({x}) of the {op} op is mathematically undefined. {comment}"
    )()


@documented_in("theano.gradient")
def grad_not_implemented(op: Any, x_pos: int, x: Any, comment: str = "") -> Any:
    """Return a placeholder for a gradient that is not implemented; using it raises.

    The error names the op and the input. ``x`` is the input of ``op`` at ``x_pos``; ``comment`` is
    added to the message.

    >>> import theano, theano.tensor as T
    >>> theano.gradient.grad_not_implemented(T.exp, 0, T.dscalar("x")).type
    NullType
    """
    return NullType(
        "This variable is Null because the grad method for input "
        f"{x_pos} ({x}) of the {op} op is not implemented. {comment}",
        written=False,
    )()
