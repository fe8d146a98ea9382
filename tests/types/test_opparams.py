"""Enumerations and parameters of ops."""

import copy
import pickle

import numpy as np
import pytest

import theano
import theano.tensor as T
from theano.gof import CEnumType, EnumList, EnumType, Generic, Params, ParamsType
from theano.gof.graph import NoParams
from theano.gof.utils import MethodNotDefined
from theano.scalar import Scalar

LINKERS = ["py", "numpy", "xla"]

# enumerations


@pytest.mark.parametrize("name", ["a", "_A", "0", "Aa"])
def test_a_name_of_an_enumeration_is_in_capitals(name):
    with pytest.raises(AttributeError, match="capital letters"):
        EnumList(name)
    with pytest.raises(AttributeError, match="capital letters"):
        EnumType(**{name: 0})


@pytest.mark.parametrize(
    "make",
    [
        lambda: EnumType(A="text"),
        lambda: EnumType(A=("a", 1, 2)),
        lambda: EnumType(A=(1, "a")),
        lambda: EnumType(A=("B", 1), B=2),
        lambda: EnumType(A=("a", 1), B=("a", 2)),
        lambda: EnumList("A", "A"),
        lambda: EnumList(("A", "a"), ("B", "B")),
        lambda: EnumList(3),
        lambda: EnumList("A", value=1),
        lambda: EnumType(A=1, ctype="not a; type"),
    ],
)
def test_what_is_no_enumeration_is_refused(make):
    with pytest.raises(TypeError):
        make()


def test_numbers_are_attributes_and_truth_is_a_number():
    one = EnumType(C1=True, C2=12, C3=-1, C4=False)
    two = EnumType(C1=1, C2=12, C3=-1.0, C4=0.0)
    assert one == two and hash(one) == hash(two)
    assert (one.C1, one.C2, one.C3, one.C4) == (1, 12, -1, 0)
    assert one != EnumType(C1=1, C2=12, C3=-1, C4=1) and one != EnumType(C1=1)
    with pytest.raises(AttributeError, match="has no C9"):
        one.C9  # noqa: B018


def test_a_number_is_reached_by_name_and_alias():
    e = EnumType(A=("alpha", 0), B=("beta", 1), C=2)
    assert e.filter("beta") == e.fromalias("beta") == e.B == 1
    assert e.filter("C") == e.fromalias("C") == 2
    assert e.has_alias("alpha") and not e.has_alias("A") and e.get_aliases() == ("alpha", "beta")
    assert e != EnumType(A=("a", 0), B=("beta", 1), C=2)
    with pytest.raises(AssertionError, match="got 'gamma'"):
        e.filter("gamma")
    with pytest.raises(AssertionError):
        e.filter("beta", strict=True)


def test_an_enumeration_cannot_be_changed_and_survives_copies():
    e = EnumList(("ADD", "+"), "SUB", ctype="unsigned long long", cname="mine")
    for change in (
        lambda: setattr(e, "ADD", 3),
        lambda: e.__setitem__("ADD", 3),
        lambda: e.__delitem__("ADD"),
    ):
        with pytest.raises(NotImplementedError):
            change()
    for again in (pickle.loads(pickle.dumps(e)), copy.deepcopy(e), copy.copy(e)):
        assert again == e and again.fromalias("+") == 0 and again.cname == "mine"
    assert repr(e) == "EnumList<unsigned long long>(ADD(+):0, SUB:1)"
    assert CEnumType("M", "N").N == 1


# several parameters


def params_type(**more):
    return ParamsType(
        a=Generic(), array=T.TensorType("int64", (False,)), real=Scalar("float64"), **more
    )


def test_types_of_parameters_are_equal_by_names_and_types():
    w = params_type()
    assert w == params_type() and hash(w) == hash(params_type()) and w.name == params_type().name
    assert w != params_type(more=Generic())
    assert w != ParamsType(a=Generic(), array=T.lmatrix, real=Scalar("float64"))
    assert w.fields == ("a", "array", "real") and w.length == 3
    assert w.get_type("real") == Scalar("float64") and w.get_field(Scalar("float64")) == "real"
    assert w.has_type(Generic()) and not w.has_type(T.dscalar)
    assert w.extended(more=Generic()) == params_type(more=Generic())


def test_parameters_are_equal_by_values():
    def make(a=1, array=(1, 2)):
        return Params(params_type(), a=a, array=np.asarray(array), real=-4.5)

    assert make() == make() and hash(make()) == hash(make())
    assert make() != make(a=2) and make() != make(array=(1, 3))
    assert pickle.loads(pickle.dumps(make())) == make()
    with pytest.raises(TypeError, match="got no real"):
        Params(params_type(), a=1, array=np.arange(2))
    with pytest.raises(NotImplementedError):
        make().a = 3


def test_values_are_made_to_fit_or_refused():
    w = ParamsType(a=T.imatrix, b=Generic())
    wide = Params(w, a=np.ones((2, 2), "int64"), b=None)
    for how in ({"strict": True}, {"allow_downcast": False}):
        with pytest.raises(TypeError):
            w.filter(wide, **how)
    fitted = w.filter(wide, allow_downcast=True)
    assert fitted.a.dtype == "int32" and w.filter(fitted, strict=True) is fitted
    near = Params(w, a=fitted.a.copy(), b=None)
    assert w.values_eq(fitted, near) and w.values_eq_approx(fitted, near)
    assert not w.values_eq_approx(fitted, Params(w, a=fitted.a + 1, b=None))


