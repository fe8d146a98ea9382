"""Mistakes that users made, and the texts that answer them: who takes what, got what, what to do.

The names of the rows are those of the findings.
"""

import copy
import pickle
import subprocess
import sys
import warnings

import jax.numpy as jnp
import numpy as np
import pytest

import theano
import theano.tensor as T
from theano.ifelse import ifelse
from theano.sandbox.rng_mrg import MRG_RandomStreams
from theano.tensor.shared_randomstreams import RandomStreams

NAMES = {
    "T": T,
    "MRG": MRG_RandomStreams,
    "RandomStreams": RandomStreams,
    "ifelse": ifelse,
    "jnp": jnp,
    "np": np,
    "pickle": pickle,
    "theano": theano,
}


def names():
    x, y = T.dvectors("x", "y")
    w = theano.shared(np.ones(2), "w")
    return {**NAMES, "x": x, "y": y, "m": T.dmatrix("m"), "n": T.lvector("n"), "w": w}


def text_of(error):
    return "\n".join([str(error), *getattr(error, "__notes__", ())])


# fmt: off
TAPS = """theano.function([x], theano.scan(lambda a, b: a + b, n_steps=4, outputs_info=[
    dict(initial=x, taps=[-3, -1])])[0])([1, 2])"""
DOT = """theano.function([m], theano.scan(lambda h, w: T.tanh(T.dot(h, w)), n_steps=4,
    outputs_info=T.zeros(3), non_sequences=m)[0])(np.ones((4, 4)))"""
