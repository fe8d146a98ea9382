"""The Python engines: same results, memory dropped in time, NumPy's error state, long graphs."""

import ast
import gc
import os
import subprocess
import sys
import warnings
import weakref

import numpy as np
import pytest

import theano
import theano.tensor as T
from theano import Apply, gof

LINKERS = ["numpy", "py"]


@pytest.fixture(params=LINKERS)
def linker(request):
    return request.param


def compiled(linker, inputs, outputs, **kwargs):
    return theano.function(inputs, outputs, mode=theano.Mode(linker, None), **kwargs)


class Own(theano.Op):
    """One tensor in, one of the same type out; the function is given."""

    def __init__(self, function):
        self.function = function

    def make_node(self, x):
        return Apply(self, [x], [x.type()])

    def perform(self, node, inputs, output_storage):
        output_storage[0][0] = self.function(inputs[0])


# the same on both

RNG = np.random.default_rng(5)
X = RNG.normal(size=(4, 3))
V = RNG.normal(size=3)
I = RNG.integers(-5, 6, size=(4, 3))

GRAPHS = {
    "elementwise": lambda x, v, i: T.exp(x) * v + i // 2 - T.sqrt(abs(x)),
    "comparison": lambda x, v, i: T.switch(T.gt(x, v), i, -i),
    "sums": lambda x, v, i: x.sum(axis=0) + i.max(axis=0) + x.mean(),
    "scalars out": lambda x, v, i: x.sum(),
    "argmax": lambda x, v, i: T.argmax(x, axis=1),
    "several outputs": lambda x, v, i: sum(T.max_and_argmax(x, axis=0)),
    "dot": lambda x, v, i: T.dot(x, T.dot(x.T, x)) + T.dot(x, v).dimshuffle(0, "x"),
    "views": lambda x, v, i: x.T[1:, ::-1].reshape((-1,))[::2],
    "index by array": lambda x, v, i: x[:, [2, 0]] + x[[0, 1, 1, 0]][:, :2],
    "mask": lambda x, v, i: x[T.gt(x, 0)],
    "write": lambda x, v, i: T.set_subtensor(x[1], v) + T.inc_subtensor(x[:, 0], 1.0),
    "join": lambda x, v, i: T.concatenate([x, i, x], axis=0),
    "sizes": lambda x, v, i: T.arange(x.shape[0]) + T.zeros((x.shape[1], 1)),
    "shape": lambda x, v, i: x.shape,
    "sort": lambda x, v, i: T.sort(x, axis=1),
    "cumulative": lambda x, v, i: T.cumsum(x, axis=0),
    "casts": lambda x, v, i: T.cast(x, "int8") + T.cast(i, "float32"),
    "complex": lambda x, v, i: abs(T.sqrt(T.cast(x, "complex128"))),
    "an input": lambda x, v, i: v,
    "a constant": lambda x, v, i: T.constant(np.arange(3)),
}


@pytest.mark.parametrize("name", GRAPHS)
def test_both_linkers_give_the_same(name):
    x, v, i = T.dmatrix("x"), T.dvector("v"), T.lmatrix("i")
    out = GRAPHS[name](x, v, i)
    results = [
        compiled(linker, [x, v, i], out, on_unused_input="ignore")(X, V, I) for linker in LINKERS
    ]
    for made in results:
        assert type(made) is np.ndarray and made.dtype == out.dtype and made.ndim == out.ndim
    np.testing.assert_array_equal(*results, strict=True)


def test_updates_are_the_same():
    results = []
    for linker in LINKERS:
        w, n = theano.shared(np.arange(3.0)), theano.shared(0)
        f = compiled(linker, [], [w.sum(), n], updates=[(w, w * 2 + n), (n, n + 1)])
        results.append([*f(), *f(), *f(), w.get_value().tolist(), n.get_value().item()])
    assert results[0] == results[1] == [3, 0, 6, 1, 15, 2, [4, 12, 20], 3]


# what a perform gives


def test_a_numpy_scalar_becomes_a_zero_d_array(linker):
    x = T.dscalar()
    for give in (np.float64, float, int, np.float32, lambda v: np.asarray(v)):
        made = compiled(linker, [x], Own(give)(x))(2)
        assert type(made) is np.ndarray and made.shape == () and made.dtype == np.float64


