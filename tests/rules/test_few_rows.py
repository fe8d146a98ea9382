"""Updates that touch few rows of a table work on those rows, on both engines."""

import time

import numpy as np
import pytest

import theano
import theano.tensor as T
from theano._src.ops.core.elemwise import Elemwise
from theano._src.ops.index.advanced import BaseAdvancedIncSubtensor
from theano._src.ops.index.subtensor import IncSubtensor
from theano._src.ops.index.subtensor1 import AdvancedIncSubtensor1
from theano._src.ops.shape.alloc import Alloc
from theano._src.ops.shape.check_lengths import CheckLengths

ENGINES = ["numpy", pytest.param("xla", marks=pytest.mark.xla)]
WRITERS = (IncSubtensor, BaseAdvancedIncSubtensor, AdvancedIncSubtensor1)
RULES = ("scaled_writes", "difference_of_writes")

i, j, n = T.lvector("i"), T.lvector("j"), T.lscalar("n")
m, mask, rate = T.lmatrix("m"), T.bvector("mask"), T.dscalar("rate")
g = T.dmatrix("g")
START = np.random.default_rng(0).normal(size=(9, 4))
ODD = np.arange(9) % 3 == 1

# name: inputs, part of w, arguments, the same part in NumPy, arguments out of range
PARTS = {
    "rows": ([i], lambda w: w[i], ([1, 5],), np.s_[[1, 5]], ([1, 9],)),
    "a row twice": ([i], lambda w: w[i], ([2, 7, 2],), np.s_[[2, 7, 2]], ([2, 2, -10],)),
    "rows from the end": ([i], lambda w: w[i], ([-1, 8, 0],), np.s_[[-1, 8, 0]], ([-10],)),
    "no rows": ([i], lambda w: w[i], ([],), np.s_[np.zeros(0, int)], None),
    "one row": ([n], lambda w: w[n], (-2,), np.s_[-2], (9,)),
    "one row by a vector": ([i], lambda w: w[i], ([4],), np.s_[[4]], ([9],)),
    "a slice": ([n], lambda w: w[n : n + 3], (5,), np.s_[5:8], None),
    "each second row": ([], lambda w: w[::-2], (), np.s_[::-2], None),
    "a matrix of rows": ([m], lambda w: w[m], ([[1, 2], [2, 8]],), np.s_[[[1, 2], [2, 8]]], None),
    "columns": ([i], lambda w: w[:, i], ([3, 3],), np.s_[:, [3, 3]], ([4],)),
    "elements": ([i, j], lambda w: w[i, j], ([1, 1], [2, 2]), np.s_[[1, 1], [2, 2]], ([1], [4])),
    "a mask": ([mask], lambda w: w[T.eq(mask, 1)], (ODD.astype("int8"),), np.s_[ODD], None),
    "rows by take": ([i], lambda w: w.take(i, axis=0), ([6, 0],), np.s_[[6, 0]], ([9],)),
}


def descend(engine, inputs, cost, w, step):
    """A function that gives a cost and updates ``w``, by ``step(w, gradient)``."""
    update = step(w, T.grad(cost, w))
    return theano.function(inputs, cost, updates=[(w, update)], mode=theano.Mode(engine))


def gradient(w, at):
    """Of ``(w[at] ** 2).sum()``."""
    found = np.zeros_like(w)
    np.add.at(found, at, 2 * w[at])
    return found


def place(w):
    held = w.container.storage[0]
    return held.ctypes.data if isinstance(held, np.ndarray) else held.unsafe_buffer_pointer()


def whole_nodes(f, w):
    """Nodes that compute something of each element of a table, or make another one."""
    (state,) = (v for v in f.maker.fgraph.inputs if v.name == w.name)
    tables = {state}
    found = []
    for node in f.maker.fgraph.toposort():
        if isinstance(node.op, Alloc) and node.outputs[0].ndim == w.ndim:
            found.append(node)
        elif isinstance(node.op, WRITERS):
            tables.update(node.outputs)
            found += [] if node.inputs[0] in tables else [node]
        elif isinstance(node.op, CheckLengths) and node.inputs[0] in tables:
            tables.update(node.outputs)
        elif isinstance(node.op, Elemwise) and tables.intersection(node.inputs):
            found.append(node)
    return found


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", PARTS)
def test_descent_on_a_part_is_written_into_that_part(name, engine):
    inputs, part, args, at, bad = PARTS[name]
    w = theano.shared(START, "w")
    cost = (part(w) ** 2).sum()
    f = descend(engine, [*inputs, rate], cost, w, lambda w, g: w - rate * g)
    assert not whole_nodes(f, w)
    want, places = START.copy(), set()
    for _ in range(3):
        np.testing.assert_allclose(f(*args, 0.1), (want[at] ** 2).sum())
        want -= 0.1 * gradient(want, at)
        np.testing.assert_allclose(w.get_value(), want, rtol=1e-12)
        places.add(place(w))
    assert len(places) == 1
    if bad is not None:
        before = w.get_value()
        with pytest.raises(IndexError):
            f(*bad, 0.1)
        np.testing.assert_array_equal(w.get_value(), before)
        f(*args, 0.1)
        np.testing.assert_allclose(w.get_value(), want - 0.1 * gradient(want, at), rtol=1e-12)


