"""Local optimizers: rewrites of one node, as Theano documents them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from theano._src.graph.destroy import DestroyHandler
from theano._src.graph.graph import Apply, Constant, Variable
from theano._src.graph.op import Op
from theano._src.graph.walk import nodes_of
from theano._src.ground.documented import documented_in
from theano._src.ground.utils import MethodNotDefined
from theano._src.rewrite.pattern import same_op, same_variable
from theano._src.rewrite.rule import BaseRule, Replacement, untracked
from theano._src.rewrite.watch import watched


@documented_in("theano.gof.opt")
class LocalOptimizer:
    """A rewrite of one node: a subclass defines ``transform``, and ``tracks`` for speed.

    >>> import theano, theano.tensor as T
    >>> class NegNeg(theano.gof.LocalOptimizer):
    ...     def tracks(self):
    ...         return [T.neg]
    ...     def transform(self, node):
    ...         inner = node.inputs[0].owner
    ...         return [inner.inputs[0]] if inner and inner.op == T.neg else False
    >>> x = T.dscalar("x")
    >>> g = theano.gof.FunctionGraph([x], [-(-x)], clone=False)
    >>> theano.gof.TopoOptimizer(NegNeg()).optimize(g); g
    [x]
    """

    name: str | None = None

    def tracks(self) -> Iterable[Any] | None:
        """Return the ops or op classes whose nodes it transforms; None or empty for all nodes."""
        return None

    def transform(self, node: Apply) -> Any:
        """Return replacements for the node's outputs, as a list or a dict, or False for none."""
        raise MethodNotDefined("transform", type(self), self.__class__.__name__)

    def add_requirements(self, fgraph: Any) -> None:
        """Attach the features that ``transform`` needs to a graph."""

    def print_summary(self, stream: Any = None, level: int = 0, depth: int = -1) -> None:
        """Print the name on one line."""
        print(f"{' ' * level}{self}", file=stream)

    def __str__(self) -> str:
        return self.name or getattr(self, "__name__", None) or type(self).__name__


@documented_in("theano.gof.opt")
class FromFunctionLocalOptimizer(LocalOptimizer):
    """A local optimizer defined by a function of a node."""

    def __init__(
        self,
        fn: Callable[[Apply], Any],
        tracks: Sequence[Any] | None = None,
        requirements: Any = (),
    ) -> None:
        self.transform = fn  # type: ignore[assignment,method-assign]
        self._tracks = tracks
        self.requirements = requirements
        self.__name__ = fn.__name__
        self.__doc__ = fn.__doc__

    def tracks(self) -> Iterable[Any] | None:
        return self._tracks

    def add_requirements(self, fgraph: Any) -> None:
        for require in self.requirements:
            require(fgraph)


@documented_in("theano.gof.opt")
def local_optimizer(
    tracks: Sequence[Any] | None, inplace: bool = False, requirements: Iterable[Any] = ()
) -> Callable[[Callable[[Apply], Any]], FromFunctionLocalOptimizer]:
    """Decorator that makes a function a local optimizer.

    Parameters
    ----------
    tracks : list of Op or Op classes, or None
        The nodes that it transforms; None for all.
    inplace : bool
        Whether it creates ops that overwrite their inputs: the graph then checks each of them.
    requirements : sequence of functions
        Called with the graph first, to attach features.

    >>> import theano, theano.tensor as T
    >>> @theano.gof.local_optimizer([T.neg])
    ... def local_neg_neg(node):
    ...     inner = node.inputs[0].owner
    ...     return [inner.inputs[0]] if inner and inner.op == T.neg else False
    >>> print(local_neg_neg)
    local_neg_neg
    """
    if tracks is not None and not list(tracks):
        raise ValueError(
            "local_optimizer takes the ops whose nodes it wants to see, got an empty list; "
            "give None for every node"
        )
    for what in tracks or ():
        if not isinstance(what, (Op, type)):
            raise ValueError(
                f"local_optimizer takes a list of ops and classes of ops, got {what!r} in it"
            )
    needs = tuple(requirements)
    if inplace:
        needs += (lambda fgraph: fgraph.attach_feature(DestroyHandler()),)

    def decorate(fn: Callable[[Apply], Any]) -> FromFunctionLocalOptimizer:
        return FromFunctionLocalOptimizer(fn, tracks, needs)

    return decorate


