"""Facts about matrices: what follows from ops, how they travel, and what rules do with them."""

import numpy as np
import pytest

import theano
import theano.tensor as T
from tests.rules.examples import example_of
from theano._src.control.scan.op import Scan
from theano._src.graph.fg import FunctionGraph
from theano._src.ground.xp import NumpyXp
from theano._src.ops.linalg.cholesky import Cholesky
from theano._src.ops.linalg.facts import failures
from theano._src.ops.linalg.hints import Hint
from theano._src.ops.linalg.inverse import Det, MatrixInverse, SLogDet
from theano._src.ops.linalg.solve import Solve
from theano._src.ops.linalg.triangular import SolveTriangular
from theano._src.rules.linalg import determinants, systems
from theano._src.rules.linalg.facts import HintsFeature, facts_of
from theano._src.rules.pipeline import RULES
from theano.extend import why_not
from theano.sandbox.linalg.ops import hints

UNREWRITTEN = theano.Mode("numpy", optimizer=None)
BY_FACTS = [rule.name for module in (systems, determinants) for rule in module.RULES]

A, B = T.dmatrices("A", "B")
v = T.dvector("v")
s = T.dscalar("s")


def lower(x):
    return T.assume(T.tril(x) + 9 * T.eye(4), "lower")


def symmetric(x):
    return T.assume(x + x.T, "symmetric")


def psd(x):
    return T.assume(T.dot(x, x.T), "psd")


def definite(x):
    return T.assume(T.dot(x, x.T) + 5 * T.eye(4), "positive_definite")


def orthogonal(u):
    return T.assume(T.eye(4) - 2 * T.outer(u, u) / T.dot(u, u), "orthogonal")


L, S, P, D, Q = lower(A), symmetric(A), psd(A), definite(A), orthogonal(v)
G = T.diag(v)
R = T.assume(T.triu(A) * T.tril(B, 1), banded=(0, 1))

# expressions, and all facts that are derived about them
# fmt: off
DERIVED = [
    (T.slinalg.cholesky(D), "lower square"),
    (T.slinalg.cholesky(D, lower=False), "upper square"),
    (T.dot(A.T, A), "psd symmetric"),
    (T.dot(A, A.T), "psd symmetric"),
    (T.dot(A, A), ""),
    (T.dot(T.dot(A, S), A.T), "symmetric"),
    (T.dot(A, T.dot(P, A.T)), "psd symmetric"),
    (T.dot(T.dot(A, D), A.T), "psd symmetric"),
    (T.dot(T.dot(Q, D), Q.T), "positive_definite psd symmetric"),
    (T.dot(T.dot(A, B), T.dot(B.T, A.T)), "psd symmetric"),
    (T.dot(S, S), "psd symmetric"),
    (T.dot(L, L), "lower square"),
    (T.dot(L, L.T), "psd symmetric"),
    (T.dot(L, L.T.T), "lower square"),
    (T.dot(Q, Q), "orthogonal"),
    (T.dot(Q, orthogonal(v + 1)), "orthogonal"),
    (T.dot(R, R), "banded=(0, 2) square upper"),
    (T.dot(R, R.T), "banded=(1, 1) psd symmetric"),
    (L.T, "square upper"),
    (T.dot(A.T, A).T, "psd symmetric"),
    (L + L, "lower square"),
    (L + L.T, "square"),
    (S + S.T, "symmetric"),
    (L - L, "lower square"),
    (P + P, "psd symmetric"),
    (P + D, "positive_definite psd symmetric"),
    (P + 1e-9 * T.eye(4), "psd symmetric"),
    (D - P, "symmetric"),
    (2 * D, "positive_definite psd symmetric"),
    (-2 * D, "symmetric"),
    (T.sqr(s) * D, "psd symmetric"),
    (T.exp(s) * D, "positive_definite psd symmetric"),
    (D / T.exp(s), "positive_definite psd symmetric"),
    (s * L, "lower square"),
    (s + L, "square"),
    (s + S, "symmetric"),
    (v * S, "square"),
    (L * A, "lower square"),
    (P * P, "psd symmetric"),
    (abs(L), "lower square"),
    (T.exp(L), "square"),
    (T.exp(S), "symmetric"),
    (T.cast(D, "float32"), "positive_definite psd symmetric"),
    (T.tril(S), "lower square"),
    (T.tril(A, 1), "banded=(inf, 1)"),
    (T.triu(A), "upper"),
    (T.triu(A, 1), "upper"),
    (T.tril(A, -1), "lower"),
    (T.triu(T.tril(A, 1), -2), "banded=(2, 1)"),
    (T.eye(4), "diagonal lower orthogonal psd symmetric upper"),
    (T.eye(4, 4, 1), "banded=(0, 1) square upper"),
    (T.eye(4, 3), "lower upper"),
    (s * T.eye(4), "diagonal lower symmetric upper"),
    (G, "diagonal lower symmetric upper"),
    (T.diag(T.sqr(v)), "diagonal lower psd symmetric upper"),
    (T.alloc_diag(v[:3]).T, "diagonal lower symmetric upper"),
    (T.diag(v[:3], -1), "banded=(1, 0) lower square"),
    (T.nlinalg.matrix_inverse(L), "lower square"),
    (T.nlinalg.matrix_inverse(D), "positive_definite psd symmetric"),
    (T.nlinalg.matrix_inverse(Q), "orthogonal square"),
    (T.slinalg.kron(L, L), "lower square"),
    (T.slinalg.kron(D, D), "positive_definite psd symmetric"),
    (T.slinalg.kron(L, A[:2]), ""),
    (T.slinalg.expm(L), "lower square"),
    (T.slinalg.expm(S), "symmetric"),
    (T.constant(np.tri(4, 4, 1)), "banded=(3, 1) square"),
    (T.opt.Assert("positive")(L, s > 0), "lower square"),
]
# fmt: on


