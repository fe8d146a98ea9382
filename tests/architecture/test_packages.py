"""What has to be installed is stated alike everywhere, and never under a name that no index has."""

import ast
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.architecture.sources import PACKAGE, ROOT, sources, tree, where
from theano._src.compile.commands.versions import NEEDED

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
# a file of ours, `pip download` of such files and a checkout are fine: nothing is looked up
OURS = re.compile(r"\bpip3? (?:install|download)\b[^`\n]*?\btheano[-_]xla(?!-\d)[^`\n]*")
SENTENCE = ROOT / "theano" / "_src" / "ground" / "packages.py"


def advised(text: str) -> Iterator[tuple[int, str]]:
    """(line, command) of each command that looks for our own name on an index."""
    for match in OURS.finditer(text):
        if "--no-index" not in match[0]:
            yield text.count("\n", 0, match.start()) + 1, match[0]


def written() -> list[Path]:
    pages = [ROOT / "README.md", ROOT / "environment.yml", *(ROOT / "docs").rglob("*.md")]
    programs = [*PACKAGE.rglob("*.py"), *PACKAGE.rglob("*.html"), *(ROOT / "examples").iterdir()]
    return sorted(p for p in [*pages, *programs] if p.is_file())


def test_no_text_says_to_install_our_own_name_from_an_index():
    """U3.2: anybody may register a name that no index has."""
    found = [
        f"{where(path, line)}: {command}"
        for path in written()
        for line, command in advised(path.read_text(encoding="utf-8"))
    ]
    assert not found, "\n" + "\n".join(found)


@pytest.mark.parametrize(
    "text",
    [
        "pip install theano-xla[files]",
        "pip install 'theano-xla[onnx]'",
        "pip install -U theano_xla",
    ],
)
def test_a_text_that_says_so_is_found(text):
    assert len(list(advised(f"some words:\n`{text}`"))) == 1


@pytest.mark.parametrize(
    "text",
    [
        "pip install theano_xla-0.1.0-py3-none-any.whl",
        "pip install 'theano_xla-0.1.0-py3-none-any.whl[examples]'",
        "pip install --no-index --find-links wheels theano-xla",
        "pip install safetensors",
    ],
)
def test_a_file_of_ours_and_other_packages_may_be_installed(text):
    assert not list(advised(text))


def test_one_module_makes_the_sentence_of_import_errors():
    """An ImportError that says what to install gets its words from ``ground/packages.py``."""
    found = [
        where(path, node.lineno)
        for path in sources()
        if path != SENTENCE and "pip install" in path.read_text(encoding="utf-8")
        for node in ast.walk(tree(path))
        if isinstance(node, ast.Raise) and node.exc is not None
        for part in ast.walk(node.exc)
        if isinstance(part, ast.Constant) and "pip install" in str(part.value)
    ]
    assert not found, found


def names(requirements: list[str]) -> list[str]:
    return [re.match(r"[\w.-]+", requirement)[0] for requirement in requirements]


def test_what_the_package_depends_on_is_in_its_metadata_in_its_report_and_on_the_page():
    """U3.1: safetensors, which three pages need, was in extras only."""
    page = (ROOT / "docs" / "dependencies.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| ([^|]+) \|", page.partition("## To develop")[0], re.M)
    needed = [row.split()[0].lower() for row in rows[1:] if "(extra" not in row]
    assert sorted(NEEDED) == sorted(names(PROJECT["dependencies"]))
    assert sorted({*needed, "jaxlib"}) == sorted(NEEDED)


def test_what_is_installed_by_hand_without_jax_is_all_that_the_package_depends_on_but_jax():
    page = (ROOT / "docs" / "installation.md").read_text(encoding="utf-8")
    (listed,) = re.findall(r"`pip install --no-deps [^`]+` and then ([^.]+)\.", page)
    assert sorted(re.findall(r"`(\w+)`", listed)) == sorted({*NEEDED} - {"jax", "jaxlib"})
