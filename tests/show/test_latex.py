"""Formulas in LaTeX: brackets, forms of ops, names, definitions, printers of users."""

import numpy as np
import pytest

import theano
import theano.tensor as T
from tests.show.latex_grammar import faults
from tests.testing.test_coverage import specs
from theano._src.graph.graph import Apply
from theano._src.graph.op import Op
from theano._src.show.latex_names import name
from theano.printing import (
    FunctionPrinter,
    IgnorePrinter,
    MemberPrinter,
    OperatorPrinter,
    PatternPrinter,
    latex,
    pprint,
)

x, y, b = T.dvector("x"), T.dvector("y"), T.dvector("b")
X, W = T.dmatrix("X"), T.dmatrix("W")
s, w_1, theta = T.dscalar("s"), T.dscalar("w_1"), T.dscalar("theta")
i, k = T.lscalar("i"), T.lvector("k")
z = T.zmatrix("z")


# fmt: off
TABLE = [
    (lambda: x + y,                       r"x + y"),
    (lambda: (x + y) + x,                 r"x + y + x"),
    (lambda: x + (y + x),                 r"x + y + x"),
    (lambda: x + (y - x),                 r"x + y - x"),
    (lambda: x + (-y + x),                r"x + (-y + x)"),
    (lambda: x + T.fill(x, s),            r"x + \operatorname{fill}(x, s)"),
    (lambda: T.fill(s, theta),            r"\theta"),
    (lambda: x - (y - x),                 r"x - (y - x)"),
    (lambda: x - y - x,                   r"x - y - x"),
    (lambda: x + (-y),                    r"x - y"),
    (lambda: x + -2.0,                    r"x - 2"),
    (lambda: x - (-y),                    r"x - (-y)"),
    (lambda: -(x + y),                    r"-(x + y)"),
    (lambda: -x * y,                      r"-x \odot y"),
    (lambda: y * -x,                      r"y \odot (-x)"),
    (lambda: (x + y) * s,                 r"(x + y) \, s"),
    (lambda: x * 3.0,                     r"3 \, x"),
    (lambda: T.constant(2.0) * 3.0 * s,   r"2 \cdot 3 \, s"),
    (lambda: x / (1 + y),                 r"\frac{x}{1 + y}"),
    (lambda: (x / y) ** 2,                r"\left( \frac{x}{y} \right)^{2}"),
    (lambda: 1 / (x / y),                 r"\frac{1}{\frac{x}{y}}"),
    (lambda: x // 2,                      r"\left\lfloor \frac{x}{2} \right\rfloor"),
    (lambda: i % 3 + 1,                   r"i \bmod 3 + 1"),
    (lambda: (x + y) ** 2,                r"(x + y)^{2}"),
    (lambda: x ** (y ** 2),               r"x^{y^{2}}"),
    (lambda: (x ** y) ** 2,               r"(x^{y})^{2}"),
    (lambda: T.constant(-2.0) ** s,       r"(-2)^{s}"),
    (lambda: T.sqr(x),                    r"x^{2}"),
    (lambda: T.sqrt(1 + x),               r"\sqrt{1 + x}"),
    (lambda: abs(x - y),                  r"\left| x - y \right|"),
    (lambda: T.exp(-x),                   r"e^{-x}"),
    (lambda: T.exp(T.sum(x)),             r"\exp\left( \sum x \right)"),
    (lambda: T.log(x),                    r"\log(x)"),
    (lambda: T.log2(x),                   r"\log_{2}(x)"),
    (lambda: T.log1p(x),                  r"\operatorname{log1p}(x)"),
    (lambda: T.tanh(x / y),               r"\tanh\left( \frac{x}{y} \right)"),
    (lambda: T.nnet.sigmoid(x),           r"\operatorname{sigmoid}(x)"),
    (lambda: T.gamma(x),                  r"\Gamma(x)"),
    (lambda: T.floor(x),                  r"\left\lfloor x \right\rfloor"),
    (lambda: T.inv(x),                    r"\frac{1}{x}"),
    (lambda: T.maximum(x, 0),             r"\max(x, 0)"),
    (lambda: T.conj(z),                   r"\overline{z}"),
    (lambda: T.dot(W, x) + b,             r"W \, x + b"),
    (lambda: T.dot(x, y),                 r"x \cdot y"),
    (lambda: T.dot(W, T.dot(X, x)),       r"W \, (X \, x)"),
    (lambda: T.dot(T.dot(W, X), x),       r"W \, X \, x"),
    (lambda: T.dot(W * X, x),             r"(W \odot X) \, x"),
    (lambda: x * T.dot(W, y),             r"x \odot W \, y"),
    (lambda: X.T,                         r"X^{\top}"),
    (lambda: T.dot(X.T, X),               r"X^{\top} \, X"),
    (lambda: (X + W).T,                   r"(X + W)^{\top}"),
    (lambda: T.nlinalg.matrix_inverse(X), r"X^{-1}"),
    (lambda: T.nlinalg.matrix_inverse(X.T), r"(X^{\top})^{-1}"),
    (lambda: T.nlinalg.det(X),            r"\det(X)"),
    (lambda: T.sum(x * y),                r"\sum x \odot y"),
    (lambda: T.sum(x) + 1,                r"\sum x + 1"),
    (lambda: T.sum(x + y),                r"\sum (x + y)"),
    (lambda: T.sum(X, axis=0),            r"\sum_{\mathrm{axis}\,0} X"),
    (lambda: T.mean(x + y),               r"\operatorname{mean}(x + y)"),
    (lambda: X.mean(axis=0, keepdims=True), r"\operatorname{mean}_{\mathrm{axis}\,0}(X)"),
    (lambda: 2 * T.mean(x) / s,           r"\frac{2 \, \operatorname{mean}(x)}{s}"),
    (lambda: s * np.pi,                   r"3.14159 \, s"),
    (lambda: s * T.sum(x),                r"s \, \sum x"),
    (lambda: y + s * T.sum(x),            r"y + s \, \sum x"),
    (lambda: y - T.sum(x),                r"y - \sum x"),
    (lambda: -T.sum(x),                   r"-\sum x"),
    (lambda: T.sum(x) * y,                r"\left( \sum x \right) \, y"),
    (lambda: (s * T.sum(x)) * y,          r"\left( s \, \sum x \right) \, y"),
    (lambda: s / T.sum(x),                r"\frac{s}{\sum x}"),
    (lambda: T.sum(x) ** 2,               r"\left( \sum x \right)^{2}"),
    (lambda: x.dimshuffle("x", 0).dimshuffle(1), r"x"),
    (lambda: T.prod(x),                   r"\prod x"),
    (lambda: X.max(axis=1),               r"\max_{\mathrm{axis}\,1}(X)"),
    (lambda: T.argmax(x),                 r"\operatorname{arg\,max}_{\mathrm{axis}\,0}(x)"),
    (lambda: T.any(x > y),                r"\operatorname{any}(x > y)"),
    (lambda: x[0],                        r"x_{0}"),
    (lambda: x[i],                        r"x_{i}"),
    (lambda: X[1:, i],                    r"X_{1{:}, i}"),
    (lambda: x[::-1],                     r"x_{{:}{:}-1}"),
    (lambda: x[k],                        r"x_{k}"),
    (lambda: x[0] ** 2,                   r"x_{0}^{2}"),
    (lambda: (x + y)[0],                  r"{(x + y)}_{0}"),
    (lambda: T.set_subtensor(x[0], s),    r"\operatorname{set}(x_{0} \leftarrow s)"),
    (lambda: T.inc_subtensor(x[k], y),    r"\operatorname{inc}(x_{k} \mathrel{+}= y)"),
    (lambda: x.shape[0],                  r"{\operatorname{shape}(x)}_{0}"),
    (lambda: T.eq(x, y) & (x > 1),        r"x = y \wedge x > 1"),
    (lambda: T.switch(x > 0, x, 0),
     r"\begin{cases}x & \text{if } x > 0 \\ 0 & \text{otherwise}\end{cases}"),
    (lambda: theano.ifelse.ifelse(s > 0, x, y), r"\operatorname{ifelse}(s > 0, x, y)"),
    (lambda: T.stack([s, theta]),         r"\begin{bmatrix}s & \theta\end{bmatrix}"),
    (lambda: T.nnet.softmax(X),           r"\operatorname{softmax}(X)"),
    (lambda: T.cast(x, "int32"),          r"\operatorname{int32}(x)"),
    (lambda: X + x,                       r"X + x"),
    (lambda: x.dimshuffle(0, "x"),        r"\operatorname{dimshuffle}_{0, x}(x)"),
    (lambda: w_1 * theta,                 r"w_{1} \, \theta"),
    (lambda: 1e-8 + x,                    r"10^{-8} + x"),
    (lambda: x * 2.5e-9,                  r"2.5 \cdot 10^{-9} \, x"),
    (lambda: x + T.constant([1.0, 2.0]),  r"x + \begin{bmatrix}1 & 2\end{bmatrix}"),
    (lambda: x + T.constant(np.ones(9)),  r"x + \mathbf{1}_{9}"),
    (lambda: x + T.constant(3.0, name="c"), r"x + c"),
    (lambda: x + T.dvector(),             r"x + \mathrm{TensorType(float64,\ vector)}"),
]
# fmt: on


@pytest.mark.parametrize(("build", "text"), TABLE, ids=[text for _, text in TABLE])
def test_a_formula_reads_as_mathematics(build, text):
    assert latex(build()) == text
    assert faults(text) == []


@pytest.mark.parametrize(
    ("word", "text"),
    [
        ("x", "x"),
        ("x1", "x_{1}"),
        ("loss", r"\mathrm{loss}"),
        ("loss2", r"\mathrm{loss2}"),
        ("Omega", r"\Omega"),
        ("theta2", r"\theta_{2}"),
        ("W_h_1", "W_{h, 1}"),
        ("mu_hat", r"\hat{\mu}"),
        ("x_bar_1", r"\bar{x}_{1}"),
        ("_hidden", r"\mathrm{\_hidden}"),
        ("a b", r"\mathrm{a\ b}"),
        ("(dcost/dw_1)", r"\frac{\partial \mathrm{cost}}{\partial w_{1}}"),
        ("<script>", r"\mathrm{\lt script\gt }"),
        ("}{\\$%#&^~'", r"\mathrm{\}\{\backslash \$\%\#\&\hat{\ }\sim \prime }"),
        ("π", "π"),
    ],
)
def test_a_name_becomes_letters_and_subscripts(word, text):
    assert name(word) == text
    assert faults(f"{text}^{{2}}") == []
    assert not set("<>") & set(text)


def test_a_part_that_is_used_twice_is_defined_if_it_is_long():
    p = T.nnet.sigmoid(T.dot(W, x) + b)
    assert latex(p * (1 - p)) == (
        "\\begin{aligned}\n"
        "& t_{1} \\odot (1 - t_{1}) \\\\\n"
        "\\text{where} \\quad t_{1} &= \\operatorname{sigmoid}(W \\, x + b)\n"
        "\\end{aligned}"
    )
    short = x + y
    assert latex(short * short) == r"(x + y) \odot (x + y)"
    assert latex(short * short, where=1).splitlines()[-2].endswith("t_{1} &= x + y")
    assert "where" not in latex(p * (1 - p), where=None)


def test_a_part_with_a_name_is_defined_by_it():
    p = x + y
    p.name = "p_hat"
    assert latex(2 * p) == (
        "\\begin{aligned}\n& 2 \\, \\hat{p} \\\\\n"
        "\\text{where} \\quad \\hat{p} &= x + y\n\\end{aligned}"
    )
    assert latex(p) == "x + y"


def test_two_parts_of_one_name_are_not_taken_for_each_other():
    one, two = x + y, x * y
    one.name = two.name = "p"
    text = latex(one / two)
    assert text.count("p &= ") == 1
    assert r"\frac{p}{x \odot y}" in text


def test_definitions_avoid_the_letters_of_the_formula():
    t_1 = T.dvector("t_1")
    p = T.exp(T.dot(W, t_1) + b)
    assert "u_{1} &= " in latex(p / (1 + p))


def test_a_gradient_is_written_as_it_was_built():
    cost = T.sum((T.dot(W, x) - y) ** 2)
    fill = r"\operatorname{fill}((W \, x - y)^{2}, 1)"
    assert latex(T.grad(cost, x)) == rf"(2 \, {fill} \odot (W \, x - y)^{{2 - 1}}) \, W"


def test_several_expressions_are_lines_with_their_names():
    total = x + y
    total.name = "total"
    assert latex([total, 2 * total]) == (
        "\\begin{aligned}\n\\mathrm{total} &= x + y \\\\\n& 2 \\, \\mathrm{total}\n\\end{aligned}"
    )


def test_a_fused_node_is_written_as_what_it_computes():
    f = theano.function([x, y], T.exp(x) * y + 1)
    fused = f.maker.fgraph.outputs[0]
    assert "Composite" in str(fused.owner)
    assert latex(fused) in (r"1 + y \odot e^{x}", r"e^{x} \odot y + 1", r"1 + e^{x} \odot y")


def test_products_of_blas_are_written_as_sums():
    z, a = T.dmatrix("Z"), T.dscalar("a")
    f = theano.function([z, a, X, W], 0.5 * z + a * T.dot(X, W))
    (gemm,) = [n for n in f.maker.fgraph.apply_nodes if type(n.op).__name__ == "Gemm"]
    assert latex(gemm.outputs[0]) == r"0.5 \, Z + a \, X \, W"


def test_a_loop_and_a_graph_in_an_op_are_functions():
    steps, _ = theano.scan(lambda a, h: a * h, sequences=x, outputs_info=s)
    assert r"\operatorname{scan}(" in latex(steps[-1])
    double = theano.OpFromGraph([s], [2 * s], name="double")
    assert latex(double(theta) + 1) == r"\operatorname{double}(\theta) + 1"


class Join3(Op):
    """Takes anything; its result is a 0-d tensor."""

    __props__ = ("nout",)

    def __init__(self, nout=1):
        self.nout = nout

    def make_node(self, *inputs):
        return Apply(self, inputs, [T.dscalar() for _ in range(self.nout)])


def test_an_op_without_a_form_is_its_name_with_arguments():
    assert latex(Join3()(x, y + 1)) == r"\operatorname{join3}(x, y + 1)"
    second = Join3(2).make_node(x).outputs[1]
    assert latex(second) == r"\operatorname{join3}(x)_{1}"


@pytest.mark.parametrize(
    ("printer", "text"),
    [
        (OperatorPrinter("@", -1, "left"), r"x @ (y + y)"),
        (FunctionPrinter("f"), r"\operatorname{f}(x, y + y)"),
        (PatternPrinter(r"\langle %(0)s, %(1)s \rangle"), r"\langle x, y + y \rangle"),
        (PatternPrinter((r"%(0)s \star %(1)s", -1000, 0)), r"x \star (y + y)"),
        (MemberPrinter("size"), r"x.\mathrm{size}"),
        (IgnorePrinter(), "x"),
    ],
)
def test_each_kind_of_printer_can_be_assigned(printer, text):
    op = Join3()
    assert latex.clone_assign(op, printer)(op(x, y + y)) == text
    assert latex(op(x, y)) == r"\operatorname{join3}(x, y)"


def test_a_printer_of_ones_own_may_ask_for_its_inputs():
    class Loud:
        def process(self, r, pstate):
            return pstate.pprinter.process(r.owner.inputs[0], pstate) + "!"

    op = Join3()
    assert latex.clone_assign(Join3, Loud())(op(op(x + y)) + s) == "x + y!! + s"


def test_a_printer_that_is_assigned_to_pprint_serves_ops_without_a_form_here():
    op = Join3(3)
    pprint.assign(op, FunctionPrinter("three", "", ""))
    try:
        assert latex(op.make_node(x).outputs[0]) == r"\operatorname{three}(x)"
    finally:
        del pprint.printers_dict[op]


def test_what_is_not_a_variable_is_refused():
    f = theano.function([x], x + 1)
    for wrong in (f, 3, None, [x, 3]):
        with pytest.raises(TypeError, match="latex takes a Variable or a list of them, got"):
            latex(wrong)


def test_a_formula_of_ten_thousand_ops_is_written_and_an_endless_one_refused():
    v = s
    for _ in range(10_000):
        v = s + v
    assert latex(v) == "s + " * 10_000 + "s"
    v = s
    for _ in range(200):
        v = v * v
    assert len(latex(v)) < 20_000
    with pytest.raises(ValueError, match="use debugprint"):
        latex(v, where=None)


@pytest.mark.xla  # some modules with specs load jax
def test_the_formula_of_every_op_that_has_a_spec_is_sound():
    wrong = []
    for spec in specs():
        built = spec.all_cases()[0].build(spec.fn)
        for v in built.outputs:
            text = latex(v)
            if not text or "<" in text.replace(" < ", "") or faults(text):
                wrong.append(f"{spec.name}: {text} {faults(text)}")
    assert len(specs()) > 300
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize(
    "text", ["{", "}", "x^2^3", "x_{1}_{2}", r"\left( x", r"\begin{cases} x \end{aligned}"]
)
def test_the_grammar_of_these_tests_finds_faults(text):
    assert faults(text)
