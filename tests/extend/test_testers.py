"""The documented makers of tests: they pass for what is right, and fail for what is not."""

import unittest

import numpy as np
import pytest

import theano
import theano.tensor as T
from theano.gradient import NullTypeGradError, grad_not_implemented, grad_undefined
from theano.tensor.tests.test_basic import makeBroadcastTester, makeTester, rand, rand_ranged
from theano.tests.test_rop import RopLop_checker


def result_of(case):
    result = unittest.TestResult()
    unittest.defaultTestLoader.loadTestsFromTestCase(case).run(result)
    return result


def test_a_tester_passes_for_a_right_op():
    case = makeTester(
        "DotTester",
        T.dot,
        np.dot,
        checks={"as many rows": lambda inputs, outputs: len(inputs[0]) == len(outputs[0])},
        good={"matrices": (rand(5, 7), rand(7, 5)), "vector": (rand(5, 7), rand(7))},
        bad_build={"a cube of bools": (np.ones((2, 2, 2), bool), "text")},
        bad_runtime={"lengths": (rand(5, 7), rand(5, 7))},
        grad={"matrices": (rand(3, 4), rand(4, 2))},
    )
    result = result_of(case)
    assert case.__name__ == "DotTester" and result.testsRun == 4 and result.wasSuccessful()


GOOD = {"one": (rand(3),)}


@pytest.mark.parametrize(
    "wrong",
    [
        {"expected": lambda x: x + 1, "good": GOOD},
        {"expected": lambda x: x[:2], "good": GOOD},
        {"expected": np.sin, "good": GOOD, "checks": {"never": lambda inputs, outputs: False}},
        {"expected": np.sin, "bad_build": GOOD},
        {"expected": np.sin, "bad_runtime": GOOD},
    ],
    ids=["value", "shape", "check", "built", "ran"],
)
def test_a_tester_fails_for_what_is_wrong(wrong):
    assert not result_of(makeTester("Wrong", T.sin, **wrong)).wasSuccessful()


def test_a_tester_fails_for_a_wrong_gradient():
    class Doubled(theano.Op):
        __props__ = ()

        def make_node(self, x):
            return theano.Apply(self, [x], [x.type()])

        def perform(self, node, inputs, output_storage):
            output_storage[0][0] = inputs[0] * 2

        def grad(self, inputs, output_grads):
            return [output_grads[0] * 3]

    case = makeTester("Wrong", Doubled(), lambda x: x * 2, good=GOOD, grad=True)
    result = result_of(case)
    assert len(result.errors + result.failures) == 1


def test_a_tester_of_an_op_in_place_sees_whether_it_is():
    good = {"vectors": (rand_ranged(1, 2, (3,)), rand(3))}
    right = makeBroadcastTester(T.inplace.add_inplace, np.add, good=good, inplace=True)
    assert result_of(right).wasSuccessful()
    assert not result_of(
        makeBroadcastTester(T.add, np.add, good=good, inplace=True)
    ).wasSuccessful()


def test_a_tester_can_be_skipped_with_a_reason():
    result = result_of(makeTester("Skipped", T.sin, np.cos, good=GOOD, skip="not today"))
    assert len(result.skipped) == 4 and result.skipped[0][1] == "not today"


class Linear(theano.Op):
    """Twice its input; ``R_op`` and ``grad`` multiply by what they are told."""

    __props__ = ("ahead", "back")

    def __init__(self, ahead=2, back=2):
        self.ahead, self.back = ahead, back

    def make_node(self, x):
        return theano.Apply(self, [x], [x.type()])

    def perform(self, node, inputs, output_storage):
        output_storage[0][0] = inputs[0] * 2

    def infer_shape(self, node, shapes):
        return shapes

    def grad(self, inputs, output_grads):
        return [output_grads[0] * self.back]

    def R_op(self, inputs, eval_points):
        return [eval_points[0] * self.ahead]


@pytest.mark.parametrize(("op", "right"), [(Linear(), True), (Linear(3), False)])
def test_the_checker_of_products_sees_a_wrong_r_op(op, right):
    class Products(RopLop_checker):
        def test_vector(self):
            self.check_rop_lop(op(self.x), self.in_shape)

        def test_matrix(self):
            self.check_mat_rop_lop(op(self.mx).sum(axis=1), self.mat_in_shape[:1])

    result = result_of(Products)
    assert result.testsRun == 2 and result.wasSuccessful() == right


def test_the_checker_sees_a_shape_that_is_not_the_one_told():
    class Products(RopLop_checker):
        def test_vector(self):
            self.check_rop_lop(T.concatenate([self.x, self.x]), self.in_shape)

    assert not result_of(Products).wasSuccessful()


def test_the_checker_knows_what_cannot_be_differentiated():
    class Products(RopLop_checker):
        def test_refused(self):
            self.check_nondiff_rop(T.argmax(self.x))

        def test_not_refused(self):
            self.check_nondiff_rop(self.x * 2)

    result = result_of(Products)
    assert [str(test) for test, _ in result.failures + result.errors] == [
        str(Products("test_not_refused"))
    ]


@pytest.mark.parametrize(
    ("how", "also"), [(grad_not_implemented, NotImplementedError), (grad_undefined, TypeError)]
)
def test_a_gradient_that_is_not_there_raises_what_the_documents_say(how, also):
    class Blind(Linear):
        def grad(self, inputs, output_grads):
            return [how(self, 0, inputs[0], "because of the moon")]

    x = T.dscalar("x")
    with pytest.raises(NullTypeGradError, match="because of the moon") as caught:
        T.grad(Blind()(x), x)
    assert isinstance(caught.value, also)
    assert isinstance(caught.value, NotImplementedError) == (how is grad_not_implemented)
