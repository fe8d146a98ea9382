"""Random loops, compared with their steps written out one after another."""

from __future__ import annotations

import random

import numpy as np
import pytest

import theano
import theano.tensor as T
from theano.scan_module import until

# what a loop changes comes as an output here
pytestmark = pytest.mark.filterwarnings("ignore:A scan changes shared variables")
D = 3


def tensor(ndim, name):
    return T.TensorType("float64", (False,) * ndim)(name)


class Random:
    """A loop: its inputs with values, its step, and what it is asked for."""

    def __init__(self, seed):
        self.rnd = rnd = random.Random(seed)
        self.numbers = np.random.default_rng(seed)
        self.given: dict = {}
        self.n = rnd.randrange(6)
        self.seed = rnd.randrange(1 << 30)
        self.sequences = [self._sequence(i) for i in range(rnd.randrange(3))]
        self.states = [self._state(i) for i in range(rnd.randrange(4))]
        self.free = [rnd.randrange(3) for _ in range(rnd.randrange(not self.states, 3))]
        self.others = [self._input(rnd.randrange(3), f"w{i}") for i in range(rnd.randrange(3))]
        self.total = theano.shared(0.25, "total") if rnd.random() < 0.3 else None
        self.ends = rnd.random() < 0.25
        self.backwards = bool(self.sequences) and rnd.random() < 0.3
        self.steps = T.lscalar("n")
        self.counted = not self.sequences or self.ends or rnd.random() < 0.3

    def _input(self, ndim, name, *rows):
        v = tensor(ndim + len(rows), name)
        self.given[v] = self.numbers.normal(size=(*rows, *(D,) * ndim)) * 0.7
        return v

    def _sequence(self, i):
        taps = [0] if self.rnd.random() < 0.6 else sorted(self.rnd.sample(range(-2, 3), 2))
        around = max(0, -min(taps)) + max(0, *taps)
        x = self._input(self.rnd.randrange(3), f"x{i}", self.n + around)
        return {"input": x, "taps": taps}

    def _state(self, i):
        if self.rnd.random() < 0.65:
            return {"initial": self._input(self.rnd.randrange(3), f"h{i}"), "taps": [-1]}
        taps = sorted(-k for k in self.rnd.sample(range(1, 5), 2))
        return {"initial": self._input(self.rnd.randrange(3), f"h{i}", -taps[0]), "taps": taps}

    # one step

    def step(self, *args):
        outs, total, end = self.body(args, self.total)
        found = [outs] if self.total is None else [outs, {self.total: total}]
        found += [until(end)] if self.ends else []
        return found[0] if len(found) == 1 else tuple(found)

    def body(self, args, total):
        """The outputs, the new total and the condition, from the arguments of the step."""
        rnd = random.Random(self.seed)
        pool = [*args, *([] if total is None else [total]), *self.others]
        pool = pool or [T.constant(np.asarray(0.5))]
        for _ in range(rnd.randrange(2, 7)):
            pool.append(self._made(rnd, rnd.choice(pool), rnd.choice(pool)))
        outs = []
        for s in self.states:
            ndim = s["initial"].ndim - (s["taps"] != [-1])
            v = self._as(rnd, rnd.choice(pool), ndim)
            outs.append(T.tanh(v) if rnd.random() < 0.6 else v * 0.9)
        outs += [self._as(rnd, rnd.choice(pool[-4:]), ndim) for ndim in self.free]
        end = self._as(rnd, pool[-1], 0)
        new = None if total is None else T.tanh(total + end)
        return outs, new, end > 0.3

    def _made(self, rnd, a, b):
        like = self._as(rnd, b, a.ndim)
        choices = [T.tanh(a), a * like, a + like, T.sin(a) * 0.5, T.switch(a > 0, a, like)]
        if a.ndim:
            choices += [
                a.sum(axis=rnd.randrange(a.ndim)),
                T.concatenate([a[1:], a[:1]]),
                T.set_subtensor(a[0], self._as(rnd, b, a.ndim - 1)),
                T.dot(a, self._as(rnd, b, max(1, b.ndim))) * 0.5,
                a.T,
                self._loop(a),
            ]
        return rnd.choice(choices)

    def _loop(self, a):
        """A loop in the loop."""
        if not self.nested:
            return a
        return theano.scan(lambda r, s: T.tanh(r + s), a, T.zeros_like(a[0]))[0]

    nested = True

    def _as(self, rnd, a, ndim):
        """Of another number of dimensions."""
        if a.ndim < ndim:
            wide = a if rnd.random() < 0.5 else T.shape_padright(a, ndim - a.ndim)
            return wide + T.zeros((D,) * ndim)
        at, how = rnd.randrange(D), rnd.randrange(3)
        for _ in range(a.ndim - ndim):
            a = (a.sum(axis=0), a[at], a.mean(axis=-1))[how]
        return a

    # the loop, and the same without one

    def loop(self):
        outs, updates = theano.scan(
            self.step,
            self.sequences,
            [*self.states, *([None] * len(self.free))],
            n_steps=self.steps if self.counted else None,
            go_backwards=self.backwards,
            return_list=True,
        )
        return outs, list(updates.values())

    def unrolled(self):
        """The rows of each output, the last total, and how many steps there are."""
        past = []
        for s in self.states:
            first, taps = s["initial"], s["taps"]
            past.append([first] if taps == [-1] else [first[i] for i in range(-min(taps))])
        rows = [[] for _ in (*self.states, *self.free)]
        total = self.total
        for t in range(self.n):
            args = []
            for s in self.sequences:
                x, taps = s["input"], s["taps"]
                before, after = max(0, -min(taps)), max(0, *taps)
                end = self.given[x].shape[0] - after - 1
                args += [x[(end - t if self.backwards else before + t) + k] for k in taps]
            for s, values in zip(self.states, past, strict=True):
                args += [values[k] for k in s["taps"]]
            outs, total, end = self.body(args, total)
            for k, v in enumerate(outs):
                rows[k].append(v)
            for values, v in zip(past, outs, strict=False):
                values.append(v)
            if self.ends and compiled("numpy", self.given, end)():
                break
        return rows, total


