"""Formulas: the documented texts, the forms of each kind of op, and users' own printers."""

import pytest

from tests.show.language import tensor
from theano._src.graph.graph import Apply
from theano._src.graph.op import Op
from theano._src.ops.core.cast import cast
from theano._src.ops.core.dimshuffle import DimShuffle
from theano._src.ops.core.elemwise import Elemwise
from theano._src.ops.elementwise.activations import sigmoid
from theano._src.ops.elementwise.arithmetic import (
    Add,
    Mul,
    Neg,
    Pow,
    Sub,
    abs_,
    add,
    int_div,
    mul,
    neg,
    pow,
    second,
    sub,
    tensor_copy,
    true_div,
)
from theano._src.ops.elementwise.compare import GT, and_, gt, invert, isnan, neq, switch
from theano._src.ops.elementwise.explog import (
    exp,
)
from theano._src.ops.index.subtensor import basic_getitem
from theano._src.ops.linalg.dot import dot
from theano._src.ops.reduce.any_all import All
from theano._src.ops.reduce.careduce import Sum
from theano._src.ops.shape.alloc import alloc
from theano._src.ops.shape.join import Join, MakeVector
from theano._src.show.forms import FORMS, pp, pprint
from theano._src.show.pprint import (
    FunctionPrinter,
    IgnorePrinter,
    MemberPrinter,
    OperatorPrinter,
    PatternPrinter,
    PPrinter,
    PrinterState,
    default_printer,
    leaf_printer,
)
from theano._src.types.convert import constant

x, y = tensor("x", 1), tensor("y", 1)
X, s, i = tensor("X", 2), tensor("s"), tensor("i", dtype="int64")
k = tensor("k", 1, "int64")


class Join3(Op):
    """Takes anything; its result is a 0-d tensor."""

    __props__ = ("nout",)

    def __init__(self, nout=1):
        self.nout = nout

    def make_node(self, *inputs):
        return Apply(self, inputs, [tensor() for _ in range(self.nout)])


def shuffle(v, *order):
    return DimShuffle(v.broadcastable, order)(v)


def test_the_gradient_of_a_square_prints_as_documented():
    x = tensor("x")
    two, one = constant(2), constant(1)
    mul_, pow_, sub_ = (Elemwise(op.scalar_op) for op in (mul, pow, sub))
    g = mul_(mul_(second(pow(x, two), 1.0), two), pow_(x, sub_(two, shuffle(one))))
    assert pp(g) == "((fill((x ** 2), 1.0) * 2) * (x ** (2 - 1)))"


def test_pprint_names_the_class_of_constants_and_has_no_space_after_a_comma():
    b = tensor("b")
    p = true_div(1, add(1, exp(sub(neg(x), b))))
    want = "gt((TensorConstant{1} / (TensorConstant{1} + exp(((-x) - b)))),TensorConstant{0.5})"
    assert pprint(gt(p, 0.5)) == want
    assert pp(gt(p, 0.5)) == "gt((1 / (1 + exp(((-x) - b)))), 0.5)"


