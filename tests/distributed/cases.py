"""What functions on a mesh of eight devices do: one function a case, run in one process.

    python cases.py

prints, as JSON, for each case an empty text, or what went wrong.
"""

import json
import pickle
import sys
import threading
import traceback

import numpy as np

import theano
import theano.tensor as T
from theano import In, Out, distributed as dist
from theano._src.engines.xla import linker
from theano.ifelse import ifelse
from theano.sandbox.rng_mrg import MRG_RandomStreams
from theano.tensor.shared_randomstreams import RandomStreams

theano.config.floatX = "float64"
MESH = dist.mesh({"data": -1})
ROWS = MESH["data"]
X = np.random.RandomState(0).randn(16, 6)


def raised(kind, call):
    """The text of the error that a call raises."""
    try:
        call()
    except kind as error:
        return str(error) + "".join(getattr(error, "__notes__", ()))
    raise AssertionError(f"{kind.__name__} was not raised")


def step_of(cost_of=lambda x, W: (T.dot(x, W) ** 2).mean(), **more):
    x = T.matrix("x")
    W = theano.shared(np.ones((6, 8)), "W", sharding=MESH[None, "data"])
    cost = cost_of(x, W)
    f = theano.function([In(x, sharding=ROWS)], cost, updates=[(W, W - T.grad(cost, W))], **more)
    return f, W


def a_failed_check_leaves_state_as_it_was():
    x, i = T.matrix("x"), T.lscalar("i")
    W = theano.shared(np.arange(48.0).reshape(8, 6), "W", sharding=ROWS)
    n = theano.shared(0, "n")
    cost = T.dot(x, W.T).mean() + x[i].sum()
    f = theano.function([In(x, sharding=ROWS), i], cost, updates=[(W, W * 2), (n, n + 1)])
    f(X, 3)
    before = W.get_value()
    text = raised(IndexError, lambda: f(X, 16))
    assert "x" in text and "cases.py" in text, text
    assert np.array_equal(W.get_value(), before) and n.get_value() == 1
    f(X, 3)
    assert np.array_equal(W.get_value(), before * 2) and n.get_value() == 2


def a_failed_check_on_large_values_names_its_node():
    before, linker._REPLAYED_BYTES = linker._REPLAYED_BYTES, 100
    try:
        i = T.lscalar("i")
        W = theano.shared(np.arange(48.0).reshape(8, 6), "W", sharding=ROWS)
        f = theano.function([i], W[i].sum(), updates=[(W, W * 2)])
        text = raised(ValueError, lambda: f(8))
        assert "a check of" in text and "more than 100 bytes" in text and "cases.py" in text, text
        assert W.get_value()[0, 1] == 1
    finally:
        linker._REPLAYED_BYTES = before


def explain_tells_what_devices_send_and_hold():
    f, _ = step_of()
    f(X)
    text = theano.printing.explain(f, file="str")
    assert "Runs on XLA: its values are spread over mesh(data=-1)." in text, text
    assert "8 devices" in text and "predicted" in text and "bytes of arguments" in text, text
    assert "brings a split value to every device" not in text
    data = theano.shared(np.zeros((4096, 64)), "data", sharding=ROWS)
    i = T.lscalar("i")
    g = theano.function([i], data[i * 64 : (i + 1) * 64].sum())
    g(1)
    text = theano.printing.explain(g, file="str")
    assert "an all-gather of 2,097,152 bytes brings a split value to every device" in text, text


def an_uneven_split_names_the_variable_and_the_axis():
    f, _ = step_of()
    text = raised(ValueError, lambda: f(X[:15]))
    assert "x of shape (15, 6)" in text and "'data'" in text and "multiple of 8" in text, text
    x = T.matrix("x")
    g = theano.function([x], dist.constrain(x * 2, ROWS).sum())
    text = raised(ValueError, lambda: g(X[:15]))
    assert "length, 15" in text and "cases.py" in text, text


def a_step_on_the_host_sees_the_whole():
    seen = []

    @theano.compile.as_op([T.dmatrix], [T.dvector])
    def sums(x):
        seen.append(x.shape)
        return x.sum(1)

    x = T.dmatrix("x")
    f = theano.function([In(x, sharding=ROWS)], sums(x * 2) + 1)
    assert np.allclose(f(X), X.sum(1) * 2 + 1) and seen == [(16, 6)]