def compiled(linker, given, outputs):
    mode = theano.Mode(linker=linker, optimizer="fast_run")
    f = theano.function(list(given), outputs, mode=mode, on_unused_input="ignore")
    return lambda: f(*given.values())


def check(seed, linker):
    program = Random(seed)
    outs, totals = program.loop()
    rows, last = program.unrolled()
    given = {**program.given, program.steps: program.n}
    wrt = [*program.given, *([] if program.total is None else [program.total])]
    loop_cost, plain_cost = 0.0, 0.0
    for k, (out, by_hand) in enumerate(zip(outs, rows, strict=True)):
        # all rows of some outputs, the last one of others
        if by_hand and program.rnd.random() < 0.4:
            loop_cost, plain_cost = loop_cost + out[-1].sum(), plain_cost + by_hand[-1].sum()
        else:
            loop_cost = loop_cost + (out**2).sum() * (k + 1)
            plain_cost = plain_cost + sum((r**2).sum() for r in by_hand) * (k + 1)
    loop_cost, plain_cost = loop_cost + sum(totals), plain_cost + (last if totals else 0)
    grads = theano.grad(loop_cost, wrt, disconnected_inputs="ignore") if wrt else []
    found = compiled(linker, given, [*outs, *totals, *grads])()
    whole = [T.stack(r) if r else None for r in rows]
    plain = [v for v in whole if v is not None] + ([last] if totals else [])
    if wrt and rows and rows[0]:
        plain += theano.grad(plain_cost, wrt, disconnected_inputs="ignore")
    wanted = iter(compiled("numpy", given, plain)())
    for v, got in zip(whole, found, strict=False):
        if v is None:
            assert got.shape[0] == 0
        else:
            np.testing.assert_allclose(got, next(wanted), rtol=1e-9, atol=1e-11)
    rest = found[len(outs) :]
    for one in rest[: None if rows and rows[0] else len(totals)]:
        np.testing.assert_allclose(one, next(wanted), rtol=1e-8, atol=1e-10)
    if not rows[0]:
        for v, g in zip(wrt, rest[len(totals) :], strict=True):
            wanted_g = float(v is program.total)
            np.testing.assert_array_equal(g, np.full(np.shape(g), wanted_g))


@pytest.mark.parametrize("seed", range(60))
def test_a_random_loop_is_its_steps_one_after_another(seed):
    check(seed, "numpy")


@pytest.mark.xla
@pytest.mark.parametrize("seed", range(100, 115))
def test_a_random_loop_is_its_steps_on_xla(seed):
    check(seed, "xla")