def test_names_of_enumerations_are_attributes_of_the_whole():
    w = ParamsType(one=EnumList("A", ("B", "beta")), two=EnumList(("D", "delta"), "E"))
    assert (w.A, w.B, w.D, w.E) == (0, 1, 0, 1)
    assert w.enum_from_alias("delta") == w.D and w.enum_from_alias("A") == w.get_enum("A") == 0
    assert pickle.loads(pickle.dumps(w)).E == 1
    for other in (EnumList("A", "F"), EnumList(("X", "beta")), EnumList(("X", "A"))):
        with pytest.raises(AttributeError, match="names in common"):
            ParamsType(one=EnumList("A", ("B", "beta")), two=other)
    with pytest.raises(AttributeError, match="has no beta"):
        w.beta  # noqa: B018


def test_parameters_are_collected_from_objects_and_keywords():
    class Held:
        a, array = 1, [1, 2]

    w = params_type()
    found = w.get_params(Held(), real=2)
    assert found.a == 1 and found.array.dtype == "int64" and found.real == 2.0
    with pytest.raises(AttributeError, match="needs a value for real"):
        w.get_params(Held())
    with pytest.raises(ValueError, match="at least one field"):
        ParamsType()
    with pytest.raises(TypeError, match="takes a Type"):
        ParamsType(a=3)


# ops


class Quadratic(theano.Op):
    """a x^2 + b x + c"""

    __props__ = ("a", "b", "c")
    params_type = ParamsType(a=T.dscalar, b=Scalar("float64"), c=Generic())

    def __init__(self, a, b, c):
        self.a, self.b, self.c = a, b, c

    def make_node(self, x):
        return theano.Apply(self, [x], [x.type()])

    def perform(self, node, inputs, outputs, params):
        (x,) = inputs
        outputs[0][0] = params.a * x**2 + params.b * x + params.c


class Chosen(theano.Op):
    """x + y or x - y"""

    __props__ = ("sign",)
    params_type = EnumList(("ADD", "+"), ("SUB", "-"))

    def __init__(self, sign):
        self.sign = sign

    def get_params(self, node):
        return self.sign

    def make_node(self, x, y):
        return theano.Apply(self, [x, y], [x.type()])

    def perform(self, node, inputs, outputs, which):
        x, y = inputs
        outputs[0][0] = x + y if which == self.params_type.ADD else x - y


@pytest.mark.parametrize("linker", LINKERS)
def test_perform_gets_the_parameters(linker):
    x, y = T.dvectors("xy")
    outs = [Quadratic(2, 3, -7)(x), Chosen("+")(x, y), Chosen("-")(x, y)]
    f = theano.function([x, y], outs, mode=theano.Mode(linker, "fast_run"))
    a, b = np.arange(3.0), np.ones(3)
    for found, wanted in zip(f(a, b), (2 * a**2 + 3 * a - 7, a + b, a - b), strict=True):
        np.testing.assert_allclose(found, wanted)


def test_perform_gets_the_parameters_inside_loops_rows_and_test_values():
    x = T.dmatrix("x")
    rows, _ = theano.scan(lambda row: Quadratic(1, 0, 1)(row), sequences=x)
    value = np.arange(6.0).reshape(2, 3)
    np.testing.assert_allclose(theano.function([x], rows)(value), value**2 + 1)
    v = T.dvector("v")
    many = theano.vectorize(Quadratic(1, 0, 1)(v), {v: x})
    np.testing.assert_allclose(theano.function([x], many)(value), value**2 + 1)
    with theano.config.change_flags(compute_test_value="raise"):
        v.tag.test_value = value[0]
        np.testing.assert_allclose(Quadratic(1, 0, 1)(v).tag.test_value, value[0] ** 2 + 1)


def test_a_node_tells_its_parameters():
    x = T.dvector("x")
    node = Quadratic(2, 3, -7)(x).owner
    assert node.params_type is Quadratic.params_type and node.run_params().b == 3.0
    assert T.exp(x).owner.run_params() is NoParams
    with pytest.raises(MethodNotDefined):
        T.exp.get_params(T.exp(x).owner)


def test_an_op_with_parameters_and_no_perform_says_that_perform_is_missing():
    class OnlyC(theano.Op):
        params_type = EnumList("A")

        def get_params(self, node):
            return 0

        def make_node(self, x):
            return theano.Apply(self, [x], [x.type()])

    x = T.dvector("x")
    with pytest.raises(MethodNotDefined, match="perform"):
        theano.function([x], OnlyC()(x), mode=theano.Mode("py", None))([1.0])


@pytest.mark.parametrize("name", ["int", "class", "template", "struct"])
def test_fields_have_names_that_c_code_can_use(name):
    with pytest.raises(SyntaxError, match=f"got '{name}', which is a keyword of C"):
        ParamsType(**{name: theano.scalar.int64})
