"""What calls are estimated to take, and which functions therefore move to XLA or never do."""

import logging

import numpy as np
import pytest

import theano
import theano.tensor as T
from theano._src.engines import costs
from theano._src.engines.choice.choice import AutoProgram
from theano._src.engines.choice.policy import NEVER
from theano.tensor import nlinalg, slinalg

pytestmark = pytest.mark.usefixtures("by_estimates")

x, b, stack, v = T.dmatrix("x"), T.dvector("b"), T.dtensor3("stack"), T.dvector("v")
random = np.random.default_rng(0)
spd = np.eye(300) * 300 + random.uniform(size=(300, 300))


@pytest.fixture(autouse=True)
def shipped_rates(monkeypatch):
    monkeypatch.setattr(costs, "_known", [costs.Rates()])


def account_of(out, inputs, *args):
    """What is written of a key that has been counted."""
    f = theano.function(inputs, out)
    f(*args)
    (record,) = f.fn.policy.records.values()
    while record.estimate is None:
        f(*args)
    return record


def polynomial(x):
    y = x
    for k in range(15):
        y = y * x + 1.0 / (k + 1)
    return y


ones, line = np.full((100, 50, 50), 0.5) + np.eye(50), random.uniform(size=100_000)
STAY = {
    "a factor": (slinalg.cholesky(x + x.T), [x], spd),
    "a solution with its views": (slinalg.solve(x.T, b).dimshuffle("x", 0), [x, b], spd, spd[0]),
    "two triangles": (slinalg.cho_solve((x, True), b), [x, b], spd, spd[0]),
    "singular values": (nlinalg.svd(x)[1], [x], spd),
    "a sort": (T.sort(v), [v], line),
    "a sort with elements": (T.sort(v * v) + 1, [v], line),
    "products of a stack": (T.batched_dot(stack, stack), [stack], ones),
    "logarithms": (T.log(v), [v], line),
    "one sum": (v + 1, [v], line),
}
MOVE = {
    "many light steps": (polynomial(v), [v], line),
    "a square that is made here": (
        (T.abs_(v[:, None] - v[None, :]) * v).sum(axis=0),
        [v],
        line[:600],
    ),
    "remainders": (v % 0.7, [v], line),
    "light steps beside a factor": (
        slinalg.cholesky(x) + polynomial(polynomial(x)),
        [x],
        spd / 300,
    ),
}


@pytest.mark.parametrize("name", STAY)
def test_what_numpy_does_faster_stays_there_for_ever(name):
    record = account_of(*STAY[name])
    assert record.left == NEVER
    assert record.estimate.gain == 0


@pytest.mark.parametrize("name", MOVE)
def test_what_xla_does_faster_moves_when_it_has_paid(name):
    record = account_of(*MOVE[name])
    assert 0 < record.left < 10_000
    estimate = record.estimate
    lost = (record.left + record.calls) * (estimate.numpy - estimate.xla)
    assert estimate.compiling <= lost <= estimate.compiling + estimate.numpy


def test_a_function_of_nothing_but_the_users_own_code_is_not_counted():
    from theano.compile.ops import as_op

    half = as_op(itypes=[T.dvector], otypes=[T.dvector])(lambda x: x / 2)
    assert not isinstance(theano.function([v], half(v)).fn, AutoProgram)


def test_estimates_go_by_the_shapes_of_all_values_not_of_the_inputs_alone():
    wide = account_of((T.exp(v[:, None] + v)).sum(), [v], line[:2000]).estimate
    flat = account_of(T.exp(v + v).sum(), [v], line[:2000]).estimate
    assert 500 < wide.numpy / flat.numpy < 5000


def test_short_numbers_take_less_time():
    f = T.fvector("f")
    short = account_of(T.exp(f), [f], line.astype("float32")).estimate
    long = account_of(T.exp(v), [v], line).estimate
    assert short.numpy < 0.7 * long.numpy


