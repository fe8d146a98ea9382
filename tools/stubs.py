"""Writes `module.pyi` beside each public module, from the tables that `public` reads.

Type checkers and editors read the stubs; Python reads the modules. ``--check`` writes nothing and
fails on a stub that is not what would be written.
"""

import argparse
import ast
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from tests.architecture.sources import public_modules  # noqa: E402
from theano._src.ground.public import rows  # noqa: E402

WIDTH = 100
HEAD = "# Written by tools/stubs.py from {}: change that file.\n"


def tables(module: ast.Module) -> list[str]:
    """The texts that a public module gives to `public`."""
    return [
        text.value
        for node in module.body
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call)
        for text in [*node.value.args, *(k.value for k in node.value.keywords)]
        if isinstance(text, ast.Constant)
    ]


def plain(node: ast.stmt) -> bool:
    """Whether a statement of a public module makes public names itself: an import or an alias."""
    match node:
        case ast.Import(names=names) | ast.ImportFrom(names=names):
            return not all((alias.asname or "").startswith("_") for alias in names)
        case ast.Assign(value=value):
            return not isinstance(value, ast.Call)
    return False


def stub(source: str, name: str) -> str:
    """The stub of a public module, of its text and of the name of its file.

    >>> print(stub('"Graphs."\\n__getattr__ = p(__name__, "a.b: Apply Node=Tagged")', "graph.py"))
    # Written by tools/stubs.py from graph.py: change that file.
    from a.b import Apply as Apply, Tagged as _Tagged
    <BLANKLINE>
    Node = _Tagged
    """
    module = ast.parse(source)
    lines = [ast.unparse(node) for node in module.body if plain(node)]
    every = [row for table in tables(module) for row in rows(table)]
    exported = {(home, there) for home, there, here in every if there == here}
    imported: dict[str, dict[str, str]] = {}
    aliases = []
    for home, there, here in every:
        local = there if (home, there) in exported or there.startswith("_") else f"_{there}"
        imported.setdefault(home, {})[there] = local
        if here != local:
            aliases.append(f"{here} = {local}")
    for home, names in imported.items():
        if "*" in names:
            lines.append(f"from {home} import *")
        listed = [f"{there} as {local}" for there, local in names.items() if there != "*"]
        if listed:
            one_line = f"from {home} import {', '.join(listed)}"
            several = f"from {home} import (\n" + "".join(f"    {each},\n" for each in listed) + ")"
            lines.append(one_line if len(one_line) <= WIDTH else several)
    parts = [HEAD.format(name) + "\n".join(lines), "\n".join(aliases)]
    return "\n\n".join(part for part in parts if part) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="fail on a stub that would change")
    check = parser.parse_args().check
    differing = 0
    for path in public_modules():
        if path.name == "__main__.py":
            continue
        text = stub(path.read_text(encoding="utf-8"), path.name)
        target = path.with_suffix(".pyi")
        if not target.exists() or target.read_text(encoding="utf-8") != text:
            differing += 1
            print(target.relative_to(ROOT))
            if not check:
                target.write_text(text, encoding="utf-8", newline="\n")
    return int(check and differing > 0)


if __name__ == "__main__":
    raise SystemExit(main())
