"""The texts of mistakes: of those who come from NumPy, JAX or PyTorch, and of old Theano users.

Each says who takes what, what it got, and what to do.
"""

import importlib
import math
import pkgutil
import re
import subprocess
import sys
import warnings

import numpy as np
import pytest

import theano
import theano.tensor as T
from tests.compile import without_docstrings

# names that are not there


NAMES = [
    ("theano.fucntion", "did you mean theano.function?"),
    ("theano.exp", "did you mean theano.tensor.exp?"),
    ("theano.jit", "use theano.function(inputs, outputs), which compiles a graph"),
    ("theano.nnet", "did you mean theano.tensor.nnet?"),
    ("theano.tensor.sigmoid", "did you mean theano.tensor.nnet.sigmoid?"),
    ("theano.tensor.relu", "did you mean theano.tensor.nnet.relu?"),
    ("theano.tensor.cat", "use theano.tensor.concatenate"),
    ("theano.tensor.concatnate", "did you mean theano.tensor.concatenate?"),
    ("theano.tensor.function", "did you mean theano.function?"),
    ("theano.tensor.linalg", "use theano.tensor.nlinalg and theano.tensor.slinalg"),
    ("theano.tensor.pi", "use numpy.pi"),
    ("theano.tensor.array", "use theano.tensor.as_tensor_variable for expressions, or theano.sha"),
    ("theano.tensor.nnet.sgmoid", "did you mean theano.tensor.nnet.sigmoid?"),
    ("theano.tensor.basic.dott", "did you mean theano.tensor.basic.dot?"),
    ("theano.tensor.basic.Dott", "did you mean theano.tensor.basic.Dot?"),
    ("theano.printing.debugprnt", "did you mean theano.printing.debugprint?"),
    ("theano.gradient.disconected_grad", "did you mean theano.gradient.disconnected_grad?"),
]


@pytest.mark.parametrize(("name", "says"), NAMES)
def test_a_misspelt_or_foreign_name_is_told_the_right_one(name, says):
    module, _, last = name.rpartition(".")
    text = f"module {module!r} has no attribute {last!r}; {says}"
    importlib.import_module(module)
    with pytest.raises(AttributeError, match=re.escape(text)) as caught:
        eval(name, {"theano": theano})
    assert caught.value.name == last
    with pytest.raises(ImportError, match=re.escape(text)):
        exec(f"from {module} import {last}")


def test_a_name_like_no_other_gets_no_advice():
    with pytest.raises(AttributeError, match=r"^module 'theano.tensor' has no attribute 'qqzzj'$"):
        T.qqzzj  # noqa: B018


def test_programs_that_probe_for_a_name_get_an_answer_without_advice():
    assert not hasattr(T, "sigmoid") and getattr(T, "sigmoid", None) is None
    with pytest.raises(AttributeError, match=r"has no attribute 'sigmoid'$"):
        getattr(T, "sigmoid")  # noqa: B009


def test_what_is_offered_in_place_of_a_foreign_name_is_there():
    from theano._src.ground.suggest import _FOREIGN

    for text in _FOREIGN.values():
        for path in re.findall(r"theano(?:\.\w+)+", text):
            module, _, name = path.rpartition(".")
            assert hasattr(importlib.import_module(module), name), path


def test_every_public_module_answers_so():
    lost = []
    for found in pkgutil.walk_packages(theano.__path__, "theano."):
        if "._src" in found.name or found.name.endswith("__main__"):
            continue
        if found.name == "theano.old_packages":  # importing it changes the process
            continue
        if "__getattr__" not in vars(importlib.import_module(found.name)):
            lost.append(found.name)
    assert not lost, f"{lost}: end each with `__getattr__ = _public(__name__)`"


@pytest.mark.parametrize(
    ("statement", "says"),
    [
        ("import theano.graph.unify", "theano.graph.unify is not carried: .*; write a theano.gof"),
        (
            "import theano.sandbox.cuda; theano.sandbox.cuda.GpuGemm",
            "GpuGemm is not carried: .*device",
        ),
    ],
)
def test_a_documented_name_that_is_not_carried_says_why_and_what_to_use(statement, says):
    with pytest.raises((ImportError, AttributeError), match=says):
        exec(statement)


