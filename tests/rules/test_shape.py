"""Shapes are expressions of the inputs' shapes; nothing is computed for its length alone."""

import pickle

import numpy as np
import pytest

from theano._src.graph.fg import FunctionGraph
from theano._src.graph.graph import Apply
from theano._src.graph.op import Op
from theano._src.ground.config import config
from theano._src.ground.errors import ShapeError
from theano._src.ops.core.dimshuffle import DimShuffle
from theano._src.ops.core.elemwise import Elemwise
from theano._src.ops.elementwise.arithmetic import add, mul, neg, sqr
from theano._src.ops.elementwise.explog import exp
from theano._src.ops.index.subtensor import Subtensor
from theano._src.ops.shape.join import MakeVector, join
from theano._src.ops.shape.shape import Shape_i, shape, shape_i_op
from theano._src.rewrite.database import Query
from theano._src.rewrite.driver import RewriteWarning
from theano._src.rules.pipeline import rewrite
from theano._src.rules.shape import ShapeFeature
from theano._src.testing.evaluate import evaluate
from theano._src.types.convert import constant
from theano._src.types.scalar import get_scalar_type
from theano._src.types.tensor import tensor_type

INT = get_scalar_type("int64")


def matrix(name=None):
    return tensor_type("float64", (False, False))(name)


def graph(inputs, outputs):
    g = FunctionGraph(inputs, outputs)
    rewrite(g, Query(["fast_run"]).excluding("inplace"))
    g.check_integrity()
    return g


def ops_of(g):
    return {type(n.op) for n in g.apply_nodes}


def with_shapes(inputs, outputs):
    g = FunctionGraph(inputs, outputs, clone=False)
    g.attach_feature(ShapeFeature())
    return g, g.shape_feature


def test_a_shape_is_a_vector_of_lengths():
    x = matrix("x")
    g = graph([x], [shape(x)])
    assert str(g) == "[MakeVector{dtype='int64'}(Shape_i{0}(x), Shape_i{1}(x))]"


def test_the_shape_of_an_expression_never_computes_the_expression():
    x, y = matrix("x"), matrix("y")
    t = DimShuffle((False, False), (1, 0))
    g = graph([x, y], [shape(sqr(x)), shape(t(add(exp(x), y)))])
    assert ops_of(g) == {MakeVector, Shape_i}
    values = {g.inputs[0]: np.zeros((2, 3)), g.inputs[1]: np.zeros((2, 3))}
    assert [v.tolist() for v in evaluate(g.outputs, values)] == [[2, 3], [3, 2]]


def test_the_length_of_joined_arrays_is_a_sum():
    x, y = matrix("x"), matrix("y")
    g = graph([x, y], [shape(join(0, x, y))])
    assert str(g) == (
        "[MakeVector{dtype='int64'}(Elemwise{add,no_inplace}(Shape_i{0}(x), Shape_i{0}(y)), "
        "Shape_i{1}(x))]"
    )


def test_one_entry_of_a_shape_is_one_length():
    x = matrix("x")
    g = graph([x], [Subtensor([INT])(shape(exp(x)), 1), Subtensor([INT])(shape(x), -2)])
    assert str(g) == "[Shape_i{1}(x), Shape_i{0}(x)]"


def test_an_entry_that_is_not_there_is_left_to_fail_when_it_runs():
    x = matrix("x")
    g = graph([x], [Subtensor([INT])(shape(x), 2)])
    assert Subtensor in ops_of(g)


def test_known_lengths_become_constants():
    row = tensor_type("float64", (True, False))("r")
    g = graph([row], [Subtensor([INT])(shape(row), 0), shape(constant(np.zeros((4, 5))))])
    assert g.outputs[0].data == 1 and g.outputs[1].data.tolist() == [4, 5]


def test_a_scalar_has_an_empty_shape():
    s = tensor_type("float64", ())("s")
    g = graph([s], [shape(exp(s))])
    assert g.outputs[0].data.tolist() == [] and g.outputs[0].data.dtype == "int64"


class Opaque(Op):
    __props__ = ()

    def make_node(self, x):
        return Apply(self, [x], [x.type()])

    def perform(self, node, inputs, output_storage):
        output_storage[0][0] = inputs[0][:1]


