"""The documented names that make tensor variables."""

import pytest

import theano
import theano.tensor as T

PREFIXES = {
    "b": "int8",
    "w": "int16",
    "i": "int32",
    "l": "int64",
    "f": "float32",
    "d": "float64",
    "c": "complex64",
    "z": "complex128",
}
KINDS = {
    "scalar": (),
    "vector": (False,),
    "row": (True, False),
    "col": (False, True),
    "matrix": (False, False),
    "tensor3": (False,) * 3,
    "tensor4": (False,) * 4,
    "tensor5": (False,) * 5,
}
PLURALS = {kind: "matrices" if kind == "matrix" else kind + "s" for kind in KINDS}


@pytest.mark.parametrize("prefix", PREFIXES)
@pytest.mark.parametrize("kind", KINDS)
def test_a_prefix_and_a_kind_name_a_type(prefix, kind):
    named = getattr(T, prefix + kind)
    assert named == T.TensorType(PREFIXES[prefix], KINDS[kind])
    x = named("x")
    assert x.name == "x" and x.type is named and isinstance(x, T.TensorVariable)
    assert named().name is None


@pytest.mark.parametrize("prefix", ["", *PREFIXES])
@pytest.mark.parametrize("kind", KINDS)
def test_a_plural_makes_one_variable_for_each_name(prefix, kind):
    several = getattr(T, prefix + PLURALS[kind])
    wanted = T.TensorType(PREFIXES.get(prefix, "float64"), KINDS[kind])
    for made in (several("x", "y"), several("xy"), several(["x", "y"])):
        assert [(v.name, v.type) for v in made] == [("x", wanted), ("y", wanted)]
    made = several(3)
    assert [(v.name, v.type) for v in made] == [(None, wanted)] * 3 and len(set(made)) == 3


@pytest.mark.parametrize("kind", KINDS)
def test_without_prefix_the_dtype_is_floatx_unless_told(kind):
    make = getattr(T, kind)
    assert make().dtype == "float64"
    assert make("x", dtype="int8").dtype == "int8"
    assert make("x", dtype=theano.shared(1).dtype).dtype == "int64"
    with theano.config.change_flags(floatX="float32"):
        assert make("x").dtype == "float32"
        assert make("x", "float64").dtype == "float64"


def test_a_name_is_any_text():
    assert T.dscalar(name="a long name").name == "a long name"


def test_tensor_takes_dtype_and_pattern():
    x = T.tensor("int16", (False, True, False), name="x")
    assert x.name == "x" and x.type == T.TensorType("int16", (False, True, False))
    assert T.tensor(dtype="float32", broadcastable=[]).type == T.fscalar


def test_two_variables_of_one_name_are_two():
    assert T.dscalar("x") is not T.dscalar("x")
    assert len({T.dscalar("x"), T.dscalar("x")}) == 2
