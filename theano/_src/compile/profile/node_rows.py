"""Rows of measurements: by node, by op, by class of ops, by line."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from theano._src.engines.choice.work import work_of
from theano._src.engines.node_kinds import runs_user_code
from theano._src.engines.node_times import NodeTimes
from theano._src.graph import source_line
from theano._src.graph.graph import Apply
from theano._src.ops.core.scalar_c import why_no_compiler
from theano._src.ops.meta.ffi_op import FFIOp

#: ``(file, line, function, text)``
Frame = tuple[str, int, str, str | None]

#: shown instead of a line for nodes without a line of the user
NO_LINE = "(made by rewriting)"


@dataclass
class Row:
    """The seconds, calls, engines, bytes and operations of one node, or of several merged ones."""

    name: str
    key: Any
    seconds: float = 0.0
    calls: int = 0
    nodes: int = 1
    #: ``C`` for NumPy's loops, ``Py`` for Python code, ``XLA`` for compiled programs
    kinds: tuple[str, ...] = ()
    position: int = -1
    node: Any = None
    op: Any = None
    op_name: str = ""
    class_name: str = ""
    #: the user's frames, outermost first
    frames: tuple[Frame, ...] = ()
    bytes: int = 0
    #: operations of all calls; None if unknown
    flops: float | None = None
    function: str | None = None
    shapes: list[Any] = field(default_factory=list)
    #: rows of the nodes inside a node with inner graphs, with their part of its seconds
    inside: list[Row] = field(default_factory=list)

    @property
    def per_call(self) -> float:
        return self.seconds / self.calls if self.calls else 0.0

    @property
    def kind(self) -> str:
        return "/".join(self.kinds) or "-"

    @property
    def line(self) -> str:
        """``file:line`` of the innermost frame of the user."""
        if not self.frames:
            return NO_LINE
        file, number, _, _ = self.frames[-1]
        return f"{short(file)}:{number}"

    def plain(self) -> Row:
        """Return this row with names instead of its node and op, for pickling."""
        inner = [row.plain() for row in self.inside]
        node = NodeName(self.name, self.op_name)
        return replace(self, node=node, op=self.op_name, inside=inner)


class NodeName:
    """The name of a node, in a profile that was pickled."""

    def __init__(self, name: str, op: str) -> None:
        self.name, self.op = name, op

    def __str__(self) -> str:
        return self.name

    __repr__ = __str__


def short(file: str) -> str:
    """The path relative to the current folder, if the file is in it; else the file or cell name."""
    below = os.getcwd() + os.sep
    return file[len(below) :] if file.startswith(below) else source_line.short_name(file)


def rows_of(times: NodeTimes) -> list[Row]:
    """Return a row for each node that ran."""
    on_xla: dict[int, int] = {}
    for program in times.programs.values():
        for i in program.nodes:
            on_xla[i] = on_xla.get(i, 0) + program.calls
    rows = []
    for i, node in enumerate(times.nodes):
        if not times.calls[i]:
            continue
        kinds = [_on_host(node)] if times.on_host_calls[i] else []
        kinds += ["XLA"] if on_xla.get(i) else []
        once = _flops(times, node)
        rows.append(
            _row(
                times,
                node,
                seconds=times.seconds[i],
                calls=times.calls[i],
                kinds=tuple(kinds),
                position=i,
                bytes=times.output_bytes(node),
                flops=None if once is None else once * times.calls[i],
                shapes=[times.shape_of(v) for v in node.outputs],
                inside=[
                    _row(times, n, seconds=share * times.seconds[i], calls=runs * times.calls[i])
                    for n, share, runs in times.inside.get(i, ())
                ],
            )
        )
    return rows


#: kinds of work that are counted in floating-point operations
_OPERATIONS = {"product", "products", "lapack", "lapack of stacks", "convolution"}


def _flops(times: NodeTimes, node: Apply) -> float | None:
    """Floating-point operations of one run of a node; None if unknown."""
    ins, outs = ([times.shape_of(v) for v in vs] for vs in (node.inputs, node.outputs))
    if any(s is None for s in (*ins, *outs)):
        return None
    own = getattr(node.op, "flops", None)
    if own is not None:
        return float(own(ins, outs))
    counted = [amount for kind, amount in work_of(node, ins, outs) if kind in _OPERATIONS]
    return float(sum(counted)) if counted else None


def _row(times: NodeTimes, node: Apply, **figures: Any) -> Row:
    cls = type(node.op)
    return Row(
        name=str(node),
        key=id(node),
        node=node,
        op=node.op,
        op_name=str(node.op),
        class_name=f"<class '{cls.__module__}.{cls.__qualname__}'>",
        frames=_frames(node),
        function=times.name,
        **figures,
    )


def opened(rows: Iterable[Row]) -> list[Row]:
    """Expand inner rows; the rows that contain them keep only the remaining time."""
    results = []
    for row in rows:
        left = max(0.0, row.seconds - total(row.inside))
        results.append(replace(row, seconds=left, inside=[]) if row.inside else row)
        results += row.inside
    return results


def _frames(node: Apply) -> tuple[Frame, ...]:
    """The user's frames; only the last of several on one line, such as a comprehension has."""
    frames: list[Frame] = []
    for frame in source_line.lines(node.trace):
        if frames and frames[-1][:2] == frame[:2]:
            frames.pop()
        frames.append(frame)
    return tuple(frames)


def _on_host(node: Apply) -> str:
    """``C`` if NumPy's loops or C code run a node; ``Py`` for user code and inner graphs."""
    if isinstance(node.op, FFIOp):
        return "C" if why_no_compiler() is None else "Py"
    return "Py" if node.op.inner_graphs or runs_user_code(node) else "C"


def merged(rows: Iterable[Row], key: Callable[[Row], tuple[Any, str]]) -> list[Row]:
    """Merge rows with equal keys; ``key`` returns key and name. The slowest row comes first."""
    result: dict[Any, Row] = {}
    for row in rows:
        what, name = key(row)
        one = result.get(what)
        if one is None:
            result[what] = replace(row, key=what, name=name, nodes=row.nodes)
            continue
        one.seconds += row.seconds
        one.calls += row.calls
        one.nodes += row.nodes
        one.bytes += row.bytes
        one.kinds = tuple(dict.fromkeys((*one.kinds, *row.kinds)))
        if row.flops is not None:
            one.flops = (one.flops or 0.0) + row.flops
    return longest_first(result.values())


def by_op(row: Row) -> tuple[Any, str]:
    """Key by op; ops that compare equal are merged."""
    try:
        hash(row.op)
    except TypeError:
        return id(row.op), row.op_name
    return row.op, row.op_name


def by_class(row: Row) -> tuple[Any, str]:
    return row.class_name, row.class_name


def by_line(row: Row) -> tuple[Any, str]:
    if not row.frames:
        return NO_LINE, NO_LINE
    text = row.frames[-1][3]
    return row.frames[-1][:2], f"{row.line}  {text}" if text else row.line


def longest_first(rows: Iterable[Row]) -> list[Row]:
    return sorted(rows, key=lambda row: (-row.seconds, row.position, row.name))


def total(rows: Sequence[Row]) -> float:
    return sum(row.seconds for row in rows)
