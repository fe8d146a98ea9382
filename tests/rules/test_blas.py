"""Products in one step, and chains of them: which op comes out, its values, and refusals."""

from __future__ import annotations

import numpy as np
import pytest

import theano
import theano.tensor as T
from theano._src.graph.fg import FunctionGraph
from theano._src.ops.linalg.blas import Dot22, Dot22Scalar, Gemm, Gemv, Ger
from theano._src.ops.linalg.dot import Dot
from theano._src.rewrite.driver import Rewriter
from theano._src.rules.pipeline import RULES
from theano._src.rules.shape import attach_shapes

rng = np.random.default_rng(3)
PRODUCTS = (Dot, Dot22, Dot22Scalar, Gemm, Gemv, Ger)
X, Y, Z = T.dmatrices("X", "Y", "Z")
u, v, w = T.dvectors("u", "v", "w")
a, b = T.dscalars("a", "b")
INPUTS = [X, Y, Z, u, v, w, a, b]
VALUES = {
    **{m: rng.normal(size=(3, 3)) for m in (X, Y, Z)},
    **{x: rng.normal(size=3) for x in (u, v, w)},
    **{s: np.asarray(rng.normal()) for s in (a, b)},
}


def compiled(outputs, inputs=INPUTS, linker="numpy", **kwargs):
    mode = kwargs.pop("mode", theano.Mode(linker))
    return theano.function(inputs, outputs, mode=mode, on_unused_input="ignore", **kwargs)


def products(f):
    """The products in a compiled function, in order."""
    return [node for node in f.maker.fgraph.toposort() if isinstance(node.op, PRODUCTS)]


def names(f):
    return [type(node.op).__name__ for node in products(f)]


def number(v):
    return float(v.data)


# expression: the products in its compiled graph
FORMS = {
    "matrices": (T.dot(X, Y), ["Dot22"]),
    "matrix_vector": (T.dot(X, v), ["Gemv"]),
    "vector_matrix": (T.dot(v, X), ["Gemv"]),
    "vectors": (T.dot(v, w), ["Dot"]),
    "scaled": (a * 2 * T.dot(X, Y), ["Dot22Scalar"]),
    "scaled_twice": (2 * (a * T.dot(X, Y)), ["Dot22Scalar"]),
    "scaled_matrix": (Z * T.dot(X, Y), ["Dot22"]),
    "sum": (T.dot(X, Y) + Z, ["Gemm"]),
    "difference": (Z - T.dot(X, Y), ["Gemm"]),
    "other_difference": (T.dot(X, Y) - Z, ["Gemm"]),
    "scales": (a * T.dot(X, Y) + b * Z, ["Gemm"]),
    "quotients": (T.dot(X, Y) / a - Z / 4, ["Gemm"]),
    "negative": (-T.dot(X, Y) - (-Z), ["Gemm"]),
    "row_added": (T.dot(X, Y) + v, ["Dot22"]),
    "row_added_too": (T.dot(X, Y) + Z + v, ["Gemm"]),
    "row_added_first": (T.dot(X, Y) + v + Z, ["Dot22"]),
    "two_matrices_first": ((Z - X) + T.dot(X, Y), ["Gemm"]),
    "two_matrices_in_brackets": (T.dot(X, Y) + (Z - X), ["Gemm"]),
    "two_products": (T.dot(X, Y) + T.dot(Y, Z), ["Dot22", "Gemm"]),
    "two_scaled_products": (0.5 * T.dot(X, Y) + 0.25 * T.dot(Y, Z), ["Dot22Scalar", "Gemm"]),
    "three_products": (T.dot(X, Y) - 2 * T.dot(Y, Z) + T.dot(Z, X) + Z, ["Gemm"] * 3),
    "own_memory": (T.dot(X, Y) + Z + T.exp(Z), ["Gemm"]),
    "nested": (X - a * (T.dot(Y, Z) + b * (T.dot(Z, Y) + X)), ["Gemm", "Gemm"]),
    "vectors_added": (a * T.dot(X, v) + b * w, ["Gemv"]),
    "two_vectors": (T.dot(X, v) + T.dot(w, Y), ["Gemv", "Gemv"]),
    "rank_one": (Z + a * T.outer(v, w), ["Ger"]),
    "rank_one_scaled": (2 * Z + T.outer(v, w), ["Gemm"]),
    "outer": (T.outer(v, w), []),
    "column": (T.dot(X, v.dimshuffle(0, "x")) + w.dimshuffle(0, "x"), ["Gemv"]),
    "row": (T.dot(v.dimshuffle("x", 0), X) + w.dimshuffle("x", 0), ["Gemv"]),
    "transposed": (T.dot(X, Y.T).T - Z, ["Gemm"]),
    "term_used_twice": ([T.dot(X, Y) + Z, T.exp(T.dot(X, Y))], ["Dot22"]),
    "zero_times": (0.0 * T.dot(X, Y) + Z * Z, None),
}


