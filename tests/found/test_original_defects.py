"""Differences from Theano 1.0.5 that its own tests found; each was wrong or refused before."""

from __future__ import annotations

import copy

import numpy as np
import pytest

import theano
import theano.scalar as ts
import theano.tensor as T

ENGINES = [pytest.param("numpy"), pytest.param("xla", marks=pytest.mark.xla)]


# values


def test_a_scalar_constant_is_computed_in_its_declared_dtype():
    np.testing.assert_allclose(ts.exp(1).eval(), np.e, rtol=1e-6)
    assert ts.exp(1).eval().dtype == ts.exp(1).dtype == "float32"


@pytest.mark.parametrize("order", ["F", "transposed", "strided"])
def test_finite_differences_do_not_depend_on_the_order_in_memory(order):
    p = np.random.RandomState(1).rand(4, 3)
    p = {"F": np.asfortranarray(p), "transposed": p.T, "strided": p[::2, ::-1]}[order]
    T.verify_grad(lambda x: T.sqr(x) * 3, [p], rng=np.random.RandomState(0))
    found = theano.gradient.numeric_grad(lambda x: float((x**2 * 3).sum()), p).gf
    np.testing.assert_allclose(found, 6 * p, rtol=1e-5)


def test_a_gradient_that_is_wrongly_zero_fails_at_a_transposed_point():
    class Square(theano.Op):
        __props__ = ()

        def make_node(self, x):
            return theano.Apply(self, [x], [x.type()])

        def compute(self, xp, x):
            return x * x

        def grad(self, inputs, output_grads):
            return [inputs[0].zeros_like()]

    p = np.random.RandomState(1).rand(2, 3).T
    with pytest.raises(theano.gradient.GradientError):
        T.verify_grad(Square(), [p], rng=np.random.RandomState(0))


# scalar ops of users


class Times(ts.ScalarOp):
    """Does not call the __init__ of its base."""

    def __init__(self):
        self.output_types_preference = ts.upgrade_to_float

    def impl(self, n, x):
        return x * n


@pytest.mark.parametrize("engine", ENGINES)
def test_a_scalar_op_need_not_call_the_init_of_its_base(engine):
    x = T.dscalar()
    f = theano.function([x], T.Elemwise(Times())(2.0, x), mode=theano.Mode(engine))
    assert f(3.0) == 6.0
    assert str(Times()) == "times"


class ExpAndHalf(ts.Exp):
    def impl(self, x):
        return super().impl(x) + 0.5


@pytest.mark.parametrize("engine", ENGINES)
def test_an_impl_below_an_op_with_another_meaning_is_what_is_meant(engine):
    x = T.bmatrix()
    number = T.scalar_from_tensor(x[0, 0])
    outs = [T.Elemwise(ExpAndHalf())(x), T.tensor_from_scalar(ExpAndHalf()(number))]
    whole, one = theano.function([x], outs, mode=theano.Mode(engine))(np.ones((2, 2), "int8"))
    assert whole.dtype == one.dtype == "float32"
    np.testing.assert_allclose(whole, np.e + 0.5, rtol=1e-6)
    np.testing.assert_allclose(one, np.e + 0.5, rtol=1e-6)


# results that go into the memory of the first input


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    ("name", "want"),
    [
        ("true_div", [[10, 1, 0]]),
        ("arctan2", [[1, 0, 0]]),
        ("mul", [[2, 3, 12]]),
        ("pow", [[2, 3, 81]]),
        ("int_div", [[10, 1, 0]]),
        ("maximum", [[5, 2, 4]]),
    ],
)
def test_a_result_for_the_memory_of_integers_is_computed_in_floats(name, want, engine):
    for dtype in ("int64", "int32", "uint8"):
        x, y = T.matrix(dtype=dtype), T.dmatrix()
        op = getattr(theano.tensor.inplace, f"{name}_inplace")
        inputs = [theano.In(x, mutable=True), y]
        mode = theano.Mode(engine)
        f = theano.function(inputs, op(x, y), mode=mode, accept_inplace=True)
        made = f(np.array([[5, 2, 3]], dtype), np.array([[0.5, 1.6, 4.0]]))
        assert made.dtype == dtype
        assert made.tolist() == want


