"""Write docs/library/flags.md, the page of all flags: ``python -m tools.flags --write``.

Without ``--write`` the page is compared with the table in theano/_src/ground/flags.py.
"""

import argparse
import re
import sys
from pathlib import Path

from theano._src.ground.flags import _NO_EFFECT, _OLD_BUG, FLAGS
from theano._src.ground.params import ConfigParam

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "library" / "flags.md"
SOURCE = ROOT / "theano" / "_src" / "ground" / "flags.py"
# the comments that divide the table, and the headings that they become
HEADINGS = {
    "the language": "Data types and the language",
    "devices": "Devices",
    "modes, linkers, rewriting": "Modes, engines, rewriting",
    "errors, debugging": "Errors and debugging",
    "profiling": "Profiling",
    "storage of compiled programs": "Compiled programs on disk",
    "C++, for ops with C code": "C code",
    "old back-ends: their flags are accepted and have no effect": "Old back-ends",
    "warnings about bugs in old versions": "Warnings about old versions",
}
ROW = re.compile(r'^    (?:# (?P<comment>.+)|\(\s*"(?P<name>[\w.]+)",)', re.MULTILINE)
HEAD = """# All flags

Every flag of `theano.config`, from the table that the package reads.
[theano.config](config.md) shows how to set flags; [configuration](../tutorial/configuration.md)
names the ones that most programs need. `python -m theano config` prints this list with the values
on your machine.

A flag marked *at import* takes its value when Theano is imported: set it in `THEANO_FLAGS` or
in `.theanorc`.
"""


def groups() -> dict[str, list[str]]:
    """Return the names of the flags below each comment of the table."""
    text = SOURCE.read_text(encoding="utf-8").partition("\nFLAGS")[2].partition("# fmt: on")[0]
    groups: dict[str, list[str]] = {}
    for match in ROW.finditer(text):
        if match["comment"] in HEADINGS:
            names = groups.setdefault(match["comment"], [])
        elif match["name"]:
            names.append(match["name"])
    return groups


def cell(text: str) -> str:
    return re.sub(r"(__\w+__)", r"`\1`", " ".join(text.split())).replace("|", "\\|")


def default(param: ConfigParam) -> str:
    if param.derive is not None or callable(param.default):
        return "depends on the machine or on other flags"
    return f"`{param.default!r}`" if param.default != "" else "empty"


def row(name: str, param: ConfigParam, text: str) -> str:
    words = param.takes.removeprefix("one of ")
    takes = re.sub(r"'([^']+)'", r"`\1`", words) if words != param.takes else words
    when = "" if param.allow_override else " *At import.*"
    return f"| `{name}` | {cell(takes)} | {cell(default(param))} | {cell(text)}{when} |"


def page() -> str:
    flags = {name: (param, text) for name, param, text in FLAGS}
    parts = [HEAD]
    for comment, names in groups().items():
        parts.append(f"## {HEADINGS[comment]}\n")
        silent = [n for n in names if flags[n][1] in (_NO_EFFECT, _OLD_BUG)]
        shown = [n for n in names if n not in silent]
        if shown:
            rows = [row(name, *flags[name]) for name in shown]
            head = ["| flag | values | default | meaning |", "|---|---|---|---|"]
            parts.append("\n".join([*head, *rows]) + "\n")
        if silent:
            listed = ", ".join(f"`{name}`" for name in silent)
            parts.append(f"Accepted for old programs, without effect: {listed}.\n")
    return "\n".join(parts)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true", help="write the page")
    write = parser.parse_args(arguments).write
    text = page()
    if PAGE.exists() and PAGE.read_text(encoding="utf-8") == text:
        return 0
    if write:
        PAGE.write_text(text, encoding="utf-8")
    state = "written" if write else "stale; python -m tools.flags --write"
    print(f"{PAGE.relative_to(ROOT)}: {state}")
    return int(not write)


if __name__ == "__main__":
    sys.exit(main())
