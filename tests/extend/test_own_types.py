"""Types of users: values that are no arrays, their variables and constants, on every engine."""

import copy
import pickle

import numpy as np
import pytest

import theano
import theano.tensor as T
from theano import gof
from theano.compile import SharedVariable, shared_constructor
from theano.gof import Apply, Constant, Container, Op, Type, Variable, generic
from theano.gradient import NullTypeGradError, grad_undefined
from theano.ifelse import ifelse

LINKERS = ["py", "numpy", "xla", "cvm"]
Polynomial = np.polynomial.Polynomial


@pytest.fixture(params=LINKERS)
def mode(request):
    return theano.Mode(request.param, "fast_run")


class Operators:
    """What variables and constants of polynomials have in common."""

    def __add__(self, other):
        return add(self, other)

    def __radd__(self, other):
        return add(other, self)

    def __mul__(self, other):
        return mul(self, other)

    def __getitem__(self, k):
        return Coefficient(k)(self)

    def __call__(self, t):
        return evaluate(self, t)


class PolynomialVariable(Operators, Variable):
    pass


class PolynomialConstant(Operators, Constant):
    def signature(self):
        return (self.type, tuple(self.data.coef))


class PolynomialShared(Operators, SharedVariable):
    pass


class PolynomialType(Type):
    Variable = PolynomialVariable
    Constant = PolynomialConstant

    def filter(self, value, strict=False, allow_downcast=None):
        if isinstance(value, Polynomial):
            return value
        if strict or not isinstance(value, list | tuple | np.ndarray):
            raise TypeError(f"a polynomial is needed, got {type(value).__name__}")
        return Polynomial(np.asarray(value, "float64"))

    def values_eq(self, a, b):
        return np.array_equal(a.coef, b.coef)

    def values_eq_approx(self, a, b):
        return len(a.coef) == len(b.coef) and np.allclose(a.coef, b.coef)

    def may_share_memory(self, a, b):
        return np.may_share_memory(a.coef, b.coef)

    def clone(self):
        return type(self)()

    def __eq__(self, other):
        return type(self) is type(other)

    def __hash__(self):
        return hash(type(self))

    def __str__(self):
        return "Polynomial"

    __repr__ = __str__


poly = PolynomialType()


def as_poly(value):
    return value if isinstance(value, Variable) else poly.make_constant(value)


class Binary(Op):
    __props__ = ("sign",)

    def __init__(self, sign):
        self.sign = sign

    def make_node(self, a, b):
        return Apply(self, [as_poly(a), as_poly(b)], [poly()])

    def perform(self, node, inputs, output_storage):
        a, b = inputs
        output_storage[0][0] = a + b if self.sign == "+" else a * b


class Coefficient(Op):
    __props__ = ("k",)

    def __init__(self, k):
        self.k = k

    def make_node(self, p):
        return Apply(self, [as_poly(p)], [T.dscalar()])

    def perform(self, node, inputs, output_storage):
        output_storage[0][0] = np.asarray(inputs[0].coef[self.k])


class Derivative(Op):
    __props__ = ()
    itypes, otypes = [poly], [poly]

    def perform(self, node, inputs, output_storage):
        output_storage[0][0] = inputs[0].deriv()


class Evaluate(Op):
    __props__ = ()

    def make_node(self, p, t):
        t = T.as_tensor_variable(t)
        return Apply(self, [as_poly(p), t], [t.type()])

    def perform(self, node, inputs, output_storage):
        output_storage[0][0] = inputs[0](inputs[1])

    def infer_shape(self, node, shapes):
        return [shapes[1]]

    def grad(self, inputs, output_grads):
        (p, t), (g,) = inputs, output_grads
        slope = evaluate(Derivative()(p), t)
        return [grad_undefined(self, 0, p, "coefficients are no array"), g * slope]


add, mul, evaluate = Binary("+"), Binary("*"), Evaluate()
p, q = poly("p"), poly("q")
x, c = T.dvector("x"), T.iscalar("c")


def test_operators_of_own_variables_and_constants_build_graphs(mode):
    assert type(p) is PolynomialVariable and type(as_poly([1.0])) is PolynomialConstant
    f = theano.function([p, q], [(p + q) * p, (p + [1.0])[0], [2.0] + p], mode=mode)
    product, first, shifted = f([1, 2], [3, 4])
    assert product.coef.tolist() == [4, 14, 12] and first == 2 and shifted.coef.tolist() == [3, 2]


def test_gradients_go_past_own_types(mode):
    cost = T.sqr((p * p)(T.exp(x))).sum()
    slope, shape = theano.function([p, x], [T.grad(cost, x), p(x).shape], mode=mode)(
        [1, 2], [0, 0.5]
    )
    e = np.exp([0, 0.5])
    np.testing.assert_allclose(slope, 8 * (1 + 2 * e) ** 3 * e, rtol=1e-12)
    assert shape.tolist() == [2]
    with pytest.raises(NullTypeGradError, match="coefficients are no array"):
        T.grad(cost, p)


