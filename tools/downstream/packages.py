"""The data in `tests/downstream`: a file a package, and lists of the ids that pass."""

import json
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from theano._src.ground.old_packages.corrections import CORRECTIONS, Correction
from tools.original.lists import ROOT, Group, groups_in, read_ids, reason_in, write_ids

FOLDER = ROOT / "tests" / "downstream"


@dataclass(frozen=True)
class Edit:
    """A text of a package's file, and another that stands for it.

    It is `for_tests` if only the tests here need it: less work, made data, numbers that repeat.
    What a shipped name or correction can do (`theano/_src/ground/old_packages`) is no edit.
    """

    file: str
    old: str
    new: str
    reason: str
    for_tests: bool = False

    @property
    def for_users(self) -> bool:
        """Whether a user of the package needs it too."""
        return not self.for_tests and "test" not in self.file


@dataclass(frozen=True)
class Script:
    """A program of a package, that passes if it ends with 0; `name` is its id.

    `run` is a file with its arguments, in `folder` of the sources or in `tests/downstream/data`,
    or, as after `python`, `-m` and a module or `-c` and a text. `limit` is in seconds of the
    processor. The numbers that the regular expression `numbers` finds in what it prints (the last
    `last` of them, or all) are to be those of Theano 1.0.5, up to the relative `tolerance`.
    """

    name: str
    run: str
    folder: str = "."
    limit: float = 120.0
    numbers: str = ""
    last: int = 0
    tolerance: float = 0.0


@dataclass(frozen=True)
class Original:
    """What packages were written for, and is asked which of their tests pass.

    `alone` is installed, without its dependencies, in place of Theano 1.0.5; `flags` let it run
    without a compiler: loops of 1.0.5 do not compile for Python 3.11, but its pooling needs to.
    """

    title: str
    flags: str
    requires: tuple[str, ...] = ()
    alone: tuple[str, ...] = ()


ORIGINALS = {
    "theano": Original("Theano 1.0.5", "cxx=,blas.ldflags="),
    "theano-compiled": Original(
        "Theano 1.0.5 with a C++ compiler", "blas.ldflags=,gcc.cxxflags=-w"
    ),
    "theano-pymc": Original(
        "Theano-PyMC 1.1.2", "cxx=,blas__ldflags=", ("filelock",), ("Theano-PyMC==1.1.2",)
    ),
}


@dataclass
class Package:
    """A package, where it comes from, and how its tests run.

    `source` is `sdist NAME==VERSION` or `wheel NAME==VERSION` of the package index, or `repository
    OWNER/NAME COMMIT`; `beside` are the sources of packages that it imports. Its users install what
    it `needs`, and `alone` without dependencies; `imports` are the names of its modules. Its tests
    take what they `require` beside, and what most tests do is there. `tests` are arguments of
    pytest, in the folder of the sources; `scripts` are programs. `prepare` are programs in
    `tests/downstream/data`, with arguments, that make the data which these read: they run once, in
    the folder of the sources. Files that a pattern in `python2` matches are converted from Python 2
    when they are read. `original` is a key of `ORIGINALS`; `not_asked` says why it cannot be asked.
    """

    name: str
    title: str
    source: str
    tests: tuple[str, ...] = ()
    scripts: tuple[Script, ...] = ()
    prepare: tuple[str, ...] = ()
    python2: tuple[str, ...] = ()
    beside: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    imports: tuple[str, ...] = ()
    #: what `python -m theano recipe` calls it, where that is not the name
    recipe: str = ""
    requires: tuple[str, ...] = ()
    alone: tuple[str, ...] = ()
    flags: str = ""
    environment: dict[str, str] = field(default_factory=dict)
    edits: tuple[Edit, ...] = ()
    original: str = "theano"
    not_asked: str = "not run yet"
    #: whether its tests run in the gate
    quick: bool = False
    excluded: list[Group] = field(default_factory=list)
    #: tests that pass on the original and not here, by reason
    exceptions: list[Group] = field(default_factory=list)
    folder: Path = FOLDER

    @property
    def kind(self) -> str:
        return self.source.split()[0]

    def corrections(self) -> dict[str, tuple[Correction, ...]]:
        """The shipped corrections of its modules, and of those that it imports."""
        versions = {source.rpartition("==")[2] for source in (self.source, *self.beside)}
        found = {
            module: tuple(c for c in corrections if c.version in {"", *versions})
            for module, corrections in CORRECTIONS.items()
            if module.partition(".")[0] in self.imports
        }
        return {module: corrections for module, corrections in found.items() if corrections}

    @property
    def passing(self) -> set[str]:
        """The ids that must go on passing."""
        return read_ids(self.folder / f"{self.name}.passing.txt")

    @property
    def sound(self) -> set[str]:
        """The ids that pass on the package's original, with the same shim."""
        return read_ids(self.folder / f"{self.name}.sound.txt")

    def counting(self) -> set[str]:
        """Those of them that count."""
        return {test for test in self.sound if reason_in(self.excluded, test) is None}

    def add(self, passed: set[str]) -> set[str]:
        """Add to the list of passing ids; return what is new."""
        old = self.passing
        new = {test for test in passed if reason_in(self.excluded, test) is None} - old
        write_ids(self.folder / f"{self.name}.passing.txt", old | new)
        return new

    def hold_sound(self, passed: set[str], part: str = "") -> None:
        """Keep what passes on the original; of one file, where there is a `part`."""
        others = {test for test in self.sound if part and not test.startswith(part)}
        write_ids(self.folder / f"{self.name}.sound.txt", others | passed)

    @property
    def numbers(self) -> dict[str, list[float]]:
        """What scripts print on Theano 1.0.5, where it is asked for."""
        path = self.folder / f"{self.name}.numbers.json"
        found: dict[str, list[float]] = json.loads(path.read_text()) if path.exists() else {}
        return found

    def hold_numbers(self, numbers: dict[str, list[float]]) -> None:
        if numbers:
            lines = (f'  "{name}": {json.dumps(found)}' for name, found in sorted(numbers.items()))
            text = "{\n" + ",\n".join(lines) + "\n}\n"
            (self.folder / f"{self.name}.numbers.json").write_text(text, encoding="utf-8")


def read_package(path: Path) -> Package:
    """The package that a file tells of."""
    table: dict[str, Any] = tomllib.loads(path.read_text(encoding="utf-8"))
    excluded, exceptions = groups_in(table.pop("group", [])), groups_in(table.pop("exception", []))
    edits = tuple(Edit(**edit) for edit in table.pop("edit", []))
    scripts = tuple(Script(**script) for script in table.pop("script", []))
    lists = {key: tuple(value) for key, value in table.items() if isinstance(value, list)}
    table |= lists | {
        "edits": edits,
        "scripts": scripts,
        "excluded": excluded,
        "exceptions": exceptions,
    }
    return Package(path.stem, **table, folder=path.parent)


def read_packages(folder: Path = FOLDER) -> list[Package]:
    return [read_package(path) for path in sorted(folder.glob("*.toml"))]
