"""OpFromGraph: a graph used as an op."""

from __future__ import annotations

import copy
import threading
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from theano._src.control.inner_graph import InnerGraph, connections, kept_apart, one_or_all
from theano._src.control.lazy_branches import with_lazy_branches
from theano._src.grad.driver import grad
from theano._src.grad.products import Rop
from theano._src.graph import testvalue
from theano._src.graph.clone import clone, rebuild
from theano._src.graph.graph import Apply, Constant, Variable
from theano._src.graph.op import HasInnerGraph, Op
from theano._src.graph.walk import equal_computations, roots_of
from theano._src.ground.array_types import Array, ArrayNamespace
from theano._src.ground.documented import documented_in, short_traceback
from theano._src.ground.errors import MissingInputError
from theano._src.ops.meta.misc import view_op
from theano._src.ops.shape.alloc import zeros_like
from theano._src.types.null import DisconnectedType, NullType
from theano._src.types.shared import SharedVariable
from theano._src.types.tensor import TensorType

_FORMS = (
    "'default', a function, an OpFromGraph, a Variable of NullType or DisconnectedType, or a list "
    "of these"
)


@documented_in("theano.compile.builders")
class OpFromGraph(HasInnerGraph):
    """An op that computes ``outputs`` from ``inputs`` by the graph between them.

    Shared variables of the inner graph become additional inputs of each node.

    Parameters
    ----------
    inputs, outputs : lists of Variables
    inline : bool
        Whether compiling replaces the op by its graph, so that it is rewritten together with
        the surrounding graph.
    name : str, optional
    lop_overrides, grad_overrides, rop_overrides : optional
        Computes a derivative instead of the inner graph: a function of lists of variables,
        ``lop(inputs, outputs, output_grads)``, ``grad(inputs, output_grads)`` or
        ``rop(inputs, eval_points)``, that returns a list; an OpFromGraph with the same inputs;
        a variable of NullType or DisconnectedType; or a list with one of these, or 'default',
        for each input (for rop, each output).
    connection_pattern : list of lists of bool, optional
        For each input and output, whether the output depends on the input; by default computed
        from the graph.
    **kwargs
        Compile options for the inner graph, accepted for compatibility; here it is compiled with
        the outer graph. ``updates`` and ``givens`` are refused.

    >>> import theano, theano.tensor as T
    >>> x, y = T.dscalars("xy")
    >>> op = theano.OpFromGraph([x, y], [x + 2 * y])
    >>> op(x, op(y, x)).eval({x: 1, y: 2}).item()
    9.0
    """

    @short_traceback
    def __init__(
        self,
        inputs: Sequence[Variable],
        outputs: Sequence[Variable],
        inline: bool = False,
        lop_overrides: Any = "default",
        grad_overrides: Any = "default",
        rop_overrides: Any = "default",
        connection_pattern: list[list[bool]] | None = None,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        if not isinstance(outputs, (list, tuple)):
            raise TypeError(f"OpFromGraph: outputs must be list, got {type(outputs)}")
        for v in (*inputs, *outputs):
            if not isinstance(v, Variable):
                raise TypeError(f"OpFromGraph takes lists of Variables, got {v!r}")
        if "updates" in kwargs or "givens" in kwargs:
            raise TypeError("OpFromGraph: updates and givens are not allowed here")
        if any(isinstance(v, (SharedVariable, Constant)) for v in inputs):
            raise TypeError(
                "OpFromGraph takes no constants and no shared variables as inputs: it finds those "
                "it needs by itself"
            )
        roots = roots_of(outputs, inputs)
        self.shared_inputs = [v for v in roots if isinstance(v, SharedVariable)]
        known = {*inputs, *self.shared_inputs}
        for v in roots:
            if v not in known and not isinstance(v, Constant):
                raise MissingInputError(f"OpFromGraph needs {v} among its inputs")
        free = [v.type() for v in self.shared_inputs]
        outs = rebuild(outputs, dict(zip(self.shared_inputs, free, strict=True)))
        self.local_inputs, self.local_outputs = clone([*inputs, *free], outs)
        self.inputs, self.outputs = list(inputs), list(outputs)
        self.input_types = [v.type for v in inputs]
        self.output_types = [v.type for v in outputs]
        self.is_inline, self.name, self.kwargs = inline, name, kwargs
        self._grad_given = False
        self.lop_overrides: Any = "default"
        self.set_lop_overrides(lop_overrides)
        if not _is_default(grad_overrides):
            if not _is_default(lop_overrides):
                raise ValueError(
                    "lop_overrides and grad_overrides are mutually exclusive; give one"
                )
            self.set_grad_overrides(grad_overrides)
        self.set_rop_overrides(rop_overrides)
        self._pattern = connection_pattern
        self._use(self.local_inputs, self.local_outputs)

    def _use(self, inputs: Sequence[Variable], outputs: Sequence[Variable]) -> None:
        """Set the graph that runs; it must be equivalent to the current one."""
        outputs = kept_apart(inputs, with_lazy_branches(inputs, outputs))
        self.graph = InnerGraph(inputs, outputs)
        self.runs_on = "host" if self.graph.needs_host else "any"  # type: ignore[misc]
        #: nesting depth of inner graphs, including this op
        self.nesting = 1 + max((getattr(n.op, "nesting", 0) for n in self.graph.order), default=0)
        result = self.graph.views()
        self.view_map = {i: at for i, at in enumerate(result) if at}

    def rewritten(self, rewrite: Callable[[Any, Any], Any]) -> OpFromGraph:
        new = copy.copy(self)
        new._use(*rewrite(self.graph.inputs, self.graph.outputs))
        return new

    @property
    def inner_graphs(self) -> tuple[InnerGraph, ...]:
        return (self.graph,)

    def inner_graph(self, node: Apply) -> tuple[list[Variable], dict[Variable, Variable]]:
        return self.graph.outputs, dict(zip(self.graph.inputs, node.inputs, strict=True))

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if type(self) is not type(other):
            return False
        a, b = self._facts(), other._facts()
        return a == b and equal_computations(
            self.graph.outputs,
            other.graph.outputs,
            self.graph.inputs,
            other.graph.inputs,
        )

    def _facts(self) -> tuple[Any, ...]:
        rules = (self.lop_overrides, self.rop_overrides)
        # NOTE: `==` of lists of variables would compare the variables
        which = [
            [r if isinstance(r, str) else id(r) for r in (rule if type(rule) is list else [rule])]
            for rule in rules
        ]
        named = (self.name, self.is_inline, self._grad_given, self._pattern, which)
        return (*named, self.input_types, self.output_types, self.shared_inputs)

    def __hash__(self) -> int:
        kinds = (*self.input_types, *self.output_types)
        return hash((type(self), kinds, *self.shared_inputs, len(self.graph.order)))

    def __str__(self) -> str:
        return f"{self.name or type(self).__name__}{{inline={self.is_inline}}}"

    def make_node(self, *inputs: Any) -> Apply:
        wanted = self.input_types
        if len(inputs) == len(wanted) + len(self.shared_inputs):
            # a node is rebuilt, perhaps with other variables in place of the shared ones
            wanted = [v.type for v in self.local_inputs]
        elif len(inputs) != len(wanted):
            raise ValueError(f"{self} takes {len(wanted)} inputs, got {len(inputs)}")
        else:
            inputs = (*inputs, *self.shared_inputs)
            wanted = [v.type for v in self.local_inputs]
        ins = [t.filter_variable(x) for t, x in zip(wanted, inputs, strict=True)]
        return Apply(self, ins, [t() for t in self.output_types])

    def compute(self, xp: ArrayNamespace, *inputs: Array) -> Any:
        if xp.name == "numpy":
            return one_or_all(self.graph.run(*inputs))
        return self.lower_xla(xp, (), *inputs)

    def bind(self, node: Apply) -> Callable[..., Any]:
        graph, single = self.graph, len(self.output_types) == 1

        def run(*inputs: Any) -> Any:
            result = graph.run(*inputs)
            return result[0] if single else result

        return run

    def lower_checked(
        self, xp: ArrayNamespace, sizes: Sequence[int], *inputs: Array
    ) -> tuple[list[Any], list[Any]]:
        return self.graph.lower(xp, sizes, inputs)

    def demands(self, node: Apply, shapes: Sequence[Any]) -> Sequence[Any]:
        return self.graph.demands(node.inputs, shapes)

    def infer_shape(self, node: Apply, shapes: Sequence[Any]) -> list[Any]:
        return self.graph.lengths(node.inputs, shapes)

    # derivatives

    def set_lop_overrides(self, lop_overrides: Any) -> None:
        """Compute gradients by ``lop_overrides``; 'default' means by the inner graph."""
        self.lop_overrides, self._grad_given = _known_form(lop_overrides), False

    def set_grad_overrides(self, grad_overrides: Any) -> None:
        """Like ``set_lop_overrides``, with functions that do not take the outputs."""
        self.lop_overrides, self._grad_given = _known_form(grad_overrides), True

    def set_rop_overrides(self, rop_overrides: Any) -> None:
        """Compute directional derivatives by ``rop_overrides``."""
        self.rop_overrides = _known_form(rop_overrides)

    def get_lop_op(self) -> OpFromGraph:
        """Return an op from inputs, outputs and output gradients to the input gradients."""
        ins = [t() for t in self.input_types]
        node = self.make_node(*ins)
        outs = [v.type() for v in node.outputs]
        gs = [v.type() for v in node.outputs]
        result = self.L_op(node.inputs, outs, gs)[: len(ins)]
        results = [
            zeros_like(x) if isinstance(g.type, DisconnectedType) else g
            for x, g in zip(ins, result, strict=True)
        ]
        return OpFromGraph([*ins, *outs, *gs], results, inline=self.is_inline)

    def get_rop_op(self) -> OpFromGraph:
        """Return an op from inputs and eval points to the directional derivatives."""
        ins = [t() for t in self.input_types]
        points = [v.type() for v in ins]
        node = self.make_node(*ins)
        op = self.R_op(node.inputs, [*points, *[None] * len(self.shared_inputs)])
        return OpFromGraph([*ins, *points], op, inline=self.is_inline)

    def connection_pattern(self, node: Apply | None) -> list[list[bool]]:
        if self._pattern is None:
            self._pattern = connections(self.local_inputs, self.local_outputs)
        # a user's pattern does not include the shared variables, which follow the inputs;
        # nothing else depends on the node, and programs pass None
        inputs = self.local_inputs if node is None else node.inputs
        more = len(inputs) - len(self._pattern)
        results = [*self._pattern, *([True] * len(self.local_outputs) for _ in range(more))]
        rules = self.lop_overrides
        for i, row in enumerate(results):
            rule = rules[i] if isinstance(rules, list) and i < len(rules) else rules
            if isinstance(rule, Variable) and isinstance(rule.type, DisconnectedType):
                results[i] = [False] * len(row)
        return results

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        if "grad" in vars(self):
            # programs for Theano 0.7 and 0.8, as guided backpropagation, set it on the instance
            return list(self.grad(inputs, output_grads))
        return self._cotangents(inputs, outputs, output_grads)

    def grad(self, inputs: list[Any], output_grads: list[Any]) -> list[Any]:
        return self._cotangents(inputs, self.make_node(*inputs).outputs, output_grads)

    def _cotangents(
        self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]
    ) -> list[Any]:
        groups = [inputs, output_grads] if self._grad_given else [inputs, outputs, output_grads]
        return self._by_rule(
            self.lop_overrides,
            groups,
            len(inputs),
            lambda: _with_test_values(self._pulled_back, inputs, output_grads),
        )

    def R_op(self, inputs: list[Any], eval_points: list[Any]) -> list[Any]:
        points = [
            zeros_like(x) if p is None else p for x, p in zip(inputs, eval_points, strict=True)
        ]
        groups = [inputs, points]
        return self._by_rule(
            self.rop_overrides,
            groups,
            len(self.output_types),
            lambda: _with_test_values(self._pushed, *groups),
        )

    def _by_rule(
        self, rule: Any, groups: Sequence[list[Any]], count: int, own: Callable[[], list[Any]]
    ) -> list[Any]:
        """Return ``count`` derivatives by a user's rule, or by ``own()`` for 'default'."""
        if _is_default(rule):
            return own()
        if isinstance(rule, Variable):
            return [rule.type() for _ in range(count)]
        if isinstance(rule, list):
            default = own() if any(map(_is_default, rule)) else [None] * len(rule)
            result = []
            for one, d in zip(rule, default, strict=False):
                if _is_default(one):
                    result.append(d)
                else:
                    result.append(one.type() if isinstance(one, Variable) else _call(one, groups))
        else:
            results = _call(rule, groups)
            if not isinstance(results, (list, tuple)):
                if not isinstance(rule, Op):
                    raise TypeError(
                        f"an override of a derivative of {self} should return a list, "
                        f"got {results!r}"
                    )
                results = [results]
            result = list(results)
        if len(result) != count:
            raise ValueError(
                f"an override of a derivative of {self} gives a list of {count}, one for each "
                f"input (or output of R_op), shared variables included; got {len(result)}"
            )
        return result

    def _pulled_back(self, inputs: list[Any], output_grads: list[Any]) -> list[Any]:
        """Return the gradient of the inner graph, in terms of the node's inputs.

        It is taken on inner variables: outside, one input may be computed from another.
        """
        used = [g for g in output_grads if not isinstance(g.type, DisconnectedType)]
        inside = _Inside(self, "reverse", tuple(g.type for g in output_grads))
        result, cotangents = inside.results()
        given = dict(zip(self.local_inputs, inputs, strict=True))
        given.update(zip(cotangents, used, strict=True))
        return rebuild(result, given)

    def _reverse(self, kinds: Sequence[Any]) -> tuple[list[Any], list[Any]]:
        """Return the gradient on inner variables, and its variables for output gradients."""
        # a view of each: an output may be listed twice, or be computed from another
        known = {
            view_op(v): kind()
            for v, kind in zip(self.local_outputs, kinds, strict=True)
            if not isinstance(kind, DisconnectedType)
        }
        result = grad(
            None,
            self.local_inputs,
            known_grads=known,
            disconnected_inputs="ignore",
            return_disconnected="disconnected",
            null_gradients="return",
        )
        return result, list(known.values())

    def _pushed(self, inputs: list[Any], eval_points: list[Any]) -> list[Any]:
        """Return directional derivatives of the inner graph, in terms of the node's inputs."""
        inside = _Inside(self, "forward", tuple(p.type for p in eval_points))
        result, points = inside.results()
        pairs = zip(self.local_inputs, eval_points, strict=True)
        given = dict(zip(self.local_inputs, inputs, strict=True))
        given.update(zip(points, [p for v, p in pairs if _has_slope(v)], strict=True))
        out = iter(rebuild([v for v in result if v is not None], given))
        return [None if v is None else next(out) for v in result]

    def _forward(self, kinds: Sequence[Any]) -> tuple[list[Any], list[Any]]:
        """Return directional derivatives on inner variables, and the eval point variables."""
        moving = [(v, k) for v, k in zip(self.local_inputs, kinds, strict=True) if _has_slope(v)]
        points = [kind() for _, kind in moving]
        # a product that is unknown inside is unknown outside
        result = Rop(
            [view_op(v) for v in self.local_outputs],
            [v for v, _ in moving],
            points,
            disconnected_outputs="ignore",
            return_disconnected="none",
        )
        return result, points


