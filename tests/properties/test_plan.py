"""Random programs with state and inputs that may be overwritten, on the plan and without it.

The plan leaves out checks of lengths that earlier ones have made, adds no dimensions to numbers,
and writes into arrays of its own; the linker `py` does none of that, and must agree: in values, in
what is raised, and in what is left as it was.
"""

import random

import numpy as np
import pytest

import theano
import theano.tensor as T

PATTERNS = {
    "v": (False,),
    "u": (False,),
    "m": (False, False),
    "r": (True, False),
    "c": (False, True),
    "s": (),
    "t": (),
}

STEPS = (
    lambda a, b: a + b,
    lambda a, b: a * b - a,
    lambda a, b: a / (b * b + 1),
    lambda a, b: a // (abs(b) + 1),
    lambda a, b: T.sqr(a) - b,
    lambda a, b: T.maximum(a, b),
    lambda a, b: T.switch(a < b, a, b),
    lambda a, b: a.astype("float32") * b,
    lambda a, b: T.tanh(a),
    lambda a, b: T.exp(-abs(a)),
    lambda a, b: (a + b).T,
    lambda a, b: (a - b).sum(),
    lambda a, b: a.sum(axis=-1) if a.ndim else a + b,
    lambda a, b: a.max(axis=0) if a.ndim else a,
    lambda a, b: a[0:2] if a.ndim else a,
    lambda a, b: T.set_subtensor(a[0], 0) if a.ndim else a,
    lambda a, b: a if a.ndim else a.dimshuffle("x"),
    lambda a, b: a.dimshuffle(0, "x") if a.ndim == 1 else a + 1,
    lambda a, b: a.dimshuffle("x", 0) - b if a.ndim == 1 else a + 2,
    lambda a, b: a.shape[-1] * b if a.ndim else b,
    lambda a, b: T.floor(a * 2),
    lambda a, b: T.clip(a, -1, 2),
    lambda a, b: T.nnet.sigmoid(a) * b,
)


class Program:
    """A random program, its shared variables, and values to call it with."""

    def __init__(self, seed):
        draw = random.Random(seed)
        dtypes = ("float64", "float64", "float32", "int32")
        self.inputs = [T.TensorType(draw.choice(dtypes), p)(n) for n, p in PATTERNS.items()]
        self.mutable = [draw.random() < 0.25 for _ in self.inputs]
        first = [np.arange(1.0, 4.0), np.array(2.5), np.ones((2, 3), "float32")]
        self.shared = [theano.shared(x) for x in first]
        self.first = first
        fixed = [2.0, np.float32(3), np.ones(1), np.ones((1, 3))]
        made = [*self.inputs, *self.shared, *map(T.constant, fixed)]
        n = len(made)
        for _ in range(draw.randint(3, 14)):
            x = draw.choice(STEPS)(draw.choice(made), draw.choice(made[-7:]))
            if x.ndim <= 2:
                made.append(x)
        made = made[n:] or [self.inputs[0] + 1]
        self.outputs = made[-3:]
        self.updates = []
        for w in self.shared:
            new = [x for x in made if x.type.broadcastable == w.type.broadcastable]
            if new and draw.random() < 0.6:
                x = draw.choice(new)
                x = w * 0.5 + x * 0.25 if draw.random() < 0.5 else x
                self.updates.append((w, x.astype(w.dtype)))
        self.rewrites = draw.choice(("fast_run", "fast_run", "None"))
        self.without = draw.choice(((), ("fusion",), ("inplace",)))
        self.lengths = [self._lengths(draw) for _ in range(3)]
        self.seed = seed

    @staticmethod
    def _lengths(draw):
        n = draw.choice((1, 2, 3, 3, 3))
        k = n if draw.random() < 0.8 else draw.choice((1, 2, 3))
        rows = draw.choice((1, 2, 2, n))
        return [(n,), (k,), (rows, n), (1, n), (rows, 1), (), ()]

    def results(self, linker):
        """Outputs and state after each call, or the first line of what it raises."""
        mode = theano.Mode(linker, self.rewrites)
        if self.without and self.rewrites != "None":
            mode = mode.excluding(*self.without)
        pairs = zip(self.inputs, self.mutable, strict=True)
        ins = [theano.In(x, mutable=True) if free else x for x, free in pairs]
        f = theano.function(
            ins, self.outputs, updates=self.updates, mode=mode, on_unused_input="ignore"
        )
        for w, x in zip(self.shared, self.first, strict=True):
            w.set_value(x)
        rng = np.random.default_rng(self.seed)
        return [self._call(f, rng, shapes) for shapes in self.lengths]

    def _call(self, f, rng, shapes):
        draws = zip(self.inputs, shapes, strict=True)
        values = [np.asarray(rng.normal(size=n) * 3).astype(x.dtype) for x, n in draws]
        given = [x.copy() for x in values]
        held = [w.get_value(borrow=True) for w in self.shared]
        before = [x.copy() for x in held]
        try:
            outs = f(*values)
        except ValueError as e:
            assert all(
                a is w.get_value(borrow=True) for a, w in zip(held, self.shared, strict=True)
            )
            assert all(map(same, held, before))
            found = str(e).split("\n")[0]
        else:
            assert all(type(x) is np.ndarray for x in outs)
            state = [w.get_value(borrow=True) for w in self.shared]
            kept = [x for x, free in zip(values, self.mutable, strict=True) if not free]
            assert not any(np.shares_memory(a, b) for a in (*outs, *state) for b in kept)
            assert not any(np.shares_memory(a, b) for a in outs for b in state)
            found = [x.copy() for x in (*outs, *state)]
        for x, y, free in zip(values, given, self.mutable, strict=True):
            assert free or same(x, y)
        return found


def same(a, b):
    return np.array_equal(a, b, equal_nan=True)


@pytest.mark.parametrize("seed", range(60))
def test_random_programs_give_raise_and_leave_what_they_do_without_a_plan(seed):
    program = Program(seed)
    plain = program.results("py")
    for linker in ("numpy", "cvm"):
        for ours, theirs in zip(program.results(linker), plain, strict=True):
            if isinstance(ours, str) or isinstance(theirs, str):
                assert ours == theirs
                continue
            for a, b in zip(ours, theirs, strict=True):
                assert (a.dtype, a.shape) == (b.dtype, b.shape)
                assert same(a, b)
