"""map_variables: replace variables by a function, also in graphs inside ops."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from typing import Any

import numpy as np

from theano._src.control.op_from_graph import OpFromGraph
from theano._src.control.scan.args import read_returned
from theano._src.control.scan.op import Scan
from theano._src.graph.clone import clone_replace, rebuild
from theano._src.graph.graph import Apply, Constant, Variable, owner_of
from theano._src.graph.testvalue import get_test_value
from theano._src.graph.walk import equal_computations, roots_of
from theano._src.ground.config import config
from theano._src.ground.documented import documented_in
from theano._src.ground.errors import AsTensorError, NotScalarConstantError
from theano._src.ops.index.index import getitem, set_subtensor
from theano._src.ops.shape.alloc import AllocEmpty, lengths_of
from theano._src.ops.shape.static_values import get_scalar_constant_value
from theano._src.types.convert import as_tensor_variable
from theano._src.types.scalar import Scalar, get_scalar_type
from theano._src.types.shared import SharedVariable
from theano._src.types.tensor import tensor_type

Replacer = Callable[[Any], Any]


@documented_in("theano.scan_module.scan_utils")
def map_variables(
    replacer: Replacer, graphs: Iterable[Any], additional_inputs: Iterable[Any] = ()
) -> list[Any]:
    """Return the graphs with each variable ``v`` replaced by ``replacer(v)``.

    Variables in the steps of loops and inside ``OpFromGraph`` are replaced too. Outer variables
    that a replacement there depends on become inputs of the loop.

    Parameters
    ----------
    replacer : callable
        Takes a variable and returns it, or another of its type.
    graphs : iterable of Variables
    additional_inputs : iterable of Variables
        Accepted for compatibility; inputs of replacements are found without it.

    >>> import theano, theano.tensor as T
    >>> from theano.scan_module.scan_utils import map_variables
    >>> a, b, c = T.dscalars("abc")
    >>> product = a * b
    >>> (found,) = map_variables(lambda v: product if v is b else v, [b + c])
    >>> theano.pp(found)
    '((a * b) + c)'
    """
    return _mapped(list(graphs), replacer, None)


def _mapped(outs: list[Any], replacer: Replacer, level: _Level | None) -> list[Any]:
    result, held = _replacements(outs, replacer, level)
    out = rebuild(outs, result)
    return rebuild(out, held) if held else out


class _Level:
    """The graph inside an op while its variables are replaced; gives access to outer variables."""

    def __init__(
        self, op: Any, inner: Sequence[Any], inner_of: dict[Any, Any], around: _Level | None
    ) -> None:
        self.op, self.around = op, around
        self.own = set(inner)
        self.inner_of = inner_of
        #: new inputs, by the variable that they represent one level further out
        self.more: dict[Any, Any] = {}

    def reach(self, v: Any) -> Any:
        """Return the variable in this graph for one of this graph or of a graph around it."""
        if v in self.own or isinstance(v, Constant):
            return v
        _refuse_updates(v, self.op)
        if isinstance(self.op, OpFromGraph) and isinstance(v, SharedVariable):
            return v  # OpFromGraph finds it
        outer = v if self.around is None else self.around.reach(v)
        if outer not in self.inner_of:
            new = safe_new(outer, "_copy")
            self.inner_of[outer] = self.more[outer] = new
            self.own.add(new)
        return self.inner_of[outer]

    def moved_in(self, v: Any) -> Any:
        """Rebuild a graph that may read variables of outer levels with inputs of this level."""
        roots = roots_of([v], self.own)
        put = {root: self.reach(root) for root in roots}
        put = {old: new for old, new in put.items() if old is not new}
        return rebuild([v], put)[0] if put else v


def _replacements(
    outs: Sequence[Any], replacer: Replacer, level: _Level | None
) -> tuple[dict[Variable, Variable], dict[Variable, Variable]]:
    """Return the replacements for the variables of a graph, and of the replacements' graphs.

    The second dict maps placeholders to inputs that occur in their own replacements.
    """
    result: dict[Variable, Variable] = {}
    held: dict[Variable, Variable] = {}
    given: set[Variable] = set()
    seen: set[Variable] = set()
    done: set[Apply] = set()
    todo = list(outs)
    while todo:
        v = todo.pop()
        if v in seen:
            continue
        seen.add(v)
        # replacements are not replaced again
        new = v if v in given else replacer(v)
        if new is not v:
            new = new if level is None else level.moved_in(new)
            if _reads(new, v):
                # a replacement may be computed from the variable that it replaces
                if v.owner is None:
                    same = v.type()
                    held[same] = v
                else:
                    same = v.owner.clone().outputs[v.index]
                new = rebuild([new], {v: same})[0]
                given.add(same)
            result[v] = new
            given.add(new)
            todo.append(new)
            continue
        node = v.owner
        if node is None:
            continue
        if node not in done:
            done.add(node)
            inside = _mapped_inside(node, replacer, level)
            if inside is not None:
                result.update(zip(node.outputs, inside.outputs, strict=True))
                done.add(inside)
        todo.extend(owner_of(result[v]).inputs if v in result else node.inputs)
    return result, held


def _reads(v: Any, part: Any) -> bool:
    seen, todo = set(), [v]
    while todo:
        at = todo.pop()
        if at is part:
            return True
        if at not in seen and at.owner is not None:
            seen.add(at)
            todo.extend(at.owner.inputs)
    return False


def _mapped_inside(node: Apply, replacer: Replacer, around: _Level | None) -> Apply | None:
    """Return a node with variables replaced in its inner graph; None if nothing changes."""
    op = node.op
    if isinstance(op, Scan):
        inner_of = dict(
            zip(op.given(node.inputs).non_sequences, op.inner.non_sequences, strict=True)
        )
    elif isinstance(op, OpFromGraph):
        inner_of = dict(zip(node.inputs, op.inputs, strict=False))
    else:
        return None
    inner, outs = op.inputs, op.outputs
    level = _Level(op, inner, inner_of, around)
    results = _mapped(outs, replacer, level)
    if all(a is b for a, b in zip(results, outs, strict=True)):
        return None
    results = [old.type.filter_variable(new) for old, new in zip(outs, results, strict=True)]
    more, extra = list(level.more), list(level.more.values())
    if isinstance(op, Scan):
        loop = op.changed(inner_inputs=[*inner, *extra], inner_outputs=results)
        return loop.make_node(*node.inputs, *more)
    return _opened_anew(op, node, [*inner, *extra], results, more)


def _refuse_updates(v: Any, op: Any) -> None:
    moves = getattr(v, "update", None) is not None or getattr(v, "default_update", None) is not None
    if isinstance(v, SharedVariable) and moves:
        raise NotImplementedError(
            f"map_variables cannot put the shared variable {v}, which has an update, into the "
            f"graph inside {op}; leave the update out, or build the loop again"
        )


def _opened_anew(
    op: OpFromGraph, node: Apply, inner: list[Any], outs: list[Any], more: list[Any]
) -> Apply:
    rules = {"rop_overrides": op.rop_overrides}
    rules["grad_overrides" if op._grad_given else "lop_overrides"] = op.lop_overrides
    if more and any(not isinstance(r, str) for r in rules.values()):
        raise NotImplementedError(
            f"map_variables cannot add the inputs {more} to {op}, whose derivatives are given for "
            "its own inputs"
        )
    graph = OpFromGraph(inner, outs, inline=op.is_inline, name=op.name, **rules, **op.kwargs)
    outer = dict(zip(op.shared_inputs, node.inputs[len(op.inputs) :], strict=True))
    shared = [outer.get(v, v) for v in graph.shared_inputs]
    return graph.make_node(*node.inputs[: len(op.inputs)], *more, *shared)


@documented_in("theano.scan_module.scan_utils")
def safe_new(x: Any, tag: str = "", dtype: Any = None) -> Any:
    """Return a new variable of the type of ``x``, with its test value; a constant is copied.

    Parameters
    ----------
    x : Variable
    tag : str
        Appended to the name.
    dtype : str, optional
        The dtype of the new variable; by default that of ``x``.

    >>> import theano.tensor as T
    >>> from theano.scan_module.scan_utils import safe_new
    >>> new = safe_new(T.dvector("x"), "_copy", "float32")
    >>> new, new.type
    (x_copy, TensorType(float32, vector))
    """
    if isinstance(x, Constant):
        if dtype is None or x.type.dtype == dtype:
            return x.clone()
        kind = x.type.clone(dtype=dtype)
        return x.__class__(kind, np.asarray(x.data).astype(dtype)[()], x.name)
    if not (isinstance(x, Variable) and isinstance(x.type, Scalar)):
        try:
            x = as_tensor_variable(x)
        except (TypeError, AsTensorError):
            # not a tensor, for example a random state
            return x.type(name=None if x.name is None else x.name + tag)
    kind = x.type
    if dtype is not None:
        narrow = isinstance(kind, Scalar)
        kind = get_scalar_type(dtype) if narrow else tensor_type(dtype, kind.broadcastable)
    result = kind(name=None if x.name is None else x.name + tag)
    if config.compute_test_value != "off":
        with suppress(AttributeError):  # x may have no test value
            result.tag.test_value = kind.filter(get_test_value(x), allow_downcast=True)
    return result


@documented_in("theano.scan_module.scan_utils")
def forced_replace(out: Any, x: Any, y: Any) -> Any:
    """Return ``out`` with each part of its graph that computes the same as ``x`` set to ``y``.

    >>> import theano, theano.tensor as T
    >>> from theano.scan_module.scan_utils import forced_replace
    >>> a, b = T.dscalars("ab")
    >>> theano.pp(forced_replace(T.exp(a) * (1 - T.exp(a)), T.exp(a), b))
    '(b * (1 - b))'
    """
    if out is None:
        return None
    seen, todo, result = set(), [out], {}
    while todo:
        v = todo.pop()
        if v in seen:
            continue
        seen.add(v)
        if equal_computations([v], [x]):
            result[v] = y
        elif v.owner is not None:
            todo.extend(v.owner.inputs)
    return clone_replace(out, replace=result) if result else out


@documented_in("theano.scan_module.scan_utils")
def reconstruct_graph(
    inputs: Sequence[Any], outputs: Sequence[Any], tag: str | None = None
) -> tuple[list[Any], list[Any]]:
    """Return new variables for ``inputs``, and ``outputs`` computed from them.

    ``tag`` is appended to the names of the new variables.

    >>> import theano, theano.tensor as T
    >>> from theano.scan_module.scan_utils import reconstruct_graph
    >>> x = T.dscalar("x")
    >>> (new,), (out,) = reconstruct_graph([x], [x + 1], "_new")
    >>> new is x, theano.pp(out)
    (False, '(x_new + 1)')
    """
    fresh = [safe_new(x, tag or "") for x in inputs]
    pairs = dict(zip(inputs, fresh, strict=True))
    return fresh, clone_replace(list(outputs), replace=pairs)


@documented_in("theano.scan_module.scan_utils")
def get_updates_and_outputs(ls: Any) -> tuple[Any, list[Any], Any]:
    """Return the condition, the outputs and the updates that a step returned as ``ls``.

    >>> import theano.tensor as T
    >>> from theano.scan_module.scan_utils import get_updates_and_outputs
    >>> x = T.dscalar("x")
    >>> get_updates_and_outputs([x, x])[1]
    [x, x]
    """
    result = read_returned("a step", ls)
    return result.condition, list(result.outputs), result.updates


@documented_in("theano.scan_module.scan_utils")
def expand_empty(tensor_var: Any, size: Any) -> Any:
    """Return ``tensor_var`` with ``size`` uninitialized rows appended.

    >>> import theano.tensor as T
    >>> from theano.scan_module.scan_utils import expand_empty
    >>> expand_empty(T.constant([1.0, 2.0]), 3).eval().shape
    (5,)
    """
    if not isinstance(size, Variable) and size == 0:
        return tensor_var
    first, *rest = lengths_of(tensor_var)
    room = AllocEmpty(tensor_var.dtype)(size + first, *rest)
    return set_subtensor(getitem(room, slice(None, first)), tensor_var)


@documented_in("theano.scan_module.scan_utils")
def isNaN_or_Inf_or_None(x: Any) -> bool:
    """Whether ``x`` is None, a string, or a number or constant that is not finite.

    >>> from theano.scan_module.scan_utils import isNaN_or_Inf_or_None
    >>> [isNaN_or_Inf_or_None(x) for x in (None, float("inf"), 3)]
    [True, True, False]
    """
    if x is None or isinstance(getattr(x, "data", x), str):
        return True
    try:
        return not bool(np.isfinite(get_scalar_constant_value(x)))
    except (TypeError, ValueError, NotScalarConstantError):
        return False


@documented_in("theano.scan_module.scan_utils")
def hash_listsDictsTuples(x: Any) -> int:
    """Return a hash of nested lists, tuples and dicts; their order does not matter.

    ``x`` may be anything whose parts have a hash.

    >>> from theano.scan_module.scan_utils import hash_listsDictsTuples
    >>> hash_listsDictsTuples([1, {2: 3}]) == hash_listsDictsTuples(({2: 3}, 1))
    True
    """
    if isinstance(x, dict):
        x = [part for pair in x.items() for part in pair]
    if not isinstance(x, (list, tuple)):
        return hash(x)
    number = 0
    for part in x:
        number ^= hash_listsDictsTuples(part)
    return number
