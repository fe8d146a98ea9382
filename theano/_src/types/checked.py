"""Which ops have conditions on run-time values, and which compiled forms return their flags."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from theano._src.graph.op import Op
from theano._src.graph.op_table import OpTable


def is_checked(op: Any) -> bool:
    """Whether an op has conditions that can only be checked on run-time values.

    >>> import theano.tensor as T
    >>> is_checked(T.exp), is_checked(T.opt.Assert())
    (False, True)
    """
    return _CHECKED.get(op, _has_checks)(op)


def _has_checks(op: Any) -> bool:
    return getattr(type(op), "checks", None) is not Op.checks


#: classes whose conditions are not, or not only, in ``Op.checks``
_CHECKED: OpTable[Callable[[Any], bool]] = OpTable(
    {
        "theano._src.graph.op.HasInnerGraph": lambda op: any(g.is_checked for g in op.inner_graphs),
        "theano._src.control.scan.structure.ScanStructure": (
            lambda op: op.nonempty or op.graph.is_checked
        ),
        "theano._src.control.solvers.structure.SolverOp": (
            lambda op: op.check or any(g.is_checked for g in op.inner_graphs)
        ),
        "theano.tensor.elemwise.Elemwise": lambda op: is_checked(op.scalar_op),
        "theano.extend.FFIOp": lambda op: op.can_fail or _has_checks(op),
    }
)


def gives_flags(op: Any) -> bool:
    """Whether the compiled form of an op returns a list of outputs and a list of flags."""
    return _WITH_FLAGS.get(op, _never)(op)


def _never(op: Any) -> bool:
    return False


_WITH_FLAGS: OpTable[Callable[[Any], bool]] = OpTable(
    {
        "theano._src.graph.op.HasInnerGraph": lambda op: True,
        "theano._src.control.batching.Vmap": lambda op: gives_flags(op.op),
        "theano.extend.FFIOp": lambda op: True,
    }
)
