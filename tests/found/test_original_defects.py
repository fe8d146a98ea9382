"""Differences from Theano 1.0.5 that its own tests found; each was wrong or refused before."""

from __future__ import annotations

import copy
import pickle

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
    assert str(Times()) == "Times"


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


# Rop


class Break(theano.Op):
    """The identity, whose derivatives nobody knows."""

    __props__ = ()

    def make_node(self, x):
        return theano.Apply(self, [x], [x.type()])

    def perform(self, node, inputs, output_storage):
        output_storage[0][0] = inputs[0].copy()

    def grad(self, inputs, output_grads):
        return [theano.gradient.grad_undefined(self, 0, inputs[0])]

    def R_op(self, inputs, eval_points):
        return [None]


X, V = T.dvectors("xv")


@pytest.mark.parametrize(
    "f",
    [
        lambda x: Break()(x * 2),
        lambda x: Break()(x) + x,
        lambda x: T.exp(Break()(x * 2)).sum(),
        lambda x: theano.OpFromGraph([x], [Break()(x) * 2])(x),
        lambda x: theano.scan(lambda e: Break()(e) * e, sequences=x)[0],
        lambda x: x.shape[0],
        lambda x: T.argmax(x),
        lambda x: T.constant([1.0, 2.0]),
    ],
    ids=["direct", "mixed", "sum", "OpFromGraph", "scan", "shape", "argmax", "constant"],
)
def test_a_product_with_a_jacobian_that_is_not_known_is_refused(f):
    with pytest.raises(theano.gradient.DisconnectedInputError, match="Rop"):
        T.Rop(f(X), X, V)


@pytest.mark.parametrize(
    "f",
    [
        lambda x: (Break()(x) > 0) * x,
        lambda x: x / x.shape[0],
        lambda x: x * T.argmax(x),
        lambda x: theano.gradient.disconnected_grad(Break()(x)) * x,
        lambda x: theano.OpFromGraph([x], [x * T.argmax(x)])(x),
    ],
    ids=["comparison", "shape", "argmax", "disconnected", "OpFromGraph"],
)
def test_a_product_does_not_need_what_it_does_not_depend_on(f):
    x, v = np.array([1.0, 2.0, 3.0]), np.array([3.0, 2.0, 1.0])
    run = theano.function([X, V], [f(X), T.Rop(f(X), X, V)])
    value, made = run(x, v)
    np.testing.assert_allclose(made, value / x * v)


def test_what_is_given_for_a_product_that_is_not_known_can_be_chosen():
    f = Break()(X * 2)
    assert T.Rop(f, X, V, disconnected_outputs="ignore").eval({X: [1, 2]}).sum() == 0
    assert T.Rop(f, X, V, "ignore", "none") is None
    found = T.Rop(f, X, V, "ignore", "disconnected")
    assert isinstance(found.type, theano.gradient.DisconnectedType)
    with pytest.warns(UserWarning, match="R_op of Break"):
        T.Rop(f, X, V, disconnected_outputs="warn")
    with pytest.raises(ValueError, match="disconnected_outputs is one of"):
        T.Rop(f, X, V, disconnected_outputs="yes")


# gradients of graphs of single numbers


def nodes(variables):
    return theano.gof.graph.ops([], [v for v in variables if v.owner is not None])


def test_the_gradient_of_a_graph_of_numbers_is_one():
    x, y = ts.float64("x"), ts.float64("y")
    cost = ts.exp(x * y) / 3 + ts.switch(x > y, x, y) + ts.pow(x, y) * ts.floor(y) + x
    found = theano.gradient.grad(cost, [x, y])
    assert [g.type for g in found] == [ts.float64, ts.float64]
    assert all(isinstance(node.op, ts.ScalarOp) for node in nodes(found))
    made = theano.function([x, y], found)(0.5, 2.5)
    want_x = 2.5 * np.exp(1.25) / 3 + 2.5 * 0.5**1.5 * 2 + 1
    want_y = 0.5 * np.exp(1.25) / 3 + 1 + 0.5**2.5 * np.log(0.5) * 2
    np.testing.assert_allclose(made, [want_x, want_y])
    one = T.Elemwise(ts.Composite([x, y], [found[0]]))
    a, b = T.dvectors("ab")
    made = theano.function([a, b], one(a, b))([0.5], [2.5])
    np.testing.assert_allclose(made, [want_x])


