"""The text of run-time errors: the kind stays, the node is named, with its values and its line."""

import inspect
import traceback

import numpy as np
import pytest

import theano
import theano.tensor as T
from theano import Apply

FAST_COMPILE = (
    "HINT: Re-running with most Theano optimization disabled could give you a back-trace of when "
    "this node was created. This can be done with by setting the Theano flag "
    "'optimizer=fast_compile'. If that does not work, Theano optimizations can be disabled with "
    "'optimizer=None'."
)
REWRITTEN = (
    "HINT: This node was made by rewriting yours. With the Theano flag 'optimizer=None' the error "
    "names the node as you wrote it."
)
HIGH = "HINT: Use the Theano flag 'exception_verbosity=high' for a debugprint of this apply node."


@pytest.fixture(params=["numpy", "py"])
def mode(request):
    return theano.Mode(request.param, None)


def text_of(caught):
    return "\n".join([str(caught.value), *getattr(caught.value, "__notes__", ())])


def failing(mode, error, inputs, make, *values):
    """The function, and what it raised; ``make`` stands on one line of the test."""
    f = theano.function(inputs, make(*inputs), mode=mode)
    with pytest.raises(error) as caught:
        f(*values)
    assert type(caught.value) is error
    return f, caught


def test_the_whole_text_of_a_mismatch(mode):
    x, y = T.dvectors("x", "y")
    here = inspect.currentframe().f_lineno + 1
    _, caught = failing(mode, ValueError, [x, y], lambda x, y: x + y, np.ones(3), np.ones(2))
    lines = str(caught.value).split("\n")
    where = lines.index("  File " + f'"{__file__}", line {here}, in <lambda>')
    assert lines[:where] + lines[where + 1 :] == [
        "Input dimension mis-match. (input[0].shape[0] = 3, input[1].shape[0] = 2)",
        "Apply node that caused the error: Elemwise{add,no_inplace}(x, y)",
        "Toposort index: 0",
        "Inputs types: [TensorType(float64, vector), TensorType(float64, vector)]",
        "Inputs shapes: [(3,), (2,)]",
        "Inputs strides: [(8,), (8,)]",
        "Inputs values: [array([1., 1., 1.]), array([1., 1.])]",
        "Outputs clients: [['output']]",
        "",
        "Backtrace when the node is created(use Theano flag traceback.limit=N to make it longer):",
        *lines[10:where],
        "    _, caught = failing(mode, ValueError, [x, y], lambda x, y: x + y, np.ones(3), "
        "np.ones(2))",
        "",
        HIGH,
    ]


class Fails(theano.Op):
    """Raises what it was made with."""

    __props__ = ()

    def __init__(self, error):
        self.error = error

    def make_node(self, x):
        return Apply(self, [x], [x.type()])

    def perform(self, node, inputs, output_storage):
        raise self.error


A = np.arange(10.0).reshape(2, 5)

# kind, error, inputs, expression, values, its own words, some lines about the node
KINDS = {
    "dot": (
        ValueError,
        "MM",
        T.dot,
        (A, A),
        "Shape mismatch: x has 5 cols (and 2 rows) but y has 2 rows (and 5 cols)",
        [
            "Apply node that caused the error: dot(x, y)",
            "Inputs shapes: [(2, 5), (2, 5)]",
            "Inputs strides: [(40, 8), (40, 8)]",
            "Inputs values: [array([[0., 1., 2., 3., 4.],",
        ],
    ),
    "index": (
        IndexError,
        "Vi",
        lambda v, i: v[i],
        (np.ones(3), 3),
        "out of bounds",
        [
            "Inputs types: [TensorType(float64, vector), TensorType(int64, scalar)]",
            "Inputs shapes: [(3,), ()]",
            "Inputs strides: [(8,), ()]",
        ],
    ),
    "reshape": (
        ValueError,
        "V",
        lambda v: v.reshape((2, 2)),
        (np.ones(3),),
        "reshape",
        [
            "Apply node that caused the error: Reshape{2}(x, TensorConstant{(2,) of 2})",
            "Inputs shapes: [(3,), (2,)]",
        ],
    ),
    "join": (
        ValueError,
        "MM",
        lambda a, b: T.concatenate([a, b]),
        (A, A.T),
        "",
        ["Inputs shapes: [(), (2, 5), (5, 2)]", "Inputs strides: [(), (40, 8), (8, 40)]"],
    ),
    "assert": (
        AssertionError,
        "V",
        lambda v: theano.tensor.opt.Assert("too short")(v, v.shape[0] > 3),
        (np.ones(2),),
        "too short",
        ["Inputs values: [array([1., 1.]), array(False)]"],
    ),
    "perform": (
        RuntimeError,
        "V",
        lambda v: Fails(RuntimeError("own words"))(v),
        (np.ones(2),),
        "own words",
        [
            "Apply node that caused the error: Fails(x)",
            "Inputs values: [array([1., 1.])]",
            "Outputs clients: [['output']]",
        ],
    ),
}
INPUTS = {"M": T.dmatrix, "V": T.dvector, "i": T.lscalar}


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_of_failure_names_its_node(mode, kind):
    error, letters, make, values, own, told = KINDS[kind]
    inputs = [INPUTS[k](name) for k, name in zip(letters, "xyz")]
    f, caught = failing(mode, error, inputs, make, *values)
    text = text_of(caught)
    first = text.split("\nApply node that caused the error")[0]
    assert own in first
    assert set(told) <= set(text.split("\n"))
    assert __file__ in text and text.endswith(HIGH)
    node = f.maker.fgraph.toposort()[f.fn.position_of_error]
    assert f"Apply node that caused the error: {node}" in text
    assert f"Toposort index: {f.fn.position_of_error}" in text


