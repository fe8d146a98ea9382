"""Gradient checks of an OpSpec: reverse and forward against finite differences, once and twice."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from theano._src.engines.jax.arrays.jax_xp import jax_xp
from theano._src.engines.jax.jax_op import jvp
from theano._src.grad.driver import grad
from theano._src.grad.products import Rop
from theano._src.graph.graph import Constant, Variable
from theano._src.graph.op import Op, meaning_of
from theano._src.graph.walk import nodes_of
from theano._src.ops.core.elemwise import Elemwise
from theano._src.ops.elementwise.arithmetic import tensor_copy
from theano._src.testing.evaluate import evaluate
from theano._src.testing.opspec import SEED, Built, Case, OpSpec, rng_for
from theano._src.types.dtypes import discrete_dtypes
from theano._src.types.null import DisconnectedType, NullType
from theano._src.types.tensor import TensorType, tensor_type

#: relative to the sum of the absolute values of the terms that are compared
RTOL = 1e-7
# finite differences: the first step, and how often it is halved
_STEP, _HALVED = 2e-2, 10
_MOST_LISTED = 6
_WIDE = ("float64", "complex128")
# how far the values of listed cases are moved, to avoid ties
_SHAKEN = 0.05
# how far inside the domain values are drawn, as a fraction of its width
_INSIDE = 0.06


def why_not(spec: OpSpec) -> str | None:
    """Return why the gradient of a spec is not checked; None if it is."""
    if spec.grad.startswith("none: "):
        return spec.grad.removeprefix("none: ")
    result = _drawn(spec) if spec.elementwise else _listed(spec)
    return None if result else "no case has finite inputs of float64 or complex128"


def gradient(spec: OpSpec) -> None:
    """Check reverse and forward gradients, and second ones, against finite differences."""
    twice = spec.grad == "smooth"
    for case in gradient_cases(spec):
        built = case.build(spec.fn)
        graph = _Graph.of(built, spec.fixed)
        try:
            _fixed_say_so(spec, built)
            _whole_numbers_do_not_change(spec, case, graph, built)
            if not graph.outputs:
                continue
            back, weights = _agree(spec, case, graph, "the gradient")
            if twice:
                # one may be computed from another: known_grads of that would cut the path
                copies = [tensor_copy(v) for v in back]
                again = _Graph(graph.inputs, graph.moving, copies, {**graph.values, **weights})
                _agree(spec, case, again, "the second gradient")
                # one case is enough: a second gradient consists of gradients that are checked
                twice = not any(np.size(graph.values[v]) for v in graph.moving)
        except Exception as e:
            e.add_note(f"in the gradient check of {spec.name} at {case}; THEANO_TEST_SEED={SEED}")
            raise


def gradient_by_jax(spec: OpSpec) -> None:
    """Check the gradient against jax's own differentiation of ``compute``."""
    for case in gradient_cases(spec):
        graph = _Graph.of(case.build(spec.fn), spec.fixed)
        nodes = nodes_of(graph.outputs)
        if not graph.outputs or any(_needs_more(node.op) for node in nodes):
            continue
        rng = rng_for(str(spec.name), str(case.id), "jax")
        tangents = graph.tangents(rng)
        result = jvp(
            lambda *xs, graph=graph: _traced(graph, xs),
            [graph.values[v] for v in graph.moving],
            tangents,
        )
        forward = [np.asarray(x) for x in result]
        weights = [_signed(rng, x) for x in forward]
        back = _run(graph, *_reverse(graph, dict(zip(graph.outputs, weights, strict=True))))
        _same_product(spec, case, "jax's own", forward, 0.0, weights, back, tangents)
        return


def has_jax_form(spec: OpSpec) -> bool:
    """Whether a drawn case of the spec can be traced without knowing any size."""
    if not spec.elementwise or spec.xla is not True or why_not(spec) is not None:
        return False
    graph = _Graph.of(gradient_cases(spec)[0].build(spec.fn), spec.fixed)
    return bool(graph.outputs) and not any(_needs_more(node.op) for node in nodes_of(graph.outputs))


def gradient_cases(spec: OpSpec) -> list[Case]:
    """Return cases of float64 at which a spec can be differentiated."""
    if spec.elementwise:
        return _drawn(spec)
    listed = _listed(spec)
    if len(listed) > _MOST_LISTED:
        listed = [listed[i] for i in np.linspace(0, len(listed) - 1, _MOST_LISTED).astype(int)]
    return [_shaken(spec, case) for case in listed]


# cases