# fmt: off
TABLE = [
    (lambda: add(x, y),                              "(x + y)"),
    (lambda: add(x, y, x),                           "(x + y + x)"),
    (lambda: add(add(x, y), x),                      "((x + y) + x)"),
    (lambda: sub(x, sub(y, x)),                      "(x - (y - x))"),
    (lambda: mul(neg(x), y),                         "((-x) * y)"),
    (lambda: neg(neg(x)),                            "(-(-x))"),
    (lambda: true_div(x, y),                         "(x / y)"),
    (lambda: int_div(x, y),                          "(x // y)"),
    (lambda: pow(x, pow(y, x)),                      "(x ** (y ** x))"),
    (lambda: abs_(add(x, y)),                        "|(x + y)|"),
    (lambda: exp(neg(x)),                            "exp((-x))"),
    (lambda: sigmoid(x),                             "sigmoid(x)"),
    (lambda: neq(x, y),                              "neq(x, y)"),
    (lambda: isnan(x),                               "isnan(x)"),
    (lambda: and_(k, invert(k)),                     "and_(k, invert(k))"),
    (lambda: switch(gt(x, 0), x, y),                 "switch(gt(x, 0), x, y)"),
    (lambda: Elemwise(GT())(x, y),                   "gt(x, y)"),
    (lambda: cast(x, "float32"),                     "float32(x)"),
    (lambda: tensor_copy(x),                         "x"),
    (lambda: add(X, x),                              "(X + x)"),
    (lambda: add(X, s),                              "(X + s)"),
    (lambda: shuffle(X, 1, 0),                       "X.T"),
    (lambda: shuffle(add(X, X), 1, 0),               "(X + X).T"),
    (lambda: shuffle(X, "x", 1, 0),                  "X.T"),
    (lambda: shuffle(X, 0, "x", 1),                  "DimShuffle{0, x, 1}(X)"),
    (lambda: shuffle(x, "x", 0),                     "x"),
    (lambda: shuffle(x, 0, "x"),                     "DimShuffle{0, x}(x)"),
    (lambda: basic_getitem(x, [0]),                  "x[0]"),
    (lambda: basic_getitem(x, [i]),                  "x[i]"),
    (lambda: basic_getitem(x, [slice(1, None)]),     "x[1:]"),
    (lambda: basic_getitem(x, [slice(None, None, -1)]),     "x[::-1]"),
    (lambda: basic_getitem(X, [slice(None, i), 2]),  "X[:i, 2]"),
    (lambda: basic_getitem(add(x, y), [3]),          "(x + y)[3]"),
    (lambda: add(x, constant([1.0, 2.0])),           "(x + [1. 2.])"),
    (lambda: add(x, constant([2.0, 2.0])),           "(x + (2,) of 2.0)"),
    (lambda: add(x, constant(3.0, name="c")),        "(x + c)"),
    (lambda: add(tensor("alpha"), tensor("theta")),  r"(\alpha + theta)"),
    (lambda: add(x, tensor(ndim=1)),                 "(x + <TensorType(float64, vector)>)"),
    (lambda: Sum()(x),                               "Sum(x)"),
    (lambda: All()(gt(x, 0)),                        "All(gt(x, 0))"),
    (lambda: alloc(s, i, 2),                         "alloc(s, i, 2)"),
    (lambda: Join()(0, x, y),                        "join(0, x, y)"),
    (lambda: MakeVector("float64")(s, s),            "[s, s]"),
    (lambda: dot(X, dot(X, x)),                      "(X \\dot (X \\dot x))"),
    (lambda: Join3()(x, y),                          "Join3{nout=1}(x, y)"),
    (lambda: Join3()(),                              "Join3{nout=1}()"),
    (lambda: Join3(2).make_node(x).outputs[0],       "Join3{nout=2}(x)"),
    (lambda: Join3(2).make_node(x).outputs[1],       "Join3{nout=2}(x).1"),
]
# fmt: on


@pytest.mark.parametrize(("build", "text"), TABLE, ids=[text for _, text in TABLE])
def test_a_formula_reads_as_mathematics(build, text):
    assert pp(build()) == text


def test_a_named_intermediate_is_written_out():
    z = add(x, y)
    z.name = "z"
    assert pp(mul(z, z)) == "((x + y) * (x + y))"


def test_operators_bind_and_group_as_in_mathematics():
    forms = [FORMS[op] for op in (Add, Mul, Neg, Pow)]
    assert sorted(forms, key=lambda form: form.precedence) == forms
    assert FORMS[Pow].assoc == "right" and FORMS[Sub].assoc == "left"


@pytest.mark.parametrize(
    ("printer", "text"),
    [
        (OperatorPrinter("@", 0, "left"), "(x @ (y + y))"),
        (FunctionPrinter("f"), "f(x, (y + y))"),
        (PatternPrinter("<%(1)s; %(0)s>"), "<(y + y); x>"),
        (PatternPrinter(("100%% of %(0)s", -1000)), "100% of x"),
        (MemberPrinter("size"), "x.size"),
        (IgnorePrinter(), "x"),
    ],
)
def test_each_kind_of_printer_can_be_assigned_to_an_op(printer, text):
    op = Join3()
    assert pp.clone_assign(op, printer)(op(x, add(y, y))) == text


