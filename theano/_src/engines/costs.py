"""What a call costs on each engine: estimates from shapes, never from a clock.

A node does so much work of one kind; a machine does each kind at a rate. Rates ship with the
project and may be measured once on a machine (`calibrate`), so that the same program makes the same
choices whenever it runs there.
"""

from __future__ import annotations

import json
import math
import os
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np

from theano._src.graph.node import Apply
from theano._src.ground.config import config
from theano._src.ops.advindex import BaseAdvancedIncSubtensor, BaseAdvancedSubtensor
from theano._src.ops.blas import Dot22, Dot22Scalar, Gemm, Gemv, Ger
from theano._src.ops.careduce import CAReduce
from theano._src.ops.composite import Composite
from theano._src.ops.cumulative import CumOp
from theano._src.ops.dot import BatchedDot, Dot, TensorDot
from theano._src.ops.einsum import Einsum
from theano._src.ops.elemwise import DimShuffle, Elemwise
from theano._src.ops.rows import AdvancedIncSubtensor1, AdvancedSubtensor1
from theano._src.ops.scalar import FloatOp
from theano._src.ops.sort import ArgSortOp, SortOp, TopKOp

Shapes = Sequence[tuple[int, ...]]


@dataclass(frozen=True)
class Rates:
    """Seconds: of a call, and of an element or an operation of each kind, on both engines."""

    numpy_call: float = 0.9e-6
    numpy_light: float = 0.9e-9
    numpy_heavy: float = 9e-9
    numpy_reduced: float = 0.45e-9
    numpy_gathered: float = 6e-9
    numpy_sorted: float = 8e-9
    xla_call: float = 14e-6
    xla_light: float = 0.3e-9
    xla_heavy: float = 6e-9
    xla_reduced: float = 0.35e-9
    xla_gathered: float = 5e-9
    xla_sorted: float = 330e-9
    # of a multiplication and an addition in a product of matrices, and in a factorisation
    multiplied: float = 0.06e-9
    factored: float = 0.4e-9
    # of compiling: jax loaded, a program, a node in it
    load: float = 1.0
    program: float = 0.1
    node: float = 0.005


@dataclass
class Work:
    """How much of each kind of work a call does."""

    nodes: int = 0
    light: float = 0.0
    heavy: float = 0.0
    reduced: float = 0.0
    gathered: float = 0.0
    sorted: float = 0.0
    multiplied: float = 0.0
    factored: float = 0.0

    def add(self, kind: str, amount: float) -> None:
        self.nodes += 1
        setattr(self, kind, getattr(self, kind) + amount)

    def on_numpy(self, rates: Rates) -> float:
        """Seconds of a call on the numpy engine."""
        return self.nodes * rates.numpy_call + self._at(rates, "numpy")

    def on_xla(self, rates: Rates) -> float:
        """Seconds of a call of a compiled program."""
        return rates.xla_call + self._at(rates, "xla")

    def _at(self, rates: Rates, engine: str) -> float:
        kinds = ("light", "heavy", "reduced", "gathered", "sorted")
        each: float = sum(getattr(self, k) * getattr(rates, f"{engine}_{k}") for k in kinds)
        return each + self.multiplied * rates.multiplied + self.factored * rates.factored


_SORTS = (SortOp, ArgSortOp, TopKOp)
_PRODUCTS = (Dot, Dot22, Dot22Scalar, Gemm, Gemv, Ger, TensorDot, BatchedDot, Einsum)
_GATHERS = (
    AdvancedSubtensor1,
    AdvancedIncSubtensor1,
    BaseAdvancedSubtensor,
    BaseAdvancedIncSubtensor,
)


