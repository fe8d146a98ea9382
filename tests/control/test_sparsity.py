"""Sparsity patterns, colourings, and sparse Jacobians and Hessians."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import theano
import theano.sparse
import theano.tensor as T
from theano import gradient
from theano._src.control.sparsity.colouring import (
    colour_hessian,
    colour_jacobian,
    group_columns,
    star_colours,
)

N = 6


def exact(matrix: Any) -> Any:
    return np.asarray(matrix, bool)


def lower(n: int) -> Any:
    return exact(np.tri(n))


x = T.dvector("x")
A = np.array([[0.0, 2, 0, 0, 0, 1], [0, 0, 0, 3, 0, 0]])
INDEX = np.array([4, 0, 0])
eye = np.eye(N)
full = np.ones((N, N))


def _scan(step: Any, **kwargs: Any) -> Any:
    return theano.scan(step, **kwargs)[0]


#: an expression of `x`, of six elements, and its pattern
CASES: dict[str, tuple[Any, Any]] = {
    "elementwise": (T.exp(x) * T.sin(x) + 3, eye),
    "zero derivatives": (x + T.floor(x) * T.sgn(x) * T.cast(x[::-1] > 0, "float64"), eye),
    "switch": (T.switch(x[::-1] > 0, x, 2 * x[0]), eye + eye[:1]),
    "a known choice": (
        T.switch(T.constant([1, 0] * 3), x, x[0]),
        [eye[0], *[eye[0], eye[2]], eye[0], eye[4], eye[0]],
    ),
    "a product with zeros": (x * T.constant([1.0, 0, 0, 2, 0, 1]), np.diag([1, 0, 0, 1, 0, 1])),
    "a product with computed zeros": (x * T.arange(6), np.diag([0, 1, 1, 1, 1, 1])),
    "a product with zeros of a shape": (x[::-1] * T.zeros_like(x) + x, eye),
    "a power of zero": (x ** T.constant([0.0, 1, 2, 0, 1, 2]), np.diag([0, 1, 1, 0, 1, 1])),
    "slices": (x[1:] * x[:-1], eye[1:] + eye[:-1]),
    "an index": (x[INDEX] + x[-1], eye[INDEX] + eye[-1]),
    "two indices": (x.reshape((2, 3))[[0, 1], [2, 0]], eye[[2, 3]]),
    "a mask": (x[T.constant(np.arange(6) % 2 == 1)], eye[1::2]),
    "an index computed from x": (x[T.argmax(x)], full[:1]),
    "a part that is set": (T.set_subtensor(x[1:3], x[0]), eye[[0, 0, 0, 3, 4, 5]]),
    "a part that is added to": (
        T.inc_subtensor(x[1:3], x[0]),
        eye + np.outer([0, 1, 1, 0, 0, 0], eye[0]),
    ),
    "an index that is set": (T.set_subtensor(x[INDEX[:2]], 0.0), np.diag([0, 1, 1, 1, 0, 1])),
    "an index that is added to": (
        T.inc_subtensor(T.zeros_like(x)[INDEX], x[1:4]),
        [eye[2] + eye[3], *eye[[]], *np.zeros((3, 6)), eye[1], np.zeros(6)],
    ),
    "shapes": (x.reshape((2, 3)).T.flatten(), eye[[0, 3, 1, 4, 2, 5]]),
    "a new dimension": (
        (x[:2, None] * x[None, 2:4]).flatten(),
        eye[[0, 0, 1, 1]] + eye[[2, 3, 2, 3]],
    ),
    "joined and split": (T.concatenate(T.split(x, [2, 4], 2)[::-1]), eye[[2, 3, 4, 5, 0, 1]]),
    "stacked": (T.stack([x[0], x[3] * 2, T.constant(1.0)]), [eye[0], eye[3], 0 * eye[0]]),
    "rolled": (T.roll(x, 2), np.roll(eye, 2, axis=0)),
    "tiled and repeated": (
        T.tile(x[:2], 2) + T.repeat(x[2:4], 2),
        eye[[0, 1, 0, 1]] + eye[[2, 2, 3, 3]],
    ),
    "filled": (T.alloc(x[1], 3) + T.fill(x[:3], x[2]), [eye[1] + eye[2]] * 3),
    "sums": (x.reshape((2, 3)).sum(axis=0), eye[:3] + eye[3:]),
    "a maximum": (x.reshape((2, 3)).max(axis=1), [eye[:3].sum(0), eye[3:].sum(0)]),
    "a mean and a product": (
        T.stack([x[:2].mean(), x[2:5].prod()]),
        [eye[:2].sum(0), eye[2:5].sum(0)],
    ),
    "cumulative sums": (T.cumsum(x), lower(6)),
    "cumulative products of rows": (
        T.cumprod(x.reshape((2, 3)), axis=1).flatten(),
        np.kron(np.eye(2), lower(3)),
    ),
    "differences": (T.extra_ops.diff(x, n=2), eye[:-2] + eye[1:-1] + eye[2:]),
    "sorted rows": (
        T.sort(x.reshape((2, 3)), axis=1).flatten(),
        np.kron(np.eye(2), np.ones((3, 3))),
    ),
    "softmax of rows": (
        T.nnet.softmax(x.reshape((2, 3))).flatten(),
        np.kron(np.eye(2), np.ones((3, 3))),
    ),
    "a product with a constant matrix": (T.dot(A, x), A),
    "a product with any matrix": (
        T.dot(T.constant(A) * x[0] + 1, T.constant(np.ones(6))),
        [eye[0]] * 2,
    ),
    "a product of matrices": (T.dot(T.eye(2), x.reshape((2, 3))).flatten(), eye),
    "a product of x with itself": (
        T.dot(x.reshape((2, 3)), x.reshape((3, 2))).flatten(),
        np.kron([[1, 0], [1, 0], [0, 1], [0, 1]], np.ones(3)) + np.kron(np.ones((2, 3)), np.eye(2)),
    ),
    "tensordot": (
        T.tensordot(x.reshape((2, 3)), T.constant(np.eye(3)[:, :2]), 1).flatten(),
        eye[[0, 1, 3, 4]],
    ),
    "batched_dot": (
        T.batched_dot(x.reshape((3, 1, 2)), np.ones((3, 2, 1))).flatten(),
        np.kron(np.eye(3), [1, 1]),
    ),
    "einsum": (T.einsum("ij,kj->ik", x.reshape((2, 3)), T.constant(np.eye(3))).flatten(), eye),
    "inverses of a stack": (
        T.nlinalg.matrix_inverse(T.concatenate([x, x[:2]]).reshape((2, 2, 2))).flatten(),
        np.kron([[1], [1], [1], [1], [0], [0], [0], [0]], [1, 1, 1, 1, 0, 0])
        + np.kron([[0], [0], [0], [0], [1], [1], [1], [1]], [1, 1, 0, 0, 1, 1]),
    ),
    "a diagonal": (T.diag(T.diag(x)) + T.diag(x.reshape((2, 3)))[0], eye + eye[0]),
    "a sparse product": (theano.sparse.dot(sp.csr_matrix(A), x), A),
    "a sparse matrix of data": (
        theano.sparse.dot(
            theano.sparse.CSR(x[:3] * x[3:], [5, 1, 3], [0, 2, 3], [2, 6]), np.ones((6, 1))
        ).flatten(),
        [eye[[0, 1, 3, 4]].sum(0), eye[[2, 5]].sum(0)],
    ),
    "a sparse matrix made dense": (
        theano.sparse.dense_from_sparse(
            theano.sparse.CSC(x[:2], [1, 0], [0, 1, 2], [2, 2])
        ).flatten(),
        [0 * eye[0], eye[1], eye[0], 0 * eye[0]],
    ),
    "a loop with a state": (
        _scan(lambda a, s: a * s, sequences=x, outputs_info=T.constant(1.0, dtype="float64")),
        lower(6),
    ),
    "a loop backwards": (
        _scan(
            lambda a, s: a * s,
            sequences=x,
            outputs_info=T.constant(1.0, dtype="float64"),
            go_backwards=True,
        ),
        lower(6)[:, ::-1],
    ),
    "a loop of independent steps": (_scan(lambda a: a**2, sequences=x), eye),
    "the end of a loop": (
        _scan(lambda s: T.concatenate([s[1:], s[:1] * 2]), outputs_info=x, n_steps=2)[-1],
        np.roll(eye, -2, axis=0),
    ),
    "ifelse": (theano.ifelse.ifelse(T.gt(x[0], 0), x, x[::-1]), eye + eye[::-1]),
    "an OpFromGraph": (theano.OpFromGraph([x], [x[1:] * x[:-1]])(x), eye[1:] + eye[:-1]),
    "no gradient": (gradient.disconnected_grad(x) * x[::-1] + gradient.zero_grad(x), eye[::-1]),
    "nothing": (T.zeros_like(x), 0 * eye),
    "a number": (x.sum(), full[:1]),
}


@pytest.mark.parametrize("name", CASES)
def test_a_pattern_is_exact(name: str) -> None:
    y, want = CASES[name]
    # the lengths of branches, of which one is taken, may differ
    givens = {x: np.ones(N)} if name == "ifelse" else {}
    pattern = gradient.sparsity(y, x, N, givens)
    assert pattern.dtype == bool
    np.testing.assert_array_equal(pattern.toarray(), exact(want))


@pytest.mark.parametrize("name", CASES)
def test_a_sparse_jacobian_is_the_dense_one(name: str) -> None:
    y, _ = CASES[name]
    value = np.random.default_rng(0).normal(size=N)
    dense = gradient.jacobian(y.flatten(), x, disconnected_inputs="ignore")
    matrix = gradient.sparse_jacobian(y, x, disconnected_inputs="ignore")
    want, got = theano.function([x], [dense, matrix], mode="FAST_COMPILE")(value)
    assert got.format == "csr" and got.has_canonical_format
    np.testing.assert_allclose(got.toarray(), want.reshape(got.shape), rtol=1e-12, atol=1e-14)


def chain(v: Any) -> Any:
    return T.sum((v[1:] - v[:-1] ** 2) ** 2) + T.sum(T.cos(v)) * 0.5


#: costs and the number of products that their Hessians take
COSTS = {
    "a chain": (chain(x), 3),
    "a hub": (T.sum(x[:-1] ** 2 * x[-1]), 2),
    "a sum of squares": (T.sum(x**4), 1),
    "linear": (3 * T.sum(x), 0),
    "everything": (T.exp(T.sum(x)), N),
}


@pytest.mark.parametrize("name", COSTS)
@pytest.mark.parametrize("engine", ["numpy", "native", "xla"])
def test_a_sparse_hessian_is_the_dense_one_on_all_engines(name: str, engine: str) -> None:
    cost, count = COSTS[name]
    value = np.random.default_rng(1).normal(size=N)
    sparse, dense = gradient.sparse_hessian(cost, x), gradient.hessian(cost, x)
    got = theano.function([x], sparse, mode=theano.Mode(engine))(value)
    want = theano.function([x], dense, mode="FAST_COMPILE")(value)
    np.testing.assert_allclose(got.toarray(), want, rtol=1e-11, atol=1e-13)
    assert (got != got.T).nnz == 0  # symmetric to the last digit
    pattern = gradient.sparsity(T.grad(cost, x), x, N)
    assert colour_hessian(pattern).columns.max() + 1 == count if pattern.nnz else not count


@pytest.mark.parametrize("engine", ["numpy", "native", "xla"])
def test_one_function_serves_all_lengths_and_indices(engine: str) -> None:
    i = T.lvector("i")
    y = x[i] ** 2 * x[0]
    f = theano.function([x, i], gradient.sparse_jacobian(y, x), mode=theano.Mode(engine))
    dense = theano.function([x, i], gradient.jacobian(y, x), mode="FAST_COMPILE")
    for value, index in [([1, 2, 3], [2, 1]), ([1, 2, 3], [1, 1]), ([4, 5, 6, 7.0], [0, 3, 2])]:
        for _ in range(2):
            matrix = f(value, index)
            np.testing.assert_allclose(matrix.toarray(), dense(value, index))
            # what is kept between calls is not the caller's
            matrix.indices[:] = 0
            matrix.data[:] = np.nan
    assert f([1, 2, 3], [1]).nnz == 2


def test_patterns_are_kept_by_lengths_and_indices(monkeypatch: pytest.MonkeyPatch) -> None:
    i = T.lvector("i")
    matrix = gradient.sparse_jacobian(x[i] ** 2, x)
    f = theano.function([x, i], matrix, mode=theano.Mode("numpy"))
    (op,) = [n.op for n in f.maker.fgraph.apply_nodes if type(n.op).__name__ == "ColouredPattern"]
    asked = []
    real = type(op.graph).matrix
    monkeypatch.setattr(
        type(op.graph), "matrix", lambda self, values: asked.append(1) or real(self, values)
    )
    for value, index in [([1, 2], [0]), ([1, 2], [1]), ([3, 4], [0]), ([1, 2, 3], [0])] * 2:
        f(value, index)
    assert len(asked) == 3


def test_a_batch_of_values_by_vectorize() -> None:
    xs = T.dmatrix("xs")
    data = theano.sparse.csm_data(gradient.sparse_jacobian(x[1:] * x[:-1], x))
    points = np.arange(8.0).reshape(2, 4)
    many = theano.vectorize(data, {x: xs}).eval({xs: points})
    np.testing.assert_array_equal(many, [data.eval({x: p}) for p in points])
    assert many.tolist()[0] == [1, 0, 2, 1, 3, 2]


def test_a_pattern_that_is_given_is_a_constant() -> None:
    y = x[1:] * x[:-1]
    matrix = gradient.sparse_jacobian(y, x, gradient.sparsity(y, x, 4))
    f = theano.function([x], theano.sparse.csm_data(matrix))
    assert not any("Pattern" in str(n.op) for n in f.maker.fgraph.apply_nodes)
    assert f([1, 2, 3, 4]).tolist() == [2, 1, 3, 2, 4, 3]
    with pytest.raises(TypeError, match=r"a pattern is a sparse matrix, .* got"):
        gradient.sparse_jacobian(y, x, np.ones((3, 4)))


def test_tensors_of_all_dimensions_and_float32() -> None:
    m = T.fmatrix("m")
    matrix = gradient.sparse_jacobian(m[1:] * m[:-1], m)
    value = np.arange(6, dtype="float32").reshape(3, 2)
    got = matrix.eval({m: value})
    want = gradient.jacobian((m[1:] * m[:-1]).flatten(), m).eval({m: value})
    assert got.dtype == "float32" and got.shape == (4, 6)
    np.testing.assert_array_equal(got.toarray(), want.reshape(4, 6))
    s = T.dscalar("s")
    assert gradient.sparse_jacobian(s**2, s).eval({s: 3}).toarray().tolist() == [[6]]


def test_a_list_of_variables_gives_a_list() -> None:
    z = T.dvector("z")
    one, two = gradient.sparse_jacobian(x * z, [x, z])
    values = {x: [1, 2], z: [3, 4]}
    assert one.eval(values).diagonal().tolist() == [3, 4]
    assert two.eval(values).diagonal().tolist() == [1, 2]


def test_a_pickled_function_gives_the_same() -> None:
    f = theano.function([x], gradient.sparse_jacobian(x[1:] * x[:-1], x))
    again = pickle.loads(pickle.dumps(f))
    np.testing.assert_array_equal(again([1, 2, 3]).toarray(), f([1, 2, 3]).toarray())


def test_givens_and_shared_variables_give_indices_to_sparsity() -> None:
    i, w = T.lvector("i"), T.dmatrix("w")
    y = T.dot(w, x)[i]
    pattern = gradient.sparsity(y, x, {x: 3, w: (2, 3)}, {i: [1, 1, 0]})
    assert pattern.toarray().all() and pattern.shape == (3, 3)
    shared = theano.shared(np.array([2, 0]), "shared")
    assert gradient.sparsity(x[shared], x, 3).indices.tolist() == [2, 0]
    with pytest.raises(theano.gof.MissingInputError, match=r"needs the value of i, as an index"):
        gradient.sparsity(x[i], x, 3)
    with pytest.raises(theano.gof.MissingInputError, match="needs the shape of x; give it in len"):
        gradient.sparsity(x * 2, x)
    with pytest.raises(ValueError, match=r"takes 1 lengths for x of .*, got \(2, 3\)"):
        gradient.sparsity(x * 2, x, (2, 3))


def test_values_that_no_pattern_depends_on_are_not_asked_for() -> None:
    scale, weights = T.dscalar("scale"), T.dvector("weights")
    cost = scale * T.sum(x**2) + T.dot(weights, T.sin(x[1:]) * x[:-1] * (x[1:] > scale))
    pattern = gradient.sparsity(T.grad(cost, x), x, {x: 4, weights: 3})
    assert pattern.nnz == 10 and (abs(pattern - pattern.T)).nnz == 0


def test_the_structure_of_a_sparse_input_is_taken_at_run_time() -> None:
    m = theano.sparse.csr_matrix("m", "float64")
    f = theano.function([m, x], gradient.sparse_jacobian(theano.sparse.dot(m, x) ** 2, x))
    for matrix in (sp.csr_matrix(A), sp.csr_matrix(np.eye(6)[1:] * 2)):
        want = 2 * (matrix @ np.ones(6))[:, None] * matrix.toarray()
        got = f(matrix, np.ones(6))
        assert got.nnz == matrix.nnz
        np.testing.assert_allclose(got.toarray(), want)


def test_wrong_arguments_are_named() -> None:
    n = T.lvector("n")
    with pytest.raises(TypeError, match=r"sparsity takes a tensor of floats as x, got n of"):
        gradient.sparsity(n * 2.0, n, 3)
    with pytest.raises(TypeError, match=r"sparse_hessian takes a scalar as cost, got"):
        gradient.sparse_hessian(x * 2, x)
    with pytest.raises(theano.gradient.DisconnectedInputError, match="does not depend on x"):
        gradient.sparse_jacobian(T.dvector() * 2, x)


def test_a_dense_pattern_is_refused_before_the_memory_is_full() -> None:
    with pytest.raises(MemoryError, match=r"has \d+ entries, .* this derivative is dense"):
        gradient.sparsity(T.nnet.softmax(x), x, 20_000)


# colourings


def random_pattern(seed: int) -> Any:
    rng = np.random.default_rng(seed)
    m, n = rng.integers(1, 30, size=2)
    matrix = rng.random((m, n)) < rng.choice([0.02, 0.1, 0.3])
    matrix[rng.random(m) < 0.1] = True
    matrix[:, rng.random(n) < 0.1] = True
    return sp.csr_matrix(matrix)


@pytest.mark.parametrize("seed", range(40))
def test_no_two_columns_of_a_colour_share_a_row(seed: int) -> None:
    pattern = random_pattern(seed)
    colours = group_columns(pattern)
    assert colours is not None
    for row in pattern.tolil().rows:
        assert len(set(colours[row])) == len(row)


@pytest.mark.parametrize("seed", range(40))
def test_each_element_is_read_where_it_is_alone(seed: int) -> None:
    pattern = random_pattern(seed)
    matrix = pattern.astype(float)
    matrix.data = np.random.default_rng(seed).normal(size=matrix.nnz)
    colouring = colour_jacobian(pattern)
    columns = [matrix @ (colouring.columns == c) for c in range(colouring.columns.max() + 1)]
    rows = [(colouring.rows == c) @ matrix for c in range(colouring.rows.max() + 1)]
    products = np.concatenate([np.zeros(0), *columns, *rows])
    np.testing.assert_array_equal(products[colouring.places], matrix.data)
    assert len(columns) + len(rows) <= min(pattern.shape)


@pytest.mark.parametrize("seed", range(40))
def test_a_path_of_four_vertices_has_three_colours(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 25))
    graph = np.triu(rng.random((n, n)) < rng.choice([0.05, 0.15, 0.4]), 1)
    graph |= graph.T
    pattern = sp.csr_matrix(graph)
    colours = star_colours(pattern.indptr.tolist(), pattern.indices.tolist())
    near = pattern.tolil().rows
    for b in range(n):
        for c in near[b]:
            assert colours[b] != colours[c]
            for a in near[b]:
                for d in near[c]:
                    if len({a, b, c, d}) == 4:
                        assert len({colours[v] for v in (a, b, c, d)}) >= 3


@pytest.mark.parametrize("seed", range(40))
def test_a_symmetric_matrix_is_read_from_its_products(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 25))
    dense = np.triu(rng.normal(size=(n, n)) * (rng.random((n, n)) < 0.2))
    matrix = sp.csr_matrix(dense + np.triu(dense, 1).T)
    colouring = colour_hessian(matrix.astype(bool))
    products = [matrix @ (colouring.columns == c) for c in range(colouring.columns.max() + 1)]
    got = np.concatenate([np.zeros(0), *products])[colouring.places]
    np.testing.assert_array_equal(got, matrix.data)


def test_dense_rows_and_columns_have_products_of_their_own() -> None:
    arrow = np.eye(50, dtype=bool)
    arrow[7] = True
    across = colour_jacobian(sp.csr_matrix(arrow))
    down = colour_jacobian(sp.csr_matrix(arrow.T))
    assert [across.columns.max() + 1, across.rows.max() + 1] in ([1, 1], [0, 2])
    assert [down.columns.max() + 1, down.rows.max() + 1] in ([1, 1], [2, 0])
    star = arrow | arrow.T
    both = colour_jacobian(sp.csr_matrix(star))
    assert both.columns.max() + both.rows.max() + 2 == 3
    assert colour_hessian(sp.csr_matrix(star)).columns.max() == 1


def test_bands_take_as_many_products_as_diagonals() -> None:
    band = sp.diags([np.ones(2000 - abs(k)) for k in (-1, 0, 1)], (-1, 0, 1)).tocsr().astype(bool)
    assert colour_jacobian(band).columns.max() == 2
    assert colour_hessian(band).columns.max() == 2
