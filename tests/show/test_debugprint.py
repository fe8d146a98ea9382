"""debugprint: the documented trees, its options, and graphs that are deep."""

import io
from types import SimpleNamespace

import pytest

from tests.show.language import tensor
from theano._src.graph.fg import FunctionGraph
from theano._src.graph.graph import Apply
from theano._src.graph.op import Op
from theano._src.ops.core.dimshuffle import DimShuffle
from theano._src.ops.core.elemwise import Elemwise
from theano._src.ops.elementwise.arithmetic import add, mul, neg, pow, second, sub
from theano._src.show.debugprint import debugprint
from theano._src.types.convert import constant

x, y = tensor("x", 1), tensor("y", 1)


class Two(Op):
    """Two outputs, any inputs."""

    __props__ = ()

    def make_node(self, *inputs):
        return Apply(self, inputs, [tensor("first"), tensor()])


def shown(*args, **kwargs):
    return debugprint(*args, file="str", **kwargs)


@pytest.fixture
def square():
    """(x + y) * (x + y), with the sum named."""
    a = add(x, y)
    a.name = "a"
    return mul(a, a)


def test_the_gradient_of_a_square_prints_as_documented():
    x, two = tensor("x"), constant(2)
    mul_, pow_, sub_ = (Elemwise(op.scalar_op) for op in (mul, pow, sub))
    one = DimShuffle((), ())(constant(1))
    g = mul_(mul_(second(pow(x, two), 1.0), two), pow_(x, sub_(two, one)))
    assert (
        shown(g)
        == """\
Elemwise{mul} [@A] ''
 |Elemwise{mul} [@B] ''
 | |Elemwise{second,no_inplace} [@C] ''
 | | |Elemwise{pow,no_inplace} [@D] ''
 | | | |x [@E]
 | | | |TensorConstant{2} [@F]
 | | |TensorConstant{1.0} [@G]
 | |TensorConstant{2} [@F]
 |Elemwise{pow} [@H] ''
   |x [@E]
   |Elemwise{sub} [@I] ''
     |TensorConstant{2} [@F]
     |InplaceDimShuffle{} [@J] ''
       |TensorConstant{1} [@K]
"""
    )
    assert (
        shown(g, depth=2)
        == """\
Elemwise{mul} [@A] ''
 |Elemwise{mul} [@B] ''
 |Elemwise{pow} [@C] ''
"""
    )


def test_a_part_used_again_is_one_line_with_the_same_id(square):
    assert (
        shown(square)
        == """\
Elemwise{mul,no_inplace} [@A] ''
 |Elemwise{add,no_inplace} [@B] 'a'
 | |x [@C]
 | |y [@D]
 |Elemwise{add,no_inplace} [@B] 'a'
"""
    )


def test_a_name_may_hide_what_is_below_it(square):
    assert (
        shown(square, stop_on_name=True)
        == """\
Elemwise{mul,no_inplace} [@A] ''
 |Elemwise{add,no_inplace} [@B] 'a'
 |Elemwise{add,no_inplace} [@B] 'a'
"""
    )


def test_types_stand_after_the_id():
    assert (
        shown(add(tensor(ndim=1), x), print_type=True)
        == """\
Elemwise{add,no_inplace} [@A] <TensorType(float64, vector)> ''
 |<TensorType(float64, vector)> [@B] <TensorType(float64, vector)>
 |x [@C] <TensorType(float64, vector)>
"""
    )


def test_lists_share_ids(square):
    a = square.owner.inputs[0]
    assert (
        shown([a, (square,), x])
        == """\
Elemwise{add,no_inplace} [@A] 'a'
 |x [@B]
 |y [@C]
Elemwise{mul,no_inplace} [@D] ''
 |Elemwise{add,no_inplace} [@A] 'a'
 |Elemwise{add,no_inplace} [@A] 'a'
x [@B]
"""
    )


def test_outputs_of_one_node_are_told_apart_by_a_suffix():
    node = Two().make_node(x)
    want = "Two.0 [@A] 'first'\n |x [@B]\nTwo.1 [@A] ''\n"
    assert shown(node) == want
    assert shown(node.outputs) == want
    assert (
        shown(add(*reversed(node.outputs)))
        == """\
Elemwise{add,no_inplace} [@A] ''
 |Two.1 [@B] ''
 | |x [@C]
 |Two.0 [@B] 'first'
"""
    )


