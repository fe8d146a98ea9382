"""BLAS's threads: the real libraries of this process, the user's word, and XLA's threads."""

import os
import subprocess
import sys

import numpy as np
import pytest

import theano
import theano.tensor as T
from theano._src.engines import blas_threads as module
from theano._src.engines.blas_threads import BlasThreads


def run(text, **environment):
    """What a process of its own prints."""
    clean = {k: v for k, v in os.environ.items() if not k.endswith("_NUM_THREADS")}
    ran = subprocess.run(
        [sys.executable, "-c", text],
        env=clean | environment,
        capture_output=True,
        text=True,
    )
    assert ran.returncode == 0, ran.stderr
    return ran.stdout.strip()


THREADS = """
import numpy as np, theano, theano.tensor as T
from theano._src.engines.blas_threads import _loaded_libraries
numbers = lambda: sorted({library.get_num_threads() for library in _loaded_libraries()})
inside = []
@theano.as_op(itypes=[T.dmatrix], otypes=[T.dmatrix])
def watched(x):
    inside[:] = numbers()
    return x.copy()
before = numbers()
x = T.dmatrix()
f = theano.function([x], watched(x.dot(x)))
for size in (3, 200):
    f(np.ones((size, size)))
    print(inside, numbers() == before)
"""


QUOTA = "from theano._src.ground import processors; processors.quota = lambda: 1.0\n"


def test_functions_in_a_process_with_a_quota_of_one_processor_have_one_thread():
    """U3.10: what NumPy has outside of them is the user's."""
    assert run(QUOTA + THREADS) == "[1] True\n[1] True"


def test_nothing_is_set_where_the_user_has_said_how_many():
    assert run(QUOTA + THREADS, OMP_NUM_THREADS="2") == "[2] True\n[2] True"


def test_openmp_false_gives_functions_one_thread():
    assert run(THREADS, THEANO_FLAGS="openmp=False") == "[1] True\n[1] True"


XLA_THREADS = """
import os, numpy as np, theano, theano.tensor as T
seen = {}
import jax
devices = jax.devices
jax.devices = lambda: seen.update(n=os.environ.get("PJRT_NPROC")) or devices()
x = T.dvector()
theano.function([x], x + 1, mode=theano.Mode("xla"))(np.ones(3))
print(seen, "PJRT_NPROC" in os.environ)
"""


@pytest.mark.xla
@pytest.mark.parametrize(
    "environment, expected",
    [({}, "{'n': None} False"), ({"OMP_NUM_THREADS": "1"}, "{'n': '1'} False")],
)
def test_the_users_number_of_threads_is_xlas_too(environment, expected):
    pytest.importorskip("jax")
    assert run(XLA_THREADS, **environment) == expected


def test_the_real_libraries_are_found_and_set_for_calls_alone(monkeypatch):
    """U3.10."""
    monkeypatch.setattr(module, "asked_threads", lambda: None)
    found = module._loaded_libraries()
    assert found
    before = [library.get_num_threads() for library in found]
    now = lambda: {library.get_num_threads() for library in found}
    threads = BlasThreads()
    threads.most = threads.now = 2
    try:
        for library in found:
            library.set_num_threads(2)
        assert threads.begin_trial("a key", 1.0, slow=True)
        assert threads.limits and now() == {2}
        with threads:
            assert now() == {1}
            with threads:  # a function that calls another
                assert now() == {1}
            assert now() == {1}
        assert now() == {2}
        assert not threads.begin_trial("another", 1.0, slow=True)
        assert not threads.end_trial(0.9)
        assert not threads.limits and now() == {2}
    finally:
        for library, number in zip(found, before, strict=True):
            library.set_num_threads(number)


class Library:
    """A BLAS that must not be touched."""

    def get_num_threads(self):
        return 8

    def set_num_threads(self, number):
        raise AssertionError(f"set to {number}")


def test_where_the_user_has_said_how_many_no_other_number_is_tried(monkeypatch):
    monkeypatch.setattr(module, "asked_threads", lambda: 8)
    threads = BlasThreads(libraries=lambda: [Library()])
    assert not threads.begin_trial("a key", 1.0, slow=True)
    threads.keep_to_quota()


def test_without_the_library_that_sets_them_nothing_is_tried(monkeypatch):
    monkeypatch.setitem(sys.modules, "threadpoolctl", None)
    threads = BlasThreads()
    assert not threads.begin_trial("a key", 1.0, slow=True)


@pytest.mark.parametrize("has_product", [True, False])
def test_a_call_sets_the_threads_of_blas_where_a_node_may_use_them(has_product, monkeypatch):
    """That takes several times as long as a brief call."""
    entered = []
    monkeypatch.setattr(module.blas_threads, "limits", True)
    monkeypatch.setattr(BlasThreads, "__enter__", lambda threads: entered.append(1))
    monkeypatch.setattr(BlasThreads, "__exit__", lambda threads, *raised: None)
    m = T.dmatrix("m")
    with theano.config.change_flags(native__enabled=False):
        f = theano.function([m], T.dot(m, m) if has_product else T.exp(m) + 1)
    f(np.eye(3))
    entered.clear()
    f(np.eye(3))
    assert bool(entered) == has_product
