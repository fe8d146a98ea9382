"""The transformer of the examples learns, and a plan of it splits all that it keeps."""

import importlib
import sys
from pathlib import Path

import numpy as np
import pytest

import theano
from theano import distributed as dist
from theano._src.engines.planning.dry_call import abstract, dry_call

HOME = Path(__file__).parents[2]


@pytest.fixture
def transformer(monkeypatch):
    pytest.importorskip("sklearn")
    monkeypatch.syspath_prepend(str(HOME / "examples"))
    yield importlib.import_module("transformer")
    for name in ("transformer", "digits", "drawing"):
        sys.modules.pop(name, None)


def test_it_learns_to_continue_sequences(transformer, monkeypatch):
    monkeypatch.setattr(theano.config, "mode", "FAST_COMPILE")
    rng = np.random.default_rng(0)
    step, _ = transformer.training_step(transformer.Placed(None, rng), **transformer.SMALL)
    losses = []
    for _ in range(12):
        first, by = rng.integers(0, 16, (2, 32, 1))
        tokens = (first + by * np.arange(13)) % 16
        losses.append(float(step(tokens[:, :-1], tokens[:, 1:])))
    assert losses[-1] < 0.75 * losses[0]


@pytest.mark.xla
def test_parameters_and_their_averages_are_split_over_all_chips(transformer):
    there = dist.topology("cpu:8")
    mesh = dist.mesh({"data": 4, "model": 2}, topology=there)
    step, _ = transformer.training_step(transformer.Placed(mesh), **transformer.SMALL)
    rows = abstract((8, transformer.SMALL["length"]), "int64")
    (program,) = dry_call(step.fn.job, there, [rows, rows]).programs
    parts = {h.name: h.parts for h in program.held if h.is_shared}
    names = ["E", "qkv", "proj", "up", "down"]
    kinds = ["", " mean", " square"]
    assert {n: p for n, p in parts.items() if not n.startswith("P")} == {
        f"{name}{kind}": 8 for name in names for kind in kinds
    }
    # positions are too few to be split over both axes
    assert {parts[f"P{kind}"] for kind in kinds} == {4}


@pytest.mark.xla
def test_rows_are_split_over_replicas_too_and_parameters_are_not(transformer):
    there = dist.topology("cpu:8")
    mesh = dist.mesh({"replica": 2, "data": 2, "model": 2}, topology=there)
    step, _ = transformer.training_step(transformer.Placed(mesh), **transformer.SMALL)
    rows = abstract((8, transformer.SMALL["length"]), "int64")
    (program,) = dry_call(step.fn.job, there, [rows, rows]).programs
    parts = {h.name: h.parts for h in program.held}
    assert (parts["x"], parts["y"]) == (4, 4)
    assert {parts[name] for name in ("E", "qkv", "proj", "up", "down")} == {4}
