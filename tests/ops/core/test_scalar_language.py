"""Graphs of single numbers: variables, rules for dtypes, division, composites as graphs."""

import pickle

import numpy as np
import pytest

import theano
import theano.scalar as ts
import theano.tensor as T


@pytest.mark.parametrize(
    ("make", "dtype"),
    [
        (ts.ints, "int64"),
        (ts.floats, "float64"),
        (ts.complexs, "complex128"),
        (ts.complexs64, "complex64"),
        (ts.complexs128, "complex128"),
    ],
)
def test_variables_are_made_by_their_names(make, dtype):
    x, y = make("xy")
    assert (x.name, y.name, x.type.dtype, y.type.dtype) == ("x", "y", dtype, dtype)
    assert make("z").name == "z" and make(["one"]).name == "one"


# fmt: off
RULES = [
    (ts.upgrade_to_float64,    (ts.float32,),           (ts.float64,)),
    (ts.same_out_nobool,       (ts.int8,),              (ts.int8,)),
    (ts.same_out_nobool,       (ts.bool,),              "bool input not supported"),
    (ts.same_out_min8,         (ts.bool,),              (ts.int8,)),
    (ts.same_out_min8,         (ts.uint16,),            (ts.uint16,)),
    (ts.upcast_out_no_complex, (ts.int8, ts.float32),   (ts.float32,)),
    (ts.upcast_out_no_complex, (ts.int8, ts.complex64), "complex argument not supported"),
    (ts.same_out_float_only,   (ts.float16,),           (ts.float16,)),
    (ts.same_out_float_only,   (ts.int8,),              "only floats are supported"),
    (ts.int_out,               (ts.complex64,),         (ts.int64,)),
    (ts.float_out,             (ts.complex64,),         (ts.float64,)),
    (ts.int_out_nocomplex,     (ts.float32,),           (ts.int64,)),
    (ts.int_out_nocomplex,     (ts.complex64,),         "complex argument not supported"),
    (ts.float_out_nocomplex,   (ts.int8,),              (ts.float64,)),
    (ts.float_out_nocomplex,   (ts.complex64,),         "complex argument not supported"),
]
# fmt: on


@pytest.mark.parametrize(("rule", "given", "found"), RULES)
def test_rules_say_which_dtype_comes_out(rule, given, found):
    if isinstance(found, str):
        with pytest.raises(TypeError, match=found):
            rule(*given)
    else:
        assert rule(*given) == found


def test_a_rule_may_be_a_table():
    one = ts.unary_out_lookup({ts.int8: ts.int32})
    assert one(ts.int8) == [ts.int32]
    two = ts.unary_out_lookup({(ts.int8, ts.int8): [ts.int16]})
    assert two(ts.int8, ts.int8) == [ts.int16]
    with pytest.raises(TypeError, match="got float32"):
        one(ts.float32)
    assert one == ts.unary_out_lookup({ts.int8: ts.int32}) and one != two


def test_an_op_may_name_these_rules():
    class Half(ts.UnaryScalarOp):
        def impl(self, x):
            return x / 2

    x = T.bvector()
    f = theano.function([x], T.Elemwise(Half(ts.upgrade_to_float64))(x))
    made = f(np.array([1, 2], "int8"))
    assert made.dtype == "float64" and made.tolist() == [0.5, 1.0]


def test_an_op_prints_itself_by_its_name_or_by_its_class():
    class Half(ts.UnaryScalarOp):
        def impl(self, x):
            return x / 2

    class Named(Half):
        name = "half"

    assert (str(Half()), str(Named()), str(Named(name="own"))) == ("Half", "half", "own")
    assert (ts.exp.name, str(ts.exp), ts.lt.name, str(ts.lt)) == ("exp", "exp", None, "LT")
    x = T.dvector("x")
    assert theano.pp(T.Elemwise(Named())(x)) == "half(x)"
    assert theano.pp(T.Elemwise(Half())(x)) == "Elemwise{Half}(x)"


def test_a_pullback_gives_the_gradient_of_an_op_of_one_input():
    class Cube(ts.UnaryScalarOp):
        pullback = staticmethod(lambda g, x, y: g * y / x * 3)

        def compute(self, xp, x):
            return x * x * x

    class Flat(Cube):
        def L_op(self, inputs, outputs, output_grads):
            return [output_grads[0] * 0]

    class Linear(Cube):
        def grad(self, inputs, output_grads):
            return [output_grads[0] * 5]

    x = T.dvector("x")
    slopes = [T.grad(T.Elemwise(op())(x).sum(), x) for op in (Cube, Flat, Linear)]
    found = theano.function([x], slopes)([1.0, 2.0])
    assert [g.tolist() for g in found] == [[3.0, 12.0], [0.0, 0.0], [5.0, 5.0]]