@pytest.fixture
def compiled(square):
    fgraph = FunctionGraph([x, y], [square, neg(square.owner.inputs[0])])
    return SimpleNamespace(maker=SimpleNamespace(fgraph=fgraph), fn=SimpleNamespace())


def test_a_compiled_function_shows_the_order_of_its_nodes(compiled):
    want = """\
Elemwise{mul,no_inplace} [@A] ''   1
 |Elemwise{add,no_inplace} [@B] 'a'   0
 | |x [@C]
 | |y [@D]
 |Elemwise{add,no_inplace} [@B] 'a'   0
Elemwise{neg,no_inplace} [@E] ''   2
 |Elemwise{add,no_inplace} [@B] 'a'   0
"""
    assert shown(compiled) == want
    assert shown(compiled.maker.fgraph) == want
    assert (
        shown(compiled.maker.fgraph.outputs[0])
        == """\
Elemwise{mul,no_inplace} [@A] ''
 |Elemwise{add,no_inplace} [@B] 'a'
 | |x [@C]
 | |y [@D]
 |Elemwise{add,no_inplace} [@B] 'a'
"""
    )


def test_clients_are_listed_where_there_are_several(compiled):
    clients = "clients:[('[@A]', 1), ('[@A]', 1), ('[@C]', 2)]"
    assert (
        shown(compiled, print_clients=True)
        == f"""\
Elemwise{{mul,no_inplace}} [@A] ''   1
 |Elemwise{{add,no_inplace}} [@B] 'a'   0 {clients}
 | |x [@D]
 | |y [@E]
 |Elemwise{{add,no_inplace}} [@B] 'a'   0 {clients}
Elemwise{{neg,no_inplace}} [@C] ''   2
 |Elemwise{{add,no_inplace}} [@B] 'a'   0 {clients}
"""
    )


def test_storage_is_shown_where_a_function_has_it(compiled):
    fgraph = compiled.maker.fgraph
    compiled.fn.storage_map = {v: [None] for v in fgraph.variables}
    compiled.fn.storage_map[fgraph.inputs[1]] = [5]
    lines = shown(compiled, print_storage=True).splitlines()
    assert lines[1:4] == [
        " |Elemwise{add,no_inplace} [@B] 'a'   0 [None]",
        " | |x [@C] [None]",
        " | |y [@D] [5]",
    ]


@pytest.mark.parametrize(
    ("ids", "lines"),
    [
        ("CHAR", ["Elemwise{add,no_inplace} [@A] ''", " |x [@B]", " |y [@C]"]),
        ("int", ["Elemwise{add,no_inplace} [@0] ''", " |x [@1]", " |y [@2]"]),
        ("", ["Elemwise{add,no_inplace} ''", " |x", " |y"]),
        ("id", ["Elemwise{add,no_inplace} [@%d] ''", f" |x [@{id(x)}]", f" |y [@{id(y)}]"]),
    ],
)
def test_ids_come_in_four_kinds(ids, lines):
    a = add(x, y)
    lines[0] = lines[0].replace("%d", str(id(a.owner)))
    assert shown(a, ids=ids).splitlines() == lines


def test_letters_go_on_after_z():
    lines = shown([tensor(f"v{n}") for n in range(28)]).splitlines()
    assert lines[24:] == ["v24 [@Y]", "v25 [@Z]", "v26 [@BA]", "v27 [@BB]"]


def test_it_prints_to_standard_output_to_a_string_or_to_a_file(square, capsys):
    text = shown(square)
    assert debugprint(square) is None
    assert capsys.readouterr().out == text
    file = io.StringIO()
    assert debugprint(square, file=file) is file
    assert file.getvalue() == text


@pytest.mark.parametrize(("depth", "lines"), [(0, 0), (1, 1), (2, 3), (3, 5), (-1, 5)])
def test_depth_counts_levels(square, depth, lines):
    assert len(shown(square, depth=depth).splitlines()) == lines


