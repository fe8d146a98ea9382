"""Rates of a machine: kept, read, refused."""

import json
import os
import subprocess
import sys

import pytest

import theano
import theano.tensor as T
from theano._src.engines import costs
from theano._src.engines.choice.calibrate import calibrate
from theano._src.engines.link import Job


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr(costs, "_known", [])
    monkeypatch.setattr(costs, "_where", lambda: tmp_path / "rates.json")
    return tmp_path


def kept(**changed):
    found = json.loads(json.dumps(costs.asdict(costs.Rates(numpy_call=5e-7))))
    return found | changed


def test_without_a_file_the_shipped_rates_hold(folder):
    assert costs.rates() == costs.Rates()


def test_rates_that_were_kept_are_used_and_read_once(folder):
    (folder / "rates.json").write_text(json.dumps(kept()))
    first = costs.rates()
    assert first.numpy_call == 5e-7
    assert first.kinds == costs.KINDS
    (folder / "rates.json").unlink()
    assert costs.rates() is first


DAMAGED = {
    "not JSON": "{",
    "a list": "[]",
    "rates of an older version": json.dumps({"numpy_call": 1e-6, "numpy_element": 1e-9}),
    "one rate missing": json.dumps({k: v for k, v in kept().items() if k != "load"}),
    "text for a number": json.dumps(kept(load="long")),
    "less than nothing": json.dumps(kept(load=-1.0)),
    "kinds that are no kinds": json.dumps(kept(kinds={"light": 3})),
    "a kind too few": json.dumps(kept(kinds={"light": [1e-9] * 5})),
    "a kind too short": json.dumps(kept(kinds={kind: [1e-9] for kind in costs.KINDS})),
}


@pytest.mark.parametrize("name", DAMAGED)
def test_a_damaged_file_is_as_good_as_none(folder, name):
    (folder / "rates.json").write_text(DAMAGED[name])
    assert costs.rates() == costs.Rates()


def test_what_is_measured_is_kept_for_others(folder):
    measured = calibrate(xla=False)
    assert costs.rates() == measured
    costs._known.clear()
    assert costs.rates() == measured
    assert all(seconds > 0 for seconds in measured.kinds["exp"][:4])


def test_measuring_without_keeping_changes_nothing(folder):
    calibrate(keep=False, xla=False)
    assert costs.rates() == costs.Rates()
    assert not (folder / "rates.json").exists()


def test_loading_costs_nothing_where_jax_is_there(monkeypatch):
    monkeypatch.setitem(sys.modules, "jax", None)
    assert costs.Rates().loading() == 0
    monkeypatch.delitem(sys.modules, "jax")
    assert costs.Rates().loading() > 0


SCRIPT = """
import numpy as np, theano, theano.tensor as T
x = T.dmatrix()
y = x
for k in range(12):
    y = y * x + k
f = theano.function([x], [T.dot(y, y.T).sum(), T.sort(x, axis=1)])
for _ in range(2):
    f(np.ones((300, 200)))
(record,) = f.fn.policy.records.values()
print(record.estimate, record.left)
"""


def test_estimates_are_the_same_in_every_process():
    found = {
        subprocess.run(
            [sys.executable, "-c", SCRIPT],
            env=os.environ | ({"PYTHONHASHSEED": seed} if seed else {}),
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in (None, "1", "2")
    }
    assert len(found) == 1
    assert "Estimate" in found.pop()


def test_the_counting_plan_computes_what_the_plan_does():
    x, y = T.dmatrices("x", "y")
    f = theano.function([x, y], [T.dot(x, y), T.exp(x).sum()], mode=theano.Mode("numpy"))
    from theano._src.engines.choice.estimate import CountingProgram, Model

    program = f.fn
    counting = CountingProgram(Job(f.maker.fgraph, program.storage_map, program.nodes))
    assert counting.source.count("tally[") == len(program.nodes)
    assert Model(f.maker.fgraph, program.storage_map, program.nodes).compiling() > 0
