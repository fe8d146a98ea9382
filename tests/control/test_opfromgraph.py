"""OpFromGraph: a graph as an op means what the graph means, wherever it is used."""

from __future__ import annotations

import pickle
import threading

import numpy as np
import pytest

import theano
import theano.tensor as T
from theano import OpFromGraph
from theano.compile import builders
from theano.gof.null_type import NullType
from theano.gradient import DisconnectedInputError, DisconnectedType, NullTypeGradError
from theano.ifelse import ifelse

ENGINES = ("numpy", "xla")
X = np.array([0.5, -1.5, 2.0])
Y = np.array([3.0, 0.25, -2.0])
M = np.arange(6.0).reshape(2, 3) / 4


def mode(linker, optimizer="fast_run"):
    return theano.Mode(linker=linker, optimizer=optimizer)


x, y = T.dvectors("xy")
a, b = T.dscalars("ab")
m = T.dmatrix("m")
n = T.lscalar("n")
shared = theano.shared(np.array([2.0, 3.0, 5.0]), "w")

# inputs, outputs, and the same graph applied outside
GRAPHS = {
    "arithmetic": ([x, y], lambda x, y: [x * y + 1], (X, Y)),
    "two outputs": ([x, y], lambda x, y: [T.exp(x) * y, (x**2).sum()], (X, Y)),
    "an unused input": ([x, y], lambda x, y: [x * 2], (X, Y)),
    "an input as it is": ([x, y], lambda x, y: [y, x[::-1]], (X, Y)),
    "one value twice": ([x], lambda x: [T.sin(x)] * 2, (X,)),
    "a constant": ([x], lambda x: [x + 1, T.constant(np.ones(2))], (X,)),
    "a shared variable": ([x], lambda x: [x * shared, shared.sum()], (X,)),
    "products": ([m, x], lambda m, x: [T.dot(m, x), T.dot(m, m.T)], (M, X)),
    "sizes from values": ([x, n], lambda x, n: [x[:n], T.arange(n) * 1.0], (X, 2)),
    "a mask": ([x], lambda x: [x[x > 0]], (X,)),
    "a choice": ([x, y], lambda x, y: [ifelse(T.gt(x.sum(), 0), x * 2, T.exp(y))], (X, Y)),
    "a loop": ([x], lambda x: [theano.scan(lambda v: v**2 + 1, x)[0]], (X,)),
    "an op inside": ([x], lambda x: [OpFromGraph([y], [T.tanh(y) * 2])(x) + x], (X,)),
    "no inputs": ([], lambda: [T.constant(2.0) * 3], ()),
}
STILL = {"a constant", "no inputs"}


def used(name, inline=False):
    """Inputs, the op's outputs where its inputs are expressions, and those of the plain graph."""
    ins, build, _ = GRAPHS[name]
    op = OpFromGraph(ins, build(*ins), inline=inline)
    given = [v * 1.5 + 0.25 if v.ndim and v is not n else v for v in ins]
    return ins, op(*given, return_list=True), build(*given)


@pytest.mark.parametrize("inline", [False, True], ids=["opaque", "inline"])
@pytest.mark.parametrize("linker", ["numpy", "xla", "py", "vm"])
@pytest.mark.parametrize("name", GRAPHS)
def test_an_op_of_a_graph_means_the_graph(name, linker, inline):
    ins, made, plain = used(name, inline)
    args = GRAPHS[name][2]
    got = theano.function(ins, made, mode=mode(linker), on_unused_input="ignore")(*args)
    want = theano.function(ins, plain, mode=mode("py", None), on_unused_input="ignore")(*args)
    for g, w in zip(got, want, strict=True):
        assert g.dtype == w.dtype and g.shape == w.shape
        np.testing.assert_allclose(g, w, rtol=1e-13)


@pytest.mark.parametrize("linker", ENGINES)
@pytest.mark.parametrize("name", [k for k in GRAPHS if k not in STILL])
def test_its_derivatives_are_those_of_the_graph(name, linker):
    ins, made, plain = used(name)
    args = GRAPHS[name][2]
    wrt = [v for v in ins if v.dtype == "float64"]
    found = []
    for outs in (made, plain):
        cost = sum((v**2).sum() for v in outs if v.dtype == "float64")
        gs = T.grad(cost, wrt, disconnected_inputs="ignore")
        found.append([*gs, T.Rop(cost, wrt, [v * 0 + 0.75 for v in wrt])])
    fs = [
        theano.function(ins, outs, mode=mode(which), on_unused_input="ignore")
        for outs, which in zip(found, (linker, "numpy"), strict=True)
    ]
    for g, w in zip(*[f(*args) for f in fs], strict=True):
        np.testing.assert_allclose(g, w, rtol=1e-12, atol=1e-12)


