"""The table of packages for the documents, from their lists."""

from collections import Counter
from collections.abc import Sequence

from theano._src.ground.old_packages.corrections import Correction
from tools.downstream.packages import ORIGINALS, Edit, Package
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


def edits_section(packages: list[Package]) -> str:
    """For each package what of it is other than published, and why."""
    rows = []
    for package in packages:
        corrections = [c for found in package.corrections().values() for c in found]
        in_memory = ["converted from Python 2"] * bool(package.python2)
        in_memory += filter(None, [_reasons(corrections)])
        rest = [edit for edit in package.edits if not edit.for_users]
        users = [edit for edit in package.edits if edit.for_users]
        name = package.recipe or package.name
        rows.append((name, "; ".join(in_memory), _reasons(users), _reasons(rest)))
    published = sum(not any(row[1:]) for row in rows)
    unedited = sum(not any(row[2:]) for row in rows)
    runs = sum(not row[2] for row in rows)
    said = (
        f"Of {len(rows)} rows, {published} run exactly as published. {unedited} have no edit at "
        f"all, and {runs} none that a user of the package needs; the others of these are converted "
        "from Python 2 or have lines exchanged, in memory, when they are imported."
    )
    columns = ("recipe", "in memory", "edited, needed by users", "edited for the tests")
    return f"{said}\n\n{table(columns, rows)}"


def _reasons(found: Sequence[Correction | Edit]) -> str:
    """Each reason once, with how many lines it is for."""
    counted = Counter(one.reason for one in found)
    return "; ".join(f"{reason} ({n})" if n > 1 else reason for reason, n in counted.items())


def with_sections(text: str, packages: list[Package]) -> str:
    """A page with its two tables made anew."""
    text = with_block(text, "downstream", section(packages))
    return with_block(text, "edits", edits_section(packages))


def write_page(packages: list[Package]) -> None:
    """Put the tables where the page has room for them."""
    text = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(with_sections(text, packages), encoding="utf-8")
