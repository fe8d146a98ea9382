"""Sparse variables: types, operators, shared values, and where they may be used."""

import pickle
import subprocess
import sys

import numpy as np
import pytest
import scipy.sparse as sp

import theano
import theano.sparse as S
import theano.tensor as T
from theano.ifelse import ifelse

ENGINES = ("numpy", "xla", "py")
A = sp.csr_matrix(np.array([[0.0, 2.0, 0.0], [3.0, 0.0, 4.0]]))


def run(ins, outs, values, engine, **options):
    return theano.function(ins, outs, mode=theano.Mode(engine, "fast_run"), **options)(*values)


def test_import_theano_loads_neither_scipy_sparse_nor_theano_sparse():
    code = "import sys, theano; assert not {'scipy.sparse', 'theano.sparse'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_values_of_other_formats_are_converted_and_other_dtypes_refused():
    kind = S.SparseType("csr", "float64")
    for value in (A.tocsc(), A.tocoo(), A.toarray(), sp.csr_array(A)):
        found = kind.filter(value)
        assert isinstance(found, sp.csr_matrix) and (found != A).nnz == 0
    assert kind.filter(A) is A
    with pytest.raises(NotImplementedError, match="float32"):
        kind.filter(A.astype("float32"))
    assert kind.filter(A.astype("float32"), allow_downcast=True).dtype == "float64"
    with pytest.raises(TypeError, match="csc of float64"):
        kind.filter(A.tocsc(), strict=True)
    with pytest.raises(NotImplementedError, match="float16"):
        S.SparseType("csr", "float16")
    with pytest.raises(NotImplementedError, match="coo"):
        S.SparseType("coo", "float64")


def test_matrices_are_equal_if_their_elements_are():
    kind = S.SparseType("csr", "float64")
    other = A.copy()
    other.data = other.data + np.array([0, 0, 1e-12])
    assert kind.values_eq(A, A.copy()) and not kind.values_eq(A, other)
    assert kind.values_eq_approx(A, other) and not kind.values_eq_approx(A, A * 2)
    zero = sp.csr_matrix((np.zeros(1), [0], [0, 1, 1]), shape=A.shape)
    assert kind.values_eq(zero, sp.csr_matrix(A.shape))


@pytest.mark.parametrize("engine", ENGINES)
def test_operators_and_methods_mean_what_numpy_means(engine):
    x, d = S.csr_matrix("x", dtype="float64"), T.dmatrix("d")
    D = np.arange(6.0).reshape(2, 3)
    a = A.toarray()
    made = [x + x, d + x, x + d, x - d, d - x, x * d, d * x, -x, 2 * x, x.T, x.toarray(), x > d]
    expected = [a + a, D + a, a + D, a - D, D - a, a * D, D * a, -a, 2 * a, a.T, a, a > D]
    for found, wanted in zip(run([x, d], made, [A, D], engine), expected, strict=True):
        np.testing.assert_array_equal(found.toarray() if sp.issparse(found) else found, wanted)
    shape, size = run([x], [x.shape, x.size], [A], engine)
    assert shape.tolist() == [2, 3] and shape.dtype == "int64" and size == 3
    assert (run([x, d], x @ d.T, [A, D], engine) == a @ D.T).all()
    assert (run([x, d], theano.dot(d, x.T), [A, D], engine) == D @ a.T).all()


@pytest.mark.parametrize("engine", ENGINES)
def test_a_shared_matrix_is_read_and_updated(engine):
    s = theano.shared(A, "s")
    assert s.type == S.SparseType("csr", "float64")
    step = theano.function([], S.sp_sum(s), updates=[(s, s * 2)], mode=theano.Mode(engine))
    assert [float(step()) for _ in range(3)] == [9, 18, 36]
    assert (s.get_value() != A * 8).nnz == 0
    assert A.data.tolist() == [2, 3, 4]  # the caller's own is as it was
    value = s.get_value()
    value.data[:] = 0
    assert s.get_value().data.tolist() == [16, 24, 32]
    s.set_value(A)
    assert float(step()) == 9