def shown(facts):
    facts = {k: w for k, w in facts.items() if k != "square" or not facts.get("orthogonal")}
    return {k if w is True else f"{k}={w}" for k, w in facts.items()}


@pytest.mark.parametrize(("expression", "facts"), DERIVED, ids=lambda p: str(p)[:60])
def test_what_follows_is_as_listed_and_true_of_values(expression, facts):
    wanted = {w.replace("_", ", ") if "=" in w else w for w in facts.replace(", ", "_").split()}
    wanted -= {"square"} if "orthogonal" in wanted else set()
    assert shown(hints(expression)) == wanted
    rng = np.random.default_rng(5)
    inputs = {x: rng.normal(size=(4,) * x.ndim) for x in (A, B, v)} | {s: np.float64(0.7)}
    f = theano.function(list(inputs), expression, mode=UNREWRITTEN, on_unused_input="ignore")
    value = np.asarray(f(*inputs.values()))
    wrong = [name for name, bad in failures(NumpyXp(), facts_of(None, expression), value) if bad]
    assert not wrong


# how facts travel


def graph_of(*outputs):
    inputs = [x for x in (A, B, v, s) if x in theano.gof.graph.inputs(outputs)]
    g = FunctionGraph(inputs, list(outputs))
    g.attach_feature(HintsFeature())
    return g


def test_a_replacement_inherits_facts_and_those_that_use_it_learn():
    g = graph_of(T.nlinalg.matrix_inverse(T.dot(A, B)) + 1)
    (product,) = [n.outputs[0] for n in g.toposort() if str(n.op) == "dot"]
    g.hints_feature.add_hint(product, "lower", True)
    inverse = next(x for x, _ in product._clients).outputs[0]
    assert hints(inverse)["lower"]
    other = T.dot(product.owner.inputs[0] * 1, product.owner.inputs[1])
    g.replace(product, other)
    assert hints(other)["lower"]


def test_facts_of_a_node_that_goes_are_forgotten():
    g = graph_of(T.slinalg.cholesky(A) * 2)
    (node,) = [n for n in g.toposort() if isinstance(n.op, Cholesky)]
    assert {*g.hints_feature.facts} == {node.outputs[0], g.outputs[0]}
    g.replace(g.outputs[0], g.inputs[0] * 3)
    assert {*g.hints_feature.facts} == {g.outputs[0]}


def test_a_removed_hint_says_nothing_about_other_uses_of_its_input():
    g = graph_of(T.assume(A, "lower") * 2, A * 3)
    (node,) = [n for n in g.toposort() if isinstance(n.op, Hint)]
    g.replace(node.outputs[0], node.inputs[0])
    assert hints(g.inputs[0]) == {}
    assert hints(g.outputs[0])["lower"]  # what was derived stays


