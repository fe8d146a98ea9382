"""The figures of a profile by node, op, class of ops and line."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from theano._src.compile.profile.node_rows import (
    Row,
    by_class,
    by_line,
    by_op,
    longest_first,
    merged,
    opened,
    rows_of,
)
from theano._src.engines.node_times import NodeTimes


class Figures:
    """The figures of the nodes of functions, under the documented names."""

    _times: list[NodeTimes]
    #: rows without their nodes, from a profile that was pickled
    _kept: list[Row]

    def rows(self) -> list[Row]:
        """Return a row for each node that ran, the slowest first."""
        return longest_first([*self._kept, *(r for t in self._times for r in rows_of(t))])

    @property
    def apply_time(self) -> dict[Any, float]:
        return _added((row.node, row.seconds) for row in self._in_order())

    @property
    def apply_callcount(self) -> dict[Any, int]:
        return _added((row.node, row.calls) for row in self._in_order())

    @property
    def apply_cimpl(self) -> dict[Any, bool]:
        return {row.node: "Py" not in row.kinds for row in self._in_order()}

    def _in_order(self) -> list[Row]:
        return [*self._kept, *(r for t in self._times for r in rows_of(t))]

    def class_time(self) -> dict[Any, float]:
        """Seconds by class of ops."""
        return _added((type(row.op), row.seconds) for row in self.rows())

    def class_callcount(self) -> dict[Any, int]:
        """Runs by class of ops."""
        return _added((type(row.op), row.calls) for row in self.rows())

    def class_nodes(self) -> dict[Any, int]:
        """Nodes by class of ops."""
        return _added((type(row.op), 1) for row in self.rows())

    def class_impl(self) -> dict[Any, str]:
        """Implementation by class of ops: ``C``, ``Py``, ``XLA``, or several of them."""
        return {type(row.op): row.kind for row in merged(self.rows(), by_class)}

    def op_time(self) -> dict[Any, float]:
        """Seconds by op."""
        return _added((row.op, row.seconds) for row in self.rows())

    def op_callcount(self) -> dict[Any, int]:
        """Runs by op."""
        return _added((row.op, row.calls) for row in self.rows())

    def op_nodes(self) -> dict[Any, int]:
        """Nodes by op."""
        return _added((row.op, 1) for row in self.rows())

    def op_impl(self) -> dict[Any, str]:
        """Implementation by op: ``C``, ``Py``, ``XLA``, or several of them."""
        return {row.op: row.kind for row in merged(self.rows(), by_op)}

    def op_flops(self) -> dict[Any, float]:
        """Floating-point operations per second by op, for ops with a known number of them."""
        result = merged((r for r in self.rows() if r.flops is not None), by_op)
        return {row.op: (row.flops or 0.0) / row.seconds for row in result if row.seconds}

    def line_time(self) -> dict[str, float]:
        """Seconds by line of the user's program, the slowest first.

        The time of a loop is divided among the lines of its step, in proportion to one run of it
        on NumPy.

        >>> import theano, theano.tensor as T
        >>> x = T.dvector("x")
        >>> y = T.exp(x)
        >>> f = theano.function([x], y, profile=theano.compile.ProfileStats(False))
        >>> _ = f([1, 2])
        >>> list(f.profile.line_time())
        ['<doctest ...>:1  y = T.exp(x)']
        """
        return {row.name: row.seconds for row in merged(opened(self.rows()), by_line)}


def _added(pairs: Iterable[tuple[Any, Any]]) -> dict[Any, Any]:
    result: dict[Any, Any] = {}
    for key, value in pairs:
        result[key] = result.get(key, 0) + value
    return result
