"""Parts of pages that tools write: what stands between two marks of a name."""

import re


def with_block(text: str, name: str, block: str) -> str:
    r"""A page with what stands between its two marks of that name replaced.

    >>> with_block("<!-- x: begin -->\nold\n<!-- x: end -->", "x", "new")
    '<!-- x: begin -->\n\nnew\n\n<!-- x: end -->'
    """
    begin, end = f"<!-- {name}: begin -->", f"<!-- {name}: end -->"
    marks = re.compile(f"({begin}\n).*?({end})", re.DOTALL)
    made, found = marks.subn(lambda m: f"{m[1]}\n{block}\n\n{m[2]}", text)
    if found != 1:
        raise ValueError(f"a page takes its block between {begin} and {end} once, found {found}")
    return made
