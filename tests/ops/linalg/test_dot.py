"""Inner products: values by loops, dtypes, patterns, shapes and axes that do not fit."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from theano._src.ops.core.elemwise import Elemwise
from theano._src.ops.linalg import dot as D
from theano._src.ops.shape.shape import Reshape
from theano._src.types.tensor import TensorType, tensor_type
from theano.testing import Case, OpSpec, Raises, evaluate, spec_tests

rng = np.random.default_rng(7)


def draw(*shape, dtype="float64"):
    if np.dtype(dtype).kind == "c":
        return np.asarray(rng.normal(size=shape) + 1j * rng.normal(size=shape), dtype)
    if np.dtype(dtype).kind == "f":
        return np.asarray(rng.normal(size=shape), dtype)
    return rng.integers(0, 5, shape).astype(dtype)


def contract(a, b, axes_a, axes_b, batch=0):
    """Sums of products, one output element at a time."""
    free_a = [i for i in range(batch, a.ndim) if i not in axes_a]
    free_b = [i for i in range(batch, b.ndim) if i not in axes_b]
    front = a.shape[:batch]
    shape = (*front, *(a.shape[i] for i in free_a), *(b.shape[i] for i in free_b))
    out = np.zeros(shape, np.result_type(a, b))
    for at in itertools.product(*map(range, shape)):
        n = at[:batch]
        index_a = dict(zip(free_a, at[batch:], strict=False))
        index_b = dict(zip(free_b, at[batch + len(free_a) :], strict=False))
        total = out.dtype.type(0)
        for summed in itertools.product(*(range(a.shape[i]) for i in axes_a)):
            index_a.update(zip(axes_a, summed, strict=True))
            index_b.update(zip(axes_b, summed, strict=True))
            x = a[(*n, *(index_a[i] for i in range(batch, a.ndim)))]
            y = b[(*n, *(index_b[i] for i in range(batch, b.ndim)))]
            total = total + x * y
        out[at] = total
    return out


def dot_loop(a, b):
    if a.ndim == 0 or b.ndim == 0:
        return np.asarray(a * b)
    return contract(a, b, [a.ndim - 1], [max(0, b.ndim - 2)])


def tensordot_loop(a, b, axes=2):
    if isinstance(axes, int):
        axes = [range(a.ndim - axes, a.ndim), range(axes)]
    pair = [[n] if isinstance(n, int) else list(n) for n in axes]
    return contract(a, b, [i % a.ndim for i in pair[0]], [i % b.ndim for i in pair[1]])


def batched_loop(a, b):
    return np.stack([np.asarray(dot_loop(x, y)) for x, y in zip(a, b, strict=True)])


def batched_tensordot_loop(x, y, axes=2):
    if isinstance(axes, int):
        axes = [range(x.ndim - axes, x.ndim), range(1, axes + 1)]
    return contract(x, y, list(axes[0]), list(axes[1]), batch=1)


V, M, T3 = draw(3), draw(2, 3), draw(2, 4, 3)
DTYPES = ["bool", "int8", "uint16", "int64", "float16", "float32", "float64", "complex64"]

SPECS = [
    OpSpec(
        D.dot,
        dot_loop,
        cases=[
            Case(V, draw(3), id="vector_vector"),
            Case(M, V, id="matrix_vector"),
            Case(draw(2), M, id="vector_matrix"),
            Case(M, draw(3, 4), id="matrix_matrix"),
            Case(np.float64(2), M, id="scalar_matrix"),
            Case(V, np.float64(2), id="vector_scalar"),
            Case(T3, V, id="3d_vector"),
            Case(V, draw(2, 3, 4), id="vector_3d"),
            Case(M, draw(2, 3, 2), id="matrix_3d"),
            Case(T3, draw(5, 3, 2), id="3d_3d"),
            Case(draw(2, 2, 2, 3), draw(2, 3, 2), id="4d_3d"),
            Case(draw(0, 3), draw(3, 2), id="no_rows"),
            Case(draw(2, 0), draw(0, 3), id="nothing_to_sum"),
            Case(
                draw(1, 3),
                draw(3, 1),
                broadcastable={0: (True, False), 1: (False, True)},
                id="row_col",
            ),
            Case(M.T, M, id="transposed"),
            Case(draw(6, 6)[::2, ::-2], draw(3, 2), id="strided"),
            *[
                Case(draw(2, 3, dtype=a), draw(3, 2, dtype=b), id=f"{a}_{b}")
                for a, b in [
                    ("int8", "int8"),
                    ("int32", "float32"),
                    ("float32", "float64"),
                    ("uint8", "int8"),
                    ("float16", "int8"),
                    ("bool", "int8"),
                    ("complex64", "float64"),
                    ("float16", "float16"),
                    ("int64", "int64"),
                ]
            ],
        ],
        errors=[
            Raises(
                (draw(5, 10), draw(20, 10)),
                ValueError,
                "Shape mismatch: x has 10 cols \\(and 5 rows\\) but "
                "y has 20 rows \\(and 10 cols\\); x.shape=\\(5, 10\\), y.shape=\\(20, 10\\)",
                when="run",
            ),
            Raises(
                (draw(5, 3), draw(4)),
                ValueError,
                # of x and y, or of A and x where dot has become Gemv
                "[xA] has 3 cols \\(and 5 rows\\) but [yx] has 4 elements",
                when="run",
            ),
            Raises(
                (draw(4), draw(5, 3)),
                ValueError,
                "x has 4 elements but y has 5 rows \\(and 3 cols\\)"
                "|A has 5 cols \\(and 3 rows\\) but x has 4 elements",
                when="run",
            ),
            Raises(
                (draw(4), draw(5)), ValueError, "x has 4 elements but y has 5 elements", when="run"
            ),
            Raises(
                (T3, draw(4)),
                ValueError,
                "axis 2 of a has length 3 but axis 0 of b has length 4",
                when="run",
            ),
        ],
    ),
    OpSpec(
        D.tensordot,
        tensordot_loop,
        cases=[
            Case(draw(2, 3, 4), draw(3, 4, 2), id="two_by_default"),
            Case(M, M, kwargs={"axes": 2}, id="to_a_scalar"),
            Case(M, T3, kwargs={"axes": 0}, id="outer"),
            Case(M, draw(3, 4), kwargs={"axes": 1}, id="a_dot"),
            Case(M, T3, kwargs={"axes": [0, 0]}, id="single_axes"),
            Case(
                draw(2, 3, 4), draw(5, 6, 4, 3), kwargs={"axes": [[1, 2], [3, 2]]}, id="documented"
            ),
            Case(draw(2, 3, 4), draw(4, 3, 2), kwargs={"axes": ((-1, 0), (0, -1))}, id="negative"),
            Case(
                draw(1, 3, 2),
                draw(2, 3),
                kwargs={"axes": [[2], [0]]},
                broadcastable={0: (True, False, False)},
                id="pattern",
            ),
            Case(
                draw(2, 3, dtype="int8"),
                draw(3, 2, 2, dtype="float32"),
                kwargs={"axes": 1},
                id="dtypes",
            ),
            Case(draw(2, 0, 3), draw(0, 3, 2), id="nothing_to_sum"),
        ],
        errors=[
            Raises(
                (M, T3),
                ValueError,
                r"larger than the dimension of a \(a.ndim=2, axes=3\)",
                kwargs={"axes": 3},
            ),
            Raises((V, T3), ValueError, r"larger than the dimension of a \(a.ndim=1, axes=2\)"),
            Raises((M, M), ValueError, "nor negative", kwargs={"axes": -1}),
            Raises((M, T3), ValueError, "same length", kwargs={"axes": [[0, 1], [2]]}),
            Raises(
                (M, T3),
                ValueError,
                "greater than or equal to a.ndim=2",
                kwargs={"axes": [[0, 5], [2, 1]]},
            ),
            Raises((M, T3), ValueError, "list/tuple of len 2", kwargs={"axes": [[0], [0], [1]]}),
            Raises((M, T3), ValueError, "each axis once", kwargs={"axes": [[0, 0], [0, 1]]}),
            Raises((M, T3), TypeError, "axes as integers, got 'x'", kwargs={"axes": [["x"], [0]]}),
            Raises((M, T3), TypeError, "an integer or two lists, got None", kwargs={"axes": None}),
            Raises(
                (M, T3),
                ValueError,
                "axis 1 of a has length 3 but axis 0 of b has length 2",
                "run",
                kwargs={"axes": 1},
            ),
        ],
    ),
    OpSpec(
        D.outer,
        lambda x, y: contract(x.ravel(), y.ravel(), [], []),
        cases=[
            Case(V, draw(2)),
            Case(draw(3, dtype="int8"), V),
            Case(np.float64(2), V, id="scalar_vector"),
            Case(V, np.float64(3), id="vector_scalar"),
            Case(M, V, id="matrix_vector"),
            Case(draw(0), V, id="empty"),
        ],
    ),
    OpSpec(
        D.batched_dot,
        batched_loop,
        cases=[
            Case(draw(5, 2, 3), draw(5, 3, 4), id="matrices"),
            Case(draw(5, 3), draw(5, 3, 4), id="vectors_matrices"),
            Case(draw(5, 2, 3), draw(5, 3), id="matrices_vectors"),
            Case(draw(5, 3), draw(5, 3), id="vectors"),
            Case(draw(5), draw(5), id="scalars"),
            Case(draw(5), draw(5, 2, 3), id="scalars_matrices"),
            Case(draw(5, 2, 3), draw(5), id="matrices_scalars"),
            Case(draw(2, 2, 2, 3), draw(2, 3), id="4d_vectors"),
            Case(draw(2, 2, 2, 3), draw(2, 2, 3, 2), id="4d_4d"),
            Case(draw(2, 3), draw(2, 2, 3, 2), id="vectors_4d"),
            Case(draw(5, 2, 3, dtype="int8"), draw(5, 3, 4, dtype="float32"), id="dtypes"),
            Case(draw(1, 3), draw(1, 3), broadcastable={0: (True, False)}, id="pattern"),
        ],
        errors=[
            Raises((np.float64(1), M), TypeError, r"a must have at least one \(batch\) axis"),
            Raises((M, np.float64(1)), TypeError, r"b must have at least one \(batch\) axis"),
            Raises(
                (draw(5, 2, 3), draw(6, 3, 4)), ValueError, "a has a batch of 5 but b of 6", "run"
            ),
            Raises(
                (draw(5, 2, 3), draw(1, 3, 4)), ValueError, "a has a batch of 5 but b of 1", "run"
            ),
            Raises(
                (draw(5, 2, 3), draw(5, 2, 4)),
                ValueError,
                r"x has 3 cols \(and 2 rows\) but y has 2 rows",
                "run",
            ),
        ],
    ),
    OpSpec(
        D.batched_tensordot,
        batched_tensordot_loop,
        cases=[
            Case(draw(2, 3, 4), draw(2, 3, 4), id="two_by_default"),
            Case(draw(2, 3), draw(2, 4), kwargs={"axes": 0}, id="outer"),
            Case(draw(2, 3), draw(2, 3, 4), kwargs={"axes": 1}, id="batched_dot"),
            Case(draw(2, 4, 3, 5), draw(2, 5, 4), kwargs={"axes": [[1, 3], [2, 1]]}, id="lists"),
            Case(draw(0, 4, 3), draw(0, 3, 4), kwargs={"axes": [[1], [2]]}, id="no_batch"),
        ],
        errors=[
            Raises(
                (T3, T3), ValueError, "must not contain the batch axis", kwargs={"axes": [[0], [1]]}
            ),
            Raises(
                (M, M),
                ValueError,
                "larger than the dimension of a including the batch axis",
                kwargs={"axes": 2},
            ),
            Raises((np.float64(1), M), TypeError, "a batch axis in both inputs"),
            Raises(
                (draw(2, 3, 4), draw(3, 3, 4)),
                ValueError,
                "axis 0 of a has length 2 but axis 0 of b has length 3",
                "run",
            ),
        ],
    ),
]


def var(dtype, *pattern):
    return tensor_type(dtype, pattern)()


# answers of Theano 1.0.5: which dimensions of the product are broadcastable
PATTERNS = [
    ((True, False), (False, False), (True, False)),
    ((False, False), (True, False), (False, False)),
    ((False, True), (False, False), (False, False)),
    ((True, False), (False, True), (True, True)),
    ((False, True), (True, False), (False, False)),
    ((True, False), (False,), (True,)),
    ((False,), (False, True), (True,)),
    ((False, False), (False, True), (False, True)),
]


@pytest.mark.parametrize(("a", "b", "out"), PATTERNS)
def test_a_product_is_broadcastable_where_the_outer_dimensions_are(a, b, out):
    assert D.dot(var("float64", *a), var("float64", *b)).broadcastable == out


@pytest.mark.parametrize(("a", "b"), [*itertools.combinations_with_replacement(DTYPES, 2)])
def test_the_dtype_of_a_product_is_that_of_a_sum(a, b):
    made = D.dot(var(a, False, False), var(b, False))
    expected = np.result_type(np.dtype(a), np.dtype(b)).name
    assert made.dtype == expected
    assert D.batched_dot(var(a, False, False), var(b, False, False)).dtype == expected
    assert D.tensordot(var(a, False, False), var(b, False, False)).dtype == expected


def test_bools_are_multiplied_with_and_and_added_with_or():
    a, b = var("bool", False, False), var("bool", False)
    given = {a: np.array([[True, True], [True, False]]), b: np.array([False, True])}
    assert evaluate([D.dot(a, b)], given)[0].tolist() == [True, False]


def test_narrow_integers_wrap():
    a = var("int8", False)
    assert evaluate([D.dot(a, a)], {a: np.array([100, 100], "int8")})[0] == np.int8(32)


def test_ops_print_as_documented():
    m, v = var("float64", False, False), var("float64", False)
    assert str(D.dot(m, v).owner.op) == "dot" and type(D.dot(m, v).owner.op) is D.Dot
    assert str(D.batched_dot(m, m).owner.op) == "BatchedDot"
    assert type(D.outer(v, v).owner.op) is D.Dot


def test_products_of_one_or_two_dimensions_are_plain_dots():
    m, v = var("float64", False, False), var("float64", False)
    assert type(D.tensordot(m, v, 1).owner.op) is D.Dot
    assert type(D.tensordot(m, m, [[1], [0]]).owner.op) is D.Dot
    assert isinstance(D.dot(m, var("float64")).owner.op, Elemwise)
    assert not isinstance(D.dot(m, var("float64", False, False, False)).owner.op, Reshape)


def test_dot_itself_takes_one_or_two_dimensions():
    m, t = var("float64", False, False), var("float64", False, False, False)
    with pytest.raises(TypeError, match="got 3 dimensions as input 1"):
        D.Dot()(m, t)
    with pytest.raises(TypeError, match="got 0 dimensions as input 0"):
        D.Dot()(var("float64"), m)
    with pytest.raises(TypeError, match="BatchedDot takes 2 or 3 dimensions, got 1 as input 0"):
        D.BatchedDot()(var("float64", False), m)


def test_a_type_is_not_a_tensor():
    with pytest.raises(TypeError):
        D.dot(TensorType("float64", (False,)), var("float64", False, False))


def test_lists_and_arrays_are_taken():
    assert evaluate([D.dot([[1, 2], [3, 4]], [1, 2])], {})[0].tolist() == [5, 11]
    assert evaluate([D.outer([1, 2], np.arange(3))], {})[0].tolist() == [[0, 1, 2], [0, 2, 4]]


def test_the_general_dot_asks_its_operands():
    class Knows:
        def __dot__(self, other):
            return ("left", other)

        def __rdot__(self, other):
            return ("right", other)

    assert D.any_dot(Knows(), 3) == ("left", 3)
    assert D.any_dot(np.ones(2), Knows())[0] == "right"
    assert evaluate([D.any_dot([1, 2], [3, 4])], {})[0] == 11


test_ops = spec_tests(SPECS)
