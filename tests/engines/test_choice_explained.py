"""What ``explain`` says of programs that were compiled, dropped and compiled again."""

import logging
import re

import numpy as np
import pytest

import theano
import theano.tensor as T
from theano._src.engines import costs

pytestmark = [pytest.mark.xla, pytest.mark.usefixtures("by_estimates")]

pytest.importorskip("jax")

x = T.dvector("x")


def told(f):
    return re.findall(r"compiled for shapes (.*)", theano.printing.explain(f, "str"))


def test_a_key_that_was_dropped_and_comes_again_is_told_of_in_its_place():
    with theano.config.change_flags({"xla.max_keys": 2}):
        f = theano.function([x], x * 2, mode=theano.Mode("xla"))
        for n in (3, 4, 5, 3, 5, 4):
            f(np.zeros(n))
    assert told(f) == [
        "(3,): first call",
        "(4,): x of shape (3,) is now (4,)",
        "(5,): x of shape (4,) is now (5,)",
        "(3,): dropped from the table before",
        "(4,): dropped from the table before",
    ]


def test_the_log_says_which_shape_changed_against_the_last_that_was_compiled(caplog):
    caplog.set_level(logging.INFO, "theano.xla")
    y = T.dvector("y")
    f = theano.function([x, y], [x * 2, y + 1], mode=theano.Mode("xla"))
    f(np.zeros(3), np.zeros(3))
    f(np.zeros(3), np.zeros(5))
    assert [r.getMessage() for r in caplog.records if "compiling" in r.getMessage()] == [
        "program 0: compiling 2 nodes: first call",
        "program 0: compiling 2 nodes: y of shape (3,) is now (5,)",
    ]


def test_more_compilations_than_are_remembered_are_counted(monkeypatch):
    monkeypatch.setattr("theano._src.engines.xla.program._REMEMBERED", 2)
    f = theano.function([x], x * 2, mode=theano.Mode("xla"))
    for n in (3, 4, 5):
        f(np.zeros(n))
    assert "compiled 1 times before" in theano.printing.explain(f, "str")
    assert len(told(f)) == 2
    assert f.fn.compilations == 3


def dear(kind, seconds=1e-3):
    """Rates of a machine on which one kind of work is dear on NumPy, and compiling is cheap."""
    kinds = costs.KINDS | {kind: costs.KINDS[kind]._replace(numpy=seconds)}
    return costs.Rates(load=0.0, program=0.0, loop=0.0, kinds=kinds)


def test_a_sort_between_programs_runs_on_the_host_and_gives_the_same(monkeypatch):
    monkeypatch.setattr(costs, "_known", [dear("tanh")])
    out = T.tanh(T.sort(T.tanh(x))) * 2
    f = theano.function([x], out)
    on_numpy = theano.function([x], out, mode=theano.Mode("numpy"))
    values = np.random.default_rng(0).normal(size=20_000)
    for _ in range(4):
        np.testing.assert_allclose(f(values), on_numpy(values), rtol=1e-13)
    text = theano.printing.explain(f, "str")
    assert "nodes 1 on the host" in text
    assert len(f.fn.xla.stages) == 2
    (section,) = [s for s in f.fn.xla.staging.sections if s]
    assert "Sort" in str(section[0])


def test_a_short_and_a_long_sort_have_programs_of_their_own(monkeypatch):
    monkeypatch.setattr(costs, "_known", [dear("tanh")])
    f = theano.function([x], T.tanh(T.sort(T.tanh(x))) * 2)
    for n in (20_000, 100):
        for _ in range(20):
            f(np.linspace(0, 1, n))
    assert sorted(f.fn.programs) == [(), (1,)]
    assert len(told(f)) == 3


def test_sizes_that_change_within_a_key_send_it_back_to_numpy(monkeypatch):
    monkeypatch.setattr(costs, "_known", [dear("tanh", 1e-6)])
    n = T.lscalar("n")
    f = theano.function([x, n], T.tanh(x[:n]).sum() + T.tanh(x).sum())
    values = np.linspace(0, 1, 20_000)
    while f.fn.xla is None:
        f(values, 100)
    (record,) = f.fn.policy.records.values()
    whole, why = np.tanh(values).sum(), set()
    for k in range(20):
        found = f(values, 200 + k)
        assert found == pytest.approx(np.tanh(values[: 200 + k]).sum() + whole)
        why.add(record.why)
    # each length is a new program: it is compiled when calls have paid for it, not every time
    assert "compiled again for other sizes" in why
    assert f.fn.xla.compilations < 12
