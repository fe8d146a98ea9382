"""Pooling: against plain loops, against what Theano 1.0.5 said, and its corner cases."""

import json
import pickle
import warnings
from itertools import product
from pathlib import Path

import numpy as np
import pytest

import theano
import theano.tensor as T
from tests.golden.ask_pool import MODES, numbers
from theano._src.ops.conv.pool_functions import DownsampleFactorMax
from theano.tensor.signal import downsample, pool
from theano.testing import Case, OpSpec, Raises, spec_tests

rng = np.random.default_rng(9)
GOLDEN = json.loads((Path(__file__).parents[2] / "golden" / "pool.json").read_text())
ENGINES = ["numpy", "xla"]


def by_loops(x, ws, stride=None, pad=None, ignore_border=True, mode="max"):
    """Pooling cell by cell: windows as lists of the cells that they hold."""
    x = np.asarray(x)
    nd = len(ws)
    stride = ws if stride is None else stride
    pad = (0,) * nd if pad is None else pad
    places = []
    for n, w, s, p in zip(x.shape[-nd:], ws, stride, pad, strict=True):
        last = n + 2 * p
        if ignore_border:
            starts = [a for a in range(0, last, s) if a + w <= last]
        else:
            starts = [0]
            # one more window as long as the last one does not reach the end
            while (starts[-1] + w < last) if s < w else (starts[-1] + s < last):
                starts.append(starts[-1] + s)
        places.append([(a - p, min(a + w, last) - a) for a in starts])
    out = np.zeros(x.shape[:-nd] + tuple(map(len, places)), x.dtype)
    for lead in np.ndindex(*x.shape[:-nd]):
        for at in np.ndindex(*map(len, places)):
            spans = [places[d][i] for d, i in enumerate(at)]
            cells = [
                x[lead + cell]
                for cell in product(*[range(a, a + n) for a, n in spans])
                if all(0 <= c < n for c, n in zip(cell, x.shape[-nd:], strict=True))
            ]
            room = int(np.prod([n for _, n in spans]))
            total = sum(cells)
            made = {
                "max": max(cells),
                "sum": total,
                "average_inc_pad": total / room,
                "average_exc_pad": total / len(cells),
            }
            out[lead + at] = made[mode]
    return out


def distinct(*shape):
    """Numbers that are apart enough for differences to find which is the largest."""
    n = int(np.prod(shape))
    return (rng.permutation(n) / 4.0 - n / 8).reshape(shape)


def case(x, ws, id, **kwargs):
    return Case(x, ws, kwargs=kwargs, static=(1,), id=id)


X = distinct(2, 2, 5, 7)
POOLS = [
    case(X, (2, 3), "borders ignored", ignore_border=True),
    case(X, (2, 3), "borders kept", ignore_border=False),
    case(X.astype("float32"), (2, 2), "float32", ignore_border=True),
    case(X, (3, 2), "windows overlap", ignore_border=True, stride=(1, 1)),
    case(X, (3, 2), "windows overlap the border", ignore_border=False, stride=(2, 1)),
    case(X, (1, 2), "windows apart", ignore_border=False, stride=(2, 3)),
    case(X, (3, 3), "padded", ignore_border=True, stride=(2, 2), pad=(1, 2)),
    case(X[0, 0], (5, 7), "a matrix, whole", ignore_border=True),
    case(distinct(2, 40), (1, 18), "long windows", ignore_border=True, stride=(1, 5)),
]
MEANS = [
    Case(*c.args, kwargs={**c.kwargs, "mode": mode}, static=(1,), id=f"{c.id}, {mode}")
    for c in POOLS
    for mode in ("sum", "average_inc_pad", "average_exc_pad")
    if mode != "sum" or "float32" in c.id or "border" in c.id
]
V = distinct(2, 4, 3, 5)
VOLUMES = [
    Case(V, (2, 1, 2), kwargs={"ignore_border": b, "mode": m}, static=(1,), id=f"{m}, {b}")
    for b, m in [(True, "max"), (False, "max"), (False, "average_exc_pad")]
]
INTS = rng.integers(-9, 9, (2, 4, 6))