def counter(node: Apply) -> Callable[[Work, Shapes, Shapes], None]:
    """A function that adds the work of a node, given shapes of inputs and outputs, to a Work."""
    op = node.op
    if isinstance(op, DimShuffle) or getattr(op, "view_map", None):
        return lambda work, ins, outs: work.add("light", 0)
    if isinstance(op, Elemwise):
        steps = [s for s, _ in op.scalar_op.steps] if isinstance(op.scalar_op, Composite) else None
        heavy = sum(map(_is_heavy, steps or [op.scalar_op]))
        light = len(steps or [op.scalar_op]) - heavy

        def elements(work: Work, ins: Shapes, outs: Shapes) -> None:
            n = math.prod(outs[0])
            work.add("heavy", n * heavy)
            work.light += n * light
            # pieces of a composite are calls too, of pieces that stay in the cache
            work.nodes += heavy + light - 1

        return elements
    if isinstance(op, _SORTS):
        return lambda work, ins, outs: work.add("sorted", _sort_steps(ins[0]))
    if isinstance(op, _PRODUCTS):
        return lambda work, ins, outs: work.add("multiplied", _product_steps(ins, outs))
    if isinstance(op, _GATHERS):
        return lambda work, ins, outs: work.add("gathered", math.prod(outs[0]))
    if isinstance(op, CAReduce | CumOp):
        return lambda work, ins, outs: work.add("reduced", math.prod(ins[0]))
    if getattr(op, "by_lapack", False):
        return lambda work, ins, outs: work.add("factored", _factor_steps(ins[0]))
    return lambda work, ins, outs: work.add("light", sum(map(math.prod, outs)))


def _is_heavy(scalar_op: Any) -> bool:
    """Whether a number takes a series or a table: exponentials, trigonometry, special functions."""
    return isinstance(scalar_op, FloatOp) and scalar_op.symbol not in ("sqrt", "inv", "sqr")


def _sort_steps(shape: Sequence[int]) -> float:
    n = math.prod(shape)
    return n * max(1.0, math.log2(max(n, 2)) / 20)


def _product_steps(ins: Shapes, outs: Shapes) -> float:
    """Multiplications of a product: each element of the output sums over what is contracted."""
    out = math.prod(outs[0])
    largest = max(ins, key=math.prod)
    shared = max(1.0, math.prod(largest) * max(1, math.prod(min(ins, key=math.prod))) / max(out, 1))
    return out * math.sqrt(shared)


def _factor_steps(shape: Sequence[int]) -> float:
    n = shape[-1] if shape else 1
    return math.prod(shape) * n


def compile_seconds(nodes: int, rates: Rates) -> float:
    """An estimate of the time to compile so many nodes, and to load jax if nobody has."""
    found = rates.program + rates.node * nodes
    return found if "jax" in sys.modules else found + rates.load


_RATES: list[Rates] = []


def rates() -> Rates:
    """This machine's rates if they were measured, those that ship otherwise."""
    if not _RATES:
        _RATES.append(_kept() or Rates())
    return _RATES[0]


def _where() -> Path:
    return Path(str(config.compiledir)) / "rates.json"


def _kept() -> Rates | None:
    try:
        found = json.loads(_where().read_text(encoding="utf-8"))
        known = {f.name for f in fields(Rates)}
        if set(found) == known and all(isinstance(v, float) and v > 0 for v in found.values()):
            return Rates(**found)
    except (OSError, ValueError):
        pass
    return None


def calibrate(keep: bool = True) -> Rates:
    """Measure this machine, in a few seconds, and keep what was found under ``config.compiledir``.

    Parameters
    ----------
    keep : bool
        Whether functions that are made from now on, here and in other processes, go by it.

    Returns
    -------
    Rates
    """
    n = 200_000
    x, order = np.linspace(0.1, 1.0, n), np.random.default_rng(0).permutation(n)
    m = np.linspace(0.0, 1.0, 300 * 300).reshape(300, 300)
    base = Rates()
    tiny = np.ones(4)
    found = Rates(
        **{
            **asdict(base),
            "numpy_call": _seconds(lambda: np.add(tiny, tiny)) * 2,
            "numpy_light": _seconds(lambda: np.add(x, x)) / n,
            "numpy_heavy": _seconds(lambda: np.tanh(x)) / n,
            "numpy_reduced": _seconds(lambda: np.sum(x)) / n,
            "numpy_gathered": _seconds(lambda: x[order]) / n,
            "numpy_sorted": _seconds(lambda: np.sort(x[order])) / n,
            "multiplied": _seconds(lambda: m @ m) / 300**3,
        }
    )
    if keep:
        where = _where()
        where.parent.mkdir(parents=True, exist_ok=True)
        part = where.with_name(f"rates.{os.getpid()}.part")
        part.write_text(json.dumps(asdict(found), indent=1), encoding="utf-8")
        part.replace(where)
        _RATES[:] = [found]
    return found


def _seconds(call: Callable[[], Any]) -> float:
    """The least of a few times: what else the machine does only adds."""
    best = math.inf
    for _ in range(9):
        start = time.perf_counter()
        call()
        best = min(best, time.perf_counter() - start)
    return max(best, 1e-9)