@pytest.mark.parametrize("compare", [ts.gt, ts.lt, ts.ge, ts.le, ts.eq, ts.neq])
def test_the_gradient_of_a_comparison_of_numbers_is_zero(compare):
    x = ts.float64("x")
    g = theano.gradient.grad(compare(x, 2.0), x)
    assert g.type == ts.float64
    assert theano.function([x], g, on_unused_input="ignore")(3.0) == 0


def test_numbers_in_a_graph_of_tensors_have_derivatives_both_ways():
    x, v = T.dscalars("x", "v")
    y = T.tensor_from_scalar(ts.sin(T.scalar_from_tensor(x * 2)) * 3) ** 2
    f = theano.function([x, v], [T.grad(y, x), T.Rop(y, x, v)])
    back, forward = f(0.3, 2.0)
    want = 2 * 3 * np.sin(0.6) * 3 * np.cos(0.6) * 2
    np.testing.assert_allclose([back, forward], [want, want * 2])


def test_a_user_s_gradient_of_numbers_is_taken_as_it_is():
    class Cube(ts.UnaryScalarOp):
        def impl(self, x):
            return x**3

        def grad(self, inputs, output_grads):
            return [output_grads[0] * 3 * inputs[0] ** 2]

    x = ts.float64("x")
    g = theano.gradient.grad(Cube(ts.same_out)(x), x)
    assert theano.function([x], g)(2.0) == 12


# known gradients


def test_a_known_gradient_of_the_cost_is_taken_for_the_cost_s_own():
    x = T.dscalar("x")
    cost = x**2
    for known in (T.constant(3.0), 3.0):
        assert T.grad(cost, x, known_grads={cost: known}).eval({x: 5.0}) == 30


def test_a_cost_that_is_known_to_be_disconnected_has_no_gradients():
    x, y = T.iscalars("x", "y")
    cost = x + y
    none = theano.gradient.DisconnectedType()()
    with pytest.raises(theano.gradient.DisconnectedInputError):
        T.grad(cost, [x, y], known_grads={cost: none})


# test values


def test_derivatives_of_an_op_from_a_graph_have_test_values():
    with theano.config.change_flags(compute_test_value="raise"):
        x, y, v = T.dscalars("x", "y", "v")
        for s in (x, y, v):
            s.tag.test_value = np.array(2.0)
        f = theano.OpFromGraph([x], [x**3])(y)
        assert T.grad(f, y).tag.test_value == 12
        assert T.Rop(f, y, v).tag.test_value == 24
        assert T.grad(T.grad(f, y), y).tag.test_value == 12


def test_derivatives_of_numbers_have_test_values():
    with theano.config.change_flags(compute_test_value="raise"):
        x = T.dscalar("x")
        x.tag.test_value = np.array(2.0)
        y = T.tensor_from_scalar(ts.pow(T.scalar_from_tensor(x), 3))
        assert T.grad(y, x).tag.test_value == 12


# what was refused


@pytest.mark.parametrize("acc_dtype", ["float32", "float64"])
@pytest.mark.parametrize("dtype", ["uint64", "int8", "bool"])
def test_a_product_of_integers_that_is_computed_in_floats_has_a_gradient(dtype, acc_dtype):
    x = T.vector(dtype=dtype)
    y = x.prod(dtype="float64", acc_dtype=acc_dtype)
    values = np.array([1, 0, 1], dtype) if dtype == "bool" else np.array([2, 3, 4], dtype)
    made = theano.function([x], T.grad(y, x))(values)
    assert made.tolist() == ([0, 1, 0] if dtype == "bool" else [12, 8, 6])


def test_dtypes_may_be_objects_of_numpy():
    assert ts.upcast(np.dtype("float32"), np.dtype("float64")) == "float64"
    assert ts.upcast(np.float32, "int8", np.dtype("int16")) == "float32"
    with pytest.raises(TypeError, match="Unsupported dtype"):
        ts.upcast("float33")


def test_a_variable_within_its_own_replacement_is_itself():
    a = theano.shared(1.0, "a")
    a.default_update = a + 3
    f = theano.function([], a + 10, givens={a: a + 10})
    assert [float(f()), float(f())] == [21, 34]
    x = T.dscalar("x")
    twice = x * 2
    f = theano.function([x], [twice, x + 1], givens={twice: twice + 1})
    assert [float(v) for v in f(5)] == [11, 6]
    b, c = theano.shared(2.0), theano.shared(5.0)
    f = theano.function([], b + c, givens={b: b + c, c: c * 10})
    assert f() == (2 + 50) + 50
    with pytest.raises(ValueError, match="depends on"):
        theano.function([], b + c, givens={b: c + 1, c: b + 1})


