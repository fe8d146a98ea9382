"""The example programs learn what they should, and begin as under Theano 1.0.5."""

import importlib
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

HOME = Path(__file__).parents[2]
GOLDEN = json.loads((HOME / "tests" / "golden" / "examples.json").read_text())
# what README.md states
ACCURACY = {
    "softmax_regression": 0.92,
    "mlp_dropout": 0.96,
    "lenet": 0.97,
    "denoising_autoencoder": 0.92,
}


@pytest.fixture
def program(monkeypatch):
    pytest.importorskip("sklearn")
    monkeypatch.syspath_prepend(str(HOME / "examples"))

    def imported(name):
        # random numbers are drawn on import too: each test begins anew
        sys.modules.pop(name, None)
        return importlib.import_module(name)

    yield imported
    for name in (*ACCURACY, "digits", "drawing"):
        sys.modules.pop(name, None)


@pytest.mark.parametrize("name", ACCURACY)
def test_a_program_learns_the_digits(name, program):
    results = program(name).main(quiet=True)
    losses = results["losses"]
    assert results["accuracy"] > ACCURACY[name]
    assert all(values[-1] < values[0] for values in losses.values())
    stated = (HOME / "examples" / "README.md").read_text()
    assert f"| `{name}.py` | over {100 * ACCURACY[name]:.0f} %" in stated
    first = next(iter(losses))
    # the same numbers, random ones among them, as far as rounding lets them
    np.testing.assert_allclose(losses[first][:2], GOLDEN[name]["losses"][first], rtol=1e-9)
    if name == "mlp_dropout":  # it does better on new digits, and worse on those it has learned
        with_it, without = (results["tests"][name][-1, 0] for name in losses)
        assert with_it < 0.8 * without
        assert losses["MLP without"][-1] < 0.1 * losses["MLP with dropout"][-1]


def test_a_program_runs_by_name_and_draws_its_loss(tmp_path, program):
    program("digits")
    path = tmp_path / "loss.png"
    call = [sys.executable, HOME / "examples" / "softmax_regression.py", "--epochs", "1"]
    made = subprocess.run([*call, "--plot", path], capture_output=True, text=True, check=True)
    assert "test accuracy" in made.stdout
    assert path.exists() or "install matplotlib" in made.stdout


def test_a_program_goes_without_a_progress_bar(program, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "rich.progress", None)
    losses = program("digits").learn("counting", 3, lambda epoch: epoch)
    assert losses == [0.0, 1.0, 2.0]
    assert "counting: 3 epochs" in capsys.readouterr().out


def test_a_program_goes_without_matplotlib(program, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setattr(sys, "argv", ["program", "--figure", "absent.png"])
    program("digits").run(lambda: {}, "A program.", draw=lambda results, path: 1 / 0)
    assert capsys.readouterr().out == "no figure: install matplotlib\n"