@pytest.mark.parametrize("engine", ENGINES)
def test_an_op_told_to_give_wider_floats_computes_in_them(engine):
    x = T.fvector()
    wide = T.Elemwise(ts.Exp(ts.specific_out(ts.float64)))
    made = theano.function([x], wide(x), mode=theano.Mode(engine))(np.array([1, 2], "float32"))
    np.testing.assert_allclose(made, np.exp([1.0, 2.0]), rtol=1e-14)


# memory that is not to be written to


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    "expression",
    [
        lambda x: T.exp(x) * 2 + 1,
        lambda x: T.exp(x[:2]) * 2 + 1,
        lambda x: T.exp(x.dimshuffle("x", 0)),
        lambda x: T.inc_subtensor(x[1:], 5.0),
        lambda x: T.inc_subtensor(x[::-1][1:], 5.0),
        lambda x: T.set_subtensor(x.reshape((3, 1))[T.arange(2)], 5.0),
    ],
    ids=["elementwise", "slice", "dimshuffle", "increment", "reversed", "reshaped"],
)
def test_what_is_tagged_indestructible_is_not_overwritten(expression, engine):
    x = T.dvector("x")
    x.tag.indestructible = True
    given = theano.In(x, mutable=True, borrow=True)
    a = np.ones(3)
    theano.function([given], expression(x), mode=theano.Mode(engine))(a)
    assert a.tolist() == [1, 1, 1]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("step", [lambda s: T.exp(s) + 1, lambda s: T.inc_subtensor(s[1:], 5.0)])
def test_a_shared_array_that_is_tagged_indestructible_is_not_overwritten(step, engine):
    a = np.ones(3)
    s = theano.shared(a, borrow=True)
    s.tag.indestructible = True
    f = theano.function([], [], updates=[(s, step(s))], mode=theano.Mode(engine))
    f()
    f()
    assert a.tolist() == [1, 1, 1]
    assert s.get_value()[2] > 2


def test_a_graph_that_overwrites_what_is_tagged_indestructible_is_refused():
    x = T.dvector("x")
    x.tag.indestructible = True
    for made in (x, x[1:], x.dimshuffle("x", 0)):
        with pytest.raises(theano.gof.InconsistencyError, match="indestructible"):
            theano.function([x], theano.tensor.inplace.exp_inplace(made), accept_inplace=True)


# accept_inplace


@pytest.mark.parametrize("mode", [None, "numpy", "py"])
def test_a_graph_may_overwrite_its_inputs_where_that_is_accepted(mode):
    x = T.dvector("x")
    mode = mode and theano.Mode(mode)
    exp = theano.tensor.inplace.exp_inplace
    a = np.ones(3)
    made = theano.function([x], exp(x), accept_inplace=True, mode=mode)(a)
    assert made.tolist() == a.tolist() == np.exp(np.ones(3)).tolist()
    a = np.ones(3)
    f = theano.function([x], T.inc_subtensor(x[1:], 5, inplace=True), accept_inplace=True)
    assert f(a).tolist() == a.tolist() == [1, 6, 6]
    with pytest.raises(TypeError, match="must not contain inplace"):
        theano.function([x], exp(x))


@pytest.mark.xla
def test_a_compiled_graph_gives_the_values_of_one_that_overwrites_its_inputs():
    x = T.dvector("x")
    outs = [T.inc_subtensor(x[1:], 5, inplace=True) + 1]
    f = theano.function([x], outs, accept_inplace=True, mode=theano.Mode("xla"))
    assert f(np.ones(3))[0].tolist() == [2, 7, 7]


def test_other_inputs_stay_protected_where_one_is_overwritten():
    x, y = T.dvectors("x", "y")
    f = theano.function([x, y], theano.tensor.inplace.exp_inplace(x) + y * 2, accept_inplace=True)
    a, b = np.ones(3), np.ones(3)
    f(a, b)
    assert b.tolist() == [1, 1, 1]


