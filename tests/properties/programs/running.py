"""Builds drawn programs, runs them on the engines and compares what they give."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

import theano
import theano.tensor as T
from tests.properties.programs import numbers as nb
from tests.properties.programs.description import Program
from tests.properties.programs.expected import RAISED, Expected, expect
from tests.properties.programs.numbers import Num
from theano.ifelse import ifelse

#: how a program is evaluated: the name of each mode, and its source
MODES = {
    "numpy": "theano.Mode(linker='numpy')",
    "numpy, nothing rewritten": "theano.Mode(linker='numpy', optimizer=None)",
    "py": "theano.Mode(linker='py')",
    "native": "theano.Mode(linker='native')",
    "xla": "theano.Mode(linker='xla')",
    "xla, nothing rewritten": "theano.Mode(linker='xla', optimizer=None)",
}
_NAMES = {"T": T, "theano": theano, "np": np, "ifelse": ifelse, "nan": np.nan, "inf": np.inf}

#: Gradients carry no bound. They are granted this part of the sum of |slope * direction|, and of
#: how far the slope moves when inputs move by some units in their last place.
_GRADIENT_PART = {"float32": 2e-4, "float64": 1e-8}


class Built:
    """A program as a graph; shared variables keep their values from one call to the next."""

    def __init__(self, program: Program, want: Expected) -> None:
        self.program, self.want = program, want
        env: dict[str, Any] = dict(_NAMES)
        source = [leaf.source() for leaf in program.leaves if leaf.kind == "input"]
        for leaf in program.leaves:
            if leaf.kind == "constant":
                env[leaf.name] = T.constant(leaf.values[0])
            elif leaf.kind == "shared":
                env[leaf.name] = theano.shared(
                    leaf.values[0], name=leaf.name, broadcastable=leaf.ones
                )
        source.append(program.source())
        if program.gradient:
            source.append(program.gradient.source())
        exec(compile("\n".join(source), "<program>", "exec"), env)
        self._check_types(env)
        self.inputs = [env[leaf.name] for leaf in program.inputs]
        self.outputs = [env[name] for name in program.outputs]
        self.slopes: list[Any] = []
        if program.gradient:
            self.slopes = [env["slope"]] if program.gradient.forward else list(env["slopes"])
        self.shared = {leaf.name: env[leaf.name] for leaf in program.shared}
        self.updates = [(env[s], eval(text, env)) for s, text in program.updates]

    def _check_types(self, env: dict[str, Any]) -> None:
        for name, n in self.want.named.items():
            v = env.get(name)
            if v is None or not hasattr(v, "broadcastable"):
                continue
            if (v.dtype, v.ndim) != (n.dtype, n.ndim):
                raise Difference(f"{name} is built as {v.type}, NumPy has {n.dtype} {n.x.shape}")
            if any(one and m != 1 for one, m in zip(v.broadcastable, n.x.shape, strict=True)):
                raise Difference(f"{name} is built as {v.type}, NumPy has shape {n.x.shape}")

    def reset(self) -> None:
        for leaf in self.program.shared:
            self.shared[leaf.name].set_value(leaf.values[0])


class Difference(AssertionError):
    """What differs, in words."""


@dataclass
class Got:
    """What one call of one program gave."""

    outputs: list[Any]
    slopes: list[Any]
    state: dict[str, Any]


def _listed(x: Any) -> str:
    return str(x.tolist()) if x.size <= 60 else f"{x.ravel()[:20].tolist()}..."


def difference(name: str, got: Any, want: Num) -> str | None:
    """How an array is not what it has to be, in words."""
    got = np.asarray(got)
    if got.dtype.name != want.dtype:
        return f"{name} has dtype {got.dtype}, NumPy {want.dtype}"
    if got.shape != want.x.shape:
        return f"{name} has shape {got.shape}, NumPy {want.x.shape}"
    if want.err is None:
        same = np.array_equal(got, want.x.astype(want.dtype), equal_nan=nb.is_float(want.dtype))
        return None if same else f"{name} is {_listed(got)}, NumPy has {_listed(want.x)}"
    wide = got.astype(want.x.dtype)
    moved = (wide == want.x) | (np.isnan(wide) & np.isnan(want.x))  # infinities have no distance
    off = np.abs(np.subtract(wide, want.x, out=np.zeros_like(wide), where=~moved))
    if np.all(moved | (np.isfinite(want.x) & (off <= nb.SLACK * want.err))):
        return None
    with np.errstate(invalid="ignore"):
        worst = float(np.nanmax(off / np.maximum(want.err, 1e-300)))
    return (
        f"{name} is {_listed(got)}, NumPy has {_listed(want.x.astype(want.dtype))}; "
        f"off by {float(np.nanmax(off)):.3g}, {worst:.3g} times the bound"
    )


class Joint:
    """Several programs as one function.

    XLA's time for a program of a few lines is mostly not its own: ten in one cost half.
    """

    def __init__(self, built: Sequence[Built], mode: str) -> None:
        self.built = built
        inputs = [v for b in built for v in b.inputs]
        outputs = [v for b in built for v in (*b.outputs, *b.slopes)]
        updates = [pair for b in built for pair in b.updates]
        self.f = theano.function(
            inputs, outputs, updates=updates, mode=eval(MODES[mode]), on_unused_input="ignore"
        )

    def call(self, k: int, moved: bool = False) -> list[Got]:
        """What each program gives in a call; inputs must stay as they are."""
        given = [leaf.argument(k) for b in self.built for leaf in b.program.inputs]
        if moved:
            given = [_moved(x) for x in given]
        before = [x.copy() for x in given]
        try:
            made = self.f(*given)
        finally:  # also where it raises
            for x, y in zip(given, before, strict=True):
                if not np.array_equal(x, y, equal_nan=x.dtype.kind in "fc"):
                    raise Difference("an input was written to")
        kept = [np.array(x) for x in made]
        for x in made:  # the caller owns what it gets: no state may show this
            x[...] = 1
        found = []
        at = 0
        for b in self.built:
            n, m = len(b.outputs), len(b.slopes)
            state = {name: s.get_value() for name, s in b.shared.items()}
            found.append(Got(kept[at : at + n], kept[at + n : at + n + m], state))
            at += n + m
        return found

    def calls(self) -> list[list[Got]]:
        """All calls, of programs that have equally many."""
        for b in self.built:
            b.reset()
        return [self.call(k) for k in range(self.built[0].program.calls)]


def _moved(x: Any) -> Any:
    """An input with each float moved by two units in its last place, up or down."""
    if x.dtype.kind != "f" or not x.size:
        return x
    sign = np.where(np.arange(x.size).reshape(x.shape) % 3 == 0, -2, 2)
    return (x * (1 + sign * np.finfo(x.dtype).eps)).astype(x.dtype)


def compare(b: Built, got: Sequence[Got]) -> None:
    """Raise `Difference` for the first value of any call that is not what it has to be."""
    for k, call in enumerate(b.want.calls[: len(got)]):
        where = f"in call {k + 1}, " if len(b.want.calls) > 1 else ""
        # a call that raises has no outputs, and leaves the state as it was
        for name, x, n in zip(b.program.outputs, got[k].outputs, call.outputs, strict=False):
            if words := difference(name, x, n):
                raise Difference(where + words)
        if not call.error and len(got[k].outputs) != len(call.outputs):
            raise Difference(f"{where}{len(got[k].outputs)} outputs")
        for name, n in call.state.items():
            if words := difference(f"shared {name}", got[k].state[name], n):
                raise Difference(where + words)


def compare_slopes(b: Built, got: Got, moved: Got) -> None:
    """The derivative along the direction is what finite differences give."""
    gradient, slope = b.program.gradient, b.want.slope
    if gradient is None or slope is None:
        return
    values = {leaf.name: leaf.values[0] for leaf in b.program.leaves}
    made, size = _along(b, got, values)
    other, _ = _along(b, moved, values)
    if not np.isfinite(made):
        raise Difference(f"the derivative is {made}, differences give {slope.value}")
    coarse = any(n.dtype in ("float32", "complex64") for n in b.want.named.values())
    part = _GRADIENT_PART["float32" if coarse else "float64"]
    bound = 2 * slope.unsure + part * (size + 1) + 16 * abs(other - made)
    if abs(made - slope.value) > bound:
        raise Difference(
            f"the derivative of {gradient.of} with respect to {gradient.wrt} along the direction "
            f"is {made}, differences give {slope.value}; granted are {bound:.3g}"
        )


def _along(b: Built, got: Got, values: dict[str, Any]) -> tuple[float, float]:
    gradient = b.program.gradient
    assert gradient is not None
    if gradient.forward:
        return float(got.slopes[0]), abs(float(got.slopes[0]))
    total = size = 0.0
    for name, g, d in zip(gradient.wrt, got.slopes, gradient.directions, strict=True):
        if g.shape != values[name].shape or g.dtype != values[name].dtype:
            raise Difference(
                f"the gradient with respect to {name} is {g.dtype} {g.shape}, "
                f"the variable {values[name].dtype} {values[name].shape}"
            )
        terms = g.astype("float64") * d
        total += float(terms.sum())
        size += float(np.abs(terms).sum())
    return total, size


def build(program: Program) -> Built:
    return Built(program, expect(program))


def run_alone(b: Built, mode: str) -> list[Any]:
    """One program on its own; `Difference`, or whatever is raised that should not be.

    The gradients are given back: where nothing says what they are, modes are compared.
    """
    f = Joint([b], mode)
    b.reset()
    got = []
    for k, call in enumerate(b.want.calls):
        if call.error is None:
            got.append(f.call(k)[0])
            continue
        # Rewriting drops what no value needs, and with it what that would raise. What is asked for
        # itself (a strict program) has to raise in every mode, and the same class of error.
        strict = "strict" in b.program.notes
        try:
            f.call(k)
        except Difference:
            raise
        except RAISED as e:
            if strict and type(e) is not type(call.error):
                raise Difference(
                    f"call {k + 1} raises {type(e).__name__}: {_first_line(e)}; "
                    f"NumPy raises {type(call.error).__name__}: {call.error}"
                ) from e
        else:
            if strict or "nothing rewritten" in mode:
                raise Difference(
                    f"call {k + 1} raises nothing; NumPy raises "
                    f"{type(call.error).__name__}: {call.error}"
                )
            break
        state = {name: s.get_value() for name, s in b.shared.items()}
        got.append(Got([], [], state))
    compare(b, got)
    _check_slopes(f, [got])
    return got[0].slopes if got else []


def compare_modes(b: Built, base: Sequence[Any], other: Sequence[Any]) -> None:
    """Gradients of a truncated loop have no independent value: all modes must have the same."""
    if b.program.gradient is None or b.want.slope is not None:
        return
    coarse = any(n.dtype == "float32" for n in b.want.named.values())
    part = _GRADIENT_PART["float32" if coarse else "float64"]
    for name, g, h in zip(b.program.gradient.wrt, base, other, strict=True):
        if (g.dtype, g.shape) != (h.dtype, h.shape):
            raise Difference(
                f"the gradient of {name} is {h.dtype} {h.shape}, unrewritten {g.dtype}"
            )
        size = 1 + float(np.max(np.abs(g), initial=0))
        if not np.allclose(g, h, rtol=0, atol=part * size, equal_nan=True):
            raise Difference(f"the gradient of {name} is {_listed(h)}, unrewritten {_listed(g)}")


def _check_slopes(f: Joint, got: Sequence[Sequence[Got]]) -> None:
    if any(b.want.slope for b in f.built):
        for b in f.built:
            b.reset()
        moved = f.call(0, moved=True)
        for b, mine, other in zip(f.built, got, moved, strict=True):
            compare_slopes(b, mine[0], other)


def run_together(built: Sequence[Built], mode: str) -> None:
    """All programs as one function."""
    f = Joint(built, mode)
    made = f.calls()
    got = [[call[i] for call in made] for i in range(len(built))]
    for b, mine in zip(built, got, strict=True):
        compare(b, mine)
    _check_slopes(f, got)


def _first_line(e: BaseException) -> str:
    text = str(e).strip()
    return text.splitlines()[0] if text else ""


def trouble(program: Program, mode: str) -> str | None:
    """What is wrong with one program alone, in words; None if nothing is."""
    try:
        run_alone(build(program), mode)
    except Exception as e:
        return f"{type(e).__name__}: {_first_line(e)}"
    return None
