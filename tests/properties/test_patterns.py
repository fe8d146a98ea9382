"""Sparsity patterns of random programs cover their Jacobians at random points.

THEANO_TEST_PATTERNS says how many programs are drawn (12; 300 for the figures in the documents).
"""

from __future__ import annotations

import os

import numpy as np
import pytest

from tests.properties.patterns import Count, compare
from tests.properties.test_random_graphs import drawn

PROGRAMS = int(os.environ.get("THEANO_TEST_PATTERNS", "12"))


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_no_entry_of_a_jacobian_is_missed_by_its_pattern() -> None:
    count = Count()
    programs = drawn(PROGRAMS, 900, floats=True)
    missing = [words for program in programs for words in compare(program, count)]
    assert not missing, "\n".join(missing)
    assert count.pairs > 2 * len(programs)
    print(f"{len(programs)} programs, {count.pairs} pairs of variables, {count.stored} entries")
    print(f"superfluous: {count.superfluous}, on average {np.mean(count.shares):.1%}")
    print(count.causes.most_common())
    # entries that depend on values are in the pattern, whatever values the points have
    assert np.mean(count.shares) < 0.35
