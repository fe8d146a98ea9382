"""Functions written as C, compiled by several compilers, and compared with the native engine."""

from __future__ import annotations

import runpy
import subprocess
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

import theano
import theano.tensor as T
from tests.compile.c_toolchain import SANITIZERS, STRICT, compiled, compilers
from tests.engines.native.common import as_list, bits, native_mode
from tests.properties.programs.drawing import drawn
from tests.properties.programs.running import MODES, build
from tests.testing.test_coverage import specs
from theano._src.compile.export.export_c import CModule

PLAIN = ("-O2", "-ffp-contract=off")


@dataclass
class Program:
    """A function, and the arguments of some calls of it."""

    label: str
    f: Any
    calls: Sequence[Sequence[np.ndarray]]


@dataclass
class Report:
    """What became of some programs."""

    counts: Counter[str] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)


def programs_of_specs(first: int, step: int, cases: int) -> Iterator[Program]:
    """Some cases of every ``step``-th spec that run on the native engine."""
    return programs_of(specs()[first::step], cases)


def programs_of(chosen: Sequence[Any], cases: int) -> Iterator[Program]:
    """Some cases of these specs that run on the native engine."""
    for spec in chosen:
        every = spec.all_cases()
        for k in np.unique(np.linspace(0, len(every) - 1, cases).astype(int)):
            built = every[k].build(spec.fn)
            try:
                f = theano.function(
                    built.inputs, built.outputs, mode=native_mode(), on_unused_input="ignore"
                )
                f(*built.values)
            except Exception:
                continue  # the engines refuse it, or it raises
            yield Program(f"{spec.name} {every[k]!r}"[:90], f, [built.values])


def random_programs(seeds: Sequence[int]) -> Iterator[Program]:
    for seed in seeds:
        program = drawn(seed)
        if program is None:
            continue
        built = build(program)
        f = theano.function(
            built.inputs,
            [*built.outputs, *built.slopes],
            updates=built.updates,
            mode=eval(MODES["native"]),
            on_unused_input="ignore",
        )
        given = [[leaf.argument(k) for leaf in program.inputs] for k in range(program.calls)]
        yield Program(f"random program {seed}", f, given)


def has_own_digits(f: Any) -> bool:
    """Whether a function calls libm, functions of ours or products: its digits may differ.

    So may those of sums that convert, along the first and the last dimensions.
    """
    if any(map(_adds_up_otherwise, f.maker.fgraph.apply_nodes)):
        return True
    module = CModule({"f": f}, "m")
    called = {g.split("(")[0] for g in module.source().split() if "matmul_" in g or "conv2d" in g}
    needs = module.parts.functions.needs  # type: ignore[attr-defined]
    return bool(called) or any(not _is_exact(name) for name in needs)


def _adds_up_otherwise(node: Any) -> bool:
    if not isinstance(node.op, T.elemwise.Sum) or not node.op.axis:
        return False
    x = node.inputs[0]
    rest = [i for i in range(x.ndim) if i not in node.op.axis]
    return node.op.acc_dtype != x.dtype and bool(rest) and 0 not in rest and x.ndim - 1 not in rest


def _is_exact(name: str) -> bool:
    """Whether a function of C has one right result: of integers, and of choices between floats."""
    inexact = {"exp", "log", "pow", "sin", "cos", "tan", "erf", "cbrt", "hypot", "sinh", "tanh"}
    own = {"psi", "gamma", "erfinv", "logaddexp", "deg2rad", "rad2deg", "beta", "zeta", "iv", "jv"}
    return not any(word in name for word in inexact | own)


def run(programs: Sequence[Program], folder: Path, is_quick: bool) -> Report:
    """Write, compile and call programs.

    Each is compiled by gcc and clang, with warnings as errors, and called by ctypes. It is also
    compiled with sanitizers, as a program that reads its inputs and prints its outputs.
    """
    report = Report()
    names = [n for n in ("gcc", "clang") if n in compilers()][: 1 if is_quick else 2]
    for k, program in enumerate(programs):
        stem = f"p{k}"
        try:
            theano.export(program.f, folder / f"{stem}.c", ctypes=True, main=True)
        except NotImplementedError as e:
            report.counts["refused"] += 1
            report.reasons[str(e)] += 1
            continue
        report.counts["written"] += 1
        for name in names:
            _compare(program, stem, folder, name, report)
            if _printable(program):
                _run_main(program, stem, folder, name, report)
    return report


def _printable(program: Program) -> bool:
    return all(np.asarray(x).dtype.kind in "fiub" for call in program.calls for x in call)


