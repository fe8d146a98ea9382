"""The table of packages for the documents, from their lists."""

from collections import Counter

from tools.downstream.packages import ORIGINALS, Package
from tools.marked import with_block
from tools.original.lists import ROOT, reason_in
from tools.original.report import share, table

PAGE = ROOT / "docs" / "library" / "downstream.md"


def section(packages: list[Package]) -> str:
    """For each package how many of its tests count, and how many of them pass."""
    rows = []
    for package in packages:
        counting, passing = package.counting(), package.passing
        asked = share(len(counting & passing), len(counting)) if counting else package.not_asked
        if package.original != "theano":
            asked += f", {ORIGINALS[package.original].title}"
        rows.append((package.title, len(passing), asked))
    left_out = Counter(
        reason
        for package in packages
        for test in sorted(package.sound)
        if (reason := reason_in(package.excluded, test)) is not None
    )
    failing = [
        (package.title, test.rpartition("::")[2] or test, reason_in(package.exceptions, test) or "")
        for package in packages
        for test in sorted(package.counting() - package.passing)
    ]
    lines = [table(("package", "tests that pass", "of those that pass on Theano 1.0.5"), rows)]
    if failing:
        lines.append(table(("package", "test that fails here", "reason"), failing))
    if left_out:
        lines.append(table(("not counted", "tests"), left_out.most_common()))
    return "\n\n".join(lines)


def write_page(packages: list[Package]) -> None:
    """Put the table where the page has room for it."""
    text = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(with_block(text, "downstream", section(packages)), encoding="utf-8")
