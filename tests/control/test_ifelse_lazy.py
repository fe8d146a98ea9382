"""ifelse is lazy: what only the other branch needs does not run, in any engine."""

from __future__ import annotations

import numpy as np
import pytest

import theano
import theano.tensor as T
from tests.control.counting import Count, counted
from theano.ifelse import IfElse, ifelse

LINKERS = ("numpy", "py", "vm", "cvm", "c|py", "xla")
ENGINES = ("numpy", "xla")
OPTIMIZERS = ("fast_run", "fast_compile", None)

X = np.array([0.5, -1.5, 2.0])
Y = np.array([3.0, 0.25, -2.0, 1.0])


def mode(linker, optimizer="fast_run"):
    return theano.Mode(linker=linker, optimizer=optimizer)


@pytest.fixture
def names():
    c, d = T.iscalars("cd")
    x, y = T.dvectors("xy")
    return c, d, x, y


@pytest.mark.parametrize("optimizer", OPTIMIZERS, ids=str)
@pytest.mark.parametrize("linker", LINKERS)
def test_a_branch_that_is_not_taken_is_not_computed(names, linker, optimizer):
    c, _, x, y = names
    out = ifelse(c, Count("then")(x) + 1, T.exp(Count("else")(y)))
    f = theano.function([c, x, y], out, mode=mode(linker, optimizer))
    for _ in range(2):
        made, ran = counted(f, 1, X, Y)
        assert ran == ["then"] and made.tolist() == (X * 2 + 1).tolist()
        made, ran = counted(f, 0, X, Y)
        assert ran == ["else"]
        np.testing.assert_allclose(made, np.exp(Y * 2), rtol=1e-14)


@pytest.mark.parametrize("linker", LINKERS)
def test_switch_computes_both(names, linker):
    c, _, x, _ = names
    f = theano.function([c, x], T.switch(c, Count("then")(x), Count("else")(x)), mode=mode(linker))
    made, ran = counted(f, 1, X)
    assert made.tolist() == (X * 2).tolist() and sorted(ran) == ["else", "then"]


@pytest.mark.parametrize("linker", ["numpy", "py", "vm", "xla"])
def test_branches_within_branches_are_lazy_too(names, linker):
    c, d, x, _ = names
    inner = [ifelse(d, Count(f"{k}1")(x), Count(f"{k}0")(x)) for k in (0, 1)]
    f = theano.function([c, d, x], ifelse(c, inner[1], inner[0]), mode=mode(linker))
    for c_, d_ in ((0, 0), (0, 1), (1, 0), (1, 1)):
        assert counted(f, c_, d_, X)[1] == [f"{c_}{d_}"]


@pytest.mark.parametrize("linker", ["numpy", "py", "vm", "xla"])
def test_a_condition_within_a_branch_runs_only_there(names, linker):
    c, _, x, _ = names
    asked = T.gt(Count("asked")(x).sum(), 0)
    out = ifelse(c, ifelse(asked, Count("a")(x), Count("b")(x)), x)
    f = theano.function([c, x], out, mode=mode(linker))
    assert counted(f, 0, X)[1] == []
    assert counted(f, 1, X)[1] == ["asked", "a"]
    assert counted(f, 1, -X)[1] == ["asked", "b"]


@pytest.mark.parametrize("linker", ["numpy", "py", "vm", "xla"])
def test_what_both_branches_or_the_rest_need_is_computed_once(names, linker):
    c, _, x, _ = names
    both, rest = Count("both")(x), Count("rest")(x)
    out = ifelse(c, both + rest, T.exp(both) * Count("else")(x)) + rest
    f = theano.function([c, x], out, mode=mode(linker))
    assert sorted(counted(f, 1, X)[1]) == ["both", "rest"]
    assert sorted(counted(f, 0, X)[1]) == ["both", "else", "rest"]


@pytest.mark.parametrize("linker", ["numpy", "py", "vm", "xla"])
def test_what_two_choices_by_one_condition_share_is_lazy(names, linker):
    c, _, x, _ = names
    shared = Count("shared")(x)
    outs = [ifelse(c, shared.sum(), x.sum()), ifelse(c, shared * 2, x)]
    f = theano.function([c, x], outs, mode=mode(linker))
    assert counted(f, 1, X)[1] == ["shared"] and counted(f, 0, X)[1] == []


@pytest.mark.parametrize("linker", ["numpy", "xla"])
def test_an_output_that_nothing_uses_costs_nothing(names, linker):
    c, _, x, _ = names
    used, _ = ifelse(c, [x * 2, Count("a")(x)], [x * 3, Count("b")(x)])
    f = theano.function([c, x], used, mode=mode(linker))
    assert counted(f, 1, X)[1] == counted(f, 0, X)[1] == []


