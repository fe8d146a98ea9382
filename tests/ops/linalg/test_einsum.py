"""einsum: values by loops over every index, its whole language, gradients, random subscripts."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import theano
import theano.tensor as T
from theano._src.ops.linalg.einsum import Einsum, _order
from theano.testing import Case, OpSpec, Raises, spec_tests

rng = np.random.default_rng(5)


def draw(*shape, dtype="float64"):
    if np.dtype(dtype).kind == "c":
        return np.asarray(rng.normal(size=shape) + 1j * rng.normal(size=shape), dtype)
    if np.dtype(dtype).kind == "f":
        return np.asarray(rng.normal(size=shape), dtype)
    return rng.integers(0, 2 if dtype == "bool" else 4, shape).astype(dtype)


def by_loops(subscripts, *operands):
    """One product at a time, for explicit subscripts without an ellipsis."""
    inputs, output = subscripts.split("->")
    terms = inputs.split(",")
    lengths = {c: n for t, x in zip(terms, operands, strict=True) for c, n in zip(t, x.shape)}
    dtype = np.result_type(*operands)
    out = np.zeros([lengths[c] for c in output], dtype)
    for values in itertools.product(*map(range, lengths.values())):
        at = dict(zip(lengths, values, strict=True))
        product = dtype.type(1)
        for term, x in zip(terms, operands, strict=True):
            product = product * x[tuple(at[c] for c in term)]
        out[tuple(at[c] for c in output)] += product
    return out


def loops(subscripts):
    def einsum_by_loops(*operands):
        return T.einsum(subscripts, *operands)

    return einsum_by_loops


LOOPED = {
    "ij,jk->ik": [draw(2, 3), draw(3, 4)],
    "bij,bjk->bik": [draw(2, 3, 2), draw(2, 2, 3)],
    "bi,bi->b": [draw(3, 4), draw(3, 4)],
    "iij,jkk,kl->l": [draw(2, 2, 3), draw(3, 2, 2), draw(2, 3)],
    "ij,k->k": [draw(2, 3), draw(2)],
    "abc,cd,dbe->ea": [draw(2, 3, 2), draw(2, 2), draw(2, 3, 4)],
}
SPECS = [
    *(
        OpSpec(
            loops(subscripts),
            lambda *operands, subscripts=subscripts: by_loops(subscripts, *operands),
            name=f"einsum[{subscripts}]",
            cases=[Case(*operands, id="loops")],
        )
        for subscripts, operands in LOOPED.items()
    ),
    OpSpec(
        T.einsum,
        np.einsum,
        name="einsum",
        cases=[
            Case("ba,cb", draw(2, 3), draw(4, 2), id="implicit_sorted"),
            Case("ij->", draw(2, 3), id="sum"),
            Case("ii->i", draw(3, 3), id="diagonal"),
            Case("iii", draw(2, 2, 2), id="trace_3d"),
            Case(" i j , j -> i ", draw(2, 3), draw(3), id="spaces"),
            Case("...ij,...jk->...ik", draw(5, 2, 3), draw(3, 2), id="ellipsis_missing"),
            Case("i...,j...", draw(2, 3), draw(4, 3), id="ellipsis_implicit"),
            Case("...,...", np.float64(3), draw(2), id="scalar"),
            Case(
                "b...i,b...i->b...",
                draw(2, 1, 3),
                draw(2, 4, 3),
                broadcastable={1: (False, True, False)},
                id="stretched",
            ),
            Case("ab,bc,cd,de->ae", draw(2, 3), draw(3, 4), draw(4, 2), draw(2, 3), id="chain"),
            Case("ij,ij,ij->ij", draw(2, 3), draw(2, 3), draw(2, 3), id="elements"),
            Case("ij,jk->ik", draw(0, 3), draw(3, 2), id="no_rows"),
            Case("ij,jk->ik", draw(2, 0), draw(0, 3), id="nothing_to_sum"),
            Case("ij,jk,kl->il", draw(2, 0), draw(0, 3), draw(3, 2), id="nothing_in_a_chain"),
            Case("ij->ji", draw(2, 3), id="transposed"),
        ],
        errors=[
            Raises(
                ("ij,jk->ik", draw(2, 3), draw(4, 2)),
                ValueError,
                "axis 1 of input 0 has length 3 but axis 0 of input 1 has length 4",
                when="run",
            ),
            Raises(("ii", draw(2, 3)), ValueError, "both labelled 'a'", when="run"),
            Raises(("ij,jk", draw(2, 3)), ValueError, "as many operands as subscripts name, got 1"),
            Raises(("i", draw(2, 3)), ValueError, "a label for each dimension of operand 0, got 1"),
            Raises(("ijk", draw(2, 3)), ValueError, "a label for each dimension of operand 0"),
            Raises(("ij->k", draw(2, 3)), ValueError, "labels of operands in the output, got 'k'"),
            Raises(("ij->ii", draw(2, 3)), ValueError, "each label once in the output, got 'i'"),
            Raises(("i.j", draw(2, 3)), ValueError, "one '...' for each operand, got '.' in 'i.j'"),
            Raises(("...j->j", draw(2, 3)), ValueError, "'...' in the output too"),
        ],
    ),
    OpSpec(
        loops("ij,jk->ik"),
        lambda a, b: by_loops("ij,jk->ik", a, b),
        name="einsum of dtypes",
        cases=[
            Case(draw(2, 3, dtype=a), draw(3, 2, dtype=b), id=f"{a}_{b}")
            for a, b in [
                ("int8", "int8"),
                ("int32", "float32"),
                ("float32", "float32"),
                ("complex64", "complex64"),
            ]
        ],
    ),
]


def test_a_product_of_bools_is_their_and_and_a_sum_their_or():
    a, b = draw(3, 4, dtype="bool"), draw(4, 2, dtype="bool")
    x, y = (T.TensorType("bool", (False, False))() for _ in range(2))
    expected = (a[:, :, None] & b[None]).any(axis=1)
    for linker in ("numpy", "xla"):
        f = theano.function([x, y], T.einsum("ij,jk", x, y), mode=theano.Mode(linker=linker))
        assert f(a, b).dtype == bool
        np.testing.assert_array_equal(f(a, b), expected)


def test_operands_may_be_followed_by_lists_of_labels():
    a, b = draw(2, 3), draw(3, 4)
    np.testing.assert_allclose(T.einsum(a, [0, 1], b, [1, 2], [2, 0]).eval(), (a @ b).T)
    np.testing.assert_allclose(T.einsum(a, [7, 1], b, [1, 2]).eval(), (a @ b).T)
    np.testing.assert_allclose(T.einsum(a, [..., 1], b, [1, 2], [..., 2]).eval(), a @ b)


def test_a_dtype_is_computed_in():
    big = np.full(3, 100, "int8")
    assert T.einsum("i->", big, dtype="int64").eval().item() == 300


def test_what_is_given_back_can_be_written_into():
    x = T.dmatrix()
    a = draw(3, 3)
    made = theano.function([x], T.einsum("ii->i", x), mode=theano.Mode(linker="numpy"))(a)
    before = a.copy()
    made[:] = 0
    np.testing.assert_array_equal(a, before)


def test_dimensions_that_stretch_are_dropped_and_put_back():
    x = T.TensorType("float64", (True, False))()
    made = T.einsum("ij,kj->ik", x, T.dmatrix())
    assert made.broadcastable == (True, False)
    y, z = T.dmatrices("yz")
    out = T.einsum("ij,ij->i", y, z)
    with pytest.raises(ValueError, match="stretches where its type says broadcastable"):
        out.eval({y: np.ones((1, 3)), z: np.ones((2, 3))})


def test_the_order_of_products_follows_the_lengths():
    terms = ((0, 1), (1, 2), (2, 3))
    vector_first = _order(terms, (0, 3), ((0, 1), (1, 50), (2, 50), (3, 50)))
    vector_last = _order(terms, (0, 3), ((0, 50), (1, 50), (2, 50), (3, 1)))
    assert vector_first[0] == (0, 1)
    assert vector_last[0] == (1, 2)


def test_many_operands_never_make_a_product_of_all_of_them():
    # a ring of 12: all pairs at once would have 3 ** 12 elements for every step
    n = 12
    terms = [(i, (i + 1) % n) for i in range(n)]
    values = [draw(3, 3) for _ in range(n)]
    made = Einsum(terms, ())(*[T.constant(v) for v in values])
    np.testing.assert_allclose(made.eval(), np.trace(np.linalg.multi_dot(values)), rtol=1e-10)


def test_the_text_of_the_op_is_its_subscripts():
    assert str(Einsum([(0, 1), (1, 2)], (0, 2))) == "Einsum{ab,bc->ac}"


def test_labels_beyond_the_alphabet_work_on_both_engines():
    a = draw(2, 2)
    labels = [60, 61]
    x = T.dmatrix()
    out = Einsum([labels, labels[::-1]], ())(x, x)
    for linker in ("numpy", "xla"):
        f = theano.function([x], out, mode=theano.Mode(linker=linker))
        np.testing.assert_allclose(f(a), (a * a.T).sum())


def test_a_second_derivative_is_that_of_the_written_out_product():
    x = T.dmatrix()
    y = T.einsum("ii,ij,jk->", x, x, x)
    written = T.sum(T.dot(T.dot(T.diag(T.diagonal(x)), x), x))
    v = draw(3, 3)
    hessians = [T.grad(T.sum(T.grad(c, x) ** 2), x) for c in (y, written)]
    one, other = theano.function([x], hessians, mode=theano.Mode(linker="numpy"))(v)
    np.testing.assert_allclose(one, other, rtol=1e-10)


@st.composite
def contractions(draw_):
    """Random subscripts with their lengths: up to 4 operands of up to 3 dimensions each."""
    lengths = {c: draw_(st.integers(0 if c == "e" else 1, 3)) for c in "abcde"}
    terms = draw_(st.lists(st.text("abcde", min_size=0, max_size=3), min_size=1, max_size=4))
    used = sorted(set("".join(terms)))
    rest = draw_(st.integers(0, 2)) if draw_(st.booleans()) else 0
    front = [draw_(st.integers(0, rest)) for _ in terms]
    if draw_(st.booleans()):
        output = (
            "..." * bool(rest) + "".join(draw_(st.permutations(used)))[: draw_(st.integers(0, 5))]
        )
    else:
        output = None
    named = [("..." if rest else "") + t for t in terms]
    subscripts = ",".join(named) + ("" if output is None else f"->{output}")
    shapes = [
        tuple([2, 3][2 - k :] if rest else []) + tuple(lengths[c] for c in t)
        for k, t in zip(front, terms, strict=True)
    ]
    return subscripts, shapes


@settings(max_examples=50, deadline=None, derandomize=True)
@given(contractions())
def test_random_subscripts_mean_what_they_mean_in_numpy(contraction):
    subscripts, shapes = contraction
    values = [np.random.default_rng(i).normal(size=s) for i, s in enumerate(shapes)]
    inputs = [T.TensorType("float64", (False,) * len(s))() for s in shapes]
    out = T.einsum(subscripts, *inputs)
    f = theano.function(inputs, out, mode=theano.Mode(linker="numpy"), on_unused_input="ignore")
    expected = np.einsum(subscripts, *values)
    made = f(*values)
    assert made.shape == expected.shape
    np.testing.assert_allclose(made, expected, rtol=1e-9, atol=1e-9)


test_ops = spec_tests(SPECS)