# name: the update of w by its gradient g, and by what factor of g it changes
STEPS = {
    "a constant": (lambda w, g: w - 0.25 * g, -0.25),
    "the other order": (lambda w, g: w + g * -0.25, -0.25),
    "a quotient": (lambda w, g: w - g / (4 * n), -0.25),
    "a quotient of numbers": (lambda w, g: w - (rate / n) * g, -0.25),
    "a product of numbers": (lambda w, g: w - rate * n * g * n, -0.25),
    "a sign": (lambda w, g: w + (-(rate * g)), -0.25),
    "a sum": (lambda w, g: w + 0.25 * g, 0.25),
    "nothing but the gradient": (lambda w, g: w - g, -1.0),
}


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", STEPS)
def test_numbers_go_to_the_rows(name, engine):
    step, factor = STEPS[name]
    w = theano.shared(START, "w")
    mode = theano.Mode(engine)
    new = step(w, T.grad((w[i] ** 2).sum(), w))
    ins = [i, rate, n]
    f = theano.function(ins, updates=[(w, new)], mode=mode, on_unused_input="ignore")
    assert not whole_nodes(f, w)
    f([1, 3, 3], 0.25, 1)
    want = START + factor * gradient(START, [1, 3, 3])
    np.testing.assert_allclose(w.get_value(), want, rtol=1e-12)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_table_that_is_read_at_two_places_is_written_at_both(engine):
    w = theano.shared(START, "w")
    cost = (w[i] * w[j]).sum() + w[0].sum()
    f = descend(engine, [i, j, rate], cost, w, lambda w, g: w - rate * g)
    assert not whole_nodes(f, w)
    f([1, 2, 2], [2, 2, 5], 0.5)
    want = np.zeros_like(START)
    np.add.at(want, [1, 2, 2], START[[2, 2, 5]])
    np.add.at(want, [2, 2, 5], START[[1, 2, 2]])
    want[0] += 1
    np.testing.assert_allclose(w.get_value(), START - 0.5 * want, rtol=1e-12)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_row_that_another_update_reads_is_read_before_it_is_written(engine):
    w, b = theano.shared(START, "w"), theano.shared(np.ones(4), "b")
    cost = T.dot(w[i], w[n] * b).sum()
    grads = T.grad(cost, [w, b])
    updates = [(p, p - rate * slope) for p, slope in zip((w, b), grads, strict=True)]
    f = theano.function([i, n, rate], updates=updates, mode=theano.Mode(engine))
    assert not whole_nodes(f, w)
    want, factor, places = START, np.ones(4), set()
    for _ in range(3):
        f([1, 5, 5], 5, 0.1)
        change = np.zeros_like(want)
        np.add.at(change, [1, 5, 5], want[5] * factor)
        change[5] += want[[1, 5, 5]].sum(axis=0) * factor
        factor = factor - 0.1 * want[[1, 5, 5]].sum(axis=0) * want[5]
        want = want - 0.1 * change
        places.add(place(w))
    np.testing.assert_allclose(w.get_value(), want, rtol=1e-12)
    np.testing.assert_allclose(b.get_value(), factor, rtol=1e-12)
    assert len(places) == 1


@pytest.mark.parametrize("engine", ENGINES)
def test_momentum_is_kept_of_all_rows(engine):
    w, v = theano.shared(START, "w"), theano.shared(np.ones_like(START), "v")
    faster = 0.9 * v - rate * T.grad((w[i] ** 2).sum(), w)
    updates = [(v, faster), (w, w + faster)]
    f = theano.function([i, rate], updates=updates, mode=theano.Mode(engine))
    # the zeros of the gradient are nowhere made
    assert not any(isinstance(node.op, Alloc) for node in f.maker.fgraph.apply_nodes)
    speed, want = np.ones_like(START), START
    for rows in ([1, 1], [0, -1]):
        f(rows, 0.1)
        speed = 0.9 * speed - 0.1 * gradient(want, rows)
        want = want + speed
    np.testing.assert_allclose(v.get_value(), speed, rtol=1e-12)
    np.testing.assert_allclose(w.get_value(), want, rtol=1e-12)


