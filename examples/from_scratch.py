"""A tiny Theano in less than 400 lines: graphs, gradients, rewriting, two engines.

It has the words and the structure of the real one: `Variable`, `Apply`, `Op` with `make_node`,
`compute(xp, ...)` and `L_op`, a `FunctionGraph` with `replace`, rules as functions, `function`.
docs/internals/from-scratch.md walks through it, and says where the real one does more. Run it to
see a graph before and after rewriting, and its gradient on NumPy and on JAX.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

# 1. A graph: variables, and the nodes that make them


class Variable:
    """A symbolic value: an input, or the output of a node."""

    def __init__(self, name: str | None = None, owner: Apply | None = None) -> None:
        self.name, self.owner = name, owner

    def __add__(self, other: Any) -> Variable:
        return add(self, other)

    def __mul__(self, other: Any) -> Variable:
        return mul(self, other)

    def __neg__(self) -> Variable:
        return mul(self, -1.0)

    def __sub__(self, other: Any) -> Variable:
        return add(self, mul(other, -1.0))

    def __truediv__(self, other: Any) -> Variable:
        return mul(self, reciprocal(other))

    __radd__, __rmul__ = __add__, __mul__

    def __repr__(self) -> str:
        return self.name or (f"{self.owner.op}.out" if self.owner else "<variable>")


class Constant(Variable):
    """A value that is known when the graph is built."""

    def __init__(self, data: Any) -> None:
        super().__init__()
        self.data = np.asarray(data, "float64")

    def __repr__(self) -> str:
        return str(self.data)


class Shared(Variable):
    """A variable with a value of its own, which functions see and update."""

    def __init__(self, value: Any, name: str) -> None:
        super().__init__(name)
        self.value = np.asarray(value, "float64")


class Apply:
    """An op applied to inputs; it has one output here, any number in the real one."""

    def __init__(self, op: Op, inputs: Sequence[Variable]) -> None:
        self.op, self.inputs = op, list(inputs)
        self.output = Variable(owner=self)


def as_variable(x: Any) -> Variable:
    return x if isinstance(x, Variable) else Constant(x)


def toposort(outputs: Sequence[Variable]) -> list[Apply]:
    """The nodes that outputs need, each after those it needs itself; a stack, no recursion."""
    order: list[Apply] = []
    seen: set[int] = set()
    stack = [(v.owner, False) for v in reversed(outputs) if v.owner]
    while stack:
        node, inputs_are_done = stack.pop()
        if inputs_are_done:
            order.append(node)
        elif id(node) not in seen:
            seen.add(id(node))
            stack.append((node, True))
            stack += [(v.owner, False) for v in reversed(node.inputs) if v.owner]
    return order


# 2. Ops: what a node means, said once for every engine, and its gradient


class Op:
    """An operation: `compute` in terms of an array library, `L_op` in terms of variables."""

    def __call__(self, *inputs: Any) -> Variable:
        return self.make_node(*inputs).output

    def make_node(self, *inputs: Any) -> Apply:
        return Apply(self, [as_variable(x) for x in inputs])

    def compute(self, xp: Any, *arrays: Any) -> Any:
        raise NotImplementedError

    def L_op(self, inputs: list[Variable], output: Variable, g: Variable) -> list[Variable]:
        """The gradient of a cost by each input, from that by the output."""
        raise NotImplementedError

    def __str__(self) -> str:
        return type(self).__name__.lower()


class Add(Op):
    def compute(self, xp, a, b):
        return a + b

    def L_op(self, inputs, output, g):
        return [sum_like(g, x) for x in inputs]


class Mul(Op):
    def compute(self, xp, a, b):
        return a * b

    def L_op(self, inputs, output, g):
        a, b = inputs
        return [sum_like(g * b, a), sum_like(g * a, b)]


class Exp(Op):
    def compute(self, xp, x):
        return xp.exp(x)

    def L_op(self, inputs, output, g):
        return [g * output]


class Log(Op):
    def compute(self, xp, x):
        return xp.log(x)

    def L_op(self, inputs, output, g):
        return [g / inputs[0]]


class Reciprocal(Op):
    def compute(self, xp, x):
        return 1 / x

    def L_op(self, inputs, output, g):
        return [-g * output * output]


class Softplus(Op):
    """log(1 + exp(x)), which does not overflow."""

    def compute(self, xp, x):
        return xp.logaddexp(0.0, x)

    def L_op(self, inputs, output, g):
        return [g * reciprocal(1.0 + exp(-inputs[0]))]


class Dot(Op):
    def compute(self, xp, a, b):
        return a @ b

    def L_op(self, inputs, output, g):
        a, b = inputs  # a matrix and a vector
        return [outer(g, b), dot(transpose(a), g)]


class Transpose(Op):
    def compute(self, xp, a):
        return a.T

    def L_op(self, inputs, output, g):
        return [transpose(g)]


class Outer(Op):
    def compute(self, xp, a, b):
        return a[:, None] * b

    def L_op(self, inputs, output, g):
        a, b = inputs
        return [dot(g, b), dot(transpose(g), a)]


class Sum(Op):
    def compute(self, xp, x):
        return xp.sum(x)

    def L_op(self, inputs, output, g):
        return [inputs[0] * 0.0 + g]


class SumLike(Op):
    """A gradient, summed over the dimensions in which its input was stretched."""

    def compute(self, xp, g, like):
        g = xp.sum(g, axis=tuple(range(g.ndim - like.ndim))) if g.ndim > like.ndim else g
        ones = tuple(i for i, n in enumerate(like.shape) if n == 1 and g.shape[i] != 1)
        return xp.sum(g, axis=ones, keepdims=True) if ones else g

    def L_op(self, inputs, output, g):
        return [inputs[0] * 0.0 + g, inputs[1] * 0.0]


add, mul, exp, log, reciprocal = Add(), Mul(), Exp(), Log(), Reciprocal()
softplus, dot, transpose, outer = Softplus(), Dot(), Transpose(), Outer()
sum_all, sum_like = Sum(), SumLike()


# 3. Gradients: one walk backwards, which makes more graph


def grad(cost: Variable, wrt: Sequence[Variable]) -> list[Variable]:
    """The gradients of a cost, as expressions: they can be printed, rewritten, differentiated."""
    known: dict[Variable, Variable] = {cost: Constant(1.0)}
    for node in reversed(toposort([cost])):
        g = known.get(node.output)
        if g is None:
            continue
        for x, gx in zip(node.inputs, node.op.L_op(node.inputs, node.output, g), strict=True):
            known[x] = known[x] + gx if x in known else gx
    return [known[v] if v in known else v * 0.0 for v in wrt]


# 4. Rewriting: a graph that can be changed, and rules that change it


class FunctionGraph:
    """A copy of a graph whose variables can be replaced."""

    def __init__(self, outputs: Sequence[Variable]) -> None:
        copies: dict[Variable, Variable] = {}
        for node in toposort(outputs):
            new = Apply(node.op, [copies.get(v, v) for v in node.inputs])
            copies[node.output] = new.output
        self.outputs = [copies.get(v, v) for v in outputs]
        self.log: list[str] = []

    def replace(self, old: Variable, new: Variable, reason: str) -> None:
        for node in toposort(self.outputs):
            node.inputs = [new if v is old else v for v in node.inputs]
        self.outputs = [new if v is old else v for v in self.outputs]
        self.log.append(reason)

    def rewrite(self, rules: Sequence[Callable[[Apply], Variable | None]]) -> None:
        """Apply rules until none applies; the real one asks a node again only if it has changed."""
        changed = True
        while changed:
            changed = self.merge()
            for node in toposort(self.outputs):
                for rule in rules:
                    new = rule(node)
                    if new is not None:
                        self.replace(node.output, new, rule.__name__)
                        changed = True
                        break

    def merge(self) -> bool:
        """Nodes that compute the same become one."""
        seen: dict[Any, Variable] = {}
        before = len(self.log)
        for node in toposort(self.outputs):
            key = (
                node.op,
                *(c.data.tobytes() if isinstance(c, Constant) else c for c in node.inputs),
            )
            if seen.setdefault(key, node.output) is not node.output:
                self.replace(node.output, seen[key], "merge")
        return len(self.log) > before


def fold_constants(node: Apply) -> Variable | None:
    if all(isinstance(v, Constant) for v in node.inputs):
        return Constant(node.op.compute(np, *[v.data for v in node.inputs]))
    return None


def log_of_one_plus_exp(node: Apply) -> Variable | None:
    """log(1 + exp(x)) -> softplus(x)"""
    if node.op is log and (inner := node.inputs[0].owner) and inner.op is add:
        for one, other in (inner.inputs, inner.inputs[::-1]):
            is_one = isinstance(one, Constant) and np.all(one.data == 1) and one.data.ndim == 0
            if is_one and other.owner and other.owner.op is exp:
                return softplus(other.owner.inputs[0])
    return None


def times_one(node: Apply) -> Variable | None:
    """x * 1 -> x"""
    if node.op is mul:
        for one, other in (node.inputs, node.inputs[::-1]):
            if isinstance(one, Constant) and one.data.ndim == 0 and one.data == 1:
                return other
    return None


RULES = (fold_constants, log_of_one_plus_exp, times_one)


# 5. Functions: a rewritten graph, run by an engine


def function(
    inputs: Sequence[Variable],
    outputs: Sequence[Variable],
    updates: Sequence[tuple[Shared, Variable]] = (),
    engine: str = "numpy",
) -> Callable[..., list[Any]]:
    """A function of arrays; shared variables get their new values after each call, all together."""
    fgraph = FunctionGraph([*outputs, *(new for _, new in updates)])
    fgraph.rewrite(RULES)
    order = toposort(fgraph.outputs)
    leaves = {v for node in order for v in node.inputs} | set(fgraph.outputs)
    shared = [v for v in leaves if isinstance(v, Shared)]

    def run(xp: Any, values: Sequence[Any], state: Sequence[Any]) -> list[Any]:
        env: dict[Variable, Any] = dict(zip([*inputs, *shared], [*values, *state], strict=True))
        env |= {v: v.data for v in leaves if isinstance(v, Constant)}
        for node in order:
            env[node.output] = node.op.compute(xp, *[env[v] for v in node.inputs])
        return [env[v] for v in fgraph.outputs]

    if engine == "jax":
        import jax

        compiled = jax.jit(lambda values, state: run(jax.numpy, values, state))
    else:

        def compiled(values: Any, state: Any) -> list[Any]:
            return run(np, values, state)

    def call(*values: Any) -> list[Any]:
        arrays = [np.asarray(v, "float64") for v in values]
        made = compiled(arrays, [v.value for v in shared])
        for (v, _), new in zip(updates, made[len(outputs) :], strict=True):
            v.value = np.asarray(new)
        return [np.asarray(x) for x in made[: len(outputs)]]

    call.fgraph = fgraph  # type: ignore[attr-defined]
    return call


def debugprint(v: Variable, depth: int = 0) -> None:
    print(" |" * depth + (str(v.owner.op) if v.owner else repr(v)))
    for x in v.owner.inputs if v.owner else ():
        debugprint(x, depth + 1)


def main() -> None:
    x, y = Variable("x"), Variable("y")
    w, b = Shared(np.zeros(2), "w"), Shared(0.0, "b")
    z = dot(x, w) + b
    cost = sum_all(log(1.0 + exp(z)) - y * z)  # logistic regression
    gw, gb = grad(cost, [w, b])
    step = function([x, y], [cost], [(w, w - 0.1 * gw), (b, b - 0.1 * gb)])
    print("as written:")
    debugprint(cost)
    print("as it runs:")
    debugprint(step.fgraph.outputs[0])
    print("rewrites:", ", ".join(dict.fromkeys(step.fgraph.log)))
    rng = np.random.default_rng(0)
    data = rng.normal(size=(100, 2))
    labels = data @ [2.0, -1.0] > 0
    costs = [step(data, labels)[0].item() for _ in range(50)]
    print(f"cost {costs[0]:.2f} -> {costs[-1]:.2f}")
    for engine in ("numpy", "jax"):
        try:
            print(engine, function([x, y], [gw], engine=engine)(data, labels)[0].round(6))
        except ImportError as error:
            print(engine, error)


if __name__ == "__main__":
    main()