@pytest.mark.parametrize("form", FORMS)
def test_a_sum_of_products_takes_the_steps_it_needs(form):
    outputs, expected = FORMS[form]
    f = compiled(outputs)
    if expected is not None:
        assert names(f) == expected, f.maker.fgraph
    given = list(VALUES.values())
    plain = compiled(outputs, mode=theano.Mode("py", optimizer=None))
    for got, want in zip(np.atleast_1d(f(*given)), np.atleast_1d(plain(*given)), strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-12, atol=1e-12)


SCALES = {
    "1": lambda x: x,
    "-1": lambda x: -x,
    "0.5": lambda x: 0.5 * x,
    "a": lambda x: a * x,
    "1/a": lambda x: x / a,
}


@pytest.mark.parametrize("second", SCALES)
@pytest.mark.parametrize("first", SCALES)
def test_each_product_of_a_sum_has_its_own_factor_once(first, second):
    """The factor of the product that others are added to was applied twice."""
    x, y, z, b1, b2, number = (VALUES[name] for name in (X, Y, Z, v, w, a))
    factors = {"1": 1, "-1": -1, "0.5": 0.5, "a": number, "1/a": 1 / number}
    for p, q, want_p, want_q in (
        (T.dot(X, Y), T.dot(Y, Z), x @ y, y @ z),
        (T.dot(X, v), T.dot(w, Y), x @ b1, b2 @ y),
    ):
        f = compiled(SCALES[first](p) + SCALES[second](q))
        want = factors[first] * want_p + factors[second] * want_q
        np.testing.assert_allclose(f(*VALUES.values()), want, rtol=1e-12, atol=1e-14)


def test_the_compiled_engine_gives_the_same_from_the_same_graphs():
    # the automatic linkers hand XLA what was rewritten for NumPy
    kinds, rewritten, plain = set(), [], []
    for out, _ in FORMS.values():
        if not isinstance(out, list):
            f = compiled(out, linker="vm")
            kinds.update(names(f))
            (inside,), own = f.maker.fgraph.outputs, f.maker.fgraph.inputs
            rewritten.append(theano.clone(inside, dict(zip(own, INPUTS, strict=True))))
            plain.append(out)
    assert kinds == {"Dot", "Dot22", "Dot22Scalar", "Gemm", "Gemv", "Ger"}
    on_xla = compiled(rewritten, mode=theano.Mode("xla", optimizer=None), accept_inplace=True)
    on_python = compiled(plain, mode=theano.Mode("py", optimizer=None))
    given = list(VALUES.values())
    for got, want in zip(on_xla(*given), on_python(*given), strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-12, atol=1e-12)


def test_factors_are_merged_into_two_numbers():
    f = compiled(w - 0.1 * (T.dot(v, X) + 0.02 * w))
    (node,) = products(f)
    assert node.inputs[0].name == "w"
    assert number(node.inputs[1]) == pytest.approx(-0.1, rel=1e-15)
    assert number(node.inputs[4]) == pytest.approx(0.998, rel=1e-15)


def test_an_update_is_made_in_the_memory_of_what_it_updates():
    s = theano.shared(np.ones((3, 3)), name="s")
    f = theano.function([X, Y], [], updates=[(s, s - 0.5 * T.dot(X, Y))], mode=theano.Mode("numpy"))
    (node,) = products(f)
    assert node.op == Gemm(inplace=True) and node.inputs[0].name == "s"
    m = VALUES[X]
    before = m.copy()
    f(m, m)
    np.testing.assert_allclose(s.get_value(), 1 - 0.5 * m.dot(m), rtol=1e-12)
    np.testing.assert_array_equal(m, before)


def test_an_input_is_not_written_into():
    f = compiled(T.dot(X, Y) + Z)
    assert products(f)[0].op == Gemm(inplace=False)
    z = np.ones((3, 3))
    f(*[z if x is Z else VALUES[x] for x in INPUTS])
    assert (z == 1).all()


