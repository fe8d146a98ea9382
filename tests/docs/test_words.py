"""Pages are written in plain English: phrases that readers stumbled over do not come back."""

import re

from tests.architecture.sources import ROOT

PHRASES = re.compile(
    r"\b(hangs? on|its sisters?|cannot be had|to be had|kin|told the line|what came of it)\b"
)


def test_no_page_has_a_phrase_that_must_be_decoded():
    found = [
        f"{page.relative_to(ROOT)}:{number}: {match[0]}"
        for page in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
        for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1)
        for match in PHRASES.finditer(line)
    ]
    assert not found, "\n".join(found)


def test_such_a_phrase_is_found():
    assert PHRASES.search("`exp` and its kin") and not PHRASES.search("this kind of thing")
