"""Merging makes equal things one and keeps apart what must stay apart."""

import numpy as np

from theano._src.graph.fg import FunctionGraph
from theano._src.graph.graph import Apply
from theano._src.graph.op import Op
from theano._src.ops.core.elemwise import Elemwise
from theano._src.ops.elementwise.arithmetic import add, mul, neg
from theano._src.ops.elementwise.explog import Exp, exp
from theano._src.rewrite.log import RewriteTrace
from theano._src.rewrite.merge import merge
from theano._src.types.convert import constant
from theano._src.types.tensor import tensor_type


def vector(name=None):
    return tensor_type("float64", (False,))(name)


def merged(inputs, outputs):
    g = FunctionGraph(inputs, outputs, clone=False)
    n = merge(g)
    g.check_integrity()
    return g, n


def test_equal_nodes_become_one_all_the_way_up():
    x, y = vector("x"), vector("y")
    g, n = merged([x, y], [neg(exp(add(x, y))), mul(neg(exp(add(x, y))), x)])
    assert n == 3 and len(g.apply_nodes) == 4
    assert g.outputs[1].owner.inputs[0] is g.outputs[0]


def test_two_outputs_may_become_one():
    x = vector("x")
    g, _ = merged([x], [exp(x), exp(x)])
    assert g.outputs[0] is g.outputs[1] and len(g.apply_nodes) == 1


def test_the_order_of_inputs_and_the_op_matter():
    x, y = vector("x"), vector("y")
    _, n = merged([x, y], [add(x, y), add(y, x), mul(x, y)])
    assert n == 0


def test_equal_constants_become_one_and_others_stay():
    x = vector("x")
    c = [np.ones(3), np.ones(3), np.ones(3, "float32"), -np.zeros(3), np.zeros(3)]
    g, n = merged([x], [add(x, constant(v)) for v in c])
    assert n == 2  # the constant, and then the sum
    assert g.outputs[0] is g.outputs[1]
    assert len({g.outputs[k].owner.inputs[1] for k in (0, 2, 3, 4)}) == 4


def test_equal_nans_become_one():
    _, n = merged([], [constant(np.array([np.nan])), constant(np.array([np.nan]))])
    assert n == 1


def test_inputs_of_the_graph_are_never_merged():
    x, y = vector("x"), vector("x")
    g, n = merged([x, y], [exp(x), exp(y)])
    assert n == 0 and g.inputs == [x, y]


def test_a_name_survives_on_either_side():
    x = vector("x")
    a, b = exp(x), exp(x)
    b.name = "b"
    g, _ = merged([x], [neg(a), mul(b, x)])
    assert g.outputs[0].owner.inputs[0].name == "b"


def test_nodes_that_overwrite_their_input_stay_apart():
    x = vector("x")
    inplace = Elemwise(Exp(), {0: 0})
    _, n = merged([x], [inplace(x), inplace(x)])
    assert n == 0


def test_nodes_whose_result_is_overwritten_stay_apart():
    x = vector("x")
    inplace = Elemwise(Exp(), {0: 0})
    g, n = merged([x], [inplace(neg(x)), inplace(neg(x)), neg(neg(x))])
    assert n == 0 and len(g.apply_nodes) == 6


class Unhashable(Op):
    def __eq__(self, other):
        return type(self) is type(other)

    __hash__ = None

    def make_node(self, x):
        return Apply(self, [x], [x.type()])


def test_an_op_without_hash_is_let_be():
    x = vector("x")
    _, n = merged([x], [Unhashable()(x), Unhashable()(x)])
    assert n == 0


def test_the_trace_tells_of_merged_nodes():
    x = vector("x")
    log = RewriteTrace()
    merge(FunctionGraph([x], [exp(x), exp(x)], clone=False), log)
    assert [s.rule for s in log] == ["merge"]


def test_ten_thousand_nodes_are_merged_without_recursion():
    x = vector("x")

    def chain():
        v = x
        for _ in range(5_000):
            v = neg(v)
        return v

    g, n = merged([x], [chain(), chain()])
    assert n == 5_000 and g.outputs[0] is g.outputs[1]