@pytest.mark.parametrize("dtype", ["int64", "bool", "int8"])
def test_integers_stay_with_dot(dtype):
    m = T.TensorType(dtype, (False, False))()
    assert names(compiled(T.dot(m, m), [m])) == ["Dot"]


@pytest.mark.parametrize("dtype", ["float16", "float32", "complex64", "complex128"])
def test_dtypes_are_kept(dtype):
    m, z = (T.TensorType(dtype, (False, False))() for _ in range(2))
    x = T.TensorType(dtype, (False,))()
    f = compiled([2 * T.dot(m, m) - z / 4, T.dot(m, x) + x, z + T.outer(x, x)], [m, z, x])
    assert sorted(names(f)) == ["Gemm", "Gemv", "Ger"]
    M, Q, q = (rng.integers(-3, 4, n).astype(dtype) for n in [(3, 3), (3, 3), 3])
    for got, want in zip(
        f(M, Q, q), [2 * M @ M - Q / 4, M @ q + q, Q + q[:, None] * q], strict=True
    ):
        assert got.dtype == dtype
        np.testing.assert_array_equal(got, want.astype(dtype))


def test_mixed_dtypes_are_left_alone():
    m, z = T.fmatrix(), T.dmatrix()
    assert names(compiled(T.dot(m, z) + z, [m, z])) == ["Dot"]
    # the sum is wider than the product: the product keeps its own precision
    f = compiled(T.dot(m, m) + z, [m, z])
    assert names(f) == ["Dot22"]
    # a wide scalar would widen the product
    assert "Gemm" not in names(compiled(a * T.dot(m, m) + m, [a, m]))


def test_lengths_that_do_not_fit_are_refused_as_before():
    one, three = np.ones((1, 3)), np.ones((3, 3))
    f = compiled(T.dot(X, Y) + Z, [X, Y, Z])
    with pytest.raises(ValueError, match="mismatch"):
        f(three, three, one)  # a sum does not stretch what is not known to be of length one
    with pytest.raises(ValueError, match="Shape mismatch: x has 3 cols"):
        f(three, one, three)
    g = compiled(T.dot(X, v) + w, [X, v, w])
    with pytest.raises(ValueError, match="mismatch"):
        g(three, np.ones(3), np.ones(1))


def test_zero_times_a_matrix_keeps_its_nan():
    f = compiled(
        0.0 * Z + T.dot(X, Y),
        [X, Y, Z],
        mode=theano.Mode("numpy").excluding("fast_run").including("BlasOpt"),
    )
    nan = np.full((3, 3), np.nan)
    assert np.isnan(f(np.ones((3, 3)), np.ones((3, 3)), nan)).all()
    g = compiled(b * Z + T.dot(X, Y), [X, Y, Z, b])
    assert names(g) == ["Gemm"]
    assert np.isnan(g(np.ones((3, 3)), np.ones((3, 3)), nan, 0.0)).all()
    h = compiled(a * T.dot(X, Y) + Z, [X, Y, Z, a])
    assert np.isnan(h(nan, np.ones((3, 3)), np.ones((3, 3)), 0.0)).all()


def test_rules_can_be_left_out():
    mode = theano.Mode("numpy")
    total = T.dot(X, Y) + Z
    assert names(compiled(total, mode=mode.excluding("gemm_optimizer"))) == ["Dot22"]
    assert names(compiled(total, mode=mode.excluding("BlasOpt"))) == ["Dot"]
    assert names(compiled(T.dot(X, Y), mode=mode.excluding("local_dot_to_dot22"))) == ["Dot"]
    assert names(compiled(T.dot(X, v), mode=mode.excluding("gemv"))) == ["Dot"]
    assert names(compiled(total, linker="xla")) == ["Dot"]
    assert names(compiled(total, mode="FAST_COMPILE")) == ["Dot22"]


def shapes_of(f):
    """For each product, the dimensions of what it multiplies."""
    return [
        tuple(x.type.ndim for x in (n.inputs[2:4] if isinstance(n.op, Gemv) else n.inputs[:2]))
        for n in products(f)
    ]