def _drawn(spec: OpSpec) -> list[Case]:
    many = ("row_col", "scalar", "vector_matrix", "matrix", "empty")
    shapes = ("matrix", "scalar", "row", "empty") if spec.nin == 1 else many
    cases = []
    for wide in _WIDE:
        for combination in spec.combinations():
            if wide in combination and _as_wide_as_can_be(spec, combination, wide):
                cases += [spec.draw(combination, shape, _INSIDE) for shape in shapes]
                break
    return cases


def _as_wide_as_can_be(spec: OpSpec, combination: Sequence[str], wide: str) -> bool:
    """Whether each input that can have this dtype has it."""
    for i, dtype in enumerate(combination):
        if dtype != wide and (np.dtype(dtype).kind in "fc" or wide in spec.dtypes_of(i)):
            return False
    return True


def _listed(spec: OpSpec) -> list[Case]:
    return [case for case in spec.all_cases() if case.grad is None and _usable(case)]


def _usable(case: Case) -> bool:
    values = case.values
    floats = [x for x in values if x.dtype.kind in "fc"]
    return (
        bool(floats)
        and all(x.dtype.name in ("float32", *_WIDE) for x in floats)
        and all(np.isfinite(x).all() for x in floats)
    )


def _shaken(spec: OpSpec, case: Case) -> Case:
    """Return the case in float64, moved a little if the function is still finite there."""
    rng = rng_for(str(spec.name), str(case.id), "shaken")

    def shaken(x: np.ndarray) -> np.ndarray:
        a, b = (rng.uniform(-_SHAKEN, _SHAKEN, x.shape) for _ in range(2))
        return np.asarray(_widened(x) * (1 + a) + b)

    new = case.with_floats(shaken)
    graph = _Graph.of(new.build(spec.fn), spec.fixed)
    try:
        fine = all(np.isfinite(x).all() for x in _run(graph, graph.outputs))
    except Exception:
        fine = False
    return new if fine else case.with_floats(_widened)


def _widened(x: np.ndarray) -> np.ndarray:
    return x.astype(np.complex128 if x.dtype.kind == "c" else np.float64)


@dataclass(frozen=True)
class _Graph:
    """Outputs that are to be differentiated with respect to ``moving``."""

    inputs: list[Variable]
    moving: list[Variable]
    outputs: list[Any]
    values: dict[Variable, Any]

    @classmethod
    def of(cls, built: Built, fixed: Collection[int]) -> _Graph:
        moving = [v for i, v in enumerate(built.inputs) if _is_wide(v) and i not in fixed]
        return cls(built.inputs, moving, [v for v in built.outputs if _is_wide(v)], built.givens)

    def tangents(self, rng: np.random.Generator) -> list[np.ndarray]:
        return [_signed(rng, self.values[v]) for v in self.moving]

    @property
    def is_real(self) -> bool:
        nodes = nodes_of(self.outputs)
        each = [*self.moving, *self.outputs, *[v for node in nodes for v in node.inputs]]
        return not any(getattr(v.type, "dtype", "").startswith("complex") for v in each)


def _fixed_say_so(spec: OpSpec, built: Built) -> None:
    """Check that inputs that a spec calls fixed have no gradient."""
    for i in spec.fixed:
        for out in filter(_is_wide, built.outputs):
            (result,) = grad(
                None,
                [built.inputs[i]],
                known_grads={out: out.type("w")},
                disconnected_inputs="ignore",
                return_disconnected="disconnected",
                null_gradients="return",
            )
            if not isinstance(result.type, NullType | DisconnectedType):
                raise AssertionError(
                    f"{spec.name} has a gradient for input {i}, which its spec calls fixed"
                )


def _whole_numbers_do_not_change(spec: OpSpec, case: Case, graph: _Graph, built: Built) -> None:
    """Check that gradients through outputs of integers and bools are zero."""
    given = {
        v: tensor_type("float64", v.type.broadcastable)("w")
        for v in built.outputs
        if isinstance(v.type, TensorType) and v.type.dtype in discrete_dtypes
    }
    if not given:
        return
    shapes = [np.shape(x) for x in _run(graph, list(given))]
    extra = {w: np.ones(n) for w, n in zip(given.values(), shapes, strict=True)}
    result = grad(
        None,
        graph.moving,
        known_grads=given,
        disconnected_inputs="ignore",
        null_gradients="return",
    )
    # a null or disconnected gradient is as good
    pairs = [(v, g) for v, g in zip(graph.moving, result, strict=True) if _is_wide(g)]
    for v, g in zip([v for v, _ in pairs], _run(graph, [g for _, g in pairs], extra), strict=True):
        if np.shape(g) != np.shape(graph.values[v]) or np.any(g):
            raise AssertionError(
                f"the gradient of {spec.name} through whole numbers is {g} for {v}, not zero "
                f"in its shape ({case})"
            )