STRETCH = "theano.function([m, q := T.dmatrix('q')], m + q)(np.ones((1, 3)), np.ones((2, 3)))"
BIAS = "theano.function([m], m + theano.shared(np.ones((1, 3)), 'b'))(np.ones((2, 3)))"
# (id, the mistake, what its text holds)
REFUSED = [
    ("U4 np.mean", "np.mean([x.sum(), x.max()])",
     "numpy.mean computes numbers, got a list of symbolic", "tensor.mean(theano.tensor.stack("),
    ("U4 np.std", "np.std([x.sum(), x.max()])",
     "numpy.std computes numbers", "std(theano.tensor.stack("),
    ("U4 np.average", "np.average([x.sum(), x.max()])",
     "numpy.average computes numbers", "mean(theano.tensor.stack("),
    ("U4 consider_constant=y", "T.grad((x * y).sum(), x, consider_constant=y)",
     "grad takes a list as consider_constant, got the variable y", "consider_constant=[y]"),
    ("U4 grad by a dict", "T.grad((x * y).sum(), {'x': x})",
     "got {'x': x} of dict", "list(params.values())"),
    ("U4 (1,3) + (2,3)", STRETCH,
     "m has length 1 in dimension 0, but it does not stretch", "theano.tensor.addbroadcast(m, 0)"),
    ("U4 shared (1,3) bias", BIAS,
     "b has length 1 in dimension 0", "theano.shared(value, broadcastable=(True, False))"),
    ("U4 scan taps", TAPS,
     "x is the initial value of a state whose taps reach 3 steps back", "3 rows of it, got 2"),
    ("U4 scan dot(h, w), U5.11", DOT,
     "h (an argument of scan's step) of shape (3,)", "m.T of shape (4, 4)"),
    ("U4 function of scan", "theano.function([x], theano.scan(lambda a: a * 2, sequences=x))",
     "Received OrderedUpdates()", "write `outputs, updates = theano.scan(...)`"),
    ("U4 x + 10**30", "x + 10**30",
     "of type int to TensorType: it does not fit 64 bits", "write float(...)"),
    ("U4 srng.normal(loc=...)", "RandomStreams(1).normal(loc=1.0)",
     "unexpected keyword argument 'loc'; use avg", "It takes size, avg, std, ndim, dtype"),
    ("U4 srng.normal(scale=...)", "RandomStreams(1).normal(scale=1.0)",
     "'scale'; use std", "It takes size, avg"),
    ("U4 x.sum(dim=1)", "m.sum(dim=1)", "'dim'; use axis", "It takes x, axis, dtype, keepdims"),
    ("U4 shared(a, dtype=...)", "theano.shared(np.ones(2), dtype='float32')",
     "shared takes the dtype of its value, got dtype='float32'", "asarray(value, 'float32')"),
    ("U4 function(x, map(...))", "theano.function([x], map(T.exp, [x]))",
     "of type map", "make a list of it: list(map(...))"),
    ("U4 jnp.exp(x)", "jnp.exp(x)",
     "functions of jax take arrays, got x", "theano.from_jax(function)"),
    ("U4 ifelse of a vector", "ifelse(x > 0, x, -x)", "has to be a scalar", "theano.tensor.switch"),
    ("U4 T.zeros((None, 3))", "T.zeros((None, 3))", "got None in (None, 3)", "give a number, or "),
    ("U4 T.ones((None, 3))", "T.ones((None, 3))", "ones takes a length for each", "x.shape[0]"),
    ("U4 pickle of a from_jax lambda", "pickle.dumps(theano.from_jax(lambda a: a * 2)(x))",
     "The op that from_jax made of <lambda>", "with def at the top of a module"),
    # tried beside those of the findings
    ("reshape by lengths", "T.reshape(x, -1, 2)", "takes 2 lengths, got 1", "reshape(x, (2, 3))"),
    ("grad by a name", "T.grad(x.sum(), 'x')", "got 'x' of str", "the variable itself, not its n"),
    ("a keyword of an op", "T.exp(x, axis=0)", "takes inputs by position", "got axis by name"),
    ("round to digits", "T.round(x, 2)", "round takes mode", "theano.tensor.round(x * 1e2) / 1e2"),
    ("randn", "RandomStreams(1).randn(3)", "has no attribute 'randn'", "use .normal"),
    ("shuffle", "RandomStreams(1).shuffle(x)", "has no attribute 'shuffle'", "use .permutation"),
    ("rand of MRG", "MRG(1).rand(3)", "has no attribute 'rand'", "use .uniform"),
    ("a size that comes last", "RandomStreams(1).uniform(0, 1, (3,))",
     "got TensorConstant{0}", "the size is the first argument"),
    ("a variable as dtype", "x.astype(y)", "a dtype is a name, got the variable y", "y.dtype"),
    ("a flag in brackets", "theano.config['floatX']",
     "flags are attributes", "theano.config.floatX"),
    ("eval of a function", "theano.function([x], x).eval()",
     "no input 'eval'", "call it with values"),
    ("output=", "theano.function([x], output=x)", "'output'; use outputs", "It takes inputs, outp"),
    ("xs=", "theano.scan(lambda a: a, xs=x)", "'xs'; use sequences", "It takes fn, sequences"),
    ("lists in the list of outputs", "theano.function([x], [x, [x, x]])",
     "Received [x, x] of type list", "one list of variables, without lists in it"),
    ("a function as output", "theano.function([x], T.nnet.relu)",
     "of type function", "call it with the inputs"),
]
# fmt: on


@pytest.mark.parametrize(
    ("mistake", "says", "advises"), [row[1:] for row in REFUSED], ids=[row[0] for row in REFUSED]
)
def test_a_mistake_says_what_was_given_and_what_to_do(mistake, says, advises):
    with pytest.raises(Exception) as caught:
        eval(mistake, names())
    text = text_of(caught.value)
    assert says in text and advises in text


def test_gradients_by_the_values_of_a_dict_come_as_a_list():
    """U4: `T.grad(c, d.values())` was refused as no variable."""
    d = {"w": theano.shared(2.0), "b": theano.shared(3.0)}
    cost = d["w"] * d["b"]
    assert [g.eval().item() for g in T.grad(cost, d.values())] == [3.0, 2.0]
    assert [g.eval().item() for g in T.grad(cost, iter(d.values()))] == [3.0, 2.0]


@pytest.mark.parametrize("mode", ["numpy", "xla", "py"])
def test_a_length_of_1_that_does_not_stretch_is_named_on_every_engine(mode):
    """U5.6: the cure of (1, 3) + (2, 3) is in the error, with the names of variables."""
    a, b = T.dmatrices("a", "b")
    f = theano.function([a, b], a + b, mode=theano.Mode(mode))
    with pytest.raises(ValueError, match="mis-match") as caught:
        f(np.ones((1, 3)), np.ones((2, 3)))
    assert "a has length 1 in dimension 0" in str(caught.value)
    assert f'"{__file__}"' in str(caught.value)
    with pytest.raises(ValueError, match="mis-match") as caught:
        f(np.ones((4, 3)), np.ones((2, 3)))
    assert "has length 1" not in str(caught.value)


