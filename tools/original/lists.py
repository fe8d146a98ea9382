"""The data in `tests/original`: ids that count, ids that pass, patterns with reasons."""

import random
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import cached_property
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "tests" / "original"


def module_of(test: str) -> str:
    """The file of a test's id.

    >>> module_of("theano/tests/test_rop.py::test_RopLop::test_dot")
    'theano/tests/test_rop.py'
    """
    return test.partition("::")[0]


def read_ids(path: Path) -> set[str]:
    return set(path.read_text(encoding="utf-8").splitlines()) if path.exists() else set()


def write_ids(path: Path, ids: Iterable[str]) -> None:
    path.write_text("".join(f"{test}\n" for test in sorted(ids)), encoding="utf-8")


@dataclass(frozen=True)
class Group:
    """Tests that share a reason: ids, or patterns with `*`."""

    reason: str
    tests: tuple[str, ...]

    def holds(self, test: str) -> bool:
        return test in self.tests or any(
            "*" in pattern and fnmatchcase(test, pattern) for pattern in self.tests
        )


def read_groups(path: Path) -> list[Group]:
    """The `[[group]]` tables of a file: `reason` and `tests`."""
    if not path.exists():
        return []
    return groups_in(tomllib.loads(path.read_text(encoding="utf-8")).get("group", []))


def groups_in(tables: Iterable[dict[str, Any]]) -> list[Group]:
    """The groups that tables of a file tell of."""
    return [Group(table["reason"], tuple(table["tests"])) for table in tables]


def reason_in(groups: Iterable[Group], test: str) -> str | None:
    """The reason of the first group that holds the test."""
    return next((group.reason for group in groups if group.holds(test)), None)


@dataclass
class Lists:
    """What is known of the original's tests.

    `sound` are the ids that pass on Theano 1.0.5 itself; those that no group of `excluded` holds
    count. `passing` and `softened` must go on passing: the former as they stand, the latter once
    asserts about the compiled graph are softened. Some of them do not count: tests that Theano
    cannot run without a C compiler, or with the NumPy that it has here.
    """

    folder: Path = FOLDER
    sound: set[str] = field(init=False)
    passing: set[str] = field(init=False)
    softened: set[str] = field(init=False)
    excluded: list[Group] = field(init=False)
    causes: list[Group] = field(init=False)

    def __post_init__(self) -> None:
        self.sound = read_ids(self.folder / "sound.txt")
        self.passing = read_ids(self.folder / "passing.txt")
        self.softened = read_ids(self.folder / "softened.txt")
        self.excluded = read_groups(self.folder / "excluded.toml")
        self.causes = read_groups(self.folder / "causes.toml")

    @cached_property
    def counting(self) -> set[str]:
        return self.included(self.sound)

    @property
    def known(self) -> set[str]:
        """All that is worth running."""
        return self.counting | self.passing | self.softened

    def included(self, tests: set[str]) -> set[str]:
        return {test for test in tests if reason_in(self.excluded, test) is None}

    def add(self, passed: set[str], softly: set[str]) -> tuple[set[str], set[str]]:
        """Add to the lists, write them, and return what was new to each."""
        new = self.included(passed) - self.passing
        self.passing |= new
        newly_soft = self.included(softly) - self.passing - self.softened
        self.softened = (self.softened | newly_soft) - self.passing
        write_ids(self.folder / "passing.txt", self.passing)
        write_ids(self.folder / "softened.txt", self.softened)
        return new, newly_soft

    def quick(self, seed: int) -> set[str]:
        """The part that the gate runs: a sample of large modules, the others whole.

        `quick.toml` names the large modules, the size of the sample, and the slow tests, which
        are left out.
        """
        plan = tomllib.loads((self.folder / "quick.toml").read_text(encoding="utf-8"))
        slow = Group("slow", tuple(plan["slow"]))
        held = sorted(test for test in self.passing | self.softened if not slow.holds(test))
        large = [test for test in held if module_of(test) in plan["sampled"]]
        drawn = random.Random(seed).sample(large, min(plan["size"], len(large)))
        return (set(held) - set(large)) | set(drawn)