def test_an_op_that_does_not_tell_its_shape_is_computed_for_it():
    x = matrix("x")
    g = graph([x], [shape(exp(Opaque()(x)))])
    assert ops_of(g) == {Opaque, Shape_i, MakeVector}
    (value,) = evaluate(g.outputs, {g.inputs[0]: np.zeros((2, 3))})
    assert value.tolist() == [1, 3]


def test_shapes_in_terms_of_an_opaque_variable_go_when_it_goes():
    x = matrix("x")
    v = Opaque()(x)
    g, feature = with_shapes([x], [exp(v)])
    first = feature.get_shape(g.outputs[0], 0)
    assert first.owner.inputs[0] is v
    g.replace(v, neg(x))
    again = feature.get_shape(g.outputs[0], 0)
    assert again.owner.inputs[0] is x


def telling(answer):
    class Tells(Opaque):
        def infer_shape(self, node, shapes):
            if isinstance(answer, type):
                raise answer("cannot say")
            return answer(shapes)

    return Tells()


@pytest.mark.parametrize(
    "answer", [ShapeError, NotImplementedError, lambda s: [None]], ids=["error", "none yet", "None"]
)
def test_an_op_may_say_that_it_cannot_tell(answer):
    x = matrix("x")
    v = telling(answer)(x)
    _, feature = with_shapes([x], [v])
    assert feature.get_shape(v, 1).owner.inputs[0] is v


@pytest.mark.parametrize("answer", [KeyError, lambda s: [], lambda s: [s[0][:1]]])
def test_an_infer_shape_that_fails_is_reported_and_passed_over(answer):
    x = matrix("x")
    v = telling(answer)(x)
    _, feature = with_shapes([x], [v])
    with pytest.warns(RewriteWarning, match="infer_shape of .* failed on"):
        assert feature.get_shape(v, 1).owner.inputs[0] is v
    y = matrix("y")
    w = telling(answer)(y)
    _, feature = with_shapes([y], [w])
    with config.change_flags(on_shape_error="raise"), pytest.raises((KeyError, ValueError)):
        feature.get_shape(w, 1)


def test_lengths_given_as_numbers_or_in_other_dtypes_become_int64():
    x = matrix("x")
    n = tensor_type("int8", ())("n")
    v = telling(lambda s: [(3, n)])(x)
    g, feature = with_shapes([x, n], [v])
    three, many = feature.shape_of[g.outputs[0]]
    assert three.data == 3 and three.type.dtype == many.type.dtype == "int64"


def test_same_shape_compares_expressions():
    x, y = matrix("x"), matrix("y")
    g, feature = with_shapes([x, y], [exp(x), neg(exp(x)), mul(x, y), exp(y)])
    a, b, c, d = g.outputs
    assert feature.same_shape(a, b) and feature.same_shape(a, c)
    assert not feature.same_shape(a, d)
    assert not feature.same_shape(a, b, 0, 1) and feature.same_shape(a, b, 1, 1)


def test_shape_of_may_be_asked_like_a_dict():
    x = matrix("x")
    _, feature = with_shapes([x], [exp(x)])
    assert x in feature.shape_of and len(feature.shape_of.get(x)) == 2


def test_shapes_of_deep_graphs_are_found_without_recursion():
    x = matrix("x")
    v = x
    for _ in range(10_000):
        v = exp(v)
    g = graph([x], [shape_i_op(1)(v)])
    assert str(g) == "[Shape_i{1}(x)]"


def test_expressions_of_shapes_may_be_deep_too():
    x, y = matrix("x"), matrix("y")
    v = x
    for _ in range(2_000):
        v = join(0, v, y)
    g = graph([x, y], [shape_i_op(0)(v)])
    assert ops_of(g) == {Shape_i, Elemwise}
    values = {g.inputs[0]: np.zeros((5, 2)), g.inputs[1]: np.zeros((3, 2))}
    assert evaluate(g.outputs, values)[0] == 5 + 3 * 2_000


def test_a_graph_that_knows_shapes_can_be_saved_without_them():
    x = matrix("x")
    g, feature = with_shapes([x], [exp(exp(x))])
    assert feature.get_shape(g.outputs[0], 0) is not None
    g.name = "saved"
    loaded = pickle.loads(pickle.dumps(g))
    assert str(loaded) == str(g) and loaded.name == "saved"
    assert len(loaded.shape_feature.shape_of) == 0
    assert str(loaded.shape_feature.get_shape(loaded.outputs[0], 1)) == "Shape_i{1}.0"
