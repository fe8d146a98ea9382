"""Random programs of ifelse: shared parts, nests, several outputs, state; as Python has them."""

from __future__ import annotations

import random

import numpy as np
import pytest

import theano
import theano.tensor as T
from theano.ifelse import ifelse

START = np.array([1.5, -2.0, 0.25])


def wrote(u, v):
    made = np.array(u)
    made[0] += v[1]
    return made


# symbolic and plain, of two vectors of 3
STEPS = (
    (lambda u, v: u + v, lambda u, v: u + v),
    (lambda u, v: u * v, lambda u, v: u * v),
    (lambda u, v: u - v / 2, lambda u, v: u - v / 2),
    (lambda u, v: T.sin(u), lambda u, v: np.sin(u)),
    (lambda u, v: T.tanh(u), lambda u, v: np.tanh(u)),
    (lambda u, v: T.maximum(u, v), lambda u, v: np.maximum(u, v)),
    (lambda u, v: u[::-1], lambda u, v: u[::-1]),
    (lambda u, v: T.inc_subtensor(u[0], v[1]), wrote),
    (lambda u, v: u[T.gt(u, 0)].sum() + v, lambda u, v: u[u > 0].sum() + v),
)


class Random:
    """A program: expressions, and functions of the values of its inputs that give the same."""

    def __init__(self, seed):
        self.rnd = random.Random(seed)
        self.x, self.y = T.dvectors("xy")
        self.c, self.d = T.iscalars("cd")
        self.s = theano.shared(START.copy(), "s")
        three = np.array([1.0, 2.0, 3.0])
        self.values = [
            (self.x, lambda e: e["x"]),
            (self.y, lambda e: e["y"]),
            (self.s, lambda e: e["s"]),
            (T.constant(three), lambda e: three),
        ]
        self.conditions = [(self.c, lambda e: e["c"]), (self.d, lambda e: e["d"])]
        for _ in range(self.rnd.randint(4, 22)):
            self.grow()
        kept = [self.rnd.choice(self.values[3:]) for _ in range(self.rnd.randint(1, 4))]
        self.outputs = [*kept, self.values[-1]]
        self.new_state = self.rnd.choice(self.values)

    def grow(self):
        choose, kind = self.rnd.choice, self.rnd.random()
        if kind < 0.4:
            (u, pu), (v, pv) = choose(self.values), choose(self.values)
            build, plain = choose(STEPS)
            self.values.append((build(u, v), lambda e: plain(pu(e), pv(e))))
        elif kind < 0.5:
            u, pu = choose(self.values)
            self.conditions.append((T.gt(u.sum(), 0.1), lambda e: pu(e).sum() > 0.1))
        elif kind < 0.6:
            (a, pa), (b, pb) = choose(self.conditions), choose(self.conditions)
            one = T.constant(1, dtype="int32")
            made = ifelse(a, T.cast(b, "int32"), one)
            self.conditions.append((made, lambda e: int(pb(e)) if pa(e) else 1))
        else:
            a, pa = choose(self.conditions)
            n = choose((1, 1, 1, 2, 3))
            pairs = [(choose(self.values), choose(self.values)) for _ in range(n)]
            outs = ifelse(a, [t[0] for t, _ in pairs], [f[0] for _, f in pairs])
            for out, ((_, then), (_, other)) in zip(outs, pairs, strict=True):
                self.values.append(
                    (out, lambda e, then=then, other=other: (then if pa(e) else other)(e))
                )

    def check(self, mode):
        self.s.set_value(START)
        f = theano.function(
            [self.x, self.y, self.c, self.d],
            [v for v, _ in self.outputs],
            updates=[(self.s, T.tanh(self.new_state[0]))],
            mode=mode,
            on_unused_input="ignore",
        )
        rng = np.random.RandomState(0)
        held = START
        for c, d in ((0, 0), (0, 2), (1, 0), (1, 2), (1, 2), (0, 0)):
            env = {"x": rng.uniform(-2, 2, 3), "y": rng.uniform(-2, 2, 3), "c": c, "d": d}
            given = {k: np.array(v) for k, v in env.items()}
            made = f(env["x"], env["y"], c, d)
            env["s"] = held
            for got, (_, plain) in zip(made, self.outputs, strict=True):
                np.testing.assert_allclose(got, plain(env), rtol=1e-9, atol=1e-12)
                got[...] = 99.0  # the caller's own
            held = np.tanh(self.new_state[1](env))
            np.testing.assert_allclose(self.s.get_value(), held, rtol=1e-9, atol=1e-12)
            assert all(np.array_equal(given[k], env[k]) for k in given)


@pytest.mark.parametrize(
    "linker, optimizer", [("numpy", "fast_run"), ("py", "fast_run"), ("vm", None)], ids=str
)
def test_random_programs_do_what_python_does(linker, optimizer):
    for seed in range(40):
        Random(seed).check(theano.Mode(linker, optimizer))


@pytest.mark.parametrize("seed", range(100, 108))
def test_random_programs_do_what_python_does_on_xla(seed):
    Random(seed).check(theano.Mode("xla"))


def derivatives(program):
    """The gradients and a tangent of a cost of all outputs."""
    cost = sum(T.sqr(T.tanh(v)).sum() for v, _ in program.outputs)
    wrt = [program.x, program.y]
    gs = T.grad(cost, [*wrt, program.s], disconnected_inputs="ignore")
    return [*gs, T.Rop(cost, wrt, wrt[::-1])]


@pytest.mark.parametrize("linker, seeds", [("numpy", range(25)), ("xla", range(200, 204))], ids=str)
def test_rewriting_keeps_the_derivatives_of_random_programs(linker, seeds):
    for seed in seeds:
        program = Random(seed)
        made = derivatives(program)
        ins = [program.x, program.y, program.c, program.d]
        fs = [
            theano.function(ins, made, mode=theano.Mode(*m), on_unused_input="ignore")
            for m in ((linker, "fast_run"), ("py", None))
        ]
        rng = np.random.RandomState(seed)
        for c, d in ((0, 0), (0, 2), (1, 0), (1, 2)):
            args = (rng.uniform(-2, 2, 3), rng.uniform(-2, 2, 3), c, d)
            for got, want in zip(*[f(*args) for f in fs], strict=True):
                np.testing.assert_allclose(got, want, rtol=1e-8, atol=1e-11)