def test_a_part_first_met_at_the_last_level_is_still_taken_apart_higher_up():
    a = add(x, y)
    assert shown(mul(neg(neg(a)), a), depth=4).splitlines()[3:] == [
        " |   |Elemwise{add,no_inplace} [@D] ''",
        " |Elemwise{add,no_inplace} [@D] ''",
        "   |x [@E]",
        "   |y [@F]",
    ]


def test_two_calls_may_agree_on_ids_and_on_what_was_shown(square):
    done, used = {}, {}
    debugprint(square.owner.inputs[0], file=io.StringIO(), done=done, used_ids=used)
    assert (
        shown(square, done=done, used_ids=used)
        == """\
Elemwise{mul,no_inplace} [@D] ''
 |Elemwise{add,no_inplace} [@A] 'a'
 |Elemwise{add,no_inplace} [@A] 'a'
"""
    )


def test_ops_without_inputs_and_numbers_are_lines_of_their_own():
    assert shown([Two().make_node(), 3, 2.5]) == "Two.0 [@A] 'first'\nTwo.1 [@A] ''\n3\n2.5\n"


def test_graphs_inside_ops_come_after_the_rest():
    inner = tensor("step")

    class Holder(Op):
        __props__ = ()

        def make_node(self, a, b):
            return Apply(self, [a, b], [tensor(ndim=1)])

        def inner_graph(self, node):
            return [neg(inner)], {inner: node.inputs[1]}

    loop = Holder()(x, y)
    assert (
        shown(add(loop, loop))
        == """\
Elemwise{add,no_inplace} [@A] ''
 |Holder [@B] ''
 | |x [@C]
 | |y [@D]
 |Holder [@B] ''

Inner graphs:

Holder [@B] ''
 >Elemwise{neg,no_inplace} [@E] ''
 > |step [@F] -> [@D]
"""
    )


def test_a_graph_inside_an_inner_graph_is_shown_too():
    class Nest(Op):
        __props__ = ("level",)

        def __init__(self, level):
            self.level = level

        def make_node(self, a):
            return Apply(self, [a], [tensor()])

        def inner_graph(self, node):
            inside = tensor("in")
            below = Nest(self.level - 1)(inside) if self.level else neg(inside)
            return [below], {inside: node.inputs[0]}

    assert shown(Nest(1)(tensor("s"))).splitlines()[5:] == [
        "Nest{level=1} [@A] ''",
        " >Nest{level=0} [@C] ''",
        " > |in [@D] -> [@B]",
        "",
        "Nest{level=0} [@C] ''",
        " >Elemwise{neg,no_inplace} [@E] ''",
        " > |in [@F] -> [@D]",
    ]


def test_a_graph_of_ten_thousand_levels_prints():
    class Count:
        lines = 0

        def write(self, text):
            self.lines += 1
            self.last = text

    v = tensor("s")
    for _ in range(10_000):
        v = neg(v)
    count = debugprint(v, file=Count(), ids="int")
    assert count.lines == 10_001
    assert count.last == "(9799 more)" + "  " * 200 + " |s [@10000]\n"


@pytest.mark.parametrize("wrong", ["abc", None, {"a": x}, [x, object()]])
def test_what_is_no_graph_is_refused_before_anything_is_printed(wrong, capsys):
    with pytest.raises(TypeError, match="debugprint takes Variables, Apply nodes"):
        debugprint(wrong)
    assert capsys.readouterr().out == ""


def test_wrong_options_are_refused():
    with pytest.raises(ValueError, match="as ids, got 'auto'"):
        debugprint(x, ids="auto")
    with pytest.raises(TypeError, match="an int as depth, got None"):
        debugprint(x, depth=None)


def test_the_text_of_a_deep_chain_grows_with_its_length():
    """A13: each line began with a bar for each level above it."""

    def text(n):
        x = tensor("x")
        for _ in range(n):
            x = neg(x)
        return debugprint(x, file="str")

    small, large = text(1000), text(4000)
    assert len(large.splitlines()) == 4001
    assert len(large) < 6 * len(small)
    lines = small.splitlines()
    assert lines[200].startswith("  " * 199 + " |Elemwise")
    assert lines[202].startswith("(1 more)" + "  " * 200 + " |Elemwise")
