"""Passes that merge nodes, order them and let them overwrite inputs, on small and random graphs.

A graph after the passes computes the same expressions, and runs in an order in which nothing is
read after it was overwritten. It is also run on real arrays.
"""

from __future__ import annotations

import itertools
import random
import time
from collections.abc import Iterator
from typing import Any

import numpy as np

import theano.tensor as T
from theano._src.graph.clone import clone
from theano._src.graph.destroy import Supervisor
from theano._src.graph.fg import FunctionGraph
from theano._src.graph.graph import Constant
from theano._src.rules.pipeline import PASSES
from theano._src.testing.evaluate import evaluate
from theano._src.testing.proofs.memory import Meanings, misuse_of_memory
from tools.proofs.record import save, when

#: a step for each way to use memory: its result is new, is a view, or may be an operand overwritten
ONE = {
    "exp": lambda a: T.exp(a * 0.25),
    "reverse": lambda a: a[::-1],
    "view": lambda a: T.set_subtensor(a[:2], a[2:4]),
    "at": lambda a: T.inc_subtensor(a[[0, 2, 2]], 1.5),
}
TWO = {
    "add": lambda a, b: a + b,
    "set": lambda a, b: T.set_subtensor(a[1:4], b[:3] * 3.0),
}
#: steps of random graphs only
MORE = {
    "mul": lambda a, b: a * b + 0.5,
    "sub": lambda a, b: a - 2.0 * b,
    "inc": lambda a, b: T.inc_subtensor(a[::2], b[::2]),
    "turn": lambda a, b: a.reshape((2, 3)).T.reshape((6,)),
    "row": lambda a, b: a.dimshuffle("x", 0)[0],
    "outer": lambda a, b: T.dot(T.outer(a, b), a),
}
LENGTH = 6
START = np.array([0.3, -1.2, 2.5, 0.7, -0.4, 1.9]), np.array([1.1, 0.2, -0.8, 3.0, -2.2, 0.6])
RUNS = tuple(p for p in PASSES if p.run is not None and p.order >= 49.0 and "fuse" not in p.name
             and "fusion" not in p.name)  # fmt: skip

Program = tuple[tuple[tuple[Any, ...], ...], tuple[int, ...]]


def programs(size: int) -> Iterator[Program]:
    """Yield all programs of so many steps.

    Every value that no step reads is an output; of the others at most one is.
    """
    choices = []
    for k in range(size):
        places = range(k + 2)
        choices.append(
            [(n, i) for n in ONE for i in places]
            + [(n, i, j) for n in TWO for i in places for j in places]
        )
    for steps in itertools.product(*choices):
        read = {i for _, *places in steps for i in places}
        ends = [k for k in range(2, size + 2) if k not in read]
        for more in ((), *((k,) for k in range(2, size + 2) if k in read)):
            yield steps, (*ends, *more)


def random_program(rng: random.Random, most: int = 12) -> Program:
    steps = []
    for k in range(rng.randint(4, most)):
        name = rng.choice([*ONE, *TWO, *MORE])
        steps.append((name, *(rng.randrange(k + 2) for _ in range(1 if name in ONE else 2))))
    last = len(steps) + 1
    return tuple(steps), tuple(sorted({last, *rng.sample(range(2, last + 1), rng.randint(0, 2))}))


def build(program: Program) -> tuple[list[Any], list[Any]]:
    steps, outs = program
    values: list[Any] = [T.dvector("x"), T.dvector("y")]
    for name, *places in steps:
        step = ONE.get(name) or TWO.get(name) or MORE[name]
        values.append(step(*(values[i] for i in places)))
    return values[:2], [values[k] for k in outs]


def rewritten(inputs: list[Any], outputs: list[Any]) -> FunctionGraph:
    """Return a copy of a graph after the passes."""
    graph = FunctionGraph(*clone(inputs, outputs), clone=False)
    graph.attach_feature(Supervisor(graph.inputs))
    for one in RUNS:
        one.run(graph, None)
    return graph


def wrong_in(program: Program) -> str | None:
    """Return what the passes do wrong to a program, or None."""
    inputs, outputs = build(program)
    graph = rewritten(inputs, outputs)
    order = graph.toposort()
    if wrong := misuse_of_memory(order, graph.inputs, graph.outputs):
        return f"{program}: {wrong}"
    meanings = Meanings(inputs)
    before = FunctionGraph(*clone(inputs, outputs), clone=False)
    wanted = meanings.of(before.toposort(), before.inputs, before.outputs)
    if meanings.of(order, graph.inputs, graph.outputs) != wanted:
        return f"{program}: the graph computes something else"
    return _wrong_values(program, inputs, outputs, graph)


def _wrong_values(program: Program, inputs: Any, outputs: Any, graph: Any) -> str | None:
    given = [v.copy() for v in START]
    with np.errstate(all="ignore"):
        expected = evaluate(outputs, dict(zip(inputs, [v.copy() for v in START], strict=True)))
        known = dict(zip(graph.inputs, given, strict=True))
        for node in graph.toposort():
            args = [v.data if isinstance(v, Constant) else known[v] for v in node.inputs]
            results = node.op.bind(node)(*args)
            results = [results] if len(node.outputs) == 1 else results
            known.update(zip(node.outputs, results, strict=True))
    values = [v.data if isinstance(v, Constant) else known[v] for v in graph.outputs]
    if not all(np.array_equal(a, b, equal_nan=True) for a, b in zip(values, expected, strict=True)):
        return f"{program}: other values"
    if not all(np.array_equal(a, b) for a, b in zip(given, START, strict=True)):
        return f"{program}: an input was overwritten"
    return None


def record_passes(
    seen: dict[str, Any], seconds: float, size: int = 3, graphs: int = 20_000
) -> None:
    """Try all programs up to a size and random ones, from where the last run ended."""
    until = time.monotonic() + seconds
    for kind, source in _sources(size, graphs):
        row = seen.setdefault(kind, {"tried": 0, "wrong": []})
        saved = time.monotonic()
        for program in itertools.islice(source, row["tried"], None):
            if time.monotonic() > until:
                break
            if (wrong := wrong_in(program)) and len(row["wrong"]) < 10:
                row["wrong"].append(wrong)
            row["tried"] += 1
            if time.monotonic() - saved > 20:
                save("passes", seen)
                saved = time.monotonic()
        else:
            row["done"] = True
        row.update(when())
        save("passes", seen)


def _sources(size: int, graphs: int) -> Iterator[tuple[str, Iterator[Program]]]:
    for n in range(1, size + 1):
        yield f"all of {n}", programs(n)
    yield "random", (random_program(random.Random(seed)) for seed in range(graphs))