@pytest.mark.parametrize("linker", ["numpy", "py", pytest.param("xla", marks=pytest.mark.xla)])
@pytest.mark.parametrize("arguments", [4, 5])
def test_thunks_are_made_with_or_without_the_argument_impl(arguments, linker):
    class Double(theano.Op):
        __props__ = ("arguments",)

        def __init__(self, arguments):
            self.arguments = arguments

        def make_node(self, x):
            return theano.Apply(self, [x], [x.type()])

        def thunk(self, node, storage_map, compute_map):
            def run():
                storage_map[node.outputs[0]][0] = storage_map[node.inputs[0]][0] * 2
                compute_map[node.outputs[0]][0] = True

            return run

    class Four(Double):
        def make_thunk(self, node, storage_map, compute_map, no_recycling):
            return self.thunk(node, storage_map, compute_map)

    class Five(Double):
        def make_thunk(self, node, storage_map, compute_map, no_recycling, impl):
            assert impl in (None, "py")
            return self.thunk(node, storage_map, compute_map)

    op = {4: Four, 5: Five}[arguments](arguments)
    x = T.dvector()
    made = theano.function([x], [op(x), op(T.constant([3.0]))], mode=theano.Mode(linker))([1, 2])
    assert [v.tolist() for v in made] == [[2, 4], [6]]


# loops


@pytest.mark.filterwarnings("ignore:The gradient of .* is zero, as integers have no")
def test_the_gradient_of_a_loop_of_integers_is_zero():
    x = theano.shared(np.arange(2))
    taps = [{"initial": x, "taps": [-2, -1]}]
    rows, _ = theano.scan(lambda p, q: q, outputs_info=taps, n_steps=2)
    assert T.grad(rows[-1], x).eval().tolist() == [0, 0]
    s = T.dvector()
    first = T.constant(0, dtype="int64")
    rows, _ = theano.scan(lambda e, p: p + T.cast(e, "int64"), sequences=s, outputs_info=first)
    assert T.grad(rows.sum(), s).eval({s: [1.5, 2.5]}).tolist() == [0, 0]


def test_an_initial_state_that_no_step_reads_has_no_gradient():
    def step(x, y, z):
        return x**2, y, x + 1

    x0, y0, z0 = T.dvectors("x0", "y0", "z0")
    (x, y, z), _ = theano.scan(step, outputs_info=[x0, y0, z0], n_steps=10)
    gx, gy = T.grad((x + y + z).sum(), [x0, y0])
    made = theano.function([x0, y0, z0], [gx, gy], on_unused_input="ignore")([0.0], [5.0], [7.0])
    assert [v.tolist() for v in made] == [[1], [10]]
    with pytest.raises(theano.gradient.DisconnectedInputError):
        T.grad((x + y + z).sum(), z0)
    with pytest.raises(theano.gradient.DisconnectedInputError):
        T.grad(x.sum(), y0)


def test_a_final_state_is_the_initial_one_where_there_are_no_steps():
    n, z0 = T.iscalar("n"), T.dscalar("z0")
    (_, z), _ = theano.scan(lambda x, z: [x * 2, x], outputs_info=[T.constant(1.0), z0], n_steps=n)
    last = T.set_subtensor(T.zeros((2,))[0], z[-1])
    made = theano.function([n, z0], last, on_unused_input="ignore")(2, 5.0)
    assert made.tolist() == [2, 0]


def test_the_output_of_a_single_step_need_not_fit_the_initial_state():
    y = T.iscalar("y")
    rows, _ = theano.scan(lambda p: y, outputs_info=0, n_steps=1)
    assert rows.dtype == "int32"
    assert theano.function([y], rows)(70000).tolist() == [70000]
    with pytest.raises(ValueError, match="whose dtype holds the output"):
        theano.scan(lambda p: y, outputs_info=0, n_steps=2)


# arguments


@pytest.mark.parametrize("engine", ENGINES)
def test_a_composite_takes_other_dtypes_than_it_was_made_of(engine):
    x, y, z = ts.int8("x"), ts.int8("y"), ts.float32("z")
    c = ts.Composite([x, y, z], [x * y / z])
    a, b, d = T.fvector(), T.bvector(), T.fvector()
    out = T.Elemwise(c)(a, b, d)
    assert out.dtype == "float32"
    f = theano.function([a, b, d], out, mode=theano.Mode(engine))
    args = np.array([1.5, 2], "float32"), np.array([3, 100], "int8"), np.array([2, 4], "float32")
    assert f(*args).tolist() == [2.25, 50]
    with pytest.raises(TypeError, match="takes 3 inputs, got 2"):
        c(x, y)
    made = c(ts.float64("a"), y, z)
    assert made.dtype == "float64"
    # int8 times int8 wraps, in the dtypes that it was made of
    f = theano.function([b, T.bvector("e"), d], T.Elemwise(c)(b, b, d), on_unused_input="ignore")
    assert f(np.array([100], "int8"), np.array([0], "int8"), np.array([1], "float32")) == 16


