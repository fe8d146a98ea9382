"""What a thousand shapes hold of memory, in a process of their own."""

import os
import subprocess
import sys

import pytest

pytestmark = [pytest.mark.xla, pytest.mark.slow]

pytest.importorskip("jax")

SCRIPT = """
import resource
import jax, numpy as np, theano, theano.tensor as T
from theano._src.engines import costs

def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024

# a machine on which tanh is so dear that a key moves after a few calls
kinds = costs.KINDS | {"tanh": costs.KINDS["tanh"]._replace(numpy=2e-6)}
costs._known[:] = [costs.Rates(load=0.0, kinds=kinds)]
x = T.dvector()
y = T.tanh(x)
for k in range(10):
    y = y * x + k
f = theano.function([x], [y, y.sum()])
values = np.ones(20_000)
for _ in range(8):
    f(values)
first = peak()
for n in range(1, 1001):
    for _ in range(8 if n % 20 == 0 else 2):
        f(values[n:])
assert f.fn.xla.compilations == 51, f.fn.xla.compilations
assert len(f.fn.policy.held) == 32
print(peak() - first)
"""


def test_a_thousand_shapes_hold_less_than_100_MB_more_than_the_first():
    ran = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        env=os.environ
        | {"THEANO_FLAGS": "xla.disk_cache=False,deterministic=more,native.enabled=False"},
        capture_output=True,
        text=True,
    )
    assert ran.returncode == 0, ran.stderr
    assert float(ran.stdout) < 100