def test_own_types_are_shared_and_updated(mode):
    @shared_constructor
    def polynomial_shared(value, name=None, strict=False, allow_downcast=None):
        if not isinstance(value, Polynomial):
            raise TypeError("polynomial_shared takes polynomials")
        return PolynomialShared(name, poly, value, strict, allow_downcast)

    try:
        s = theano.shared(Polynomial([1.0, 1.0]))
    finally:
        shared_constructor(polynomial_shared, remove=True)
    f = theano.function([x], s(x), updates=[(s, s + [1.0])], mode=mode)
    assert type(s) is PolynomialShared
    assert [f([1, 2]).tolist(), f([1, 2]).tolist()] == [[2, 3], [3, 4]]
    s.set_value(Polynomial([5.0]))
    assert f([1, 2]).tolist() == [5, 5] and s.get_value().coef.tolist() == [6]


def test_own_types_go_through_choices_and_loops(mode):
    f = theano.function([c, p, q], ifelse(c, p + [1.0], q)[0], mode=mode)
    assert [float(f(1, [1, 2], [7.0])), float(f(0, [1, 2], [7.0]))] == [2, 7]
    outs, _ = theano.scan(lambda t, pp: pp(t), sequences=x, non_sequences=[p])
    values, slope = theano.function([p, x], [outs, T.grad(outs.sum(), x)], mode=mode)(
        [1, 2], [1, 2]
    )
    assert values.tolist() == [3, 5] and slope.tolist() == [2, 2]


def test_equal_nodes_and_constants_of_own_types_are_merged(mode):
    f = theano.function([p], [(p + [1.0, 2.0])[0], (p + [1.0, 2.0])[1]], mode=mode)
    assert sum(n.op == add for n in f.maker.fgraph.toposort()) == 1


def test_what_goes_in_is_not_what_comes_out(mode):
    value = Polynomial([1.0, 2.0])
    given, double = theano.function([p], [p, p + p], mode=mode)(value)
    assert given is not value and given == value and double.coef.tolist() == [2, 4]


def test_debug_mode_takes_own_types():
    f = theano.function([p, q], (p + q) * p, mode="DebugMode")
    assert f([1, 2], [3]).coef.tolist() == [4, 10, 4]


def test_types_answer_as_documented():
    assert poly.is_valid_value(Polynomial([1])) and not poly.is_valid_value([1])
    assert poly.filter_variable(p) is p and poly.filter_variable([1.0]).data.coef.tolist() == [1]
    named = poly.make_variable("n")
    assert (named.name, named.type, type(named)) == ("n", poly, PolynomialVariable)
    assert poly.make_constant([1.0], name="one").name == "one"
    assert poly.clone() == poly and p.clone().type == poly
    assert (p + q)[0].eval({p: [1], q: [2]}) == 3
    assert float(theano.clone((p + q)[0], {p: q}).eval({q: [2]})) == 4
    again = pickle.loads(pickle.dumps(p + q))
    assert again.owner.op == add and again.type == poly
    with pytest.raises(TypeError, match="a variable of type Polynomial is needed here, got x"):
        poly.filter_variable(x)
    with pytest.raises(TypeError, match="a polynomial is needed, got str"):
        theano.function([p], p + p)("text")


def test_filter_inplace_is_given_what_the_cell_holds():
    held = []

    class Reusing(PolynomialType):
        def filter_inplace(self, value, storage, strict=False, allow_downcast=None):
            held.append(storage)
            return self.filter(value, strict, allow_downcast)

    kind = Reusing()
    box = Container(kind("v"), [None])
    box.data = [1]
    box.data = [2]
    s = SharedVariable("s", kind, [3], False)
    s.set_value([7])
    assert [None if h is None else h.coef.tolist() for h in held] == [None, [1], [3]]
    assert s.get_value().coef.tolist() == [7]


# any Python object


class Get(Op):
    __props__ = ("key",)

    def __init__(self, key):
        self.key = key

    def make_node(self, d):
        return Apply(self, [d], [T.dvector()])

    def perform(self, node, inputs, output_storage):
        output_storage[0][0] = np.asarray(inputs[0][self.key], "float64")


class Put(Op):
    __props__ = ("key",)

    def __init__(self, key):
        self.key = key

    def make_node(self, d, v):
        return Apply(self, [d, v], [generic()])

    def perform(self, node, inputs, output_storage):
        output_storage[0][0] = {**inputs[0], self.key: np.array(inputs[1])}


get, put = Get("a"), Put("a")
d, e = generic("d"), generic("e")


def test_dicts_go_in_and_out_between_compiled_nodes(mode):
    f = theano.function([d, x], [put(d, T.sqr(x) * 2), T.exp(get(d)).sum()], mode=mode)
    made, total = f({"a": [0, 0], "b": "kept"}, [1, 2])
    assert made["a"].tolist() == [2, 8] and made["b"] == "kept" and total == 2