def test_an_assumption_in_one_branch_does_not_reach_the_other():
    c = T.iscalar("c")
    branch = theano.ifelse.ifelse(
        c, T.slinalg.solve(T.assume(A, "diagonal"), v), T.slinalg.solve(A, v)
    )
    f = theano.function([c, A, v], branch)
    full = np.array([[2.0, 1.0], [1.0, 3.0]])
    np.testing.assert_allclose(f(0, full, [1.0, 2.0]), np.linalg.solve(full, [1.0, 2.0]))
    np.testing.assert_allclose(f(1, np.diag([2.0, 4.0]), [1.0, 2.0]), [0.5, 0.5])


def test_an_undone_change_leaves_facts_that_are_true():
    g = graph_of(T.slinalg.cholesky(A) * 2)
    g.attach_feature(theano.gof.toolbox.ReplaceValidate())
    old = g.outputs[0]
    start = g.checkpoint()
    g.replace(old, g.inputs[0] * 2)
    g.revert(start)
    assert hints(old)["lower"]


def test_facts_reach_loops_and_gradients():
    b = T.dvector("b")

    def step(x, K):
        return T.slinalg.solve(T.assume(K, "positive_definite"), x)

    xs, _ = theano.scan(step, outputs_info=b, non_sequences=A, n_steps=3)
    f = theano.function([A, b], [xs[-1], T.grad(xs[-1].sum(), A)])
    loops = [n.op for n in f.maker.fgraph.apply_nodes if isinstance(n.op, Scan)]
    inner = [type(n.op) for op in loops for n in op.graph.order]
    assert loops and Solve not in inner


def test_facts_about_the_values_of_a_loop_hold_for_their_stack():
    stack = T.dtensor3("stack")
    factors, _ = theano.scan(lambda x: T.slinalg.cholesky(x), sequences=stack)
    assert hints(factors) == {"lower": True, "square": True}
    f = theano.function([stack], T.nlinalg.slogdet(factors)[1])
    assert count(f, SLogDet) == 0
    values = np.stack([np.eye(3) * 4, np.eye(3) * 9])
    np.testing.assert_allclose(f(values), [3 * np.log(2), 3 * np.log(3)])


def count(f, *ops):
    return sum(isinstance(n.op, ops) for n in f.maker.fgraph.apply_nodes)


def test_one_factor_serves_solve_determinant_and_gradient():
    K, y = T.assume(A, "positive_definite"), T.dvector("y")
    cost = T.dot(y, T.slinalg.solve(K, y)) + T.log(T.nlinalg.det(K))
    f = theano.function([A, y], [cost, T.grad(cost, A)])
    assert count(f, Cholesky) == 1
    assert count(f, Solve, MatrixInverse, Det, SLogDet) == 0
    rng = np.random.default_rng(0)
    M = rng.normal(size=(5, 5))
    M, z = M @ M.T + np.eye(5), rng.normal(size=5)
    value, slope = f(M, z)
    inverse = np.linalg.inv(M)
    np.testing.assert_allclose(value, z @ inverse @ z + np.linalg.slogdet(M)[1], rtol=1e-12)
    wanted = inverse - np.outer(inverse @ z, inverse @ z)
    np.testing.assert_allclose(slope, wanted, rtol=1e-9)


def test_the_logarithm_of_a_determinant_out_of_range_is_finite():
    K = T.dot(A, A.T) + T.eye(400)
    for matrix in (K, T.assume(K, "positive_definite")):
        cost = T.log(T.nlinalg.det(matrix))
        f = theano.function([A], [cost, T.grad(cost, A)])
        M = np.random.default_rng(0).normal(size=(400, 400))
        full = M @ M.T + np.eye(400)
        value, slope = f(M)
        np.testing.assert_allclose(value, np.linalg.slogdet(full)[1], rtol=1e-12)
        np.testing.assert_allclose(slope, 2 * np.linalg.solve(full, M), atol=1e-9)
        assert np.isinf(theano.function([A], cost, mode=UNREWRITTEN)(M))


def test_a_singular_or_negative_determinant_keeps_its_logarithm():
    f = theano.function([A], T.log(T.nlinalg.det(A)))
    with np.errstate(all="ignore"):
        assert f([[1.0, 2.0], [2.0, 4.0]]) == -np.inf
        assert np.isnan(f([[0.0, 1.0], [1.0, 0.0]]))


