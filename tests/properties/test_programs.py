"""Random programs of the whole language mean what NumPy computes, in every mode.

Indexing, writing, loops, choices, gradients and state in every dtype; see `programs.drawing`.
THEANO_TEST_SEED says which are drawn; `make nightly` checks them by the thousand.
"""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.properties import nightly
from tests.properties.programs import checking, expected, numbers as nb, running
from tests.properties.programs.description import Leaf, Line, Program
from tests.properties.programs.drawing import drawn
from tests.properties.programs.numbers import Num
from theano._src.testing.opspec import SEED

PROGRAMS = 36
PARTS = 3  # tests of equal size, which run side by side
FIRST = SEED * 1_000_000


@pytest.mark.slow
@pytest.mark.xla
@pytest.mark.parametrize("part", range(PARTS))
def test_random_programs_of_the_whole_language_mean_what_numpy_computes(part: int) -> None:
    each = PROGRAMS // PARTS
    seeds = range(FIRST + part * each, FIRST + (part + 1) * each)
    print(f"seeds {seeds.start} to {seeds.stop - 1} (THEANO_TEST_SEED={SEED})")
    built, failures = [], []
    for seed in seeds:
        b, found = checking.check_seed(seed)
        built += [b] if b else []
        failures += found
    failures += checking.check_together(built[:8], "xla")
    assert len(built) > 0.9 * each
    assert not failures, "\n".join(f.report() for f in failures)


def test_an_index_that_takes_too_many_elements_is_not_drawn() -> None:
    rows = nb.leaf(np.zeros((3, 400_000), "int16"), (False, False))
    at = nb.leaf(np.zeros(20_000, "int64"), (False,))
    with pytest.raises(nb.Undecided, match="too large"):
        rows[at]
    assert rows[at, at].x.shape == (20_000,)
    assert drawn(11_000_956) is not None


def _broken(x: object) -> Program:
    """A program of four lines, of which one is not what the description says."""
    lines = (
        Line(("v0",), "{0} * 2", ("i0",)),
        Line(("v1",), "{0}[{1}]", ("v0", "1:, :2")),
        Line(("v2",), "T.sort({0}, axis=0)", ("v1",)),
        Line(("v3",), "{0} + 1", ("v2",)),
    )
    leaf = Leaf("input", "i0", (np.asarray(x),), (False, False), "Fortran")
    return Program((leaf,), lines, ("v1", "v3"), seed=7)


def test_a_failure_is_made_small_and_is_source_that_runs(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    sort = expected.NAMES["T"].sort
    monkeypatch.setattr(expected.NAMES["T"], "sort", lambda a, axis: sort(a, axis)[::-1])
    program = _broken(np.arange(15.0).reshape(5, 3))
    _, failures = checking.check_program(program, ["numpy"], seconds=20)
    (failure,) = failures
    assert "seed 7, numpy: Difference" in failure.report()
    assert failure.listing.count(" = T.sort") == 1
    assert "* 2" not in failure.listing and "+ 1" not in failure.listing
    exec(failure.listing, {})
    assert capsys.readouterr().out.startswith("[array([[")


def test_the_bound_is_what_rounding_may_do_and_no_more() -> None:
    (b,) = [running.build(_broken(np.linspace(-1, 1, 15).reshape(5, 3)))]
    running.run_alone(b, "numpy")
    n = b.want.calls[0].outputs[1]
    near = replace(b.want.calls[0], outputs=[b.want.calls[0].outputs[0], n])
    assert n.err is not None and np.all(n.err < 1e-14)
    x = np.asarray(n.x).astype("float64")
    assert running.difference("v3", x, near.outputs[1]) is None
    assert running.difference("v3", x + 1e-13, near.outputs[1]) is not None


def test_infinities_and_nan_that_are_moved_are_the_same_beside_numbers_with_a_bound() -> None:
    want = Num(np.array([np.inf, np.nan, 1.0]), "float32", np.array([np.inf, np.nan, 1e-7]))
    got = np.array([np.inf, np.nan, 1 + 1e-7], "float32")
    assert running.difference("v", got, want) is None
    for wrong in ([-np.inf, np.nan, 1], [np.inf, 0, 1], [np.inf, np.nan, 1.1], [1, np.nan, 1]):
        assert running.difference("v", np.array(wrong, "float32"), want) is not None


def test_what_numpy_computes_is_computed_without_theano() -> None:
    text = "import sys, tests.properties.programs.drawing; assert 'theano' not in sys.modules"
    subprocess.run([sys.executable, "-c", text], check=True, cwd=nightly.ROOT)


def test_a_seed_always_draws_the_same_program() -> None:
    for seed in range(FIRST, FIRST + 20):
        one, two = drawn(seed), drawn(seed)
        assert (one is None) == (two is None)
        if one is not None and two is not None:
            assert one.listing() == two.listing()


def test_a_nightly_run_that_was_stopped_goes_on_where_its_log_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    checked = []

    def check(self: nightly.Worker, kind: str, seeds: list[int]) -> list[dict[str, object]]:
        checked.extend((kind, seed) for seed in seeds)
        return [{"seed": 45, "words": "wrong"}] if 45 in seeds and len(checked) < 200 else []

    monkeypatch.setattr(nightly.Worker, "check", check)
    log = tmp_path / "log.jsonl"
    given = ["--programs", "80", "--views", "0", "--graphs", "0", "--sparse", "0"]
    given += ["--magnitudes", "0", "--native", "0"]
    given += ["--log", str(log)]
    assert nightly.main(given) == 1
    assert len(checked) == 80
    assert nightly.main([*given[:-1], str(log)]) == 1  # the block with the failure, once more
    assert [seed for _, seed in checked[80:]] == list(range(40, 80))
    checked += [("", 0)] * 200
    assert nightly.main(given) == 0
    assert nightly.main(given) == 0 and len(checked) == 80 + 40 + 200 + 40
    lines = [json.loads(text) for text in log.read_text().splitlines()]
    assert {"commit", "jax", "numpy", "cores"} <= set(lines[0]["run"])
    assert "programs: 80 seeds, 0 failures" in capsys.readouterr().out


@pytest.mark.slow
def test_a_worker_that_ends_or_is_stuck_is_a_failure_of_its_program(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    worker = nightly.Worker(1.0, tmp_path / "errors")
    monkeypatch.setattr(nightly, "_SHRINKING", 0.1)
    text = "import sys, time; print(sys.stdin.readline()) if 0 else time.sleep(60)"
    monkeypatch.setattr(nightly, "_COMMAND", [sys.executable, "-c", text])
    (stuck,) = worker.check("programs", [3])
    assert "stopped after" in stuck["words"]
    monkeypatch.setattr(nightly, "_COMMAND", [sys.executable, "-c", "raise SystemExit(9)"])
    (gone,) = worker.check("programs", [4])
    assert gone == {"seed": 4, "words": "the process ended with 9"}
    worker.stop()
