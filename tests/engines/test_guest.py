"""A guest in the user's process (U3.10, A13): nothing changes and nothing is printed but ours.

``THEANO_TEST_GUEST=all`` has each feature in processes of its own.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.engines.guest import FEATURES
from theano._src.engines.disk_cache import Entries
from theano._src.engines.jax import kept_programs
from theano._src.engines.jax.arrays.jax_xp import jit
from theano._src.engines.jax.constant_work import is_large
from theano._src.engines.jax.kept_programs import KeptProgram
from theano._src.engines.jax.settings import for_runs

pytest.importorskip("jax")
pytestmark = pytest.mark.xla

ROOT = Path(__file__).parents[2]
SINGLY = os.environ.get("THEANO_TEST_GUEST") == "all"
TOGETHER = [
    ["numpy", "xla", "switched", "scan", "streams", "as_jax", "from_jax", "mesh"],
    ["alone", "export", "files", "profiled", "debugged", "failed", "folded"],
]
NAMES = [feature.__name__ for feature in FEATURES]
GROUPS = [*TOGETHER, *([name] for name in NAMES)] if SINGLY else TOGETHER
many = pytest.mark.skipif(not SINGLY, reason="THEANO_TEST_GUEST=all runs it")


def run(folder, *command, expected="", **environment):
    """What a process prints; its standard error is as ``expected``."""
    kept = {k: v for k, v in os.environ.items() if k != "XLA_FLAGS"}
    flags = {"THEANO_FLAGS": f"base_compiledir={folder}", "PYTHONPATH": str(ROOT)}
    ran = subprocess.run(
        [sys.executable, *command],
        cwd=ROOT,
        env=kept | flags | environment,
        capture_output=True,
        encoding="utf-8",
        timeout=600,
    )
    assert ran.returncode == 0, ran.stderr[-3000:]
    assert ran.stderr == expected
    return ran.stdout


def kept_in(folder):
    return {path.name: path.stat() for path in folder.rglob("*-cache")}


def made_old(folder):
    for path in folder.rglob("*-cache"):
        os.utime(path, (1, 1))


def test_every_feature_is_in_a_group():
    assert sorted(n for group in TOGETHER for n in group if n != "alone") == sorted(NAMES)


@pytest.mark.slow
@pytest.mark.parametrize("features", GROUPS, ids="-".join)
def test_features_change_nothing_of_the_process_and_print_nothing_twice_in_a_row(
    tmp_path, features
):
    """U3.10, A13: settings of jax, environment, threads, signals, warnings, logs, and stderr.

    Without jax code of the user's, programs are kept in a home whose name the locale cannot spell.
    """
    around = {"XLA_FLAGS": "--xla_force_host_platform_device_count=2"}
    if features[0] == "alone":
        home = tmp_path / "J\u00fcrgen"
        home.mkdir(exist_ok=True)
        around |= {"HOME": str(home), "THEANO_FLAGS": "", "LC_ALL": "C"}
        around |= {"PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    before = {}
    for _ in range(2):
        found = json.loads(run(tmp_path, "-m", "tests.engines.guest", *features, **around))
        assert found == {name: [] for name in found}
        assert set(found) == {"import theano", *features} - {"alone"}
        # what the first run has kept, the second has read
        kept = kept_in(tmp_path)
        for name, file in before.items():
            assert (kept[name].st_ino, kept[name].st_mtime > 2) == (file.st_ino, True)
        made_old(tmp_path)
        before = kept
    assert kept or SINGLY
    assert not [name for name in kept if "own_function" in name]


@many
def test_processes_that_are_launched_print_nothing_but_their_own_lines_twice_in_a_row(tmp_path):
    """U3.10: the second time each reads its programs from the disk."""
    for _ in range(2):
        command = ["-m", "theano.distributed", "-n", "2", "-m", "tests.engines.guest"]
        lines = run(tmp_path, *command, "two_processes").splitlines()
        assert sorted(lines) == [f'[{k}] {{"two_processes": []}}' for k in range(2)]
    assert kept_in(tmp_path)


OWN_CACHE = """
import sys
from tests.engines import guest
import jax
if sys.argv[1] == "both":
    guest.users_own()
before = guest.snapshot()
guest.xla()
print(guest.changes(before, guest.snapshot()))
"""


@pytest.mark.slow
def test_a_cache_of_jaxs_that_the_user_has_set_stays_the_users(tmp_path):
    """U3.10: their functions are kept there; ours are read from our folder, and print nothing."""
    theirs = {
        "JAX_COMPILATION_CACHE_DIR": str(tmp_path / "theirs"),
        "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0",
    }
    ours = tmp_path / "ours"
    assert run(ours, "-c", OWN_CACHE, "both", **theirs) == "[]\n"
    assert any("own_function" in path.name for path in (tmp_path / "theirs").iterdir())
    (name,) = kept_in(ours)
    assert "theano" in name
    made_old(ours)
    for path in (tmp_path / "theirs").iterdir():
        path.unlink()
    # jax would make its cache at the first program that it compiles
    assert run(ours, "-c", OWN_CACHE, "ours", **theirs) == "[]\n"
    assert kept_in(ours)[name].st_mtime > 2
    assert not any("theano" in path.name for path in (tmp_path / "theirs").iterdir())


SETTINGS = """
import warnings
import numpy as np, jax
import theano, theano.tensor as T