def test_the_engine_that_overwrites_arguments_is_kept_however_long_it_runs():
    x = T.dvector("x")
    f = theano.function([x], theano.tensor.inplace.exp_inplace(x), accept_inplace=True)
    for g in (f, f.copy()):
        a = np.zeros(1 << 20)
        for _ in range(40):
            a[:] = 0
            g(a)
            assert a[-1] == 1


@pytest.mark.parametrize("engine", ["numpy", "py"])
def test_a_shared_variable_is_overwritten_where_a_graph_says_so_and_not_given_out(engine):
    s = theano.shared(np.zeros(3))
    # left on the device by the other engine
    theano.function([], [], updates=[(s, s * 1)], mode=theano.Mode("xla"))()
    exp = theano.tensor.inplace.exp_inplace(s)
    f = theano.function([], exp, accept_inplace=True, mode=theano.Mode(engine))
    first = f()
    assert first.tolist() == s.get_value().tolist() == [1, 1, 1]
    f()
    assert first.tolist() == [1, 1, 1]
    np.testing.assert_allclose(s.get_value(), np.e)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("flags", [{"mutable": True}, {"mutable": True, "borrow": True}])
def test_each_call_begins_with_the_default_of_a_mutable_input(flags, engine):
    x = T.dvector("x")
    given = np.ones(3)
    f = theano.function([theano.In(x, value=given, **flags)], x * 2 + 1, mode=theano.Mode(engine))
    assert [f().tolist() for _ in range(3)] == [[3, 3, 3]] * 3
    assert given.tolist() == [1, 1, 1]


# memory of constants


@pytest.mark.parametrize("ask", [T.extract_constant, T.get_scalar_constant_value])
def test_a_constant_asked_for_is_a_copy(ask):
    c = T.constant(3)
    for v in (c, c.dimshuffle("x"), T.alloc(c, 2, 2), T.zeros((2,)) * 0 + c, T.fill([1, 2], c)):
        found = ask(v)
        found += 1
        assert c.data == 3
        assert ask(v) == 3


@pytest.mark.parametrize("engine", ENGINES)
def test_what_a_function_returns_can_be_changed_without_changing_the_graph(engine):
    c = T.constant(np.arange(3.0))
    x = T.dvector("x")
    views = [lambda v: v, lambda v: v[1:], lambda v: v.dimshuffle("x", 0), lambda v: T.exp(v)[1:]]
    s = theano.shared(np.arange(3.0))
    outs = [view(v) for v in (c, s, x) for view in views]
    given = theano.In(x, value=np.arange(3.0))
    f = theano.function([given], outs, mode=theano.Mode(engine))
    first = f()
    copies = [out.copy() for out in first]
    for out in first:
        out += 1
    for out, want in zip(f(), copies, strict=True):
        np.testing.assert_array_equal(out, want)
    assert c.data.tolist() == s.get_value().tolist() == [0, 1, 2]


# copies of functions


def test_a_deep_copy_trusts_its_input_as_its_source_does_and_holds_the_same_state():
    x, n = T.dvector("x"), T.dscalar("n")
    f = theano.function([x], x * 2)
    f.trust_input = True
    assert copy.deepcopy(f).trust_input
    f = theano.function([theano.In(n, value=0.0, update=n + 1)], n)
    f()
    f()
    g = copy.deepcopy(f)
    assert [float(g()), float(g()), float(f())] == [2, 3, 2]


@pytest.mark.parametrize("engine", ENGINES)
def test_a_result_that_integers_cannot_hold_wraps_as_in_a_cast(engine):
    x, y = T.matrix(dtype="uint8"), T.dmatrix()
    subtract = theano.tensor.inplace.sub_inplace(x, y)
    inputs = [theano.In(x, mutable=True), y]
    f = theano.function(inputs, subtract, mode=theano.Mode(engine), accept_inplace=True)
    made = f(np.array([[5, 2, 3]], "uint8"), np.array([[7.5, 300.0, -260.0]]))
    assert made.tolist() == [[254, 214, 7]]
