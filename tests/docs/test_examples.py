"""Every `>>>` example in the documents runs and gives what it says."""

import doctest
import re

import pytest

import theano
from tests.architecture.sources import ROOT

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
FENCE = re.compile(r"^```(?:python|pycon)\n(.*?)^```", re.MULTILINE | re.DOTALL)
NEEDS = re.compile(r"^<!-- needs (\w+) -->", re.MULTILINE)
FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


def examples(text: str) -> str:
    """The fenced examples of a page, one session, with line numbers kept for the report."""
    kept = [""] * (text.count("\n") + 1)
    for match in FENCE.finditer(text):
        if ">>>" in match[1]:
            first = text.count("\n", 0, match.start(1))
            for offset, line in enumerate(match[1].splitlines()):
                kept[first + offset] = line
    return "\n".join(kept)


@pytest.mark.parametrize("page", PAGES, ids=lambda p: str(p.relative_to(ROOT)))
def test_the_examples_of_a_page_run(page, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)  # pages may write files, and go elsewhere
    # what `python -m theano examples` writes into a reader's folder, such as optimizers.py
    monkeypatch.syspath_prepend(ROOT / "examples")
    text = page.read_text(encoding="utf-8")
    for package in NEEDS.findall(text):
        pytest.importorskip(package, reason=f"the page needs {package}: extra docs")
    source = examples(text)
    test = doctest.DocTestParser().get_doctest(source, {}, page.name, str(page), 0)
    report: list[str] = []
    before = theano.config.floatX
    try:
        failed, _ = doctest.DocTestRunner(optionflags=FLAGS).run(test, out=report.append)
        assert not failed, "".join(report)
        assert theano.config.floatX == before, "the next page begins with another floatX"
    finally:
        theano.config.floatX = before


def test_a_wrong_example_is_found():
    source = examples("text\n```python\n>>> 1 + 1\n3\n```\n")
    test = doctest.DocTestParser().get_doctest(source, {}, "page", None, 0)
    assert doctest.DocTestRunner(optionflags=FLAGS).run(test, out=lambda _: None).failed == 1
