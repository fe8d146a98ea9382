"""Random programs give the same bits on the native engine as on the numpy engine.

THEANO_TEST_NATIVE says how many are drawn; ``all`` are 20,000. ``make nightly`` draws as many, and
goes on where it was stopped.
"""

import os

import pytest

from tests.engines.native.common import needs_llvm
from tests.engines.native.random_programs import check
from theano._src.testing.opspec import SEED

pytestmark = [needs_llvm, pytest.mark.slow, pytest.mark.filterwarnings("ignore")]
ASKED = os.environ.get("THEANO_TEST_NATIVE", "60")
PROGRAMS = 20_000 if ASKED == "all" else int(ASKED)
FIRST = SEED * 1_000_000


@pytest.mark.parametrize("part", range(4))
def test_random_programs_give_the_bits_of_numpy(part):
    wrong, native, programs = [], 0, 0
    for seed in range(FIRST + part, FIRST + PROGRAMS, 4):
        words, is_native = check(seed)
        if is_native is not None:
            programs += 1
            native += is_native
        if words is not None:
            wrong.append((seed, words))
    assert not wrong
    assert native > 0.4 * programs, (native, programs)
