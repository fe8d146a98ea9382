"""Turns of phrase that readers stumbled over: ``python -m tools.english`` lists where one returns.

It reads the Markdown files at the top, the pages and notebooks of docs, the unreleased part of
CHANGELOG.md, and the docstrings and messages of the package and of the examples. RETIRED has each
phrase with what to write instead. There is no list of exceptions: a sentence that needs one can be
written in another way.
"""

from __future__ import annotations

import ast
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]

NOUNS = (
    "array|bound|dtype|extra|figure|file|flag|function|gradient|graph|integer|key|length|list|matter|"
    "member|method|mode|module|name|node|number|op|option|parameter|part|place|question|rule|scalar|"
    "shape|tensor|type|value|variable"
)
# fmt: off
RETIRED: tuple[tuple[str, str], ...] = (
    # comparisons and places
    (r"\bbeside\b",                             "next to, compared with, while"),
    (r"\bas of (?:NumPy|Theano|JAX|SciPy)\b",    "as in NumPy"),
    (r"\bquick(?:er|est)\b",                    "faster, fastest"),
    (r"\bfar out\b|\bleft away\b|\bat hand\b", "for large arguments; left out; given"),
    (r"\bst(?:ands?|ood) (?:in|under|below|near|before|at|outside|above|there|here|once)\b", "is"),
    (r"\b(?:is|are) not there\b",               "does not exist, is missing"),
    # people in the place of programs
    (r"\btold\b|\btells? of\b",                "says; passed; by default"),
    (r"\bhears? (?:of|that|about)\b|\bheard\b", "is notified"),
    (r"\bknows? (?:nothing|of)\b",              "does not use, does not depend on"),
    (r"\basks? of\b|\basked of\b|\bwhat it asks\b", "requires"),
    (r"\bspeaks? of\b|\bspoken of\b",          "is about, names"),
    (r"\bhas nothing to say\b",                 "does not apply"),
    (r"\bnobody\b",                             "nothing, no thread; or name the reader"),
    (r"\blooked (?:at|upon)\b",                 "checked, visited, read"),
    (r"\bunasked\b|\bbroken off\b",            "automatically; stopped"),
    # old or short forms
    (r"\bhad by\b|\bheld by\b|\bbe had\b",    "checked by, available"),
    (r"\banew\b|\bturned round\b",             "again; reversed"),
    (r"\bmend(?:s|ed|ing)?\b",                  "fix, repair"),
    (r"\bshall\b",                              "should, must"),
    (r"\bin the place of\b",                    "instead of"),
    (r"\b(?:is|was|are|were) given up\b",       "stopped, dropped"),
    (r"\bc(?:omes?|ame) of (?:it|that|them)\b", "results from"),
    (r"\bin the long run\b|\bnothing on disk\b", "once warm; empty caches"),
    (r"\bfor ever\b|\bfor good\b",            "forever, permanently"),
    (r"\ball the same\b|\bas ever\b",         "nevertheless, still; as usual"),
    (r"\bin silence\b|\bbesides\b|\bwhoever\b", "silently; also; name the reader"),
    (r"\bbut for\b|\bof which it\b", "except for; whose"),
    (r"\b(?:the|its|their) like\b(?= *[*:.,;)])", "and others, and similar functions"),
    (r"\bmakes? of (?:it|that|them)\b",          "name the result"),
    (r"\basked for\b",                         "requested; name what is needed"),
    (r"\bhangs? on\b|\bits sisters?\b|\bkin\b", "depends on; related functions"),
    (r"\bthe way back\b|\bas long again\b",    "the reverse pass; twice as long"),
    # who owns it
    (r"\bours\b|\bof (?:theirs|yours)\b|\bof one's own\b", "theano-xla; your own, its own"),
    # names for clauses
    (r"\b(?:that|what|which) ha(?:s|ve) it\b",  "name the thing"),
    (r"\bwhat stands for\b|\bof which no\b",   "name the thing"),
    (r"\basking (?:what|how|whether|for)\b|\b[Aa]ll there is to\b", "name the task"),
    (r"\bto look around\b|\bas they come\b",   "name the task"),
    (r"\b(?:taken|takes|take|took|done|made|written|computed|faster) so[.;:)]", "say what so is"),
    (rf"(?<![Tt]here )(?<!but )\b(?:is|are) no (?:{NOUNS})\b", "is not a, are not"),
    (r"\b[Aa]n (?:record|scan|graph|function|variable|tensor|node|type|value|key)\b", "a"),
    # a sentence whose subject is a clause, such as "What has no sharding is replicated."
    (r"(?:^|(?<=[.:;] ))What (?![^.?!]*\?)[^.?!\n]*[.:]", "the subject first"),
    (r"(?<=[.;]\s)What (?![^.?!]*\?)[^.?!:\n]*\n(?! *\n)(?:[^.?!:\n]|\n(?! *\n))*\.", "the same"),
)
# fmt: on
PATTERNS = [(re.compile(pattern), instead) for pattern, instead in RETIRED]
ANY = re.compile("|".join(f"(?:{pattern})" for pattern, _ in RETIRED))
FENCE = re.compile(r"^( *)(```+|~~~+).*?^ *\2`*\s*$", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"(`+)(?!`).+?(?<!`)\1(?!`)", re.DOTALL)
COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
EXAMPLE = re.compile(r"^ *(?:>>>|\.\.\.).*$", re.MULTILINE)


