"""Every link of the built site and of the Markdown files: does what it points to exist?

`python tools/links.py HTML` reads each page of the folder HTML and each Markdown file of the
checkout. A link to a page, a picture, a script or a `#fragment` must resolve. Links to other
sites are counted, and must be well formed (https, a host, no spaces); `--online` asks for each of
them, `--list` prints them. Nothing is fetched without `--online`.
"""

import argparse
import re
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

ROOT = Path(__file__).resolve().parents[1]
MARKDOWN = ["*.md", "docs/**/*.md", "examples/**/*.md", "benchmarks/**/*.md"]
# Attributes that point to something.
POINTERS = {"href", "src", "data", "poster"}
# Names by convention, of which a page may hold an example.
LOCAL = {"localhost", "127.0.0.1"}


@dataclass
class Page(HTMLParser):
    """The targets that a page has, and what it points to."""

    ids: set[str] = field(default_factory=set)
    links: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name == "id" or (tag == "a" and name == "name"):
                self.ids.add(value or "")
            elif name in POINTERS and value is not None:
                self.links.append(value)


@cache
def read_html(path: Path) -> Page:
    page = Page()
    page.feed(path.read_text(encoding="utf-8"))
    return page


def is_external(link: str) -> bool:
    return bool(urlsplit(link).scheme) or link.startswith("//")


def broken_form(link: str) -> str | None:
    """What is wrong with the address of another site, if anything is."""
    parts = urlsplit(link)
    if parts.scheme in ("mailto", "data", "javascript"):
        return None
    if parts.hostname in LOCAL:
        return None
    if parts.scheme != "https":
        return "is not https"
    if "." not in (parts.hostname or ""):
        return "has no host"
    if re.search(r"\s", link):
        return "has a space"
    return None


def resolve(page: Path, link: str, top: Path) -> str | None:
    """What is wrong with a link inside the site, if anything is."""
    parts = urlsplit(link)
    target = page
    if parts.path:
        start = top if parts.path.startswith("/") else page.parent
        target = start / unquote(parts.path.lstrip("/"))
        if target.is_dir():
            target = target / "index.html"
        if not target.exists():
            return "points to no file"
    if parts.fragment and target.suffix == ".html":
        name = unquote(parts.fragment)
        if name not in read_html(target.resolve()).ids:
            return f"points to no #{name}"
    return None


def check_site(top: Path) -> tuple[list[str], set[str], int]:
    """Broken links, addresses of other sites, and how many links there are."""
    broken, external, count = [], set(), 0
    for path in sorted(top.rglob("*.html")):
        if "_static" in path.relative_to(top).parts:
            continue
        # the same link in each side bar is checked once a page
        links = dict.fromkeys(read_html(path.resolve()).links)
        count += len(links)
        for link in links:
            if is_external(link):
                external.add(link)
                wrong = broken_form(link)
            else:
                wrong = resolve(path.resolve(), link, top.resolve())
            if wrong:
                broken.append(f"{path.relative_to(top)}: {link} {wrong}")
    return broken, external, count


FENCE = re.compile(r"^( *)(```+|~~~+).*?^ *\2`*\s*$", re.MULTILINE | re.DOTALL)
INLINE_CODE = re.compile(r"(`+)(?!`).+?(?<!`)\1(?!`)", re.DOTALL)
TARGET = re.compile(r"\]\(\s*<?([^()\s>]*(?:\([^()\s]*\)[^()\s]*)*)>?(?:\s+\"[^\"]*\")?\s*\)")
DEFINITION = re.compile(r"^\[[^\]^]+\]:\s+(\S+)", re.MULTILINE)
ATTRIBUTE = re.compile(r"<(?:a|img)\b[^>]*?\b(?:href|src)=\"([^\"]+)\"")
HEADING = re.compile(r"^#{1,6} +(.+?) *#*$", re.MULTILINE)


def markdown_links(text: str) -> Iterator[str]:
    text = INLINE_CODE.sub("`", FENCE.sub("", text))
    for pattern in (TARGET, DEFINITION, ATTRIBUTE):
        yield from pattern.findall(text)


@cache
def anchors(path: Path) -> set[str]:
    """The fragments that headings make, as GitHub and MyST write them."""
    found: set[str] = set()
    text = path.read_text(encoding="utf-8")
    for title in HEADING.findall(FENCE.sub("", text)):
        words = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", title).replace("`", "").lower()
        slug = re.sub(r"[^\w\- ]", "", words).replace(" ", "-")
        number = 0
        while (name := f"{slug}-{number}" if number else slug) in found:
            number += 1
        found.add(name)
    found.update(re.findall(r"^\(([\w.-]+)\)=$", text, re.MULTILINE))
    found.update(re.findall(r"<a (?:id|name)=\"([^\"]+)\"", text))
    return found


def markdown_files(root: Path) -> list[Path]:
    return sorted({path for pattern in MARKDOWN for path in root.glob(pattern)})


def check_markdown(root: Path) -> tuple[list[str], set[str], int]:
    broken, external, count = [], set(), 0
    for path in markdown_files(root):
        for link in markdown_links(path.read_text(encoding="utf-8")):
            count += 1
            if is_external(link):
                external.add(link)
                wrong = broken_form(link)
            else:
                name, _, fragment = link.partition("#")
                target = path.parent / unquote(name) if name else path
                wrong = None
                if not target.exists():
                    wrong = "points to no file"
                elif fragment and target.suffix == ".md" and "reference" not in target.parts:
                    # of the reference the headings are made by Sphinx: the HTML tells
                    wrong = None if fragment in anchors(target) else f"points to no #{fragment}"
            if wrong:
                broken.append(f"{path.relative_to(root)}: {link} {wrong}")
    return broken, external, count


def ask(address: str) -> str | None:
    """What another site answers, if that is an error."""
    request = urllib.request.Request(address.partition("#")[0], headers={"User-Agent": "links"})
    try:
        urllib.request.urlopen(request, timeout=20).close()
    except urllib.error.HTTPError as error:
        # these say that a program may not ask, not that the page is gone
        return None if error.code in (401, 403, 405, 429) else f"answers {error.code}"
    except OSError as error:
        return f"does not answer: {error}"
    return None


def check_online(external: set[str]) -> list[str]:
    # .example is reserved for placeholders
    real = [link for link in external if not (urlsplit(link).hostname or "").endswith(".example")]
    asked = sorted(link for link in real if link.startswith("https:"))
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(ask, asked))
    return [f"{link} {wrong}" for link, wrong in zip(asked, answers) if wrong]


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("html", type=Path, nargs="?", help="the folder of the built site")
    parser.add_argument("--root", type=Path, default=ROOT, help="the checkout")
    parser.add_argument("--online", action="store_true", help="ask other sites too")
    parser.add_argument("--list", action="store_true", help="print the addresses of other sites")
    options = parser.parse_args(arguments)
    if options.html is not None and not (options.html / "index.html").exists():
        parser.error(f"{options.html} holds no index.html: build the site first")
    broken, external, count = check_markdown(options.root)
    print(f"Markdown: {len(markdown_files(options.root))} files, {count} links")
    if options.html is not None:
        wrong, more, count = check_site(options.html)
        broken += wrong
        external |= more
        print(f"site: {len(list(options.html.rglob('*.html')))} pages, {count} links")
    if options.list:
        print(*sorted(external), sep="\n")
    print(f"{len(external)} addresses of other sites" + (", asked" if options.online else ""))
    if options.online:
        broken += check_online(external)
    print(*broken, sep="\n")
    print(f"{len(broken)} broken")
    return int(bool(broken))


if __name__ == "__main__":
    sys.exit(main())