def shapes_may_depend_on_values():
    x = T.matrix("x")
    f = theano.function([In(x, sharding=ROWS)], [x[(x > 0).nonzero()].sum(), T.sort(x, 0)[0]])
    total, least = f(X)
    assert np.isclose(total, X[X > 0].sum()) and np.allclose(least, X.min(0))


def a_branch_is_chosen():
    x, c = T.matrix("x"), T.lscalar("c")
    f = theano.function([In(x, sharding=ROWS), c], ifelse(c, x.sum(), (x * x).sum()))
    assert np.isclose(f(X, 1), X.sum()) and np.isclose(f(X, 0), (X * X).sum())


def graphs_inside_ops_may_constrain():
    x = T.matrix("x")
    inner = theano.OpFromGraph([x], [dist.constrain(x * 2, ROWS).sum(0)])
    f = theano.function([x], inner(x + 1))
    assert f.fn.plan is not None and np.allclose(f(X), (X + 1).sum(0) * 2)
    h, _ = theano.scan(lambda h: dist.constrain(T.tanh(h + x), ROWS), None, x, n_steps=3)
    g = theano.function([x], [h[-1], T.grad(h[-1].sum(), x)])
    expected, slope = X, np.ones_like(X)
    for _ in range(3):
        expected = np.tanh(expected + X)
        slope = (1 - expected**2) * (slope + 1) if _ else (1 - expected**2) * 2
    value, grad = g(X)
    assert np.allclose(value, expected) and np.allclose(grad, slope)


def derivatives_go_through_a_constraint():
    x = T.matrix("x")
    y = dist.constrain(x**2, ROWS)
    f = theano.function([x], [T.grad(y.sum(), x), T.Rop(y, x, x)])
    g, r = f(X)
    assert np.allclose(g, 2 * X) and np.allclose(r, 2 * X * X)
    v = T.vector("v")
    J = theano.gradient.jacobian(dist.constrain(v**2, ROWS), v)
    assert np.allclose(theano.function([v], J)(X[:, 0]), np.diag(2 * X[:, 0]))


def functions_and_variables_are_pickled():
    f, W = step_of()
    f(X)
    other, V = pickle.loads(pickle.dumps((f, W)))
    assert V.container.storage.sharding == W.container.storage.sharding
    assert np.array_equal(V.get_value(), W.get_value())
    assert f(X) == other(X) and np.array_equal(V.get_value(), W.get_value())


def a_copy_with_other_variables_runs_on_the_mesh():
    f, W = step_of()
    V = theano.shared(np.zeros((6, 8)), "V", sharding=MESH[None, "data"])
    g = f.copy(swap={W: V})
    g(X)
    assert g.fn.plan is not None and np.array_equal(W.get_value(), np.ones((6, 8)))


def batches_of_a_replicated_data_set_are_constrained():
    data = theano.shared(np.random.RandomState(0).randn(20, 256, 6), "data")
    U = dist.shard(theano.shared(np.ones((6, 4)), "U"), MESH.replicated)
    x, i = T.tensor3("x"), T.lscalar("i")
    cost = (T.dot(x, U) ** 2).mean()
    batch = dist.constrain(data[:, i * 64 : (i + 1) * 64], MESH[None, "data"])
    f = theano.function([i], cost, updates=[(U, U - T.grad(cost, U))], givens={x: batch})
    expected = (np.dot(data.get_value()[:, 64:128], np.ones((6, 4))) ** 2).mean()
    assert np.isclose(f(1), expected)
    (stage,) = f.fn.stages
    assert "all-gather" not in stage.texts(next(iter(stage.table)))[1]


def other_functions_read_what_a_mesh_function_has_put_there():
    x = T.matrix("x")
    W = theano.shared(np.ones((6, 2)), "W", sharding=MESH.replicated)
    b = theano.shared(np.zeros(2), "b")
    cost = (T.dot(x, W) + b).sum()
    f = theano.function([In(x, sharding=ROWS)], cost, updates=[(W, W + 1)])
    f(X)
    for mode in (None, theano.Mode("xla"), "FAST_COMPILE", theano.Mode("py")):
        g = theano.function([x], T.dot(x, W) + b, mode=mode)
        assert getattr(g.fn, "plan", None) is None
        assert np.allclose(g(X), np.dot(X, np.full((6, 2), 2.0)))


