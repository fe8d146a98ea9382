"""NanGuardMode: the node that makes a NaN, an infinity or a big number is named, with its line."""

import pickle
import re

import numpy as np
import pytest

import theano
import theano.tensor as T
from theano.compile.nanguardmode import NanGuardMode, contains_inf, contains_nan, flatten

ENGINES = ["numpy", "xla", "py", "cvm"]
V = np.array([0.5, -1.0, 2.0])
M = np.arange(6.0).reshape(2, 3)


def log_of_negative(x):
    y = T.exp(x)
    bad = T.log(x)  # here
    return bad * y


def root_of_negative(x):
    return T.sqrt(x) + 1  # here


def division_by_zero(x):
    z = x - x
    return x / z  # here


def power_of_negative(x):
    return abs(x) + x**0.5  # here


def exp_too_large(x):
    y = x * 1000
    return T.exp(y).sum()  # here


def big_product(x):
    y = T.sqr(x) * 1e6
    return (y * 1e5).sum()  # here


def arcsin_outside(x):
    return T.arcsin(x * 2) * 3  # here


def log_of_zero_in_entropy(x):
    p = T.maximum(x, 0)
    return -(p * T.log(p)).sum()  # here


def inverse_of_zero(x):
    y = T.floor(x / 3)
    return T.inv(y).sum()  # here


def log_of_a_sum_that_is_zero(x):
    y = T.floor(x[:1]).sum()
    return T.log(y)  # here


def overflow_of_a_square(x):
    a = x * 1e4
    return T.sqr(T.sqr(a))  # here


def gamma_too_large(x):
    return T.gamma(x * 100)  # here


def variance_of_one(x):
    y = T.floor(x[:1])
    return y / T.sqrt(T.abs_(y).sum())  # here


def masked_after(x):
    y = T.log(x)  # here
    return T.switch(x > 0, y, 0)


def hidden_by_a_maximum(x):
    y = T.sqrt(x)  # here
    return T.maximum(y, 1)


def norm_of_zero(x):
    y = T.dot(x - x, x)
    return x / y  # here


def in_a_product_of_matrices(x):
    a = x.dimshuffle(0, "x") * 1e6
    return T.dot(a, a.T)  # here


def in_an_update_of_state(x):
    return x.sum(), lambda s: s + T.log(x[1])  # here


def in_a_gradient(x):
    return T.grad(T.sqrt(x - x[0]).sum(), x)  # here


def in_a_loop(x):
    out, _ = theano.scan(lambda a: T.log(a), outputs_info=x.sum(), n_steps=4)  # here
    return out[-1]


PROGRAMS = [
    log_of_negative, root_of_negative, division_by_zero, power_of_negative, exp_too_large,
    big_product, arcsin_outside, log_of_zero_in_entropy, inverse_of_zero, log_of_a_sum_that_is_zero,
    overflow_of_a_square, gamma_too_large, variance_of_one, masked_after, hidden_by_a_maximum,
    norm_of_zero, in_a_product_of_matrices, in_an_update_of_state, in_a_gradient, in_a_loop,
]  # fmt: skip


def line_of(program):
    """The text of the line marked in a program."""
    import inspect

    (line,) = [t for t in inspect.getsource(program).splitlines() if "# here" in t]
    return line.strip()


@pytest.mark.parametrize("engine", ENGINES[:2])
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.__name__)
def test_the_node_and_the_line_are_named(program, engine):
    x = T.dvector("x")
    made = program(x)
    s = theano.shared(np.float64(1.0), "s")
    updates = [(s, made[1](s))] if isinstance(made, tuple) else []
    out = made[0] if isinstance(made, tuple) else made
    f = theano.function([x], out, updates=updates, mode=NanGuardMode(linker=engine))
    with pytest.raises(AssertionError, match="NanGuardMode found") as caught:
        f(V)
    text = str(caught.value)
    assert re.search(r"found (NaN|infinity|a big value) in output \d+ of", text)
    assert "Apply node that caused the error" in text
    assert line_of(program) in text, text
    assert s.get_value() == 1.0


