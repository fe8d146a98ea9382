"""How-tos are listed by their titles and fit on a screen or two; exercises have folded answers."""

import re

import pytest

from tests.architecture.sources import ROOT

FOLDER = ROOT / "docs" / "howto"
PAGES = sorted(path for path in FOLDER.glob("*.md") if path.name != "index.md")
LISTED = re.compile(r"^- \[(.+)\]\(([\w-]+\.md)\): ", re.MULTILINE)
TUTORIAL = sorted((ROOT / "docs" / "tutorial").glob("*.md"))
HEADING = "\n## Exercises\n"
ANSWER = re.compile(r"^<details>\n<summary>Answer</summary>\n\n.+?\n\n</details>$", re.M | re.S)


def test_the_index_lists_each_page_once_by_its_title():
    listed = LISTED.findall((FOLDER / "index.md").read_text(encoding="utf-8"))
    titles = {path.name: path.read_text(encoding="utf-8").splitlines()[0][2:] for path in PAGES}
    assert sorted(name for _, name in listed) == sorted(titles)
    assert {name: title for title, name in listed} == titles


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.stem)
def test_a_page_is_short_and_says_where_to_go_on(page):
    lines = page.read_text(encoding="utf-8").splitlines()
    assert len(lines) <= 80
    assert lines[-1].startswith("See also: [")


@pytest.mark.parametrize(
    "page", [p for p in TUTORIAL if HEADING in p.read_text("utf-8")], ids=lambda path: path.stem
)
def test_each_exercise_has_a_folded_answer(page):
    section = page.read_text(encoding="utf-8").partition(HEADING)[2]
    asked = [int(number) for number in re.findall(r"^(\d)\. ", section, re.MULTILINE)]
    assert asked == list(range(1, len(asked) + 1)) and len(asked) > 1
    assert len(ANSWER.findall(section)) == section.count("<details>") == len(asked)
    for answer in ANSWER.findall(section):
        assert ">>>" in answer


def test_the_basic_pages_have_exercises():
    basic = (
        "expressions functions graphs shape indexing derivatives training conditions loop random"
    )
    for name in [*basic.split(), "sparse"]:
        assert HEADING in (ROOT / "docs" / "tutorial" / f"{name}.md").read_text("utf-8"), name
