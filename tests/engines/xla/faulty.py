"""Functions whose calls fail at a chosen point, in a process of their own.

``python -m tests.engines.xla.faulty COUNT`` injects that many faults and prints a report. After
each the state must be, bit for bit, what it was before the call or what it is after it, and the
next call must give what it gives where nothing has failed: two functions are made of each program,
and one of them is left alone.
"""

import collections
import contextlib
import gc
import itertools
import json
import pickle
import random
import resource
import signal
import sys
import time

import numpy as np

import theano
import theano.tensor as T
from theano._src.engines.jax import backend
from theano._src.engines.xla import overwriting, program as device_program
from theano._src.engines.xla.tracing import Tracing
from theano.ifelse import ifelse
from theano.sandbox.rng_mrg import MRG_RandomStreams
from theano.tensor.shared_randomstreams import RandomStreams

X = np.arange(1.0, 7.0)


# programs: exact arithmetic, so that engines agree to the bit


def several(mode):
    x = T.dvector()
    w, v, n = theano.shared(np.zeros(6)), theano.shared(np.ones((6, 6))), theano.shared(0)
    updates = [(w, w + x), (v, v + w), (n, n + 1)]
    return theano.function([x], [w.sum(), v + x], updates=updates, mode=mode), [w, v, n], (X,)


def rows(mode):
    x, i = T.dvector(), T.lvector()
    w, v = theano.shared(np.zeros((6, 6))), theano.shared(np.zeros(6))
    updates = [(w, T.inc_subtensor(w[i], x)), (v, T.set_subtensor(v[i[:1]], w.sum()))]
    f = theano.function([x, i], x[i].sum(), updates=updates, mode=mode)
    return f, [w, v], (X, np.array([1, 4, 1]))


def borrowed(mode):
    x = T.dvector()
    w, n = theano.shared(np.zeros(6), borrow=True), theano.shared(0)
    f = theano.function(
        [theano.In(x, borrow=True)],
        theano.Out(w + x, borrow=True),
        updates=[(w, w + x), (n, n + 1)],
        mode=mode,
    )
    return f, [w, n], (X,)


def trusted(mode):
    f, state, args = several(mode)
    f.trust_input = True
    return f, state, args


def mutable(mode):
    x = T.dvector()
    w, v = theano.shared(np.zeros(6)), theano.shared(np.zeros(6))
    y = T.inc_subtensor(x[:2], 1.0)
    f = theano.function(
        [theano.In(x, mutable=True)], y.sum(), updates=[(w, w + y), (v, w)], mode=mode
    )
    return f, [w, v], (X,)


def loop(mode):
    x = T.dvector()
    w, n = theano.shared(np.zeros(())), theano.shared(0)
    sums, _ = theano.scan(lambda a, s: s + a, sequences=x, outputs_info=T.zeros_like(x[0]))
    f = theano.function([x], sums, updates=[(w, w + sums[-1]), (n, n + 1)], mode=mode)
    return f, [w, n], (X,)


@theano.compile.as_op([T.dvector], [T.dvector])
def doubled(x):
    return x * 2


def host_step(mode):
    x = T.dvector()
    w, v = theano.shared(np.zeros(6)), theano.shared(np.zeros(6))
    y = doubled(w + x)
    f = theano.function([x], y.sum(), updates=[(w, y - w), (v, v + 1)], mode=mode)
    return f, [w, v], (X,)


def choice(mode):
    x = T.dvector()
    w, n = theano.shared(np.zeros(6)), theano.shared(0)
    y = ifelse(T.eq(n % 2, 0), x, 2 * x + w)
    return theano.function([x], y, updates=[(w, w + y), (n, n + 1)], mode=mode), [w, n], (X,)


def draws(mode):
    x = T.dvector()
    w, v = theano.shared(np.zeros(6)), theano.shared(np.zeros(6))
    host, compiled = RandomStreams(5), MRG_RandomStreams(5)
    a = host.binomial((6,), n=9, p=0.5, dtype="int64")
    b = compiled.binomial((6,), n=1, p=0.5, dtype="int64")
    f = theano.function([x], a + b, updates=[(w, w + a), (v, v + b * x)], mode=mode)
    return f, [w, v, *(s.variable for s in f.maker.inputs if s.shared)], (X,)


