"""Derivatives of reductions, running sums and products, sorting and counting."""

import math

import numpy as np
import pytest

import theano
import theano.tensor as T
from tests.grad.steps import check, draw
from theano.gradient import DisconnectedInputError, NullTypeGradError
from theano.tensor import extra_ops as X
from theano.tensor.elemwise import CAReduce, ProdWithoutZeros

_ROW = (True, 4)

# name, expression, shapes; True is a length declared to be 1
# fmt: off
CASES = [
    ("sum",                     lambda x: (x ** 2).sum(),                       (3, 4)),
    ("sum over one",            lambda x: x.sum(axis=1),                        (3, 4)),
    ("sum over none",           lambda x: x.sum(axis=[]),                       (3, 4)),
    ("sum over two, kept",      lambda x: x.sum(axis=(0, 2), keepdims=True),    (3, 4, 2)),
    ("sum of a row",            lambda x: x.sum(axis=0),                        _ROW),
    ("prod",                    lambda x: x.prod(),                             (2, 2)),
    ("prod over one",           lambda x: x.prod(axis=1),                       (3, 4)),
    ("prod, no zeros promised", lambda x: x.prod(axis=1, no_zeros_in_input=True), (3, 4)),
    ("prod without zeros",      lambda x: ProdWithoutZeros(axis=1)(x),          (3, 4)),
    ("max",                     lambda x: T.max(x ** 2),                        (3, 4)),
    ("max over one",            lambda x: T.max(x, axis=1),                     (3, 4)),
    ("min over two",            lambda x: T.min(x, axis=(0, 2)),                (3, 4, 2)),
    ("max beside argmax",       lambda x: T.max_and_argmax(x, axis=(0, 2))[0],  (3, 4, 2)),
    ("a fold of add",           lambda x: CAReduce(theano.scalar.add, 1)(x),    (3, 4)),
    ("a fold of mul",           lambda x: CAReduce(theano.scalar.mul, 1)(x),    (3, 4)),
    ("a fold of minimum",       lambda x: CAReduce(theano.scalar.minimum, 1)(x), (3, 4)),
    ("mean",                    lambda x: T.mean(x, axis=1),                    (3, 4)),
    ("var",                     lambda x: T.var(x, axis=1),                     (3, 4)),
    ("std",                     lambda x: T.std(x),                             (3, 4)),
    ("ptp",                     lambda x: T.ptp(x, axis=1),                     (3, 4)),
    ("cumsum",                  lambda x: T.cumsum(x ** 2),                     (3, 2)),
    ("cumsum along an axis",    lambda x: T.cumsum(x, axis=-2),                 (3, 2)),
    ("cumprod",                 lambda x: T.cumprod(x),                         (2, 2)),
    ("cumprod along an axis",   lambda x: T.cumprod(x, axis=1),                 (2, 3)),
    ("diff",                    lambda x: X.diff(x ** 2),                       (3, 4)),
    ("diff twice",              lambda x: X.diff(x, 2, axis=0),                 (4, 2)),
    ("diff of too few",         lambda x: X.diff(x, 5, axis=0),                 (3, 2)),
    ("diff of a row",           lambda x: X.diff(x, axis=0),                    _ROW),
    ("sort",                    lambda x: T.sort(x ** 2),                       (2, 4)),
    ("sort a vector",           lambda x: T.sort(x),                            (5,)),
    ("sort along the middle",   lambda x: T.sort(x, axis=1),                    (2, 3, 2)),
    ("sort all",                lambda x: T.sort(x, axis=None),                 (2, 3)),
    ("sort a row",              lambda x: T.sort(x, axis=1),                    _ROW),
    ("the largest two",         lambda x: T.topk(x ** 2, 2),                    (2, 4)),
    ("the smallest two",        lambda x: T.topk(x, -2, axis=0),                (4, 2)),
    ("the largest and where",   lambda x: T.topk_and_argtopk(x, 2, axis=None)[0], (2, 3)),
    ("weights of counts",       lambda w: T.bincount([1, 0, 3, 1], w ** 2),     (4,)),
    ("one weight for all",      lambda w: T.bincount([1, 0, 3, 1], w),          ()),
    ("distinct elements",       lambda x: X.Unique()(x),                        (2, 3)),
    ("distinct rows",           lambda x: X.Unique(True, True, True, 0)(x)[0],  (3, 2)),
]
# fmt: on


