"""Random programs give the same bits on the native engine as on the numpy engine.

THEANO_TEST_NATIVE says how many are drawn; ``all`` are 20,000.
"""

import os

import numpy as np
import pytest

from tests.engines.native.common import bits, needs_llvm
from tests.properties.programs.drawing import drawn
from tests.properties.programs.running import Joint, build
from theano._src.engines.native.program import NativeProgram
from theano._src.testing.opspec import SEED

pytestmark = [needs_llvm, pytest.mark.slow, pytest.mark.filterwarnings("ignore")]
ASKED = os.environ.get("THEANO_TEST_NATIVE", "60")
PROGRAMS = 20_000 if ASKED == "all" else int(ASKED)
FIRST = SEED * 1_000_000


def results(built, mode):
    """The bits of all that the calls of a program give, or the errors that they raise."""
    joint = Joint([built], mode)
    built.reset()
    collected = []
    for k in range(built.program.calls):
        try:
            (got,) = joint.call(k)
            values = [*got.outputs, *got.slopes]
        except Exception as e:
            values = [type(e)]
        values += [s.get_value() for s in built.shared.values()]
        collected.append([v if isinstance(v, type) else bits(np.asarray(v)) for v in values])
    return collected, joint.f


@pytest.mark.parametrize("part", range(4))
def test_random_programs_give_the_bits_of_numpy(part):
    wrong, native, programs = [], 0, 0
    for seed in range(FIRST + part, FIRST + PROGRAMS, 4):
        program = drawn(seed)
        if program is None:
            continue
        built = build(program)
        want, _ = results(built, "numpy")
        got, f = results(built, "native")
        programs += 1
        native += isinstance(f.fn, NativeProgram)
        assert "was not made" not in f.fn.why, (seed, f.fn.why)
        if got != want:
            wrong.append(seed)
    assert not wrong
    assert native > 0.4 * programs, (native, programs)
