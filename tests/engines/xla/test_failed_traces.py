"""What a call leaves behind that fails while XLA traces it: nothing."""

import gc
import subprocess
import sys

import numpy as np
import pytest

import theano
import theano.tensor as T
from theano.ifelse import ifelse

_C = np.arange(7.0)


def _plain(x, y):
    return T.dot(x * _C + _C[::-1], y)


def _loop(x, y):
    outs, _ = theano.scan(lambda a, c: c * _C + T.dot(a * _C, y), sequences=[x], outputs_info=[_C])
    return outs[-1]


def _independent_steps(x, y):
    return theano.map(lambda a: T.dot(a * _C, y), [x])[0]


def _until(x, y):
    def step(c):
        new = T.dot(c * _C, y)
        return new, theano.scan_module.until(new.sum() > 1e9)

    return theano.scan(step, outputs_info=[_C], n_steps=4)[0]


def _branch(x, y):
    return ifelse(T.gt(x.sum(), 0), T.dot(x * _C, y), x * _C)


def _gradient(x, y):
    return T.grad((_plain(x, y) ** 2).sum(), x)


@pytest.mark.parametrize("program", [_plain, _loop, _independent_steps, _until, _branch, _gradient])
def test_calls_that_fail_while_xla_traces_keep_nothing(program):
    """A10: each kept about 70 objects, jax's trace among them, for as long as the process ran."""
    x, y = T.dmatrix(), T.dmatrix()
    f = theano.function([x, y], program(x, y), mode=theano.Mode("xla"), on_unused_input="ignore")
    f(np.ones((3, 7)), np.ones((7, 7)))

    def fail(times):
        for _ in range(times):
            with pytest.raises(ValueError):
                f(np.ones((3, 7)), np.ones((6, 7)))
        gc.collect()
        return len(gc.get_objects())

    before = fail(3)
    assert fail(20) - before < 100


def test_lengths_beyond_any_memory_are_errors_and_do_not_end_the_process():
    """A13: XLA ended the process for 2**33 x 2**33, and for arange(2**40)."""
    from tests.engines.xla import absurd

    run = subprocess.run(
        [sys.executable, absurd.__file__], capture_output=True, text=True, timeout=300
    )
    assert run.returncode == 0, run.stderr
    *overflowing, last = run.stdout.splitlines()
    # as on NumPy, with the node
    assert overflowing == [
        "Alloc: ValueError True",
        "Eye: ValueError True",
        "ARange: MemoryError True",
        "for: ValueError True",
    ]
    assert last.startswith("ARange of one: ")