def test_second_derivatives_go_through_an_op_of_a_graph():
    op = OpFromGraph([a, b], [T.exp(a * b)])
    f = theano.function([a, b], T.grad(T.grad(op(a, b), a), b))
    # d/db of b exp(ab)
    np.testing.assert_allclose(f(0.5, 2.0), np.exp(1.0) * 2, rtol=1e-13)


def test_both_documented_names_are_the_class():
    assert theano.OpFromGraph is builders.OpFromGraph is theano.compile.OpFromGraph


def test_it_prints_as_in_the_last_release():
    assert str(OpFromGraph([a], [a * 2])) == "OpFromGraph{inline=False}"
    assert str(OpFromGraph([a], [a * 2], inline=True, name="twice")) == "twice{inline=True}"


# the graph inside


def ops_of(f):
    return [node.op for node in f.maker.fgraph.toposort()]


def test_an_inline_op_is_rewritten_with_what_is_around_it():
    op = OpFromGraph([x], [T.exp(x)], inline=True)
    f = theano.function([x], T.log(op(x)), mode=mode("numpy"))
    assert not any(isinstance(o, OpFromGraph) for o in ops_of(f))
    assert f([1e4]).tolist() == [1e4]


def test_an_inline_op_inside_an_inline_op_is_expanded_too():
    inner = OpFromGraph([x], [x + 1], inline=True)
    outer = OpFromGraph([x], [inner(x) * 2], inline=True)
    f = theano.function([x], outer(x), mode=mode("numpy"))
    assert not any(isinstance(o, OpFromGraph) for o in ops_of(f))
    assert f(X).tolist() == ((X + 1) * 2).tolist()


@pytest.mark.parametrize("linker", ENGINES)
def test_an_opaque_op_stays_and_is_rewritten_inside(linker):
    op = OpFromGraph([x], [T.log(1 + T.exp(x))])
    f = theano.function([x], op(x), mode=mode(linker))
    assert any(isinstance(o, OpFromGraph) for o in ops_of(f))
    assert f([800.0]).tolist() == [800.0]
    plain = theano.function([x], op(x), mode=mode(linker, None))
    assert plain([800.0]).tolist() == [np.inf]


def test_equal_graphs_make_equal_ops_that_merge():
    one = OpFromGraph([x, y], [x * y + shared])
    two = OpFromGraph([y, x], [y * x + shared])
    assert one == two and hash(one) == hash(two)
    f = theano.function([x, y], [one(x, y) + 1, two(x, y) * 2], mode=mode("numpy"))
    assert sum(isinstance(o, OpFromGraph) for o in ops_of(f)) == 1


@pytest.mark.parametrize(
    "other",
    [
        lambda: OpFromGraph([x, y], [y * x + shared]),
        lambda: OpFromGraph([x, y], [x * y + shared], inline=True),
        lambda: OpFromGraph([x, y], [x * y + shared], name="other"),
        lambda: OpFromGraph([x, y], [x * y + theano.shared(shared.get_value())]),
        lambda: OpFromGraph([x, y], [x * y + shared], grad_overrides=lambda ins, gs: [ins, gs]),
        lambda: OpFromGraph([x, y], [x * y + shared], rop_overrides=["default", nine]),
    ],
    ids=["order", "inline", "name", "shared", "gradient", "tangent"],
)
def test_other_facts_make_other_ops(other):
    assert OpFromGraph([x, y], [x * y + shared]) != other()


@pytest.mark.parametrize("linker", ENGINES)
def test_it_can_be_saved(linker):
    op = OpFromGraph([x], [x * shared, T.exp(x)], grad_overrides="default")
    again = pickle.loads(pickle.dumps(op))
    assert str(again) == str(op) and len(again.shared_inputs) == 1
    f = pickle.loads(pickle.dumps(theano.function([x], op(x), mode=mode(linker))))
    np.testing.assert_allclose(f(X)[0], X * shared.get_value())


@pytest.mark.parametrize("linker", ENGINES)
def test_shared_variables_inside_are_read_at_each_call(linker):
    s = theano.shared(2.0, "s")
    op = OpFromGraph([a], [a * s])
    assert op(a).owner.inputs == [a, s] and op.shared_inputs == [s]
    f = theano.function([a], op(a), updates=[(s, s + 1)], mode=mode(linker))
    assert [float(f(10.0)) for _ in range(3)] == [20.0, 30.0, 40.0]
    assert T.grad(op(a), s).eval({a: 3.0}) == 3.0


