"""ifelse: a choice between two branches, of which only one is computed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from theano._src.graph.graph import Apply, Variable
from theano._src.graph.op import Op
from theano._src.ground.array_types import Array, ArrayNamespace
from theano._src.ground.documented import documented_in
from theano._src.ops.shape.alloc import zeros_like
from theano._src.types.convert import as_tensor_variable
from theano._src.types.memory import own_copy
from theano._src.types.null import DisconnectedType, disconnected
from theano._src.types.tensor import TensorType


@documented_in("theano.ifelse")
class IfElse(Op):
    """Returns the first ``n_outs`` inputs after the condition if it is not 0, else the others.

    Before the graph runs, nodes that only one branch needs are moved into that branch (ADR 12), so
    the other branch costs nothing.

    Parameters
    ----------
    n_outs : int
        The number of values in each branch.
    as_view : bool
        Whether outputs may share the memory of inputs.
    gpu : bool
        Accepted for compatibility; the engine decides where values are.
    name : str, optional
    """

    def __init__(
        self, n_outs: int, as_view: bool = False, gpu: bool = False, name: str | None = None
    ) -> None:
        self.n_outs, self.as_view, self.gpu, self.name = n_outs, as_view, gpu, name
        if as_view:
            self.view_map = {i: [1 + i, 1 + n_outs + i] for i in range(n_outs)}

    def __eq__(self, other: object) -> bool:
        return (
            type(self) is type(other) is IfElse
            and self.n_outs == other.n_outs
            and self.as_view == other.as_view
        )

    def __hash__(self) -> int:
        return hash((type(self), self.n_outs, self.as_view))

    def __str__(self) -> str:
        words = [self.name] if self.name else []
        return f"if{{{','.join([*words, *(['inplace'] if self.as_view else [])])}}}"

    def make_node(self, c: Any, *args: Any) -> Apply:
        if len(args) != 2 * self.n_outs:
            raise ValueError(
                f"{self} takes {2 * self.n_outs} values after the condition, got {len(args)}"
            )
        c = as_tensor_variable(c)
        if c.type.ndim > 0:
            raise TypeError(
                "Condition given to the op has to be a scalar with 0 standing for False, anything "
                f"else for True; got {c} of {c.type}. Choose element by element with "
                "theano.tensor.switch, or make one condition of it with .any() or .all()"
            )
        values = [x if isinstance(x, Variable) else as_tensor_variable(x) for x in args]
        n = self.n_outs
        for then, otherwise in zip(values[:n], values[n:], strict=True):
            if then.type != otherwise.type:
                raise TypeError(
                    "The two branches should have identical types, but they are "
                    f"{then.type} and {otherwise.type} respectively; cast one of them, or see "
                    "whether one is a list and the other is not"
                )
        return Apply(self, [c, *values], [v.type() for v in values[:n]])

    def compute(self, xp: ArrayNamespace, c: Array, *branches: Array) -> Any:
        n = self.n_outs
        results = xp.cond(c, lambda *values: values[:n], lambda *values: values[n:], branches)
        if xp.name == "numpy" and not self.as_view:
            results = [own_copy(v) if hasattr(v, "copy") else v for v in results]
        return results[0] if n == 1 else tuple(results)

    def infer_shape(self, node: Apply, shapes: Sequence[Any]) -> list[Any]:
        c, n = node.inputs[0], self.n_outs
        pairs = list(zip(shapes[1 : 1 + n], shapes[1 + n :], strict=True))
        differing = [(a, b) for s, t in pairs for a, b in zip(s or (), t or (), strict=True)]
        differing = [(a, b) for a, b in differing if a is not b]
        chosen: Any = iter(())
        if differing:
            thens, others = zip(*differing, strict=True)
            chosen = iter(IfElse(len(differing))(c, *thens, *others, return_list=True))
        return [
            None
            if s is None
            else tuple(a if a is b else next(chosen) for a, b in zip(s, t, strict=True))
            for s, t in pairs
        ]

    def connection_pattern(self, node: Apply) -> list[list[bool]]:
        n = self.n_outs
        one = [[i == j for j in range(n)] for i in range(n)]
        return [[True] * n, *one, *one]

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        (c, *branches), gs, n = inputs, output_grads, self.n_outs
        used = [i for i, g in enumerate(gs) if not isinstance(g.type, DisconnectedType)]
        results: list[Any] = [disconnected() for _ in branches]
        if used:
            op = IfElse(len(used), name=self.name and f"{self.name}_grad")
            for side in (0, n):
                zeros = [zeros_like(branches[side + i], dtype=gs[i].dtype) for i in used]
                mine = [gs[i] for i in used]
                result = op(c, *((mine + zeros) if side == 0 else (zeros + mine)), return_list=True)
                for i, g in zip(used, result, strict=True):
                    results[side + i] = g
        # the derivative in the condition is 0, except where it jumps
        return [c.astype("floatX").zeros_like() if _discrete(c) else c.zeros_like(), *results]

    def R_op(self, inputs: list[Any], eval_points: list[Any]) -> list[Any]:
        (c, *branches), (_, *points), n = inputs, eval_points, self.n_outs
        used = [i for i in range(n) if points[i] is not None or points[n + i] is not None]
        results: list[Any] = [None] * n
        if used:
            given = [
                zeros_like(branches[i]) if points[i] is None else points[i]
                for i in (*used, *(n + i for i in used))
            ]
            op = IfElse(len(used), name=self.name)
            for i, result in zip(used, op(c, *given, return_list=True), strict=True):
                results[i] = result
        return results

    def batch_rule(
        self, node: Apply, inputs: Sequence[Any], is_batched: Sequence[bool]
    ) -> Sequence[Variable] | None:
        if is_batched[0] or not all(is_batched[1:]):
            return None
        variables: list[Variable] = IfElse(self.n_outs)(*inputs, return_list=True)
        return variables


def _discrete(c: Any) -> bool:
    return isinstance(c.type, TensorType) and c.type.numpy_dtype.kind in "iub"


@documented_in("theano.ifelse")
def ifelse(condition: Any, then_branch: Any, else_branch: Any, name: str | None = None) -> Any:
    """Return ``then_branch`` if the condition is not 0, else ``else_branch``; compute only one.

    ``switch`` selects elementwise and computes both.

    Parameters
    ----------
    condition : scalar
        0 means False, anything else True.
    then_branch, else_branch : Variable, or list or tuple of Variables
        Both have the same number of values, with pairwise equal types; shapes may differ.
    name : str, optional
        Shown when the graph is printed.

    Returns
    -------
    A Variable, or a list or tuple of them, as ``then_branch`` is.

    >>> import theano, theano.tensor as T
    >>> from theano.ifelse import ifelse
    >>> x = T.dvector("x")
    >>> f = theano.function([x], ifelse(T.gt(x.sum(), 0), T.log(x), x))
    >>> f([1, 1]).tolist(), f([-1, -2]).tolist()
    ([0.0, 0.0], [-1.0, -2.0])
    """
    several = isinstance(then_branch, (list, tuple))
    thens = list(then_branch) if several else [then_branch]
    others = list(else_branch) if isinstance(else_branch, (list, tuple)) else [else_branch]
    if len(thens) != len(others):
        raise ValueError(
            "The number of values on the `then` branch should have the same number of variables "
            f"as the `else` branch : (variables on `then` {len(thens)}, variables on `else` "
            f"{len(others)})"
        )
    results: list[Any] = []
    if thens:
        op = IfElse(len(thens), name=name)
        results = op(condition, *thens, *others, return_list=True)
    if not several:
        return results[0]
    return tuple(results) if isinstance(then_branch, tuple) else results
