"""Sphinx: these pages, and the reference made from docstrings, as HTML."""

import importlib.util
import re
from pathlib import Path

HERE = Path(__file__).resolve().parent

project = "Theano on XLA"
author = "the theano-xla contributors"
extensions = ["myst_parser", "sphinx.ext.autodoc", "numpydoc"]
html_theme = "furo"
html_title = project
exclude_patterns = ["_build"]
# Markdown links with a fragment, [text](page.md#heading), need the headings' names.
myst_heading_anchors = 3
# Types are told in words, in the docstrings.
autodoc_typehints = "none"
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False
# Each page begins with links to what it holds; in the side bar they would treble the build.
toc_object_entries = False
highlight_language = "python"

# Outside of ``literals``; reStructuredText would take |x| for a substitution.
BAR = re.compile(r"\|(?=(?:[^`]|``[^`]*``)*$)")
LINK = re.compile(r"\]\(([\w./-]+)\.md\)")


def load(path: Path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


reference = load(HERE.parent / "tools" / "reference.py")


def write_reference(app):
    reference.write(HERE / "reference")


def contents(app, docname, source):
    """What an index links to is its table of contents; the reference's own is made here."""
    if docname == "reference/index":
        source[0] += "\n" + reference.contents() + "\n"
    if docname.rpartition("/")[2] == "index":
        links = [link for link in dict.fromkeys(LINK.findall(source[0])) if ".." not in link]
        source[0] += "\n```{toctree}\n:hidden:\n\n" + "\n".join(links) + "\n```\n"


def prepare(app, what, name, thing, options, lines):
    """Docstrings as Sphinx wants them: a heading above the example, and |x| as it stands."""
    words, mark, example = reference.with_heading("\n".join(lines)).partition(">>>")
    words = "\n".join(BAR.sub(r"\|", line) for line in words.split("\n"))
    lines[:] = (words + mark + example).splitlines()


def setup(app):
    app.connect("builder-inited", write_reference)
    app.connect("source-read", contents)
    app.connect("autodoc-process-docstring", prepare, priority=100)