def test_the_advice_on_lengths_of_1_cures_them():
    m, b = T.dmatrix("m"), theano.shared(np.ones((1, 3)), "b")
    stretched = theano.shared(np.ones((1, 3)), "b", broadcastable=(True, False))
    for bias in (T.addbroadcast(b, 0), stretched):
        assert theano.function([m], m + bias)(np.ones((2, 3))).tolist() == [[2] * 3] * 2


# warnings


def test_arguments_of_convolutions_by_other_names_are_told_the_right_ones():
    a, b = T.dtensor4s("a", "b")
    with pytest.warns(UserWarning, match=r"stride has no effect; use subsample for stride"):
        T.nnet.conv2d(a, b, stride=2)


@pytest.mark.parametrize("streams", [RandomStreams, MRG_RandomStreams])
def test_updates_of_a_scan_that_are_not_passed_warn(streams):
    """U4, U5.3: numbers repeated silently at the next call."""
    srng = streams(3)
    out, updates = theano.scan(lambda: srng.normal((2,)), n_steps=3)
    with pytest.warns(
        UserWarning, match=r"A scan changes shared variables .*updates=updates\)"
    ) as w:
        theano.function([], out)
    assert {warning.filename for warning in w} == {__file__}
    with pytest.warns(UserWarning, match="A scan changes"):
        theano.function([], out.sum())
    # what keeps them, or says that it is meant so
    theano.function([], out, updates=updates)
    theano.function([], out, updates=list(updates.items()))
    theano.function([], out, no_default_updates=True)
    theano.function([], out, no_default_updates=list(updates))
    ((state, new),) = updates.items()
    theano.function([], out, updates=[(state, state)])
    state.default_update = new
    theano.function([], out)


def test_a_count_that_a_scan_updates_warns_too():
    count = theano.shared(0, "count")
    out, updates = theano.scan(lambda: {count: count + 1}, n_steps=3)
    assert out is None
    total, updates = theano.scan(lambda: ([count * 2], {count: count + 1}), n_steps=3)
    with pytest.warns(UserWarning, match=r"A scan changes shared variables \(count\)"):
        theano.function([], total)
    theano.function([], total, updates=updates)
    # a loop that changes nothing
    w = theano.shared(2.0, "w")
    theano.function([], theano.scan(lambda: w * 2, n_steps=3)[0])


def test_float64_that_is_shared_under_float32_is_told_where_it_enters():
    """U4: `shared(randn(...))` made everything float64, silently."""
    with theano.config.change_flags(floatX="float32"):
        with pytest.warns(
            UserWarning, match=r"float64, w, .*numpy.asarray\(value, theano.config.fl"
        ):
            w = theano.shared(np.random.randn(3), "w")
        assert w.dtype == "float64"
        theano.shared(np.zeros(3, "float32"))
        theano.shared(3)
    theano.shared(np.zeros(3))


def test_the_gradient_of_integers_warns():
    """U4: zeros, silently."""
    n = T.lvector("n")
    with pytest.warns(
        UserWarning, match=r"int64, scalar\) is zero, .*n\.astype\(theano\.config\.fl"
    ):
        g = T.grad(n.sum(), n)
    assert g.eval({n: [1, 2]}).tolist() == [0, 0]
    T.grad((n * 1.5).sum(), n)


def test_a_given_that_nothing_depends_on_warns():
    """U4: a key of givens that is not in the graph was silent."""
    x, y, z = T.dvectors("x", "y", "z")
    with pytest.warns(UserWarning, match="givens replaces y, which nothing in this function dep"):
        theano.function([x], x * 2, givens={y: x})
    theano.function([x], x * 2, givens={y: x}, on_unused_input="ignore")
    # in an output, in an update, in another given, in a default update
    s, t = theano.shared(np.ones(2)), theano.shared(np.ones(2))
    t.default_update = t + z
    theano.function([x], y * 2, givens={y: x})
    theano.function([x], updates=[(s, s + y)], givens={y: x})
    theano.function([x], y * 2, givens={y: z + 1, z: x})
    f = theano.function([x], y * 2, givens=zip([y], [x]), updates=zip([s], [s + y]))
    assert f([1, 2]).tolist() == [2, 4] and s.get_value().tolist() == [2, 3]
    theano.function([x], x + t, givens={z: x})


