"""Odeint: the solution of a differential equation at given times, and its derivatives (ADR 33).

The gradient is an op of its own, OdeAdjoint. Its derivatives need no third op: it is linear in
the output gradient g, so with the directional derivative J v of the solution,
``<OdeAdjoint(x, g), v> = <J(x) v, g>`` gives its gradient, and the same product its own
directional derivative, because second derivatives are symmetric.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from theano._src.control.batching import batched
from theano._src.control.inner_graph import one_or_all
from theano._src.control.jacobian import jacobian
from theano._src.control.solvers import ode_host, ode_loops
from theano._src.control.solvers.closed import closed
from theano._src.control.solvers.structure import SolverOp
from theano._src.grad.driver import grad
from theano._src.grad.products import Rop
from theano._src.graph import source_line, testvalue
from theano._src.graph.clone import rebuild
from theano._src.graph.graph import Apply, Variable
from theano._src.ground.array_types import Array, ArrayNamespace
from theano._src.ground.errors import ConvergenceError
from theano._src.ground.xp import numpy_xp
from theano._src.ops.index.index import inc_subtensor
from theano._src.ops.linalg.dot import dot
from theano._src.ops.meta.misc import view_op
from theano._src.ops.shape.join import concatenate
from theano._src.types.null import DisconnectedType, disconnected
from theano._src.types.tensor import TensorType, tensor_type

#: the methods, and whether they solve equations with the Jacobian in each step
IMPLICIT = {"RK45": False, "DOP853": False, "LSODA": True, "BDF": True, "Radau": True}
_COMPILED = ("RK45", "Radau")


def _given(x: Any) -> bool:
    return x is not None and not isinstance(x.type, DisconnectedType)


def _slopes(v: Variable) -> bool:
    return isinstance(v.type, TensorType) and v.type.numpy_dtype.kind == "f"


def with_test_values(make: Callable[..., list[Any]], *groups: Sequence[Any]) -> list[Any]:
    """Call ``make`` without test values, then compute those of its results."""
    with source_line.paused(), testvalue.under("off"):
        results = make(*groups)
    real = [v for v in results if _given(v)]
    testvalue.give(real, {v for group in groups for v in group if v is not None})
    return results


class OdeOp(SolverOp):
    """The common part of Odeint and of its gradient: an equation dy/dt = f(y, t, parameters).

    ``outputs`` is [f], a vector; ``inputs`` are the state y, the time t and the parameters.
    """

    n_moving = 2

    @property
    def state(self) -> Any:
        return self.inputs[0]

    def has_loop(self) -> bool:
        return self.method in _COMPILED

    @property
    def is_implicit(self) -> bool:
        return IMPLICIT[self.method]

    @cached_property
    def sloped(self) -> list[int]:
        """The positions of the parameters that have a gradient."""
        own = self.connected(self.outputs)[2:]
        pairs = zip(self.parameters, own, strict=True)
        return [i for i, (v, c) in enumerate(pairs) if c and _slopes(v)]

    def _slope(self) -> list[list[Variable]]:
        """Return the Jacobian, as the outputs of a graph, for methods that need it."""
        (f,) = self.outputs
        if not self.is_implicit:
            return []
        return [[jacobian(f, self.state, disconnected_inputs="ignore")]]

    def _typed(self, inputs: Sequence[Any], own: Sequence[Any]) -> list[Any]:
        kinds = [*own, *(v.type for v in self.parameters)]
        return [kind.filter_variable(v) for kind, v in zip(kinds, inputs, strict=True)]

    def failed(self, message: str) -> ConvergenceError:
        return ConvergenceError(
            f"{self} did not reach the next time: {message}. Choose a method for stiff equations "
            "(Radau, BDF, LSODA), or larger rtol, atol or max_steps"
        )


class Odeint(OdeOp):
    """The states of a differential equation at times ``ts``; the first row is ``y0``.

    The inputs of a node are y0, a vector, ts, a monotonic vector, and the parameters.
    """

    def functions(self) -> list[list[Variable]]:
        return [list(self.outputs), *self._slope()]

    def __str__(self) -> str:
        return f"odeint{{{self.method}}}"

    def make_node(self, *inputs: Any) -> Apply:
        dtype = self.state.type.dtype
        given = self._typed(inputs, [self.state.type, tensor_type(dtype, (False,))])
        return Apply(self, given, [tensor_type(dtype, (False, False))()])

    def infer_shape(self, node: Apply, shapes: Sequence[Any]) -> list[Any]:
        return [(shapes[1][0], shapes[0][0])]

    # running

    def on_host(self, y0: Any, ts: Any, *parameters: Any) -> Any:
        calls = self.host_calls(parameters)
        with np.errstate(all="ignore"):
            equation = ode_host.Equation(self.method, calls, self.options, self.failed)
            return equation.states(y0, ts).astype(self.state.type.numpy_dtype)

    def lower_checked(
        self, xp: ArrayNamespace, sizes: Sequence[int], *inputs: Array
    ) -> tuple[list[Any], list[Any]]:
        y0, ts, *parameters = inputs
        calls, flags = self.xla_calls(xp, sizes, parameters)
        equation = ode_loops.Equation(xp, self.method, calls, self.options)
        rows, fine = equation.states(y0, ts)
        return [rows], [fine, *flags(rows[-1], ts[-1])]

    # derivatives

    def connection_pattern(self, node: Apply) -> list[list[bool]]:
        own = self.connected(self.outputs)[2:]
        return [[True], [True], *([c] for c in own)]

    def speeds(self, rows: Any, ts: Any, parameters: Sequence[Any]) -> Any:
        """Return f at each row."""
        (f,) = self.outputs
        y, t = self.moving
        plain = dict(zip(self.parameters, parameters, strict=True))
        (result,) = batched([f], {y: rows, t: ts}, plain)
        return result

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        return with_test_values(self._pulled_back, inputs, outputs, output_grads)

    def _pulled_back(self, inputs: list[Any], outputs: list[Any], grads: list[Any]) -> list[Any]:
        y0, ts, *parameters = inputs
        (ys,), (g,) = outputs, grads
        adjoint = OdeAdjoint.of(self)
        first, *own = adjoint(y0, ts, ys, g, *parameters, return_list=True)
        rates = self.speeds(ys, ts, parameters)
        g_ts = (g * rates).sum(axis=1)
        g_ts = inc_subtensor(g_ts[0], -dot(first, rates[0]))
        back = dict(zip(self.sloped, own, strict=True))
        gs = [back[i] if i in back else disconnected() for i in range(len(parameters))]
        pattern = self.connected(self.outputs)[2:]
        # the gradient through integers is zero
        gs = [
            x.zeros_like(dtype=ys.type.dtype) if c and not _given(v) else v
            for v, c, x in zip(gs, pattern, parameters, strict=True)
        ]
        return [first, g_ts, *gs]

    def R_op(self, inputs: list[Any], eval_points: list[Any]) -> list[Any]:
        return with_test_values(lambda *groups: [self._pushed(*groups)], inputs, eval_points)

    def _pushed(self, inputs: list[Any], points: list[Any]) -> Any:
        """Return the directional derivative: the solution of the equation for (y, dy)."""
        y0, ts, *parameters = inputs
        dy0, dts, *moved = points
        if not any(map(_given, points)):
            return None
        rates = self.speeds(self(*inputs), ts, parameters) if _given(dts) else None
        start = dy0 if _given(dy0) else y0.zeros_like()
        if rates is not None:
            start = start - rates[0] * dts[0]
        (f,), (y, t) = self.outputs, self.moving
        pairs = [
            (i, v, dx)
            for i, (v, dx) in enumerate(zip(self.parameters, moved, strict=True))
            if _given(dx) and i in self.sloped
        ]
        both = self.state.type()
        n = both.shape[0] // 2
        dy = self.state.type()
        fresh = [dx.type() for _, _, dx in pairs]
        (df,) = Rop(
            [view_op(f)],
            [y, *(v for _, v, _ in pairs)],
            [dy, *fresh],
            disconnected_outputs="ignore",
        )
        whole = rebuild([concatenate([f, df])], {y: both[:n], dy: both[n:]})
        op = Odeint([both, t, *self.parameters, *fresh], whole, self.method, self.options)
        rows = op(concatenate([y0, start]), ts, *parameters, *(dx for _, _, dx in pairs))
        result = rows[:, y0.shape[0] :]
        return result if rates is None else result + rates * dts.dimshuffle(0, "x")


class OdeAdjoint(OdeOp):
    """The gradient of Odeint: of y0, and of each parameter that has one.

    The inputs of a node are y0, ts, the states ys at these times, the gradient g of the states,
    and the parameters. The states are values that Odeint has computed, to start from.
    """

    n_moving = 3

    @classmethod
    def of(cls, op: Odeint) -> OdeAdjoint:
        y, t, *parameters = op.inputs
        return cls([y, t, y.type(), *parameters], op.outputs, op.method, op.options)

    @cached_property
    def forward(self) -> Odeint:
        y, t, _, *parameters = self.inputs
        return Odeint([y, t, *parameters], self.outputs, self.method, self.options)

    @cached_property
    def sloped(self) -> list[int]:
        return self.forward.sloped

    def functions(self) -> list[list[Variable]]:
        (f,), (y, _, v) = self.outputs, self.moving
        wrt = [self.parameters[i] for i in self.sloped]
        known = {view_op(f): v}
        back = grad(None, [y, *wrt], known_grads=known, disconnected_inputs="ignore")
        return [list(self.outputs), [back[0]], list(back[1:]), *self._slope()]

    def __str__(self) -> str:
        return f"odeint_grad{{{self.method}}}"

    def by_inner(self, given: Sequence[Any]) -> list[Any]:
        y0, ts, _, _, *parameters = given
        return [y0, ts, y0, *parameters]

    def make_node(self, *inputs: Any) -> Apply:
        dtype = self.state.type.dtype
        rows = tensor_type(dtype, (False, False))
        kinds = [self.state.type, tensor_type(dtype, (False,)), rows, rows]
        wrt = [self.parameters[i] for i in self.sloped]
        return Apply(
            self, self._typed(inputs, kinds), [self.state.type(), *(v.type() for v in wrt)]
        )

    def infer_shape(self, node: Apply, shapes: Sequence[Any]) -> list[Any]:
        return [shapes[0], *(shapes[4 + i] for i in self.sloped)]

    # running

    def _results(self, xp: ArrayNamespace, first: Any, own: Sequence[Any]) -> list[Any]:
        kinds = [self.state, *(self.parameters[i] for i in self.sloped)]
        return [
            xp.astype(xp.asarray(x), v.type.numpy_dtype)
            for x, v in zip([first, *own], kinds, strict=True)
        ]

    def on_host(self, y0: Any, ts: Any, ys: Any, g: Any, *parameters: Any) -> Any:
        f, pull, pull_own, *slope = self.host_calls(parameters)
        # f and its Jacobian do not read the third moving variable
        calls = [lambda y, t, call=c: call(y, t, y) for c in (f, *slope)]
        with np.errstate(all="ignore"):
            equation = ode_host.Equation(self.method, calls, self.options, self.failed)
            shapes = [np.shape(parameters[i]) for i in self.sloped]
            first, own = equation.pulled_back(ts, ys, g, pull, pull_own, shapes)
        return one_or_all(self._results(numpy_xp, first, own))

    def lower_checked(
        self, xp: ArrayNamespace, sizes: Sequence[int], *inputs: Array
    ) -> tuple[list[Any], list[Any]]:
        _, ts, ys, g, *parameters = inputs
        (f, pull, pull_own, *slope), _ = self.xla_calls(xp, sizes, parameters)
        calls = [lambda y, t, call=c: call(y, t, y) for c in (f, *slope)]
        equation = ode_loops.Equation(xp, self.method, calls, self.options)
        zeros = [xp.zeros(parameters[i].shape, ys.dtype) for i in self.sloped]
        first, own, fine = equation.pulled_back(ts, ys, g, pull, pull_own, zeros)
        return self._results(xp, first, own), [fine]

    # derivatives

    def connection_pattern(self, node: Apply) -> list[list[bool]]:
        n = len(node.outputs)
        own = self.forward.connected(self.outputs)[2:]
        return [[c] * n for c in (True, True, False, True, *own)]

    def _product(self, fresh: Sequence[Any], points: Sequence[Any]) -> Any:
        """Return <J v, g> on fresh variables, for tangents of y0, ts and the parameters."""
        y0, ts, g, *parameters = fresh
        pushed = self.forward._pushed([y0, ts, *parameters], list(points))
        return None if pushed is None else (pushed * g).sum()

    def _fresh(self, inputs: Sequence[Any]) -> tuple[list[Any], list[Any]]:
        """Return fresh variables for all inputs but the states, and those inputs."""
        y0, ts, _, g, *parameters = inputs
        given = [y0, ts, g, *parameters]
        return [v.type() for v in given], given

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        return with_test_values(self._pulled_back, inputs, output_grads)

    def _pulled_back(self, inputs: list[Any], grads: list[Any]) -> list[Any]:
        fresh, given = self._fresh(inputs)
        tangents = [v.type() if _given(v) else None for v in grads]
        points: list[Any] = [tangents[0], None, *[None] * len(self.parameters)]
        for i, v in zip(self.sloped, tangents[1:], strict=True):
            points[2 + i] = v
        back = grad(
            self._product(fresh, points),
            fresh,
            disconnected_inputs="ignore",
            return_disconnected="disconnected",
        )
        new = dict(zip(fresh, given, strict=True))
        new.update((v, x) for v, x in zip(tangents, grads, strict=True) if v is not None)
        first, g_ts, g_g, *own = rebuild(back, new)
        return [first, g_ts, disconnected(), g_g, *own]

    def R_op(self, inputs: list[Any], eval_points: list[Any]) -> list[Any]:
        return with_test_values(self._pushed, inputs, eval_points)

    def _pushed(self, inputs: list[Any], points: list[Any]) -> list[Any]:
        y0, ts, ys, _, *parameters = inputs
        dy0, dts, _, dg, *moved = points
        results: list[Any] = [None] * (1 + len(self.sloped))
        if _given(dg):
            results = self(y0, ts, ys, dg, *parameters, return_list=True)
        fresh, given = self._fresh(inputs)
        moving = [dy0, dts, *moved]
        tangents = [v.type() if _given(v) else None for v in moving]
        product = self._product(fresh, tangents)
        if product is None:
            return results
        wrt = [fresh[0], *(fresh[3 + i] for i in self.sloped)]
        back = grad(product, wrt, disconnected_inputs="ignore")
        new = dict(zip(fresh, given, strict=True))
        new.update((v, x) for v, x in zip(tangents, moving, strict=True) if v is not None)
        more = rebuild(back, new)
        return [b if a is None else a + b for a, b in zip(results, more, strict=True)]


def equation_op(
    f: Any, y: Any, t: Any, method: str, options: dict[str, Any]
) -> tuple[Odeint, list[Any]]:
    """Return the op of an equation dy/dt = f, and the outer variables of its parameters."""
    inputs, outputs, parameters = closed([f], [y, t])
    return Odeint(inputs, outputs, method, options), parameters
