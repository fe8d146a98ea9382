"""The site's own search, run on its pages by node: a tutorial comes first for a common word."""

import json
import runpy
import shutil
import subprocess
import sys

import pytest

from tests.architecture.sources import ROOT
from tests.compile.c_toolchain import needed_program

DOCS = ROOT / "docs"
FOLDERS = ("tutorial", "howto", "library", "internals", "adr")
CONF = """
import sys

sys.path.insert(0, {docs!r})
import subjects

extensions = ["myst_parser"]
html_theme = "basic"
html_search_scorer = {scorer!r}
suppress_warnings = ["myst", "toc", "image"]


def setup(app):
    app.connect("source-read", subjects.add)
"""
# the scripts of search.html in their order, then the first pages for each query
RUN = """
const fs = require("fs"), vm = require("vm");
const [folder, ...queries] = process.argv.slice(2);
const page = {getElementById: () => null, addEventListener() {}, querySelectorAll: () => [],
              documentElement: {dataset: {}}};
const site = {document: page, console, _: (text) => text, _ready() {}, setTimeout,
              SPHINX_HIGHLIGHT_ENABLED: false};
site.window = vm.createContext(site);
for (const file of ["_static/language_data.js", "_static/searchtools.js", "searchindex.js"])
  vm.runInContext(fs.readFileSync(`${folder}/${file}`, "utf8"), site, {filename: file});
vm.runInContext("find = (q) => Search._performSearch(...Search._parseQuery(q))", site);
const pages = (query) => site.find(query).reverse().map((result) => result[0]);
console.log(JSON.stringify(Object.fromEntries(queries.map((q) => [q, pages(q)]))));
"""
FIRST = {
    "tutorial": "tutorial/index",
    "gradient": "tutorial/derivatives",
    "scan": "tutorial/loop",
    "loop": "tutorial/loop",
    "shared variable": "tutorial/functions",
    "shared variables": "tutorial/functions",
    "function": "tutorial/functions",
    "broadcasting": "tutorial/shape",
    "random numbers": "tutorial/random",
    "sparse": "tutorial/sparse",
    "save": "tutorial/saving",
    "PyMC3": "tutorial/pymc3",
    "GPU": "howto/gpu",
    "NaN": "howto/debug-nan",
    "floatX": "howto/float32",
    "flags": "library/flags",
}


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    """The pages that a search finds for each query, best first."""
    node = needed_program("node")
    pytest.importorskip("myst_parser")
    folder = tmp_path_factory.mktemp("search")
    pages, site = folder / "pages", folder / "site"
    for name in FOLDERS:
        shutil.copytree(DOCS / name, pages / name, ignore=shutil.ignore_patterns("*.ipynb"))
    conf = CONF.format(docs=str(DOCS), scorer=str(DOCS / "_static" / "scorer.js"))
    (pages / "conf.py").write_text(conf, encoding="utf-8")
    (pages / "index.md").write_text("# Pages\n", encoding="utf-8")
    built = subprocess.run(
        [sys.executable, "-m", "sphinx", "-b", "html", "-Q", str(pages), str(site)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert built.returncode == 0, built.stderr
    (folder / "run.js").write_text(RUN, encoding="utf-8")
    command = [node, str(folder / "run.js"), str(site), *FIRST]
    answer = subprocess.run(command, capture_output=True, text=True, check=False)
    assert answer.returncode == 0, answer.stderr
    return json.loads(answer.stdout)


@pytest.mark.parametrize(("query", "page"), FIRST.items())
def test_a_search_finds_the_page_to_read_first(found, query, page):
    assert found[query][0] == page


def test_each_subject_has_a_page():
    subjects = runpy.run_path(str(DOCS / "subjects.py"))["SUBJECTS"]
    words = [word for entry in subjects.values() for word in entry.split()]
    assert len(words) == len(set(words)) > 50
    assert [page for page in subjects if not (DOCS / f"{page}.md").exists()] == []