def test_the_name_of_a_class_is_no_part_of_an_op():
    assert "name" not in vars(ts.exp) and "name" not in ts.exp.__getstate__()
    own = type(ts.exp)(name="own")
    assert own == ts.exp and str(pickle.loads(pickle.dumps(own))) == "own"


def test_division_of_integers_follows_the_flag(monkeypatch):
    x, y = ts.ints("xy")
    a, b = T.lscalars("ab")
    monkeypatch.setattr(theano.config, "int_division", "raise")
    for divide, u, v in ((ts.div_proxy, x, y), (T.div_proxy, a, b)):
        with pytest.raises(ts.IntegerDivisionError, match="divided by //"):
            divide(u, v)
    monkeypatch.setattr(theano.config, "int_division", "floatX")
    assert ts.div_proxy(x, y).owner.op == ts.true_div
    assert T.div_proxy(a, b).eval({a: 7, b: 2}) == 3.5
    monkeypatch.setattr(theano.config, "int_division", "int")
    with pytest.warns(DeprecationWarning, match="use x // y"):
        assert ts.div_proxy(x, y).owner.op == ts.int_div
    with pytest.warns(DeprecationWarning, match="use x // y"):
        assert a.__div__(b).eval({a: 7, b: 2}) == 3


def test_division_of_floats_is_true_division():
    x = ts.floats("x")
    assert ts.div_proxy(x, 2).owner.op == ts.true_div
    assert T.div_proxy(T.constant(7.0), 2).eval() == 3.5


def test_a_0d_tensor_is_a_number_of_a_scalar_graph():
    x = T.dscalar("x")
    y = ts.exp(x)
    assert y.type == ts.float64
    assert theano.function([x], y)(0.0) == 1.0
    with pytest.raises(TypeError, match="takes a scalar variable or a number"):
        ts.exp(T.dvector())


def test_a_scalar_variable_can_be_cast():
    assert ts.float64("x").astype("int32").type == ts.int32
    assert ts.as_scalar(3.0).astype("int8").type == ts.int8


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_halves_are_rounded_away_from_zero(dtype):
    made = ts.basic.round_half_away_from_zero_vec(np.array([-2.5, -0.5, 0.5, 1.4], dtype))
    assert made.dtype == dtype and made.tolist() == [-3, -1, 1, 1]
    assert ts.basic.round_half_away_from_zero_(-0.5) == -1.0


def test_a_composite_is_a_graph_of_numbers():
    x, y = ts.floats("xy")
    made = ts.Composite([x, y], [(x + 1) * y, x - y])
    assert [v.type for v in made.inputs] == [ts.float64, ts.float64]
    assert str(made.fgraph) == "[mul(add(<float64>, ScalarConstant{1}), <float64>), " + (
        "sub(<float64>, <float64>)]"
    )
    assert [v.owner.op for v in made.outputs] == [ts.mul, ts.sub]
    again = pickle.loads(pickle.dumps(made))
    assert again == made and len(again.fgraph.toposort()) == 3


def test_a_composite_of_one_output_has_no_composite_within():
    x, y = ts.floats("xy")
    inner = ts.Composite([x, y], [x + y])
    assert ts.Composite([x, y], [inner(x * y, y)]).outputs[0].owner.op == ts.add
    several = ts.Composite([x, y], [inner(x * y, y), inner(x, y)])
    assert several.outputs[0].owner.op == inner


def test_a_composite_of_float16_has_a_form_in_float32():
    x, y = ts.float16("x"), ts.float32("y")
    inner = ts.Composite([x, y], [ts.tanh(x + ts.cast(y, "float16"))])
    made = ts.Composite([x, y], [inner(x, y) * ts.as_scalar(np.float16(0.1))])
    wide = made.clone_float32()
    assert not any(v.type == ts.float16 for v in wide.fgraph.variables)
    f = theano.function([x, y], made(x, y))
    g = theano.function([y, wide.inputs[1]], wide(y, wide.inputs[1]))
    np.testing.assert_allclose(f(np.float16(0.5), 0.25), g(0.5, 0.25), rtol=2e-3)


def test_bools_and_unsigned_numbers_are_compared():
    assert ts.bool.values_eq_approx(np.True_, np.True_)
    assert not ts.bool.values_eq_approx(np.True_, np.False_)
    assert ts.uint8.values_eq_approx(np.uint8(7), np.uint8(7))
    assert not ts.uint8.values_eq_approx(np.uint8(1), np.uint8(2))