@pytest.mark.parametrize("linker", ["numpy", "py", "vm", "xla"])
def test_new_values_of_shared_variables_are_lazy(names, linker):
    c, _, _, _ = names
    s = theano.shared(X.copy())
    f = theano.function(
        [c], [], updates=[(s, ifelse(c, Count("a")(s), Count("b")(s) + 1))], mode=mode(linker)
    )
    assert counted(f, 1)[1] == ["a"] and s.get_value().tolist() == (2 * X).tolist()
    assert counted(f, 0)[1] == ["b"] and s.get_value().tolist() == (4 * X + 1).tolist()


@pytest.mark.parametrize("linker", ["numpy", "py", "vm", "xla"])
def test_steps_of_a_loop_are_lazy(linker):
    x = T.dvector("x")
    start = T.constant(1.0, dtype="float64")
    rows, _ = theano.scan(
        lambda v, a: ifelse(T.gt(v, 0), Count("p")(v) + a, Count("n")(v) * a),
        sequences=x,
        outputs_info=start,
    )
    f = theano.function([x], rows, mode=mode(linker))
    made, ran = counted(f, [1.0, -1.0, 2.0])
    assert made.tolist() == [3.0, -6.0, -2.0] and ran == ["p", "n", "p"]


@pytest.mark.parametrize("linker", ["numpy", "py", "vm", "xla"])
def test_graphs_as_ops_are_lazy(names, linker):
    c, _, x, y = names
    op = theano.OpFromGraph([c, x, y], [ifelse(c, Count("a")(x), Count("b")(y))])
    f = theano.function([c, x, y], op(c, x, y), mode=mode(linker))
    made, ran = counted(f, 1, X, Y)
    assert made.tolist() == (2 * X).tolist() and ran == ["a"]
    assert counted(f, 0, X, Y)[1] == ["b"]


@pytest.mark.parametrize("linker", ["numpy", "vm"])
def test_a_long_chain_of_else_if_runs_one(linker):
    k, x = T.lscalar("k"), T.dvector("x")
    out = x
    for n in reversed(range(40)):
        out = ifelse(T.eq(k, n), Count(str(n))(x) + n, out)
    f = theano.function([k, x], out, mode=mode(linker))
    for n in (0, 17, 39):
        made, ran = counted(f, n, X)
        assert ran == [str(n)] and made.tolist() == (2 * X + n).tolist()
    assert counted(f, 40, X)[1] == []


def test_a_chain_of_any_length_is_right(names):
    k, x = T.lscalar("k"), T.dvector("x")
    out = x
    for n in reversed(range(500)):
        out = ifelse(T.eq(k, n), x + n, out)
    f = theano.function([k, x], out, mode=mode("numpy"))
    for n in (0, 55, 65, 499):
        assert f(n, X).tolist() == (X + n).tolist()
    assert f(500, X).tolist() == X.tolist()


# checks


@pytest.mark.parametrize("linker", ["numpy", "py", "vm", "xla"])
def test_checks_of_a_branch_that_is_not_taken_do_not_fire(names, linker):
    c, _, x, y = names
    i = T.lscalar("i")
    fine = T.opt.Assert("x must be positive")(x, T.all(x > 0))
    outs = [ifelse(c, x[i], x.sum()), ifelse(c, fine * 2, x), ifelse(c, (x + y).sum(), x[0])]
    f = theano.function([c, i, x, y], outs, mode=mode(linker))
    assert [np.sum(v) for v in f(0, 99, X, Y)] == [1.0, 1.0, 0.5]
    assert [np.sum(v) for v in f(1, 1, abs(X), X)] == [1.5, 8.0, 5.0]
    with pytest.raises(IndexError):
        f(1, 99, abs(X), X)
    with pytest.raises(AssertionError, match="x must be positive"):
        f(1, 1, X, X)
    with pytest.raises(ValueError):
        f(1, 1, abs(X), Y)


@pytest.mark.parametrize("linker", ["numpy", "py", "vm", "xla"])
def test_an_error_inside_a_branch_names_the_users_line(names, linker):
    c, _, x, _ = names
    i = T.lscalar("i")
    wrong = x[i]  # the line to be named
    f = theano.function([c, i, x], ifelse(c, wrong * 2, x.sum()), mode=mode(linker))
    with pytest.raises(IndexError) as caught:
        f(1, 7, X)
    text = str(caught.value) + "".join(getattr(caught.value, "__notes__", ()))
    assert "Apply node that caused the error: Subtensor{int64}" in text
    assert "the line to be named" in text


