"""Random programs that read and write one array through views mean what NumPy computes.

THEANO_TEST_VIEWS says how many are drawn (500), THEANO_TEST_SEED which. All run on both engines; of
up to 500 a tenth runs unrewritten on XLA too, of more all of them. What a failure prints is a
Theano program that shows it, made small.
"""

from __future__ import annotations

import os

import numpy as np
import pytest

import theano
import theano.tensor as T
from tests.properties import view_programs, view_steps, views
from tests.properties.views import TOGETHER, check, check_all, draw, reduced, report, trouble
from theano._src.engines.jax.arrays import jax_xp
from theano._src.testing.opspec import SEED

PROGRAMS = int(os.environ.get("THEANO_TEST_VIEWS", "120"))
PARTS = 4  # tests of equal size, which run side by side
ALONE = 10  # of each so many programs one runs alone, on NumPy; of XLA's one in forty
FIRST = SEED * 1_000_000


def _told(failures: dict[int, str]) -> str:
    return "\n\n".join(failures.values())


@pytest.mark.slow
@pytest.mark.parametrize("part", range(PARTS))
def test_programs_on_views_mean_what_numpy_computes_on_the_numpy_engine(part: int) -> None:
    seeds = range(FIRST + part, FIRST + PROGRAMS, PARTS)
    modes = ["numpy", "numpy, nothing rewritten"]
    alone = [s for s in seeds if s // PARTS % ALONE == 0]
    failures = {s: text for s in alone if (text := check(s, modes)) is not None}
    failures |= check_all([s for s in seeds if s not in alone], modes)
    assert not failures, _told(failures)


@pytest.mark.slow
@pytest.mark.xla
@pytest.mark.parametrize("part", range(PARTS))
def test_programs_on_views_mean_what_numpy_computes_on_xla(part: int) -> None:
    seeds = list(range(FIRST + part, FIRST + PROGRAMS, PARTS))
    unrewritten = seeds[::10] if PROGRAMS <= 500 else seeds
    alone = seeds[::40]
    failures = {s: text for s in alone if (text := check(s, ["xla"])) is not None}
    failures |= check_all([s for s in seeds if s not in alone], ["xla"])
    failures |= check_all(unrewritten, ["xla, nothing rewritten"])
    assert not failures, _told(failures)


def test_a_program_is_the_same_for_the_same_seed() -> None:
    assert [draw(s).listing("numpy") for s in range(5)] == [
        draw(s).listing("numpy") for s in range(5)
    ]


def test_programs_hold_every_way_to_share_memory() -> None:
    programs = [draw(s) for s in range(250)]
    text = "\n".join(p.listing("numpy") for p in programs)
    for word in (
        *("set_subtensor", "inc_subtensor", ".reshape", ".flatten", ".dimshuffle", "T.diagonal"),
        *("T.join", "T.roll", "::-1", "np.array([", "theano.scan", "taps=", "sequences="),
        *("OpFromGraph", "ifelse", "T.grad", "updates=[(", "theano.shared", "view_op"),
        *("borrow=True", "mutable=True", "theano.Out", "T.split", "T.swapaxes", "True, False"),
    ):
        assert word in text, word
    dtypes = {leaf.value.dtype.name for p in programs for leaf in p.leaves}
    assert dtypes >= set(views.DTYPES)


def test_a_listing_runs_and_shows_the_same_values() -> None:
    for seed in range(12):
        exec(draw(seed).listing("numpy"), {})


@pytest.mark.slow
@pytest.mark.xla
def test_the_programs_tell_when_blocks_are_written_over_what_they_are_read_from(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The fault of the engine that they were made for, with our cure for it left out."""
    monkeypatch.setattr(jax_xp, "materialized", lambda value: value)
    seeds = range(TOGETHER * 3)
    found: list[int] = []
    for first in range(0, len(seeds), TOGETHER):
        some = list(seeds[first : first + TOGETHER])
        words = views.run([draw(s) for s in some], "xla")
        found += [s for s, w in zip(some, words, strict=True) if w is not None]
        if found:
            break
    if not found:
        pytest.skip("this version of jax computes a block before it writes it")
    text = check(found[0], ["xla"])
    assert text is not None and f"seed {found[0]}, xla: call 1" in text
    program = text.split("\n\n", 1)[1]
    assert len(program.splitlines()) < 20
    with pytest.raises(AssertionError):
        exec(program, {})


def test_a_failure_is_shrunk_to_the_step_that_makes_it(monkeypatch: pytest.MonkeyPatch) -> None:
    # what NumPy is told of T.roll is wrong
    wrong = {**view_programs.NUMERIC, "np": _Wrong()}
    for module in (view_programs, view_steps):
        monkeypatch.setattr(module, "NUMERIC", wrong)
    seed = next(s for s in range(200) if _rolls(s))
    fails = lambda p: trouble(p, "numpy") is not None
    small = reduced(draw(seed), fails)
    assert "seed" in report(small, "numpy")
    assert len(small.lines) == 1 and "T.roll" in small.lines[0].symbolic
    assert not small.updates and small.calls == 1


def _rolls(seed: int) -> bool:
    program = draw(seed)
    return (
        len(program.lines) > 3
        and any(e.symbolic.startswith("T.roll") for e in program.lines)
        and trouble(program, "numpy") is not None
    )


class _Wrong:
    """NumPy, with a roll that goes nowhere."""

    def __getattr__(self, name: str) -> object:
        return (lambda a, *_: a) if name == "roll" else getattr(np, name)


def test_a_view_of_an_argument_is_copied_before_it_is_given_back() -> None:
    """What the programs check besides values: arrays of the caller are neither kept nor changed."""
    x = T.dvector("x")
    given = np.arange(4.0)
    for mode in ("numpy", "numpy, nothing rewritten"):
        made = theano.function([x], x[::-1], mode=views.MODES[mode]())(given)
        assert not np.shares_memory(made, given)
