"""Sphinx: these pages, and the reference made from docstrings, as HTML."""

import html
import importlib.util
import json
import os
import re
from pathlib import Path

from docutils import nodes
from docutils.utils.math import MathError, latex2mathml
from jinja2 import PackageLoader
from jinja2.sandbox import SandboxedEnvironment
from numpydoc.docscrape_sphinx import SphinxDocString
from sphinx import addnodes
from sphinx.util import logging
from sphinx.util.docutils import SphinxRole

HERE = Path(__file__).resolve().parent
# A placeholder: the site has no address yet. Previews of links need a whole one.
SITE = os.environ.get("DOCS_URL", "https://theano-xla.example/docs").rstrip("/") + "/"

project = "Theano on XLA"
author = project_copyright = "the theano-xla contributors"
extensions = ["myst_parser", "sphinx.ext.autodoc", "numpydoc", "sphinx_copybutton"]
html_theme = "furo"
html_title = project
html_favicon = "_static/favicon.svg"
html_static_path = ["_static"]
html_css_files = ["custom.css"]
html_js_files = [("versions.js", {"defer": "defer"})]
# The tutorial before the records of decisions, where both have the word.
html_search_scorer = str(HERE / "_static" / "scorer.js")
html_theme_options = {
    "light_logo": "logo-light.svg",
    "dark_logo": "logo-dark.svg",
    "light_css_variables": {
        "color-brand-primary": "#b43c14",
        "color-brand-content": "#b43c14",
        "color-brand-visited": "#7c3aed",
    },
    "dark_css_variables": {
        "color-brand-primary": "#ff9d76",
        "color-brand-content": "#ff9d76",
        "color-brand-visited": "#c4a7ff",
    },
}
templates_path = ["_templates"]
html_sidebars = {
    "**": [
        "sidebar/brand.html",
        "versions.html",
        "sidebar/search.html",
        "sidebar/scroll-start.html",
        "sidebar/navigation.html",
        "sidebar/scroll-end.html",
    ]
}
exclude_patterns = ["_build"]
# Markdown links with a fragment, [text](page.md#heading), need the headings' names.
myst_heading_anchors = 3
# $x$ and $$x$$ in Markdown; in docstrings, :math:`x` and .. math::
myst_enable_extensions = ["dollarmath", "amsmath"]
# Types are told in words, in the docstrings.
autodoc_typehints = "none"
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False
# Each page begins with links to what it holds; in the side bar they would treble the build.
toc_object_entries = False
html_math_renderer = "mathml"
highlight_language = "python"
pygments_dark_style = "github-dark"
# The button copies what is typed, not the prompts and what they answer.
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
copybutton_only_copy_prompt_lines = True
copybutton_remove_prompts = True

# Outside of ``literals``; reStructuredText would take |x| for a substitution.
BAR = re.compile(r"\|(?=(?:[^`]|``[^`]*``)*$)")
NOQA = re.compile(r" +# noqa: \w+$", re.MULTILINE)
LINK = re.compile(r"\]\(([\w./-]+)\.md\)")

# The side bar: what to learn from, how to do something, what to look up, how it works.
ORDER = {
    "Learn": ["installation", "tutorial/index", "gallery/index"],
    "Do": ["howto/index", "performance/index", "extending/index"],
    "Look up": ["library/index", "reference/index", "faq", "glossary"],
    "Understand": ["internals/index", "adr/index", "dependencies", "deviations"],
}