@documented_in("theano.gof.opt")
class LocalOptGroup(LocalOptimizer):
    """Several local optimizers as one: the first that returns a replacement is used."""

    def __init__(self, *optimizers: Any, **options: Any) -> None:
        if len(optimizers) == 1 and isinstance(optimizers[0], (list, tuple)):
            optimizers = tuple(optimizers[0])
        self.opts = list(optimizers)
        self._rules = [as_rule(opt) for opt in optimizers]

    def tracks(self) -> Iterable[Any] | None:
        results = [rule.tracks for rule in self._rules]
        return [what for each in results for what in each] if all(results) else None

    def transform(self, node: Apply) -> Any:
        for rule in self._rules:
            new = rule.transform(node.fgraph, node)
            if new:
                return new
        return False

    def add_requirements(self, fgraph: Any) -> None:
        for opt in self.opts:
            if isinstance(opt, LocalOptimizer):
                opt.add_requirements(fgraph)

    def __str__(self) -> str:
        return self.name or f"LocalOptGroup({','.join(rule.name for rule in self._rules)})"


@documented_in("theano.gof.opt")
class OpSub(LocalOptimizer):
    """Replaces one op by another on the same inputs.

    Parameters
    ----------
    op1, op2 : Op
        ``op2`` takes the same inputs as ``op1`` and has outputs of the same types.

    >>> import theano, theano.tensor as T
    >>> x, y = T.dscalars("xy")
    >>> g = theano.gof.FunctionGraph([x, y], [x + y], clone=False)
    >>> theano.gof.TopoOptimizer(theano.gof.OpSub(T.add, T.mul)).optimize(g); g
    [Elemwise{mul,no_inplace}(x, y)]
    """

    def __init__(self, op1: Any, op2: Any, transfer_tags: bool = True) -> None:
        self.op1, self.op2, self.transfer_tags = op1, op2, transfer_tags

    def op_key(self) -> Any:
        return self.op1

    def tracks(self) -> Iterable[Any]:
        return [self.op1]

    def transform(self, node: Apply) -> Any:
        if not same_op(node.op, self.op1):
            return False
        new = self.op2.make_node(*node.inputs)
        if self.transfer_tags:
            new.tag.__dict__.update(node.tag.__dict__)
            for old, out in zip(node.outputs, new.outputs, strict=True):
                out.tag.__dict__.update(old.tag.__dict__)
        return new.outputs

    def __str__(self) -> str:
        return f"{self.op1} -> {self.op2}"


@documented_in("theano.gof.opt")
class OpRemove(LocalOptimizer):
    """Removes an op: each output is replaced by the input at the same position.

    >>> import theano, theano.tensor as T
    >>> x = T.dscalar("x")
    >>> g = theano.gof.FunctionGraph([x], [T.exp(-x)], clone=False)
    >>> theano.gof.TopoOptimizer(theano.gof.OpRemove(T.neg)).optimize(g); g
    [Elemwise{exp,no_inplace}(x)]
    """

    def __init__(self, op: Any, reason: Any = None) -> None:
        self.op, self.reason = op, reason

    def op_key(self) -> Any:
        return self.op

    def tracks(self) -> Iterable[Any]:
        return [self.op]

    def transform(self, node: Apply) -> Any:
        return list(node.inputs) if same_op(node.op, self.op) else False

    def __str__(self) -> str:
        return f"{self.op}(x) -> x"