def test_a_printer_of_ones_own_may_ask_for_its_inputs():
    class Loud:
        def process(self, r, pstate):
            return pstate.pprinter.process(r.owner.inputs[0], pstate) + "!"

    op = Join3()
    assert pp.clone_assign(op, Loud())(add(op(op(add(x, y))), s)) == "((x + y)!! + s)"


def test_an_assignment_reaches_both_printers_and_no_clone_reaches_back():
    op = Join3(3)
    cloned = pprint.clone_assign(op, FunctionPrinter("clone"))
    out = op.make_node(x, y).outputs[0]
    assert (cloned(out), pprint(out)) == ("clone(x,y)", "Join3{nout=3}(x,y)")
    pprint.assign(op, FunctionPrinter("three", "", ""))
    try:
        assert (pp(out), pprint(out), cloned(out)) == ("three(x, y)", "three(x,y)", "clone(x,y)")
    finally:
        del pprint.printers_dict[op]


def test_an_op_wins_over_a_predicate_and_a_predicate_over_a_class():
    op, out = Join3(), Join3()(x)
    printer = pp.clone()
    printer.assign(Join3, FunctionPrinter("of_class"))
    assert printer(out) == "of_class(x)"
    printer.assign(lambda pstate, r: r.owner and r.owner.op == op, FunctionPrinter("asked"))
    assert printer(out) == "asked(x)"
    printer.assign(lambda pstate, r: r.owner is not None, FunctionPrinter("asked_later"))
    assert printer(out) == "asked_later(x)"
    printer.assign(op, FunctionPrinter("the_op"))
    assert printer(out) == "the_op(x)"


def test_a_class_of_scalar_ops_stands_for_their_elementwise_ops():
    assert pp.clone_assign(GT, OperatorPrinter(">", 0))(gt(x, y)) == "(x > y)"


def test_printers_work_by_themselves():
    state = PrinterState(pprinter=pp)
    assert leaf_printer.process(x, PrinterState()) == "x"
    assert default_printer.process(add(x, 1), state) == "add(x, 1)"
    assert pp.process(add(x, 1), state.clone(precedence=3)) == "(x + 1)"
    assert PPrinter()(second(s, 1)) == "second(s,TensorConstant{1})"


def test_a_formula_of_ten_thousand_ops_is_written():
    v = s
    for _ in range(10_000):
        v = add(s, v)
    text = pp(v)
    assert text == "(s + " * 10_000 + "s" + ")" * 10_000


def test_a_formula_that_would_never_end_is_refused(monkeypatch):
    monkeypatch.setattr("theano._src.show.pprint._LONGEST", 10_000)
    v = s
    for _ in range(200):
        v = mul(v, v)
    with pytest.raises(ValueError, match="use debugprint"):
        pp(v)


@pytest.mark.parametrize("wrong", [3, None, [x], add(x, y).owner])
def test_what_is_not_a_variable_is_refused(wrong):
    with pytest.raises(TypeError, match=r"pp takes a Variable, got .*use debugprint"):
        pp(wrong)


def test_wrong_assignments_are_refused():
    with pytest.raises(TypeError, match="takes a printer, got 'add'"):
        pp.assign(Join3(), "add")
    with pytest.raises(TypeError, match="takes an Op, a class of Ops or a function"):
        pp.assign("add", FunctionPrinter("f"))
    with pytest.raises(ValueError, match="'left', 'right' or 'either' as assoc, got 'up'"):
        OperatorPrinter("+", 0, "up")
    with pytest.raises(TypeError, match="OperatorPrinter takes the result of an op, got x"):
        OperatorPrinter("+", 0).process(x, PrinterState(pprinter=pp))