def symbolic(x, ws, stride, pad):
    return pool.pool_2d(x, ws, ignore_border=True, stride=stride, pad=pad)


def same_size(x, patch_size):
    """The largest element of each whole patch, the rest zero."""
    out = np.zeros_like(x)
    h, w = patch_size
    for lead in np.ndindex(*x.shape[:-2]):
        for a in range(0, x.shape[-2] - h + 1, h):
            for b in range(0, x.shape[-1] - w + 1, w):
                patch = x[lead][a : a + h, b : b + w]
                i, j = np.unravel_index(patch.argmax(), patch.shape)
                out[lead][a + i, b + j] = patch[i, j]
    return out


REFUSED = [
    Raises((X,), ValueError, "takes 2 lengths of the window as ws, got none"),
    Raises((X[0, 0, 0], (2, 2)), NotImplementedError, "at least 2 dimensions", static=(1,)),
    Raises((X, (2, 2)), ValueError, "one of max, sum", static=(1,), kwargs={"mode": "min"}),
    Raises((X, 2), TypeError, "takes 2 ints as ws", static=(1,)),
    Raises((X, (2.5, 2)), TypeError, "takes 2 ints as ws", static=(1,)),
    Raises((X, (2, 2, 2)), ValueError, "takes 2 ints of at least 1 as ws", static=(1,)),
    Raises((X, (2, 0)), ValueError, "takes 2 ints of at least 1 as ws", static=(1,)),
    Raises((X, (2, 2)), NotImplementedError, "ignore_border=True", static=(1,),
           kwargs={"pad": (1, 1), "ignore_border": False}),
    Raises((X, (2, 2)), NotImplementedError, "less padding than a window", static=(1,),
           kwargs={"pad": (2, 0)}),
    Raises((X, (2, 2)), ValueError, "got both: give stride alone", static=(1,),
           kwargs={"stride": (1, 1), "st": (1, 1)}),
]  # fmt: skip
for refused in REFUSED:
    refused.case.kwargs.setdefault("ignore_border", True)
LATE = [
    Raises((X, np.array([2, 2, 2]), np.array([2, 2]), np.array([0, 0])), ValueError,
           r"takes 2 ints of at least 1 as ws, got \(2, 2, 2\)", "run"),
    Raises((X, np.array([2, 2]), np.array([0, 2]), np.array([0, 0])), ValueError,
           "takes 2 ints of at least 1 as stride", "run"),
    Raises((X, np.array([2, 2]), np.array([2, 2]), np.array([0, 2])), NotImplementedError,
           "less padding than a window", "run"),
]  # fmt: skip