def test_a_scalar_constant_takes_a_dtype():
    two = ts.constant(2, dtype="float32")
    assert two.type == ts.float32
    assert two.data.dtype == "float32"
    assert ts.constant(2.0, "two", "int8").name == "two"


def test_smallest_and_largest_take_any_number_of_arguments():
    x, y, z = T.dvectors("x", "y", "z")
    assert T.smallest(x).eval({x: [3, 1]}).tolist() == [3, 1]
    outs = [T.smallest(x, y, z), T.largest(x, y, z), T.largest(x, 2)]
    made = theano.function([x, y, z], outs)([1, 5], [2, 4], [3, 3])
    assert [v.tolist() for v in made] == [[1, 3], [3, 5], [2, 5]]


def test_one_length_makes_a_vector_of_what_is_reshaped():
    x, n = T.dmatrix("x"), T.lscalar("n")
    assert T.reshape(x, T.as_tensor_variable(6), ndim=1).eval({x: np.ones((2, 3))}).shape == (6,)
    made = theano.function([x, n], T.reshape(x, n, ndim=1))
    assert made(np.ones((2, 3)), 6).shape == (6,)


def test_zero_stands_for_equal_probabilities_of_a_choice():
    state = T.raw_random.random_state_type()
    _, sample = T.raw_random.choice(state, (11, 8), 10, 1, 0)
    made = theano.function([state], sample)(np.random.RandomState(3))
    np.testing.assert_array_equal(made, np.random.RandomState(3).choice(10, (11, 8), True, None))


@pytest.mark.parametrize("engine", ENGINES)
def test_an_axis_to_sort_along_may_come_as_a_float(engine):
    a, axis = T.dmatrix("a"), T.dscalar("axis")
    values = np.array([[3.0, 1.0], [2.0, 5.0]])
    outs = [T.sort(a, axis), T.argsort(a, axis)]
    f = theano.function([a, axis], outs, mode=theano.Mode(engine))
    for k in (0, 1, -1):
        made = f(values, k)
        np.testing.assert_array_equal(made[0], np.sort(values, k))
        np.testing.assert_array_equal(made[1], np.argsort(values, k))
    with pytest.raises(AssertionError, match="takes an integer as axis"):
        f(values, 0.5)
    with pytest.raises(TypeError, match="takes an integer as axis"):
        T.sort(a, 0.5)
    made = theano._src.ops.arrays.sort.SortOp("quicksort", [])(a)
    np.testing.assert_array_equal(made.eval({a: values}), np.sort(values))


# texts and hashes


def test_a_formatter_of_leaves_is_asked_for_the_arguments_of_nodes():
    x, y = T.dscalars("x", "y")
    z = x + y
    show = theano.gof.graph.as_string
    assert show([x, y], [z * z], leaf_formatter=lambda v: f"<{v.name}>") == [
        "Elemwise{mul,no_inplace}(*1 -> Elemwise{add,no_inplace}(<x>, <y>), *1)"
    ]
    made = show(
        [x, y],
        [z * z, z],
        leaf_formatter=lambda v: v.name.upper(),
        node_formatter=lambda node, args: f"{len(args)}({'; '.join(args)})",
    )
    assert made == ["2(*1 -> 2(X; Y); *1)", "*1"]


def test_the_hash_of_a_part_of_an_array_is_that_of_its_copy():
    h = theano.tensor.utils.hash_from_ndarray
    r = np.arange(12.0)
    assert h(r[::2]) == h(r[::2].copy())
    assert h(r.reshape(3, 4).T) == h(r.reshape(3, 4).T.copy(order="K"))
    assert h(r.reshape(3, 4)) != h(r.reshape(4, 3))


def test_one_number_is_a_known_gradient_for_all_elements():
    x = T.dmatrix("x")
    y = x**2
    g = T.grad(None, x, known_grads={y: T.constant(3.0)})
    assert g.eval({x: [[1, 2], [3, 4]]}).tolist() == [[6, 12], [18, 24]]
    with pytest.raises(ValueError, match="number of dimensions"):
        T.grad(None, x, known_grads={y: T.dvector()})


