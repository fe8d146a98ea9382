"""Every op on sparse matrices: values beside dense NumPy, in both formats, on both engines."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import theano
import theano.sparse as S
import theano.tensor as T
from theano.sparse.basic import verify_grad_sparse

KINDS = {"csr": sp.csr_matrix, "csc": sp.csc_matrix}
ENGINES = ("numpy", "xla", "py")


def matrix(kind, variant, shape=(5, 4), dtype="float64", seed=0):
    """A random matrix of one of the ways in which it may be stored."""
    rng = np.random.default_rng(seed)
    dense = np.round(rng.uniform(0.1, 0.9, shape) * (rng.random(shape) < 0.5), 3)
    made = KINDS[kind](dense, dtype=dtype)
    match variant:
        case "plain":
            return made
        case "nothing stored":
            return KINDS[kind](shape, dtype=dtype)
        case "no rows":
            return KINDS[kind]((0, shape[1]), dtype=dtype)
        case "zeros stored":
            made.data[::3] = 0
            return made
    parts = [slice(a, b) for a, b in zip(made.indptr, made.indptr[1:], strict=False)]
    if variant == "out of order":
        order = np.concatenate([np.arange(made.nnz)[p][::-1] for p in parts])
        made = KINDS[kind]((made.data[order], made.indices[order], made.indptr), shape=shape)
        made.has_sorted_indices = False
        return made
    assert variant == "twice stored"
    twice = np.repeat(np.arange(made.nnz), 2)
    return KINDS[kind]((made.data[twice] / 2, made.indices[twice], made.indptr * 2), shape=shape)


VARIANTS = ("plain", "out of order", "zeros stored", "nothing stored", "twice stored", "no rows")


def dense(x):
    return x.toarray() if sp.issparse(x) else np.asarray(x)


def stored(f):
    """A function of what is stored, element by element, on a matrix of SciPy's."""

    def of(x, *rest):
        made = x.copy()
        made.data = f(made.data, *rest)
        return made

    return of


@dataclass
class Record:
    """One op: what makes it of variables, what it means for matrices, and which gradient it has."""

    name: str
    op: Any
    meaning: Any
    #: shapes of further arguments: of sparse matrices by their formats ('same'), of dense ones
    rest: tuple = ()
    #: 'structured', 'regular', or None for none
    grad: str | None = "structured"
    #: places that are stored twice are one element to some ops and two to others
    twice: bool = True
    square: bool = False


def sparse2(name, op, meaning, **facts):
    return Record(name, op, meaning, ("same",), **facts)