def test_dicts_are_state_beside_arrays(mode):
    s, w = theano.shared({"a": np.zeros(2)}), theano.shared(np.zeros(2))
    updates = [(s, put(s, w + x)), (w, w + T.sqr(x))]
    f = theano.function([x], (get(s) * w).sum(), updates=updates, mode=mode)
    f([1, 2])
    assert float(f([0, 0])) == 9
    assert s.get_value()["a"].tolist() == [1, 4] and w.get_value().tolist() == [1, 4]


def test_dicts_are_chosen_given_and_defaults(mode):
    f = theano.function([c, d, e], [ifelse(c, d, e), get(ifelse(c, d, e)).sum()], mode=mode)
    assert f(1, {"a": [1]}, {"a": [2]})[1] == 1 and f(0, {"a": [1]}, {"a": [2]})[0] == {"a": [2]}
    f = theano.function([e, x], get(d) * x, givens={d: put(e, x)}, mode=mode)
    assert f({}, [1, 2]).tolist() == [1, 4]
    f = theano.function([theano.In(d, value={"a": [1, 2]}), x], get(d) * x, mode=mode)
    assert f(x=[3, 4]).tolist() == [3, 8]


def test_dicts_are_read_and_updated_by_loops(mode):
    start = T.constant(0.0, dtype="float64")
    outs, _ = theano.scan(
        lambda t, total, dd: total + t * get(dd).sum(),
        sequences=x,
        outputs_info=start,
        non_sequences=[d],
    )
    f = theano.function([d, x], [outs, T.grad(outs[-1], x)], mode=mode)
    values, slope = f({"a": [1, 1]}, [1, 2, 3])
    assert values.tolist() == [2, 6, 12] and slope.tolist() == [2, 2, 2]
    s = theano.shared({"a": np.zeros(1)})
    outs, updates = theano.scan(lambda t: (get(s).sum() + t, {s: put(s, get(s) + t)}), sequences=x)
    f = theano.function([x], outs, updates=updates, mode=mode)
    assert f([1, 2, 3]).tolist() == [1, 3, 6] and s.get_value()["a"].tolist() == [6]


def test_dicts_go_through_an_op_made_of_a_graph(mode):
    op = theano.OpFromGraph([d, x], [(get(d) * x).sum(), put(d, x)])
    total, made = theano.function([d, x], op(d, x), mode=mode)({"a": [1, 4]}, [1, 2])
    assert total == 9 and made["a"].tolist() == [1, 2]


def test_dicts_are_constants(mode):
    one, other = (generic.make_constant({"a": np.ones(2)}) for _ in range(2))
    f = theano.function([x], get(one) * x + get(other), mode=mode)
    assert f([1, 2]).tolist() == [2, 3]


def test_a_function_of_objects_is_copied_and_pickled(mode):
    s = theano.shared({"a": np.zeros(1)})
    f = theano.function([x], get(s) + x, updates=[(s, put(s, x))], mode=mode)
    g = pickle.loads(pickle.dumps(f))
    h = copy.deepcopy(f)
    f([1])
    assert [float(k([1])[0]) for k in (f, g, h)] == [2, 1, 1]


# the type of the tutorial


def double_type():
    """A Type whose methods are set on the instance."""
    double = gof.Type()

    def filter(x, strict=False, allow_downcast=None):
        if strict:
            if isinstance(x, float):
                return x
            raise TypeError("Expected a float!")
        if allow_downcast:
            return float(x)
        if float(x) != x:
            raise TypeError(f"The double type cannot accurately represent {x!r}")
        return float(x)

    double.filter = filter
    double.values_eq_approx = lambda a, b, tolerance=1e-4: abs(a - b) <= tolerance * abs(a)
    return double


def test_the_tutorials_double_runs(mode):
    double = double_type()
    product = gof.Op()

    def make_node(a, b):
        a, b = (gof.Constant(double, v) if isinstance(v, int | float) else v for v in (a, b))
        if a.type != double or b.type != double:
            raise TypeError("mul only works on doubles")
        return gof.Apply(product, [a, b], [double()])

    def perform(node, inputs, output_storage):
        output_storage[0][0] = inputs[0] * inputs[1]

    product.make_node, product.perform = make_node, perform
    a, b = double("a"), double("b")
    f = theano.function([a, b], product(a, b), mode=mode)
    g = theano.function([a], product(a, 2), mode=mode)
    assert [f(5, 6), f(5.6, 6.7), g(10), g(3.4)] == [30.0, 37.519999999999996, 20.0, 6.8]
    assert type(f(5, 6)) is float
    assert double_type() != double and double.is_valid_value(1.5) and not double.is_valid_value(1)
    with pytest.raises(TypeError, match="mul only works on doubles"):
        product(a, x)
    with pytest.raises(TypeError, match="cannot accurately represent"):
        g(2**53 + 1)