def test_a_sort_in_the_middle_is_left_to_the_host():
    y = T.sort(polynomial(v))
    record = account_of(polynomial(y), [v], line)
    (at,) = record.estimate.host_nodes
    f = theano.function([v], polynomial(y))
    assert "Sort" in str(f.fn.nodes[at])


def test_what_fails_while_it_is_counted_fails_as_on_numpy():
    f = theano.function([x, v], T.dot(x, v))
    wrong = np.ones((300, 300)), np.ones(299)
    said = []
    for _ in range(3):
        with pytest.raises(ValueError) as error:
            f(*wrong)
        said.append(str(error.value))
    assert said[0] == said[1] == said[2]


def test_results_that_are_counted_are_the_same():
    w = theano.shared(np.zeros(300))
    step = [(w, w + T.dot(x, v) * v)]
    f = theano.function([x, v], [T.sqrt(x).sum(axis=0), v[:5]], updates=step)
    g = theano.function(
        [x, v], [T.sqrt(x).sum(axis=0), v[:5]], updates=step, mode=theano.Mode("numpy")
    )
    values = []
    for run in (f, g):
        w.set_value(np.zeros(300))
        found = [run(spd, spd[0]) for _ in range(3)]
        values.append([np.concatenate(r) for r in found] + [w.get_value()])
    np.testing.assert_array_equal(*map(np.stack, (np.hstack(values[0]), np.hstack(values[1]))))


# telling


def test_explain_says_what_was_decided_for_each_key_and_why():
    f = theano.function([v], polynomial(v))
    for n in (10_000, 100_000, 100_000, 30):
        f(np.zeros(n))
    text = theano.printing.explain(f, "str")
    assert "0 of 3 keys run on XLA; 4 calls ran on NumPy" in text
    assert "(10000,): on NumPy, is not counted yet" in text
    assert "(100000,): on NumPy, has not paid for compiling yet; a call takes" in text
    assert "2 calls took" in text


@pytest.mark.xla
def test_a_key_that_moves_is_logged_with_its_figures(caplog):
    caplog.set_level(logging.INFO, "theano.xla")
    costs._known[:] = [costs.Rates(load=0.0, program=0.0, loop=0.0)]
    f = theano.function([v], polynomial(v))
    while not any("moves to XLA" in r.getMessage() for r in caplog.records):
        f(line)
    (said,) = [r.getMessage() for r in caplog.records if "moves to XLA" in r.getMessage()]
    assert said.startswith("key (100000,) moves to XLA: a call takes ")
    assert "(100000,): on XLA, has paid for compiling; a call takes" in f.fn.choice()


# calls that are longer than compiling


@pytest.mark.xla
def test_a_first_call_that_takes_longer_than_compiling_begins_again_on_xla():
    dear = costs.KINDS | {"mod": costs.KINDS["mod"]._replace(numpy=1e-5)}
    costs._known[:] = [costs.Rates(load=0.0, kinds=dear)]
    f = theano.function([v], polynomial(v % 0.7) % 0.3)
    values = random.uniform(size=300_000)
    found = f(values)
    assert f.fn.xla.compilations == 1
    inner = values % 0.7
    y = inner
    for k in range(15):
        y = y * inner + 1.0 / (k + 1)
    np.testing.assert_allclose(found, y % 0.3, rtol=1e-9, atol=1e-9)
    f(values)
    assert f.fn.xla.compilations == 1


@pytest.mark.xla
def test_a_long_call_with_the_users_own_code_in_it_runs_once():
    from theano.compile.ops import as_op

    seen = []

    @as_op(itypes=[T.dvector], otypes=[T.dvector])
    def noted(y):
        seen.append(y.size)
        return y

    dear = costs.KINDS | {"mod": costs.KINDS["mod"]._replace(numpy=1e-5)}
    costs._known[:] = [costs.Rates(load=0.0, kinds=dear)]
    f = theano.function([v], noted(v % 0.7) % 0.3)
    f(np.ones(300_000))
    assert seen == [300_000]