def _compare(program: Program, stem: str, folder: Path, name: str, report: Report) -> None:
    library = folder / f"{stem}_{name}.so"
    source = [folder / f"{stem}.c"]
    compiled(compilers()[name], source, library, "-shared", "-fPIC", *PLAIN, *STRICT)
    module = runpy.run_path(str(folder / f"{stem}.py"))["load"](str(library))
    g = getattr(module, stem)
    shared = [c for c in program.f.maker.inputs if c.shared]
    before = [c.variable.get_value() for c in shared]
    exact = not has_own_digits(program.f)
    try:
        for call in program.calls:
            try:
                want: Any = as_list(program.f(*call))
            except Exception as e:
                want = e
            try:
                got: Any = as_list(g(*call))
            except ValueError as e:
                got = e
            _note(program, name, want, got, exact, report)
            if isinstance(want, Exception) or isinstance(got, Exception):
                break  # the state is that of another call
    finally:
        for c, value in zip(shared, before, strict=True):
            c.variable.set_value(value)


def _note(program: Program, name: str, want: Any, got: Any, exact: bool, report: Report) -> None:
    if isinstance(got, Exception):
        # it stops where the engine raises, or where the engine has another way for rare sizes
        kind = "stops as the engine" if isinstance(want, Exception) else "stops"
        report.counts[kind] += 1
        if kind == "stops":
            report.reasons[f"stops: {got}"] += 1
        return
    if isinstance(want, Exception):
        report.wrong.append(f"{program.label} ({name}) gives {got}, the engine raises {want!r}")
        return
    same = all(bits(a) == bits(b) for a, b in zip(want, got, strict=True))
    if same:
        report.counts["equal"] += 1
    elif exact or not all(is_close(a, b) for a, b in zip(want, got, strict=True)):
        report.wrong.append(f"{program.label} ({name}) gives {got}, the engine {want}"[:600])
    else:
        report.counts["close"] += 1


def is_close(want: Any, got: Any) -> bool:
    """Whether results differ by some units in their last places.

    Differences of a few units grow with what follows, so this is no bound of a single function.
    """
    want, got = np.asarray(want), np.asarray(got)
    if want.dtype != got.dtype or want.shape != got.shape:
        return False
    if want.dtype.kind != "f":
        # an integer may be a float that was rounded, a truth value a comparison of two
        return bool(np.mean(want != got) < 0.2)
    scale = np.max(np.abs(want[np.isfinite(want)]), initial=0.0)
    digits = {"float64": 1e-9, "float32": 1e-3}[want.dtype.name]
    return bool(np.allclose(got, want, rtol=digits, atol=digits * scale, equal_nan=True))


def _run_main(program: Program, stem: str, folder: Path, name: str, report: Report) -> None:
    """The same from C, with sanitizers: the program prints what the library gives."""
    sources = [folder / f"{stem}_main.c", folder / f"{stem}.c"]
    made = compiled(compilers()[name], sources, folder / stem, "-O1", *SANITIZERS)
    done = subprocess.run([made], input=_words(program), capture_output=True, text=True)
    library = folder / f"{stem}_{name}.so"
    module = runpy.run_path(str(folder / f"{stem}.py"))["load"](str(library))
    try:
        want = as_list(getattr(module, stem)(*program.calls[0]))
    except ValueError as e:
        # the message of its code is all that it prints
        assert (done.returncode, done.stdout, done.stderr) == (1, "", f"{e}\n"), program.label
        report.counts["stops in C"] += 1
        return
    assert (done.returncode, done.stderr) == (0, ""), f"{program.label}: {done.stderr}"
    lines = [np.array(line.split(), float) for line in done.stdout.split("\n")[:-1]]
    assert len(lines) == len(want), program.label
    for a, line in zip(want, lines, strict=True):
        flat = np.asarray(a, float).reshape(-1)
        assert flat.shape == line.shape, program.label
        assert np.allclose(flat, line, rtol=1e-6, atol=1e-9, equal_nan=True), program.label
    report.counts["called from C"] += 1


def program_patterns(program: Program) -> list[tuple[bool, ...]]:
    """The dimensions of the arguments that are known to be 1."""
    return [s.variable.type.broadcastable for s in program.f.maker.inputs if not s.shared]


def _words(program: Program) -> str:
    words: list[str] = []
    for x, ones in zip(program.calls[0], program_patterns(program), strict=True):
        array = np.asarray(x)
        words += [str(n) for n, one in zip(array.shape, ones, strict=True) if not one]
        words += [repr(int(v) if array.dtype.kind in "iub" else float(v)) for v in array.ravel()]
    return " ".join(words)