@pytest.mark.parametrize("engine", ENGINES)
def test_what_comes_out_does_not_share_memory_with_what_went_in(engine):
    x = S.csr_matrix("x", dtype="float64")
    value = A.copy()
    for made in run([x], [x, x.T, S.csm_data(x), S.clean(x)], [value], engine):
        parts = (made.data, made.indices) if sp.issparse(made) else (made,)
        for part in parts:
            part[:] = 0
    assert (value != A).nnz == 0


def test_a_large_result_of_a_host_step_that_a_program_reads_too_is_given_back():
    x = S.csr_matrix("x", dtype="float64")
    sums = S.sp_sum(x, 0)
    value = sp.csr_matrix(np.ones((1, 20_000)))
    found, squares = run([x], [sums, sums**2 + 1], [value], "xla")
    found += squares  # both are the caller's own
    assert found.shape == (20_000,) and (found == 3).all()


def test_gradients_of_both_kinds_add_up():
    x, d = S.csr_matrix("x", dtype="float64"), T.dmatrix("d")
    D = np.arange(6.0).reshape(3, 2)
    cost = S.structured_dot(x, d).sum()
    structured = theano.function([x, d], theano.grad(cost, x))(A, D)
    full = np.ones((2, 2)) @ D.T
    assert (structured.toarray() == np.where(A.toarray() != 0, full, 0)).all()
    both = theano.function([x, d], theano.grad(cost + S.dot(x, d).sum(), x))(A, D)
    assert (both == structured.toarray() + full).all()
    twice = theano.function([x, d], theano.grad(2 * cost + cost**2, x))(A, D)
    assert sp.issparse(twice)
    total = (A @ D).sum()
    np.testing.assert_allclose(twice.toarray(), structured.toarray() * (2 + 2 * total))


def test_the_gradient_of_stored_elements_is_that_of_each():
    data, indices, indptr = T.dvector(), np.array([1, 1], "int32"), np.array([0, 2], "int32")
    x = S.CSR(data, indices, indptr, [1, 3])
    d = np.array([[5.0], [12.0], [7.0]])
    g = theano.function([data], theano.grad(S.structured_dot(x, d).sum(), data))([1.0, 2.0])
    assert g.tolist() == [12, 12]


@pytest.mark.parametrize("tidy", [S.ensure_sorted_indices, S.remove0, S.clean])
def test_a_place_that_is_stored_twice_out_of_order_keeps_a_derivative_for_each(tidy):
    data = T.dvector()
    indices, indptr = np.array([2, 0, 2, 1], "int32"), np.array([0, 4], "int32")
    x = tidy(S.CSR(data, indices, indptr, [1, 3]))
    cost = S.sp_sum(S.sqr(x), sparse_grad=True)
    g = theano.function([data], theano.grad(cost, data))([1.0, 5.0, 3.0, 0.0])
    assert g.tolist() == [2, 10, 6, 0]


def test_the_terms_of_a_gradient_are_added_element_by_element():
    """Also where one place is stored twice, and where dtypes differ."""
    data, indices, indptr = T.fvector(), np.array([1, 1], "int32"), np.array([0, 2], "int32")
    x = S.CSR(data, indices, indptr, [1, 3])
    d = np.array([[5.0], [12.0], [7.0]])
    cost = S.structured_dot(x, d).sum() + S.sp_sum(S.sqr(x), sparse_grad=True)
    cost += (S.mul(x, d.T) * 2).toarray().sum() + S.get_item_list(x, [0, 0]).toarray().sum()
    g = theano.function([data], theano.grad(cost, data))(np.array([1, 2], "float32"))
    assert g.dtype == "float32" and g.tolist() == [12 + 2 + 24 + 2, 12 + 4 + 24 + 2]


