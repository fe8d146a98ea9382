"""Every op on sparse matrices: values beside dense NumPy, in both formats, on every engine."""

import functools
import inspect

import numpy as np
import pytest
import scipy.sparse as sp

import theano
import theano.sparse as S
import theano.sparse.sandbox.sp2 as sp2
import theano.tensor as T
from tests.sparse.matrices import VARIANTS, dense, matrix
from tests.sparse.records import RECORDS, variables
from theano._src.graph.walk import ancestors
from theano._src.ops.sparse.base import SparseOp
from theano._src.ops.sparse.stored import FromStored, LikeStored, StoredElements, StoredGrad
from theano.sparse.basic import verify_grad_sparse

ENGINES = ("numpy", "xla", "py")
BOTH = pytest.mark.parametrize("kind", ["csr", "csc"])
ALL = pytest.mark.parametrize("record", RECORDS, ids=lambda r: r.name)
_SOME = [r for r in RECORDS if r.grad]
WITH_GRADIENT = pytest.mark.parametrize("record", _SOME, ids=lambda r: r.name)


def cost_of(record, made):
    """A number of what an op makes, in which each element has another derivative."""
    if not isinstance(made, S.SparseVariable):
        return (made**2).sum()
    return S.sp_sum(S.mul(made, made), sparse_grad=record.grad == "structured")


def graph(record, values):
    """Variables for the values, what the op makes of them, and its gradients."""
    ins = variables(values)
    made = record.op(*ins)
    wrt = [ins[i] for i in record.differentiated]
    return ins, made, theano.grad(cost_of(record, made), wrt) if wrt else []


def part(record, values):
    """The op as a function of what it has a gradient for, and values for that."""
    at = record.differentiated

    def of(*some):
        given = dict(zip(at, some, strict=True))
        return record.op(
            *(given.get(i, S.as_sparse_or_tensor_variable(v)) for i, v in enumerate(values))
        )

    return of, [values[i] for i in at]


@BOTH
@ALL
def test_an_op_gives_what_it_means_on_every_engine(record, kind):
    """However its matrices are stored; gradients are the same on all."""
    ins, made, grads = graph(record, record.values(kind))
    fs = [theano.function(ins, [made, *grads], mode=theano.Mode(e, "fast_run")) for e in ENGINES]
    for variant in filter(record.takes, VARIANTS):
        values = record.values(kind, variant)
        kept = [dense(v).copy() for v in values]
        expected = dense(record.meaning(*values))
        first = None
        for engine, f in zip(ENGINES, fs, strict=True):
            told = f"{variant}, {engine}"
            found, *gs = f(*values)
            if isinstance(made, S.SparseVariable):
                assert isinstance(found, sp.spmatrix), told
                assert found.format == made.format, told
            assert found.dtype == made.dtype, told
            np.testing.assert_allclose(dense(found), expected, 1e-6, 1e-12, err_msg=told)
            first = first or gs
            for one, other in zip(first, gs, strict=True):
                np.testing.assert_allclose(dense(one), dense(other), 1e-6, 1e-12, err_msg=told)
        for before, after in zip(kept, values, strict=True):
            assert (before == dense(after)).all(), variant


@ALL
def test_an_op_takes_every_dtype(record):
    """The formats by turns."""
    for k, name in enumerate(sorted(S.all_dtypes)):
        if np.dtype(name).kind not in record.kinds:
            continue
        values = record.values(("csr", "csc")[k % 2], "plain", name)
        ins = variables(values)
        made = record.op(*ins)
        found = theano.function(ins, made, mode=theano.Mode("numpy", "fast_run"))(*values)
        expected = dense(record.meaning(*values))
        assert found.dtype == made.dtype
        if record.same_dtype:
            assert found.dtype == expected.dtype, name
        rtol = 1e-5 if "32" in name or "64" in name else 2e-2  # int8: NumPy computes in float16
        np.testing.assert_allclose(dense(found), expected, rtol, err_msg=name)


@BOTH
@WITH_GRADIENT
def test_the_gradient_is_that_of_finite_differences(record, kind):
    stored_twice = record.grad == "structured"
    for variant in ("out of order", "twice stored") if stored_twice else ("plain",):
        op, values = part(record, record.values(kind, variant))
        verify_grad_sparse(
            op, values, structured=record.grad == "structured", rng=np.random.RandomState(0)
        )


@BOTH
@pytest.mark.parametrize(
    "record", [r for r in RECORDS if r.grad and r.smooth], ids=lambda r: r.name
)
def test_the_product_with_the_jacobian_is_that_of_finite_differences(record, kind):
    op, values = part(record, record.values(kind))
    rng = np.random.default_rng(3)
    points = [_moved(v, 0, rng.normal(size=_stored(v).shape)) for v in values]
    ins, tangents = variables(values), variables(points)
    made = op(*ins)
    made = made.toarray() if isinstance(made, S.SparseVariable) else made
    f = theano.function(ins, made)
    product = theano.function([*ins, *tangents], T.Rop(made, ins, tangents))(*values, *points)
    step = 1e-6
    up, down = (
        f(*(_moved(v, 1, sign * step * _stored(p)) for v, p in zip(values, points, strict=True)))
        for sign in (1, -1)
    )
    np.testing.assert_allclose(product, (up - down) / (2 * step), 1e-4, 1e-7)


def _stored(value):
    return value.data if sp.issparse(value) else value


def _moved(value, times, by):
    """What is stored, times a number, and more."""
    made = value.copy()
    if sp.issparse(made):
        made.data = times * made.data + by
        return made
    return times * made + by


@ALL
def test_debugmode_finds_nothing_wrong_with_an_op_and_its_gradient(record):
    values = record.values(("csr", "csc")[len(record.name) % 2])
    ins, made, grads = graph(record, values)
    theano.function(ins, [made, *grads], mode=theano.compile.DebugMode())(*values)


def _subclasses(cls):
    for sub in cls.__subclasses__():
        yield sub
        yield from _subclasses(sub)


@functools.cache
def _used():
    """The classes of ops that occur in records and their gradients."""
    found = set()
    for record in RECORDS:
        _, made, grads = graph(record, record.values("csr"))
        found |= {type(v.owner.op) for v in ancestors([made, *grads]) if v.owner}
    return found


def test_every_op_class_has_a_record():
    drawn = {sp2.Poisson, sp2.Binomial, sp2.Multinomial}  # see test_random.py
    # made by rules, where programs of XLA and loops take a matrix by its elements: test_stored.py
    elements = {StoredElements, FromStored, LikeStored, StoredGrad}
    # those of sparse derivatives are in tests/control/test_sparsity.py
    ours = {c for c in _subclasses(SparseOp) if c.__module__.startswith("theano")}
    ours = {c for c in ours if ".control." not in c.__module__}
    concrete = {c for c in ours if not c.__name__.startswith("_")}
    assert len(concrete) > 45
    assert not {c.__name__ for c in concrete - drawn - elements - _used()}


def test_every_function_of_sparse_has_a_record():
    made_of_values = {"as_sparse", "as_sparse_variable", "as_sparse_or_tensor_variable", "constant"}
    constructors = {"matrix", "csr_matrix", "csc_matrix", "bsr_matrix"}
    tools = {"verify_grad_sparse"}
    names = {
        name
        for name in dir(S)
        if not name.startswith("_")
        and (inspect.isfunction(getattr(S, name)) or isinstance(getattr(S, name), theano.Op))
    }
    assert len(names) > 100
    told = {record.name.split()[0] for record in RECORDS}
    assert not names - told - made_of_values - constructors - tools


def test_int64_indices_are_taken():
    value = matrix("csr")
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