@pytest.mark.parametrize("mode", ["numpy", pytest.param("xla", marks=pytest.mark.xla)])
@pytest.mark.parametrize("case", CASES, ids=[c[0] for c in CASES])
def test_derivatives_are_slopes(case, mode):
    _, fn, *shapes = case
    check(fn, shapes, mode)


# none, one, two and three zeros in a row
_ZEROS = np.array([[3, 2, 5.0], [0, 2, 5], [3, 0, 0], [0, 0, 0]])


def _without(x, *gone):
    return math.prod(v for i, v in enumerate(x) if i not in gone)


@pytest.mark.parametrize("mode", ["numpy", pytest.param("xla", marks=pytest.mark.xla)])
def test_the_gradient_of_a_product_is_the_product_of_the_others(mode):
    x = T.dmatrix()
    weights = np.array([2.0, 3, 5, 7])
    g = T.grad((x.prod(axis=1) * weights).sum(), x)
    found = theano.function([x], g, mode=theano.Mode(mode))
    wanted = [[w * _without(row, i) for i in range(3)] for w, row in zip(weights, _ZEROS)]
    np.testing.assert_array_equal(found(_ZEROS), wanted)


@pytest.mark.parametrize("row", _ZEROS.tolist())
def test_the_hessian_of_a_product_is_the_product_of_the_others_too(row):
    x = T.dvector()
    g = T.grad(x.prod(), x)
    found = [T.grad(g[i], x).eval({x: row}) for i in range(3)]
    wanted = [[0 if i == j else _without(row, i, j) for j in range(3)] for i in range(3)]
    # by division: the difference of equal quotients is zero but for rounding
    np.testing.assert_allclose(found, wanted, rtol=1e-15, atol=2e-15)


@pytest.mark.parametrize("row", _ZEROS.tolist())
def test_the_gradient_of_running_products_is_exact_at_zeros(row):
    x, g = T.dvector(), [2.0, 3.0, 7.0]
    found = T.grad((T.cumprod(x) * g).sum(), x).eval({x: row})
    wanted = [sum(g[k] * _without(row[: k + 1], i) for k in range(i, 3)) for i in range(3)]
    np.testing.assert_array_equal(found, wanted)


@pytest.mark.parametrize("fn", [lambda x: x.prod(axis=1), lambda x: T.cumprod(x, axis=1)])
def test_products_of_zeros_have_all_three_derivatives(fn):
    check(fn, [(4, 3)], "numpy", [_ZEROS])


def test_where_a_product_overflows_but_for_a_zero_the_gradient_is_a_number():
    x = T.dvector()
    with np.errstate(over="ignore"):
        found = T.grad(x.prod(), x).eval({x: [1e200, 1e200, 0]})
    assert found.tolist() == [0, 0, np.inf]


def test_products_without_zeros_do_not_change_with_a_zero():
    x = T.dvector()
    y = ProdWithoutZeros()(x)
    assert T.grad(y, x).eval({x: [3, 0, 5]}).tolist() == [5, 0, 3]


@pytest.mark.parametrize(
    ("fn", "wanted"),
    [(T.max, [0, 1, 1]), (T.min, [1, 0, 0]), (lambda x: T.max_and_argmax(x)[0], [0, 1, 1])],
)
def test_each_of_equal_extremes_gets_the_whole_gradient(fn, wanted):
    x = T.dvector()
    assert T.grad(fn(x), x).eval({x: [1, 3, 3]}).tolist() == wanted


@pytest.mark.parametrize("fn", [T.max, lambda x, axis: T.max_and_argmax(x, axis)[0]])
def test_forwards_the_first_of_equal_extremes_counts(fn):
    x, v = T.dmatrices("xv")
    found = T.Rop(fn(x, axis=1), x, v)
    at = {x: [[1, 3, 3], [2, 2, 1]], v: [[1, 10, 100], [1, 10, 100]]}
    assert found.eval(at).tolist() == [10, 1]


_x = T.dvector("x")

