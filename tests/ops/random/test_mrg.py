"""MRG31k3p: the published recurrence, one step at a time and all at once."""

from __future__ import annotations

import numpy as np
import pytest

import theano
import theano.tensor as T
from theano._src.ground.xp import numpy_xp
from theano._src.ops.random import mrg
from theano.sandbox import rng_mrg
from theano.testing import Case, OpSpec, Raises, spec_tests

ENGINES = ("numpy", "xla")
M1, M2 = 2**31 - 1, 2**31 - 21069


def step(state):
    """One step of the published recurrence, in Python's own integers, and its sample."""
    x, y = state[:3], state[3:]
    x = [(2**22 * x[1] + (2**7 + 1) * x[2]) % M1, *x[:2]]
    y = [(2**15 * y[0] + (2**15 + 1) * y[2]) % M2, *y[:2]]
    z = (x[0] - y[0]) % M1
    return x + y, z or M1


def plain(rstate, size, dtype="float64"):
    """States and samples, one at a time."""
    states = [[int(n) for n in row] for row in rstate]
    out = []
    for i in range(int(np.prod(size, dtype="int64"))):
        j = i % len(states)
        states[j], z = step(states[j])
        if dtype == "float64":
            out.append(z * 2.0**-31)
        elif dtype == "float32":
            out.append(np.float32(z) * np.float32(4.6566126e-10))
        else:
            out.append(float((z & 0x7FFF) + 1) * float(np.float16(3.0458e-05)))
    return np.array(states, "int32").reshape(rstate.shape), np.array(out, dtype).reshape(size)


def some_states(n, seed=3):
    rng = np.random.default_rng(seed)
    high = np.array([M1] * 3 + [M2] * 3)
    made = rng.integers(1, high, (n, 6)).astype("int32")
    # the ends of the range too
    made[0] = [M1 - 1, 0, M1 - 1, M2 - 1, 0, M2 - 1]
    return made


def drawing(dtype):
    def fn(rstate, size, ndim=1):
        return mrg.mrg_uniform(T.TensorType(dtype, (False,) * ndim))(rstate, size)

    return fn


def drawn(dtype):
    return lambda rstate, size, ndim=1: plain(rstate, tuple(size), dtype)


def cases(dtype):
    for n, size in ((1, (5,)), (4, (11,)), (9, (4,)), (3, (2, 3)), (2, (2, 2, 3)), (5, (0, 3))):
        if dtype == "float64" or size == (11,):
            shape, ndim = np.array(size), {"ndim": len(size)}
            yield Case(some_states(n), shape, kwargs=ndim, static=(1,), id=f"{n} streams, {size}")
    if dtype == "float64":
        yield Case(some_states(3), np.array([7]), id="an input says the size")


MATRICES = [np.array(m, "int64") for m in (rng_mrg.A1p72, rng_mrg.A2p72)]


def dot_modulo(A, s, m, A2, s2, m2):
    made = []
    for a, v, n in ((A, s, m), (A2, s2, m2)):
        made += [sum(int(x) * int(y) for x, y in zip(row, v, strict=True)) % int(n) for row in a]
    return np.array(made, s.dtype)


# fmt: off
SPECS = [
    *(OpSpec(drawing(d), drawn(d),
             name=f"mrg_uniform-{d}", cases=list(cases(d)), nin=2, rtol=0,
             grad="none: no gradient goes through sampling",
             errors=[
                 Raises((np.zeros((2, 5), "int32"), np.array([3])), ValueError, "in rows of 6",
                        when="run"),
                 Raises((np.zeros((2, 6), "int64"), np.array([3])), TypeError, "int32 matrix",
                        when="build"),
             ])
      for d in ("float16", "float32", "float64")),
    OpSpec(rng_mrg.DotModulo(), dot_modulo, name="DotModulo", nin=6, rtol=0,
           cases=[Case(MATRICES[0], np.array([M1 - 1, 5, 9], "int32"), np.int32(M1),
                       MATRICES[1], np.array([M2 - 1, 7, 1], "int32"), np.int32(M2), id="leap")],
           grad="none: whole numbers"),
]
# fmt: on
test_ops = spec_tests(SPECS)


@pytest.mark.parametrize("power", ["72", "134"])
def test_leaps_are_powers_of_the_recurrence(power):
    for name, step_, m in (("A1p", mrg.STEP[0], M1), ("A2p", mrg.STEP[1], M2)):
        a = np.array(step_, object)
        for _ in range(int(power)):
            a = a.dot(a) % m
        assert getattr(rng_mrg, name + power).tolist() == a.tolist()


def test_any_number_of_steps_at_once_is_as_many_single_ones():
    for total in (1, 2, 3, 1023, 1024, 1025, 2049, 3000):
        start = some_states(1, total)
        op = mrg.mrg_uniform(T.dvector)
        state, sample = op.compute(numpy_xp, start, np.array([total]))
        want = plain(start, (total,))
        assert (sample == want[1]).all(), total
        assert (state == want[0]).all(), total


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("streams", [1, 9000])
def test_many_samples_are_as_many_single_steps(streams, engine):
    start = T.imatrix()
    made = mrg.mrg_uniform(T.dvector)(start, [70000])
    given = some_states(streams)
    state, sample = theano.function([start], made, mode=theano.Mode(engine))(given)
    want = plain(given, (70000,))
    assert (sample == want[1]).all() and (state == want[0]).all()


def test_float32_samples_are_products_with_the_number_before_2_to_the_minus_31():
    k = np.concatenate([2 ** np.arange(31), 2 ** np.arange(1, 32) - 1, np.arange(1, M1, 99991)])
    k = k.astype("int32")
    got = mrg._as_float32(numpy_xp, k)
    assert (got == k.astype("float32") * np.nextafter(np.float32(2.0**-31), np.float32(0))).all()
    assert got.max() < 1 and got.min() > 0


@pytest.mark.parametrize("engine", ENGINES)
def test_the_state_is_a_tensor_like_any_other(engine):
    # two draws, each from the state that the one before left
    start = T.imatrix()
    one, a = mrg.mrg_uniform(T.dvector)(start, [5])
    two, b = mrg.mrg_uniform(T.dvector)(one, [5])
    f = theano.function([start], [a, b, two], mode=theano.Mode(engine))
    given = some_states(5)
    got = f(given)
    state, whole = plain(given, (10,))
    assert (np.concatenate(got[:2]) == whole).all() and (got[2] == state).all()