def load(path: Path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


reference = load(HERE.parent / "tools" / "reference.py")
subjects = load(HERE / "subjects.py")
release = version = load(HERE.parent / "theano" / "_src" / "ground" / "version.py").release

# numpydoc reads and compiles its template for each docstring, an eighth of the build; here once.
template = SandboxedEnvironment(loader=PackageLoader("numpydoc")).get_template(
    "numpydoc_docstring.rst"
)
load_config = SphinxDocString.load_config
SphinxDocString.load_config = lambda self, config: load_config(
    self, {**config, "template": template}
)


def write_reference(app):
    reference.write(HERE / "reference")


def contents(app, docname, source):
    """Add a table of contents to an index: its links, in their order. The first page has ORDER."""
    if docname == "reference/index":
        source[0] += "\n" + reference.contents() + "\n"
    if docname == "index":
        for caption, pages in ORDER.items():
            source[0] += toctree([p for p in pages if (HERE / f"{p}.md").exists()], caption)
    elif docname.rpartition("/")[2] == "index":
        links = dict.fromkeys(LINK.findall(source[0]))
        source[0] += toctree([link for link in links if ".." not in link])


def trim(app, doctree):
    """Remove the empty lines at the end of blocks of code, and the marks for the linter."""
    for block in doctree.findall(nodes.literal_block):
        block[:] = [nodes.Text(NOQA.sub("", block.astext()).rstrip("\n"))]
        block.rawsource = block.astext()


def toctree(pages, caption=""):
    options = ":hidden:\n" + (f":caption: {caption}\n" if caption else "")
    return f"\n```{{toctree}}\n{options}\n" + "\n".join(pages) + "\n```\n"


def downloads(app, docname, source):
    """At the end of a page of the gallery: its program, and the modules that it imports."""
    folder, _, name = docname.rpartition("/")
    programs = HERE.parent / "examples"
    if folder != "gallery" or not (programs / f"{name}.py").exists():
        return
    needed = [name]
    for module in needed:
        text = (programs / f"{module}.py").read_text(encoding="utf-8")
        beside = re.findall(r"^\s*(?:from|import) (\w+)", text, re.M)
        needed += [m for m in beside if m not in needed and (programs / f"{m}.py").exists()]
    files = [f"{m}.py" for m in needed]
    text = (programs / f"{name}.py").read_text(encoding="utf-8")
    files += [f for f in re.findall(r'"(\w+/\w+\.[ch])"', text) if (programs / f).exists()]
    links = ", ".join(f"{{download}}`{file} <../../examples/{file}>`" for file in files)
    source[0] += (
        f"\n**The program**: {links}. In one folder, `python {name}.py --figure {name}.png` "
        "runs it and draws the picture; `pip install scikit-learn matplotlib rich` installs what "
        "it needs in addition to theano-xla.\n"
    )


def prepare(app, what, name, thing, options, lines):
    """Docstrings as Sphinx wants them: a heading above the example, and |x| as it stands."""
    words, mark, example = reference.with_heading("\n".join(lines)).partition(">>>")
    words = "\n".join(BAR.sub(r"\|", line) for line in words.split("\n"))
    lines[:] = (words + mark + example).splitlines()


class Name(SphinxRole):
    """A public name that is listed without its docstring, as a target of links."""

    def run(self):
        node = nodes.literal("", self.text.rpartition(".")[2], ids=[self.text])
        self.inliner.document.note_explicit_target(node)
        domain = self.env.get_domain("py")
        domain.note_object(self.text, "data", self.text, location=node)
        return [node], []


class Elsewhere(SphinxRole):
    """``path <home>``: a name that is described at its home, and can be linked to here."""

    def run(self):
        path, _, home = self.text.rstrip(">").partition(" <")
        name = nodes.literal("", path.rpartition(".")[2])
        link = addnodes.pending_xref(
            "",
            name,
            refdomain="py",
            reftype="obj",
            reftarget=home,
            refdoc=self.env.docname,
            refwarn=True,
        )
        node = nodes.inline("", "", link, ids=[path])
        self.inliner.document.note_explicit_target(node)
        return [node], []


def as_mathml(self, node, block):
    """A formula as MathML, which browsers draw by themselves: nothing is loaded from elsewhere."""
    try:
        return latex2mathml.tex2mathml(node.astext(), as_block=block)
    except MathError as error:
        logging.getLogger(__name__).warning("formula: %s", error, location=node)
        return self.encode(node.astext())


def visit_math(self, node):
    self.body.append(as_mathml(self, node, block=False))
    raise nodes.SkipNode


def visit_math_block(self, node):
    self.body.append(f'<div class="math">{as_mathml(self, node, block=True)}</div>')
    raise nodes.SkipNode


def describe(app, pagename, templatename, context, doctree):
    """Add the title, first paragraph and picture that other programs show for a link to a page."""
    if doctree is None:
        return
    paragraphs = (node.astext() for node in doctree.findall(nodes.paragraph))
    words = " ".join(next(paragraphs, "").split())
    words = words if len(words) <= 200 else words[:197].rpartition(" ")[0] + " ..."
    title = re.sub("<[^>]+>", "", html.unescape(context["title"]))
    tags = {
        "name=description": words,
        "property=og:type": "article",
        "property=og:site_name": project,
        "property=og:title": title,
        "property=og:description": words,
        "property=og:url": SITE + app.builder.get_target_uri(pagename),
        "property=og:image": SITE + "_static/card.png",
        "property=og:image:alt": f"{project}: a graph, and the function compiled from it",
        "name=twitter:card": "summary_large_image",
    }
    for tag, content in tags.items():
        kind, _, name = tag.partition("=")
        context["metatags"] += f'<meta {kind}="{name}" content="{html.escape(content)}">\n'


def write_versions(app, exception):
    """The versions that the side bar offers; where several are kept, the list above them wins."""
    if exception is None and app.builder.format == "html":
        # A release adds {"name": "stable", "url": "../stable/"}, and so on.
        name = f"{release} (dev)" if "dev" in release else release
        text = json.dumps([{"name": name, "version": release, "url": "./"}], indent=1)
        (Path(app.outdir) / "versions.json").write_text(text + "\n", encoding="utf-8")


def setup(app):
    app.connect("html-page-context", describe)
    app.connect("build-finished", write_versions)
    app.add_role("name", Name())
    app.add_role("elsewhere", Elsewhere())
    app.add_html_math_renderer("mathml", (visit_math, None), (visit_math_block, None))
    app.connect("builder-inited", write_reference)
    app.connect("doctree-read", trim)
    app.connect("source-read", contents)
    app.connect("source-read", subjects.add)
    app.connect("source-read", downloads)
    app.connect("autodoc-process-docstring", prepare, priority=100)
