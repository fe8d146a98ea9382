"""Processes that do not do the same: what each of them raises, and how it ends.

    python disagreements.py CASE [CASE ...]

Each case runs in processes of its own, forked from one that has loaded jax and has run nothing.
Prints, as JSON, for each case a list with what each process says: `raised`, the errors that it
caught, `seconds` until the last of them, `state`, whether its state is as it was, and `code`, with
which it ended: negative after a signal.
"""

import json
import os
import signal
import socket
import sys
import time
import traceback
from contextlib import suppress

import jax  # noqa: F401, loaded before the processes part
import numpy as np

import theano
import theano.tensor as T
from theano import In, distributed as dist
from theano._src.engines.jax import backend
from theano.tensor.shared_randomstreams import RandomStreams

#: seconds until a process that waits for another raises, and until a run is taken for hung
TIMEOUT, HUNG = 4, 120


class Program:
    """What all processes run before they part: two functions, at two lengths."""

    def __init__(self):
        theano.config.floatX = "float64"
        theano.config.distributed.timeout = 60
        self.me = dist.initialize()
        self.mesh = dist.mesh({"data": -1})
        self.rows = self.mesh["data"]
        x, self.W = (
            T.matrix("x"),
            theano.shared(np.ones((6, 2)), "W", sharding=self.mesh.replicated),
        )
        given = [In(x, sharding=self.rows)]
        self.f = theano.function(given, T.dot(x, self.W).sum(), updates=[(self.W, self.W + 1)])
        self.g = theano.function(given, (x * 2).sum(0))
        self.short, self.long = np.ones((4, 6)), np.ones((8, 6))
        for part in (self.short, self.long):
            self.f(part), self.g(part)
        theano.config.distributed.timeout = TIMEOUT


def another_length(p):
    p.f(p.short if p.me else p.long)


def a_length_that_is_new_to_one(p):
    p.f(np.ones((2, 6)) if p.me else p.short)


def another_program(p):
    (p.f if p.me else p.g)(p.short)


def another_order(p):
    for call in (p.f, p.g) if p.me else (p.g, p.f):
        call(p.short)


def a_call_left_out_at_the_end(p):
    if p.me:
        p.f(p.short)
    dist.shutdown()


def a_call_left_out_in_between(p):
    if p.me:
        p.f(p.short)
    p.g(p.short)


def a_step_left_out(p):
    for k in range(4):
        if p.me and k == 1:
            continue
        p.f(p.short)
        dist.should_stop(k)


def a_call_left_out_by_one_that_waits(p):
    if p.me:
        p.f(p.short)
    else:
        time.sleep(TIMEOUT + 1)
        p.f(p.short)


def an_argument_that_one_refuses(p):
    for k in range(3):
        with suppress(TypeError):
            p.f(p.short.astype(complex) if k == p.me == 1 else p.short)


def a_call_that_raises_in_one(p):
    for k in range(3):
        with suppress(ValueError):
            p.f(np.ones((4, 7)) if k == p.me == 1 else p.short)


def an_error_that_ends_one(p):
    if p.me:
        raise ArithmeticError("made up")
    p.f(p.short)


def an_error_that_ends_the_first(p):
    if not p.me:
        raise ArithmeticError("made up")
    p.f(p.short)


def one_that_ends_early(p):
    if p.me:
        sys.exit(3)
    p.f(p.short)


def one_that_is_killed(p):
    if p.me:
        os.kill(os.getpid(), signal.SIGKILL)
    p.f(p.short)


def a_gather_left_out(p):
    V = theano.shared(np.ones((4, 6)), "V", sharding=p.rows)
    theano.function([], updates=[(V, V * 2)])()
    if p.me:
        dist.gather(V)
    p.f(p.short)


def another_value(p):
    V = theano.shared(np.full(2, float(p.me)), "V", sharding=p.mesh.replicated)
    theano.function([], updates=[(V, V + 1)])()