# what is no value


TRUE = "Variables are true, whatever they will hold: `if x`"
SAME = "Variables are compared as objects by == and !="
OBJECTS = "NumPy makes an array of objects of symbolic variables, which holds no numbers"

# a mistake with a scalar, a vector, a matrix and a shared vector; what is warned of it
WARNED = [
    (lambda s, v, m, w: 1 if s else 2, TRUE, "theano.ifelse.ifelse or theano.tensor.switch"),
    (lambda s, v, m, w: bool(s), TRUE, "warnings.filterwarnings('ignore', 'Variables are true')"),
    (lambda s, v, m, w: not v, TRUE, "ask `x is None`"),
    (lambda s, v, m, w: s and v, TRUE, "combine with & and |"),
    (lambda s, v, m, w: v == m, SAME, "Use theano.tensor.eq or neq for values"),
    (lambda s, v, m, w: v != m, SAME, "`is` for objects"),
    (lambda s, v, m, w: m.shape == (3, 4), SAME, ".ndim and .type for what is known of a shape"),
    (lambda s, v, m, w: s == 0, SAME, "warnings.filterwarnings('ignore', 'Variables are compared"),
    (lambda s, v, m, w: s == 0, SAME, "theano.tensor.eq"),
    (lambda s, v, m, w: v == np.ones(3), SAME, "theano.tensor.eq"),
    (lambda s, v, m, w: np.ones(3) == v, SAME, "theano.tensor.eq"),
    (lambda s, v, m, w: np.array(v), OBJECTS, ".eval() or theano.function for values"),
    (lambda s, v, m, w: np.asarray([s, s]), OBJECTS, "Use theano.tensor.stack"),
    (lambda s, v, m, w: np.asarray(w), OBJECTS, ".get_value() for that of a shared variable"),
]


@pytest.mark.parametrize(("mistake", "says", "advises"), WARNED)
def test_what_has_a_documented_answer_that_misleads_warns_with_the_line(mistake, says, advises):
    s, v, m, w = T.dscalar("s"), T.dvector("v"), T.dmatrix("m"), theano.shared(np.ones(2))
    with pytest.warns(UserWarning, match=f"{re.escape(says)}.*{re.escape(advises)}") as caught:
        mistake(s, v, m, w)
    assert {warning.filename for warning in caught} == {__file__}


def test_documented_answers_stay():
    x, y = T.dscalars("x", "y")
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Variables are true")
        warnings.filterwarnings("ignore", "Variables are compared")
        assert bool(x) is True and (x == y) is False and (x != y) is True and (x == 1) is False
    assert (x == x) is True and hash(x) != hash(y)


def test_a_line_that_is_passed_often_warns_once():
    code = "for _ in range(5):\n    x == y\n"
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        exec(code, {"x": T.dscalar(), "y": T.dscalar(), "__name__": "program"})
    assert [w.lineno for w in caught] == [2]


def test_what_asks_for_objects_does_not_warn():
    x, y, z = T.dscalars("x", "y", "z")
    assert x in [y, x] and z not in [y, x] and [y, x].index(x) == 1
    assert {x: 1, y: 2}[y] == 2 and len({x, y, x}) == 2
    assert x != None and x != "name" and x is not y  # noqa: E711
    assert np.asarray([x, y], dtype=object).tolist() == [x, y]
    assert np.sum([x, y]).eval({x: 1, y: 2}) == 3


def test_only_the_length_of_a_variable_is_refused_not_the_question_whether_there_is_one():
    v = T.dvector("v")
    assert not hasattr(v, "__len__") and v.size is not None
    with pytest.raises(TypeError):
        len(v)


# mistakes


class NoNode(theano.Op):
    pass


class NoApply(theano.Op):
    def make_node(self, x):
        return [x]


class NoMeaning(theano.Op):
    def make_node(self, x):
        return theano.Apply(self, [x], [x.type()])


def series_of_pandas(v):
    """What an operator of pandas does with a variable on its right."""
    exec("list(v)", {"v": v, "__name__": "pandas.core.ops"})


