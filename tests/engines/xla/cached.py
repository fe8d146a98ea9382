"""A process that compiles with the disk cache on: run, killed and run again by the tests.

``python -m tests.engines.xla.cached check COUNT`` compiles that many different programs and prints
how often it was right, and what was warned and logged; ``... kill COUNT`` has as many processes
killed, each while it writes one of the programs to the cache.
"""

import contextlib
import importlib
import json
import logging
import os
import random
import resource
import signal
import sys
import time
import warnings
from functools import partial
from types import SimpleNamespace

import numpy as np

import theano
import theano.tensor as T
from theano._src.ground import atomic_files


def compile_and_check(k):
    """One program, different for each ``k``; whether it is right."""
    x = T.dmatrix()
    y = x
    for j in range(4):
        y = T.tanh(T.dot(y, x) * (k + j + 1.0)) + x
    f = theano.function([x], y, mode=theano.Mode("xla"))
    value = np.linspace(-1, 1, 16).reshape(4, 4)
    expected = value
    for j in range(4):
        expected = np.tanh(expected @ value * (k + j + 1.0)) + value
    return np.allclose(f(value), expected, rtol=1e-12)


def check(count):
    logged = []
    handler = logging.Handler()
    handler.emit = lambda record: logged.append(record.getMessage())
    logging.getLogger("theano.xla").addHandler(handler)
    if "WITHOUT" in os.environ:
        # as in a version of jax that has moved its private names
        importlib.import_module("jax")
        module, _, name = os.environ["WITHOUT"].partition(":")
        if name:
            setattr(importlib.import_module(module), name, ("moved",))
        else:
            sys.modules[module] = None
    if "FULL" in os.environ:
        # as good as a full disk: no file may grow beyond so many bytes
        resource.setrlimit(resource.RLIMIT_FSIZE, (int(os.environ["FULL"]),) * 2)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        started = time.perf_counter()
        right = sum(compile_and_check(k) for k in range(count))
    return {
        "right": right,
        "seconds": time.perf_counter() - started,
        "warnings": [str(w.message) for w in said],
        "logged": logged,
    }


def kill(count):
    """Fork before XLA has threads; the children die in the middle of a write."""
    import jax.numpy  # noqa: F401

    from theano._src.engines.jax import backend

    random.seed(7)
    died = 0
    for k in range(count):
        share = random.random() if k else 0.0
        pid = os.fork()
        if pid == 0:
            backend.child.forked = False
            die_while_writing(share)
            compile_and_check(k)
            os._exit(0)
        _, status = os.waitpid(pid, 0)
        died += os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL
    return {"died": died}


def die_while_writing(share):
    """Have this process killed when that part of an entry is on the disk."""

    def half_open(fd, mode):
        if mode == "rb":
            return open(fd, mode)
        return contextlib.nullcontext(SimpleNamespace(write=partial(write, fd)))

    def write(fd, data):
        os.write(fd, data[: int(len(data) * share)])
        os.kill(os.getpid(), signal.SIGKILL)

    atomic_files.open = half_open


if __name__ == "__main__":
    print(json.dumps({"check": check, "kill": kill}[sys.argv[1]](int(sys.argv[2]))))