#: nested ops up to this depth are differentiated by recursion; deeper ones are computed first
_NESTED = 8


class _Inside(NamedTuple):
    """A derivative of the inner graph of an op, in terms of its inner inputs.

    Ops are differentiated by calls of their methods, so nested ops would recurse deeply. Beyond
    some depth, ``_Needed`` passes a derivative to the outermost call, which computes it first and
    then starts again.
    """

    op: OpFromGraph
    way: str
    kinds: tuple[Any, ...]

    @property
    def key(self) -> tuple[Any, ...]:
        return id(self.op), self.way, self.kinds

    def results(self) -> tuple[list[Any], list[Any]]:
        """Return the derivatives, and the variables for output gradients or eval points."""
        if self.key in _state.results:
            return _state.results[self.key]
        if _state.depth == 0:
            return self._outermost()
        if _state.depth >= _NESTED:
            raise _Needed(self)
        return self._compute()

    def _compute(self) -> tuple[list[Any], list[Any]]:
        _state.depth += 1
        try:
            make = self.op._reverse if self.way == "reverse" else self.op._forward
            return make(self.kinds)
        finally:
            _state.depth -= 1

    def _outermost(self) -> tuple[list[Any], list[Any]]:
        stack = [self]
        try:
            while True:
                try:
                    result = stack[-1]._compute()
                except _Needed as needed:
                    stack.append(needed.what)
                    continue
                done = stack.pop()
                if not stack:
                    return result
                _state.results[done.key] = result
        finally:
            _state.results.clear()