def test_values_of_a_narrower_dtype_are_widened(linker):
    x = T.dvector()
    made = compiled(linker, [x], Own(lambda v: v.astype("float32"))(x))([1, 2])
    assert made.dtype == np.float64 and made.tolist() == [1, 2]


@pytest.mark.parametrize(
    "kind, give, text",
    [
        (
            T.dvector,
            lambda v: v[None],
            r"float64, vector\) as output 0, got an array of float64 with",
        ),
        (T.dvector, lambda v: v + 1j, r"got an array of complex128 with shape \(1,\) from it"),
        (T.fvector, lambda v: v.astype("float64") / 3, "got an array of float64 with shape"),
        (
            T.drow,
            lambda v: v.T,
            r"float64, row\) as output 0, got an array of float64 with shape \(3,",
        ),
        (T.dvector, lambda v: "text", "as output 0, got str from it"),
    ],
)
def test_values_of_a_wrong_kind_are_refused(linker, kind, give, text):
    x = kind("x")
    f = compiled(linker, [x], Own(give)(x))
    value = np.ones((1, 3)[-x.ndim :] if x.ndim == 2 else 1, x.dtype)
    with pytest.raises(TypeError, match=text) as caught:
        f(value)
    assert "Apply node that caused the error: Own(x)" in str(caught.value)


def test_an_output_left_empty_is_told(linker):
    x = T.dvector("x")
    with pytest.raises(
        ValueError, match=r"Own left output 0 empty: perform sets output_storage\[0\]"
    ):
        compiled(linker, [x], Own(lambda v: None)(x))([1])


def test_a_compute_of_another_dtype_is_cast(linker):
    class Halves(theano.Op):
        __props__ = ()

        def make_node(self, x):
            return Apply(self, [x], [x.type()])

        def compute(self, xp, x):
            return x / np.float64(2)

    x = T.fvector()
    made = compiled(linker, [x], Halves()(x))(np.array([1, 3], "float32"))
    assert made.dtype == np.float32 and made.tolist() == [0.5, 1.5]


def test_an_op_may_reuse_the_storage_it_is_given(linker):
    class Reuses(theano.Op):
        def make_node(self, x):
            return Apply(self, [x], [x.type()])

        def perform(self, node, inputs, output_storage):
            (x,), (z,) = inputs, output_storage
            if z[0] is None or z[0].shape != x.shape:
                z[0] = np.empty_like(x)
            z[0][...] = x + 1

    x = T.dvector()
    f = compiled(linker, [x], [Reuses()(x), Reuses()(Reuses()(x))])
    first = f([1, 2])
    second = f([10, 20])
    third = f([5])
    assert [v.tolist() for v in first + second + third] == [
        [2, 3],
        [3, 4],
        [11, 21],
        [12, 22],
        [6],
        [7],
    ]


# NumPy's error state


def division(linker):
    x, y = T.dvectors("x", "y")
    return compiled(linker, [x, y], x / y)


def test_division_by_zero_is_silent(linker):
    f = division(linker)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        made = f([1, -1, 0], [0, 0, 0])
    np.testing.assert_array_equal(made, [np.inf, -np.inf, np.nan])


PROGRAM = """
import warnings
import theano, theano.tensor as T
x, y = T.dvectors("x", "y")
f = theano.function([x, y], x / y, mode=theano.Mode(LINKER, None))
f([1], [1])
try:
    f([1], [0])
except FloatingPointError as e:
    print(str(e).split("\\n")[:2])
with warnings.catch_warnings(record=True) as told:
    warnings.simplefilter("always")
    f([1e300], [1e-300])
print([str(w.message) for w in told])
"""


def test_flags_let_numpy_warn_or_raise(linker):
    flags = "numpy.seterr_all=warn,numpy.seterr_divide=raise"
    made = subprocess.run(
        [sys.executable, "-c", PROGRAM.replace("LINKER", repr(linker))],
        env={**os.environ, "THEANO_FLAGS": flags},
        capture_output=True,
        text=True,
        check=True,
    )
    raised, warned = map(ast.literal_eval, made.stdout.splitlines())
    assert raised == [
        "divide by zero encountered in divide",
        "Apply node that caused the error: Elemwise{true_div,no_inplace}(x, y)",
    ]
    assert warned == ["overflow encountered in divide"]