ZEROS = {
    "zeros_like": T.zeros_like,
    "zeros": lambda w: T.zeros(w.shape, w.dtype),
    "alloc": lambda w: T.alloc(np.zeros((), w.dtype), w.shape[0], w.shape[1]),
    "fill": lambda w: T.fill(w, np.float64(0)),
    "a product with 0": lambda w: w * 0,
    "of an expression": lambda w: T.zeros_like(w + 1),
}


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", ZEROS)
@pytest.mark.parametrize("write", [T.inc_subtensor, T.set_subtensor], ids=["inc", "set"])
def test_zeros_may_be_spelled_in_any_way(name, write, engine):
    w = theano.shared(START, "w")
    new = w - 3 * write(ZEROS[name](w)[n : n + 2], g)
    f = theano.function([g, n], updates=[(w, new)], mode=theano.Mode(engine))
    assert not whole_nodes(f, w)
    f(np.ones((2, 4)), 3)
    want = START.copy()
    want[3:5] -= 3
    np.testing.assert_allclose(w.get_value(), want, rtol=1e-12)


@pytest.mark.parametrize("engine", ENGINES)
def test_the_last_of_what_is_set_twice_counts(engine):
    w = theano.shared(START, "w")
    new = w - 3 * T.set_subtensor(T.zeros_like(w)[i], g)
    f = theano.function([g, i], updates=[(w, new)], mode=theano.Mode(engine))
    f([[1.0] * 4, [2.0] * 4], [5, 5])
    want = START.copy()
    want[5] -= 6
    np.testing.assert_allclose(w.get_value(), want, rtol=1e-12)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("dtype", ["int32", "uint8", "float32", "float64", "complex64"])
def test_every_dtype_is_kept(dtype, engine):
    start = np.arange(12).reshape(4, 3).astype(dtype)
    w = theano.shared(start, "w")
    y, c = T.matrix("y", dtype), T.scalar("c", dtype)
    new = w - c * T.inc_subtensor(T.zeros_like(w)[i], y)
    assert new.dtype == dtype
    f = theano.function([y, c, i], updates=[(w, new)], mode=theano.Mode(engine))
    assert not whole_nodes(f, w)
    add = np.full((3, 3), 100, dtype)
    f(add, np.array(3, dtype), [1, 1, -1])
    with np.errstate(over="ignore"):
        total = np.zeros_like(start)
        np.add.at(total, [1, 1, -1], add)
        want = start - np.array(3, dtype) * total
    assert w.get_value().dtype == dtype
    np.testing.assert_array_equal(w.get_value(), want)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_value_of_another_dtype_is_cast_before_it_is_scaled(engine):
    w = theano.shared(np.zeros((3, 2), "int32"), "w")
    new = w - 3 * T.inc_subtensor(T.zeros_like(w)[i], g)
    f = theano.function([g, i], updates=[(w, new)], mode=theano.Mode(engine))
    f([[1.7, 2.4]], [1])
    assert w.get_value().tolist() == [[0, 0], [-3, -6], [0, 0]]


@pytest.mark.parametrize("engine", ENGINES)
def test_a_value_may_stretch_over_the_rows(engine):
    w, y = theano.shared(START, "w"), T.dvector("y")
    new = w - rate * T.inc_subtensor(T.zeros_like(w)[i], y)
    f = theano.function([y, i, rate], updates=[(w, new)], mode=theano.Mode(engine))
    assert not whole_nodes(f, w)
    f([1, 2, 3, 4], [2, 2, 0], 0.5)
    want = START.copy()
    np.subtract.at(want, [2, 2, 0], 0.5 * np.array([1, 2, 3, 4]))
    np.testing.assert_allclose(w.get_value(), want, rtol=1e-12)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("combine", [T.add, T.sub], ids=["sum", "difference"])