def _is_wide(v: Variable) -> bool:
    return isinstance(v.type, TensorType) and v.type.dtype in _WIDE


def _signed(rng: np.random.Generator, like: Any) -> np.ndarray:
    """Return random numbers of both signs that are neither small nor equal."""
    shape = np.shape(like)
    result = rng.uniform(0.5, 1.5, shape) * rng.choice([-1.0, 1.0], shape)
    if np.asarray(like).dtype.kind == "c":
        result = result + 1j * rng.uniform(0.5, 1.5, shape) * rng.choice([-1.0, 1.0], shape)
    return np.asarray(result)


# comparisons


def _agree(
    spec: OpSpec, case: Case, graph: _Graph, what: str
) -> tuple[list[Any], dict[Variable, Any]]:
    rng = rng_for(str(spec.name), str(case.id), what)
    tangents = graph.tangents(rng)
    slopes, errors = _differences(graph, tangents)
    weights = []
    here = _run(graph, graph.outputs)
    for i, (slope, error, value) in enumerate(zip(slopes, errors, here, strict=True)):
        w = np.where(np.isfinite(value), _signed(rng, value), 0.0)
        # a step may cross a jump or the end of the domain: such elements are not compared
        known = (error <= 1e-6 * (1 + np.abs(slope))) | (w == 0)
        if known.size and known.mean() < 0.75:
            raise AssertionError(
                f"{what} of output {i} of {spec.name} at {case} cannot be checked: finite "
                f"differences give {slope}, give or take {error}; choose another domain"
            )
        weights.append(np.where(known, w, 0.0))
    result, extra = _reverse(graph, dict(zip(graph.outputs, weights, strict=True)))
    for v, g in zip(graph.moving, result, strict=True):
        if g.type.dtype != v.type.dtype or g.type.ndim != v.type.ndim:
            raise AssertionError(f"{what} of {spec.name} for {v} of {v.type} is of {g.type}")
    back = _run(graph, result, extra)
    for v, g in zip(graph.moving, back, strict=True):
        if np.shape(g) != np.shape(graph.values[v]):
            raise AssertionError(
                f"{what} of {spec.name} for {v} has shape {np.shape(g)}, the variable "
                f"{np.shape(graph.values[v])} ({case})"
            )
    slack = [
        float(np.abs(w * np.where(w == 0, 0, e)).sum())
        for w, e in zip(weights, errors, strict=True)
    ]
    known = [np.where(w == 0, 0, s) for w, s in zip(weights, slopes, strict=True)]
    _same_product(spec, case, what, known, sum(slack), weights, back, tangents)
    if len(graph.outputs) > 1:
        # an op must work without the gradients of unused outputs
        for i, (out, w) in enumerate(zip(graph.outputs, weights, strict=True)):
            back = _run(graph, *_reverse(graph, {out: w}))
            one = f"{what} of output {i}"
            _same_product(spec, case, one, [known[i]], slack[i], [w], back, tangents)
    if graph.is_real:
        # forward mode is checked for real numbers, for which Jacobians of Elemwise are symmetric
        _forward(spec, case, graph, what, tangents, slopes, errors, weights)
    return result, extra


def _reverse(
    graph: _Graph, weights: dict[Any, np.ndarray]
) -> tuple[list[Any], dict[Variable, Any]]:
    """Return expressions for the gradients, and the values of the weights in them."""
    given = {v: v.type.clone(broadcastable=v.type.broadcastable)("w") for v in weights}
    extra = {given[v]: w for v, w in weights.items()}
    result = grad(None, graph.moving, known_grads=given, disconnected_inputs="ignore")
    return result, extra


def _forward(
    spec: OpSpec,
    case: Case,
    graph: _Graph,
    what: str,
    tangents: list[np.ndarray],
    slopes: list[np.ndarray],
    errors: list[np.ndarray],
    weights: list[np.ndarray],
) -> None:
    points = [v.type(f"d{v}") for v in graph.moving]
    out = Rop(graph.outputs, graph.moving, points)
    result = _run(graph, out, dict(zip(points, tangents, strict=True)))
    for i, (got, slope, error, w) in enumerate(zip(result, slopes, errors, weights, strict=True)):
        if np.shape(got) != slope.shape:
            raise AssertionError(
                f"{what} of output {i} of {spec.name}, forward, has shape {np.shape(got)}, the "
                f"output {slope.shape} ({case})"
            )
        with np.errstate(invalid="ignore"):
            wrong = (w != 0) & ~(np.abs(got - slope) <= RTOL * np.abs(slope) + 10 * error + 1e-12)
        if wrong.any():
            at = tuple(int(k) for k in np.argwhere(wrong)[0])
            raise AssertionError(
                f"{what} of output {i} of {spec.name}, forward: {got[at]!r} at {at}, finite "
                f"differences give {slope[at]!r} ({case}, {[x.tolist() for x in case.values]})"
            )


