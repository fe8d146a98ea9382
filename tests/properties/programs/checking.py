"""Checks the programs of seeds in every mode, and reports what fails, made small."""

from __future__ import annotations

import gc
from collections.abc import Sequence
from dataclasses import dataclass

from tests.properties.programs.description import Program
from tests.properties.programs.drawing import drawn
from tests.properties.programs.running import (
    MODES,
    Built,
    build,
    compare_modes,
    run_alone,
    run_together,
    trouble,
)
from tests.properties.programs.shrinking import shrunk

UNREWRITTEN = "numpy, nothing rewritten"
UNREWRITTEN_XLA = "xla, nothing rewritten"


@dataclass
class Failure:
    """A program that gives something else than NumPy, or raises what it should not."""

    seed: int
    mode: str
    words: str
    listing: str
    together: tuple[int, ...] = ()

    def report(self) -> str:
        beside = f" (only beside the programs of seeds {self.together})" if self.together else ""
        head = f"seed {self.seed}, {self.mode}{beside}: {self.words}"
        return f"{head}\n\n{self.listing}\n"


def modes_of(seed: int) -> list[str]:
    """All modes for every fourth seed; the others leave out XLA without rewriting.

    Compiling by XLA takes most of the time, and twice as long for both.
    """
    return [m for m in MODES if m != UNREWRITTEN_XLA or seed % 4 == 0]


def _words(e: BaseException) -> str:
    text = str(e).strip()
    return f"{type(e).__name__}: {text.splitlines()[0] if text else ''}"


def _kind(words: str) -> tuple[str, bool]:
    """What a smaller program must share with the larger one."""
    return words.split(":")[0], " raises " in words


def _report(program: Program, mode: str, words: str, seconds: float) -> Failure:
    kind = _kind(words)
    same = lambda p: _kind(trouble(p, mode) or "") == kind
    small = shrunk(program, same, seconds) if seconds else program
    seed = -1 if program.seed is None else program.seed
    return Failure(seed, mode, trouble(small, mode) or words, small.listing(MODES[mode]))


def check_program(
    program: Program, modes: Sequence[str], seconds: float = 60.0
) -> tuple[Built | None, list[Failure]]:
    """Run a program in modes; ``seconds`` for making each failure small."""
    failures = []
    try:
        b = build(program)
    except Exception as e:
        return None, [_report(program, "numpy", _words(e), seconds)]
    base = None
    for mode in sorted(modes, key=lambda m: m != UNREWRITTEN):
        try:
            slopes = run_alone(b, mode)
            base = slopes if base is None else base
            compare_modes(b, base, slopes)
        except Exception as e:
            # one failure is made small; in other modes it is mostly the same
            failures.append(_report(program, mode, _words(e), 0 if failures else seconds))
    return b, failures


def check_together(built: Sequence[Built], mode: str) -> list[Failure]:
    """Programs that are right alone are right as one function."""
    fit = [b for b in built if b.program.calls == 1 and "raises" not in b.program.notes]
    if len(fit) < 2:
        return []
    try:
        run_together(fit, mode)
    except Exception as e:
        seeds = tuple(b.program.seed or 0 for b in fit)
        text = "\n\n".join(b.program.listing(MODES[mode]) for b in fit)
        return [Failure(seeds[0], mode, _words(e), text, seeds)]
    finally:
        gc.collect()
    return []


def check_seed(seed: int, seconds: float = 60.0) -> tuple[Built | None, list[Failure]]:
    program = drawn(seed)
    if program is None:
        return None, []
    return check_program(program, modes_of(seed), seconds)


def check(seed: int) -> None:
    """Check the program of one seed in every mode; raise with a small program if it fails."""
    _, failures = check_seed(seed)
    if failures:
        raise AssertionError(failures[0].report())
