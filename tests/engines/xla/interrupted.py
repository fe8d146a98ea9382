"""Programs that are interrupted at random moments, each run in a process of its own.

Every shared variable counts the calls, each in its own way, so that a state of which one part is
old and another new shows. ``python -m tests.engines.xla.interrupted NAME TIMES`` prints a report.
"""

import json
import os
import random
import signal
import sys
import threading
import time

import numpy as np

import theano
import theano.tensor as T

XLA = theano.Mode("xla")


def aligned(shape):
    """Memory that XLA may use as it is."""
    room = np.empty(8 * int(np.prod(shape)) + 64, "uint8")
    start = -room.ctypes.data % 64
    return room[start : start + 8 * int(np.prod(shape))].view("float64").reshape(shape)


def default_float():
    """What jax makes of a Python float for the user."""
    import jax.numpy

    return str(jax.numpy.ones(1).dtype)


class Alarm:
    """Interrupts the process after a while, to the microsecond."""

    def __init__(self, delay):
        self.delay = max(delay, 1e-6)

    def start(self):
        signal.signal(signal.SIGALRM, signal.default_int_handler)
        signal.setitimer(signal.ITIMER_REAL, self.delay, 1.0)

    def stop(self):
        signal.setitimer(signal.ITIMER_REAL, 0)


class Interrupter(threading.Thread):
    """Interrupts the process after a while, again and again until it is stopped."""

    def __init__(self, delay):
        super().__init__(daemon=True)
        self.delay = delay
        self.stopped = threading.Event()

    def run(self):
        wait = self.delay
        while not self.stopped.wait(wait):
            os.kill(os.getpid(), signal.SIGINT)
            wait = 1.0  # one that came inside a destructor is lost

    def stop(self):
        self.stopped.set()
        self.join()


class Case:
    """A function with several updates; ``read()`` gives the count that each variable holds."""

    longest = 0.01  # seconds before an interrupt
    sender = Interrupter

    def __init__(self):
        self.make()

    def call(self, done):
        self.f(*self.arguments)

    def overwrite(self):
        """What a caller does to its arrays who goes on after an interrupt."""

    def read(self):
        return [float(v) for w in self.state for v in np.unique(w.get_value())]


class Donated(Case):
    """Three updates, all of them in place."""

    arguments = (np.ones(300),)

    def make(self):
        x = T.dvector()
        self.state = [theano.shared(np.zeros(300)) for _ in range(3)]
        self.f = theano.function(
            [x], [self.state[0].sum()], updates=[(w, w + x) for w in self.state], mode=XLA
        )


class Mixed(Case):
    """Updates in place, one of a host counter, one that is a bare input, one of a bare variable."""

    def make(self):
        x = T.dvector()
        w, counter, given, before = (
            theano.shared(np.zeros(300)),
            theano.shared(0),
            theano.shared(np.zeros(300)),
            theano.shared(np.zeros(300) - 1),
        )
        self.state = w, counter, given, before
        self.f = theano.function(
            [x],
            [w, w * 2],
            updates=[(before, w), (w, w + 1), (counter, counter + 1), (given, x)],
            mode=XLA,
        )

    def call(self, done):
        self.f(np.full(300, done + 1.0))

    def read(self):
        w, counter, given, before = [w.get_value() for w in self.state]
        return [float(v) for a in (w, counter, given, before + 1) for v in np.unique(a)]


class Checked(Case):
    """Updates in place beside an index that is checked."""

    arguments = (np.ones(300), np.array([3, 5]))

    def make(self):
        x, i = T.dvector(), T.lvector()
        self.state = [theano.shared(np.zeros(300)) for _ in range(3)]
        self.f = theano.function(
            [x, i], x[i].sum(), updates=[(w, w + x) for w in self.state], mode=XLA
        )


class Short(Donated):
    """Calls that are over in no time; jax itself must be left as it was, too."""

    longest = 0.0002
    sender = Alarm


class Large(Case):
    """Updates that take a while."""

    arguments = (np.ones((400, 400)),)
    longest = 0.1

    def make(self):
        x = T.dmatrix()
        self.state = [theano.shared(np.zeros((400, 400))) for _ in range(3)]
        by_way_of = T.dot(x, x) / 400.0
        self.f = theano.function(
            [x], by_way_of.max(), updates=[(w, w + by_way_of) for w in self.state], mode=XLA
        )


class Overwritten(Large):
    """The same, by a caller who writes into its array as soon as it has the interrupt."""

    longest = 0.0006
    sender = Alarm

    def make(self):
        super().make()
        self.argument = aligned((400, 400))
        self.argument[...] = 1

    def call(self, done):
        self.argument[...] = 1
        self.f(self.argument)

    def overwrite(self):
        self.argument[...] = 99


class Staged(Case):
    """A mask, so that there are two programs with the host in between."""

    arguments = (np.arange(300.0),)

    def make(self):
        x = T.dvector()
        self.state = [theano.shared(np.zeros(300)) for _ in range(3)]
        one = T.ones_like(x[x > 10]).mean()
        self.f = theano.function([x], one, updates=[(w, w + one) for w in self.state], mode=XLA)


class Compiling(Case):
    """Each call has a new key: nearly all of the time goes into compiling."""

    longest = 0.2

    def make(self):
        x = T.dvector()
        self.state = [theano.shared(np.zeros(300)) for _ in range(3)]
        one = T.exp(x - x).mean()
        self.f = theano.function([x], one, updates=[(w, w + one) for w in self.state], mode=XLA)
        self.calls = 0

    def call(self, done):
        self.calls += 1
        self.f(np.ones(1 + self.calls))


CASES = {
    c.__name__: c for c in (Donated, Mixed, Checked, Short, Large, Overwritten, Staged, Compiling)
}


def interrupt(name, times, seed=20):
    """The faults that ``times`` interrupts have caused."""
    random.seed(seed)
    case = CASES[name]()
    done, faults, within = 0, [], 0
    if not isinstance(case, Compiling):
        case.call(done)
        done += 1
    else:
        theano.function([], theano.shared(1.0) + 1, mode=XLA)()  # loads jax
    for k in range(times):
        sender = case.sender(random.uniform(0, case.longest))
        calling = False
        try:
            sender.start()
            while True:
                calling = True
                case.call(done)
                calling = False
                done += 1
        except KeyboardInterrupt:
            sender.stop()
        within += calling
        if isinstance(case, Short) and default_float() != "float32":
            faults.append(f"{k}: jax is left with {default_float()}")
            break
        if calling:
            case.overwrite()
        try:
            counts = set(case.read())
        except Exception as e:
            faults.append(f"{k}: reading: {type(e).__name__}: {e}")
            break
        if len(counts) != 1 or not counts <= {done, done + 1}:
            faults.append(f"{k}: {sorted(counts)} after {done} calls")
            break
        done = counts.pop()
    if not faults:
        faults += still_works(case, done)
    return {"calls": done, "within": within, "faults": faults}


def still_works(case, done):
    """Whether the function can be called, from this thread and from another."""
    case.call(done)
    other = threading.Thread(target=case.call, args=(done + 1,), daemon=True)
    other.start()
    other.join(20)
    if other.is_alive():
        return ["a call from another thread waits for ever"]
    counts = set(case.read())
    return [] if counts == {done + 2} else [f"in the end: {sorted(counts)} after {done + 2} calls"]


if __name__ == "__main__":
    started = time.perf_counter()
    found = interrupt(sys.argv[1], int(sys.argv[2]))
    found["seconds"] = time.perf_counter() - started
    print(json.dumps(found))