def _same_product(
    spec: OpSpec,
    case: Case,
    what: str,
    forward: Sequence[np.ndarray],
    slack: float,
    weights: Sequence[np.ndarray],
    back: Sequence[Any],
    tangents: Sequence[np.ndarray],
) -> None:
    """Check that w . (J v) = (w J) . v, up to the accuracy of finite differences.

    The product of complex numbers is that of their parts: Re(conj(a) b).
    """
    left = [(np.conj(w) * s).real.ravel() for w, s in zip(weights, forward, strict=True)]
    right = [(np.conj(g) * v).real.ravel() for g, v in zip(back, tangents, strict=True)]
    a, b = (float(sum(x.sum() for x in side)) for side in (left, right))
    size = float(sum(np.abs(x).sum() for x in (*left, *right)))
    if not abs(a - b) <= RTOL * size + 10 * slack + 1e-12:
        raise AssertionError(
            f"{what} of {spec.name} along a random direction is {b!r}, not {a!r} "
            f"({case}, {[x.tolist() for x in case.values]})"
        )


def _differences(
    graph: _Graph, tangents: Sequence[np.ndarray]
) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """Return the slopes of the outputs along a direction, and estimates of their errors.

    Central differences with repeatedly halved steps are extrapolated to step 0 (Ridders, Advances
    in Engineering Software 4, 1982); each element uses the best entry of the table.
    """

    shapes = [np.shape(x) for x in _run(graph, graph.outputs)]

    def at(step: float) -> list[Any]:
        shaken = {
            v: graph.values[v] + step * dx for v, dx in zip(graph.moving, tangents, strict=True)
        }
        result = map(np.asarray, _run(graph, graph.outputs, shaken))
        # lengths may change with the step, as that of arange
        return [
            x if x.shape == n else np.full(n, np.nan) for x, n in zip(result, shapes, strict=True)
        ]

    def slopes(step: float) -> list[Any]:
        return [(a - b) / (2 * step) for a, b in zip(at(step), at(-step), strict=True)]

    with np.errstate(all="ignore"):
        return _extrapolated([slopes(_STEP / 2**k) for k in range(_HALVED)])


def _extrapolated(table: list[list[Any]]) -> tuple[list[np.ndarray], list[np.ndarray]]:
    best, errors = [], []
    for column in zip(*table, strict=True):
        old, last = [column[0]], column[-1]
        value, error = column[0], np.full(np.shape(column[0]), np.inf)
        for plain in column[1:]:
            new = [plain]
            for k, before in enumerate(old[:4]):
                factor = 4.0 ** (k + 1)
                new.append((factor * new[k] - before) / (factor - 1))
                guess = np.maximum(np.abs(new[k + 1] - new[k]), np.abs(new[k + 1] - before))
                # steps over jumps may agree with each other by chance
                fits = np.abs(new[k + 1] - last) <= 1e-3 * np.abs(last) + 1e-6
                better = fits & (guess < error)
                value = np.where(better, new[k + 1], value)
                error = np.where(better, guess, error)
            old = new
        best.append(np.asarray(value))
        errors.append(np.asarray(error))
    return best, errors


def _run(graph: _Graph, outputs: Sequence[Any], more: Mapping[Any, Any] | None = None) -> Any:
    return evaluate(list(outputs), {**graph.values, **(more or {})})


# jax


def _needs_more(op: Any) -> bool:
    """Whether an op cannot be traced by its ``compute`` alone, or is opaque to jax."""
    if isinstance(op, Elemwise) and op.scalar_op.in_c:
        return True
    return meaning_of(op) != "compute" or type(op).demands is not Op.demands


def _traced(graph: _Graph, moving: Sequence[Any]) -> list[Any]:
    values: dict[Variable, Any] = {**graph.values, **dict(zip(graph.moving, moving, strict=True))}

    def value(v: Variable) -> Any:
        return v.data if isinstance(v, Constant) and v not in values else values[v]

    for node in nodes_of(graph.outputs, values):
        lower: Callable[..., Any] = node.op.lower_xla
        result = lower(jax_xp, [], *[value(v) for v in node.inputs])
        values.update(
            zip(node.outputs, [result] if len(node.outputs) == 1 else result, strict=True)
        )
    return [value(v) for v in graph.outputs]
