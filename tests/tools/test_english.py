"""Pages, docstrings and messages are free of the retired turns of phrase."""

import json

import pytest

from tools import english


def test_no_retired_phrase_is_left():
    """There are no exceptions: write the sentence in another way."""
    found = list(english.everything())
    assert not found, "\n".join(map(str, found))


@pytest.mark.parametrize(
    ("sentence", "phrase"),
    [
        ("It is faster in 13 programs beside JAX.", "beside"),
        ("Documented names, held by the tests.", "held by"),
        ("What has no sharding is replicated.", "What has no sharding is replicated."),
        ("First. What `pprint` was taught serves ops.", "What ` was taught serves ops."),
        ("The value of a shared variable is no variable.", "is no variable"),
        ("Values stand below their names.", "stand below"),
        ("A call took 0.15 s, and takes less when done so.", "done so."),
        ("An graph of two nodes.", "An graph"),
        ("It depends on `exp` and its kin.", "kin"),
        ("A collective would wait for ever.", "for ever"),
        ("Use `T.fmatrix` and the like.", "the like"),
        ("Zeros but for one row.", "but for"),
        ("One row.\nWhat it needs of\nthe row is kept.", "What it needs of the row is kept."),
    ],
)
def test_a_retired_phrase_is_found(sentence, phrase):
    assert [f.phrase for f in english.findings("page", sentence)] == [phrase]


@pytest.mark.parametrize(
    "sentence",
    [
        "What is a graph? Nodes and variables.",
        "There is no variable of that name.",
        "`beside` is a name, and so is\n```python\nbeside = 1\n```\n",
        "<!-- beside: begin -->",
        ">>> beside = 1",
        "If you want to do so, read on.",
        "It is like the others.",
        "The shapes are known.\n\nWhat limits the steps:\n\n- the loop",
    ],
)
def test_plain_english_code_and_questions_are_left_alone(sentence):
    assert not list(english.findings("page", sentence))


def test_the_line_of_a_phrase_is_that_of_the_page():
    text = "# Title\n\n```python\nbeside = 1\n```\n\nIt stands beside the other.\n"
    assert [f.line for f in english.findings("page", text)] == [7]


def test_prose_between_a_block_and_a_word_of_code_is_read():
    text = "```python\nx = 1\n```\n\nIt stands beside the other, `x`.\n"
    assert [f.line for f in english.findings("page", text)] == [5]


def test_docstrings_and_messages_are_read(tmp_path):
    path = tmp_path / "module.py"
    path.write_text('"""One line."""\n\n\ndef f():\n    raise ValueError("x is no array")\n')
    assert list(english.texts_of_code(path)) == [(1, "One line."), (5, "x is no array")]


def test_only_unreleased_changes_are_read(tmp_path):
    (tmp_path / "CHANGELOG.md").write_text("## Unreleased\n\nnew\n\n## 0.1.0\n\nold beside it\n")
    assert dict(english.pages(tmp_path))["CHANGELOG.md"] == "## Unreleased\n\nnew\n\n"


def test_cells_of_notebooks_are_read_apart_from_code(tmp_path):
    cells = [
        {"cell_type": "markdown", "id": "title", "source": ["# Graphs\n", "and gradients"]},
        {"cell_type": "code", "id": "imports", "source": ["import theano"]},
    ]
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "lecture.ipynb").write_text(json.dumps({"cells": cells}))
    assert list(english.pages(tmp_path)) == [
        ("docs/lecture.ipynb, title", "# Graphs\nand gradients")
    ]