def test_the_callers_error_state_is_left_alone(linker):
    f = division(linker)
    with np.errstate(all="raise"):
        before = np.geterr()
        f([1], [0])
        assert np.geterr() == before
        with pytest.raises(FloatingPointError):
            np.ones(1) / np.zeros(1)


# memory


@pytest.mark.parametrize("allow_gc", [True, False])
def test_what_is_no_longer_needed_is_dropped_while_running(linker, allow_gc):
    made, alive = [], []

    def step(v):
        alive.append(sum(r() is not None for r in made))
        out = v + 1
        made.append(weakref.ref(out))
        return out

    x = y = T.dvector()
    for _ in range(6):
        y = Own(step)(y)
    cls = {"numpy": theano.Mode("numpy").linker, "py": gof.PerformLinker()}[linker]
    mode = theano.Mode(cls.clone(allow_gc=allow_gc), None)
    f = theano.function([x], y, mode=mode)
    assert f([0]).tolist() == [6]
    # one is the input of the step that runs
    assert alive == ([0, 1, 1, 1, 1, 1] if allow_gc else [0, 1, 2, 3, 4, 5])


def test_nothing_but_outputs_lives_after_a_call(linker):
    made = []

    def step(v):
        out = v + 1
        made.append(weakref.ref(out))
        return out

    x = T.dvector()
    f = compiled(linker, [x], Own(step)(Own(step)(x)) * 2)
    f([1])
    gc.collect()
    assert [r() for r in made] == [None, None]


def test_arguments_are_not_kept(linker):
    x = T.dvector()
    f = compiled(linker, [x], x + 1)
    a = np.ones(3)
    watch = weakref.ref(a)
    f(a)
    del a
    gc.collect()
    assert watch() is None


# size


def test_a_chain_of_ten_thousand_nodes_runs(linker):
    x = T.dscalar()
    y = x
    for k in range(5000):
        y = y + 1 if k % 2 else -y
    y = y * 1
    steps = y
    for _ in range(5000):
        steps = abs(steps)
    f = compiled(linker, [x], steps)
    assert len(f.maker.fgraph.toposort()) > 10_000
    value = 3.0
    for k in range(5000):
        value = value + 1 if k % 2 else -value
    assert f(3) == abs(value)


def test_many_inputs_and_outputs(linker):
    xs = [T.dscalar() for _ in range(300)]
    f = compiled(linker, xs, [x + k for k, x in enumerate(xs)])
    assert f(*range(300)) == [2 * k for k in range(300)]


# the Linker contract


@pytest.mark.parametrize("make", [gof.PerformLinker, lambda: theano.Mode("numpy").linker])
def test_a_linker_makes_thunks_and_functions_of_a_graph(make):
    x, y = T.dscalars("x", "y")
    fgraph = gof.FunctionGraph([x, y], [x + y, x * y])
    run, ins, outs = make().accept(fgraph).make_thunk()
    ins[0].data, ins[1].data = 3, 4
    run()
    assert [c.data for c in outs] == [7, 12]
    f = make().accept(gof.FunctionGraph([x], [x + 1])).make_function()
    assert f(2) == 3
    with pytest.raises(TypeError, match="takes 1 arguments, got 2"):
        f(1, 2)


def test_a_linker_with_a_graph_gives_a_copy_for_another():
    x = T.dscalar()
    first = gof.PerformLinker(allow_gc=False)
    a, b = (gof.FunctionGraph([x], [x + 1]) for _ in range(2))
    assert first.accept(a) is first
    other = first.accept(b)
    assert other is not first and other.allow_gc is False and first.fgraph is a


def test_a_graph_without_nodes_runs(linker):
    x = T.dvector()
    assert compiled(linker, [x], [x, x])([1]) == [[1], [1]]
    assert compiled(linker, [], T.constant(2))() == 2
    assert compiled(linker, [], [])() == []


def test_every_linker_reads_a_shared_value_that_another_has_written():
    linkers = ("xla", "py", "xla", "numpy", "py", "vm")
    s = theano.shared(np.array([1.0, 2.0, 4.0]))
    fs = {
        name: theano.function([], s.sum(), updates=[(s, s * 2)], mode=theano.Mode(linker=name))
        for name in set(linkers)
    }
    assert [float(fs[name]()) for name in linkers] == [7.0 * 2**k for k in range(len(linkers))]
