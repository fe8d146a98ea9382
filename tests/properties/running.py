"""Runs drawn programs on an engine, compares them with NumPy, and reports what differs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

import theano
from tests.properties.drawing import Program, close, reduced
from theano._src.testing.opspec import SEED

#: how a program is evaluated besides NumPy
MODES = {
    "numpy": lambda: theano.Mode(linker="numpy"),
    "numpy, nothing rewritten": lambda: theano.Mode(linker="numpy", optimizer=None),
    "xla": lambda: theano.Mode(linker="xla"),
}


def evaluated(programs: Sequence[Program], mode: str) -> list[list[Any]]:
    """The outputs of each program, all of them computed by one function.

    XLA's time is mostly per program: ten graphs in one cost little more than one.
    """
    inputs, values, outputs = [], [], []
    for program in programs:
        env = program.build()
        inputs += [env[leaf.name] for leaf in program.inputs]
        values += [leaf.value for leaf in program.inputs]
        outputs += [env[name] for name in program.outputs]
    f = theano.function(inputs, outputs, mode=MODES[mode](), on_unused_input="ignore")
    made = iter(f(*values))
    return [[next(made) for _ in program.outputs] for program in programs]


def difference(program: Program, made: Sequence[Any]) -> str | None:
    """The first output that is not NumPy's, in words."""
    for name, got in zip(program.outputs, made, strict=True):
        value = program.values[name]
        want = value.x
        got = np.asarray(got)
        if got.dtype != want.dtype:
            return f"{name} has dtype {got.dtype}, NumPy {want.dtype}"
        if got.shape != want.shape:
            return f"{name} has shape {got.shape}, NumPy {want.shape}"
        if want.dtype.kind not in "fc":
            if not np.array_equal(got, want):
                return f"{name} is {got.tolist()}, NumPy has {want.tolist()}"
            continue
        if not close(got, want, value.tolerance):
            return (
                f"{name} is {got.tolist()}, NumPy has {want.tolist()}; "
                f"the tolerance is {value.tolerance:.2g}"
            )
    return None


def trouble(program: Program, mode: str) -> str | None:
    """What is wrong with one program alone: a difference, or an exception."""
    try:
        (made,) = evaluated([program], mode)
    except Exception as e:
        return f"{type(e).__name__}: {str(e).splitlines()[0] if str(e) else ''}"
    return difference(program, made)


def check(programs: Sequence[Program], mode: str) -> None:
    """All programs give NumPy's values; the first that does not is listed, made small."""
    try:
        joint = evaluated(programs, mode)
    except Exception as e:
        joint, failure = None, e
    if joint is not None:
        bad = [p for p, made in zip(programs, joint, strict=True) if difference(p, made)]
        if not bad:
            return
    else:
        bad = list(programs)
    for program in bad:
        if trouble(program, mode):
            small = reduced(program, lambda p: trouble(p, mode) is not None)
            raise AssertionError(report(small, mode))
    if joint is None:
        failure.add_note(f"{len(programs)} programs fail together on {mode}, none alone")
        raise failure
    words = difference(bad[0], joint[list(programs).index(bad[0])])
    raise AssertionError(f"differs only among others, on {mode}: {words}\n{bad[0].listing()}")


def report(program: Program, mode: str) -> str:
    return f"{mode}: {trouble(program, mode)} (THEANO_TEST_SEED={SEED})\n\n{program.listing()}"