CHAINS = {
    "vector_last": T.dot(T.dot(X, Y), v),
    "vector_first": T.dot(v, T.dot(X, Y)),
    "vector_last_of_four": T.dot(T.dot(T.dot(X, Y), Z), v),
    "vector_first_of_four": T.dot(v, T.dot(X, T.dot(Y, Z))),
    "gram": T.dot(T.dot(X.T, X), v),
}


def test_a_vector_in_the_middle_of_a_chain_stays_there():
    x = T.TensorType("complex128", (True, True))("x")
    y, z = (T.TensorType("complex128", (False,))(n) for n in "yz")
    f = theano.function([x, y, z], T.dot(T.dot(x, y), z), mode=theano.Mode("numpy"))
    assert f([[2j]], [3.0], [4.0]) == 24j


@pytest.mark.parametrize("chain", CHAINS)
def test_a_vector_is_multiplied_first_if_that_is_asked_for(chain):
    f = compiled(CHAINS[chain], mode=theano.Mode("numpy").including("dot_chain"))
    assert set(shapes_of(f)) == {(2, 1)}
    given = list(VALUES.values())
    plain = compiled(CHAINS[chain], mode=theano.Mode("py", optimizer=None))
    np.testing.assert_allclose(f(*given), plain(*given), rtol=1e-11)


def test_matrices_are_multiplied_in_the_order_that_is_written():
    """A1: X Y may be within the range where Y v is not."""
    f = compiled(CHAINS["vector_last"], mode=theano.Mode("numpy").excluding("inplace"))
    assert shapes_of(f) == [(2, 2), (2, 1)]
    given = [np.full((1,) * x.ndim, 1e-200 if x is X else 1e200) for x in INPUTS]
    assert f(*given) == [1e200]


def test_columns_and_outer_products_are_known_to_be_thin():
    f = compiled(
        T.dot(T.dot(v.dimshuffle(0, "x"), w.dimshuffle("x", 0)), X),
        mode=theano.Mode("numpy").including("dot_chain"),
    )
    given = list(VALUES.values())
    want = np.einsum("i,j,jk->ik", VALUES[v], VALUES[w], VALUES[X])
    np.testing.assert_allclose(f(*given), want, rtol=1e-12)
    assert not any(isinstance(n.op, Dot22) and n.inputs[1] is X for n in products(f))


def test_of_matrices_of_unknown_lengths_the_order_is_the_users():
    for chain in (T.dot(T.dot(X, Y), Z), T.dot(X, T.dot(Y, Z))):
        f = compiled(chain, mode=theano.Mode("numpy"))
        last = f.maker.fgraph.outputs[0].owner
        before = chain.owner.inputs[0].owner is not None
        assert (last.inputs[0].owner is not None) is before


def multiplications(v, lengths):
    """How many a chain takes, and its rows and columns."""
    if v.owner is None or not isinstance(v.owner.op, Dot):
        return 0, lengths[v]
    (left, (rows, inner)), (right, (_, cols)) = (
        multiplications(x, lengths) for x in v.owner.inputs
    )
    return left + right + rows * inner * cols, (rows, cols)


def test_of_known_lengths_the_best_order_is_found():
    # Cormen and others, Introduction to Algorithms, 15.2: 15,125 multiplications
    n = [30, 35, 15, 5, 10, 20, 25]
    parts = [T.alloc(s, i, j) for s, i, j in zip(T.dscalars(6), n, n[1:], strict=False)]
    chain = parts[0]
    for m in parts[1:]:
        chain = T.dot(chain, m)
    g = FunctionGraph([m.owner.inputs[0] for m in parts], [chain], clone=False)
    attach_shapes(g)
    lengths = {m: (i, j) for m, i, j in zip(parts, n, n[1:], strict=False)}
    assert multiplications(g.outputs[0], lengths)[0] == 40_500
    Rewriter([RULES["chain_order"]]).rewrite(g)
    assert multiplications(g.outputs[0], lengths)[0] == 15_125


def test_a_product_that_is_needed_elsewhere_is_not_taken_apart():
    inner = T.dot(X, Y)
    f = compiled([inner, T.dot(inner, v)])
    assert sorted(names(f)) == ["Dot22", "Gemv"]


def test_a_product_with_zeros_is_zeros_where_lengths_fit():
    f = compiled(T.dot(X, T.zeros((X.shape[1], 2))), [X])
    assert names(f) == [] and f(np.ones((2, 3))).tolist() == [[0, 0], [0, 0]]
    g = compiled(T.dot(X, T.zeros((3, 2))), [X])
    with pytest.raises(ValueError, match="Shape mismatch"):
        g(np.ones((2, 4)))
    assert g(np.ones((4, 3))).shape == (4, 2)