@pytest.mark.parametrize("shape", [(3, 4), (4, 3), (1, 3), (3, 3)])
def test_the_diagonal_of_a_product_that_is_not_square(shape):
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(shape[0], 2)), rng.normal(size=(2, shape[1]))
    f = theano.function([A, B], [T.diag(T.dot(A, B)), T.nlinalg.trace(T.dot(A, B))])
    assert not any("dot" in str(n.op).lower() for n in f.maker.fgraph.apply_nodes)
    got, total = f(a, b)
    np.testing.assert_allclose(got, np.diagonal(a @ b))
    np.testing.assert_allclose(total, np.trace(a @ b))


def test_solvers_of_stacks_use_facts():
    X, b = T.dtensor3("X"), T.dmatrix("b")
    rng = np.random.default_rng(0)
    stack = np.tril(rng.normal(size=(3, 4, 4))) + 5 * np.eye(4)
    stacks = {
        "lower": stack,
        "upper": stack.swapaxes(1, 2),
        "diagonal": stack * np.eye(4),
        "positive_definite": stack @ stack.swapaxes(1, 2),
    }
    for fact, value in stacks.items():
        f = theano.function([X, b], T.slinalg.solve(T.assume(X, fact), b))
        assert count(f, Solve) == 0
        right = rng.normal(size=(4, 2))
        np.testing.assert_allclose(f(value, right), np.linalg.solve(value, right), rtol=1e-9)


def test_transposes_and_adjoints_of_a_triangular_solver_of_a_diagonal_matrix():
    Z, w = T.zmatrix("Z"), T.zvector("w")
    D = T.assume(Z, "diagonal")
    outs = [T.slinalg.solve_triangular(D, w, trans=trans) for trans in "NTC"]
    f = theano.function([Z, w], outs)
    assert count(f, SolveTriangular) == 0
    d, right = np.array([2 + 1j, 3 - 2j]), np.array([1 + 1j, 2.0])
    for got, wanted in zip(f(np.diag(d), right), (right / d, right / d, right / d.conj())):
        np.testing.assert_allclose(got, wanted)


def test_an_inverse_that_is_used_twice_is_computed_once():
    inverse = T.nlinalg.matrix_inverse(A)
    f = theano.function([A, v, B], [T.dot(inverse, v), T.dot(inverse, B)])
    assert count(f, MatrixInverse) == 1 and count(f, Solve) == 0


def test_a_product_of_factors_is_reordered_only_by_choice():
    outputs = T.nlinalg.det(T.dot(symmetric(A), symmetric(B)))
    kept = theano.function([A, B], outputs)
    split = theano.function([A, B], outputs, mode=theano.Mode().including("det_of_dot"))
    assert count(kept, Det) == 1 and count(split, Det) == 2


# each rule


@pytest.mark.parametrize("name", BY_FACTS)
def test_gradients_through_a_rule_are_those_of_the_graph_as_written(name):
    inputs, outputs = example_of(RULES[name])
    cost = sum(T.tanh(out / 10).sum() for out in outputs)
    slopes = T.grad(cost, inputs, disconnected_inputs="ignore")
    rng = np.random.default_rng(1)
    values = [rng.uniform(-3, 3, (3,) * x.ndim) for x in inputs]
    plain = theano.function(inputs, slopes, mode=UNREWRITTEN, on_unused_input="ignore")
    mode = theano.Mode("numpy").including(name)
    rewritten = theano.function(inputs, slopes, mode=mode, on_unused_input="ignore")
    for got, wanted in zip(rewritten(*values), plain(*values), strict=True):
        np.testing.assert_allclose(got, wanted, rtol=1e-8, atol=1e-10)


@pytest.mark.parametrize("name", BY_FACTS)
def test_a_rule_can_be_switched_off(name):
    _, outputs = example_of(RULES[name])
    trace = theano.printing.rewriting(outputs, mode=theano.Mode("numpy").including(name))
    assert trace.of(name)
    off = theano.printing.rewriting(outputs, mode=theano.Mode("numpy").excluding(name))
    assert not off.of(name)


def test_why_not_shows_the_fact_that_is_missing():
    text = why_not("solve_definite", T.slinalg.solve(T.assume(A, "psd"), v))
    assert "_is_definite(facts_of(fgraph, A), A)" in text
    assert "applies" in why_not("solve_definite", T.slinalg.solve(D, v))