def another_argument(p):
    theano.config.distributed.check_arguments = True
    x, rate = T.matrix("x"), T.scalar("rate")
    h = theano.function([In(x, sharding=p.rows), rate], x.sum() * rate)
    h(p.short, 2.0)
    h(p.short, 2.0 + p.me)


def all_raise_alike_and_go_on(p):
    """No disagreement: an error of all, from values that are split over them, changes nothing."""
    said = []
    i = T.lscalar("i")
    V = theano.shared(np.arange(24.0).reshape(4, 6), "V", sharding=p.rows)
    h = theano.function([i], V[i].sum(), updates=[(V, V * 2)])
    h(3)
    before = V.container.storage[0].addressable_shards[0].data.copy()
    for call in (lambda: h(4), V.get_value, RandomStreams, lambda: p.f(np.ones((4, 7)))):
        try:
            call()
        except Exception as error:
            said.append(f"{type(error).__name__}: {error}")
        after = V.container.storage[0].addressable_shards[0].data
        assert np.array_equal(before, after) and before.any()
    h(3), p.f(p.short), p.g(p.long)
    return said


CASES = {
    name: case
    for name, case in list(globals().items())
    if getattr(case, "__module__", "") == "__main__" and name.count("_") > 1
} | {"another_length": another_length, "another_program": another_program}
CASES |= {name: globals()[name] for name in ("another_order", "another_value", "another_argument")}


def one_process(case, k, n, port, pipe):
    """Run a case as process k of n: the end is that of any program, by an error or without."""
    os.environ |= {
        "THEANO_COORDINATOR": f"127.0.0.1:{port}",
        "THEANO_PROCESSES": str(n),
        "THEANO_PROCESS": str(k),
    }
    backend.child.forked = False  # nothing had run: there are no threads of XLA that are missed
    program = Program()
    before, begin = program.W.get_value(), time.monotonic()
    said = {"raised": [], "seconds": 0.0, "state": True}

    def tell():
        said["seconds"] = time.monotonic() - begin
        os.write(pipe, (json.dumps([k, said]) + "\n").encode())

    def hook(kind, error, trace, before=sys.excepthook):
        said["raised"].append(f"{kind.__name__}: {error}")
        tell()
        before(kind, error, trace)

    sys.excepthook = hook
    try:
        said["raised"] += CASES[case](program) or []
    except dist.Disagreement as error:
        said["raised"].append(f"Disagreement: {error}")
        seen = program.W.get_value()
        # calls before the one that was refused have been made
        said["state"] = bool((seen >= before).all() and np.ptp(seen) == 0)
    tell()


def run(case, n):
    """What each of n processes says of a case, and how it ended."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
    read, write = os.pipe()
    children = []
    for k in range(n):
        pid = os.fork()
        if pid == 0:
            os.close(read)
            try:
                one_process(case, k, n, port, write)
            except SystemExit:
                raise
            except BaseException:
                sys.excepthook(*sys.exc_info())
                os._exit(1)
            sys.exit()
        children.append(pid)
    os.close(write)
    limit = time.monotonic() + HUNG
    codes = dict.fromkeys(children)
    while None in codes.values():
        for pid in [pid for pid, code in codes.items() if code is None]:
            done, status = os.waitpid(pid, os.WNOHANG)
            if done:
                codes[pid] = os.waitstatus_to_exitcode(status)
            elif time.monotonic() > limit:
                os.kill(pid, signal.SIGKILL)
        time.sleep(0.01)
    said = [{"raised": ["nothing was said"], "seconds": HUNG, "state": False} for _ in range(n)]
    with os.fdopen(read) as lines:
        for line in lines:
            k, told = json.loads(line)
            said[k] = told
    return [told | {"code": codes[pid]} for told, pid in zip(said, children, strict=True)]


def main():
    found = []
    for argument in sys.argv[1:]:
        case, _, n = argument.partition(":")
        sys.stdout.flush()
        found.append(run(case, int(n or 2)))
    print(json.dumps(found))


if __name__ == "__main__":
    try:
        main()
    except SystemExit:
        raise
    except BaseException:
        traceback.print_exc()
        sys.exit(1)