class Finding(NamedTuple):
    where: str
    line: int
    phrase: str
    instead: str


def line_ends(match: re.Match[str]) -> str:
    """Return the line ends of what is left out, so that lines keep their numbers."""
    return "\n" * match[0].count("\n")


def prose(text: str) -> str:
    """Return a text without its comments, examples and code; a word of code becomes a backquote."""
    text = EXAMPLE.sub("", FENCE.sub(line_ends, COMMENT.sub(line_ends, text)))
    return CODE.sub(lambda match: "`" + line_ends(match), text)


def findings(where: str, text: str, first: int = 1) -> Iterator[Finding]:
    """Yield the retired phrases of a text."""
    if not ANY.search(text):
        return
    words = prose(text)
    for pattern, instead in PATTERNS:
        for match in pattern.finditer(words):
            line = first + words.count("\n", 0, match.start())
            yield Finding(where, line, " ".join(match[0].split()), instead)


def files(root: Path, *patterns: str) -> list[Path]:
    return sorted(path for pattern in patterns for path in root.glob(pattern))


def pages(root: Path) -> Iterator[tuple[str, str]]:
    """Yield the pages of the repository, cells of notebooks, and the unreleased changes."""
    for path in files(root, "*.md", "docs/**/*.md", "examples/**/*.md"):
        name = path.relative_to(root).as_posix()
        text = path.read_text(encoding="utf-8")
        if name == "CHANGELOG.md":
            text = re.split(r"^## \[?\d", text, maxsplit=1, flags=re.MULTILINE)[0]
        if "/reference/" not in name or path.name == "index.md":
            yield name, text
    for path in files(root, "docs/**/*.ipynb"):
        for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
            if cell["cell_type"] == "markdown":
                yield f"{path.relative_to(root).as_posix()}, {cell['id']}", "".join(cell["source"])


def texts_of_code(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the docstrings and messages of a module: its strings that have spaces."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value:
            yield node.lineno, node.value


def everything(root: Path = ROOT) -> Iterator[Finding]:
    for name, text in pages(root):
        yield from findings(name, text)
    for path in files(root, "theano/**/*.py", "examples/**/*.py", "docs/conf.py"):
        for line, text in texts_of_code(path):
            yield from findings(path.relative_to(root).as_posix(), text, line)


def main() -> int:
    found = list(everything())
    for finding in found:
        print(f"{finding.where}:{finding.line}: {finding.phrase!r}: {finding.instead}")
    print(f"{len(found)} retired phrases")
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
