"""Sparsity patterns of drawn programs, compared with dense Jacobians at random points."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import theano
import theano.tensor as T
from tests.properties.drawing import Program
from theano._src.control.sparsity.pattern import PatternGraph
from theano._src.graph.walk import nodes_of
from theano._src.ground.errors import MissingInputError

#: points at which Jacobians are taken
_POINTS = 40
_LARGEST = 3000  # entries of a Jacobian that is compared


@dataclass
class Count:
    """Entries of patterns, those that no Jacobian has, and the ops that bring these."""

    pairs: int = 0
    stored: int = 0
    superfluous: int = 0
    shares: list[float] = field(default_factory=list)
    causes: Counter[str] = field(default_factory=Counter)

    def add(self, y: Any, x: Any, pattern: Any, jacobians: Any) -> None:
        extra = int((pattern & ~jacobians).sum())
        self.pairs += 1
        self.stored += int(pattern.sum())
        self.superfluous += extra
        self.shares.append(extra / max(1, int(pattern.sum())))
        if extra:
            self.causes[cause(y, x)] += extra


#: ops of which each output depends on few inputs, but values decide on which
_BY_VALUES = ("SortOp", "Choose", "Max", "Min", "MaxAndArgmax", "TopKOp", "Pool")
_CUT_OFF = ("maximum", "minimum", "clip", "switch", "abs", "mod", "relu", "sgn", "round", "mul")


def cause(y: Any, x: Any) -> str:
    """The first op between two variables to which superfluous entries can be due."""
    walk = PatternGraph(y, x)._walk
    depends = {walk.inputs[0]}
    for node in walk.order:
        depends.update(node.outputs if any(v in depends for v in node.inputs) else ())
    order = [node for node in walk.order if node.outputs[0] in depends]
    names = [type(node.op).__name__ for node in order]
    for node, name in zip(order, names, strict=True):
        if walk.rows[node] is None and any(v.type.dtype.startswith("float") for v in node.outputs):
            return f"{name} (no rule)"
    if any(name in ("Nonzero", "ArgSortOp", "Argmax") for name in names):
        return "an index that is computed from x"
    for name in (*_BY_VALUES, "Prod", "ProdWithoutZeros", "CumOp"):
        if name in names:
            return name
    scalars = {str(node.op.scalar_op) for node in order if hasattr(node.op, "scalar_op")}
    cut = [name for name in _CUT_OFF if any(name in s.lower() for s in scalars)]
    return cut[0] if cut else "sums of terms that cancel, under- and overflow"


def pairs(program: Program, env: dict[str, Any]) -> Iterator[tuple[Any, Any, Any]]:
    """Each float output with each float input that it depends on, and the input's value."""
    for name in program.outputs:
        y = env[name]
        if getattr(y, "dtype", "").startswith("float"):
            between = {v for node in nodes_of([y]) for v in node.inputs}
            for leaf in program.inputs:
                x = env[leaf.name]
                entries = leaf.value.size * max(1, program.values[name].x.size)
                if leaf.value.dtype.kind == "f" and x in between and 0 < entries <= _LARGEST:
                    yield y, x, leaf.value


def jacobians(y: Any, x: Any, value: Any, givens: dict[Any, Any]) -> Any:
    """Where the dense Jacobian is not 0 at one of several points; None without a gradient."""
    try:
        dense = theano.gradient.jacobian(T.flatten(y), x)
    except (theano.gradient.NullTypeGradError, theano.gradient.DisconnectedInputError):
        return None
    others = list(givens)
    # values of other inputs do not matter either, unless indices are computed from them
    free = not PatternGraph(y, x)._read
    f = theano.function([x, *others], dense, mode="FAST_COMPILE", on_unused_input="ignore")
    rng, found = np.random.default_rng(3), None
    for k in range(_POINTS):
        at = value if k == 0 else _moved(value, rng)
        with np.errstate(all="ignore"):
            try:
                entries = f(at, *(_moved(v, rng) if k and free else v for v in givens.values()))
            except Exception:
                if k:
                    continue  # the other points may be outside of a domain
                return None
        # NaN is 0 times infinity as often as a derivative
        if found is not None and len(entries) != len(found):
            continue  # the length of y depends on values of x
        entries = ((entries != 0) & ~np.isnan(entries)).reshape(len(entries), value.size)
        found = entries if found is None else found | entries
    return found


def _moved(value: Any, rng: Any) -> Any:
    """Another point: the same numbers at other places, nearby, or far away."""
    if value.dtype.kind != "f":
        return value
    mixed = rng.permutation(value.reshape(-1)).reshape(value.shape)
    moved = mixed + rng.normal(size=value.shape) * rng.choice([0.01, 0.3, 1, 3])
    return np.asarray(moved).astype(value.dtype)


def compare(program: Program, count: Count) -> list[str]:
    """Entries that patterns miss, in words; ``count`` gets the others."""
    env, missing = program.build(), []
    values = {env[leaf.name]: leaf.value for leaf in program.inputs}
    for y, x, value in pairs(program, env):
        givens = {v: a for v, a in values.items() if v is not x}
        want = jacobians(y, x, value, givens)
        if want is None:
            continue
        try:
            pattern = theano.gradient.sparsity(y, x, {x: value.shape}, givens).toarray()
        except MissingInputError:  # lengths that depend on values of x
            pattern = theano.gradient.sparsity(y, x, givens=values).toarray()
        if pattern.shape != want.shape:
            missing.append(f"d{y}/d{x} has shape {pattern.shape}, the Jacobian {want.shape}")
        elif np.any(want & ~pattern):
            missing.append(f"d{y}/d{x} misses {np.argwhere(want & ~pattern)[:5].tolist()}")
        else:
            count.add(y, x, pattern, want)
    return missing