def test_a_transposed_operand_is_not_copied():
    f = compiled(T.dot(X.T, Y), [X, Y])
    (node,) = products(f)
    turned = node.inputs[0].owner
    assert str(turned.op) == "InplaceDimShuffle{1,0}" and turned.op.view_map == {0: [0]}


def test_long_sums_are_rewritten_in_linear_time():
    m = Z
    for i in range(40):
        m = T.tanh(m + 0.1 * T.dot(X, Y) + (0.01 * i) * Z)
    f = compiled(m, [X, Y, Z])
    assert set(names(f)) <= {"Gemm", "Dot22", "Dot22Scalar"}
    given = [VALUES[X], VALUES[Y], VALUES[Z]]
    plain = compiled(m, [X, Y, Z], mode=theano.Mode("py", optimizer=None))
    np.testing.assert_allclose(f(*given), plain(*given), rtol=1e-10)


def test_a_product_is_added_to_what_is_computed_for_the_sum_alone():
    (node,) = products(compiled(T.dot(X, Y) + Z + T.exp(Z)))
    assert node.op.inplace and "exp" in str(node.inputs[0].owner.op)


# names of theano.tensor.blas


def test_a_number_is_known_beneath_dimensions():
    a = T.dscalar("a")
    assert T.blas._as_scalar(a.dimshuffle("x", "x")) is a
    assert T.blas._as_scalar(T.constant([[0.5]])).type.ndim == 0
    assert T.blas._as_scalar(T.dvector()) is None
    assert T.blas._as_scalar(a, "float32") is None
    assert T.blas._as_scalar(T.fscalar(), "float64").dtype == "float64"


def test_who_computes_a_variable_can_be_asked():
    x = T.dvector("x")
    y = T.exp(x)
    g = theano.gof.FunctionGraph([x], [y, y + 1], clone=False)
    assert T.blas.res_is_a(y, T.exp) and not T.blas.res_is_a(x, T.exp)
    assert T.blas.res_is_a(y, T.exp, maxclients=2) and not T.blas.res_is_a(y, T.exp, 1)
    assert g.outputs[0] is y


@pytest.mark.parametrize(("beta", "fires"), [(0.0, True), (1.0, True), (2.0, False)])
def test_a_gemm_of_a_column_and_a_row_is_a_rank_one_update(beta, fires):
    z, v, w, a = T.dmatrix("z"), T.dvector("v"), T.dvector("w"), T.dscalar("a")
    node = T.blas.gemm_no_inplace(
        z, a, v.dimshuffle(0, "x"), w.dimshuffle("x", 0), T.constant(beta, dtype="float64")
    ).owner
    assert bool(T.blas.local_gemm_to_ger.transform(node)) is fires
    f = theano.function([z, a, v, w], node.outputs[0])
    m, u = np.arange(6.0).reshape(2, 3), np.array([1.0, 2.0])
    want = beta * m + 3 * np.outer(u, m[1])
    np.testing.assert_allclose(f(m, 3.0, u, m[1]), want)


def test_gemm_refuses_in_the_documented_words_and_says_more_in_a_note():
    Gemm = T.blas.Gemm
    with pytest.raises(TypeError) as e:
        T.blas.gemm_no_inplace([1.0], 1.0, [1.0], [1.0], 1.0)
    assert e.value.args[0] is Gemm.E_rank
    assert "takes a matrix as input 0" in e.value.__notes__[0]
    z = T.as_tensor_variable(np.ones((2, 2)))
    with pytest.raises(theano.gof.InconsistencyError) as e:
        T.blas.gemm_inplace(z, 1.0, z, z, 1.0)
    assert str(e.value) == Gemm.E_z_uniq
    m = T.fmatrix()
    with pytest.raises(TypeError) as e:
        T.blas.gemm_no_inplace(T.dmatrix(), 1.0, m, m, 1.0)
    assert str(e.value) == Gemm.E_mixed


def test_names_of_c_and_scipy_are_the_one_op():
    assert T.blas_scipy.ScipyGer is T.blas_c.CGer is T.blas.Ger and T.blas_scipy.have_fblas
    assert T.blas_c.cgemv_inplace == T.blas.gemv_inplace