@pytest.mark.parametrize("engine", ENGINES)
def test_both_what_is_right_and_state_are_as_without_the_mode(engine):
    x, w = T.dmatrix("x"), theano.shared(np.ones((3, 2)), "w")
    cost = T.sqr(T.tanh(T.dot(x, w))).sum()
    updates = [(w, w - 0.1 * T.grad(cost, w))]
    f = theano.function([x], cost, updates=updates, mode=NanGuardMode(linker=engine))
    g = theano.function([x], cost, updates=updates, mode="FAST_COMPILE")
    got = [f(M / 9) for _ in range(3)], w.get_value()
    w.set_value(np.ones((3, 2)))
    np.testing.assert_allclose(got[0], [g(M / 9) for _ in range(3)])
    np.testing.assert_allclose(got[1], w.get_value())


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    ("value", "found"), [(np.nan, "NaN"), (-np.inf, "infinity"), (1e11, "a big value")]
)
def test_arguments_and_shared_variables_are_looked_at(engine, value, found):
    x, w = T.dvector("x"), theano.shared(np.ones(3), "w")
    f = theano.function([x], T.maximum(x, w), mode=NanGuardMode(linker=engine))
    f(V)
    with pytest.raises(AssertionError, match=rf"found {found} in the input x: 1 of 3 values"):
        f([0, value, 0])
    w.set_value(np.array([value, 0, 0]))
    with pytest.raises(AssertionError, match=rf"found {found} in the input w"):
        f(V)


@pytest.mark.parametrize("engine", ENGINES)
def test_what_is_no_error_passes(engine):
    x = T.dvector("x")
    out = [T.log(x), x * 1e15]

    def run(values, **is_error):
        options = {"nan_is_error": False, "inf_is_error": False, "big_is_error": False}
        mode = NanGuardMode(linker=engine, **{**options, **is_error})
        return theano.function([x], out, mode=mode)(values)

    assert np.isnan(run([-1.0, 1.0], inf_is_error=True)[0][0])
    assert np.isneginf(run([0.0, 1.0], nan_is_error=True)[0][0])
    assert run([1.0], nan_is_error=True, inf_is_error=True)[1] == 1e15
    with pytest.raises(AssertionError, match="found NaN"):
        run([-1.0], nan_is_error=True)
    with pytest.raises(AssertionError, match="found infinity"):
        run([0.0], inf_is_error=True)
    with pytest.raises(AssertionError, match=r"found a big value in output 0 of .*mul"):
        run([1.0], big_is_error=True)


def test_values_beyond_a_thousand_are_no_alarm():
    x = T.dvector("x")
    s = theano.shared(np.float64(0.0))
    mode = NanGuardMode(linker="xla")
    f = theano.function([x], T.exp(x), updates=[(s, s + x.sum())], mode=mode)
    np.testing.assert_allclose(f([1.0]), [np.e])
    np.testing.assert_allclose(f([20.0]), [np.exp(20.0)])
    assert s.get_value() == 21.0
    with pytest.raises(AssertionError, match=r"found a big value in output 0 of Elemwise\{exp"):
        f([30.0])
    assert s.get_value() == 21.0


