"""theano.printing.why_float64: where float64 enters a graph."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from theano._src.graph.graph import Apply, Constant, Variable
from theano._src.graph.op import HasInnerGraph
from theano._src.graph.source_line import Trace, format_trace, trace_of
from theano._src.graph.walk import nodes_of
from theano._src.ground.config import config
from theano._src.ground.documented import documented_in
from theano._src.ops.core.cast import Cast
from theano._src.ops.core.dimshuffle import DimShuffle
from theano._src.ops.core.elemwise import Elemwise
from theano._src.types.shared import SharedVariable

_WIDE = ("float64", "complex128")
#: the most places that are shown; of further ones, only the number
_MOST = 20


class Source(NamedTuple):
    """A place where float64 enters: what it is, the program's lines, and what to write instead."""

    rank: int
    what: str
    lines: tuple[tuple[str, Trace], ...]
    cure: str


@documented_in("theano.printing")
def why_float64(f: Any, file: Any = None) -> Any:
    """Print where float64 enters a graph, with source lines and what to write instead.

    One float64 array makes all results computed from it float64. The list has inputs, shared
    variables and constants of float64, unless they are only cast, and ops that produce float64
    from other dtypes, for example from integers and float32. Loops are searched too.

    Parameters
    ----------
    f : compiled function, variable, or list of variables
        For a function, its outputs and updates are searched as they were before rewriting.
    file : 'str', file-like or None
        'str' returns the text; None prints it.

    Examples
    --------
    >>> import numpy as np, theano, theano.tensor as T
    >>> x = T.fmatrix("x")
    >>> w = theano.shared(np.ones((3, 2)), "w")
    >>> theano.printing.why_float64(T.dot(x, w))
    float64 enters at 1 place; 1 of 1 nodes computes it.
    1. shared variable w of TensorType(float64, matrix)
       made at
         File ...
       meets float32 at
         File ...
       instead: theano.shared(np.float32(value))
    config.floatX is float64: T.matrix, T.zeros and numbers of Python are float64 too.
    """
    nodes, wide, sources = _searched(_outputs(f))
    text = "\n".join(_text(nodes, wide, sources)) + "\n"
    if file == "str":
        return text
    stream = sys.stdout if file is None else file
    stream.write(text)
    return file


def _outputs(f: Any) -> list[Variable]:
    """Return the outputs and updates of a function before rewriting, or the given variables."""
    maker = getattr(f, "maker", None)
    if maker is not None:
        updates = [spec.update for spec in maker.inputs if spec.update is not None]
        return [*(spec.variable for spec in maker.outputs), *updates]
    every = [f] if isinstance(f, Variable) else f
    if not isinstance(every, Iterable):
        raise TypeError(f"why_float64 takes a compiled function or variables, got {f!r}")
    variables = list(every)
    for v in variables:
        if not isinstance(v, Variable):
            raise TypeError(f"why_float64 takes a compiled function or variables, got {v!r}")
    return variables


def _dtype(v: Variable) -> str | None:
    return getattr(v.type, "dtype", None)


def _is_wide(v: Variable) -> bool:
    return _dtype(v) in _WIDE


def _is_number(v: Variable) -> bool:
    return isinstance(v, Constant) and all(getattr(v.type, "broadcastable", (False,)))


def _is_cast(node: Apply) -> bool:
    return isinstance(node.op, Elemwise) and isinstance(node.op.scalar_op, Cast)


