"""Loops of every kind: both engines give what a loop written out in NumPy gives, and its slopes.

Each program mixes its elements, earlier outputs and a weight; the same step is run by ``scan``
and by the loop below, which knows taps and directions but nothing of graphs. Gradients and
tangents are compared with differences of that loop.
"""

import itertools
from dataclasses import dataclass, field

import numpy as np
import pytest

import theano
import theano.tensor as T

ENGINES = {name: theano.Mode(name) for name in ("numpy", "xla")}


@dataclass(frozen=True)
class Program:
    """``sequences`` and ``outputs``: the taps of each; one without taps does not feed back."""

    sequences: tuple = ((0,),)
    outputs: tuple = ((-1,),)
    backwards: bool = False
    n_steps: int | None = None
    symbolic: bool = False  # n_steps is an input
    until: float | None = None  # ends after the step that makes the first output exceed it
    shape: tuple = ()
    product: bool = False  # the first earlier value is multiplied by a matrix
    lengths: tuple = field(default=())

    def __str__(self):
        parts = ["x" + "_".join(",".join(map(str, taps)) for taps in self.sequences)]
        parts.append("y" + "_".join(",".join(map(str, taps)) or "-" for taps in self.outputs))
        parts += ["backwards"] if self.backwards else []
        parts += [f"n{self.n_steps}"] if self.n_steps is not None else []
        parts += ["symbolic"] if self.symbolic else []
        parts += ["until"] if self.until is not None else []
        parts += ["vectors"] if self.shape else []
        parts += ["product"] if self.product else []
        parts += [f"lengths{self.lengths}"] if self.lengths else []
        return " ".join(parts)


def step(xp, program, elements, earlier, w):
    """The new outputs: sums of all that comes in, each with its own factor, bent."""
    outs = []
    for i in range(len(program.outputs)):
        total = w * (0.3 + 0.1 * i)
        for j, e in enumerate(elements):
            total = total + e * (0.5 - 0.2 * j + 0.1 * i)
        for j, p in enumerate(earlier):
            total = total + (xp.dot(p, MATRIX) if program.product and j == 0 else p) * (
                0.7 - 0.3 * j + 0.05 * i
            )
        outs.append(xp.tanh(total) * 0.9 if i % 2 == 0 else total * 0.4)
    return outs


MATRIX = np.array([[0.2, -0.4], [0.6, 0.3]])


def by_hand(program, n, sequences, initials, w):
    """The rows of each output, by a loop over steps."""
    before = [max(0, *(-k for k in taps)) for taps in program.sequences]
    after = [max(0, *taps) for taps in program.sequences]
    if n is None:
        n = min(len(x) - b - a for x, b, a in zip(sequences, before, after, strict=True))
    backwards = program.backwards != (n < 0)
    n = abs(n)
    rows = [[] for _ in program.outputs]
    for t in range(n):
        elements = []
        for x, taps, b, a in zip(sequences, program.sequences, before, after, strict=True):
            at = len(x) - a - 1 - t if backwards else b + t
            elements += [x[at + k] for k in taps]
        earlier = []
        for i, taps in enumerate(program.outputs):
            depth = max((-k for k in taps), default=0)
            past = list(initials[i]) if taps and taps != (-1,) else [initials[i]]
            line = past[:depth] + rows[i]
            earlier += [line[len(line) + k] for k in taps]
        made = step(np, program, elements, earlier, w)
        for row, value in zip(rows, made, strict=True):
            row.append(value)
        if program.until is not None and np.sum(made[0]) > program.until:
            break
    return [np.array(row) for row in rows]


SEQUENCES = [((0,),), ((-1, 0),), ((2, 0, -1),), ((0,), (-2, 1)), ()]
OUTPUTS = [((),), ((-1,),), ((-2, -1),), ((-3,), ()), ((-1,), (-1, -2))]
PROGRAMS = [
    *(
        Program(s, o, backwards=b, n_steps=None if s else 4)
        for s, o, b in itertools.product(SEQUENCES, OUTPUTS, (False, True))
        if s or o != ((),)
    ),
    *(Program(o and ((0,),), o, shape=(2,), product=True) for o in OUTPUTS[1:]),
    *(Program(((0,), (-1,)), o, shape=(2,), backwards=True) for o in OUTPUTS[1:]),
    *(Program(((0,),), o, n_steps=3, symbolic=True) for o in OUTPUTS[1:]),
    *(Program(((0,),), o, n_steps=0, symbolic=True, shape=(2,)) for o in OUTPUTS[:2]),
    *(Program(s, ((-1,),), n_steps=-3) for s in SEQUENCES[:2]),
    Program(((0,), (0,)), ((-1,),), lengths=(7, 4)),
    *(Program(s, o, n_steps=6, until=0.75) for s in SEQUENCES[:2] for o in OUTPUTS[1:4]),
    Program((), ((-1,),), n_steps=9, until=1.1, shape=(2,), product=True),
    Program((), ((-20,),), n_steps=25),
    Program(((0,),), ((-18, -1),), shape=(2,)),
]


