"""Why a test fails, and the tables that say how many do."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from tools.marked import with_block
from tools.original.lists import ROOT, Lists, module_of, reason_in
from tools.original.running import Result

PAGE = ROOT / "docs" / "internals" / "testing.md"
# Names that are not there yet, by who will bring them.
COMING = {
    "sparse": "sparse",
    "CLinker": "C code",
    "c_code": "C code",
    "gof.cc": "C code",
    "cmodule": "C code",
}
CLASSES = ("name", "structure", "time", "crash", "skipped", "other")
MISSING = re.compile(r"has no attribute|cannot import name|No module named|no longer|is absent")


def missing_name(result: Result) -> bool:
    """Whether a test failed because ours lacks a name."""
    if result.kind == "MissingName" or result.outcome == "absent":
        return True
    by_kind = result.kind in ("AttributeError", "ImportError", "ModuleNotFoundError")
    return by_kind and MISSING.search(result.message) is not None


def class_of(result: Result, softly: Result | None) -> str:
    """The class of a failure, one of `CLASSES`, with who brings a name that is coming."""
    if softly is not None and softly.passed:
        return "structure"
    if result.outcome in ("timeout", "crash", "skipped"):
        return {"timeout": "time"}.get(result.outcome, result.outcome)
    if missing_name(result):
        text = result.message + result.line
        return next((f"name: {by}" for word, by in COMING.items() if word in text), "name")
    return "other"


def short(module: str) -> str:
    """A module's name without what all have.

    >>> short("theano/tensor/nnet/tests/test_sigm.py")
    'tensor/nnet/sigm'
    """
    return module.removeprefix("theano/").replace("tests/test_", "").removesuffix(".py")


def row(cells: Iterable[object]) -> str:
    return "| " + " | ".join(map(str, cells)) + " |"


def table(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    return "\n".join([row(header), row("---" for _ in header), *map(row, rows)])


def by_module(results: dict[str, Result], classes: dict[str, str]) -> str:
    """Tests run, passed and failed, by class of failure, a line a module."""
    names = [name for name in CLASSES if any(c.split(":")[0] == name for c in classes.values())]
    ran = Counter(map(module_of, results))
    passed = Counter(module_of(test) for test, result in results.items() if result.passed)
    failed = Counter((module_of(test), found.split(":")[0]) for test, found in classes.items())
    rows: list[Sequence[object]] = [
        (short(m), ran[m], passed[m], *(failed[m, name] or "" for name in names))
        for m in sorted(ran)
    ]
    sums = (sum(failed[m, name] for m in ran) for name in names)
    rows.append(("all", ran.total(), passed.total(), *sums))
    return table(("module", "run", "pass", *names), rows)


def share(part: int, whole: int) -> str:
    return f"{part} of {whole} ({100 * part / whole:.1f} %)" if whole else "none"


def most_first(counts: Counter[str]) -> list[tuple[str, int]]:
    """The counts from the largest, equal ones by their names.

    >>> most_first(Counter(b=2, a=2, c=3))
    [('c', 3), ('a', 2), ('b', 2)]
    """
    return sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))


def section(lists: Lists) -> str:
    """What the lists say, for the page on testing: figures, what is left out, why tests fail."""
    counting = lists.counting
    passing, soft = lists.passing & counting, lists.softened & counting
    failing = counting - passing - soft
    excluded = Counter(
        reason for test in lists.sound if (reason := reason_in(lists.excluded, test)) is not None
    )
    causes = Counter(
        reason_in(lists.causes, test) or "not yet looked into" for test in counting - passing
    )
    more = len(lists.passing - counting)
    lines = [
        f"Of {len(lists.sound)} tests that pass on Theano 1.0.5, {len(counting)} count. "
        f"As they stand, {share(len(passing), len(counting))} pass; with asserts about the "
        f"compiled graph softened, {share(len(passing | soft), len(counting))}; "
        f"{len(failing)} fail. {more} more pass that Theano itself cannot run here, without a C "
        "compiler or with a later NumPy; they must continue to pass too.",
        table(("not counted, because they are of", "tests"), most_first(excluded)),
        table(("why a test that counts does not pass as it stands", "tests"), most_first(causes)),
    ]
    return "\n\n".join(lines)


def write_page(lists: Lists) -> None:
    """Put the section where the page on testing has room for it."""
    text = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(with_block(text, "original", section(lists)), encoding="utf-8")
