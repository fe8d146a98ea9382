"""Prove a rule on a graph, for all lengths up to a bound and all real numbers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from theano._src.graph.fg import FunctionGraph
from theano._src.graph.graph import Variable
from theano._src.graph.walk import nodes_of
from theano._src.ops.elementwise.compare import Switch
from theano._src.rewrite.driver import Rewriter
from theano._src.rules.pipeline import restore_type
from theano._src.rules.shape import attach_shapes
from theano._src.testing.proofs.equations import differ
from theano._src.testing.proofs.table import evaluate_symbols, symbolic
from theano._src.testing.proofs.world import NoNumber, NoReading, Undecided, World
from theano._src.types.tensor import TensorType

#: the assignments of lengths and integers that are tried are all, or so many of them
MOST = 200
#: arrays with more elements are not tried
_MOST_ELEMENTS = 81


@dataclass(frozen=True)
class Bounded:
    """The result for a rule on one graph.

    Attributes
    ----------
    outcome : str
        ``"proved"``, ``"refuted"``, ``"undecided"`` or ``"no reading"``.
    cases : int
        For how many assignments of lengths, integers and truth values both sides are equal for all
        real numbers.
    errors : int
        For how many others the graph raises, and the rewritten graph too; a rule with a hazard may
        drop the error.
    skipped : int
        For how many others nothing is known: a known number is infinite, such as 1 / 0, or there
        are too many orders of the numbers whose maximum is taken.
    empty : str
        Where the sides differ for arrays without elements, if they do.
    where : str
        Where they differ, or why there is no proof.
    """

    outcome: str
    cases: int = 0
    errors: int = 0
    skipped: int = 0
    empty: str = ""
    where: str = ""

    def __bool__(self) -> bool:
        return self.outcome == "proved"

    def __str__(self) -> str:
        if self.outcome != "proved":
            return f"{self.outcome}: {self.where}"
        text = f"proved for {self.cases} assignments"
        if self.errors:
            text += f"; the graph raises for {self.errors}"
        if self.skipped:
            text += f"; nothing is known of {self.skipped}"
        return f"{text}; without elements {self.empty}" if self.empty else text


def prove_on(
    rule: Any,
    inputs: Sequence[Variable],
    outputs: Sequence[Variable],
    *,
    longest: int = 3,
    most: int = MOST,
    seconds: float = 5.0,
) -> Bounded:
    """Prove that a rule keeps the values of a graph, whatever its numbers are.

    Parameters
    ----------
    rule : rule
    inputs, outputs : lists of Variables
    longest : int
        The greatest length of a dimension.
    most : int
        The greatest number of assignments; if there are more, these are drawn.
    seconds : float
        About how long z3 may take for a question; its steps are counted.
    """
    graph = FunctionGraph(list(inputs), list(outputs))
    attach_shapes(graph, None)
    if not Rewriter([rule], restore=restore_type).rewrite(graph):
        return Bounded("no reading", where="the rule does not fire")
    pairs = dict(zip(inputs, graph.inputs, strict=True))
    graphs = (list(outputs), list(graph.outputs))
    proofs = []
    for old, new in zip(outputs, graph.outputs, strict=True):
        if old is new:
            continue
        sides = Sides(list(inputs), pairs, graphs, old, new, bool(rule.hazard), seconds)
        proofs.append(sides.prove(list(assignments(inputs, longest, most))))
        if not proofs[-1]:
            break
    return together(proofs)


def together(proofs: Sequence[Bounded]) -> Bounded:
    """Return the result for all of several claims."""
    for proof in proofs:
        if not proof:
            return proof
    cases, errors, skipped = (
        sum(getattr(p, name) for p in proofs) for name in ("cases", "errors", "skipped")
    )
    empty = next((p.empty for p in proofs if p.empty), "")
    return Bounded("proved", cases, errors, skipped, empty)


@dataclass
class Sides:
    """An output of a graph, and the same output after rewriting.

    Attributes
    ----------
    inputs : list of Variables
    pairs : dict
        The input of the rewritten graph for each input.
    graphs : pair of lists of Variables
        All outputs of both graphs.
    old, new : Variable
    may_pass : bool
        Whether the rewritten graph may give a value where the graph raises.
    seconds : float
    """

    inputs: list[Variable]
    pairs: dict[Any, Any]
    graphs: tuple[list[Variable], list[Variable]]
    old: Variable
    new: Variable
    may_pass: bool
    seconds: float

    def prove(self, values: list[dict[Any, Any]]) -> Bounded:
        floats = [v for v in self.inputs if v.type.dtype.startswith("float")]
        reasons: dict[str, bool] = {}
        for choice in product(("number", "logarithm"), repeat=min(len(floats), 4)):
            readings = dict(zip(floats, choice, strict=False))
            try:
                result = self._prove_as(readings, values)
            except (NoReading, Undecided) as reason:
                reasons[str(reason)] = isinstance(reason, Undecided)
                continue
            if result.outcome == "refuted" or result.cases:
                return result
            reasons["the graph raises for all lengths"] = False
        outcome = "undecided" if any(reasons.values()) else "no reading"
        return Bounded(outcome, where="; ".join(reasons))

    def _prove_as(self, readings: dict[Any, str], values: list[dict[Any, Any]]) -> Bounded:
        cases, errors, skipped, empty = 0, 0, 0, ""
        for at in values:
            try:
                where = self.differ(readings, at)
            except NoNumber:
                skipped += 1
                continue
            if where == _RAISES:
                errors += 1
            elif where:
                where = f"{where}, for {_shown(at)}"
                if all(x.size for x in at.values()):
                    return Bounded("refuted", cases, errors, skipped, empty, where)
                empty = empty or where
            else:
                cases += 1
        return Bounded("proved", cases, errors, skipped, empty)

    def differ(self, readings: dict[Any, str], values: dict[Any, Any]) -> str | None:
        """Return how the two sides differ, ``_RAISES`` if both raise, None if they agree."""
        world = World("number", free=True)
        how = self._differ(world, readings, values)
        different = len(set(world.positions)) > 1
        if how in (None, _RAISES) and not different:
            return how
        if world.positions:
            # they stand for any position: those of different arrays may be equal by chance, and a
            # difference may be none
            return self._differ_in_an_order(readings, values)
        return how and _certain(world, how)

    def _differ_in_an_order(self, readings: dict[Any, str], values: dict[Any, Any]) -> str | None:
        """Compare the sides for each order of the numbers whose maximum is taken."""
        path: list[int] | None = []
        for _ in range(_MOST_ORDERS):
            assert path is not None
            world = World("number", free=True, orders=True, path=path)
            how = self._differ(world, readings, values)
            if how not in (None, _RAISES):
                return _certain(world, how)
            path = _next_path(world.taken)
            if path is None:
                return how
        raise Undecided(f"there are more than {_MOST_ORDERS} orders")

    def _differ(self, world: World, readings: dict[Any, str], values: dict[Any, Any]) -> str | None:
        givens = {
            v: _symbols(world, name, x, readings.get(v, "number"))
            for (v, x), name in zip(values.items(), _names(values), strict=True)
        }
        renamed = {self.pairs[v]: x for v, x in givens.items()}
        before = _evaluated(world, [self.old], givens)
        in_left, world.domain = world.z3.And(*world.domain), []
        after = _evaluated(world, [self.new], renamed)
        # an error may come from another output of the graph
        if after is None and before is not None:
            before = _evaluated(world, self.graphs[0], givens) and before
        if before is None:
            raises = after is None or _evaluated(world, self.graphs[1], renamed) is None
            return _RAISES if raises or self.may_pass else "the rewritten graph does not raise"
        if after is None:
            return "the rewritten graph raises"
        (before,), (after,) = before, after
        if before.dtype != object and after.dtype != object and _same(before, after):
            return None
        if before.shape != after.shape:
            return f"the result has shape {before.shape}, and {after.shape} after rewriting"
        in_right = world.z3.And(*world.domain)
        if world.assumed and not world.may_be(world.z3.And(in_left, in_right)):
            raise NoNumber("no matrix has the facts of the hints")
        unequal = []
        elements = (symbolic(world, x).flat for x in (before, after))
        for p, q in zip(*elements, strict=True):
            if p is not q and p != q:
                unequal.append(world.z3.simplify(differ(world, p, q)))
        wrong = world.z3.Or(*[c for c in unequal if not world.z3.is_false(c)])
        narrower = world.z3.And(in_left, world.z3.Not(in_right))
        for claim in (world.z3.And(in_left, in_right, wrong), narrower):
            model = world.ask(self.seconds, claim)
            if model is not None:
                if claim is narrower and _chooses([self.new]):
                    # the domain has that of all values, chosen or not
                    raise NoReading("a value that is not chosen may have no number")
                return f"the sides differ at {world.shown(model)}"
        return None


_RAISES = "both sides raise"
#: orders of numbers that are tried for one assignment
_MOST_ORDERS = 100


def _same(before: np.ndarray, after: np.ndarray) -> bool:
    """Return whether known numbers are the same; floats that were computed are rounded."""
    if before.shape != after.shape or before.dtype.kind not in "fc":
        return np.array_equal(before, after)
    room = 64 * float(np.finfo(before.dtype).eps)
    size = float(np.max(np.abs(before), initial=1.0, where=np.isfinite(before)))
    return np.allclose(before, after, rtol=room, atol=room * size, equal_nan=True)


def _chooses(outputs: list[Variable]) -> bool:
    """Return whether some node chooses between values that are all computed."""
    scalars = (getattr(node.op, "scalar_op", None) for node in nodes_of(outputs))
    return any(isinstance(scalar, Switch) for scalar in scalars)


def _certain(world: World, how: str) -> str:
    if world.guessed:
        raise Undecided(f"as numbers, exp and log are unknown functions: {how}")
    if world.rounded:
        raise Undecided(f"known numbers may be rounded: {how}")
    return how


def _next_path(taken: list[tuple[int, int]]) -> list[int] | None:
    """Return the choices that come after some, in the order of counting; None after the last."""
    path = [chosen for chosen, _ in taken]
    for at in reversed(range(len(path))):
        if path[at] + 1 < taken[at][1]:
            return [*path[:at], path[at] + 1]
    return None


def _evaluated(world: World, outputs: list[Variable], givens: dict[Any, Any]) -> Any:
    try:
        return evaluate_symbols(world, outputs, givens)
    except (ValueError, IndexError, AssertionError, TypeError, ZeroDivisionError):
        return None


def _names(inputs: Iterable[Variable]) -> list[str]:
    """Return different names of inputs: numbers of one name would be equal numbers."""
    names = [v.name for v in inputs]
    return [n if n and names.count(n) == 1 else f"{n or 'input'}.{k}" for k, n in enumerate(names)]


def _symbols(world: World, name: str, x: np.ndarray, reading: str) -> Any:
    if x.dtype.kind != "f":
        return x
    out = np.empty(x.shape, object)
    for at in np.ndindex(*x.shape):
        out[at] = world.hole("_".join(map(str, (name, *at))), reading)
    return out


def _shown(values: Any) -> str:
    return ", ".join(
        f"{v} of shape {x.shape}" if x.dtype.kind == "f" else f"{v} = {x.tolist()}"
        for v, x in values.items()
    )


def assignments(inputs: Sequence[Variable], longest: int, most: int) -> Iterator[dict[Any, Any]]:
    """Yield values of inputs: zeros of all shapes, integers from -4 to 4, truth values."""
    types: list[Any] = [v.type for v in inputs]
    if not all(isinstance(t, TensorType) for t in types):
        raise NoReading("inputs that are no tensors")
    free = [(i, d) for i, t in enumerate(types) for d, one in enumerate(t.broadcastable) if not one]
    rng = np.random.default_rng(0)
    every = range(longest + 1)
    if len(every) ** len(free) <= most:
        chosen: Any = product(every, repeat=len(free))
    else:
        # lengths often have to agree: every other choice is of two lengths
        pools = (rng.integers(longest + 1, size=2) if k % 2 else every for k in range(most))
        chosen = (rng.choice(pool, size=len(free)) for pool in pools)
    alike = [[n] * len(free) for n in every]
    for lengths in (*alike, *chosen):
        shapes = [[1] * t.ndim for t in types]
        for (i, d), n in zip(free, lengths, strict=True):
            shapes[i][d] = int(n)
        if max((int(np.prod(s)) for s in shapes), default=0) > _MOST_ELEMENTS:
            continue
        for _ in range(4 if any(t.dtype[0] in "iub" for t in types) else 1):
            yield {
                v: _drawn(rng, t.dtype, s) for v, t, s in zip(inputs, types, shapes, strict=True)
            }


def _drawn(rng: np.random.Generator, dtype: str, shape: list[int]) -> np.ndarray:
    if dtype == "bool":
        return rng.integers(2, size=shape).astype(bool)
    if dtype.startswith("complex"):
        raise NoReading("arrays of complex numbers")
    if dtype.startswith("float"):
        return np.zeros(shape, dtype)
    return np.asarray(rng.integers(0 if dtype[0] == "u" else -4, 5, size=shape)).astype(dtype)
