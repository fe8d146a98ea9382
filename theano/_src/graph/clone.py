"""Copies of graphs, with or without parts replaced."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from theano._src.graph.graph import Apply, Constant, Variable
from theano._src.graph.walk import nodes_of
from theano._src.ground.documented import documented_in, short_traceback


@documented_in("theano.gof.graph")
def clone_get_equiv(
    inputs: Sequence[Variable],
    outputs: Iterable[Variable],
    copy_inputs: bool = True,
    copy_orphans: bool = True,
    memo: dict[Any, Any] | None = None,
) -> dict[Any, Any]:
    """Copy the graph from ``inputs`` to ``outputs``; return a map from old parts to new ones.

    >>> import theano, theano.tensor as T
    >>> from theano.gof import graph
    >>> x = T.dscalar("x")
    >>> y = x + 1
    >>> theano.pp(graph.clone_get_equiv([x], [y])[y])
    '(x + 1)'
    """
    memo = {} if memo is None else memo
    outputs = list(outputs)
    for v in inputs:
        memo.setdefault(v, v.clone() if copy_inputs else v)
    blockers = set(inputs)
    for node in nodes_of(outputs, blockers):
        for v in node.inputs:
            if v not in memo:
                # neither computed here nor an input: a constant, shared or missing input
                memo[v] = v.clone() if copy_orphans else v
        if node in memo:
            continue
        fresh = node.clone_with_new_inputs([memo[v] for v in node.inputs])
        memo[node] = fresh
        for old, new in zip(node.outputs, fresh.outputs, strict=True):
            memo.setdefault(old, new)
    for out in outputs:
        if out not in memo:
            memo[out] = out.clone() if copy_orphans else out
    return memo


@documented_in("theano.gof.graph")
def clone(
    i: Sequence[Variable],
    o: Sequence[Variable],
    copy_inputs: bool = True,
    copy_orphans: bool | None = None,
) -> tuple[list[Variable], list[Variable]]:
    """Copy the graph between ``i`` and ``o``; return the new inputs and new outputs.

    >>> import theano, theano.tensor as T
    >>> from theano.gof import graph
    >>> x, y = T.dscalars("xy")
    >>> (a, b), (z,) = theano.gof.clone([x, y], [x + y])
    >>> a is x, theano.pp(z)
    (False, '(x + y)')
    """
    equiv = clone_get_equiv(
        i, o, copy_inputs, copy_inputs if copy_orphans is None else copy_orphans
    )
    return [equiv[v] for v in i], [equiv[v] for v in o]


def rebuild(
    outputs: Sequence[Variable],
    replace: Mapping[Variable, Variable],
    strict: bool = True,
    share_inputs: bool = True,
    memo: dict[Variable, Variable] | None = None,
) -> list[Variable]:
    """Return ``outputs`` with each key of ``replace`` replaced by its value.

    Values are rebuilt as well (their graphs may use other keys). Nodes are copied only where one
    of their ancestors changed or inputs are not shared. With ``strict``, a value is converted to
    its key's type, or raises TypeError; without, ops build new nodes for other types.
    """
    memo = {} if memo is None else memo
    result: dict[Apply, Apply] = {}
    # (variable, True): the variables it needs are in memo
    stack: list[tuple[Variable, bool]] = [(v, False) for v in reversed(list(outputs))]
    opened: set[Variable] = set()
    while stack:
        v, ready = stack.pop()
        if v in memo:
            continue
        if not ready:
            if v in opened and v in replace:
                raise ValueError(f"the replacement of {v} depends on {v} itself")
            opened.add(v)
            stack.append((v, True))
            if v in replace:
                value = replace[v]
                if value is not v and value not in memo:
                    stack.append((value, False))
            elif v.owner is not None:
                stack.extend((i, False) for i in reversed(v.owner.inputs) if i not in memo)
            continue
        if v in replace and replace[v] is not v:
            value = memo[replace[v]]
            memo[v] = v.type.filter_variable(value) if strict else value
        elif v.owner is None:
            memo[v] = v if share_inputs or isinstance(v, Constant) else v.clone()
        else:
            node = v.owner
            if node not in result:
                ins = [memo[i] for i in node.inputs]
                same = share_inputs and all(a is b for a, b in zip(ins, node.inputs, strict=True))
                result[node] = node if same else node.clone_with_new_inputs(ins, strict)
            assert v.index is not None
            memo[v] = result[node].outputs[v.index]
    return [memo[v] for v in outputs]


@short_traceback
def clone_replace(
    output: Any,
    replace: Any = None,
    strict: bool = True,
    share_inputs: bool = True,
    copy_inputs: Any = None,
) -> Any:
    """Copy an expression with some of its variables replaced, all of them at once.

    The replacements themselves are not changed, even if they are computed from variables that are
    replaced elsewhere. Inner graphs of ops (`scan`, `OpFromGraph`) read shared variables and other
    outer variables as inputs of their nodes, so these are replaced there too.

    Parameters
    ----------
    output : Variable or list of Variables
    replace : dict or list of pairs
        ``{old: new}``; a ``new`` of another type than its ``old`` needs ``strict=False``.
    strict : bool
        Whether types must stay the same.
    share_inputs : bool
        Whether the copy uses the same inputs and shared variables. Otherwise it gets copies;
        those of shared variables hold the same values.
    copy_inputs : bool, optional
        An older name of ``share_inputs``.

    >>> import theano, theano.tensor as T
    >>> x, y = T.dscalars("xy")
    >>> theano.pp(theano.clone(x + 1, {x: y}))
    '(y + 1)'
    """
    if copy_inputs is not None:
        share_inputs = bool(copy_inputs)
    if not isinstance(replace, Mapping | list | tuple | None):
        raise ValueError(
            f"clone takes a dictionary, a list or a tuple of pairs as replace, got {replace!r}"
        )
    pairs = dict(replace.items() if isinstance(replace, Mapping) else replace or ())
    for old in pairs:
        if not isinstance(old, Variable):
            raise TypeError(
                f"clone replaces Variables, got {old!r:.80} of {type(old).__name__} as a key of "
                "replace; a variable itself is the key, not its name"
            )
    values = [
        v if isinstance(v, Variable) and not strict else old.type.filter_variable(v)
        for old, v in pairs.items()
    ]
    memo: dict[Variable, Variable] = {}
    result = rebuild(values, {}, strict, share_inputs, memo)
    # keep only the inputs: variables inside a replacement must be rebuilt in the outputs
    memo = {old: new for old, new in memo.items() if old.owner is None}
    memo.update(zip(pairs, result, strict=True))
    outs = list(output) if isinstance(output, (list, tuple)) else [output]
    for v in outs:
        if not isinstance(v, Variable):
            raise TypeError(f"clone copies Variables, got {v!r:.80} of {type(v).__name__}")
    done = rebuild(outs, {}, strict, share_inputs, memo)
    return done if isinstance(output, (list, tuple)) else done[0]


def default_leaf_formatter(leaf: Variable) -> str:
    """Format an input for ``as_string``: its name.

    >>> import theano, theano.tensor as T
    >>> theano.gof.graph.default_leaf_formatter(T.dscalar("x"))
    'x'
    """
    return str(leaf)


def default_node_formatter(node: Apply, args: Sequence[str]) -> str:
    """Format a node for ``as_string``: a call.

    >>> import theano, theano.tensor as T
    >>> theano.gof.graph.default_node_formatter(T.exp(T.dscalar("x")).owner, ["2 * x"])
    'Elemwise{exp,no_inplace}(2 * x)'
    """
    return f"{node.op}({', '.join(args)})"


def op_as_string(
    i: Sequence[Variable],
    op: Apply,
    leaf_formatter: Any = default_leaf_formatter,
    node_formatter: Any = default_node_formatter,
) -> str:
    """Format a node as nested calls down to the inputs ``i``.

    >>> import theano, theano.tensor as T
    >>> x, y = T.dscalars("xy")
    >>> theano.gof.graph.op_as_string([x, y], T.exp(x + y).owner)
    'Elemwise{exp,no_inplace}(Elemwise{add,no_inplace}(x, y))'
    """
    text: str = node_formatter(op, as_string(i, op.inputs, leaf_formatter, node_formatter))
    return text


def as_string(
    i: Sequence[Variable],
    o: Sequence[Variable],
    leaf_formatter: Any = default_leaf_formatter,
    node_formatter: Any = default_node_formatter,
) -> list[str]:
    """Format each output as nested calls.

    A subexpression that is used twice is written ``*1 -> ...`` first and then ``*1``.

    >>> import theano, theano.tensor as T
    >>> from theano.gof import graph
    >>> x, y = T.dscalars("xy")
    >>> graph.as_string([x, y], [x + y])
    ['Elemwise{add,no_inplace}(x, y)']
    """
    ins = set(i)
    uses: dict[Variable, int] = dict.fromkeys(o, 0)
    order = nodes_of(o, ins)
    for out in o:
        uses[out] += 1
    for node in order:
        for v in node.inputs:
            uses[v] = uses.get(v, 0) + 1
    # a shared part is defined where it first appears
    numbers: dict[Variable, int] = {}
    texts = []
    for out in o:
        done: list[str] = []  # the arguments of open calls written so far
        todo: list[tuple[Variable, bool]] = [(out, False)]
        while todo:
            item, ready = todo.pop()
            if item in ins or item.owner is None:
                done.append(leaf_formatter(item))
                continue
            node = item.owner
            if ready:
                n = len(node.inputs)
                args = done[len(done) - n :]
                del done[len(done) - n :]
                mark = f"*{numbers[item]} -> " if item in numbers else ""
                suffix = f"::{item.index}" if len(node.outputs) > 1 else ""
                done.append(f"{mark}{node_formatter(node, args)}{suffix}")
            elif item in numbers:
                done.append(f"*{numbers[item]}")
            else:
                if uses[item] > 1:
                    numbers[item] = len(numbers) + 1
                todo.append((item, True))
                todo.extend((v, False) for v in reversed(node.inputs))
        texts += done
    return texts