class _Needed(BaseException):
    """Raised if a needed derivative is nested too deep for recursion."""

    def __init__(self, what: _Inside) -> None:
        super().__init__()
        self.what = what


class _State(threading.local):
    """The current nesting depth of derivatives in this thread, and those computed first."""

    def __init__(self) -> None:
        self.depth = 0
        self.results: dict[tuple[Any, ...], tuple[list[Any], list[Any]]] = {}


_state = _State()


def _with_test_values(make: Callable[..., list[Any]], *groups: list[Any]) -> list[Any]:
    """Call ``make`` without test values, which inner variables lack, then compute them."""
    with testvalue.under("off"):
        results = make(*groups)
    testvalue.give(results, {v for group in groups for v in group})
    return results


def _has_slope(v: Variable) -> bool:
    return isinstance(v.type, TensorType) and v.type.numpy_dtype.kind in "fc"


def _is_default(rule: Any) -> bool:
    return isinstance(rule, str) and rule == "default"


def _known_form(rule: Any) -> Any:
    """Return a rule for derivatives, with sequences as lists; raise if it is not a rule."""
    several = isinstance(rule, (list, tuple))
    for one in rule if several else (rule,):
        if isinstance(one, Variable):
            if not isinstance(one.type, DisconnectedType | NullType):
                raise ValueError(
                    "an override of a derivative that is a Variable can only have type of "
                    f"DisconnectedType or NullType, got {one.type}"
                )
        elif not (_is_default(one) or callable(one)):
            raise TypeError(f"an override of a derivative is {_FORMS}, got {one!r}")
    return list(rule) if several else rule


def _call(rule: Any, groups: Sequence[list[Any]]) -> Any:
    return rule(*(v for group in groups for v in group)) if isinstance(rule, Op) else rule(*groups)
