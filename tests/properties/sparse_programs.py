"""Random programs on sparse matrices, run in every mode and compared with NumPy; made small.

Sparse matrices of both formats, stored in every way, dense arrays between them, loops, gradients of
both kinds, shared variables. `sparse_plain` says what each has to give; a derivative is
compared with differences of that, along a random direction.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import scipy.sparse as sp

import theano
import theano.sparse as S
import theano.tensor as T
from tests.properties import sparse_plain as plain
from tests.properties.sparse_description import NOT_TOLD, Call, Leaf, Program, as_plain, expected
from tests.properties.sparse_drawing import draw
from tests.properties.sparse_steps import from_places

MODES: dict[str, Callable[[], Any]] = {
    "numpy": lambda: theano.Mode("numpy"),
    "py, nothing rewritten": lambda: theano.Mode("py", None),
    "xla": lambda: theano.Mode("xla"),
    "default": lambda: None,
}
_SHRINKING = 60.0


def trouble(program: Program, mode: str) -> str | None:
    """What differs from NumPy's word in one mode, or None."""
    try:
        want = expected(program)
    except NOT_TOLD:
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            return _differs(program, mode, want)
    except Exception as error:
        return f"{type(error).__name__}: {error}"


def _differs(program: Program, mode: str, want: list[Call]) -> str | None:
    env = program.build()
    inputs = [leaf for leaf in program.leaves if leaf.kind == "input"]
    outs = [env[k] for k in program.outputs]
    outs += [theano.grad(env[cost], env[wrt]) for cost, wrt in program.grads]
    updates = [
        (env[s], T.patternbroadcast(env[v], env[s].broadcastable) if _dense(env[s]) else env[v])
        for s, v in program.updates
    ]
    f = theano.function(
        [env[leaf.name] for leaf in inputs],
        outs,
        updates=updates,
        mode=MODES[mode](),
        on_unused_input="ignore",
    )
    narrow = any(leaf.values[0].dtype == "float32" for leaf in program.leaves)
    rtol, atol = (2e-3, 1e-4) if narrow else (1e-8, 1e-10)
    for k, call in enumerate(want):
        before = {
            leaf.name: env[leaf.name].get_value() if leaf.kind == "shared" else leaf.values[k]
            for leaf in program.leaves
        }
        kept = [_copied(leaf.values[k]) for leaf in inputs]
        found = f(*(leaf.values[k] for leaf in inputs))
        said = f"call {k + 1}"
        for leaf, old in zip(inputs, kept, strict=True):
            if not _same(leaf.values[k], old):
                return f"{said}: the argument {leaf.name} was changed"
        for name, var, got, value in zip(program.outputs, outs, found, call.outputs, strict=False):
            told = _type_differs(var, got)
            if told or not _close(_dense_of(got), plain.dense(value), rtol, atol * call.scale):
                return f"{said}, {name}: {told or ''} got {got}, NumPy {plain.dense(value)}"
        gs = found[len(program.outputs) :]
        for (cost, wrt), g, (direction, slope) in zip(program.grads, gs, call.slopes, strict=True):
            got = _along(g, before[wrt], *direction)
            limit = (1e-2 if narrow else 1e-5) * max(1.0, abs(slope), call.scale)
            if not abs(got - slope) <= limit:
                return f"{said}: the gradient of {cost} in {wrt} is {got}, by differences {slope}"
        for name, value in call.state.items():
            got = env[name].get_value()
            if not _close(_dense_of(got), plain.dense(value), rtol, atol * call.scale):
                return f"{said}: {name} holds {_dense_of(got)}, NumPy {plain.dense(value)}"
    return None


def _dense(variable: Any) -> bool:
    return not isinstance(variable.type, S.SparseType)


def _dense_of(value: Any) -> np.ndarray:
    return np.asarray(value.toarray() if sp.issparse(value) else value)


def _copied(value: Any) -> Any:
    return value.copy()


def _same(a: Any, b: Any) -> bool:
    if not sp.issparse(a):
        return bool(np.array_equal(a, b))
    return all(
        np.array_equal(getattr(a, part), getattr(b, part)) for part in ("data", "indices", "indptr")
    )


def _type_differs(var: Any, got: Any) -> str | None:
    if str(got.dtype) != var.type.dtype:
        return f"dtype {got.dtype}, the variable has {var.type.dtype};"
    if isinstance(var.type, S.SparseType) and not (
        isinstance(got, sp.spmatrix) and got.format == var.type.format
    ):
        return f"{type(got).__name__}, the variable has {var.type};"
    return None


def _close(got: np.ndarray, want: np.ndarray, rtol: float, atol: float) -> bool:
    return got.shape == want.shape and bool(np.allclose(got, want, rtol, atol))


def _along(g: Any, value: Any, direction: np.ndarray, which: str) -> float:
    """The product of a gradient with a direction, of all elements or of stored ones."""
    if not sp.issparse(value) or which == "all":
        return float((_dense_of(g) * direction).sum())
    places = as_plain(value)
    direction = direction[places.rows, places.columns]
    same = sp.issparse(g) and g.format == value.format and np.array_equal(g.indptr, value.indptr)
    if same and np.array_equal(g.indices, value.indices):
        return float(g.data @ direction)
    return float(_dense_of(g)[places.rows, places.columns] @ direction)


# ---- failures


def smaller(program: Program) -> Iterator[Program]:
    """Programs with less in them."""
    if program.calls > 1:
        yield replace(program, calls=1)
    for field in ("outputs", "grads", "updates"):
        have = getattr(program, field)
        for k in range(len(have)):
            yield replace(program, **{field: have[:k] + have[k + 1 :]})
    if program.calls > 1 or program.updates:
        return
    env = program.build()
    values = program.evaluate({leaf.name: as_plain(leaf.values[0]) for leaf in program.leaves})
    for line in program.lines:
        var, value = env[line.name], values[line.name]
        if isinstance(value, plain.Sparse):
            data = value.data.astype(var.type.dtype)
            made = from_places(var.type.format, value.rows, value.columns, data, value.shape)
        else:
            made = np.asarray(value, var.type.dtype)
        lines = tuple(e for e in program.lines if e is not line)
        if lines:
            yield replace(program, lines=lines, leaves=(*program.leaves, Leaf(line.name, (made,))))


def reduced(program: Program, mode: str, seconds: float = _SHRINKING) -> Program:
    """The shortest program found that fails in the same way."""
    kind = (trouble(program, mode) or "").split(":")[0]
    until = time.monotonic() + seconds
    again = True
    while again:
        again = False
        for other in smaller(program):
            if time.monotonic() > until:
                return program
            other = other.trimmed()
            if (trouble(other, mode) or "-").split(":")[0][:6] == kind[:6]:
                program, again = other, True
                break
    return program


def check(seed: int, modes: tuple[str, ...] = tuple(MODES)) -> str | None:
    """The failure of the program of one seed, as text, or None."""
    program = draw(seed)
    for mode in modes:
        if trouble(program, mode) is not None:
            small = reduced(program, mode)
            return f"seed {seed}, {mode}: {trouble(small, mode)}\n\n{small.listing(mode)}"
    return None
