"""The tutorial's stated reading time is true for its pages, without exercises."""

import re

from tests.architecture.sources import ROOT

TUTORIAL = ROOT / "docs" / "tutorial"
FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
WORDS_A_MINUTE, LINES_A_MINUTE = 200, 12  # prose; lines of code that are read, not typed


def minutes(text: str) -> float:
    text = re.split(r"^## Exercises?$", text, flags=re.MULTILINE)[0]
    code = sum(block.count("\n") for block in FENCE.findall(text))
    return len(FENCE.sub("", text).split()) / WORDS_A_MINUTE + code / LINES_A_MINUTE


def basics() -> tuple[int, list[str]]:
    """Return the stated minutes of the basics, and the pages in their list."""
    text = (TUTORIAL / "index.md").read_text(encoding="utf-8")
    section = re.split("^## ", text, flags=re.MULTILINE)[1]
    stated = re.search(r"They take about (\d+) minutes", section)
    assert stated
    return int(stated[1]), re.findall(r"^\d+\. \[.*?\]\((\w+\.md)\)", section, re.MULTILINE)


def test_the_basics_take_as_long_as_their_page_says():
    stated, pages = basics()
    assert len(pages) >= 8 and pages[0] == "expressions.md"
    real = sum(minutes((TUTORIAL / page).read_text(encoding="utf-8")) for page in pages)
    assert abs(stated - real) <= max(5, 0.15 * real), f"{real:.0f} minutes"


def test_code_counts_by_lines_and_prose_by_words():
    text = "word " * 400 + "\n```python\n" + "x = 1\n" * 23 + "```\n"
    assert minutes(text) == 2 + 24 / 12
