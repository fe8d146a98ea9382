"""Lettered trees, descriptors and digests; texts with hashes are recorded from Theano 1.0.5."""

import numpy as np
import pytest

from tests.show.language import tensor
from theano._src.ops.core.elemwise import Elemwise
from theano._src.ops.elementwise.arithmetic import add, mul, neg, second
from theano._src.show.names import (
    char_from_number,
    hex_digest,
    min_informative_str,
    position_independent_str,
    var_descriptor,
)
from theano._src.types.convert import constant


def test_numbers_become_letters():
    assert [char_from_number(n) for n in (0, 1, 25, 26, 51, 52, 676)] == [
        *("A", "B", "Z", "BA", "BZ", "CA", "BAA"),
    ]


def test_a_gradient_prints_as_the_documented_lettered_tree():
    x, two = tensor("x"), constant(2.0)
    g = Elemwise(mul.scalar_op)(second(mul(two, x), 1.0), two)
    assert (
        min_informative_str(g)
        == """\
A. Elemwise{mul}
 B. Elemwise{second,no_inplace}
  C. Elemwise{mul,no_inplace}
   D. TensorConstant{2.0}
   E. x
  F. TensorConstant{1.0}
 <D>"""
    )


def test_a_named_part_is_not_taken_apart():
    z = add(tensor(), tensor())
    z.name = "z"
    want = " A. Elemwise{mul,no_inplace}\n  B. TensorConstant{2.0}\n  C. z"
    assert min_informative_str(mul(2.0, z), indent_level=1) == want


def test_a_descriptor_shows_structure_and_sharing():
    x = tensor("x", 1)
    y = mul(x, x)
    want = "A=Elemwise{mul,no_inplace}(B=Elemwise{mul,no_inplace}(C=x,<C>),<B>)"
    assert var_descriptor(mul(y, y)) == want


ONES = "c914e8188e43fff1c96e25283e15b252af0d9f39b469f2d1518915802c756d18"


@pytest.mark.parametrize(
    ("thing", "text"),
    [
        (3, "A=3"),
        ("abc", "A=abc"),
        (np.ones((2, 2)), f"A=<ndarray:strides=[16,8],digest={ONES}>"),
        (object(), "A=object"),
        (constant([1.0, 2.0]), "A=TensorConstant{[1. 2.]}"),
    ],
)
def test_a_descriptor_of_a_value_names_no_address(thing, text):
    assert var_descriptor(thing) == text


def test_digests_tell_layouts_apart():
    ones = np.ones((2, 2))
    assert hex_digest(ones) == f"{ONES}|strides=[16,8]|shape=[2,2]"
    assert hex_digest(ones.T) == f"{ONES}|strides=[8,16]|shape=[2,2]"
    part = np.arange(6).reshape(2, 3)[:, ::2]
    digest = "32574702e9da02dca70d74fe9f89597886ae7e32ab1dbed85daf0693cc2846aa"
    assert hex_digest(part) == f"{digest}|strides=[24,16]|shape=[2,2]"


def test_a_variable_is_described_by_its_type():
    text = "theano_var{type=TensorType(float64, vector)}"
    assert position_independent_str(tensor("x", 1)) == text


def test_deep_graphs_have_trees_and_descriptors():
    v = tensor("s")
    for _ in range(5_000):
        v = neg(v)
    assert min_informative_str(v).endswith(f"{' ' * 5000}{char_from_number(5000)}. s")
    assert var_descriptor(v).endswith("=s" + ")" * 5_000)