def test_a_node_in_the_middle_is_named_with_its_place_and_its_users(mode):
    x = T.dvector("x")
    f, caught = failing(mode, KeyError, [x], lambda x: T.exp(Fails(KeyError(3))(-x)), [1.0])
    assert f.fn.position_of_error == 1
    assert "Toposort index: 1" in text_of(caught)
    assert "Inputs values: [array([-1.])]" in text_of(caught)
    assert "Outputs clients: [[Elemwise{exp,no_inplace}(Fails.0)]]" in text_of(caught)


def test_high_verbosity_prints_the_graph_instead_of_the_hint(mode):
    x = T.dvector("x")
    with theano.config.change_flags(exception_verbosity="high"):
        _, caught = failing(mode, RuntimeError, [x], lambda x: Fails(RuntimeError("no"))(-x), [1.0])
    text = str(caught.value)
    assert (
        "Debugprint of the apply node: \n"
        "Fails [@A] <TensorType(float64, vector)> ''\n"
        " |Elemwise{neg,no_inplace} [@B] <TensorType(float64, vector)> ''\n"
        "   |x [@C] <TensorType(float64, vector)>\n"
    ) in text
    assert HIGH not in text and "HINT" not in text


def test_a_back_trace_is_offered_only_where_none_is_shown(mode):
    """U3.4: the hint stood below a printed back-trace wherever rewriting had made the node."""
    x, y = T.dvectors("x", "y")
    fails = lambda x: Fails(RuntimeError("no"))(x)
    with theano.config.change_flags(traceback__limit=0):
        _, caught = failing(mode, RuntimeError, [x], fails, [1.0])
    assert FAST_COMPILE in str(caught.value) and "Backtrace" not in str(caught.value)
    fused = theano.Mode("numpy", "fast_run")
    _, caught = failing(fused, ValueError, [x, y], lambda x, y: T.exp(x) + y, [1.0], [1.0, 2.0])
    assert FAST_COMPILE not in str(caught.value) and "Backtrace" in str(caught.value)
    assert REWRITTEN in str(caught.value)
    _, caught = failing(fused, RuntimeError, [x], fails, [1.0])
    assert "HINT" in str(caught.value) and "Backtrace" in str(caught.value)
    assert FAST_COMPILE not in str(caught.value) and REWRITTEN not in str(caught.value)


@pytest.mark.parametrize("optimizer", ["fast_compile", "None"])
def test_the_hint_on_rewriting_goes_where_rewriting_is_off(mode, optimizer):
    x = T.dvector("x")
    with theano.config.change_flags(optimizer=optimizer, traceback__limit=0):
        _, caught = failing(mode, RuntimeError, [x], lambda x: Fails(RuntimeError("no"))(x), [1.0])
    assert FAST_COMPILE not in str(caught.value) and str(caught.value).endswith(HIGH)


def test_traceback_limit_says_how_many_frames_are_shown(mode):
    x = T.dvector("x")
    for limit in (0, 1, 3):
        with theano.config.change_flags(**{"traceback.limit": limit}):
            _, caught = failing(mode, ValueError, [x], lambda x: Fails(ValueError(""))(x), [1.0])
        assert str(caught.value).count('  File "') == limit


# what exceptions are made of


class TwoArguments(Exception):
    def __init__(self, code, text):
        super().__init__(code, text)
        self.code = code


class Formats(Exception):
    def __init__(self, count):
        super().__init__(f"needs {count} more")
        self.count = count


class KeywordOnly(ValueError):
    def __init__(self, *, limit):
        super().__init__(f"limit {limit}")
        self.limit = limit


