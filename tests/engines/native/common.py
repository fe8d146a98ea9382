"""What tests of the native engine share: the same function on both engines, compared bit by bit."""

import threading
import time

import numpy as np
import pytest

import theano
from theano._src.engines.native.linker import NativeLinker
from theano._src.engines.native.printers.c99 import why_not
from theano._src.engines.native.printers.llvm import has_llvm
from theano._src.engines.native.program import NativeProgram

needs_llvm = pytest.mark.skipif(not has_llvm(), reason="llvmlite is not installed")
needs_compiler = pytest.mark.skipif(
    not has_llvm() and why_not() is not None, reason="neither llvmlite nor a C compiler is there"
)


def native_mode(level=0):
    return theano.Mode(NativeLinker(level=level))


def as_list(outputs):
    return list(outputs) if isinstance(outputs, list | tuple) else [outputs]


def bits(x):
    """An array as bytes; NaNs of all kinds are one."""
    x = np.ascontiguousarray(x)
    if x.dtype.kind in "fc":
        x = x.copy()
        parts = x.view(x.real.dtype)
        parts[np.isnan(parts)] = np.nan
    return (x.dtype.name, np.shape(x), x.tobytes())


def is_native(f):
    return isinstance(f.fn, NativeProgram)


def finishes(f, *values):
    """Call a function; whether machine code did all of it, and what came out."""
    program = f.fn
    assert isinstance(program, NativeProgram), program.why
    calls = []
    run = program.numpy._run
    program.numpy._run = lambda *args: calls.append(args) or run(*args)
    try:
        outputs = f(*values)
    finally:
        program.numpy._run = run
    return not calls, outputs


def both(inputs, outputs, values, level=0, **kwargs):
    """The native function, after its bits were compared with those of the numpy engine."""
    plain = theano.function(inputs, outputs, mode=theano.Mode("numpy"), **kwargs)
    native = theano.function(inputs, outputs, mode=native_mode(level), **kwargs)
    want, got = as_list(plain(*values)), as_list(native(*values))
    assert list(map(bits, got)) == list(map(bits, want))
    return native


def in_threads(*tasks):
    """Run tasks at the same time, and wait for all of them."""
    threads = [threading.Thread(target=task) for task in tasks]
    for t in threads:
        t.start()
    for t in threads:
        t.join()


def turns_beside(call):
    """How many turns another thread has while a call runs: without the lock, one in 0.1 ms."""
    turns, during, over = [0], [], threading.Event()

    def work():
        while not over.is_set():
            turns[0] += 1
            time.sleep(1e-4)

    def run():
        before = turns[0]
        call()
        during.append(turns[0] - before)
        over.set()

    in_threads(work, run)
    return during[0]
