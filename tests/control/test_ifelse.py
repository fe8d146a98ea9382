"""ifelse: values and derivatives of both engines against Python's own if."""

from __future__ import annotations

import pickle
from typing import Any, NamedTuple

import numpy as np
import pytest

import theano
import theano.tensor as T
from theano.ifelse import IfElse, ifelse

ENGINES = ("numpy", "xla")


def mode(linker, optimizer="fast_run"):
    return theano.Mode(linker=linker, optimizer=optimizer)


class Program(NamedTuple):
    """A program of ifelse: how it is built, what Python does instead, and what it is called with.

    ``wrt`` names the positions of inputs that gradients are taken with respect to.
    """

    build: Any
    plain: Any
    inputs: str
    calls: tuple
    wrt: tuple = ()


def pick(c, a, b):
    return a if c else b


def chain(c, x, n=12):
    made = x * 0
    for k in reversed(range(n)):
        made = ifelse(T.eq(c, k), x * (k + 1.5), made)
    return made


X = np.array([0.5, -1.5, 2.0])
Y = np.array([3.0, 0.25, -2.0])
M = np.arange(6.0).reshape(2, 3) / 4
LONG = np.linspace(-1, 1, 5)

# letters of inputs: i, f, b 0-d int32, float64, bool; v vector, m matrix, k int64 scalar
PROGRAMS = {
    "inputs": Program(
        ifelse, lambda c, x, y: pick(c, x, y), "ivv", ((1, X, Y), (0, X, Y), (7, X, Y)), (1, 2)
    ),
    "float condition": Program(
        lambda c, x: ifelse(c, T.exp(x), T.sin(x)),
        lambda c, x: pick(c, np.exp(x), np.sin(x)),
        "fv",
        ((0.5, X), (0.0, X), (-0.0, X), (np.nan, X)),
        (1,),
    ),
    "bool condition": Program(
        lambda c, x: ifelse(c, x**2, x**3),
        lambda c, x: pick(c, x**2, x**3),
        "bv",
        ((True, X), (False, X)),
        (1,),
    ),
    "condition of arrays": Program(
        lambda x, y: ifelse(T.gt(x.sum(), y.sum()), (x * y).sum(), T.dot(x, x)),
        lambda x, y: pick(x.sum() > y.sum(), (x * y).sum(), (x * x).sum()),
        "vv",
        ((X, Y), (Y, X)),
        (0, 1),
    ),
    "other lengths": Program(
        lambda c, x, y: ifelse(c, x * 2, y + 1),
        lambda c, x, y: pick(c, x * 2, y + 1),
        "ivv",
        ((1, X, LONG), (0, X, LONG), (1, LONG, X)),
        (1, 2),
    ),
    "other lengths, used after": Program(
        lambda c, x, y: (ifelse(c, x, y)[::-1] ** 2).sum(),
        lambda c, x, y: (pick(c, x, y) ** 2).sum(),
        "ivv",
        ((1, X, LONG), (0, X, LONG)),
        (1, 2),
    ),
    "length by the branch": Program(
        lambda c, x: ifelse(c, x[1:], T.concatenate([x, x])).shape[0] * x,
        lambda c, x: pick(c, len(x) - 1, 2 * len(x)) * x,
        "iv",
        ((1, X), (0, X)),
        (1,),
    ),
    "several outputs": Program(
        lambda c, x, y: ifelse(c, [x * y, x.sum()], [x + y, y.sum()]),
        lambda c, x, y: pick(c, [x * y, x.sum()], [x + y, y.sum()]),
        "ivv",
        ((1, X, Y), (0, X, Y)),
        (1, 2),
    ),
    "one of several outputs": Program(
        lambda c, x, y: ifelse(c, [x * y, x.sum()], [x + y, y.sum()])[1],
        lambda c, x, y: pick(c, x.sum(), y.sum()),
        "ivv",
        ((1, X, Y), (0, X, Y)),
        (1, 2),
    ),
    "swapped": Program(
        lambda c, x, y: ifelse(c, [x, y], [y, x]),
        lambda c, x, y: pick(c, [x, y], [y, x]),
        "ivv",
        ((1, X, Y), (0, X, Y)),
        (1, 2),
    ),
    "nested": Program(
        lambda c, d, x: ifelse(c, ifelse(d, x * 2, x * 3), ifelse(d, x * 5, x * 7)),
        lambda c, d, x: x * [[7, 5], [3, 2]][bool(c)][bool(d)],
        "iiv",
        ((0, 0, X), (0, 1, X), (1, 0, X), (1, 1, X)),
        (2,),
    ),
    "condition within a branch": Program(
        lambda c, x: ifelse(c, ifelse(T.gt(x.sum(), 0), T.log(x**2), x), T.exp(x)),
        lambda c, x: pick(c, pick(x.sum() > 0, np.log(x**2), x), np.exp(x)),
        "iv",
        ((0, X), (1, X), (1, -X)),
        (1,),
    ),
    "else if": Program(
        chain,
        lambda c, x: x * (c + 1.5 if 0 <= c < 12 else 0),
        "iv",
        tuple((k, X) for k in (0, 5, 11, 12, -1)),
        (1,),
    ),
    "one condition twice": Program(
        lambda c, x: ifelse(c, T.tanh(x).sum(), x.sum()) * ifelse(c, T.tanh(x), x**2),
        lambda c, x: pick(c, np.tanh(x).sum() * np.tanh(x), x.sum() * x**2),
        "iv",
        ((1, X), (0, X)),
        (1,),
    ),
    "shared work": Program(
        lambda c, x: ifelse(c, T.exp(x) * 2, T.exp(x) + 1) + T.exp(x),
        lambda c, x: pick(c, np.exp(x) * 2, np.exp(x) + 1) + np.exp(x),
        "iv",
        ((1, X), (0, X)),
        (1,),
    ),
    "matrices": Program(
        lambda c, m, x: ifelse(c, T.dot(m, x), m.sum(axis=1)),
        lambda c, m, x: pick(c, m @ x, m.sum(1)),
        "imv",
        ((1, M, X), (0, M, X)),
        (1, 2),
    ),
    "slices that a branch demands": Program(
        lambda n, x: ifelse(T.gt(n, 0), x[:n].sum(), T.arange(3 - n).sum() + x[0]),
        lambda n, x: pick(n > 0, x[:n].sum(), np.arange(3 - n).sum() + x[0]),
        "kv",
        ((2, X), (3, X), (-1, X), (0, X)),
        (1,),
    ),
    "a mask in a branch": Program(
        lambda c, x: ifelse(c, x[x > 0].sum(), x.min()),
        lambda c, x: pick(c, x[x > 0].sum(), x.min()),
        "iv",
        ((1, X), (0, X)),
        (1,),
    ),
    "a count in a branch": Program(
        lambda c, x: ifelse(c, T.nonzero(x > 0)[0], T.arange(x.shape[0])),
        lambda c, x: pick(c, np.flatnonzero(x > 0), np.arange(len(x))),
        "iv",
        ((1, X), (0, X)),
    ),
    "shapes that fit only when they are taken": Program(
        lambda x, y: ifelse(T.eq(x.shape[0], y.shape[0]), (x + y).sum(), x.sum()),
        lambda x, y: pick(len(x) == len(y), (x + y[: len(x)]).sum(), x.sum()),
        "vv",
        ((X, Y), (X, LONG)),
        (0,),
    ),
    "constants": Program(
        lambda c: ifelse(c, T.constant(np.ones(2)), T.constant(np.zeros(2))),
        lambda c: pick(c, np.ones(2), np.zeros(2)),
        "i",
        ((1,), (0,)),
    ),
    "integers": Program(
        lambda c, n: ifelse(c, n // 2, n * n),
        lambda c, n: np.int64(pick(c, n // 2, n * n)),
        "ik",
        ((1, 7), (0, -7)),
    ),
    "in the middle": Program(
        lambda c, x: T.exp(ifelse(c, x * 2, T.cos(x))).sum(),
        lambda c, x: np.exp(pick(c, x * 2, np.cos(x))).sum(),
        "iv",
        ((1, X), (0, X)),
        (1,),
    ),
    "settled": Program(
        lambda x: ifelse(T.constant(0), x * 2, x * 3),
        lambda x: x * 3,
        "v",
        ((X,),),
        (0,),
    ),
}

MAKERS = {
    "i": T.iscalar,
    "f": T.dscalar,
    "b": lambda name: T.scalar(name, dtype="bool"),
    "k": T.lscalar,
    "v": T.dvector,
    "m": T.dmatrix,
}


def built(program):
    ins = [MAKERS[kind](f"{kind}{i}") for i, kind in enumerate(program.inputs)]
    made = program.build(*ins)
    return ins, made if isinstance(made, list) else [made]


def as_list(value):
    return value if isinstance(value, list) else [value]


@pytest.mark.parametrize("linker", ["numpy", "xla", "py"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_programs_do_what_python_does(name, linker):
    program = PROGRAMS[name]
    ins, outs = built(program)
    f = theano.function(ins, outs, mode=mode(linker), on_unused_input="ignore")
    for args in program.calls:
        want = as_list(program.plain(*args))
        for got, expected in zip(f(*args), want, strict=True):
            assert got.shape == np.shape(expected)
            np.testing.assert_allclose(got, expected, rtol=1e-13)


def slope(program, args, i, toward):
    """The derivative of the sum of all outputs along a direction, by central differences."""
    step = 1e-6
    sums = []
    for sign in (1, -1):
        moved = list(args)
        moved[i] = args[i] + sign * step * toward
        sums.append(sum(np.sum(out) for out in as_list(program.plain(*moved))))
    return (sums[0] - sums[1]) / (2 * step)


SMOOTH = [name for name, p in PROGRAMS.items() if p.wrt]


@pytest.mark.parametrize("linker", ENGINES)
@pytest.mark.parametrize("name", SMOOTH)
def test_gradients_and_tangents_are_those_of_the_branch_that_is_taken(name, linker):
    program = PROGRAMS[name]
    ins, outs = built(program)
    cost = sum(v.sum() for v in outs)
    wrt = [ins[i] for i in program.wrt]
    toward = [v.type(f"d{v.name}") for v in wrt]
    gs = T.grad(cost, wrt)
    along = T.Rop(cost, wrt, toward)
    f = theano.function([*ins, *toward], [*gs, along], mode=mode(linker), on_unused_input="ignore")
    rng = np.random.RandomState(4)
    for args in program.calls:
        ways = [rng.uniform(-1, 1, args[i].shape) for i in program.wrt]
        *found, pushed = f(*args, *ways)
        want = [slope(program, args, i, d) for i, d in zip(program.wrt, ways, strict=True)]
        for g, d, expected in zip(found, ways, want, strict=True):
            np.testing.assert_allclose(np.sum(g * d), expected, rtol=1e-6, atol=1e-8)
        np.testing.assert_allclose(pushed, sum(want), rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("linker", ENGINES)
def test_second_derivatives_go_through(linker):
    c, x = T.iscalar("c"), T.dscalar("x")
    y = ifelse(c, T.exp(2 * x), x**3)
    f = theano.function([c, x], T.grad(T.grad(y, x), x), mode=mode(linker))
    np.testing.assert_allclose(f(1, 0.5), 4 * np.exp(1.0), rtol=1e-13)
    np.testing.assert_allclose(f(0, 0.5), 3.0, rtol=1e-13)


def test_the_condition_has_the_slope_0():
    c, i = T.dscalar("c"), T.iscalar("i")
    x, y = T.dvectors("xy")
    cost = (ifelse(c, x, y) + ifelse(i, y, x)).sum()
    gs = T.grad(cost, [c, i])
    made = theano.function([c, i, x, y], gs, on_unused_input="ignore")(2.0, 1, X, Y)
    assert [(float(g), g.dtype) for g in made] == [(0.0, "float64"), (0.0, "float64")]


def test_an_output_that_a_cost_does_not_use_has_no_gradient():
    c = T.iscalar("c")
    x, y, z = T.dvectors("xyz")
    first, _ = ifelse(c, [x, y], [y, z])
    with pytest.raises(theano.gradient.DisconnectedInputError):
        T.grad(first.sum(), z)
    assert T.grad(first.sum(), z, disconnected_inputs="ignore").eval({z: X}).tolist() == [0, 0, 0]


@pytest.mark.parametrize(
    "then, otherwise, kind",
    [([1], [2], list), ((1,), [2], tuple), ([1], (2,), list), (1, [2], None), ([1], 2, list)],
    ids=["lists", "tuple and list", "list and tuple", "value and list", "list and value"],
)
def test_the_result_has_the_form_of_the_first_branch(then, otherwise, kind):
    x = T.dscalar("x")
    values = [
        type(b)(x * n for n in b) if isinstance(b, (list, tuple)) else x * b
        for b in (then, otherwise)
    ]
    made = ifelse(T.iscalar(), *values)
    assert isinstance(made, T.TensorVariable) if kind is None else type(made) is kind


def test_no_values_make_no_node():
    assert ifelse(T.iscalar(), [], []) == []


x, y = T.dvectors("xy")
c = T.iscalar("c")
REFUSED = [
    (lambda: ifelse(c, x, T.dmatrix()), TypeError, r"identical types, but they are .*vector.*mat"),
    (lambda: ifelse(c, x, T.fvector()), TypeError, "identical types.*cast one of them"),
    (lambda: ifelse(c, T.row(), T.matrix()), TypeError, "identical types"),
    (lambda: ifelse(c, 1, T.fscalar()), TypeError, "identical types"),
    (lambda: ifelse(x, x, y), TypeError, "Condition given to the op has to be a scalar with 0"),
    (lambda: ifelse(c, [x, y], [x]), ValueError, r"variables on `then` 2, variables on `else` 1"),
    (lambda: ifelse(c, None, x), TypeError, "None"),
    (lambda: IfElse(2)(c, x, y), ValueError, "takes 4 values after the condition, got 2"),
]


@pytest.mark.parametrize("make, error, text", REFUSED, ids=range(len(REFUSED)))
def test_what_is_refused(make, error, text):
    with pytest.raises(error, match=text):
        make()


def test_the_op_prints_as_documented():
    named = ifelse(c, [x * 2, x], [y, y], name="two")
    assert str(named[0].owner.op) == "if{two}"
    assert [str(IfElse(1)), str(IfElse(1, as_view=True)), str(IfElse(2, True, name="f"))] == [
        "if{}",
        "if{inplace}",
        "if{f,inplace}",
    ]
    text = theano.printing.debugprint(ifelse(c, x, y), file="str")
    assert text.split() == "if{} [@A] '' |c [@B] |x [@C] |y [@D]".split()


def test_equal_ops_count_and_share_alike():
    assert IfElse(1) == IfElse(1, name="a") and hash(IfElse(1)) == hash(IfElse(1, name="a"))
    assert IfElse(1) != IfElse(2) and IfElse(1) != IfElse(1, as_view=True)


@pytest.mark.parametrize("linker", ENGINES)
def test_compiled_functions_can_be_saved(linker):
    f = theano.function([c, x, y], ifelse(c, x * 2, T.log(y)), mode=mode(linker))
    again = pickle.loads(pickle.dumps(f))
    assert again(1, X, Y).tolist() == (X * 2).tolist()
    assert again(0, X, abs(Y)).tolist() == pytest.approx(np.log(abs(Y)).tolist())


def test_it_has_rows_of_its_own():
    a, b = T.dvectors("ab")
    m, n = T.dmatrices("mn")
    values = np.arange(6.0).reshape(3, 2)
    given = {m: values, n: -values}
    same = theano.vectorize(ifelse(c, a * 2, b), {a: m, b: n})
    assert same.eval({**given, c: 1}).tolist() == (values * 2).tolist()
    each = theano.vectorize(ifelse(T.gt(a[0], 1), a * 2, b), {a: m, b: n})
    want = np.where(values[:, :1] > 1, values * 2, -values)
    assert each.eval(given).tolist() == want.tolist()


MEMORY = {
    "a constant": lambda c, x: [ifelse(c, T.constant(np.ones(3)), x)],
    "one value twice": lambda c, x: ifelse(c, [T.exp(x)] * 2, [x * 2, x * 3]),
    "an input": lambda c, x: [ifelse(c, x, x * 2)],
    "parts of one value": lambda c, x: ifelse(c, [T.exp(x), T.exp(x)[::-1]], [x * 2, x * 3]),
}


@pytest.mark.parametrize("linker", ["numpy", "py", "vm"])
@pytest.mark.parametrize("name", MEMORY)
def test_what_a_branch_gives_is_not_written_over(name, linker):
    outs = MEMORY[name](c, x)
    f = theano.function([c, x], [T.exp(v) + 1 for v in outs] + outs, mode=mode(linker))
    first = [v.copy() for v in f(1, X)]
    for made in f(1, X):
        made[:] = 7.0
    again = f(1, X)
    plain = theano.function(
        [x], [o.owner.inputs[1 + i] for i, o in enumerate(outs)], on_unused_input="ignore"
    )(X)
    for got, before in zip(again, first, strict=True):
        assert got.tolist() == before.tolist()
    for k, value in enumerate(plain):
        np.testing.assert_allclose(again[k], np.exp(value) + 1)
        np.testing.assert_allclose(again[len(outs) + k], value)