def test_lengths_are_known_without_computing():
    op = OpFromGraph([x, n], [x[1:], T.zeros((n, 2))])
    f = theano.function([x, n], [v.shape for v in op(x, n)], mode=mode("numpy"))
    assert not any(isinstance(o, OpFromGraph) for o in ops_of(f))
    assert [v.tolist() for v in f(X, 4)] == [[2], [4, 2]]


@pytest.mark.parametrize("linker", ["numpy", "py", "vm", "xla"])
def test_an_error_inside_names_the_users_line(linker):
    i = T.lscalar("i")
    inner = x[i]  # the line to be named
    op = OpFromGraph([x, i], [inner * 2])
    f = theano.function([x, i], op(x, i), mode=mode(linker))
    assert f(X, 1) == -3.0
    with pytest.raises(IndexError) as caught:
        f(X, 7)
    text = str(caught.value) + "".join(getattr(caught.value, "__notes__", ()))
    assert "the line to be named" in text and "Subtensor" in text


@pytest.mark.parametrize("linker", ["numpy", "vm"])
def test_what_it_gives_is_not_written_over(linker):
    op = OpFromGraph([x], [x, T.constant(np.ones(3)), T.exp(x), T.exp(x)])
    outs = op(x)
    f = theano.function([x], [T.sin(v) for v in outs] + outs, mode=mode(linker))
    values = [X, np.ones(3), np.exp(X), np.exp(X)]
    for _ in range(2):
        made = f(X)
        for got, want in zip(made, [*map(np.sin, values), *values], strict=True):
            np.testing.assert_allclose(got, want, rtol=1e-14)
        for got in made:
            got[:] = 9.0


def test_threads_may_share_a_function_of_it():
    op = OpFromGraph([x], [T.exp(x) * x])
    f = theano.function([x], op(x) + 1, mode=mode("numpy"))
    wrong = []

    def work(k):
        at = np.full(50, float(k))
        for _ in range(200):
            if not np.allclose(f(at), np.exp(at) * at + 1):
                wrong.append(k)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not wrong


# overrides


def gradient(op, *args):
    f = theano.function([a, b], T.grad(op(a, b), [a, b]), on_unused_input="ignore")
    return [float(g) for g in f(*args)]


def nine(ins, gs):
    return gs[0] * 9


G_OP = OpFromGraph([a, b, T.dscalar(), T.dscalar()], [a * 11, a * 13])
OVERRIDDEN = {
    "function of grad": ({"grad_overrides": lambda ins, gs: [gs[0] * 5, ins[0] * 7]}, [5, 14]),
    "function of L_op": ({"lop_overrides": lambda i, o, gs: [o[0] * gs[0], gs[0]]}, [6, 1]),
    "an op": ({"lop_overrides": G_OP}, [22, 26]),
    "a list": ({"grad_overrides": ["default", nine]}, [3, 9]),
    "a tuple": ({"grad_overrides": (nine, "default")}, [9, 2]),
    "default": ({"lop_overrides": "default"}, [3, 2]),
}


@pytest.mark.parametrize("inline", [False, True], ids=["opaque", "inline"])
@pytest.mark.parametrize("name", OVERRIDDEN)
def test_gradients_can_be_overridden(name, inline):
    kwargs, want = OVERRIDDEN[name]
    assert gradient(OpFromGraph([a, b], [a * b], inline=inline, **kwargs), 2.0, 3.0) == want


def test_overrides_can_be_set_later():
    op = OpFromGraph([a, b], [a * b])
    op.set_grad_overrides(lambda ins, gs: [gs[0] * 2, gs[0] * 3])
    assert gradient(op, 5.0, 7.0) == [2, 3]
    op.set_lop_overrides(lambda ins, outs, gs: [outs[0], outs[0]])
    assert gradient(op, 5.0, 7.0) == [35, 35]
    op.set_lop_overrides("default")
    assert gradient(op, 5.0, 7.0) == [7, 5]
    op.set_rop_overrides(lambda ins, points: [points[0] * 100])
    assert T.Rop(op(a, b), [a, b], [a, b]).eval({a: 2.0, b: 3.0}) == 200.0


def test_a_disconnected_override_disconnects():
    op = OpFromGraph([a, b], [a * b], grad_overrides=[DisconnectedType()(), "default"])
    assert op.connection_pattern(op(a, b).owner) == [[False], [True]]
    with pytest.raises(DisconnectedInputError):
        T.grad(op(a, b), a)
    assert T.grad(op(a, b), b).eval({a: 2.0, b: 3.0}) == 2.0