def lengths(mode):
    w, n = theano.shared(np.zeros(3)), theano.shared(0)
    new = T.alloc(T.cast(n, "float64"), 7 - w.shape[0])
    x = T.dvector()
    return theano.function([x], w * x[0], updates=[(w, new), (n, n + 1)], mode=mode), [w, n], (X,)


def called_back(mode):
    import jax

    def host(x):
        if fail_callback:
            raise ValueError("injected")
        return np.asarray(x) * 2

    fail_callback = []

    def function(x):
        return jax.pure_callback(host, jax.ShapeDtypeStruct(x.shape, x.dtype), x)

    x = T.dvector()
    w, n = theano.shared(np.zeros(6)), theano.shared(0)
    y = theano.from_jax(function)(x)
    f = theano.function([x], y.sum(), updates=[(w, w + y), (n, n + 1)], mode=mode)
    f.fail_callback = fail_callback
    return f, [w, n], (X,)


def logs(mode):
    x = T.dvector()
    w, n = theano.shared(np.zeros(6)), theano.shared(0)
    return theano.function([x], T.log(x), updates=[(w, w + 1), (n, n + 1)], mode=mode), [w, n], (X,)


def large(mode):
    """Needs 128 MB besides its state: more than the C library keeps for the next time."""
    x, k = T.dvector(), 4000
    w, v = theano.shared(np.zeros(6)), theano.shared(np.zeros(1000))
    big = T.alloc(x[0] + w[0], k, k)
    return theano.function([x], big, updates=[(w, w + x), (v, v + 1)], mode=mode), [w, v], (X,)


PROGRAMS = {
    make.__name__: make
    for make in (
        *(several, rows, borrowed, trusted, mutable, loop, host_step, choice, draws, lengths),
        *(called_back, logs),
    )
}
MODES = ("xla", "numpy", "default")
ERRORS = (MemoryError, RuntimeError, KeyboardInterrupt)


class Case:
    """A function that gets faults, and one of the same program that does not."""

    def __init__(self, make, mode):
        self.name = f"{make.__name__} on {mode}"
        self.mode = mode
        linker = None if mode == "default" else theano.Mode(mode)
        self.f, self.state, self.args = make(linker)
        self.alone, self.state_alone, _ = make(linker)
        for f in (self.f, self.alone):
            if hasattr(f.fn, "policy"):
                f.fn._most = 0  # small calls take the way of large ones
        self.done = 0
        self.states = [self.read(self.state_alone)]
        self.outputs = []

    @staticmethod
    def read(state):
        return [_bits(w.get_value()) for w in state]

    def after(self, calls):
        """Outputs and state of a call, where nothing fails."""
        while len(self.outputs) < calls:
            self.outputs.append(_bits(self.alone(*_copies(self.args))))
            self.states.append(self.read(self.state_alone))
        return self.outputs[calls - 1], self.states[calls]

    def call(self):
        """A call that must succeed; what is wrong with it."""
        got = _bits(self.f(*_copies(self.args)))
        self.done += 1
        outputs, state = self.after(self.done)
        if got != outputs:
            return [f"{self.name}: outputs of call {self.done}"]
        return [] if self.read(self.state) == state else [f"{self.name}: state {self.done}"]

    def fail(self, args=None):
        """A call that should fail: what it raised, and what is wrong with the state then.

        What comes out where nothing fails is known before (``after``).
        """
        error = None
        try:
            self.f(*_copies(self.args if args is None else args))
        except BaseException as e:
            error = e
        found = self.read(self.state)
        if found == self.states[self.done + 1]:
            self.done += 1
        elif found != self.states[self.done]:
            return error, [f"{self.name}: state is neither before nor after: {error!r}"]
        return error, []

    def programs(self):
        fn = self.f.fn
        return [fn.numpy, *fn.programs.values()] if hasattr(fn, "policy") else [fn]

    def switch(self):
        """Send the next call of a default function to XLA, which compiles for it."""
        policy = getattr(self.f.fn, "policy", None)
        for key in [] if policy is None else list(policy.records):
            policy.promote(key)