# fmt: off
SPECS = [
    OpSpec(pool.pool_2d, by_loops, cases=POOLS, errors=REFUSED),
    OpSpec(pool.pool_2d, by_loops, cases=MEANS, name="pool_2d by sums"),
    OpSpec(pool.pool_2d, by_loops, name="pool_2d of integers", grad="none: integers", cases=[
        case(INTS, (2, 2), "max", ignore_border=False),
        case(INTS.astype("int8"), (3, 4), "mean", ignore_border=True, mode="average_inc_pad"),
        case(INTS.astype("int8"), (3, 4), "padded", ignore_border=True, pad=(1, 1)),
    ]),
    OpSpec(pool.pool_3d, by_loops, cases=VOLUMES),
    OpSpec(symbolic, by_loops, errors=LATE, cases=[
        Case(X, np.array([2, 3]), np.array([2, 2]), np.array([1, 0]), id="vectors")],
        sizes="none: vectors of two numbers have one size; tested below"),
    OpSpec(pool.max_pool_2d_same_size, same_size, cases=[
        case(distinct(2, 5, 4) + 100, (2, 2), "patches")]),
    OpSpec(downsample.max_pool_2d, by_loops, cases=[
        case(X, (2, 2), "old", ignore_border=False)]),
]
# fmt: on


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("mode", MODES)
def test_values_and_derivatives_are_those_of_theano(mode, engine):
    asked = [r for r in GOLDEN if r["mode"] == mode]
    outs, wanted = [], []
    for r in asked:
        x = T.constant(numbers(tuple(r["image"]), 1))
        pooled = pool.pool_2d if len(r["ws"]) == 2 else pool.pool_3d
        z = pooled(x, r["ws"], r["ignore_border"], r["stride"], tuple(r["pad"]), mode)
        cost = T.sum(z * z * numbers(tuple(r["shape"]), 2))
        g = T.grad(cost, x)
        made = {
            "value": z,
            "grad": g,
            "rop": T.Rop(z, x, T.constant(numbers(tuple(r["image"]), 3))),
            "grad_grad": T.grad(T.sum(g * numbers(tuple(r["image"]), 4)), x),
        }
        known = [name for name in made if r[name] is not None]
        outs += [made[name] for name in known]
        asked_for = "{ws} {ignore_border} {stride} {pad} of {image}".format(**r)
        wanted += [(f"{name} of {asked_for}", r[name]) for name in known]
    x = T.dscalar("x")
    # what depends on an input is computed by the engine, not folded before it runs
    f = theano.function([x], [out * x for out in outs], mode=theano.Mode(engine, optimizer=None))
    for made, (name, want) in zip(f(1.0), wanted, strict=True):
        np.testing.assert_allclose(made, np.reshape(want, made.shape), atol=1e-12, err_msg=name)


def test_at_least_40_answers_of_theano_are_kept_with_gradients():
    assert len([r for r in GOLDEN if r["grad"] is not None]) >= 40


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("stride", [(2, 2), (1, 1)])
def test_every_largest_element_of_a_window_gets_its_gradient(stride, engine):
    x = T.dmatrix("x")
    z = pool.pool_2d(x, (2, 2), ignore_border=True, stride=stride)
    f = theano.function([x], T.grad(z.sum(), x), mode=theano.Mode(engine))
    made = f([[1.0, 1.0, 0.0], [1.0, 0.0, 1.0]])
    twice = [[1, 1, 0], [1, 0, 0]] if stride == (2, 2) else [[1, 2, 0], [1, 0, 1]]
    assert made.tolist() == twice


@pytest.mark.parametrize("engine", ENGINES)
def test_padding_is_never_the_largest_element(engine):
    x = T.dmatrix("x")
    z = pool.pool_2d(x, (2, 2), ignore_border=True, pad=(1, 1))
    f = theano.function([x], [z, T.grad(z.sum(), x)], mode=theano.Mode(engine))
    value, gradient = f(np.full((2, 2), -3.0))
    assert value.tolist() == [[-3.0, -3.0], [-3.0, -3.0]]
    assert gradient.tolist() == [[1.0, 1.0], [1.0, 1.0]]
    value, gradient = f(np.full((2, 2), -np.inf))
    assert np.isneginf(value).all() and gradient.tolist() == [[1.0, 1.0], [1.0, 1.0]]


@pytest.mark.parametrize("engine", ENGINES)
def test_a_nan_makes_its_windows_nan_and_gets_no_gradient(engine):
    x = T.dmatrix("x")
    z = pool.pool_2d(x, (2, 2), ignore_border=True)
    f = theano.function([x], [z, T.grad(z.sum(), x)], mode=theano.Mode(engine))
    value, gradient = f([[1.0, np.nan, 5.0, 2.0], [3.0, 4.0, 1.0, 0.0]])
    np.testing.assert_array_equal(value, [[np.nan, 5.0]])
    assert gradient.tolist() == [[0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 0.0]]


@pytest.mark.parametrize("engine", ENGINES)
def test_images_without_cells_pool_to_nothing_or_are_refused(engine):
    x = T.dtensor4("x")
    mode = theano.Mode(engine)
    z = pool.pool_2d(x, (2, 2), ignore_border=True)
    f = theano.function([x], [z, T.grad(z.sum(), x), z.shape], mode=mode)
    for shape, pooled in [((0, 2, 4, 4), (0, 2, 2, 2)), ((1, 1, 1, 5), (1, 1, 0, 2))]:
        value, gradient, known = f(np.ones(shape))
        assert value.shape == pooled == tuple(known) and gradient.shape == shape
        assert not gradient.any()
    f = theano.function([x], pool.pool_2d(x, (2, 2), ignore_border=False), mode=mode)
    with pytest.raises(ValueError, match="images that have cells"):
        f(np.ones((1, 1, 0, 3)))