@pytest.mark.parametrize("dtype", ["float64", "complex128"])
@pytest.mark.parametrize(
    ("sparse", "dense"),
    [
        (lambda x, d: S.structured_dot(x, d.T), lambda x, d: T.dot(x, d.T)),
        (lambda x, d: S.dot(x, d.T), lambda x, d: T.dot(x, d.T)),
        (lambda x, d: S.dot(x, d[0]), lambda x, d: T.dot(x, d[0])),
        (lambda x, d: S.true_dot(x, d.T).toarray(), lambda x, d: T.dot(x, d.T)),
        (lambda x, d: (x * d).toarray(), lambda x, d: x * d),
        (lambda x, d: S.mul(x, S.csr_from_dense(d)).toarray(), lambda x, d: x * d),
        (lambda x, d: S.col_scale(x, d[0]).toarray(), lambda x, d: x * d[0]),
        (
            lambda x, d: S.row_scale(x, d[:, 1]).toarray(),
            lambda x, d: x * d[:, 1].dimshuffle(0, "x"),
        ),
    ],
)
def test_gradients_through_complex_factors_are_those_of_dense_ones(sparse, dense, dtype):
    """The conjugate of a factor is taken, and of a real matrix the real part."""
    value = (A * (1 if dtype == "float64" else 1 + 2j)).astype(dtype)
    D = np.array([[1 + 2j, 3 - 1j, 2j], [1j, 2 + 2j, 1 - 3j]])
    found = []
    for x, of in ((S.csr_matrix("x", dtype=dtype), sparse), (T.matrix("x", dtype=dtype), dense)):
        d = T.zmatrix("d")
        made = of(x, d)
        gs = theano.grad((made.real**2 + 2 * made.imag**2).sum(), [x, d])
        given = value if of is sparse else value.toarray()
        found.append(theano.function([x, d], gs)(given, D))
    (gx, gd), (expected_x, expected_d) = found
    assert gx.dtype == dtype
    gx = gx.toarray() if sp.issparse(gx) else gx
    np.testing.assert_allclose(gx[A.toarray() != 0], expected_x[A.toarray() != 0])
    np.testing.assert_allclose(gd, expected_d)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_second_derivative(engine):
    w = T.dvector("w")
    x = S.as_sparse_variable(A)
    cost = (S.dot(x, w) ** 3).sum()
    H = theano.gradient.hessian(cost, w)
    value = np.array([1.0, 2.0, 3.0])
    a = A.toarray()
    expected = a.T @ np.diag(6 * (a @ value)) @ a
    np.testing.assert_allclose(run([w], H, [value], engine), expected)


@pytest.mark.parametrize("engine", ENGINES)
def test_in_a_loop_and_in_a_branch(engine):
    x, w = S.csr_matrix("x", dtype="float64"), T.dvector("w")
    square = sp.csr_matrix(np.array([[0.0, 1.0], [0.5, 0.0]]))
    out, _ = theano.scan(lambda h, x: S.dot(x, h), outputs_info=w, non_sequences=x, n_steps=3)
    expected = np.linalg.matrix_power(square.toarray(), 3) @ [1.0, 2.0]
    assert (run([x, w], out[-1], [square, [1.0, 2.0]], engine) == expected).all()
    c = T.iscalar("c")
    chosen = ifelse(c, S.sp_sum(x), w.sum())
    assert run([x, w, c], chosen, [square, [1.0, 2.0], 1], engine) == 1.5
    assert run([x, w, c], chosen, [square, [1.0, 2.0], 0], engine) == 3


def test_learning_by_gradient_descent_on_a_sparse_matrix():
    rng = np.random.default_rng(0)
    X = sp.random(200, 50, 0.1, "csr", random_state=0)
    truth = rng.normal(size=50)
    t = X @ truth
    x, target = S.csr_matrix("x", dtype="float64"), T.dvector("t")
    w = theano.shared(np.zeros(50))
    cost = T.mean((S.dot(x, w) - target) ** 2)
    step = theano.function([x, target], cost, updates=[(w, w - 5.0 * theano.grad(cost, w))])
    costs = [float(step(X, t)) for _ in range(300)]
    assert costs[-1] < 1e-3 * costs[0]


def test_variables_constants_and_functions_are_pickled():
    x = S.csr_matrix("x", dtype="float64")
    f = theano.function([x], S.dot(x, T.constant(np.eye(3))) + S.as_sparse_variable(A).toarray())
    again = pickle.loads(pickle.dumps(f))
    assert (again(A) == 2 * A.toarray()).all()