def _copies(args):
    return [a.copy() for a in args]


def _bits(value):
    if isinstance(value, list | tuple):
        return [_bits(v) for v in value]
    if isinstance(value, np.random.RandomState):
        return pickle.dumps(value.get_state())
    array = np.asarray(value)
    some = array if array.size < 1 << 16 else array[::97, ::97]
    return (str(array.dtype), array.shape, some.tobytes())


# points at which a call fails


@contextlib.contextmanager
def replaced(where, name, new):
    old = where[name] if isinstance(where, dict) else getattr(where, name)
    put = where.__setitem__ if isinstance(where, dict) else lambda n, v: setattr(where, n, v)
    put(name, new)
    try:
        yield
    finally:
        put(name, old)


class Raising:
    """A function that raises, before or after its work, in its call number ``at``."""

    def __init__(self, function, error, when, at=0):
        self.function, self.error, self.when, self.at = function, error, when, at
        self.calls = 0

    @property
    def fired(self):
        return self.calls > self.at

    def __call__(self, *args, **kwargs):
        now = self.calls == self.at
        self.calls += 1
        if now and self.when == "before":
            raise self.error("injected")
        made = self.function(*args, **kwargs)
        if now:
            raise self.error("injected")
        return made


#: not meant to fail: what puts things back after an error, and what an interrupt cannot part
_NO_POINTS = {"blame", "put_back", "leave", "current"}


def steps_of(case):
    """What the generated call paths of a function call by name: ``(names, name, when)``."""
    found = []
    for program in case.programs():
        run = getattr(program, "_run", None)
        if run is None:
            continue
        names = run.__globals__
        for name in dict.fromkeys(run.__code__.co_names):
            if name in _NO_POINTS or not callable(names.get(name)):
                continue
            found.append((names, name, "before"))
            if name not in ("hold", "enter"):  # what they give must be given back
                found.append((names, name, "after"))
    return found


def at_a_step(case, rng):
    """A host step, a transfer, a copy, an allocation, the dispatch: by name in the call path."""
    points = steps_of(case)
    names, name, when = rng.choice(points)
    new = Raising(names[name], rng.choice(ERRORS), when)
    with replaced(names, name, new):
        error, wrong = case.fail()
    return f"step {name} {when}" if new.fired else "", error, wrong


def at_dispatch(case, rng):
    """XLA refuses a program."""
    import jax

    stages = [p for program in case.programs() for p in getattr(program, "stages", ())]
    stages = [p for p in stages if p.last is not None]
    if not stages:
        return None

    def error(text):
        return jax.errors.JaxRuntimeError(f"RESOURCE_EXHAUSTED: {text}")

    stage = rng.choice(stages)
    new = Raising(stage.last, error, "before")
    with replaced(stage, "last", new):
        error, wrong = case.fail()
    if new.fired and not isinstance(error, MemoryError):
        wrong.append(f"{case.name}: a lack of memory is {error!r}")
    return "dispatch" if new.fired else "", error, wrong


def at_release(case, rng):
    """An interrupt comes while a program runs, and takes effect when the call is over."""

    def release(held):
        held.came = (signal.SIGINT, None)
        old(held)

    old = backend.Held.release
    with replaced(backend.Held, "release", release):
        error, wrong = case.fail()
    return "release" if error is not None else "", error, wrong


