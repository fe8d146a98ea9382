"""Random programs, at least 30 ops deep, mean what NumPy computes, on every engine.

THEANO_TEST_GRAPHS says how many are drawn (200; 2,000 every night), THEANO_TEST_SEED which. What a
failure prints is Python source, to be pasted into test_found.py.
"""

from __future__ import annotations

import os
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings

import theano
import theano.tensor as T
from tests.properties.drawing import DEPTH, Drawing, Program, programs
from tests.properties.gradients import check_gradients
from tests.properties.running import check
from theano._src.testing.opspec import SEED

GRAPHS = int(os.environ.get("THEANO_TEST_GRAPHS", "40"))
PARTS = 4  # tests of equal size, which run side by side
TOGETHER = 10  # programs that one XLA program computes
WITH_GRADIENTS = max(1, GRAPHS // 8)


def drawn(count: int, which: int, floats: bool = False) -> list[Program]:
    """So many programs; the same ones for the same seed."""
    found: list[Program] = []

    @seed(SEED * 1000 + which)
    @settings(
        max_examples=count,
        phases=(Phase.generate,),
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(programs(floats))
    def draw(program: Program | None) -> None:
        if program is not None:
            found.append(program)

    draw()
    return found


@pytest.mark.slow
@pytest.mark.xla
@pytest.mark.parametrize("part", range(PARTS))
def test_random_programs_mean_what_numpy_computes_on_every_engine(part: int) -> None:
    found = drawn(GRAPHS // PARTS, part)
    # a few draws end before they are deep enough
    assert len(found) >= 0.9 * (GRAPHS // PARTS)
    assert all(max(v.depth for v in p.values.values()) >= DEPTH for p in found)
    for program in found:
        check([program], "numpy")
        check([program], "numpy, nothing rewritten")
    for i in range(0, len(found), TOGETHER):
        check(found[i : i + TOGETHER], "xla")


@pytest.mark.slow
@pytest.mark.xla
def test_gradients_of_random_programs_are_the_same_on_both_engines() -> None:
    found = drawn(WITH_GRADIENTS, PARTS, floats=True)
    for i in range(0, len(found), TOGETHER):
        check_gradients(found[i : i + TOGETHER])


def test_a_difference_is_reported_as_a_short_program_that_can_be_pasted() -> None:
    program = next(p for p in map(_program, range(100)) if p and len(p.lines) > 15)
    line = program.lines[-1]
    wrong = replace(program.values[line.name], runs=[program.values[line.name].x + 1])
    told = Program(program.leaves, program.lines, [line.name], {**program.values, line.name: wrong})
    with pytest.raises(AssertionError, match="THEANO_TEST_SEED") as caught:
        check([told], "numpy")
    text = str(caught.value).split("\n\n", 1)[1]
    env = {"np": np, "T": T, "theano": theano, "nan": np.nan, "inf": np.inf}
    exec(text, env)
    assert text.count("# numpy:") == 1  # one step: all others are given by their values
    assert len(env["outputs"]) == len(env["expected"]) == 1


def _program(number: int) -> Program | None:
    return Drawing(number).draw_program()