# fmt: off
# a mistake with a scalar, a vector, a matrix and a shared float32 vector; what its text holds
MISTAKES = [
    # those who tried the package first made these
    ("theano.tensor.matrix(3)", "takes a str as name, got 3", "it comes with the value"),
    ('T.matrix("x", (3, 4))', "takes a name and a dtype, got (3, 4)", "specify_shape"),
    ("int(s)", "s of TensorType(float64, scalar) has no value", "use .astype('int64')"),
    ("float(s)", "so it is no float", ".eval() computes a value now"),
    ("math.exp(s)", "so it is no float", "use theano.tensor.exp"),
    ("len(m)", "The length of m of TensorType(float64, matrix)", "Use .shape[0]"),
    ("len(m.shape)", "len(m.shape)", "use .ndim, which is 2"),
    ("range(m.shape[0])", "so it is no integer", "loop with theano.scan instead of range"),
    ("np.zeros(m.shape)", "so it is no integer", "make arrays with theano.tensor.zeros"),
    ("[row for row in m]", "does not support iteration", "theano.scan(fn, sequences=x)"),
    ("sum(v)", "using builtin.sum", "theano.tensor.sum"),
    ("series_of_pandas(v)", "An object of pandas in an operation with a variable", "to_numpy()"),
    ("w.set_value(np.ones(2))",
     "set_value of w takes", "set_value(numpy.asarray(value, 'float32'))"),
    ('(s + 1).eval({"s": 1.0})', "Variables as keys, got 's'", "not its name"),
    ("theano.function([s + 1], s * 2)", "is an expression", "variables that it is made of: s"),
    ("T.zeros((10**6, 10**6)).eval()", "Unable to allocate", "line 1, in <module>"),
    ("theano.function([w], w)", "Cannot use a shared variable", "givens"),
    ("theano.function([x := T.fmatrix()], x)([[0.1]])",
     "cannot hold [[0.1]] exactly", "numpy.asarray(values, 'float32')"),
    ("theano.function([x := T.lscalar()], x)(2.5)",
     "as it does 2.0 and not 2.5", "numpy.asarray(values, 'int64')"),
    ('theano.function([v], v)(np.array(["2020"], "M8[D]"))',
     "dtype datetime64", "make numbers of it"),
    ("theano.function([], updates=[(c := theano.shared(0), c + 0.5)])",
     "same type", "as theano.shared(0.0) is"),
    ("theano.function([m, v], m + v)(np.ones((2, 3)), np.ones(2))",
     "mis-match", "array([[1., 1., 1.],\n       [1., 1., 1.]])"),
    # of NumPy, JAX and PyTorch
    ("m.numpy()", "has no attribute 'numpy'", "as a NumPy array"),
    ("s.item()", "has no attribute 'item'", ".eval({...}) computes one"),
    ("s.backward()", "has no attribute 'backward'", "use theano.grad(cost, variables)"),
    ("m.view(-1)", "has no attribute 'view'", "use .reshape"),
    ("m.unsqueeze(0)", "has no attribute 'unsqueeze'", "theano.tensor.expand_dims"),
    ("m.at[0]", "has no attribute 'at'", "theano.tensor.set_subtensor"),
    ("m.get_value()", "has no attribute 'get_value'", "only shared variables hold a value"),
    ("w.sahpe", "has no attribute 'sahpe'", "did you mean .shape?"),
    ("m.__setitem__(0, 1)", "does not support item assignment", "set_subtensor"),
    ("round(s)", "round() makes an int", "use theano.tensor.round"),
    ("complex(s)", "so it is no complex number", ".astype('complex128')"),
    ('f"{s:.2f}"', "the format '.2f' is for values", "theano.printing.Print"),
    ("3 in v", "`in` needs values", "theano.tensor.any(theano.tensor.eq(x, value))"),
    ("T.zeros(3, 4)", "got 4 as dtype", "zeros((3, 4))"),
    ("T.max(m, m)", "got the symbolic variable m", "theano.tensor.maximum(x, y)"),
    ('m.astype("flaot32")', "Unsupported dtype", "did you mean 'float32'?"),
    ("v[s]", "an index must be integers", ".astype('int64')"),
    ("theano.grad(lambda a: a, s)", "takes a symbolic cost, got <function", "grad(cost, wrt)"),
    ("theano.grad([v], v.sum())", "got [v] of list", "comes before the variables"),
    ("m + None", "None of type NoneType", "a function without a return"),
    ("m + np.sin", "it is a function", "call it"),
    ('m + "a"', "Could not convert 'a'", "made of numbers, arrays and lists"),
    # of Theano
    ('T.TensorType("float32", (3, 4))',
     "a bool for each dimension", "(False, False) is that of a matrix"),
    ('T.TensorType("float32", 2)', "got 2", "a bool for each dimension"),
    ('theano.shared("W", np.ones(2))', "a value and then a name", "write shared(value, 'W')"),
    ("theano.function(v, v)", "contained in a list", "even when there is a single"),
    ("theano.function([v], np.ones(2))",
     "Outputs must be theano Variable", "theano.tensor.constant"),
    ("theano.function([v], v)()", "Missing required input: v", "0 of 1 inputs were given"),
    ("theano.function([v], v)(1, 2)", "takes 1 (v), got 2", "Too many"),
    ("theano.function([m], m)(mm=1)", "Unknown input or state: mm", "named inputs (m)"),
    ('theano.function([x := T.dscalar("rate")], x)(rat=1)', "rat", "Did you mean rate?"),
    ("theano.function([x := T.dscalar()], x)(x=1)", "0 named inputs", "theano.tensor.dvector('x')"),
    ("theano.function([], [], updates={v: v})",
     "must be a SharedVariable, got v", "theano.shared(value)"),
    ("theano.function([], [], updates=[w, w])", "list of pairs", "[(variable, expression)]"),
    ('theano.function([], s, givens={"s": 1})', "got 's' of str", "not its name"),
    ('theano.clone(s, {"s": v})', "clone replaces Variables, got 's'", "not its name"),
    ("(v + 1).eval()", "Undeclared input: v", ".eval({variable: value})"),
    ("(v + 1).eval(np.ones(2))", "eval takes a dict {variable: value}", "of ndarray"),
    ("theano.scan(v)", "takes a function as fn", "scan(fn, sequences=...)"),
    ("theano.scan(lambda a, b: a, sequences=v)",
     "calls its step with 1 arg", "missing a required argument: 'b'"),
    ("m.dimshuffle(0)", "cannot drop a non-broadcastable", "take one entry of it by an index"),
    ('T.shared_randomstreams.RandomStreams("a")', "takes an integer as seed", "got 'a' of str"),
    ("NoNode()(v)", "NoNode does not define make_node", "which returns an Apply"),
    ("NoApply()(v)", "make_node of NoApply returns an Apply, got [v]", "theano.Apply(self, inputs"),
    ("theano.function([v], NoMeaning()(v))([1])",
     "does not define perform", "which say what it computes"),
]
# fmt: on