def test_the_shape_is_inferred_without_pooling():
    x = T.dtensor4("x")
    for border, stride in product([True, False], [None, (1, 3)]):
        z = pool.pool_2d(x, (2, 2), ignore_border=border, stride=stride)
        f = theano.function([x], z.shape)
        assert not any(isinstance(n.op, pool.Pool) for n in f.maker.fgraph.apply_nodes)
        want = by_loops(np.ones((2, 3, 5, 9)), (2, 2), stride, None, border).shape
        assert tuple(f(np.ones((2, 3, 5, 9)))) == want


def test_older_keywords_mean_the_same_and_say_so():
    x = T.dmatrix("x")
    new = pool.pool_2d(x, ws=(3, 3), ignore_border=True, stride=(2, 2), pad=(1, 1))
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        old = pool.pool_2d(x, ds=(3, 3), ignore_border=True, st=(2, 2), padding=(1, 1))
    assert [w.filename for w in said] == [__file__] * 3
    assert ["'ds'" in str(w.message) for w in said] == [True, False, False]
    at = {x: distinct(5, 6)}
    assert (old.eval(at) == new.eval(at)).all()


def test_a_border_that_is_not_said_is_kept_with_a_warning():
    x = T.dmatrix("x")
    with pytest.warns(UserWarning, match="pass ignore_border=True or False"):
        z = pool.pool_2d(x, (2, 2))
    assert z.eval({x: np.ones((3, 3))}).shape == (2, 2)


def test_the_first_form_of_the_op_takes_its_windows_first():
    x = T.dtensor4("x")
    op = DownsampleFactorMax((2, 2), ignore_border=True, st=(1, 1))
    want = by_loops(X, (2, 2), (1, 1))
    assert (op(x).eval({x: X}) == want).all()
    assert op.out_shape(X.shape, ds=(2, 2), ignore_border=True, st=(1, 1)) == list(want.shape)


def test_ops_print_and_pickle_as_theano_does():
    op = pool.Pool(ignore_border=True)
    assert str(op) == "Pool{ignore_border=True, mode='max', ndim=2}"
    assert pool.Pool(True, "max_deterministic") == op
    for each in (op, pool.MaxPoolGrad(True), pool.AveragePoolGrad(False, "sum", 3)):
        assert pickle.loads(pickle.dumps(each)) == each


def test_one_compilation_serves_all_calls_of_one_shape():
    x, ws = T.fmatrix("x"), T.lvector("ws")
    f = theano.function([x, ws], pool.pool_2d(x, ws, ignore_border=True), mode=theano.Mode("xla"))
    for _ in range(3):
        assert f(np.ones((4, 4), "float32"), [2, 2]).shape == (2, 2)
    assert f.fn.compilations == 1
    assert f(np.ones((4, 4), "float32"), [4, 2]).shape == (1, 2)
    assert f.fn.compilations == 2


def test_many_rows_are_pooled_at_once_by_the_op_itself():
    x, xs = T.dmatrix("x"), T.dtensor3("xs")
    z = pool.pool_2d(x, (2, 2), ignore_border=True)
    many = theano.vectorize([z, T.grad((z**2).sum(), x)], {x: xs})
    ops = {type(n.op).__name__ for n in theano.function([xs], many).maker.fgraph.apply_nodes}
    assert {"Pool", "MaxPoolGrad"} <= ops and "Vmap" not in ops
    images = distinct(3, 4, 4)
    value, gradient = theano.function([xs], many)(images)
    assert (value == by_loops(images, (2, 2))).all()
    assert (gradient == 2 * same_size(images, (2, 2))).all()


test_ops = spec_tests(SPECS)
