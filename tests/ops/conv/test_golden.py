"""Convolutions against what Theano 1.0.5 said of them, values and gradients, on both engines."""

from pathlib import Path

import numpy as np
import pytest

import theano
from tests.golden.ask_conv import asked, cases, derived, numbers

GOLDEN = np.load(Path(__file__).parents[2] / "golden" / "conv.npz")
CASES = list(cases())
TOGETHER = 8  # cases in a program: it is compiled once


def _graphs(i):
    name, image, filters, rest = CASES[i]
    inputs, y = asked(name, image, filters, rest)
    shapes = [s for s in (image, filters) if s is not None]
    wanted = {"value": y}
    if f"{i}-gx" in GOLDEN:
        wanted |= derived(inputs, y, shapes, GOLDEN[f"{i}-value"].shape)
    return inputs, [numbers(s, k + 1) for k, s in enumerate(shapes)], wanted


@pytest.mark.parametrize("engine", ["numpy", "xla"])
@pytest.mark.parametrize("first", range(0, len(CASES), TOGETHER))
def test_theano_gave_the_same_values_and_gradients(first, engine):
    inputs, values, outputs, keys = [], [], [], []
    for i in range(first, min(first + TOGETHER, len(CASES))):
        some, at, wanted = _graphs(i)
        if engine == "xla":  # second derivatives are the same ops once more
            wanted = {name: v for name, v in wanted.items() if name not in ("xw", "wx")}
        inputs += some
        values += at
        keys += [f"{i}-{name}" for name in wanted]
        outputs += wanted.values()
    found = theano.function(inputs, outputs, mode=theano.Mode(engine), on_unused_input="ignore")(
        *values
    )
    for key, value in zip(keys, found, strict=True):
        expected = GOLDEN[key]
        case = CASES[int(key.split("-")[0])]
        assert value.dtype == "float64", (key, case)
        assert value.shape == expected.shape, (key, case)
        np.testing.assert_allclose(value, expected, rtol=1e-12, atol=1e-9, err_msg=f"{key} {case}")


def test_the_table_holds_more_than_80_combinations_with_both_gradients():
    assert sum(f"{i}-gw" in GOLDEN for i in range(len(CASES))) > 80
