"""The gallery: `python tools/gallery.py` checks programs, pages and pictures against each other.

`--write [NAME...]` runs the programs, or those that are named, and writes their pictures.
"""

import argparse
import re
import struct
import subprocess
import sys
import time
from pathlib import Path

HOME = Path(__file__).resolve().parents[1]
LIMIT = 150_000  # bytes of a picture
WIDTHS = range(1300, 1601)  # pixels: twice what a page shows, for sharp screens
ROW = re.compile(r"^\| \[!\[[^]]+\]\(\.\./figures/gallery/(\w+)\.png\)\]\((\w+)\.md\) \|", re.M)
INCLUDED = re.compile(r"^```\{literalinclude\} (\S+)\n(.*?)^```", re.M | re.S)
MARK = re.compile(r'^:(?:start-after|start-at|end-before|end-at): "?(.+?)"?$', re.M)


def listed(home: Path = HOME) -> list[str]:
    """The programs on the page, in its order."""
    page = (home / "docs" / "gallery" / "index.md").read_text(encoding="utf-8")
    return [name for picture, name in ROW.findall(page) if picture == name]


def problems(home: Path = HOME) -> list[str]:
    """What does not fit together, a sentence each."""
    names, found = listed(home), []
    programs = {path.stem: path.read_text(encoding="utf-8") for path in home.glob("examples/*.py")}
    drawing = [name for name, text in programs.items() if "with canvas(" in text]
    pictures = [path.stem for path in home.glob("docs/figures/gallery/*.png")]
    for name in sorted({*drawing, *pictures} - {*names}):
        found.append(f"{name} is drawn and has no row in docs/gallery/index.md")
    for name in names:
        source = programs.get(name, "")
        for function in ("main", "draw"):
            if f"\ndef {function}(" not in source:
                found.append(f"examples/{name}.py has no function {function}")
        found += of_picture(home, name)
        page = home / "docs" / "gallery" / f"{name}.md"
        text = page.read_text(encoding="utf-8") if page.exists() else ""
        if f"](../figures/gallery/{name}.png)" not in text:
            found.append(f"docs/gallery/{name}.md does not show the picture")
        included = [options for path, options in INCLUDED.findall(text) if name in path]
        if not included:
            found.append(f"docs/gallery/{name}.md includes nothing of the program")
        for mark in MARK.findall("".join(included)):
            if source.count(mark) != 1:
                found.append(f"docs/gallery/{name}.md: {mark!r} is not once in the program")
    return found


def of_picture(home: Path, name: str) -> list[str]:
    path = home / "docs" / "figures" / "gallery" / f"{name}.png"
    where = path.relative_to(home)
    if not path.exists():
        return [f"{where} is not there: python tools/gallery.py --write {name}"]
    found, data = [], path.read_bytes()
    if len(data) > LIMIT:
        found.append(f"{where} has {len(data)} bytes, over {LIMIT}")
    width = struct.unpack(">I", data[16:20])[0]  # of the header of a PNG
    if width not in WIDTHS:
        found.append(f"{where} is {width} pixels wide, not {WIDTHS[0]} to {WIDTHS[-1]}")
    return found


def write(name: str) -> None:
    path = HOME / "docs" / "figures" / "gallery" / f"{name}.png"
    start = time.time()
    call = [sys.executable, HOME / "examples" / f"{name}.py", "--figure", path]
    subprocess.run(call, check=True, stdout=subprocess.DEVNULL)
    print(f"{name}: {time.time() - start:.1f} s, {path.stat().st_size} bytes")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="programs; all on the page by default")
    parser.add_argument("--write", action="store_true", help="run them, and write their pictures")
    options = parser.parse_args()
    if options.write:
        for name in options.names or listed():
            write(name)
    found = problems()
    print("\n".join(found) or f"{len(listed())} programs, each with page and picture")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