MATRIX = "matrix"
RECORDS = [
    Record("dense_from_sparse", S.dense_from_sparse, dense),
    Record("transpose", S.transpose, lambda x: dense(x).T),
    Record("neg", S.neg, lambda x: -dense(x)),
    Record("cast", lambda x: S.cast(x, "float32"), lambda x: dense(x).astype("float32"), grad=None),
    Record("sp_ones_like", S.sp_ones_like, stored(np.ones_like), grad=None),
    Record("sp_zeros_like", S.sp_zeros_like, lambda x: 0 * dense(x), grad=None),
    Record("sum", S.sp_sum, lambda x: dense(x).sum(), grad="regular"),
    Record("sum of columns", lambda x: S.sp_sum(x, 0), lambda x: dense(x).sum(0), grad="regular"),
    Record("sum of rows", lambda x: S.sp_sum(x, 1), lambda x: dense(x).sum(1), grad="regular"),
    Record("stored sum", lambda x: S.sp_sum(x, 1, sparse_grad=True), lambda x: dense(x).sum(1)),
    Record("diag", S.diag, lambda x: np.diag(dense(x)), grad="regular", square=True),
    Record("remove0", S.remove0, dense, grad="regular"),
    Record("ensure_sorted_indices", S.ensure_sorted_indices, dense),
    Record("clean", S.clean, dense, grad="regular"),
    Record("x[1:3, 1:]", lambda x: x[1:3, 1:], lambda x: dense(x)[1:3, 1:], grad=None),
    Record("x[[2, 0, 2]]", lambda x: S.get_item_list(x, [2, 0, 2]), lambda x: dense(x)[[2, 0, 2]]),
    Record(
        "x[[1, 2, 1], [0, 3, 0]]",
        lambda x: S.get_item_2lists(x, [1, 2, 1], [0, 3, 0]),
        lambda x: dense(x)[[1, 2, 1], [0, 3, 0]],
    ),
    Record("x[2, 1]", lambda x: x[2, 1], lambda x: dense(x)[2, 1], grad=None),
    Record("col_scale", S.col_scale, lambda x, v: dense(x) * v, (4,)),
    Record("row_scale", S.row_scale, lambda x, v: dense(x) * v[:, None], ("rows",)),
    Record("mul_s_v", S.mul_s_v, lambda x, v: dense(x) * v, (4,)),
    Record(
        "structured_add_s_v",
        S.structured_add_s_v,
        lambda x, v: dense(x) + dense(stored(np.ones_like)(x)) * v,
        (4,),
        twice=False,
    ),
    Record("add dense", S.add, lambda x, d: dense(x) + d, (MATRIX,)),
    Record("sub dense", S.sub, lambda x, d: dense(x) - d, (MATRIX,)),
    Record("mul dense", S.mul, lambda x, d: dense(x) * d, (MATRIX,)),
    Record("times a number", lambda x: x * 3.0, lambda x: dense(x) * 3),
    sparse2("add", S.add, lambda x, y: dense(x) + dense(y), grad="regular"),
    sparse2("sub", S.sub, lambda x, y: dense(x) - dense(y), grad="regular"),
    sparse2("mul", S.mul, lambda x, y: dense(x) * dense(y), grad="regular"),
    sparse2("eq", S.eq, lambda x, y: dense(x) == dense(y), grad=None),
    sparse2("lt", S.lt, lambda x, y: dense(x) < dense(y), grad=None),
    sparse2("ge", S.ge, lambda x, y: dense(x) >= dense(y), grad=None),
    Record("gt dense", S.gt, lambda x, d: dense(x) > d, (MATRIX,), grad=None),
    Record("neq dense", S.neq, lambda x, d: dense(x) != d, (MATRIX,), grad=None),
    sparse2("hstack", lambda x, y: S.hstack([x, y]), lambda x, y: np.hstack([dense(x), dense(y)])),
    sparse2("vstack", lambda x, y: S.vstack([x, y]), lambda x, y: np.vstack([dense(x), dense(y)])),
    Record("dot", S.dot, lambda x, d: dense(x) @ d, ((4, 3),), grad="regular"),
    Record("dot of a vector", S.dot, lambda x, v: dense(x) @ v, (4,), grad="regular"),
    Record("structured_dot", S.structured_dot, lambda x, d: dense(x) @ d, ((4, 3),)),
    Record("true_dot", S.true_dot, lambda x, d: dense(x) @ d, ((4, 3),), grad="regular"),
    sparse2(
        "dot of two sparse", lambda x, y: S.dot(x, y.T), lambda x, y: dense(x) @ dense(y).T,
        grad="regular",
    ),
    sparse2(
        "structured_dot of two sparse",
        lambda x, y: S.structured_dot(x, y.T),
        lambda x, y: dense(x) @ dense(y).T,
    ),
    Record("sqr", S.sqr, stored(np.square), twice=False),
    Record("tanh", S.tanh, stored(np.tanh), twice=False),
    Record("expm1", S.expm1, stored(np.expm1), twice=False),
    Record("structured_exp", S.structured_exp, stored(np.exp), twice=False),
    Record("structured_sigmoid", S.structured_sigmoid, stored(lambda d: 1 / (1 + np.exp(-d)))),
    Record("structured_pow", lambda x: S.structured_pow(x, 3.0), stored(lambda d: d**3)),
    Record("structured_add", lambda x: S.structured_add(x, 2.0), stored(lambda d: d + 2)),
    Record("structured_minimum", lambda x: S.structured_minimum(x, 0.35),
           stored(lambda d: np.minimum(d, 0.35))),
]  # fmt: skip


def arguments(record, kind, variant):
    """Values for an op: the sparse matrix first."""
    x = matrix(kind, variant, (4, 4) if record.square else (5, 4))
    rng = np.random.default_rng(1)
    values = [x]
    for rest in record.rest:
        if rest == "same":
            values.append(matrix(kind, variant, x.shape if x.shape[0] else (5, 4), seed=2))
        elif rest == MATRIX:
            values.append(rng.normal(size=x.shape))
        elif rest == "rows":
            values.append(rng.normal(size=x.shape[0]))
        else:
            values.append(rng.normal(size=rest))
    return values


def variables(values):
    return [
        S.as_sparse_variable(v).type() if sp.issparse(v) else T.as_tensor_variable(v).type()
        for v in values
    ]


def applies(record, variant):
    """Whether a matrix stored in such a way is an argument of the op."""
    rows = variant == "no rows"
    return not (rows and (record.square or "[" in record.name))


CASES = [
    pytest.param(record, variant, id=f"{record.name}, {variant}")
    for record in RECORDS
    for variant in VARIANTS
    if applies(record, variant)
]


@pytest.mark.parametrize("kind", ["csr", "csc"])
@pytest.mark.parametrize(("record", "variant"), CASES)
def test_an_op_gives_what_it_means_on_every_engine(record, variant, kind):
    values = arguments(record, kind, variant)
    ins = variables(values)
    made = record.op(*ins)
    expected = dense(record.meaning(*values))
    kept = [dense(v).copy() for v in values]
    for engine in ENGINES:
        found = theano.function(ins, made, mode=theano.Mode(engine, "fast_run"))(*values)
        if isinstance(made, S.SparseVariable):
            assert found.format == made.format and found.dtype == made.dtype
            assert isinstance(found, sp.spmatrix)
        if record.twice or variant != "twice stored":
            np.testing.assert_allclose(dense(found), expected, rtol=1e-6, atol=1e-12)
    for before, after in zip(kept, values, strict=True):
        assert (before == dense(after)).all()