@pytest.mark.parametrize(
    "error",
    [
        TwoArguments(7, "text"),
        Formats(3),
        KeywordOnly(limit=5),
        KeyError("name"),
        FileNotFoundError(2, "No such file", "a.txt"),
        UnicodeDecodeError("utf-8", b"\xff", 0, 1, "invalid start byte"),
        ValueError("several", "arguments"),
        StopIteration(3),
    ],
    ids=lambda e: type(e).__name__,
)
def test_an_exception_with_more_than_a_text_stays_whole(mode, error):
    x = T.dvector("x")
    before, attributes = str(error), dict(error.__dict__)
    _, caught = failing(mode, type(error), [x], lambda x: Fails(error)(x), [1.0])
    assert caught.value is error and str(error) == before and error.args
    assert attributes.items() <= error.__dict__.items()
    (note,) = error.__notes__
    assert note.startswith("Apply node that caused the error: Fails(x)\n")


def test_an_exception_without_text_gets_one(mode):
    x = T.dvector("x")
    _, caught = failing(mode, AssertionError, [x], lambda x: Fails(AssertionError())(x), [1.0])
    assert str(caught.value).startswith("Apply node that caused the error: Fails(x)\n")


def test_attributes_and_causes_are_kept(mode):
    error = RuntimeError("no")
    error.detail = 5
    error.__cause__ = cause = KeyError("root")
    x = T.dvector("x")
    _, caught = failing(mode, RuntimeError, [x], lambda x: Fails(error)(x), [1.0])
    assert caught.value.detail == 5 and caught.value.__cause__ is cause


def test_the_traceback_still_leads_into_perform(mode):
    x = T.dvector("x")
    _, caught = failing(mode, RuntimeError, [x], lambda x: Fails(RuntimeError("no"))(x), [1.0])
    frames = traceback.extract_tb(caught.value.__traceback__)
    assert frames[-1].name == "perform" and frames[-1].line == "raise self.error"


def test_a_debugger_finds_the_node_and_its_values(mode):
    x, y = T.dvectors("x", "y")
    _, caught = failing(mode, ValueError, [x, y], lambda x, y: x * y, np.ones(3), np.ones(5))
    frames = [f.f_locals for f, _ in traceback.walk_tb(caught.value.__traceback__)]
    seen = [names for names in frames if "node" in names and "thunk" in names][-1]
    assert str(seen["node"]) == "Elemwise{mul,no_inplace}(x, y)"
    assert [cell[0].shape for cell in seen["thunk"].inputs] == [(3,), (5,)]


def test_an_error_of_a_function_within_an_op_names_the_inner_node_once(mode):
    inner = failing(mode, RuntimeError, [T.dvector("a")], Fails(RuntimeError("no")), [1.0])[0]

    class Calls(theano.Op):
        def make_node(self, x):
            return Apply(self, [x], [x.type()])

        def perform(self, node, inputs, output_storage):
            output_storage[0][0] = inner(inputs[0])

    x = T.dvector("x")
    _, caught = failing(mode, RuntimeError, [x], Calls(), [1.0])
    assert str(caught.value).count("Apply node that caused the error") == 1
    assert "Fails(a)" in str(caught.value)


def test_an_interrupt_goes_through_untouched(mode):
    error = KeyboardInterrupt()
    x = T.dvector("x")
    f = theano.function([x], Fails(error)(x), mode=mode)
    with pytest.raises(KeyboardInterrupt) as caught:
        f([1.0])
    assert caught.value is error and not hasattr(error, "__notes__")


def test_long_values_are_not_shown(mode):
    x = T.dvector("x")
    for n, shown in ((6, "array([1., 1., 1., 1., 1., 1.])"), (13, "'not shown'")):
        _, caught = failing(mode, ValueError, [x], lambda x: Fails(ValueError(""))(x), np.ones(n))
        assert f"Inputs values: [{shown}]" in str(caught.value)


def test_values_that_are_no_arrays_have_no_shape(mode):
    g = theano.generic("g")
    _, caught = failing(mode, ValueError, [g], lambda g: Fails(ValueError("no"))(g), "text")
    for line in ("shapes: ['No shapes']", "strides: ['No strides']", "values: ['text']"):
        assert f"Inputs {line}" in str(caught.value)


def test_a_function_works_again_after_it_failed(mode):
    x, y = T.dvectors("x", "y")
    f = theano.function([x, y], x + y, mode=mode)
    for _ in range(2):
        with pytest.raises(ValueError, match="mis-match"):
            f(np.ones(2), np.ones(3))
        assert f(np.ones(2), np.ones(2)).tolist() == [2, 2]


def test_an_op_whose_thunk_cannot_be_made_is_named_when_compiling():
    class Bad(Fails):
        def make_thunk(self, *args, **kwargs):
            raise RuntimeError("cannot be made")

    x = T.dvector("x")
    with pytest.raises(RuntimeError, match=r"(?s)cannot be made.*Apply node that caused the error"):
        theano.function([x], Bad(None)(x), mode=theano.Mode("py", None))
