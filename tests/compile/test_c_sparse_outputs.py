"""Sparse outputs in exported C: values in an array of the caller, positions as constants."""

import numpy as np
import pytest
import scipy.sparse as sp

import theano
import theano.tensor as T
from tests.compile.c_toolchain import (
    SANITIZERS,
    STRICT,
    STRICT_CPP,
    compiled,
    needed,
    needed_flags,
    printed,
)
from tests.compile.test_export_c import build  # noqa: F401
from theano import gradient, sparse

GRID = 6


def heat(u):
    """Heat on a line, with a source that depends on it."""
    wide = T.set_subtensor(T.zeros((GRID + 2,))[1:-1], u)
    return 2 * u - wide[2:] - wide[:-2] - T.exp(u) / (GRID + 1) ** 2


def heat_slopes(u):
    """Its Jacobian, by hand."""
    near = np.full(GRID - 1, -1.0)
    return sp.diags([near, 2 - np.exp(u) / (GRID + 1) ** 2, near], [-1, 0, 1]).toarray()


def dense(values, pattern, columns, kind=sp.csr_matrix):
    indptr, indices = pattern
    lines = len(indptr) - 1
    shape = (lines, columns) if kind is sp.csr_matrix else (columns, lines)
    return kind((values, indices, indptr), shape=shape).toarray()


def jacobian():
    u = T.dvector("u")
    J = gradient.sparse_jacobian(heat(u), u, gradient.sparsity(heat(u), u, GRID))
    J.name = "J"
    return u, J


def test_a_jacobian_is_its_elements_and_constant_positions(build):  # noqa: F811
    u, J = jacobian()
    f = theano.function([u], [heat(u), J])
    g = build(f).model
    at = np.linspace(0, 1, GRID) ** 2
    value, elements = g(at)
    want, matrix = f(at)
    np.testing.assert_allclose(value, want, rtol=1e-15, atol=1e-15)
    np.testing.assert_allclose(dense(elements, g.patterns["J"], GRID), heat_slopes(at), rtol=1e-14)
    assert [x.tolist() for x in g.patterns["J"]] == [
        matrix.indptr.tolist(),
        matrix.indices.tolist(),
    ]
    header = (build.folder / "model.h").read_text()
    assert f"J: csr matrix of {GRID} rows and {matrix.nnz} elements, its elements, output" in header
    assert f"extern const int32_t model_J_indptr[{GRID + 1}];" in header
    assert f"extern const int32_t model_J_indices[{matrix.nnz}];" in header


def test_functions_of_one_file_have_positions_of_their_own(build):  # noqa: F811
    u, J = jacobian()
    cost = T.sum(u[1:] ** 2 * u[:-1] ** 3)
    H = gradient.sparse_hessian(cost, u, gradient.sparsity(T.grad(cost, u), u, GRID))
    J.name = H.name = "matrix"
    f, h = theano.function([u], J, name="slopes"), theano.function([u], H, name="bends")
    module = build([f, h], dtype="float64")
    at = np.linspace(0.5, 2, GRID)
    for function, compiled_ in ((f, module.slopes), (h, module.bends)):
        got = dense(compiled_(at), compiled_.patterns["matrix"], GRID)
        np.testing.assert_allclose(got, function(at).toarray(), rtol=1e-13, atol=1e-13)


def test_a_vector_of_another_length_stops(build):  # noqa: F811
    x = T.dvector("x")
    pattern = sp.eye(4, format="csr", dtype=bool)
    f = theano.function([x], gradient.sparse_jacobian(2 * x, x, pattern))
    g = build(f).model
    assert g(np.zeros(4)).tolist() == [2, 2, 2, 2]
    for n in (3, 5):
        with pytest.raises(ValueError, match="stops"):
            g(np.zeros(n))


def test_a_matrix_of_columns_says_so(build):  # noqa: F811
    x = T.dvector("x")
    f = theano.function([x], sparse.CSC(x * 2, [1, 0, 2], [0, 1, 1, 3], [3, 3]))
    g = build(f).model
    values = np.array([1.0, 2.0, 3.0])
    (pattern,) = g.patterns.values()
    assert dense(g(values), pattern, 3, sp.csc_matrix).tolist() == f(values).toarray().tolist()
    assert "csc matrix of 3 columns and 3 elements" in (build.folder / "model.h").read_text()
    with pytest.raises(ValueError, match="stops"):
        g(np.ones(4))


def test_a_constant_matrix_and_a_matrix_of_one_element(build):  # noqa: F811
    x, constant = T.dvector("x"), sp.csr_matrix([[0.0, 2.0], [3.0, 0.0]])
    one = sparse.CSR(x[:1] * 2, [1], [0, 0, 1], [2, 2])
    one.name = "one"
    f = theano.function([x], [sparse.as_sparse_variable(constant), one, one])
    g = build(f).model
    for got, pattern, want in zip(g(np.array([5.0])), g.patterns.values(), f([5.0]), strict=True):
        assert dense(got, pattern, 2).tolist() == want.toarray().tolist()


def test_a_pattern_without_elements(build):  # noqa: F811
    x = T.dvector("x")
    empty = sp.csr_matrix((2, 3), dtype=bool)
    f = theano.function([x], gradient.sparse_jacobian(x[:2] * 0, x, empty))
    g = build(f).model
    assert g(np.ones(3)).shape == (0,)


def test_positions_that_are_computed_are_refused(tmp_path):
    u = T.dvector("u")
    f = theano.function([u], gradient.sparse_jacobian(heat(u), u))
    with pytest.raises(NotImplementedError, match="positions are not constants"):
        theano.export(f, tmp_path / "model.c")
    assert list(tmp_path.iterdir()) == []


def test_c_and_cpp_programs_read_the_positions(tmp_path):
    u, J = jacobian()
    f = theano.function([u], J, name="slopes")
    theano.export({"slopes": f}, tmp_path / "model.c")
    (tmp_path / "main.c").write_text(PROGRAM)
    compiler = needed("gcc", "clang")
    flags = needed_flags(compiler, *SANITIZERS)
    sources = [tmp_path / "main.c", tmp_path / "model.c"]
    for name, kinds in (("plain", STRICT), ("plus", STRICT_CPP)):
        program = compiled(compiler, sources, tmp_path / name, *kinds, *flags, cpp=name == "plus")
        got = np.array([float(word) for word in printed(program).split()])
        at = np.arange(GRID) / GRID
        np.testing.assert_allclose(got, heat_slopes(at) @ np.ones(GRID), rtol=1e-12, atol=1e-12)


PROGRAM = """
#include <stdio.h>
#include "model.h"

int main(void)
{
  double u[6], J[sizeof slopes_J_indices / sizeof slopes_J_indices[0]];
  double scratch[SLOPES_SCRATCH / sizeof(double) + 2];
  for (int i = 0; i < 6; i++) {
    u[i] = i / 6.0;
  }
  if (slopes(u, 6, J, scratch) != 0) {
    return 1;
  }
  for (int i = 0; i < 6; i++) {
    double sum = 0;
    for (int k = slopes_J_indptr[i]; k < slopes_J_indptr[i + 1]; k++) {
      sum += J[k];
    }
    printf("%.17g ", sum);
  }
  return 0;
}
"""
