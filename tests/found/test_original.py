"""What the tests of Theano 1.0.5 found: one test a defect, written anew."""

import pickle

import numpy as np
import pytest
import scipy.special

import theano
import theano.tensor as T


def test_a_shape_told_to_a_convolution_is_asserted_where_the_flag_asks_for_it():
    images, filters = T.tensor4s("if")
    f = theano.function([images, filters], T.nnet.conv2d(images, filters, (1, 1, 4, 4)))
    given = np.zeros((1, 1, 5, 5)), np.zeros((1, 1, 2, 2))
    with theano.config.change_flags({"conv.assert_shape": True}), pytest.raises(AssertionError):
        f(*given)
    with pytest.raises(ValueError):
        f(*given)


def test_repeating_once_keeps_a_dimension_of_length_one():
    x = T.TensorType("float64", (False, True, False))()
    assert T.repeat(x, 1, axis=1).broadcastable == (False, True, False)
    assert T.repeat(x, 2, axis=1).broadcastable == (False, False, False)
    assert T.repeat(x, T.lscalar(), axis=1).broadcastable == (False, False, False)


def test_a_sorter_that_is_no_vector_is_a_value_error():
    with pytest.raises(ValueError, match="vector as sorter"):
        T.extra_ops.searchsorted(T.dvector(), T.dvector(), sorter=T.lmatrix())
    with pytest.raises(TypeError, match="vector as sorter"):
        T.extra_ops.searchsorted(T.dvector(), T.dvector(), sorter=T.dvector())


@pytest.mark.parametrize(
    ("undefined", "why"),
    [
        (theano.gradient.grad_undefined, "undefined"),
        (theano.gradient.grad_not_implemented, "not implemented"),
    ],
)
def test_a_function_of_a_gradient_that_is_not_there_says_why(undefined, why):
    x = T.dvector()
    with pytest.raises(TypeError, match=why):
        theano.function([x], undefined(T.add, 0, x), on_unused_input="ignore")


def test_patches_that_do_not_cover_an_image_are_a_value_error_on_the_way_back():
    patches, shape = T.dmatrix(), T.ivector()
    f = theano.function([patches, shape], T.nnet.neighbours.neibs2images(patches, (2, 2), shape))
    with pytest.raises(ValueError, match="step by step"):
        f(np.ones((4, 4)), (1, 1, 4, 5))


class Copies(theano.Op):
    """As many copies as asked for; one of them is the default output."""

    def __init__(self, count, default_output):
        self.count = count
        self.default_output = default_output

    def make_node(self, x):
        return theano.Apply(self, [x], [x.type() for _ in range(self.count)])


def test_a_node_as_a_tensor_is_its_default_output():
    node = Copies(2, 1).make_node(T.dscalar())
    assert T.as_tensor_variable(node) is node.outputs[1]
    with pytest.raises(ValueError, match="one output or a default_output"):
        T.as_tensor_variable(Copies(2, None).make_node(T.dscalar()))


@pytest.mark.parametrize("default_output", [-1, 2, [0, 1]])
def test_a_default_output_that_is_none_of_the_outputs_is_an_attribute_error(default_output):
    with pytest.raises(AttributeError, match="takes the number of an output"):
        T.as_tensor_variable(Copies(2, default_output).make_node(T.dscalar()))


def test_grad_is_a_method_of_every_op_that_has_a_gradient():
    x, g = T.dvectors("xg")
    (gx,) = T.exp.grad([x], [g])
    np.testing.assert_allclose(gx.eval({x: [0.0, 1.0], g: [2.0, 3.0]}), [2, 3 * np.e])
    gx, low, high = T.clip.grad([x, T.dscalar(), T.dscalar()], [g])
    assert gx.type == x.type and low.dtype == high.dtype == "float64"
    with pytest.raises(theano.gof.utils.MethodNotDefined):
        Copies(1, 0).grad([x], [g])


def test_a_constant_is_seen_through_an_assert_whose_condition_is_computed_from_constants():
    c = T.constant(2)
    assert T.get_scalar_constant_value(T.opt.Assert()(c, c > 1)) == 2
    for condition in (c > 2, c > T.dscalar()):
        with pytest.raises(T.NotScalarConstantError):
            T.get_scalar_constant_value(T.opt.Assert()(c, condition))


GAUSSIANS = {
    "sqr": lambda x: T.exp(-T.sqr(x)),
    "power": lambda x: T.exp(-(x**2)),
    "product": lambda x: T.exp(-(x * x)),
    "minus x times x": lambda x: T.exp(-x * x),
    "three factors": lambda x: T.exp(T.mul(-1, x, x)),
}


@pytest.mark.parametrize("form", GAUSSIANS)
@pytest.mark.parametrize("scale", [1, -1, 2])
def test_a_gaussian_over_erfc_is_finite_however_its_square_is_written(form, scale):
    x = T.dvector()
    at = np.array([-30.0, 0.0, 5.0, 28.0, 100.0])
    y = scale * x
    f = theano.function([x], 3 * GAUSSIANS[form](y) / T.erfc(y))
    expected = 3 / scipy.special.erfcx(scale * at)
    np.testing.assert_allclose(f(at), expected, rtol=1e-12)


@pytest.mark.parametrize("other", [lambda x: -x * x * x, lambda x: x * x, lambda x: -2 * x * x])
def test_what_is_no_gaussian_is_left_as_it_is(other):
    x = T.dvector()
    at = np.array([0.5, 1.0, 1.5])
    f = theano.function([x], T.exp(other(x)) / T.erfc(x))
    np.testing.assert_allclose(f(at), np.exp(other(at)) / scipy.special.erfc(at), rtol=1e-12)


def test_an_op_from_a_graph_tells_its_connections_without_a_node():
    x, y, z = T.dmatrices("xyz")
    op = theano.OpFromGraph([x, y, z], [x * y, y * z])
    assert op.connection_pattern(None) == [[True, False], [True, True], [False, True]]


def test_generic_is_the_type_of_shared_variables_that_hold_any_object():
    assert theano.compile.sharedvalue.generic == theano.shared("text").type


def test_a_shared_variable_is_no_input_in_whatever_it_is_wrapped():
    shared = theano.shared(1.0)
    for wrapped in (shared, theano.In(shared), theano.In(shared, update=shared + 1)):
        with pytest.raises(TypeError, match="as explicit input"):
            theano.function([wrapped], shared + 1)


@pytest.mark.parametrize("outputs", [None, "one", "several"])
def test_the_maker_of_a_function_can_be_pickled(outputs):
    x = T.dvector("x")
    state = theano.shared(2.0)
    wanted = {None: None, "one": x * state, "several": [x * state, x + 1]}[outputs]
    f = theano.function([x], wanted, updates={state: state + x.sum()})
    g = pickle.loads(pickle.dumps(f.maker)).create()
    for _ in range(2):
        assert repr(f([1, 2])) == repr(g([1, 2]))