def while_compiling(case, rng):
    """Tracing or compiling fails, or is interrupted; then the first run."""
    case = Case(PROGRAMS[case.name.split()[0]], case.mode)
    if case.mode == "numpy":
        return None
    wrong = []
    if case.mode == "default":
        for _ in range(2):
            wrong += case.call()
        case.switch()
    case.after(case.done + 1)
    error = rng.choice(ERRORS)
    where = rng.choice(["trace", "compile before", "compile after", "measure"])
    if where == "trace":
        lower = Tracing._lower
        new = Raising(lower, error, "after", 1)
        # a function, so that it is bound
        patch = replaced(Tracing, "_lower", lambda *args: new(*args))
    elif where == "measure":
        new = Raising(overwriting._calls_out, error, "after")
        patch = replaced(overwriting, "_calls_out", new)
    else:
        new = Raising(device_program.first_call, error, where.split()[1])
        patch = replaced(device_program, "first_call", new)
    with patch:
        raised, more = case.fail()
    for _ in range(2):
        more += case.call()
    return f"compile: {where}" if new.fired else "", raised, wrong + more


def names_its_node(error):
    text = "\n".join([str(error), *getattr(error, "__notes__", ())])
    return "Apply node that caused the error" in text


def in_a_callback(case, rng):
    if not hasattr(case.f, "fail_callback"):
        return None
    case.f.fail_callback.append(True)
    try:
        error, wrong = case.fail()
    finally:
        case.f.fail_callback.clear()
    if not names_its_node(error):
        wrong.append(f"{case.name}: {error!r} names no node")
    return "callback", error, wrong


POINTS = {
    at_a_step: 24,
    at_dispatch: 4,
    at_release: 2,
    while_compiling: 3,
    in_a_callback: 6,
}


# memory


@contextlib.contextmanager
def little_memory(more):
    """Lets the process have ``more`` bytes than it has now, in all."""
    gc.collect()  # what goes meanwhile would be more
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    with open("/proc/self/statm") as file:
        pages = int(file.read().split()[0])
    resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + more, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


def without_memory(case, rng):
    """Too little memory for the run of a program; or none is left when it was looked for."""
    taken = rng.random() < 0.5
    patch = contextlib.nullcontext()
    if taken:
        (program,) = case.programs()
        patch = replaced(program._run.__globals__, "has_room", lambda need: True)
    with patch, little_memory(rng.randrange(4 << 20, 24 << 20)):
        error, wrong = case.fail()
    if not isinstance(error, MemoryError):
        wrong.append(f"{case.name}: {error!r} without memory")
    elif not names_its_node(error):
        wrong.append(f"{case.name}: {error!r} names no node")
    return "memory, taken by another" if taken else "memory", error, wrong


def inject(count, seed=34):
    """A report of ``count`` faults: how many at which point, and what was wrong after them."""
    rng = random.Random(seed)
    theano.config.xla.background = False
    points, raised, wrong = collections.Counter(), collections.Counter(), []
    cases = [Case(make, mode) for make in PROGRAMS.values() for mode in MODES]
    for case in cases:
        for _ in range(2):
            wrong += case.call()
        if case.mode == "default":
            case.switch()
            for _ in range(2):
                wrong += case.call()
    memory = Case(large, "xla")
    for _ in range(2):
        wrong += memory.call()
    turns = itertools.cycle(cases)
    while points.total() < count and not wrong:
        if rng.random() < 0.05:
            case, point = memory, without_memory
        else:
            case, point = next(turns), rng.choices([*POINTS], [*POINTS.values()])[0]
        case.after(case.done + 1)
        found = point(case, rng)
        if found is None:
            continue
        name, error, faults = found
        if name:  # otherwise the call did not come by
            points[name] += 1
            raised[type(error).__name__] += 1
        try:
            faults += case.call() + case.call()
        except BaseException as again:
            faults.append(f"{case.name}: the next call raised {type(again).__name__}: {again}")
        wrong += [f"{name}: {fault}" for fault in faults]
    return {"faults": points.total(), "points": points, "raised": raised, "wrong": wrong}


if __name__ == "__main__":
    started = time.perf_counter()
    report = inject(int(sys.argv[1]), *map(int, sys.argv[2:]))
    report["seconds"] = time.perf_counter() - started
    print(json.dumps(report))
