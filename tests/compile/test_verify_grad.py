"""verify_grad finds gradients that are wrong, and passes those that are right."""

import pickle

import numpy as np
import pytest

import theano
import theano.tensor as T
from theano.gradient import GradientError, numeric_grad, verify_grad

POINT = np.array([[2.0, 3.0, 4.0], [-1.0, 3.3, 9.9]])


def rng():
    return np.random.RandomState(42)


class Triple(theano.Op):
    """3 x, with a slope of one's choice."""

    __props__ = ("slope",)

    def __init__(self, slope):
        self.slope = slope

    def make_node(self, x):
        x = T.as_tensor_variable(x)
        return theano.Apply(self, [x], [x.type()])

    def perform(self, node, inputs, output_storage):
        output_storage[0][0] = inputs[0] * inputs[0].dtype.type(3)

    def grad(self, inputs, output_grads):
        return [output_grads[0] * np.asarray(self.slope, inputs[0].dtype)]


class Shifted(Triple):
    """Its gradient is right in sum, and wrong in each element."""

    def grad(self, inputs, output_grads):
        return [3 * output_grads[0][::-1]]


class Tangled(theano.Op):
    """(x y): the gradients of both inputs, exchanged or not."""

    __props__ = ("exchanged",)

    def __init__(self, exchanged):
        self.exchanged = exchanged

    def make_node(self, x, y):
        x, y = T.as_tensor_variable(x), T.as_tensor_variable(y)
        return theano.Apply(self, [x, y], [x.type()])

    def perform(self, node, inputs, output_storage):
        output_storage[0][0] = np.asarray(inputs[0] * inputs[1])

    def grad(self, inputs, output_grads):
        (x, y), (g,) = inputs, output_grads
        return [g * x, g * y] if self.exchanged else [g * y, g * x]


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_a_right_gradient_passes_in_every_float_dtype(dtype):
    assert verify_grad(Triple(3), [POINT.astype(dtype)], rng=rng()) is None


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_a_wrong_slope_is_found_in_every_float_dtype(dtype):
    with pytest.raises(GradientError):
        verify_grad(Triple(3.5), [POINT.astype(dtype)], rng=rng())


@pytest.mark.parametrize("slope", [0, -3, 3.001, 2.99])
def test_a_slope_that_is_wrong_by_little_is_found(slope):
    with pytest.raises(GradientError):
        verify_grad(Triple(slope), [POINT], rng=rng())


def test_a_gradient_whose_elements_are_exchanged_is_found():
    with pytest.raises(GradientError):
        verify_grad(Shifted(3), [np.array([1.0, 2.0, 3.0])], rng=rng())


def test_gradients_of_two_inputs_that_are_exchanged_are_found():
    points = [np.array([1.0, 2.0]), np.array([5.0, -3.0])]
    verify_grad(Tangled(False), points, rng=rng())
    with pytest.raises(GradientError):
        verify_grad(Tangled(True), points, rng=rng())


def test_an_element_is_wrong_only_beyond_both_tolerances():
    # the gradients are 3 u and 3.1 u for u in 0.5 to 1.5: errors of at most 0.15, and of 1 in 61
    verify_grad(Triple(3.1), [POINT], rng=rng(), abs_tol=1.0, rel_tol=1e-9)
    verify_grad(Triple(3.1), [POINT], rng=rng(), abs_tol=1e-9, rel_tol=0.02)
    with pytest.raises(GradientError):
        verify_grad(Triple(3.1), [POINT], rng=rng(), abs_tol=0.01, rel_tol=0.01)


def test_functions_of_several_variables_and_expressions_are_verified():
    verify_grad(lambda x, y: (x * y + x).sum(axis=0), [POINT, POINT[::-1].copy()], rng=rng())


def test_numbers_scalars_and_broadcast_points_are_taken():
    verify_grad(lambda x, y: x * y, [2.0, np.array([[1.0, 2.0]])], rng=rng())
    verify_grad(lambda x, y: x * y, [np.ones((1, 3)), np.ones((2, 1))], rng=rng())


def test_an_input_that_does_not_matter_has_gradient_zero():
    verify_grad(lambda x, y: x * 2, [POINT, np.ones(2)], rng=rng())


def test_points_without_elements_pass():
    verify_grad(lambda x: x * 2, [np.ones((0, 3))], rng=rng())


def test_an_output_of_integers_has_gradient_zero():
    verify_grad(lambda x: T.cast(x, "int32") * 2.0, [np.array([1.25, 2.5])], rng=rng())


def test_the_numpy_random_module_serves_as_rng():
    verify_grad(Triple(3), (POINT,), rng=np.random)


def test_the_points_are_left_as_they_were():
    point = POINT.copy()
    verify_grad(Triple(3), [point], rng=rng())
    assert (point == POINT).all()


def test_random_numbers_in_the_dtype_of_the_output_keep_the_cost_narrow():
    seen = []

    class Watched(Triple):
        def grad(self, inputs, output_grads):
            seen.append(output_grads[0].dtype)
            return super().grad(inputs, output_grads)

    verify_grad(Watched(3), [POINT.astype("float32")], rng=rng(), cast_to_output_type=True)
    assert seen == ["float32"]