def test_debugmode_finds_nothing_wrong():
    x, d = S.csr_matrix("x", dtype="float64"), T.dmatrix("d")
    cost = (S.structured_dot(S.sqr(x), d) + S.dot(x, d)).sum()
    gs = [S.transpose(x), S.add(x, x), S.remove0(x), *theano.grad(cost, [d])]
    f = theano.function([x, d], [cost, *gs], mode=theano.compile.DebugMode(check_c_code=False))
    f(A, np.arange(6.0).reshape(3, 2))


def test_printed_forms():
    x = S.csr_matrix("x", dtype="float64")
    assert str(S.csc_matrix(dtype="int64")) == "SparseVariable{csc,int64}"
    assert repr(x.type) == "Sparse[float64, csr]"
    text = theano.printing.debugprint(S.structured_dot(x, T.dmatrix("d")).T, file="str")
    assert "StructuredDot [@B]" in text


def test_rules_open_what_was_put_together():
    d, i, p = T.dvector(), T.ivector(), T.ivector()
    shape = T.ivector()
    f = theano.function([d, i, p, shape], S.csm_properties(S.CSC(d, i, p, shape)))
    assert not any("CSM" in str(node.op) for node in f.maker.fgraph.toposort())
    x, y, z = S.csr_matrix(dtype="float64"), T.dmatrix(), T.dmatrix()
    a = T.dscalar()
    g = theano.function([a, x, y, z], z - a * S.dot(x, y))
    assert any(isinstance(node.op, S.Usmm) for node in g.maker.fgraph.toposort())
    value = g(2.0, A, np.ones((3, 2)), np.ones((2, 2)))
    assert value.tolist() == (np.ones((2, 2)) - 2 * (A @ np.ones((3, 2)))).tolist()
    shapes = theano.function([x], S.add(x.T, x.T).shape)
    assert not any(isinstance(n.op, S.AddSS) for n in shapes.maker.fgraph.toposort())


def test_rows_that_are_read_have_a_sparse_gradient_where_asked():
    m, v = T.dmatrix("m"), np.array([0, 2, 0])
    g = theano.grad((theano.sparse_grad(m[v]) ** 2).sum(), m)
    value = np.arange(8.0).reshape(4, 2)
    found = theano.function([m], g)(value)
    assert sp.issparse(found) and found.format == "csr"
    expected = np.zeros_like(value)
    np.add.at(expected, v, 2 * value[v])
    assert (found.toarray() == expected).all()


@pytest.mark.parametrize("mode", ["valid", "full"])
@pytest.mark.parametrize("step", [(1, 1), (2, 1)])
def test_convolution_by_sparse_matrices(mode, step):
    from theano.sparse.sandbox import sp as sandbox

    rng = np.random.default_rng(0)
    images, kerns = rng.normal(size=(3, 2 * 5 * 4)), rng.normal(size=(2, 2 * 2 * 3))
    out, shape = sandbox.convolve(kerns, (2, 3), 2, images, (2, 5, 4), step, None, mode)
    indices, indptr, size, kind, _ = sandbox.ConvolutionIndices.evaluate(
        (2, 5, 4), (2, 3), step, mode=mode
    )
    assert kind == "csr"
    M = sp.csr_matrix((np.ones(len(indices)), indices, indptr), shape=size)
    patches = (M @ images.T).T.reshape(3, -1, 12)
    expected = np.einsum("bok,nk->bno", patches, kerns)
    np.testing.assert_allclose(out.eval(), expected.reshape(3, -1))
    assert shape == (2, *[int(n) for n in shape[1:]]) and out.eval().shape[1] == np.prod(shape)


def test_filters_of_their_own_for_each_pixel():
    from theano.sparse.sandbox import sp as sandbox

    images = np.arange(18.0).reshape(2, 9)
    kerns = np.random.default_rng(0).normal(size=2 * 4 * 4)
    out, shape = sandbox.applySparseFilter(kerns, (2, 2), 2, images, (3, 3))
    assert shape == (2, 2, 2)
    windows = np.lib.stride_tricks.sliding_window_view(images.reshape(2, 3, 3), (2, 2), (1, 2))
    expected = np.einsum("bok,nok->bno", windows.reshape(2, 4, 4), kerns.reshape(2, 4, 4))
    np.testing.assert_allclose(out.eval(), expected.reshape(2, -1))