@pytest.mark.parametrize("linker", ["numpy", "xla"])
def test_a_call_that_fails_in_a_branch_leaves_state_as_it_was(names, linker):
    c, _, _, _ = names
    i = T.lscalar("i")
    s, n = theano.shared(X.copy()), theano.shared(0)
    f = theano.function(
        [c, i],
        s.sum(),
        updates=[(s, ifelse(c, s * 2 + s[i], s + 1)), (n, n + 1)],
        mode=mode(linker),
    )
    f(1, 0)
    with pytest.raises(IndexError):
        f(1, 9)
    assert n.get_value() == 1 and s.get_value().tolist() == (2 * X + X[0]).tolist()
    f(0, 9)
    assert n.get_value() == 2


# XLA


def test_branches_of_one_shape_are_one_program():
    c, x = T.iscalar("c"), T.dvector("x")
    f = theano.function([c, x], ifelse(c, T.exp(x), T.sin(x)).sum(), mode=mode("xla"))
    for k in (1, 0, 1):
        f(k, X)
    assert f.fn.compilations == 1 and len(f.fn.stages) == 1
    assert not any(f.fn.staging.sections)


def test_branches_of_other_shapes_are_compiled_one_by_one(names):
    c, _, x, y = names
    f = theano.function([c, x, y], ifelse(c, x * 2, T.exp(y)), mode=mode("xla"))
    for k in (1, 0, 1, 0):
        f(k, X, Y)
    assert f.fn.compilations == 2
    assert [str(n.op) for nodes in f.fn.staging.sections for n in nodes] == ["if{lazy}"]


def test_no_branch_makes_a_users_op_run_twice(names):
    c, _, x, y = names
    out = ifelse(c, Count("before")(x) * 2, T.exp(y))
    f = theano.function([c, x, y], ifelse(T.gt(out.sum(), 0), out, x), mode=mode("xla"))
    assert counted(f, 1, X, Y)[1] == ["before"]


def test_a_mask_in_a_branch_is_counted_only_when_it_is_taken():
    c, x = T.iscalar("c"), T.dvector("x")
    kept = x[T.gt(Count("mask")(x), 0)]
    f = theano.function([c, x], ifelse(c, kept, x).sum(), mode=mode("xla"))
    assert counted(f, 0, X) == (1.0, [])
    assert counted(f, 1, X) == (2.5, ["mask"])


# rewriting


def chosen(f):
    return [n for n in f.maker.fgraph.toposort() if isinstance(n.op, IfElse)]


def rewritten(ins, outs):
    return theano.function(ins, outs, mode=mode("numpy"), on_unused_input="ignore")


def test_choices_by_one_condition_become_one(names):
    c, _, x, y = names
    f = rewritten([c, x, y], [ifelse(c, x * 2, y), ifelse(c, T.exp(x), T.log(y))])
    assert len(chosen(f)) == 1
    # the second needs the first
    g = rewritten([c, x, y], [ifelse(c, ifelse(c, x, y).sum() * y, x), ifelse(c, x.sum(), y[0])])
    assert g(1, X, X)[0].tolist() == (X.sum() * X).tolist()


def test_choices_that_need_each_other_stay_apart(names):
    c, d, x, y = names
    a1 = ifelse(c, x * 2, x)
    b1 = ifelse(d, a1 + 1, x)
    b2 = ifelse(d, y * 3, y)
    a2 = ifelse(c, b2 + 1, y)
    f = rewritten([c, d, x, y], [b1, a2])
    assert [v.tolist() for v in f(1, 1, X, Y)] == [(X * 2 + 1).tolist(), (Y * 3 + 1).tolist()]
    assert [v.tolist() for v in f(0, 1, X, Y)] == [(X + 1).tolist(), Y.tolist()]


def test_a_condition_that_was_decided_is_not_asked_again(names):
    c, _, x, y = names
    outs = {
        "cond_merge_ifs_true": ifelse(c, ifelse(c, x, y * 2), y),
        "cond_merge_ifs_false": ifelse(c, x, ifelse(c, y * 2, y)),
    }
    for rule, out in outs.items():
        steps = theano.printing.rewriting(out, mode=mode("numpy"))
        assert rule in {s.rule for s in steps}
        f = rewritten([c, x, y], out)
        assert f(1, X, Y).tolist() == X.tolist() and f(0, X, Y).tolist() == Y.tolist()


def test_a_choice_between_equals_is_none(names):
    c, _, x, y = names
    f = rewritten([c, x, y], ifelse(c, [x + 1, x, y], [x + 1, y, y]))
    (node,) = chosen(f)
    assert len(node.outputs) == 1
    g = rewritten([x, y], ifelse(T.constant(1), x, T.log(y)))
    assert not chosen(g)


