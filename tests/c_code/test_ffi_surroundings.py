"""Ops in C without a compiler, without XLA's headers, on other devices, and in another process."""

import json
import os
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

import theano
import theano.tensor as T
from tests.c_code.kernels import Doubled
from theano._src.c_code import kernel_text
from theano._src.c_code.compiler import MissingGXX, why_no_compiler
from theano._src.engines.jax.arrays import jax_xp
from theano._src.ops.core import scalar_c
from theano._src.ops.meta import ffi_op

pytestmark = [
    pytest.mark.skipif(why_no_compiler() is not None, reason=str(why_no_compiler())),
    pytest.mark.xla,
]
ROOT = Path(__file__).parents[2]
ENGINES = {"numpy": theano.Mode("numpy"), "xla": theano.Mode("xla")}


class DoubledAnyhow(Doubled):
    def perform(self, node, inputs, output_storage):
        output_storage[0][0] = inputs[0] + inputs[0]


@pytest.fixture
def no_compiler(monkeypatch):
    scalar_c._no_compiler.cache_clear()
    with theano.config.change_flags(cxx=""):
        yield
    scalar_c._no_compiler.cache_clear()
    ffi_op._warned.clear()


@pytest.mark.parametrize("engine", ENGINES)
def test_without_a_compiler_an_op_says_what_to_install(engine, no_compiler):
    x = T.dvector()
    with pytest.raises(MissingGXX, match=r"Install g\+\+ or clang\+\+"):
        theano.function([x], Doubled()(x), mode=ENGINES[engine])([1.0])


@pytest.mark.parametrize("engine", ENGINES)
def test_without_a_compiler_perform_runs_with_one_warning(engine, no_compiler):
    x = T.dvector()
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        f = theano.function([x], DoubledAnyhow()(x) + 1, mode=ENGINES[engine])
        assert f([1, 2]).tolist() == f([1, 2]).tolist() == [3, 5]
    assert len([w for w in said if "runs by its perform" in str(w.message)]) == 1


def test_with_a_compiler_the_kernel_is_what_runs():
    class Refusing(Doubled):
        def perform(self, node, inputs, output_storage):
            raise AssertionError("the kernel must run")

    x = T.dvector()
    for mode in ENGINES.values():
        assert theano.function([x], Refusing()(x), mode=mode)([1, 2]).tolist() == [2, 4]


def test_on_other_devices_than_a_cpu_the_kernel_is_a_host_step(monkeypatch):
    x = T.dvector()
    f = theano.function([x], T.exp(Doubled()(x)), mode=ENGINES["xla"])
    monkeypatch.setattr(jax_xp, "target", lambda: "cuda")
    np.testing.assert_allclose(f([1, 2]), np.exp([2, 4]))
    assert any(name.startswith("f") for name in f.fn.writer.space)
    xs = T.dmatrix()
    made, _ = theano.scan(lambda row, before: Doubled()(row) + before, xs, [x])
    g = theano.function([xs, x], made, mode=ENGINES["xla"])
    assert g([[1, 2], [3, 4]], [0, 1]).tolist() == [[2, 5], [8, 13]]


def test_without_the_headers_of_xla_the_library_serves_numpy(monkeypatch):
    monkeypatch.setattr(kernel_text, "find_spec", lambda name: None)

    class Alone(Doubled):
        c_kernel = "for (int64_t i = 0; i < i0_size; i++) o0[i] = 2 * i0[i] + 0;"

    x = T.dvector()
    for mode in ENGINES.values():
        f = theano.function([x], Alone()(x) + 1, mode=mode)
        assert f([1, 2]).tolist() == [3, 5]
    op = f.maker.fgraph.toposort()[0].op
    (prepared,) = op._prepared.values()
    assert not hasattr(prepared.kernel.library(), "theano_xla")


PROGRAM = """
import json
import numpy as np, theano, theano.tensor as T
from tests.c_code.kernels import RunningSum
from theano._src.c_code import compiler
from theano._src.engines.disk_cache import Entries
compiled, taken = [], []
real, get = compiler.compile_library, Entries.get
compiler.compile_library = lambda *a: (compiled.append(1), real(*a))
def watched(self, key):
    found = get(self, key)
    taken.append(found is not None)
    return found
Entries.get = watched
theano.config.xla.disk_cache = True
x = T.dvector()
# long enough to compile that its program is kept
y = RunningSum()(T.exp(x))
for k in range(30):
    y = T.tanh(y[::-1] * k).cumsum() + RunningSum()(abs(y))
f = theano.function([x], y, mode=theano.Mode("xla"))
made = f([0.0, 1.0]).tolist()
print(json.dumps([len(compiled), any(taken), made]))
try:
    g = theano.function([x], RunningSum()(x), mode=theano.Mode("xla"))
    g([-1.0, 1.0])
except ValueError as e:
    print(str(e).splitlines()[0])
"""


def test_another_process_takes_the_library_and_the_program_from_the_disk(tmp_path):
    env = {
        **os.environ,
        "THEANO_FLAGS": f"base_compiledir={tmp_path}",
        "PYTHONPATH": str(ROOT),
    }
    found = []
    for _ in range(2):
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM], env=env, capture_output=True, text=True, cwd=ROOT
        )
        assert done.returncode == 0, done.stderr
        first, second = done.stdout.strip().splitlines()
        assert second == "element 0 is negative: -1"
        found.append(json.loads(first))
    (n_before, taken_before, before), (n_after, taken_after, after) = found
    assert (n_before, taken_before) == (1, False)
    assert (n_after, taken_after) == (0, True)
    assert before == after
