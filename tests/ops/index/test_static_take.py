"""Pick: entries at places that the op knows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import theano.tensor as T
from theano._src.ops.index.static_take import StaticTake
from theano.testing import Case, OpSpec, Raises, spec_tests

V = np.array([3.0, -1.0, 2.0, 7.0])
M = np.arange(12, dtype="float32").reshape(3, 4)
X = np.arange(24, dtype="int16").reshape(2, 3, 4)


def picked(x: Any, at: Any = 0) -> Any:
    return StaticTake(at, 4)(x)


def entries(x: Any, at: Any = 0) -> Any:
    """Entry by entry."""
    x = np.asarray(x)
    if isinstance(at, int):
        return np.array([row[at] for row in x.reshape(-1, 4).tolist()], x.dtype).reshape(
            x.shape[:-1]
        )
    rows = [[row[k] for k in at] for row in x.reshape(-1, 4).tolist()]
    return np.array(rows, x.dtype).reshape(*x.shape[:-1], len(at))


PLACES = [0, 3, (1, 2), (3, 0, 1, 2), (2,), (0, 0, 3, 1, 1, 3, 0), (3, 2, 1, 0, 3, 2)]

SPECS = [
    OpSpec(
        picked,
        entries,
        name="pick",
        cases=[Case(x, kwargs={"at": at}) for at in PLACES for x in (V, M, X)],
        errors=[
            Raises((V[:3],), ValueError, "takes 4 entries", when="run", kwargs={"at": (0, 1)}),
            Raises((np.float64(1.0),), TypeError, "at least one dimension", when="build"),
        ],
    )
]


def test_places_beyond_the_length_are_refused():
    with pytest.raises(IndexError, match="places from 0 to 3"):
        StaticTake((0, 4), 4)
    with pytest.raises(IndexError, match="places from 0 to 3"):
        StaticTake(-1, 4)


def test_it_prints_the_stretches_that_it_reads():
    x = T.dvector("x")
    assert str(StaticTake((3, 0, 1, 2), 4)(x).owner.op) == "StaticTake{3:4,0:3 of 4}"
    assert str(StaticTake(2, 4)(x).owner.op) == "StaticTake{2 of 4}"


test_ops = spec_tests(SPECS)