# arrays that are given twice


@pytest.mark.parametrize("mode", [None, "numpy", "py", pytest.param("xla", marks=pytest.mark.xla)])
def test_an_array_given_twice_is_not_read_after_it_was_overwritten(mode):
    mode = mode and theano.Mode(mode)
    x, y, d = T.dvector("x"), T.dvector("y"), T.dvector("d")
    s = theano.shared(np.ones(3))
    held = np.ones(3)
    s.set_value(held, borrow=True)
    out = T.dot(x * 2, T.eye(3)) + T.dot(y * 3, T.eye(3)) + d + s
    # defaults too can have the memory of an argument
    for spec in (y, theano.In(y, mutable=True)):
        ins = [theano.In(x, mutable=True), spec, theano.In(d, value=np.zeros(3), borrow=True)]
        f = theano.function(ins, out, mode=mode)
        for call in (lambda v, f=f: f(v, v), lambda v, f=f: f(x=v, y=v), lambda v, f=f: f(v, y=v)):
            assert call(np.ones(3)).tolist() == [6, 6, 6]
            wide = np.ones(4)
            assert f(wide[:3], wide[1:]).tolist() == [6, 6, 6]
        f.trust_input = True
        v = np.ones(3)
        assert f(v, v, v * 0).tolist() == [6, 6, 6]
    f = theano.function([theano.In(x, mutable=True)], T.dot(x * 2, T.eye(3)) + s, mode=mode)
    assert f(held).tolist() == [3, 3, 3]


@pytest.mark.parametrize("mode", ["numpy", "py"])
def test_a_graph_that_overwrites_one_of_two_equal_arguments_reads_the_other_as_it_was(mode):
    x, y = T.dvectors("x", "y")
    out = theano.tensor.inplace.exp_inplace(x) + T.dot(y, T.eye(3))
    f = theano.function([x, y], out, accept_inplace=True, mode=theano.Mode(mode))
    v = np.zeros(3)
    assert f(v, v).tolist() == [1, 1, 1]


@pytest.mark.parametrize("copied", [lambda x: pickle.loads(pickle.dumps(x)), copy.deepcopy])
@pytest.mark.parametrize("turned", [False, True])
def test_functions_that_hold_state_together_do_so_after_copying_both(copied, turned):
    x, s = T.dscalars("x", "s")
    f = theano.function([x, theano.In(s, value=0.0, update=s + x)], s)
    g = theano.function([x, theano.In(s, value=f.container[s], update=s + x)], s)
    f(1)
    both = copied([g, f] if turned else [f, g])
    new_f, new_g = both[::-1] if turned else both
    assert [float(v) for v in (new_f(10), new_g(100), new_f(1000))] == [1, 11, 111]
    assert [float(v) for v in (f(2), g(3))] == [1, 3]


@pytest.mark.parametrize("mode", [None, "numpy", "py"])
def test_none_may_be_given_where_an_op_has_a_default(mode):
    mode = mode and theano.Mode(mode)
    x, y = T.dscalars("x", "y")
    f = theano.function([x, y], T.default(x, y) * 1.0, mode=mode)
    assert [float(f(*args)) for args in [(1, 2), (None, 2), (1, None)]] == [1, 2, 1]
    new = y + T.default(x, T.constant(3.8, dtype="float64"))
    f = theano.function([y, theano.In(x, update=new, value=12.0)], new, mode=mode)
    assert f(3) == 15
    f["x"] = None
    np.testing.assert_allclose([f(1), f(2.2)], [4.8, 7])
    with pytest.raises(TypeError, match="Bad input argument"):
        theano.function([x, y], T.default(x, y) + x, mode=mode)(None, 2)


def test_the_gradient_of_an_op_that_overwrites_its_input_can_be_verified():
    p = np.random.RandomState(1).rand(2, 3)
    T.verify_grad(theano.tensor.inplace.exp_inplace, [p], rng=np.random.RandomState(0))


@pytest.mark.parametrize("engine", ENGINES)
def test_an_update_of_a_part_by_another_part_that_may_be_aliased_is_right(engine):
    x = theano.shared(np.arange(4.0))
    out = T.inc_subtensor(x[1:], x[:-1], tolerate_inplace_aliasing=True)
    theano.function([], updates=[(x, out)], mode=theano.Mode(engine))()
    assert x.get_value().tolist() == [0, 1, 3, 5]
