"""Copy the user's lines from replaced nodes to new ones, and check that none is lost."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from theano._src.graph import source_line as tracing, testvalue
from theano._src.graph.features import Feature
from theano._src.graph.graph import Apply
from theano._src.graph.op import PureOp
from theano._src.ground.config import config
from theano._src.ground.documented import documented_in
from theano._src.rewrite.passes import Optimizer
from theano._src.rewrite.pattern import scalar_op_of


@documented_in("theano.gof.opt")
def copy_stack_trace(from_var: Any, to_var: Any) -> Any:
    """Copy the user's lines from variables to other variables; returns ``to_var``.

    The driver does this for every replacement: only code that builds graphs elsewhere needs it.

    >>> import theano, theano.tensor as T
    >>> x = T.dscalar("x")
    >>> a, b = x + 1, x * 2
    >>> theano.gof.opt.copy_stack_trace(a, b) is b, b.owner.trace == a.owner.trace
    (True, True)
    """
    line = _line_of(from_var)
    for v in to_var if isinstance(to_var, (list, tuple)) else [to_var]:
        if line is not None and v.owner is not None:
            v.owner.trace = line
    return to_var


def _line_of(from_var: Any) -> tracing.Trace | None:
    sources = from_var if isinstance(from_var, (list, tuple)) else [from_var]
    return next((v.owner.trace for v in sources if v.owner is not None), None)


@documented_in("theano.gof.opt")
@contextmanager
def inherit_stack_trace(from_var: Any) -> Iterator[None]:
    """Context manager: nodes built inside get the user's lines of ``from_var``.

    >>> import theano, theano.tensor as T
    >>> x = T.dscalar("x")
    >>> a = x + 1
    >>> with theano.gof.opt.inherit_stack_trace(a):
    ...     b = x * 2
    >>> b.owner.trace == a.owner.trace
    True
    """
    wanted = testvalue.policy()
    with tracing.paused(instead=_line_of(from_var)), testvalue.under(wanted):
        yield


@documented_in("theano.gof.opt")
def check_stack_trace(
    f_or_fgraph: Any, ops_to_check: Any = "last", bug_print: str = "raise"
) -> bool:
    """Return whether nodes of a compiled function still have a line of the user's program.

    Parameters
    ----------
    f_or_fgraph : compiled function or FunctionGraph
    ops_to_check : {'last', 'all'}, op, class of ops, list of them, or function
        Which nodes to check: those that compute the outputs, all nodes, nodes with one of these
        ops (or scalar ops), or nodes for which the function returns true.
    bug_print : {'raise', 'warn', 'ignore'}
        What to do if the graph has no such node.

    >>> import theano, theano.tensor as T
    >>> x = T.dvector("x")
    >>> f = theano.function([x], T.log(1 + x))
    >>> theano.gof.opt.check_stack_trace(f, "all"), theano.gof.opt.check_stack_trace(f, T.log1p)
    (True, True)
    """
    maker = getattr(f_or_fgraph, "maker", None)
    fgraph = f_or_fgraph if maker is None else maker.fgraph
    if not hasattr(fgraph, "apply_nodes"):
        raise ValueError(
            f"check_stack_trace takes a compiled function or a FunctionGraph, got {f_or_fgraph!r}"
        )
    nodes = _asked_for(fgraph, ops_to_check)
    if not nodes:
        text = f"the graph has no node to check, of {ops_to_check!r}"
        match bug_print:
            case "raise":
                raise Exception(text)
            case "warn":
                warnings.warn(text, stacklevel=2)
            case "ignore":
                pass
            case _:
                raise ValueError(f"bug_print is 'raise', 'warn' or 'ignore', got {bug_print!r}")
    return all(_has_line(node) for node in nodes)


def _asked_for(fgraph: Any, requested: Any) -> list[Apply]:
    if requested == "all":
        return list(fgraph.apply_nodes)
    if requested == "last":
        return [v.owner for v in fgraph.outputs if v.owner is not None]
    if isinstance(requested, PureOp) or (
        isinstance(requested, type) and issubclass(requested, PureOp)
    ):
        requested = (requested,)
    if isinstance(requested, (list, tuple)):
        classes = tuple(what for what in requested if isinstance(what, type))
        return [
            node
            for node in fgraph.apply_nodes
            if node.op in requested
            or isinstance(node.op, classes)
            or isinstance(scalar_op_of(node.op), classes)
        ]
    if callable(requested):
        return [node for node in fgraph.apply_nodes if requested(node)]
    raise ValueError(
        "check_stack_trace takes 'last', 'all', an op, a class of ops, a list of them or a "
        f"function as ops_to_check, got {requested!r}"
    )


def _has_line(node: Apply) -> bool:
    return bool(node.trace) or bool(getattr(node._tag, "trace", None))


@documented_in("theano.gof.opt")
class CheckStrackTraceFeature(Feature):
    """Checks that new nodes have a user's line; ``config.check_stack_trace`` sets the action.

    The rewriter copies lines when it replaces nodes: this is for passes that build nodes elsewhere.
    """

    def on_import(self, fgraph: Any, node: Apply, reason: Any) -> None:
        if config.check_stack_trace == "off" or _has_line(node):
            return
        text = f"Empty stack trace! The optimization that inserted this variable is {reason}"
        if config.check_stack_trace == "raise":
            raise AssertionError(text)
        node.tag.trace = [[("", 0, text, "")]]
        if config.check_stack_trace == "warn":
            warnings.warn(text, stacklevel=2)


@documented_in("theano.gof.opt")
class CheckStackTraceOptimization(Optimizer):
    """Attaches a CheckStrackTraceFeature to the graph and changes nothing.

    >>> import theano
    >>> g = theano.gof.FunctionGraph([], [])
    >>> theano.gof.CheckStackTraceOptimization().optimize(g)
    >>> [type(feature).__name__ for feature in g._features]
    ['CheckStrackTraceFeature']
    """

    def add_requirements(self, fgraph: Any) -> None:
        if not any(isinstance(f, CheckStrackTraceFeature) for f in fgraph._features):
            fgraph.attach_feature(CheckStrackTraceFeature())

    def apply(self, fgraph: Any, *args: Any, **kwargs: Any) -> None:
        pass
