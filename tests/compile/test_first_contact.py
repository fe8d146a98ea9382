"""The texts of mistakes: of those who come from NumPy, JAX or PyTorch, and of old Theano users.

Each says who takes what, what it got, and what to do.
"""

import importlib
import pkgutil
import re

import pytest

import theano
import theano.tensor as T

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
        if "__getattr__" not in vars(importlib.import_module(found.name)):
            lost.append(found.name)
    assert not lost


@pytest.mark.parametrize(
    ("statement", "says"),
    [
        ("import theano.graph.basic", "theano.graph is not carried: .*; theano.gof has the same"),
        ("from theano.gof import COp", "theano.gof.COp is not carried: .*; write a theano.Op"),
        ("from theano.sparse import csr_matrix", "sparse matrices are not .*; use dense ones"),
        ("import theano.typed_list", "lists as values .*; keep a Python list of variables"),
    ],
)
def test_a_documented_name_that_is_not_carried_says_why_and_what_to_use(statement, says):
    with pytest.raises(ImportError, match=says):
        exec(statement)
