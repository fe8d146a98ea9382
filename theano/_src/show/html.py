"""Pieces of HTML for notebooks: tables and cards, escaped, with their own style."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

# colours are mixed with the text colour, so that dark themes work too
# notebooks have styles for tables and code: repeating the class raises the specificity
_STYLE = """<style>
.theano-card{--line:color-mix(in srgb,currentColor 18%,transparent);
--faint:color-mix(in srgb,currentColor 5%,transparent);--accent:#2563eb;
font:13px/1.5 system-ui,-apple-system,"Segoe UI",Helvetica,Arial,sans-serif;
border:1px solid var(--line);border-radius:8px;padding:10px 14px;margin:4px 0;
max-width:100%;box-sizing:border-box;display:inline-block;overflow:auto;text-align:left}
.theano-card .head{font-size:14px;margin-bottom:6px}
.theano-card .head b{font-weight:650;white-space:pre-wrap}
.theano-card .quiet{opacity:.65}
.theano-card.theano-card code,.theano-card.theano-card .code{
font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;
font-size:12px;background:none;white-space:pre-wrap;padding:0}
.theano-card.theano-card table{border-collapse:collapse;margin:4px 0;font-size:12.5px;border:none}
.theano-card.theano-card th{font-weight:600;text-align:left;border-bottom:1px solid var(--line);
padding:3px 10px 3px 0;vertical-align:top;background:none}
.theano-card.theano-card td{padding:3px 10px 3px 0;vertical-align:top;text-align:left;
border-bottom:1px solid var(--faint);background:none}
.theano-card.theano-card.theano-card tr{background:none}
.theano-card.theano-card td.number{text-align:right;
font-variant-numeric:tabular-nums;padding:2px 8px}
.theano-card details{margin:2px 0}
.theano-card summary{cursor:pointer}
.theano-card .bar{display:inline-block;height:8px;border-radius:4px;background:var(--accent);
vertical-align:middle}
.theano-card svg{max-width:100%;height:auto}
</style>"""


class Html(str):
    """Text that is already HTML and is not escaped again."""

    __slots__ = ()


def text(value: Any) -> Html:
    """Convert anything to HTML: escape it, unless it is already HTML."""
    return value if isinstance(value, Html) else Html(escape(str(value)))


def tag(name: str, *inside: Any, cls: str = "") -> Html:
    """Return an element with its escaped content.

    >>> tag("b", "x < ", tag("i", "y"))
    '<b>x &lt; <i>y</i></b>'
    """
    known = f' class="{escape(cls)}"' if cls else ""
    return Html(f"<{name}{known}>{''.join(map(text, inside))}</{name}>")


def code(value: Any) -> Html:
    """Return text in a monospaced font."""
    return tag("code", value)


def lines(values: Iterable[Any]) -> Html:
    """Return the values, one per line."""
    return Html("<br>".join(map(text, values)))


def table(rows: Iterable[Sequence[Any]], head: Sequence[Any] = (), numbers: bool = False) -> Html:
    """Return a table; cells are escaped unless they are HTML, and right-aligned if ``numbers``."""
    results = []
    if head:
        results.append(tag("tr", *[tag("th", cell) for cell in head]))
    for row in rows:
        results.append(tag("tr", *[tag("td", cell, cls="number" * numbers) for cell in row]))
    return tag("table", *results)


def facts(pairs: Iterable[tuple[str, Any]]) -> Html:
    """Return pairs of a word and its text as a table, without pairs whose text is empty."""
    return table((tag("span", word, cls="quiet"), text) for word, text in pairs if text != "")


def folded(summary: Any, *inside: Any, is_open: bool = False) -> Html:
    """Return a section that opens when its summary is clicked."""
    result = tag("details", tag("summary", summary), *inside)
    return Html(result.replace("<details>", "<details open>", 1)) if is_open else result


def card(head: Any, *inside: Any) -> Html:
    """Return a box with a title for a notebook, including its style.

    Notebooks read text between two ``$`` as a formula, except in elements of these classes.
    """
    plain = "theano-card tex2jax_ignore mathjax_ignore"
    return Html(_STYLE + tag("div", tag("div", head, cls="head"), *inside, cls=plain))


def shown_in_a_notebook(plain: str, html: str) -> bool:
    """Show HTML if this is a notebook; return whether it was shown."""
    # NOTE: only look at loaded modules: IPython is never imported from here
    shell = sys.modules.get("IPython")
    running = shell.get_ipython() if shell is not None else None
    if running is None or getattr(running, "kernel", None) is None:
        return False
    display = sys.modules["IPython.display"]
    display.display({"text/plain": plain, "text/html": html}, raw=True)
    return True
