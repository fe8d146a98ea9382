"""Results belong to the caller: they share no memory with inputs, state or constants."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from theano._src.graph.destroy import overwritten_inputs
from theano._src.graph.fg import FunctionGraph
from theano._src.graph.graph import Constant, Variable
from theano._src.graph.walk import view_roots
from theano._src.ops.meta.misc import deep_copy_op, view_op


def insert_deepcopy(
    fgraph: FunctionGraph, wrapped_inputs: Sequence[Any], wrapped_outputs: Sequence[Any]
) -> None:
    """Copy each output that may share memory with an input, a constant or an earlier output.

    If both sides were declared with ``borrow``, insert a view instead of a copy. A result that a
    node wrote into an argument is not copied; one in the memory of a shared variable is.

    >>> import theano, theano.tensor as T
    >>> from theano.compile.function_module import insert_deepcopy
    >>> x = T.dvector("x")
    >>> graph = theano.gof.FunctionGraph([x], [x])
    >>> insert_deepcopy(graph, [theano.In(x)], [theano.Out(x)])
    >>> graph
    [DeepCopyOp(x)]
    """
    borrowed = {
        v
        for v, spec in zip(fgraph.inputs, wrapped_inputs, strict=True)
        if spec.borrow and spec.update is None
    }
    inputs = set(fgraph.inputs)
    written = set(overwritten_inputs(fgraph))
    stored = {o: fgraph.inputs[i] for o, i in (fgraph.update_mapping or {}).items()}
    state = {
        v
        for v, spec in zip(fgraph.inputs, wrapped_inputs, strict=True)
        if getattr(spec, "shared", False) and v in written and spec.update is None
    }
    lists = {v for v in fgraph.inputs if v.type.holds_values}
    seen: dict[Variable, bool] = {}
    for o, (out, spec) in enumerate(zip(list(fgraph.outputs), wrapped_outputs, strict=True)):
        roots = view_roots(out)
        held = stored.get(o)
        alone = held is out  # an update that stores the old value again
        # the new list replaces the old one, so it may keep its elements
        own = held if out.type.holds_values else None
        # for each root: may the two share memory?
        meets = [
            spec.borrow and (root in borrowed or seen.get(root, False))
            for root in roots
            if root is not own
            and (isinstance(root, Constant) or (root in inputs and not alone) or root in seen)
        ]
        for root in roots:
            seen.setdefault(root, spec.borrow)
        if state and not state.isdisjoint(_all_roots(out)):
            meets.append(False)
        # a list that was changed in place still contains the caller's elements
        if held is not None and lists and not lists.isdisjoint({*_all_roots(out)} - {held}):
            meets.append(False)
        if meets:
            op = view_op if all(meets) else deep_copy_op
            fgraph.change_input("output", o, op(out), reason="insert_deepcopy")


def infer_reuse_pattern(
    fgraph: FunctionGraph, outputs_to_disown: Sequence[Variable]
) -> list[Variable]:
    """Return the variables whose cells must be empty before a call.

    These are the outputs, and the variables whose memory they may be in. A linker gets them as
    ``no_recycling``: reusing their memory would overwrite results that belong to the caller.

    >>> import theano, theano.tensor as T
    >>> from theano.compile.function_module import infer_reuse_pattern
    >>> x = T.dmatrix("x")
    >>> graph = theano.gof.FunctionGraph([x], [T.exp(x).T])
    >>> infer_reuse_pattern(graph, graph.outputs)
    [InplaceDimShuffle{1,0}.0, Elemwise{exp,no_inplace}.0]
    """
    result: dict[Variable, None] = {}
    for out in outputs_to_disown:
        near = _all_roots(out)
        result.update((v, None) for v in near if v.owner is not None)
    return list(result)


def _all_roots(out: Variable) -> dict[Variable, None]:
    """The variables whose memory ``out`` may be in, as a view or because a node wrote it there."""
    result: dict[Variable, None] = {}
    stack = [out]
    while stack:
        v = stack.pop()
        if v in result:
            continue
        result[v] = None
        for kind in ("view_map", "destroy_map") if v.owner is not None else ():
            positions = (getattr(v.owner.op, kind, None) or {}).get(v.index, ())  # type: ignore[union-attr]
            stack.extend(v.owner.inputs[i] for i in positions)  # type: ignore[union-attr]
    return result
