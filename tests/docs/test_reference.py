"""The reference is whole: each public function has words, its parameters and an example.

That the examples run is held by test_docstrings.py.
"""

import importlib.util
import inspect
import pickle
import re

import pytest

import theano.tensor as T
from tests.architecture.sources import ROOT
from theano.tensor.elemwise import Elemwise


def load_tool():
    # by its path: `tools` is no package
    spec = importlib.util.spec_from_file_location("reference", ROOT / "tools" / "reference.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


reference = load_tool()


def test_each_public_function_has_words_parameters_and_an_example():
    found = reference.complaints()
    assert not found, "\n" + "\n".join(found)


def test_each_public_name_is_on_one_page():
    text = reference.pages()
    for entry in reference.entries():
        path = re.escape(entry.path)
        line = rf":: {path}(\(|$)" if reference.full(entry) else f"{{name}}`{path}`"
        pages = [page for page, body in text.items() if re.search(line, body, re.MULTILINE)]
        assert pages == [entry.page], entry.path


def test_pages_name_public_paths_alone():
    for page, text in reference.pages().items():
        assert "_src" not in text, page


def test_a_preferred_path_is_the_one_that_is_shown():
    assert {entry.path for entry in reference.entries()} >= reference.PREFERRED


def test_each_family_of_a_long_page_has_names_and_each_name_a_family():
    for page, families in reference.FAMILIES.items():
        found = [e for e in reference.entries() if e.page == page and e.module == page]
        assert {e.section for e in found} == set(families), page


def test_the_index_links_to_each_page_and_to_names_that_exist():
    text = reference.contents() + (reference.PAGES / "index.md").read_text(encoding="utf-8")
    for page in reference.pages():
        assert f"({page}.md)" in text
    first = re.findall(r"^\| \{py:obj\}`(?:.*<)?([\w.]+)>?`", text, re.MULTILINE)
    assert len(first) == 10
    assert {entry.path for entry in reference.entries()} >= set(first)


@pytest.mark.parametrize(
    ("path", "page"),
    [
        ("theano.tensor.dot", "theano.tensor"),
        ("theano.gradient.grad", "theano.gradient"),
        ("theano.scan", "theano.scan"),
        ("theano.map", "theano.scan"),
        ("theano.tensor.sort", "theano.tensor"),
        ("theano.tensor.blas.gemm", "theano.tensor"),
        ("theano.tensor.nnet.bn.batch_normalization_train", "theano.tensor.nnet"),
    ],
)
def test_a_name_is_on_the_page_of_its_module(path, page):
    (entry,) = [e for e in reference.entries() if e.path == path]
    assert entry.page == page


def test_a_function_without_an_example_is_found():
    def bare(x, y=None):
        """The word of ``x``."""

    entry = reference.Entry("theano.tensor.bare", bare, "theano._src.ops.meta.misc")
    assert reference.lacks(entry) == ["an example", "``y``"]
    entry.thing = lambda x: x
    assert reference.lacks(entry) == ["a docstring"]


def test_an_alias_is_told_with_the_name_it_stands_for():
    (entry,) = [e for e in reference.entries() if e.thing is T.sqr]
    assert entry.path == "theano.tensor.sqr"
    assert "theano.tensor.square" in entry.others


@pytest.mark.parametrize(
    ("op", "parameters"),
    [(T.exp, "(x)"), (T.arctan2, "(y, x)"), (T.add, "(*inputs)"), (T.clip, "(x, low, high)")],
    ids=["exp", "arctan2", "add", "clip"],
)
def test_an_elementwise_op_tells_its_parameters(op, parameters):
    assert str(inspect.signature(op)) == parameters
    assert "Parameters" in op.__doc__
    assert ">>>" in op.__doc__


def test_the_class_of_elementwise_ops_keeps_its_own_docstring():
    assert Elemwise.__doc__.startswith("A scalar op on each element")
    assert "scalar_op" in inspect.signature(Elemwise).parameters


def test_the_docstring_of_an_op_is_no_part_of_its_pickle():
    assert b"natural logarithm" not in pickle.dumps(T.log)


def test_an_op_in_place_says_so():
    words = T.inplace.exp_inplace.__doc__
    assert "written into the first input" in words
    assert ">>>" not in words