def test_whatever_rewriting_is_left_out_branches_are_lazy(names):
    c, _, x, y = names
    out = ifelse(c, Count("a")(x) * 2 + 1, Count("b")(y))
    for words in (["lazy_branches"], ["inplace"], ["fusion", "ifelse"]):
        f = theano.function([c, x, y], out, mode=mode("numpy").excluding(*words))
        assert counted(f, 0, X, Y)[1] == ["b"]


def test_a_choice_between_sizes_is_made_on_the_host_and_one_between_arrays_is_not():
    c, n, x = T.iscalar("c"), T.lscalar("n"), T.dvector("x")
    short = theano.function([c, n, x], x[: ifelse(c, n, n + 1)], mode=mode("xla"))
    assert short(1, 2, Y).tolist() == [3.0, 0.25] and short(0, 2, Y).tolist() == [3.0, 0.25, -2.0]
    assert "if{lazy}" in [str(node.op) for node in short.fn.staging.sections[0]]
    out = ifelse(c, (T.arange(n) * 1.5).sum(), T.constant(2.0, dtype="float64"))
    long = theano.function([c, n], out, mode=mode("xla"))
    assert (float(long(1, 5)), float(long(0, 5))) == (15.0, 2.0)
    assert [str(node.op) for node in long.fn.stages[0].nodes] == ["if{lazy}"]


# gradients


@pytest.mark.parametrize("linker", ENGINES)
def test_an_infinite_slope_of_the_other_branch_does_not_matter(linker):
    a = T.dscalar("a")
    out = ifelse(T.gt(a, 0), T.log(a) + T.sqrt(a), a * 2)
    f = theano.function([a], T.grad(out, a), mode=mode(linker))
    assert [float(f(v)) for v in (4.0, 0.0, -1.0)] == [0.5, 2.0, 2.0]


@pytest.mark.parametrize("linker", ["numpy", "vm", "xla"])
def test_the_way_back_through_the_other_branch_is_not_computed(names, linker):
    c, _, x, _ = names
    w, v = T.dmatrices("wv")
    there = ifelse(c, T.tanh(Count("w")(T.dot(x, w))), T.sqr(Count("v")(T.dot(x, v))))
    gs = T.grad((there**2).sum(), [w, v, x])
    f = theano.function([c, x, w, v], gs, mode=mode(linker))
    plain = theano.function([c, x, w, v], gs, mode=mode("py", None))
    m = np.arange(6.0).reshape(3, 2) / 5
    for k, ran in ((1, ["w"]), (0, ["v"])):
        made, seen = counted(f, k, X, m, m + 1)
        assert seen == ran
        for got, want in zip(made, plain(k, X, m, m + 1), strict=True):
            np.testing.assert_allclose(got, want, rtol=1e-13)
    # nothing but the choices and what they read is outside
    costly = ("dot", "Gemv", "Gemm", "tanh", "sqr")
    assert not any(word in str(n.op) for n in f.maker.fgraph.toposort() for word in costly)


@pytest.mark.parametrize("linker", ENGINES)
def test_what_a_later_choice_needs_of_an_earlier_one_is_handed_over(names, linker):
    c, _, x, _ = names
    costly = Count("costly")(x)
    first = ifelse(c, costly.sum(), x.sum())
    second = ifelse(c, costly * first, x)
    f = theano.function([c, x], [first, second], mode=mode(linker))
    (one, two), ran = counted(f, 1, X)
    assert ran == ["costly"] and one == 2.0 and two.tolist() == (X * 4).tolist()
    (one, two), ran = counted(f, 0, X)
    assert ran == [] and one == 1.0 and two.tolist() == X.tolist()


def test_all_that_the_way_back_needs_of_a_deep_branch_is_handed_over():
    c, x = T.iscalar("c"), T.dmatrix("x")
    ws = [theano.shared(np.full((3, 3), k), f"w{k}") for k in (0.25, 0.5)]

    def deep(h, w):
        for _ in range(4):
            h = T.tanh(T.dot(h, w))
        return h

    cost = (ifelse(c, deep(x, ws[0]), deep(x, ws[1])) ** 2).sum()
    gs = [cost, *T.grad(cost, ws)]
    m = np.arange(6.0).reshape(2, 3) / 7
    want = theano.function([c, x], gs, mode=mode("py", None))
    for linker in ENGINES:
        f = theano.function([c, x], gs, mode=mode(linker))
        outside = {str(n.op) for n in f.maker.fgraph.toposort()}
        assert not any(w in op for op in outside for w in ("dot", "Dot", "Gemm", "tanh"))
        for k in (0, 1):
            for got, plain in zip(f(k, m), want(k, m), strict=True):
                np.testing.assert_allclose(got, plain, rtol=1e-12)
    assert len(f.fn.stages) == 1 and f.fn.compilations == 1