@pytest.mark.parametrize("kind", ["csr", "csc"])
@pytest.mark.parametrize("record", RECORDS, ids=lambda r: r.name)
def test_debugmode_finds_nothing_wrong_with_an_op_and_its_gradient(record, kind):
    values = arguments(record, kind, "plain")
    ins = variables(values)
    made = record.op(*ins)
    outs = [made]
    if record.grad:
        numbers = S.sp_sum(S.sqr(made)) if isinstance(made, S.SparseVariable) else (made**2).sum()
        outs += theano.grad(numbers, ins)
    theano.function(ins, outs, mode=theano.compile.DebugMode())(*values)


@pytest.mark.parametrize("kind", ["csr", "csc"])
@pytest.mark.parametrize("record", [r for r in RECORDS if r.grad], ids=lambda r: r.name)
def test_the_gradient_is_that_of_finite_differences(record, kind):
    variant = "plain" if record.grad == "regular" else "out of order"
    values = arguments(record, kind, variant)
    verify_grad_sparse(
        record.op, values, structured=record.grad == "structured", rng=np.random.RandomState(0)
    )


@pytest.mark.parametrize("kind", ["csr", "csc"])
@pytest.mark.parametrize("name", ["float32", "complex64", "complex128", "int8", "int64", "uint16"])
def test_other_dtypes_come_out_as_numpy_has_them(name, kind):
    x = S.SparseType(kind, name)("x")
    value = (matrix(kind, "plain") * 10).astype(name)
    d = np.arange(20).reshape(5, 4).astype("int8" if np.dtype(name).kind in "iu" else name)
    y = T.as_tensor_variable(d)
    for made, expected in (
        (S.add(x, y), dense(value) + d),
        (S.mul(x, y), dense(value) * d),
        (S.dot(x, y.T), dense(value) @ d.T),
        (S.sp_sum(x, axis=0), dense(value).sum(0, dtype=name)),
        (S.neg(x), -dense(value)),
    ):
        found = theano.function([x], made)(value)
        assert dense(found).dtype == made.dtype == expected.dtype
        np.testing.assert_allclose(dense(found), expected, rtol=1e-5)


def test_int64_indices_are_taken():
    value = matrix("csr", "plain")
    wide = sp.csr_matrix(value.shape)
    wide.data, wide.indices = value.data, value.indices.astype("int64")
    wide.indptr = value.indptr.astype("int64")
    x = S.csr_matrix("x", dtype="float64")
    made = theano.function([x], [S.csm_indices(x), S.dot(x, T.constant(np.eye(4)))])(wide)
    assert made[0].dtype == "int32"
    assert (made[1] == value.toarray()).all()


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    ("wrong", "text"),
    [
        (lambda x, d: S.dot(x, d), "49 rows"),
        (lambda x, d: S.structured_dot(x, d), "49 rows"),
        (lambda x, d: S.add(x, d), "one shape"),
        (lambda x, d: S.mul_s_v(x, d[:, 0]), "49 numbers"),
        (lambda x, d: x[T.constant(60), 0], "index"),
        (lambda x, d: S.get_item_list(x, [60]), "index 60"),
    ],
)
def test_what_does_not_fit_raises_and_state_stays(engine, wrong, text):
    x, d = S.csr_matrix("x", dtype="float64"), T.dmatrix("d")
    state = theano.shared(np.zeros(3))
    made = wrong(x, d)
    f = theano.function(
        [x, d],
        made,
        updates=[(state, state + 1)],
        mode=theano.Mode(engine, "fast_run"),
        on_unused_input="ignore",
    )
    with pytest.raises((ValueError, IndexError), match=text):
        f(sp.eye(50, 50, format="csr"), np.ones((49, 49)))
    assert (state.get_value() == 0).all()


@pytest.mark.parametrize("engine", ENGINES)
def test_a_matrix_of_parts_that_do_not_fit_is_refused(engine):
    d, i, p = T.dvector(), T.ivector(), T.ivector()
    f = theano.function([d, i, p], S.CSR(d, i, p, [2, 3]), mode=theano.Mode(engine, "fast_run"))
    good = f([1.0, 2.0], [0, 2], [0, 1, 2])
    assert good.toarray().tolist() == [[1, 0, 0], [0, 0, 2]]
    for wrong in (
        ([1.0, 2.0], [0, 9], [0, 1, 2]),
        ([1.0], [0], [0, 1, 2]),
        ([1.0], [0, 1], [0, 1, 1]),
    ):
        with pytest.raises(ValueError):
            f(*wrong)