@documented_in("theano.gof.opt")
class PatternSub(LocalOptimizer):
    """A rewrite that replaces one pattern by another.

    Parameters
    ----------
    in_pattern, out_pattern
        A tuple ``(op, sub, ...)``; a string, which matches any variable, the same string the same
        variable; a number or a Constant; or ``{"pattern": ..., "constraint": function}``, where
        the function takes the variable and returns whether it matches.
    allow_multiple_clients : bool
        Whether nodes inside the pattern may also be used elsewhere (they then stay).
    skip_identities_fn : function, optional
        Takes a node; returns a variable to match in its place, or None.
    name : str, optional
    tracks : sequence of Op
        Ops to start from, if not the pattern's own op; with ``get_nodes``.
    get_nodes : function, optional
        Takes a node of ``tracks``; returns the nodes that may be roots of the pattern.

    >>> import theano, theano.tensor as T
    >>> x = T.dscalar("x")
    >>> g = theano.gof.FunctionGraph([x], [T.log(T.exp(x))], clone=False)
    >>> rule = theano.gof.PatternSub((T.log, (T.exp, "x")), "x")
    >>> theano.gof.TopoOptimizer(rule).optimize(g); g
    [x]
    """

    def __init__(
        self,
        in_pattern: Any,
        out_pattern: Any,
        allow_multiple_clients: bool = False,
        skip_identities_fn: Callable[[Apply], Any] | None = None,
        name: str | None = None,
        pdb: bool = False,
        tracks: Sequence[Any] = (),
        get_nodes: Callable[[Apply], Iterable[Any]] | None = None,
        values_eq_approx: Any = None,
    ) -> None:
        root = in_pattern["pattern"] if isinstance(in_pattern, dict) else in_pattern
        if not isinstance(root, (list, tuple)):
            raise TypeError(
                f"PatternSub takes (op, ...) as the pattern to look for, got {in_pattern!r}"
            )
        if bool(tracks) != (get_nodes is not None):
            raise ValueError("PatternSub takes tracks and get_nodes together, or neither")
        self.in_pattern, self.out_pattern = in_pattern, out_pattern
        self.op = root[0]
        self.allow_multiple_clients = allow_multiple_clients
        self.skip_identities_fn = skip_identities_fn
        self.values_eq_approx = values_eq_approx
        self.name = name
        self._tracks = list(tracks)
        self.get_nodes = get_nodes

    def op_key(self) -> Any:
        return self.op

    def tracks(self) -> Iterable[Any]:
        return self._tracks or [self.op]

    def transform(self, node: Apply) -> Any:
        if self.get_nodes is None:
            return self._rewritten(node)
        for real in self.get_nodes(node):
            new = real != "output" and self._rewritten(real)
            if new:
                return dict(zip(real.outputs, new, strict=True))
        return False

    def _rewritten(self, node: Apply) -> Any:
        if not same_op(node.op, self.op) or len(node.outputs) != 1:
            return False
        bound: dict[str, Variable] = {}
        if not self._fits(self.in_pattern, node.outputs[0], bound, root=True):
            return False
        new = self._build(self.out_pattern, bound)
        old = node.outputs[0]
        if not isinstance(new, Variable) or old.type != new.type:
            return False
        if self.values_eq_approx is not None:
            new.tag.values_eq_approx = self.values_eq_approx
        return [new]

    def _fits(
        self, pattern: Any, v: Variable, bound: dict[str, Variable], root: bool = False
    ) -> bool:
        """Whether a variable matches a pattern. Recursive over the pattern, which is small."""
        if isinstance(pattern, (list, tuple)):
            node = v.owner
            if node is None or not same_op(node.op, pattern[0]):
                skipped = self._skipped(node)
                return skipped is not None and self._fits(pattern, skipped, bound, root)
            if len(node.inputs) != len(pattern) - 1:
                return False
            # an op in a pattern means its default output
            if not root and v.index != (getattr(node.op, "default_output", None) or 0):
                return False
            if not (root or self.allow_multiple_clients) and len(v._clients or ()) > 1:
                return False
            return all(
                self._fits(part, x, bound) for part, x in zip(pattern[1:], node.inputs, strict=True)
            )
        if isinstance(pattern, dict):
            return self._fits(pattern["pattern"], v, bound, root) and bool(pattern["constraint"](v))
        if isinstance(pattern, str):
            have = bound.setdefault(pattern, v)
            return same_variable(have, v)
        if isinstance(pattern, Constant):
            return same_variable(pattern, v)
        if not isinstance(v, Constant):
            return False
        data = np.asarray(v.data)
        return data.size > 0 and bool(np.all(data == pattern))

    def _skipped(self, node: Apply | None) -> Variable | None:
        if self.skip_identities_fn is None or node is None:
            return None
        return self.skip_identities_fn(node) or None

    def misfit(self, node: Apply) -> str | None:
        """Describe the part of the pattern that a node does not match; None if it matches."""
        pattern, v, root = self.in_pattern, node.outputs[0], True
        bound: dict[str, Variable] = {}
        while True:
            shown = _written(pattern)
            if isinstance(pattern, dict):
                if self._fits(pattern["pattern"], v, dict(bound), root):
                    return f"{shown}: the constraint refuses {v}"
                pattern = pattern["pattern"]
                continue
            if isinstance(pattern, str):
                return f"{pattern} stands for {bound[pattern]} already, got {v}"
            if not isinstance(pattern, (list, tuple)):
                return f"{shown} is needed, got {v}"
            at = v.owner
            if at is None or not same_op(at.op, pattern[0]):
                skipped = self._skipped(at)
                if skipped is None:
                    return f"{shown} is needed, got {v if at is None else at}"
                v = skipped
                continue
            if len(at.inputs) != len(pattern) - 1:
                return f"{shown} is needed, got {at}: another number of inputs"
            if not (root or self.allow_multiple_clients) and len(v._clients or ()) > 1:
                return f"{at} is used elsewhere too: allow_multiple_clients=True would take it"
            for part, x in zip(pattern[1:], at.inputs, strict=True):
                trial = dict(bound)
                if not self._fits(part, x, trial):
                    pattern, v, root = part, x, False
                    break
                bound = trial
            else:
                return None

    def _build(self, pattern: Any, bound: dict[str, Variable]) -> Any:
        if isinstance(pattern, (list, tuple)):
            return pattern[0](*[self._build(part, bound) for part in pattern[1:]])
        if isinstance(pattern, dict):
            return self._build(pattern["pattern"], bound)
        return bound[pattern] if isinstance(pattern, str) else pattern

    def __str__(self) -> str:
        return self.name or f"{_written(self.in_pattern)} -> {_written(self.out_pattern)}"