def test_a_null_override_refuses_the_gradient():
    op = OpFromGraph([a, b], [a * b], lop_overrides=[NullType()(), "default"])
    assert T.grad(op(a, b), b).eval({a: 2.0, b: 3.0}) == 2.0
    with pytest.raises(NullTypeGradError):
        T.grad(op(a, b), a)
    both = OpFromGraph([a, b], [a * b], lop_overrides=NullType()())
    with pytest.raises(NullTypeGradError):
        T.grad(both(a, b), b)


TANGENTS = {
    "function": (lambda ins, points: [points[0] * 100 + points[1] * 10, ins[0]], [230, 2]),
    "list": ([lambda ins, points: points[1] * 8, "default"], [24, 5]),
    "default": ("default", [12, 5]),
}


@pytest.mark.parametrize("name", TANGENTS)
def test_tangents_can_be_overridden(name):
    rule, want = TANGENTS[name]
    op = OpFromGraph([a, b], [a * b, a + b], rop_overrides=rule)
    made = theano.function([a, b], T.Rop(op(a, b), [a, b], [a, b]))(2.0, 3.0)
    assert [float(v) for v in made] == want


def test_a_direction_that_is_not_given_is_zero_for_an_override():
    op = OpFromGraph([a, b], [a * b], rop_overrides=lambda i, p: [p[0] * 100 + p[1] * 10])
    assert T.Rop(op(a, b), [a], [a]).eval({a: 2.0, b: 3.0}) == 200.0


def test_derivatives_can_be_had_as_ops():
    op = OpFromGraph([a, b], [a * b])
    lop, rop = op.get_lop_op(), op.get_rop_op()
    assert [float(v.eval()) for v in lop(2.0, 3.0, 6.0, 10.0)] == [30.0, 20.0]
    assert float(rop(2.0, 3.0, 1.0, 10.0).eval()) == 23.0


def test_a_pattern_of_connections_can_be_given():
    op = OpFromGraph([a, b], [a * b], connection_pattern=[[True], [False]])
    with pytest.raises(DisconnectedInputError):
        T.grad(op(a, b), b)


# errors

REFUSED = [
    (lambda: OpFromGraph([x], x * 2), TypeError, "outputs must be list"),
    (lambda: OpFromGraph([x], [3]), TypeError, "takes lists of Variables, got 3"),
    (lambda: OpFromGraph([x], [x * y]), theano.gof.MissingInputError, "needs y among its inputs"),
    (lambda: OpFromGraph([x, shared], [x]), TypeError, "finds those it needs by itself"),
    (lambda: OpFromGraph([x], [x], updates=[]), TypeError, "updates and givens are not allowed"),
    (lambda: OpFromGraph([x], [x], givens={}), TypeError, "updates and givens are not allowed"),
    (
        lambda: OpFromGraph([x], [x], lop_overrides=nine, grad_overrides=nine),
        ValueError,
        "mutually exclusive",
    ),
    (lambda: OpFromGraph([x], [x], lop_overrides=7), TypeError, "'default', a function.*got 7"),
    (lambda: OpFromGraph([x], [x], grad_overrides=[None]), TypeError, "got None"),
    (lambda: OpFromGraph([x], [x], lop_overrides=x), ValueError, "DisconnectedType or NullType"),
    (lambda: OpFromGraph([x], [x])(x, y), ValueError, "takes 1 inputs, got 2"),
    (lambda: OpFromGraph([x], [x])(m), TypeError, "Cannot convert Type"),
    (
        lambda: gradient(OpFromGraph([a, b], [a * b], grad_overrides=lambda i, g: [g[0]]), 1, 2),
        ValueError,
        "gives a list of 2",
    ),
    (
        lambda: gradient(OpFromGraph([a, b], [a * b], grad_overrides=["default"]), 1, 2),
        ValueError,
        "gives a list of 2",
    ),
    (
        lambda: gradient(OpFromGraph([a, b], [a * b], grad_overrides=nine), 1, 2),
        TypeError,
        "should return a list",
    ),
]


@pytest.mark.parametrize("make, error, text", REFUSED, ids=range(len(REFUSED)))
def test_what_is_refused(make, error, text):
    with pytest.raises(error, match=text):
        make()


# clone


