"""The text of a run-time error: the node that failed, its inputs, the user's line."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any, NoReturn

from theano._src.engines.error_advice import advice
from theano._src.graph import source_line as _trace
from theano._src.graph.graph import Apply
from theano._src.ground.config import config
from theano._src.ground.tracebacks import KEPT
from theano._src.show.debugprint import debugprint
from theano._src.types.run_node import call_of

_SHOWN = 12  # arrays up to this many elements are shown in full


def raise_with_op(
    node: Apply,
    inputs: Sequence[Any] | None,
    error: BaseException,
    position: int | None = None,
) -> NoReturn:
    """Raise ``error`` again, with a description of the failed node added to its text.

    The type stays the same. An exception that has more than one text argument (an error number,
    arguments of its own) is raised unchanged, with a note.
    """
    if getattr(error, "_blamed", False) or not isinstance(error, Exception):
        raise error
    # documented for debuggers: next to `node`, a `thunk` whose cells hold the inputs
    thunk = SimpleNamespace(inputs=[[value] for value in inputs or ()])
    text = "\n".join([*advice(node, inputs, error), describe(node, inputs, position)])
    new = with_text(error, text)
    if new is None:
        error.add_note(text)
        error._blamed = True  # type: ignore[attr-defined]
        failed(node, thunk, error)
    new._blamed = True
    new.__cause__ = error.__cause__
    new.__context__ = None
    new.__suppress_context__ = True
    failed(node, thunk, new.with_traceback(error.__traceback__))


def raise_with_thunk(
    node: Apply, thunk: Any = None, exc_info: Any = None, storage_map: Any = None
) -> NoReturn:
    """Raise an error again, with a description of the failed node added to its text.

    This is ``theano.gof.link.raise_with_op``.

    Parameters
    ----------
    node : Apply
        The node whose thunk failed.
    thunk : function, optional
        Its ``inputs``, a list of cells, hold the values that the node received.
    exc_info : tuple, optional
        The result of ``sys.exc_info()``; by default the exception being handled.
    storage_map : dict, optional
        The cell of each variable, for the input values if the thunk has none.

    >>> import theano, theano.tensor as T
    >>> node = T.exp(T.dscalar("x")).owner
    >>> try:
    ...     raise ValueError("too large")
    ... except ValueError:
    ...     theano.gof.link.raise_with_op(node, storage_map={node.inputs[0]: [2.0]})
    Traceback (most recent call last):
    ValueError: too large
    Apply node that caused the error: Elemwise{exp,no_inplace}(x)
    ...
    """
    error = (exc_info or sys.exc_info())[1]
    if error is None:
        raise TypeError("raise_with_op takes exc_info, or is called where one is being handled")
    cells = getattr(thunk, "inputs", None)
    if cells is None and storage_map is not None:
        cells = [storage_map.get(v, [None]) for v in node.inputs]
    graph = getattr(node, "fgraph", None)
    order = graph.toposort() if graph is not None else ()
    raise_with_op(
        node,
        None if cells is None else [cell[0] for cell in cells],
        error,
        order.index(node) if node in order else None,
    )


def host_call(node: Apply) -> Callable[..., Any]:
    """`call_of`, with errors (such as C code that does not compile) described for the node."""
    try:
        return call_of(node)
    except Exception as e:
        raise_with_op(node, None, e)


def failed(node: Apply, thunk: Any, error: Exception) -> NoReturn:
    __tracebackhide__ = True
    # in a debugger: `node` is the failed node, `thunk.inputs` holds its inputs
    raise error


# the only frame of this package that tracebacks keep
KEPT.add(failed.__code__)


def with_text(error: Exception, text: str) -> Any:
    """The same kind of exception with ``text`` appended; None if its type or text would change."""
    own = error.args[0] if error.args else None
    if len(error.args) > 1 or not (own is None or (isinstance(own, str) and own == str(error))):
        return None
    whole = text if own is None else f"{own}\n{text}"
    try:
        new = type(error)(whole)
        new.__dict__.update(error.__dict__)  # jax's errors keep their text there
    except Exception:
        return None
    return new if type(new) is type(error) and str(new) == whole else None


def describe(node: Apply, inputs: Sequence[Any] | None, position: int | None = None) -> str:
    """The documented lines about a node: its name, inputs, where it was created, hints."""
    lines = [f"Apply node that caused the error: {node}"]
    if position is not None:
        lines.append(f"Toposort index: {position}")
    lines.append(f"Inputs types: {[v.type for v in node.inputs]}")
    if inputs is not None:
        lines.append(f"Inputs shapes: {[_get(x, 'shape', 'No shapes') for x in inputs]}")
        lines.append(f"Inputs strides: {[_get(x, 'strides', 'No strides') for x in inputs]}")
        lines.append(f"Inputs values: {[_value(x) for x in inputs]}")
    clients = [
        ["output" if user == "output" else user for user, _ in v._clients or ()]
        for v in node.outputs
    ]
    lines.append(f"Outputs clients: {clients}")
    lines.append("")
    where = _trace.format_trace(node.trace)
    if where:
        lines.append(
            "Backtrace when the node is created(use Theano flag traceback.limit=N to make it "
            "longer):"
        )
        lines.append(where)
    if config.exception_verbosity == "high":
        lines.append("Debugprint of the apply node: ")
        lines.append(debugprint(node, file="str", print_type=True, stop_on_name=False))
    if config.optimizer not in ("fast_compile", "None"):
        if not where:
            lines.append(
                "HINT: Re-running with most Theano optimization disabled could give you a "
                "back-trace of when this node was created. This can be done with by setting the "
                "Theano flag 'optimizer=fast_compile'. If that does not work, Theano optimizations "
                "can be disabled with 'optimizer=None'."
            )
        elif node.__dict__.get("rewritten"):
            lines.append(
                "HINT: This node was made by rewriting yours. With the Theano flag "
                "'optimizer=None' the error names the node as you wrote it."
            )
    if config.exception_verbosity != "high":
        lines.append(
            "HINT: Use the Theano flag 'exception_verbosity=high' for a debugprint of this apply "
            "node."
        )
    return "\n".join(lines)


def _get(x: Any, name: str, absent: str) -> Any:
    return getattr(x, name, absent)


def _value(x: Any) -> Any:
    size = getattr(x, "size", None)
    if isinstance(size, int) and size > _SHOWN:
        return "not shown"
    text = repr(x)
    return x if len(text) <= 500 else "not shown"


def last_frame(error: BaseException, code: Any) -> Any:
    """The last traceback entry of ``error`` in the generated ``code``, with its line; or None."""
    tb = error.__traceback__ or sys.exc_info()[2]
    while tb is not None:
        if tb.tb_frame.f_code is code:
            return tb
        tb = tb.tb_next
    return None