def functions():
    x, i = T.dmatrix("x"), T.fvector("i")
    w = theano.shared(np.ones(3), "w")
    y = T.log(T.dot(x, x.T)) + T.arange(3) * i + w
    mode = theano.Mode("xla")
    step = theano.function([x, i], y, updates=[(w, w + 1 / (w - 3))], mode=mode)
    soft = theano.from_jax(lambda x: jax.numpy.tanh(x) * 2)(i)
    return w, step, theano.function([i], soft, mode=theano.Mode("cvm"))

def values(w, step, soft):
    x, i = np.linspace(-1, 1, 9).reshape(3, 3) / 3, np.arange(3, dtype="float32")
    w.set_value(np.ones(3))
    made = [step(x, i) for _ in range(4)] + [w.get_value(), soft(i)]
    return b"".join(np.asarray(m).tobytes() for m in made)

old = functions()
expected = values(*old)
assert not np.isfinite(old[1](np.zeros((3, 3)), np.zeros(3, "float32"))).all()
for name, value in [
    ("jax_enable_x64", True), ("jax_enable_x64", False),
    ("jax_default_matmul_precision", "bfloat16"), ("jax_numpy_dtype_promotion", "strict"),
    ("jax_numpy_rank_promotion", "raise"), ("jax_debug_nans", True), ("jax_debug_infs", True),
    ("jax_disable_jit", True), ("jax_transfer_guard", "disallow_explicit"),
    ("jax_default_prng_impl", "rbg"), ("jax_softmax_custom_jvp", False),
]:
    before = getattr(jax.config, name)
    jax.config.update(name, value)
    for each in (old, functions()):
        if values(*each) != expected:
            print(name, value, "changes what is computed")
    assert getattr(jax.config, name) == value
    jax.config.update(name, before)
"""


@pytest.mark.slow
def test_functions_give_the_same_bits_whatever_the_settings_of_jax_are(tmp_path):
    """U3.10: those compiled before and those compiled after a setting was changed."""
    assert run(tmp_path, "-c", SETTINGS) == ""


def test_programs_of_one_text_that_read_different_arguments_are_different_entries(
    tmp_path, monkeypatch
):
    entries = Entries(str(tmp_path))
    monkeypatch.setattr(kept_programs, "kept_entries", lambda: entries)
    monkeypatch.setattr(kept_programs, "_WORTH_KEEPING", 0.0)
    a, b = np.zeros(3), np.ones(3)
    for _ in range(2):
        for function, expected in ((lambda x, y: x * 3, 0.0), (lambda x, y: y * 3, 3.0)):
            program = KeptProgram(jit(function))
            with for_runs()():
                made = [np.asarray(program(a, b)).tolist() for _ in range(2)]
            assert made == [[expected] * 3] * 2
        assert len(entries.all()) == 2


# what XLA would compute while it compiles


def program(*lines):
    return "\n".join(["func.func public @main(%arg0: tensor<9000xf64>) {", *lines, "}"])


ONES = "  %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<9000xf64>"
ONE = "  %cst = stablehlo.constant dense<1.0> : tensor<f64>"


@pytest.mark.parametrize(
    "lines, expected",
    [
        ([ONE, ONES], False),
        ([ONE, ONES, "  %1 = stablehlo.add %0, %arg0 : tensor<9000xf64>"], False),
        ([ONE, ONES, "  %1 = stablehlo.add %0, %0 : tensor<9000xf64>"], True),
        ([ONE, ONES, "  %1 = call @cumsum(%0) : (tensor<9000xf64>) -> tensor<9000xf64>"], True),
        ([ONE, ONES, '  %1 = "stablehlo.reduce_window"(%0, %cst) <{x = 1}> ({'], True),
        ([ONE, "  %1 = stablehlo.add %cst, %cst : tensor<f64>"], False),
        (["  %0 = stablehlo.iota dim = 0 : tensor<90x100xi64>",
          "  %1 = stablehlo.negate %0 : tensor<90x100xi64>"], True),
        (["  %0 = stablehlo.negate %arg0 : tensor<9000xf64>",
          "  %1 = stablehlo.add %0, %0 : tensor<9000xf64>"], False),
    ],
)  # fmt: skip
def test_large_work_on_constants_alone_is_seen_in_a_program(lines, expected):
    """A13: XLA's alarm of slow operations."""
    assert is_large(program(*lines)) is expected