def test_a_mode_is_used():
    class Counted(theano.gof.PerformLinker):
        made = 0

        def make_program(self, *args):
            Counted.made += 1
            return super().make_program(*args)

    verify_grad(Triple(3), [POINT], rng=rng(), mode=theano.Mode(Counted(), None))
    # the function, its cost with random numbers, and the gradient of that
    assert Counted.made == 3


def test_each_test_draws_anew():
    class Counted:
        drawn = 0

        def rand(self, *shape):
            self.drawn += 1
            return np.full(shape, 0.5)

    counted = Counted()
    verify_grad(Triple(3), [POINT], n_tests=5, rng=counted)
    assert counted.drawn == 5


@pytest.mark.parametrize(
    ("call", "exception", "match"),
    [
        (lambda: verify_grad(Triple(3), [POINT]), TypeError, "takes a numpy.random.RandomState"),
        (lambda: verify_grad(Triple(3), POINT, rng=rng()), TypeError, "a list or tuple of arrays"),
        (
            lambda: verify_grad(Triple(3), [np.array(["a"])], rng=rng()),
            TypeError,
            'only with floating point inputs, but input 0 has dtype "<U1"',
        ),
        (
            lambda: verify_grad(Triple(3), [np.ones(2, "complex128")], rng=rng()),
            TypeError,
            'input 0 has dtype "complex128"',
        ),
        (lambda: verify_grad(lambda x: [x, x], [POINT], rng=rng()), TypeError, "one variable, got"),
        (lambda: verify_grad(lambda x: 3.0, [POINT], rng=rng()), TypeError, "gives a tensor, got"),
        (
            lambda: verify_grad(lambda x: x * np.nan, [POINT], rng=rng()),
            ValueError,
            "is not finite",
        ),
    ],
)
def test_refusals_say_what_is_taken(call, exception, match):
    with pytest.raises(exception, match=match):
        call()


def test_the_error_says_where_and_by_how_much():
    with pytest.raises(GradientError) as found:
        verify_grad(Tangled(True), [np.array([1.0, 2.0]), np.array([1.0, -3.0])], rng=rng())
    e = found.value
    assert (e.arg, e.err_pos, e.shape) == (0, 1, (2,))
    # 2 u stands for -3 u
    np.testing.assert_allclose(e.val1 / e.val2, -2 / 3, rtol=1e-6)
    np.testing.assert_allclose(e.abs_err, abs(e.val1 - e.val2))
    assert e.rel_err > e.rel_tol == e.abs_tol == 1e-4
    text = str(e)
    assert "numeric gradient and analytic gradient exceed tolerance" in text
    assert "At position 1 of argument 0 with shape (2,)" in text
    assert "The error happened with the following inputs" in text


def test_the_error_survives_pickling():
    e = pickle.loads(pickle.dumps(GradientError(0, 1, (3,), 1.0, 2.0, 1.0, 0.5, 1e-4, 1e-4)))
    assert (e.arg, e.err_pos, e.val2) == (0, 1, 2.0)
    assert "val1 = 1.000000" in str(e)


def test_numeric_grad_is_that_of_a_polynomial():
    x, y = np.array([1.0, -2.0, 0.5]), np.array([[3.0]])
    found = numeric_grad(lambda x, y: (x**2).sum() * y.sum(), [x, y])
    np.testing.assert_allclose(found.gf[0], 6 * x, rtol=1e-6)
    np.testing.assert_allclose(found.gf[1], [[5.25]], rtol=1e-6)


def test_numeric_grad_of_one_array_is_an_array():
    found = numeric_grad(lambda x: (x**3).sum(), np.array([1.0, 2.0]))
    np.testing.assert_allclose(found.gf, [3, 12], rtol=1e-6)
    assert numeric_grad(lambda x: x * 2, np.float64(3)).gf.shape == ()


def test_errors_are_measured_absolutely_and_relatively():
    abs_err, rel_err = numeric_grad.abs_rel_err(np.array([1.0, 0.0]), np.array([3.0, 1e-9]))
    np.testing.assert_allclose(abs_err, [2, 1e-9])
    # no less than 1e-8 is divided by
    np.testing.assert_allclose(rel_err, [0.5, 0.1])


def test_the_largest_error_is_counted_in_tolerances():
    found = numeric_grad(lambda x, y: 100 * x.sum() + y.sum(), [np.ones(2), np.ones(3)])
    arg, pos, abs_err, rel_err = found.max_err([np.full(2, 101.0), np.array([1, 1.5, 1])], 1, 1e-3)
    assert (arg, pos) == (0, 0)
    arg, pos, abs_err, rel_err = found.max_err([np.full(2, 101.0), np.array([1, 2.5, 1])], 1, 1e-3)
    assert (arg, pos) == (1, 1)
    np.testing.assert_allclose([abs_err, rel_err], [1.5, 1.5 / 3.5], rtol=1e-6)


def test_gradients_of_another_number_or_shape_are_refused():
    found = numeric_grad(lambda x: x.sum(), [np.ones(2)])
    with pytest.raises(ValueError, match="for each of 1 inputs, got 2"):
        found.abs_rel_errors([np.ones(2), np.ones(2)])
    with pytest.raises(ValueError, match=r"input 0 has \(2,\), its gradient \(3,\)"):
        found.abs_rel_errors([np.ones(3)])


def test_whole_numbers_stand_for_floats():
    verify_grad(Triple(3), [np.arange(3)], rng=rng())
    with pytest.raises(GradientError):
        verify_grad(Triple(3.1), [np.arange(3)], rng=rng())