@pytest.mark.parametrize("n", [10, 1 << 17])
def test_large_arrays_and_those_of_new_state_are_looked_at(n):
    x, w = T.dvector("x"), theano.shared(np.ones(n))
    f = theano.function(
        [x], (w * x).sum(), updates=[(w, w + 0.5 * x)], mode=NanGuardMode(linker="xla")
    )
    values = np.full(n, 2.0)
    assert f(values) == 2 * n
    assert w.get_value()[0] == 2.0
    values[n // 2] = np.nan
    with pytest.raises(AssertionError, match="found NaN in the input x"):
        f(values)
    assert np.isfinite(w.get_value()).all()


@pytest.mark.parametrize("engine", ENGINES)
def test_ops_in_python_are_named_too(engine):
    @theano.compile.as_op(itypes=[T.dvector], otypes=[T.dvector])
    def to_nan(x):
        return x * np.nan

    x = T.dvector("x")
    f = theano.function([x], T.exp(to_nan(x * 2)) + 1, mode=NanGuardMode(linker=engine))
    with pytest.raises(AssertionError, match=r"found NaN in output 0 of FromFunctionOp\{to_nan\}"):
        f(V)


@pytest.mark.parametrize("engine", ENGINES)
def test_integers_random_states_and_empty_arrays_pass(engine):
    n, x = T.lvector("n"), T.dvector("x")
    streams = theano.tensor.shared_randomstreams.RandomStreams(3)
    out = [n * 2, x.sum(), streams.normal((2,)).sum()]
    f = theano.function([n, x], out, mode=NanGuardMode(linker=engine))
    assert f([3, 4], [])[0].tolist() == [6, 8]
    with pytest.raises(AssertionError, match="found a big value in the input n"):
        f([10**11], [])


@pytest.mark.parametrize("engine", ENGINES)
def test_what_picks_a_nan_out_of_a_constant_is_named(engine):
    x = T.dvector("x")
    f = theano.function([x], T.switch(x > 0, x, np.nan) * 2, mode=NanGuardMode(linker=engine))
    assert f([1.0]).tolist() == [2.0]
    with pytest.raises(AssertionError, match=r"found NaN in output 0 of Elemwise\{switch"):
        f([-1.0])


def test_a_variable_can_be_exempt():
    x = T.dvector("x")
    y = T.log(x)
    y.tag.nan_guard_mode_check = False
    f = theano.function([x], T.switch(x > 0, y, 0.0), mode=NanGuardMode(linker="numpy"))
    assert f([-1.0, 1.0]).tolist() == [0.0, 0.0]


def test_the_flags_say_what_is_done():
    x = T.dvector("x")
    with theano.config.change_flags(**{"NanGuardMode.action": "warn"}):
        f = theano.function([x], T.log(x), mode=NanGuardMode(linker="xla"))
        with pytest.warns(RuntimeWarning, match="found NaN in output 0"):
            assert np.isnan(f([-1.0])).all()
    with theano.config.change_flags(**{"NanGuardMode.big_is_error": False}):
        assert NanGuardMode().big_is_error is False
    assert NanGuardMode().big_is_error is True


def test_the_debugger_opens_where_the_flags_say_so(monkeypatch):
    import pdb

    opened = []
    monkeypatch.setattr(pdb, "set_trace", lambda: opened.append(1))
    x = T.dvector("x")
    with theano.config.change_flags(**{"NanGuardMode.action": "pdb"}):
        f = theano.function([x], T.log(x), mode=NanGuardMode())
        assert np.isnan(f([-1.0])).all() and opened == [1]


def test_the_mode_is_found_by_its_name():
    x = T.dvector("x")
    f = theano.function([x], T.log(x), mode="NanGuardMode")
    assert isinstance(f.maker.mode, NanGuardMode)
    with theano.config.change_flags(mode="NanGuardMode"):
        g = theano.function([x], T.log(x))
    with pytest.raises(AssertionError, match="found NaN"):
        g([-1.0])


def test_a_mode_made_from_another_keeps_what_is_an_error():
    made = NanGuardMode(True, False, False, linker="py").excluding("canonicalize")
    assert isinstance(made, NanGuardMode)
    assert (made.nan_is_error, made.inf_is_error, made.big_is_error) == (True, False, False)
    again = pickle.loads(pickle.dumps(made))
    assert again.inf_is_error is False and again.linker.guard == made.linker.guard


def test_a_linker_of_ones_own_is_watched():
    from theano.gof import PerformLinker, WrapLinker

    linker = WrapLinker([PerformLinker()], lambda i, node, thunk: thunk())
    x = T.dvector("x")
    f = theano.function([x], T.log(x) * 2, mode=NanGuardMode(linker=linker))
    with pytest.raises(AssertionError, match="found NaN in output 0 of"):
        f([-1.0])


def test_something_must_be_an_error():
    with pytest.raises(ValueError, match="at least one of"):
        NanGuardMode(False, False, False)
    with pytest.raises(ValueError, match="as linker, got 'abacus'"):
        NanGuardMode(linker="abacus")


def test_the_helpers_tell_what_arrays_hold():
    assert contains_nan(np.array([np.nan])) and not contains_nan(np.array([np.inf]))
    assert contains_inf(np.float32("inf")) and not contains_inf(np.array([1]))
    assert not contains_nan(np.random.RandomState()) and not contains_inf(None)
    assert flatten([[1], (2, {"a": [3]})]) == [1, 2, 3]


MANY = 1 << 17


def given_back_and_logged():
    """An op whose first output is its input, and whose second is not."""

    class GivenBackAndLogged(theano.Op):
        __props__ = ()
        view_map = {0: [0]}
        itypes = [T.dvector]
        otypes = [T.dvector, T.dvector]

        def perform(self, node, inputs, outputs):
            outputs[0][0] = inputs[0]
            with np.errstate(all="ignore"):
                outputs[1][0] = np.log(inputs[0])

    return GivenBackAndLogged()


@pytest.mark.parametrize("engine", ENGINES)
def test_infinities_of_float16_are_found_in_large_arrays(engine):
    x = T.vector("x", dtype="float16")
    f = theano.function([x], x * x, mode=NanGuardMode(linker=engine))
    with pytest.raises(AssertionError, match="infinity in output 0"):
        f(np.full(MANY, 900, "float16"))


@pytest.mark.parametrize("engine", ENGINES)
def test_integers_that_float16_cannot_hold_are_found(engine):
    k = T.lvector("k")
    f = theano.function([k], T.cast(k, "float16") * 0.5, mode=NanGuardMode(linker=engine))
    with np.errstate(over="ignore"), pytest.raises(AssertionError, match="infinity"):
        f(np.full(10, 70_000))


@pytest.mark.parametrize("engine", ENGINES)
def test_an_output_beside_one_that_is_a_view_is_looked_at(engine):
    x = T.dvector("x")
    f = theano.function([x], given_back_and_logged()(x)[1], mode=NanGuardMode(linker=engine))
    with pytest.raises(AssertionError, match="NaN in output 1"):
        f(-np.ones(3))


@pytest.mark.parametrize("n", [10, MANY])
@pytest.mark.parametrize("engine", ENGINES)
def test_what_is_made_of_an_exempt_variable_is_looked_at(engine, n):
    x = T.dvector("x")
    y = T.log(x)
    y.tag.nan_guard_mode_check = False
    mode = NanGuardMode(optimizer="merge", linker=engine)
    for made in (-y, T.tanh(y)):
        with pytest.raises(AssertionError, match="NaN in output 0"):
            theano.function([x], made, mode=mode)(-np.ones(n))


@pytest.mark.parametrize("engine", ENGINES)
def test_inside_of_a_loop_the_inner_node_and_its_line_are_named(engine):
    def step(a):
        b = a - 3
        return T.log(b) * 2  # not the line of the loop

    x = T.dvector("x")
    out, _ = theano.scan(step, outputs_info=x.sum(), n_steps=4)
    f = theano.function([x], out[-1], mode=NanGuardMode(linker=engine))
    with pytest.raises(AssertionError, match=r"NaN in output 0 of Elemwise\{log") as found:
        f([10.0, 10.0])
    text = str(found.value)
    assert "return T.log(b) * 2  # not the line of the loop" in text
    assert "_src" not in text  # frames of the package stand between those of the user
    assert found.value.__notes__[0].startswith("Inside of: for{cpu,scan_fn}")


@pytest.mark.parametrize("engine", ENGINES)
def test_inside_of_a_loop_in_a_loop_the_innermost_node_is_named(engine):
    def inner(a):
        return T.sqrt(a - 5)

    def outer(a):
        return theano.scan(inner, outputs_info=a, n_steps=2)[0][-1]

    x = T.dscalar("x")
    out, _ = theano.scan(outer, outputs_info=x, n_steps=2)
    f = theano.function([x], out, mode=NanGuardMode(linker=engine))
    with pytest.raises(AssertionError, match=r"NaN in output 0 of Elemwise\{sqrt"):
        f(6.0)