# fmt: off
STEPS = [
    ("all",          lambda: T.all(_x)),
    ("any",          lambda: T.any(_x)),
    ("argmax",       lambda: T.argmax(_x)),
    ("argmin",       lambda: T.argmin(_x)),
    ("max beside",   lambda: T.max_and_argmax(_x)[1]),
    ("argsort",      lambda: T.argsort(_x)),
    ("argtopk",      lambda: T.argtopk(_x, 2)),
    ("topk beside",  lambda: T.topk_and_argtopk(_x, 2)[1]),
    ("searchsorted", lambda: X.searchsorted(_x, _x, sorter=[0, 1, 2])),
    ("inverse",      lambda: X.Unique(return_inverse=True)(_x)[1]),
    ("whole sums",   lambda: T.sum(_x, dtype="int64")),
    ("whole prods",  lambda: T.prod(_x, dtype="int64")),
]
# fmt: on


@pytest.mark.parametrize("make", [c[1] for c in STEPS], ids=[c[0] for c in STEPS])
def test_what_goes_in_steps_is_flat(make):
    y = (make() * 1.0).sum()
    assert T.grad(y, _x).eval({_x: [1, 2, 4]}).tolist() == [0, 0, 0]
    assert np.all(T.Rop(make() * 1.0, _x, T.ones(3)).eval({_x: [1, 2, 4]}) == 0)


_n = T.dscalar("n")
_whole = T.cast(_n, "int64")

# fmt: off
CHOICES = [
    ("sort axis",       lambda: T.sort(_x, axis=_whole).sum()),
    ("argsort axis",    lambda: T.argsort(_x, axis=_whole).sum() * 1.0),
    ("how many",        lambda: T.topk(_x, _whole).sum()),
    ("what is counted", lambda: T.bincount(T.stack([_whole]), [2.5]).sum()),
    ("counted alone",   lambda: T.bincount(T.stack([_whole])).sum() * 1.0),
    ("bartlett",        lambda: T.bartlett(_whole).sum()),
]
# fmt: on


@pytest.mark.parametrize("make", [c[1] for c in CHOICES], ids=[c[0] for c in CHOICES])
def test_integers_that_choose_are_disconnected(make):
    with pytest.raises(DisconnectedInputError):
        T.grad(make(), _n)


def test_a_fold_of_another_op_says_that_it_has_no_gradient():
    y = CAReduce(theano.scalar.arctan2)(_x)
    with pytest.raises(NullTypeGradError, match=r"not implemented.*how arctan2 changes"):
        T.grad(y, _x)


def test_a_sort_along_a_symbolic_axis_says_that_it_has_no_gradient():
    x, axis = T.dmatrix(), T.iscalar()
    with pytest.raises(NullTypeGradError, match="axis of a sort is a constant"):
        T.grad(T.sort(x, axis=axis)[0, 0], x)


def test_equal_elements_all_get_the_gradient_of_the_distinct_one():
    y = X.Unique()(_x)
    assert T.grad((y * [2, 3]).sum(), _x).eval({_x: [7, 5, 7]}).tolist() == [3, 2, 3]


@pytest.mark.parametrize("fn", [T.sum, T.prod, T.max, lambda x: T.cumprod(x).sum(), T.std])
def test_float32_stays_so(fn):
    x = T.fvector()
    assert T.grad(fn(x), x).dtype == "float32"


@pytest.mark.parametrize("part", [T.real, T.imag])
@pytest.mark.parametrize(
    ("fn", "plain"),
    [
        (T.sum, np.sum),
        (T.prod, np.prod),
        (lambda x: T.prod(x, no_zeros_in_input=True), np.prod),
        (lambda x: T.cumprod(x)[1], lambda x: x[0] * x[1]),
    ],
)
def test_complex_gradients_hold_the_slopes_along_both_parts(part, fn, plain):
    z = T.zvector()
    re, im, dre, dim = draw(5, [(3,)] * 4)
    found = T.grad(part(fn(z)), z).eval({z: re + 1j * im})
    h, of = 1e-6, np.real if part is T.real else np.imag
    at = [of(plain(re + s * h * dre + 1j * (im + s * h * dim))) for s in (1, -1)]
    np.testing.assert_allclose(
        np.sum(found.real * dre + found.imag * dim), (at[0] - at[1]) / (2 * h), rtol=1e-8
    )
