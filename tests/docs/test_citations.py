"""Pages and code cite documents by page, section or words that a reader can look for."""

import re

import pytest

from tests.architecture.sources import ROOT

#: a line of a file that no reader has
NUMBER = re.compile(r"(?<![\d.\]\[:])\b00\d:\d{2,5}\b")
PLACES = ("README.md", "CHANGELOG.md", "docs", "theano", "tools", "benchmarks", "examples")


def texts():
    for place in PLACES:
        path = ROOT / place
        files = [path] if path.is_file() else sorted(path.rglob("*"))
        yield from (file for file in files if file.suffix in {".md", ".py", ".ipynb"})


def test_nothing_cites_line_numbers_of_documents():
    found = [
        f"{file.relative_to(ROOT)}: {match[0]}"
        for file in texts()
        for match in NUMBER.finditer(file.read_text(encoding="utf-8"))
    ]
    assert not found, found


@pytest.mark.parametrize("text", ["| 003:12804 | says", "(003:16380)", "as 001:129 shows"])
def test_a_line_number_is_found(text):
    assert NUMBER.search(text)


@pytest.mark.parametrize("text", ["y[1000:2000]", "at 12:000:03", "version 1.003:12"])
def test_slices_and_times_are_none(text):
    assert not NUMBER.search(text)