@pytest.mark.parametrize(("mistake", "says", "advises"), MISTAKES)
def test_a_mistake_is_told_what_is_wrong_and_what_to_do(mistake, says, advises):
    names = {
        **globals(),
        "math": math,
        "s": T.dscalar("s"),
        "v": T.dvector("v"),
        "m": T.dmatrix("m"),
    }
    names["w"] = theano.shared(np.ones(2, "float32"), "w")
    with pytest.raises(Exception) as caught:
        eval(mistake, names)
    text = "\n".join([str(caught.value), *getattr(caught.value, "__notes__", ())])
    assert says in text and advises in text


def test_dtypes_are_taken_as_classes_too():
    assert T.matrix("x", np.float32).type == T.fmatrix and T.vector(dtype=int).type == T.lvector


def test_everything_works_without_docstrings_and_asserts():
    """A13: `import theano` failed under `python -OO`: equations of rules are docstrings."""
    run = subprocess.run(
        [sys.executable, "-OO", without_docstrings.__file__],
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout.splitlines() == [
        "numpy 0.0",
        "[1.0, 2.0, 3.0]",
        "xla 0.0",
        "[1.0, 2.0, 3.0]",
        "Sum((sigmoid((x * w)) ** TensorConstant{2}))",
        "True 2",
    ]
