"""Random programs on sparse matrices mean what NumPy computes, in every mode.

THEANO_TEST_SEED says which are drawn; `make nightly` checks 2,000.
"""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from tests.properties import nightly, sparse_plain, sparse_programs
from tests.properties.sparse_description import Leaf, Line, Program, as_plain, path
from tests.properties.sparse_drawing import draw
from tests.properties.sparse_programs import MODES, check, trouble
from tests.properties.sparse_steps import STEPS, sparse_value
from theano._src.testing.opspec import SEED

PROGRAMS = 40
PARTS = 2  # tests of equal size, which run side by side
FIRST = SEED * 1_000_000


@pytest.mark.slow
@pytest.mark.xla
@pytest.mark.parametrize("part", range(PARTS))
def test_random_programs_on_sparse_matrices_mean_what_numpy_computes(part: int) -> None:
    each = PROGRAMS // PARTS
    seeds = range(FIRST + part * each, FIRST + (part + 1) * each)
    print(f"seeds {seeds.start} to {seeds.stop - 1} (THEANO_TEST_SEED={SEED})")
    # XLA takes most of the time, to compile
    others = tuple(mode for mode in MODES if mode != "xla")
    found = [check(seed, others if seed % 3 else tuple(MODES)) for seed in seeds]
    failures = [text for text in found if text is not None]
    assert not failures, "\n\n".join(failures)


def test_a_seed_always_draws_the_same_program() -> None:
    for seed in range(FIRST, FIRST + 15):
        assert draw(seed).listing("numpy") == draw(seed).listing("numpy")


def test_programs_hold_every_step_and_both_kinds_of_gradient() -> None:
    programs = [draw(seed) for seed in range(400)]
    text = "\n".join(program.listing("numpy") for program in programs)
    missing = [s.text for s in STEPS if _begin(s.text) not in text]
    assert not missing
    assert sum(len(p.grads) for p in programs) > 200
    assert sum(len(p.updates) for p in programs) > 100
    kinds = [
        path(p, {leaf.name: as_plain(leaf.values[0]) for leaf in p.leaves}, *g)
        for p in programs
        for g in p.grads
        if hasattr(p.leaf(g[1]).values[0], "indices")
    ]
    assert kinds.count("stored") > 30 and kinds.count("all") > 10


def _begin(text: str) -> str:
    """The part of a step that has no arguments in it."""
    return max(text.replace("}", "{").split("{")[::2], key=len)


def test_what_numpy_computes_is_computed_without_theano_and_scipy() -> None:
    text = (
        "import sys, tests.properties.sparse_plain; "
        "assert not {'theano', 'scipy'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", text], check=True, cwd=nightly.ROOT)


def _wrong_program() -> Program:
    rng = np.random.default_rng(0)
    x = Leaf("i0", (sparse_value(rng, "csr", "twice stored", (3, 4), "float64"),))
    d = Leaf("s1", (np.arange(12.0).reshape(4, 3),), "shared")
    lines = (
        Line("v0", "S.sqr(i0)", ("i0",), "stored"),
        Line("v1", "S.dot(v0, s1)", ("v0", "s1"), "all"),
        Line("v2", "T.tanh(v1)", ("v1",), "all"),
        Line("cost", "T.sqr(v2).sum()", ("v2",), "all"),
    )
    return Program(3, (x, d), lines, ("v1", "v2"), (("cost", "i0"), ("cost", "s1")))


@pytest.mark.parametrize("mode", ["numpy", "py, nothing rewritten"])
def test_a_failure_is_made_small_and_is_source_that_runs(
    mode: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    program = _wrong_program()
    assert trouble(program, mode) is None
    monkeypatch.setattr(sparse_plain.NAMES["T"], "tanh", lambda x: np.tanh(x) + 1e-4)
    told = trouble(program, mode)
    assert told is not None and told.startswith("call 1")
    small = sparse_programs.reduced(program, mode)
    assert [line.name for line in small.lines] == ["v2"] and len(small.leaves) == 1
    exec(small.listing(mode), {})
    assert "array(" in capsys.readouterr().out


def test_a_wrong_gradient_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    program = _wrong_program()
    square = sparse_plain.NAMES["S"].sqr
    monkeypatch.setattr(
        sparse_plain.NAMES["S"], "sqr", lambda x: square(x).with_data(square(x).data * 1.0001)
    )
    told = trouble(program, "numpy")
    assert told is not None
    only = Program(3, program.leaves, program.lines, (), (("cost", "i0"),))
    monkeypatch.setattr(sparse_programs, "_along", lambda *_: 1e3)
    assert "the gradient of cost in i0 is 1000.0" in (trouble(only, "numpy") or "")


def test_every_engine_is_asked() -> None:
    assert {name.split(",")[0] for name in MODES} == {"numpy", "py", "xla", "default"}