def test_zeros_of_another_length_are_still_an_error(combine, engine):
    w, rows = theano.shared(START, "w"), T.lscalar("rows")
    new = combine(w, rate * T.inc_subtensor(T.zeros((rows, 4))[i], g))
    f = theano.function([g, i, rows, rate], updates=[(w, new)], mode=theano.Mode(engine))
    assert not whole_nodes(f, w)
    sign = 1 if combine is T.add else -1
    f(np.ones((1, 4)), [2], 9, 0.5)
    want = START.copy()
    want[2] += sign * 0.5
    np.testing.assert_allclose(w.get_value(), want, rtol=1e-12)
    for wrong in (8, 10, 1):
        with pytest.raises(ValueError, match="mis-match"):
            f(np.ones((1, 4)), [0], wrong, 0.5)
        np.testing.assert_allclose(w.get_value(), want, rtol=1e-12)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_gradient_that_is_also_given_out_is_the_whole_gradient(engine):
    w = theano.shared(START, "w")
    slope = T.grad((w[i] ** 2).sum(), w)
    f = theano.function([i], slope, updates=[(w, w - 0.5 * slope)], mode=theano.Mode(engine))
    want = gradient(START, [1, 1])
    np.testing.assert_allclose(f([1, 1]), want, rtol=1e-12)
    np.testing.assert_allclose(w.get_value(), START - 0.5 * want, rtol=1e-12)


@pytest.mark.parametrize("engine", ENGINES)
def test_the_new_table_is_given_out_as_a_copy(engine):
    w = theano.shared(START, "w")
    new = w - rate * T.grad((w[i] ** 2).sum(), w)
    f = theano.function([i, rate], [w, new], updates=[(w, new)], mode=theano.Mode(engine))
    old, first = f([1], 0.5)
    kept = old.copy(), first.copy()
    np.testing.assert_array_equal(old, START)
    np.testing.assert_array_equal(first, w.get_value())
    f([1, 2], 0.25)
    np.testing.assert_array_equal(old, kept[0])
    np.testing.assert_array_equal(first, kept[1])


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("number", [np.inf, np.nan])
def test_an_infinite_number_reaches_only_what_is_written(number, engine):
    w = theano.shared(START, "w")
    f = descend(engine, [i, rate], (w[i] ** 2).sum(), w, lambda w, g: w - rate * g)
    f([1], number)
    assert not np.isfinite(w.get_value()[1]).any()
    np.testing.assert_array_equal(np.delete(w.get_value(), 1, 0), np.delete(START, 1, 0))


@pytest.mark.parametrize("engine", ENGINES)
def test_the_rules_can_be_left_out(engine):
    w = theano.shared(START, "w")
    mode = theano.Mode(engine).excluding(*RULES)
    new = w - rate * T.grad((w[i] ** 2).sum(), w)
    f = theano.function([i, rate], updates=[(w, new)], mode=mode)
    assert whole_nodes(f, w)
    f([1, 1], 0.1)
    np.testing.assert_allclose(w.get_value(), START - 0.1 * gradient(START, [1, 1]), rtol=1e-12)


@pytest.mark.parametrize("what", ["a factor for each element", "a divided number"])
def test_what_is_not_linear_in_a_number_stays(what):
    w = theano.shared(START, "w")
    slope = T.grad((w[i] ** 2).sum(), w)
    new = w - (slope * w if what.startswith("a factor") else 1 / (slope + 0.0))
    f = theano.function([i], new, mode=theano.Mode("numpy"))
    assert any(isinstance(node.op, Alloc) for node in f.maker.fgraph.apply_nodes)
    want = gradient(START, [1, 1])
    with np.errstate(divide="ignore"):
        want = START - (want * START if what.startswith("a factor") else 1 / want)
    np.testing.assert_allclose(f([1, 1]), want, rtol=1e-12)


# how long it takes


def seconds(f, *args):
    """The least of some calls."""
    f(*args)
    times = []
    for _ in range(12):
        start = time.perf_counter()
        f(*args)
        times.append(time.perf_counter() - start)
    return min(times)


@pytest.mark.parametrize("engine", ENGINES)
def test_few_rows_of_a_large_table_take_little_of_the_time_of_all(engine):
    w = theano.shared(np.ones((400_000, 16), "float32"), "w")
    cost = (w[i] ** 2).sum()
    new = w - np.float32(0.01) * T.grad(cost, w)
    some, all_of_it = (
        theano.function([i], cost, updates=[(w, new)], mode=mode)
        for mode in (theano.Mode(engine), theano.Mode(engine).excluding(*RULES))
    )
    rows = np.random.default_rng(1).integers(0, 400_000, 64)
    few, whole = seconds(some, rows), seconds(all_of_it, rows)
    # 50 and more on a quiet machine
    assert 10 * few < whole
    assert seconds(some, rows[:1]) < 10 * few
