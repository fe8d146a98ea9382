"""Gradients of drawn programs: the numpy engine and the XLA engine give the same."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

import theano
import theano.tensor as T
from tests.properties.drawing import Program, reduced
from tests.properties.running import MODES
from theano._src.testing.opspec import SEED

# Nothing says beforehand how well a gradient is conditioned. It is measured where it is taken:
# at inputs moved by two units in the last place. Entries that this moves by more than a quarter of
# the tolerance, and programs with a gradient that is not finite, are not compared.
_MOVED = 2
#: relative to the largest entry of a gradient and 1, in units of the coarsest float of the program
_UNITS = 4096.0


def _wrt(program: Program) -> list[str]:
    return [leaf.name for leaf in program.inputs if leaf.value.dtype.kind == "f"]


def _costs(program: Program) -> list[str]:
    return [n for n in program.outputs if program.values[n].x.dtype.kind == "f"]


def _gradients(program: Program) -> tuple[list[Any], list[str], list[Any]]:
    """Inputs, the names that have a gradient, and those gradients."""
    env = program.build()
    cost = 0
    for name in _costs(program):
        x = program.values[name].x
        # weights that differ, so that entries that change places are seen
        weights = np.cos(np.arange(x.size)).reshape(x.shape)
        cost = cost + T.sum(T.cast(env[name], "float64") * weights)
    wrt = _wrt(program)
    found = T.grad(
        cost, [env[n] for n in wrt], disconnected_inputs="ignore", null_gradients="return"
    )
    # positions and orders have none: the documents say undefined
    there = [(n, g) for n, g in zip(wrt, found, strict=True) if hasattr(g, "ndim")]
    inputs = [env[leaf.name] for leaf in program.inputs]
    return inputs, [n for n, _ in there], [g for _, g in there]


def suits(program: Program) -> bool:
    """Whether a program has floats at both ends."""
    return bool(_wrt(program) and _costs(program))


def _arguments(programs: Sequence[Program], moved: bool = False) -> list[Any]:
    rng = np.random.default_rng(7)
    values = [leaf.value for program in programs for leaf in program.inputs]
    if not moved:
        return values
    return [
        (
            v.astype("float64")
            * (1 + _MOVED * np.finfo(v.dtype).eps * rng.choice([-1, 1], v.shape))
        ).astype(v.dtype)
        if v.dtype.kind == "f"
        else v
        for v in values
    ]


def _differences(programs: Sequence[Program]) -> list[str | None]:
    """For each program in words what differs."""
    parts = [_gradients(program) for program in programs]
    inputs = [v for part in parts for v in part[0]]
    outputs = [g for part in parts for g in part[2]]
    host, device = (
        theano.function(inputs, outputs, mode=MODES[mode](), on_unused_input="ignore")
        for mode in ("numpy", "xla")
    )
    with np.errstate(all="ignore"):
        base = iter(host(*_arguments(programs)))
        moved = iter(host(*_arguments(programs, moved=True)))
        other = iter(device(*_arguments(programs)))
    found = []
    for program, (_, names, _) in zip(programs, parts, strict=True):
        words = None
        eps = max(v.tolerance for v in program.values.values()) / 256
        rows = [(n, next(base), next(moved), next(other)) for n in names]
        if all(np.all(np.isfinite(g)) for _, g, _, _ in rows):
            for name, g, h, k in rows:
                words = words or _difference(name, g, h, k, _UNITS * eps)
        found.append(words)
    return found


def _difference(name: str, g: Any, h: Any, k: Any, tolerance: float) -> str | None:
    if g.dtype != k.dtype or g.shape != k.shape:
        return f"d/d{name}: {g.dtype} {g.shape} on numpy, {k.dtype} {k.shape} on xla"
    if not g.size:
        return None
    g, h, k = (x.astype("float64") for x in (g, h, k))
    bound = tolerance * (1 + np.abs(g).max())
    steady = np.abs(h - g) <= bound / 4
    if np.all((np.abs(k - g) <= bound) | ~steady):
        return None
    return f"d/d{name} is {g.tolist()} on numpy, {k.tolist()} on xla"


def _trouble(program: Program) -> str | None:
    if not suits(program):
        return None
    try:
        return _differences([program])[0]
    except Exception as e:
        return f"{type(e).__name__}: {str(e).splitlines()[0] if str(e) else ''}"


def check_gradients(programs: Sequence[Program]) -> None:
    """All programs have one gradient on both engines; the first that has not is listed, small."""
    fit = [p for p in programs if suits(p)]
    if not fit:
        return
    try:
        found = _differences(fit)
    except Exception as e:
        found, failure = None, e
    bad = fit if found is None else [p for p, words in zip(fit, found, strict=True) if words]
    for program in bad:
        if _trouble(program):
            small = reduced(program, lambda p: _trouble(p) is not None)
            words = f"gradient: {_trouble(small)} (THEANO_TEST_SEED={SEED})"
            raise AssertionError(f"{words}\n\n{small.listing()}")
    if found is None:
        failure.add_note(f"{len(fit)} gradients fail together, none alone")
        raise failure
    assert not bad, f"a gradient differs only among others: {bad[0].listing()}"