def numbers(program, seed=0):
    """Sequences, initial values and a weight, drawn so that no step sits at the threshold."""
    rng = np.random.default_rng(seed)
    lengths = program.lengths or (9,) * len(program.sequences)
    sequences = [rng.uniform(0.1, 1, (n, *program.shape)) for n in lengths]
    initials = []
    for taps in program.outputs:
        depth = max((-k for k in taps), default=0)
        lead = () if depth <= 1 and taps != (-3,) else (depth,)
        initials.append(rng.uniform(-0.5, 0.5, (*lead, *program.shape)) if taps else None)
    return sequences, initials, np.float64(0.4)


def tensor(value):
    return T.TensorType("float64", (False,) * np.ndim(value))()


def test_there_are_at_least_60_programs():
    assert len(PROGRAMS) >= 60
    assert len({str(p) for p in PROGRAMS}) == len(PROGRAMS)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("program", PROGRAMS, ids=str)
def test_values_gradients_and_tangents_are_those_of_a_loop_by_hand(program, engine):
    sequences, initials, w = numbers(program)
    xs = [tensor(x) for x in sequences]
    firsts = [None if v is None else tensor(v) for v in initials]
    weight = T.dscalar("w")
    n = T.lscalar("n") if program.symbolic else program.n_steps
    n_elements = sum(map(len, program.sequences))

    def one(*args):
        outs = step(T, program, args[:n_elements], args[n_elements:-1], args[-1])
        if program.until is None:
            return outs
        return outs, theano.scan_module.until(outs[0].sum() > program.until)

    made, updates = theano.scan(
        one,
        sequences=[
            {"input": x, "taps": list(taps)} for x, taps in zip(xs, program.sequences, strict=True)
        ],
        outputs_info=[
            None if v is None else {"initial": v, "taps": list(taps)}
            for v, taps in zip(firsts, program.outputs, strict=True)
        ],
        non_sequences=weight,
        n_steps=n,
        go_backwards=program.backwards,
        return_list=True,
    )
    assert not updates
    wrt = [*xs, *(v for v in firsts if v is not None), weight]
    rng = np.random.default_rng(1)
    values = [*sequences, *(v for v in initials if v is not None), w]
    directions = [rng.normal(size=np.shape(v)) for v in values]
    cost = sum((T.sum(v * (1 + T.arange(v.size).reshape(v.shape) % 3)) for v in made), T.sum(w * 0))
    outs = [
        *made,
        *T.grad(cost, wrt, disconnected_inputs="ignore"),
        T.Rop(cost, wrt, [T.constant(d) for d in directions]),
    ]
    inputs = [*wrt, *([n] if program.symbolic else [])]
    f = theano.function(inputs, outs, mode=ENGINES[engine], on_unused_input="ignore")
    got = f(*values, *([program.n_steps] if program.symbolic else []))
    found = got[: len(made)]

    def rows(*values):
        rest = iter(values)
        here = [next(rest) for _ in sequences]
        first = [None if v is None else next(rest) for v in initials]
        return by_hand(program, program.n_steps, here, first, next(rest))

    def weighed(*values):
        return sum(np.sum(v * (1 + np.arange(v.size).reshape(v.shape) % 3)) for v in rows(*values))

    for a, b in zip(found, rows(*values), strict=True):
        assert a.dtype == np.float64
        assert len(a) == len(b)
        if len(b):
            np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-14)
    slopes = got[len(made) : -1]
    total = 0.0
    for k, (v, g, d) in enumerate(zip(values, slopes, directions, strict=True)):
        up, down = list(values), list(values)
        up[k], down[k] = v + 1e-6 * d, v - 1e-6 * d
        slope = (weighed(*up) - weighed(*down)) / 2e-6
        np.testing.assert_allclose(np.sum(g * d), slope, rtol=1e-6, atol=1e-8)
        total += slope
    np.testing.assert_allclose(got[-1], total, rtol=1e-6, atol=1e-8)