def test_warnings_are_shown_once_for_each_line():
    code = "for _ in range(3):\n    theano.function([x], x * 2, givens={y: x})\n"
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        exec(code, {**names(), "__name__": "program"})
    assert [w.lineno for w in caught] == [2]


# what stays, and why


def test_variables_are_not_callable():
    """U4: `y([1])`, `x.T()`: Python's own text.

    With a method of ours, `callable(x)` would be true, by which Lasagne takes functions that make
    parameters from parameters.
    """
    x = T.dmatrix("x")
    assert not callable(x) and not callable(x.T)
    with pytest.raises(TypeError, match="'TensorVariable' object is not callable"):
        x.T()


def test_a_function_without_a_profile_has_none():
    """U4: `f.profile.summary()`: Python's own text; None is the documented value."""
    x = T.dscalar("x")
    assert theano.function([x], x).profile is None
    assert theano.function([x], x, profile=True).profile.summary is not None


@pytest.mark.parametrize("mode", ["numpy", "xla"])
def test_an_integer_divided_by_zero_is_0(mode):
    """U4: a deviation, with its reason."""
    a, b = T.lvectors("a", "b")
    f = theano.function([a, b], [a // b, a % b], mode=theano.Mode(mode))
    assert [v.tolist() for v in f([1, -5, 7], [0, 0, 2])] == [[0, 0, 3], [0, 0, 1]]


def test_a_guard_names_the_mean_of_nothing():
    """U4: NaN, silently, as in Theano 1.0.5."""
    x = T.dvector("x")
    assert np.isnan(theano.function([x], x.mean())([]))
    guard = theano.compile.nanguardmode.NanGuardMode(True, True, True)
    f = theano.function([x], x.mean(), mode=guard)
    with pytest.raises(AssertionError, match=r"found NaN in output 0 of Elemwise.true_div") as told:
        f([])
    assert "f = theano.function([x], x.mean(), mode=guard)" in str(told.value)


WITHOUT_JAX = """
import importlib.abc, sys
class NoJax(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in ("jax", "jaxlib", "flatbuffers"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, NoJax())
import theano, theano.tensor as T
x = T.dvector("x")
for attempt in (
    lambda: theano.as_jax(x * 2, [x]),
    lambda: theano.export(x * 2, "nowhere.stablehlo", inputs=[x]),
    lambda: theano.export(x * 2, "nowhere.mlir", inputs=[x]),
    lambda: theano.from_jax(lambda a: a)(x),
):
    try:
        attempt()
    except ImportError as error:
        print(error)
"""


def test_what_needs_jax_says_so_where_it_is_missing():
    """U4: a bare ModuleNotFoundError, and flatbuffers blamed."""
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_JAX], capture_output=True, text=True, check=False
    )
    why = "jax cannot be loaded (No module named 'jax'); install it: pip install jax"
    who = ["as_jax", "export to StableHLO", "export to StableHLO", "from_jax"]
    assert done.stdout.splitlines() == [f"{w} takes jax: {why}" for w in who], done.stderr


def doubled(a):
    return a * 2


def test_ops_of_jax_functions_that_have_a_name_are_pickled_and_those_without_copied():
    x = T.dvector("x")
    (back,) = pickle.loads(pickle.dumps([theano.from_jax(doubled)(x)]))
    assert back.eval({back.owner.inputs[0]: [1, 2]}).tolist() == [2, 4]
    made = copy.deepcopy(theano.from_jax(lambda a: a * 3)(x))
    assert made.eval({made.owner.inputs[0]: [1, 2]}).tolist() == [3, 6]


def test_the_operators_of_jax_arrays_and_jax_on_shared_values_work_as_before():
    x, w = T.dvector("x"), theano.shared(np.ones(2), "w")
    assert (jnp.ones(2) + x).eval({x: [1, 2]}).tolist() == [2, 3]
    assert jnp.asarray(w).tolist() == [1, 1]
    assert not hasattr(x, "__jax_array__")