def values_are_set_and_got():
    f, W = step_of(lambda x, W: T.dot(x, W).sum())
    f(X)
    W.set_value(np.zeros((6, 8)))
    assert f(X) == 0
    slope = np.repeat(X.sum(0)[:, None], 8, 1)
    assert np.allclose(W.get_value(), -slope)
    lent = W.get_value(borrow=True)
    lent[...] = 1
    assert np.isclose(f(X), X.sum() * 8)


def random_streams_draw_what_they_draw_on_one_device():
    for streams in (MRG_RandomStreams, RandomStreams):
        x = T.matrix("x")
        drawn = [streams(5).normal((16, 6)) for _ in range(2)]
        alone = theano.function([x], x + drawn[0])
        spread = theano.function([In(x, sharding=ROWS)], x + drawn[1])
        for _ in range(3):
            assert np.allclose(alone(X), spread(X), atol=1e-12, rtol=0)


def state_may_grow():
    x = T.matrix("x")
    seen = theano.shared(np.zeros((0, 6)), "seen")
    f = theano.function([In(x, sharding=ROWS)], x.sum(), updates=[(seen, T.join(0, seen, x))])
    f(X), f(X)
    assert np.array_equal(seen.get_value(), np.vstack([X, X]))


def a_split_output_is_whole_in_one_process():
    x = T.matrix("x")
    f = theano.function([In(x, sharding=ROWS)], [Out(x * 2, sharding=ROWS), x.sum()])
    double, total = f(X)
    assert np.array_equal(double, X * 2) and np.isclose(total, X.sum())
    double[...] = 0  # it is the caller's


def threads_take_turns():
    f, _ = step_of(lambda x, W: T.dot(x, W).sum())
    g, _ = step_of(lambda x, W: (T.dot(x, W) ** 2).sum() * 1e-3)
    threads = [threading.Thread(target=lambda h=h: [h(X) for _ in range(50)]) for h in (f, g)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
        assert not thread.is_alive()


def a_thousand_steps_do_not_hang():
    f, _ = step_of(lambda x, W: (T.dot(x, W) ** 2).mean())
    for _ in range(1000):
        f(X)


def modes_that_run_on_the_host_give_the_same():
    expected = None
    for mode in (None, "FAST_COMPILE", "DebugMode", theano.Mode("py")):
        f, W = step_of(mode=mode)
        found = [float(f(X)), W.get_value()]
        expected = expected or found
        assert np.isclose(found[0], expected[0]) and np.allclose(found[1], expected[1])


def large_constants_are_on_every_device():
    x = T.matrix("x")
    table = T.constant(np.random.RandomState(1).randn(6, 300))
    f = theano.function([In(x, sharding=ROWS)], T.dot(x, table).sum(1))
    assert np.allclose(f(X), np.dot(X, table.data).sum(1))


def a_function_runs_on_one_mesh():
    other = dist.mesh({"rows": -1})
    x = T.matrix("x")
    text = raised(
        ValueError,
        lambda: theano.function([In(x, sharding=ROWS)], dist.constrain(x, other["rows"])),
    )
    assert "one mesh" in text and "mesh(rows=-1)" in text, text


def a_mesh_of_too_many_devices_says_how_many_there_are():
    x = T.matrix("x")
    f = theano.function([In(x, sharding=dist.mesh({"data": 64})["data"])], x.sum())
    text = raised(ValueError, lambda: f(X))
    assert "takes 64 devices, and there are 8" in text, text


def a_variable_that_is_in_use_is_not_split_anew():
    W = theano.shared(np.ones(8), "W")
    theano.function([], W.sum())
    assert "W has some" in raised(ValueError, lambda: dist.shard(W, ROWS))


CASES = {
    name: case
    for name, case in list(globals().items())
    if callable(case)
    and "_" in name
    and getattr(case, "__module__", "") == "__main__"
    and name not in ("step_of",)
}


def main():
    said = {}
    for name, case in CASES.items():
        try:
            case()
            said[name] = ""
        except BaseException:
            said[name] = traceback.format_exc(limit=-6)
    print(json.dumps(said))


if __name__ == "__main__":
    chosen = sys.argv[1:]
    CASES = {name: case for name, case in CASES.items() if not chosen or name in chosen}
    main()