def _written(pattern: Any) -> str:
    if isinstance(pattern, (list, tuple)):
        return f"{pattern[0]}({', '.join(map(_written, pattern[1:]))})"
    if isinstance(pattern, dict):
        return f"{_written(pattern['pattern'])} subject to {pattern['constraint']}"
    return str(pattern)


def _depth(pattern: Any) -> int:
    if isinstance(pattern, dict):
        return _depth(pattern["pattern"])
    if isinstance(pattern, (list, tuple)):
        return 1 + max(map(_depth, pattern[1:]), default=0)
    return 0


class LocalRule(BaseRule):
    """Adapts a local optimizer to the driver."""

    def __init__(self, opt: LocalOptimizer, name: str, group: str, tags: Iterable[str]) -> None:
        tracks = list(opt.tracks() or ())
        depth = _depth(opt.in_pattern) if isinstance(opt, PatternSub) else 1
        super().__init__(name, group, tags, tracks, max(2, depth), None, None, opt_in=True)
        self.opt = opt

    def transform(self, fgraph: Any, node: Apply) -> Replacement:
        return self.opt.transform(node) or None

    def why_not(self, node: Apply) -> str:
        if refused := untracked(self, node):
            return refused
        result, at = watched(self.opt.transform, node)
        if result:
            return f"{self.name} applies to {node}"
        if isinstance(self.opt, PatternSub) and self.opt.get_nodes is None:
            part = self.opt.misfit(node)
            return f"{self.name}: {part or 'the replacement is of another type'}"
        return f"{self.name} does not apply to {node}{at and f'; {at}'}"

    def __repr__(self) -> str:
        return f"<{type(self.opt).__name__} {self.opt}>"


def as_rule(
    opt: Any, name: str | None = None, group: str = "", tags: Iterable[str] = ()
) -> BaseRule:
    """Convert a rule, a local optimizer, or an object with its methods, to a rule."""
    if isinstance(opt, BaseRule):
        return opt
    if isinstance(opt, LocalOptimizer):
        return LocalRule(opt, name or str(opt), group or "unnamed", tags)
    if callable(getattr(opt, "transform", None)) and not isinstance(opt, type):
        return LocalRule(_Like(opt), name or str(opt), group or "unnamed", tags)
    raise TypeError(
        f"a pass takes rules and local optimizers, got {opt!r}; make one of a function with "
        "rewrite_rule or local_optimizer"
    )


class _Like(LocalOptimizer):
    """Wraps an object that has the methods of a local optimizer without being one."""

    def __init__(self, opt: Any) -> None:
        self.transform = opt.transform  # type: ignore[method-assign]
        self._tracks = getattr(opt, "tracks", None)
        self.name = str(opt)

    def tracks(self) -> Iterable[Any] | None:
        return self._tracks() if callable(self._tracks) else None


@documented_in("theano.gof.opt")
def pre_greedy_local_optimizer(list_optimizations: Sequence[Any], out: Variable) -> Variable:
    """Rewrite an expression by local optimizers before it is part of a FunctionGraph.

    >>> import theano, theano.tensor as T
    >>> x = T.dscalar("x")
    >>> theano.gof.opt.pre_greedy_local_optimizer([theano.gof.OpRemove(T.neg)], -(-x)) is x
    True
    """
    rules = [as_rule(opt) for opt in list_optimizations]
    known: dict[Variable, Variable] = {}
    for node in nodes_of([out]):
        ins = [known.get(v, v) for v in node.inputs]
        clone = node if ins == node.inputs else node.clone_with_new_inputs(ins)
        outs: list[Any] = list(clone.outputs)
        for rule in rules:
            new = rule.transform(None, clone)
            if isinstance(new, (list, tuple)):
                outs = [n if n is not None else o for n, o in zip(new, outs, strict=True)]
                break
        known.update(zip(node.outputs, outs, strict=True))
    return known.get(out, out)