def _searched(outputs: Sequence[Variable]) -> tuple[int, int, list[Source]]:
    """Return the number of nodes, the number that compute float64, and the sources of float64."""
    total = wide = 0
    sources: list[Source] = []
    ops = set()
    todo: list[tuple[Sequence[Variable], bool]] = [(outputs, False)]
    while todo:
        graph, is_inner = todo.pop()
        # the roots, with the nodes that use them as float64
        users: dict[Variable, list[Apply]] = {v: [] for v in graph if v.owner is None}
        # constants with added dimensions, mapped to the original constant
        stretched: dict[Variable, Variable] = {}
        for node in nodes_of(graph):
            total += 1
            inner = isinstance(node.op, HasInnerGraph)
            if inner and id(node.op) not in ops:
                ops.add(id(node.op))
                todo.append((node.op.inner_graph(node)[0], True))
            given = dict.fromkeys(stretched.get(v, v) for v in node.inputs if _is_wide(v))
            is_wide = any(map(_is_wide, node.outputs))
            wide += is_wide
            if is_wide and not given and not inner:
                sources.append(_of_node(node))
            elif (
                is_wide and isinstance(node.op, DimShuffle) and isinstance(node.inputs[0], Constant)
            ):
                stretched[node.outputs[0]] = node.inputs[0]
            elif is_wide or not _is_cast(node):
                for v in given:
                    # a number next to another float64, as in gradients, changes nothing
                    if v.owner is None and (len(given) == 1 or not _is_number(v)):
                        users.setdefault(v, []).append(node)
        for v, nodes in users.items():
            # an input of an inner graph has the dtype of the outer variable
            if _is_wide(v) and (not is_inner or isinstance(v, Constant)):
                sources.append(_of_root(v, nodes))
    # inputs, shared variables, constants, ops: the easiest to fix first
    return total, wide, sorted(dict.fromkeys(sources), key=lambda source: source.rank)


def _of_root(v: Variable, users: Sequence[Apply]) -> Source:
    mixed = [n for n in users if any(_dtype(u) == "float32" for u in n.inputs)]
    use = None
    for node in (mixed or users)[:1]:
        # a constant with added dimensions has the line that wrote it, even as input of a loop
        wrote = (u.owner for u in node.inputs if u.owner is not None and v in u.owner.inputs)
        use = next(wrote, node).trace if isinstance(v, Constant) else node.trace
    lines = _lines(("made at", trace_of(v)), ("meets float32 at" if mixed else "used at", use))
    name = f" {v}" if v.name or isinstance(v, Constant) else ""
    if isinstance(v, SharedVariable):
        return Source(
            1, f"shared variable{name} of {v.type}", lines, "theano.shared(np.float32(value))"
        )
    if not isinstance(v, Constant):
        cure = "T.fmatrix and similar functions, or T.matrix where config.floatX is float32"
        return Source(0, f"input{name} of {v.type}", lines, cure)
    cure = "np.float32(array)"
    if _is_number(v):
        cure = "np.float32(number), or a number of Python where config.floatX is float32"
    return Source(2, f"constant{name} of {v.type}", lines, cure)


def _of_node(node: Apply) -> Source:
    of = ", ".join(f"{v} of {d}" for v in node.inputs if (d := _dtype(v)) is not None)
    if _is_cast(node):
        cure = "a cast to 'float32', or to config.floatX"
    elif any((_dtype(v) or "").startswith(("int", "uint")) for v in node.inputs):
        cure = "integers that are cast before: n.astype('float32')"
    else:
        cure = "dtype='float32', where the op takes it, or a cast of the result"
    return Source(3, f"{node.op} of {of or 'no numbers'}", _lines(("made at", node.trace)), cure)


def _lines(*titled: tuple[str, Trace | None]) -> tuple[tuple[str, Trace], ...]:
    """Return the innermost position of each known trace, each line once."""
    result: dict[Trace, str] = {}
    for title, trace in titled:
        if trace:
            result.setdefault(trace[:1], title)
    return tuple((title, trace) for trace, title in result.items())


def _text(nodes: int, wide: int, sources: Sequence[Source]) -> Iterator[str]:
    if not sources:
        yield f"float64 does not enter: none of {nodes} nodes computes it."
        return
    n = len(sources)
    yield (
        f"float64 enters at {n} place{'s' * (n > 1)}; {wide} of {nodes} nodes "
        f"compute{'s' * (wide == 1)} it."
    )
    for k, source in enumerate(sources[:_MOST], 1):
        yield f"{k}. {source.what}"
        for title, trace in source.lines:
            yield f"   {title}"
            yield from ("   " + line for line in format_trace(trace).splitlines())
        yield f"   instead: {source.cure}"
    if n > _MOST:
        yield f"and {n - _MOST} more"
    if config.floatX == "float64":
        yield "config.floatX is float64: T.matrix, T.zeros and numbers of Python are float64 too."