@pytest.mark.parametrize("kind", ["op", "inline op", "loop", "choice"])
def test_clone_replaces_what_graphs_inside_ops_read(kind):
    s, other = theano.shared(2.0, "s"), theano.shared(5.0, "other")
    start = T.constant(0.0, dtype="float64")
    outs = {
        "op": lambda: OpFromGraph([x], [x * s])(x),
        "inline op": lambda: OpFromGraph([x], [x * s], inline=True)(x),
        "loop": lambda: theano.scan(lambda v: v * s, x)[0] + start,
        "choice": lambda: ifelse(T.gt(s, 0), x * s, x),
    }
    out = outs[kind]()
    assert theano.clone(out, {s: other}).eval({x: X}).tolist() == (X * 5).tolist()
    by_expression = theano.clone(out, [(s, a + 1), (x, x + 1)])
    assert by_expression.eval({x: X, a: 2.0}).tolist() == ((X + 1) * 3).tolist()
    assert out.eval({x: X}).tolist() == (X * 2).tolist()
    f = theano.function([x, a], out, givens={s: a})
    assert f(X, 4.0).tolist() == (X * 4).tolist()


def test_a_gradient_that_an_instance_is_given_takes_the_place_of_its_own():
    x, y = T.dscalars("xy")
    op = theano.OpFromGraph([x], [x**2])
    before = op.grad
    op.grad = lambda inputs, grads: [10 * before(inputs, grads)[0]]
    cost = op(y)
    f = theano.function([y], [cost, T.grad(cost, y)])
    assert [v.item() for v in f(3.0)] == [9.0, 60.0]


def _nested(n):
    x = T.dvector()
    op = theano.OpFromGraph([x], [T.tanh(x)])
    for _ in range(n):
        x = T.dvector()
        op = theano.OpFromGraph([x], [op(x) * 1.01])
    return op


@pytest.mark.parametrize("n", [3, 20, 200])
def test_ops_inside_each_other_are_differentiated_run_and_printed_however_deep(n):
    """A13: a RecursionError from a hundred on; run on NumPy, a hundred took minutes."""
    x = T.dvector("x")
    y = _nested(n)(x)
    g = T.grad(y.sum(), x)
    f = theano.function([x], [y, g], mode=theano.Mode("numpy"))
    value = np.array([0.5, -1.0])
    found, slope = f(value)
    np.testing.assert_allclose(found, np.tanh(value) * 1.01**n, rtol=1e-10)
    np.testing.assert_allclose(slope, (1 - np.tanh(value) ** 2) * 1.01**n, rtol=1e-10)
    assert theano.printing.debugprint(y, file="str").count("OpFromGraph") > n
    assert _nested(3) == _nested(3)


def test_derivatives_of_ops_inside_each_other_with_several_outputs_and_directions():
    """A13: outputs of which only some matter, used twice, and derivatives along a direction."""
    x = T.dvector()
    op = theano.OpFromGraph([x], [T.sin(x), x * 2, x.sum()])
    for k in range(30):
        x = T.dvector()
        a, b, c = op(x)
        a2 = op(x * 0.5)[0] if k == 4 else a
        op = theano.OpFromGraph([x], [a2, b * 1.0, c])
    x = T.dvector("x")
    a, b, c = op(x)
    cost = (a * b).sum() + c
    f = theano.function([x], [T.grad(cost, x), T.grad(a.sum(), x)], mode=theano.Mode("numpy"))
    value = np.array([0.3, 1.2])
    both, one = f(value)
    half, slope = np.sin(value / 2), np.cos(value / 2) / 2
    np.testing.assert_allclose(one, slope, rtol=1e-10)
    np.testing.assert_allclose(both, slope * 2 * value + 2 * half + 1, rtol=1e-10)
    d = theano.function([x], T.Rop(a, x, x * 0 + 1), mode=theano.Mode("numpy"))(value)
    np.testing.assert_allclose(d, slope, rtol=1e-10)


def test_a_loop_over_ops_inside_each_other_has_a_gradient():
    """A13: scan around OpFromGraph, and OpFromGraph around scan."""
    x = T.dvector("x")
    op = _nested(30)
    inner, _ = theano.scan(lambda a: op(a), outputs_info=[x], n_steps=2)
    outer = theano.OpFromGraph([x], [inner[-1]])
    g = theano.function([x], T.grad(outer(x).sum(), x), mode=theano.Mode("numpy"))
    value, scale = np.array([0.5, -1.0]), 1.01**30
    once = scale * np.tanh(value)
    want = scale * (1 - np.tanh(once) ** 2) * scale * (1 - np.tanh(value) ** 2)
    np.testing.assert_allclose(g(value), want, rtol=1e-10)
