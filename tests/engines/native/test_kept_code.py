"""Object code on disk: a function of the same graph loads what another has compiled."""

import os
import subprocess
import sys

import numpy as np
import pytest

import theano
import theano.tensor as T
from tests.engines.native.common import native_mode, needs_llvm
from theano._src.engines.disk_cache import Entries
from theano._src.engines.native.printers import llvm

pytestmark = needs_llvm


@pytest.fixture
def compiled(tmp_path, monkeypatch):
    """The levels of what LLVM compiles, with a folder of its own for what is kept."""
    entries, levels = Entries(str(tmp_path)), []
    compile_ = llvm._compiled
    monkeypatch.setattr(llvm, "kept_entries", lambda: entries)
    monkeypatch.setattr(
        llvm, "_compiled", lambda text, level: levels.append(level) or compile_(text, level)
    )
    return levels


def log_density(level):
    x = T.dvector("x")
    cost = T.exp(-T.sqr(x) / 2).sum()
    return theano.function([x], [cost, T.grad(cost, x)], mode=native_mode(level))


def test_a_second_function_of_the_same_graph_compiles_nothing(compiled):
    first = log_density(2)
    assert compiled == [0, 2]  # main, and the kernels
    second = log_density(2)
    assert compiled == [0, 2]
    value = np.random.RandomState(0).randn(300)
    for a, b in zip(first(value), second(value), strict=True):
        assert a.tobytes() == b.tobytes()


def test_optimised_kernels_are_taken_where_others_would_do(compiled):
    log_density(2)
    assert log_density(0).fn.code.level == 2
    assert compiled == [0, 2]


def test_a_damaged_entry_is_compiled_again(compiled, tmp_path):
    log_density(0)
    for path in tmp_path.iterdir():
        path.write_bytes(path.read_bytes()[:-1] + b"?")
    assert log_density(0)(np.zeros(3))[0] == 3
    assert compiled == [0, 0, 0, 0]


def test_other_processors_and_levels_have_keys_of_their_own(monkeypatch):
    keys = {llvm._key("text", 0), llvm._key("text", 2), llvm._key("other text", 0)}
    monkeypatch.setattr(llvm, "_target", lambda: ("another processor", ""))
    assert len({*keys, llvm._key("text", 0)}) == 4


_PROGRAM = """
import numpy as np, theano, theano.tensor as T
from theano._src.engines.native.printers import llvm

x = T.dmatrix("x")
out, _ = theano.scan(lambda row, s: T.tanh(row + s) * row.sum(), x, T.zeros(3))
f = theano.function([x], [out, T.grad(out[-1].sum(), x)], mode=theano.Mode("native"))
f(np.ones((4, 3)))
print(f.fn.code.level, llvm._compiled.__name__)
"""


def test_another_process_has_the_same_keys(tmp_path):
    flags = f"base_compiledir={tmp_path}"
    never = (
        "from theano._src.engines.native.printers import llvm\n"
        "def never(text, level): raise AssertionError\n"
        "llvm._compiled = never\n"
    )
    for script in (_PROGRAM, never + _PROGRAM):
        done = subprocess.run(
            [sys.executable, "-c", script],
            env={**os.environ, "THEANO_FLAGS": flags, "PYTHONHASHSEED": "random"},
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["2", "never"]
