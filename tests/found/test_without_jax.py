"""Without jax every function stays on NumPy, and says why."""

import os
import subprocess
import sys

BLOCK = """
import importlib.abc, sys

class NoJax(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in ("jax", "jaxlib"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, NoJax())
import numpy as np, theano, theano.tensor as T
"""
TRAINING = """
x = T.dmatrix("x")
w = theano.shared(np.zeros(1000))
y = x * w
for k in range(15):
    y = y * x + 1.0 / (k + 1)
f = theano.function([x], y.sum(), updates=[(w, w + 1)])
calls = 0
# how soon compiling would pay depends on what else the machine does
while calls < 5000 and "jax" not in theano.printing.explain(f, "str"):
    assert all(np.isfinite(f(np.full((1000, 1000), 0.5))) for _ in range(50))
    calls += 50
np.testing.assert_array_equal(w.get_value(), calls)
print(theano.printing.explain(f, "str"))
"""
LOOP = """
x = T.dvector("x")
zero = T.constant(0.0, dtype="float64")
out, _ = theano.scan(lambda e, h: T.tanh(e + h), sequences=x, outputs_info=zero)
g = T.grad(out[-1], x)
f = theano.function([x], [out[-1], g, T.nnet.softmax(x), T.sort(x), T.nlinalg.det(T.outer(x, x))])
for _ in range(300):
    f(np.ones(5))
print("done")
"""
FORCED = """
x = T.dscalar("x")
theano.function([x], x + 1, mode=theano.Mode("xla"))
"""


def ran(program, tmp_path):
    return subprocess.run(
        [sys.executable, "-c", BLOCK + program],
        env={
            **os.environ,
            "THEANO_FLAGS": f"base_compiledir={tmp_path}",
            "PYTHONPATH": os.pathsep.join(sys.path),
        },
        capture_output=True,
        text=True,
    )


def test_a_function_that_would_move_to_xla_stays_on_the_host_and_explains_why(tmp_path):
    done = ran(TRAINING, tmp_path)
    assert done.returncode == 0, done.stderr
    assert ", jax cannot be loaded (No module named 'jax'" in done.stdout
    assert "pip install jax" in done.stdout


def test_loops_gradients_and_linear_algebra_run(tmp_path):
    done = ran(LOOP, tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, "done\n", "")


def test_the_linker_of_xla_says_what_to_install(tmp_path):
    done = ran(FORCED, tmp_path)
    assert done.returncode == 1
    assert "ImportError: the linker 'xla' takes jax: jax cannot be loaded" in done.stderr
    assert "pip install jax; the linker 'cvm' does without" in done.stderr
