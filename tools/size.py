"""Lines per layer by what they are, files that have grown too long, and the number of OpSpecs.

A line is blank, a comment, part of a docstring, part of an import, or code.
"""

import ast
import importlib
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from tests.architecture.sources import LAYERS, PACKAGE, SRC, public_modules  # noqa: E402

LONG = 500  # a longer file needs a reason; at 800 it is split
COLUMNS = ("code", "docstrings", "imports", "comments", "blank")


def kinds(text: str) -> Counter[str]:
    """How many lines of each kind a module has.

    >>> sorted(kinds('\"\"\"Doc.\"\"\"\\n\\nimport os  # why\\n# a\\nx = 1\\n').items())
    [('blank', 1), ('code', 1), ('comments', 1), ('docstrings', 1), ('imports', 1)]
    """
    lines = text.splitlines()
    kind = ["blank" if not line.strip() else "code" for line in lines]
    for i, line in enumerate(lines):
        if line.lstrip().startswith("#"):
            kind[i] = "comments"
    for node in ast.walk(ast.parse(text)):
        span = ""
        match node:
            case ast.Import() | ast.ImportFrom():
                span = "imports"
            case ast.Expr(value=ast.Constant(value=str())):
                span = "docstrings"
        if span:
            assert isinstance(node, ast.stmt) and node.end_lineno is not None
            kind[node.lineno - 1 : node.end_lineno] = [span] * (node.end_lineno - node.lineno + 1)
    return Counter(kind)


def specs() -> Iterator[object]:
    """Every OpSpec that the modules of tests/ops hold at top level, alone or in a table."""
    seen = set()
    for path in sorted((ROOT / "tests" / "ops").rglob("*.py")):
        module = importlib.import_module(".".join(path.relative_to(ROOT).with_suffix("").parts))
        for value in vars(module).values():
            row = value.values() if isinstance(value, dict) else value
            for item in row if isinstance(row, list | tuple | type({}.values())) else [row]:
                if type(item).__name__ == "OpSpec" and id(item) not in seen:
                    seen.add(id(item))
                    yield item


def main() -> None:
    parts = {layer: sorted((SRC / layer).rglob("*.py")) for layer in LAYERS}
    parts["public"] = public_modules()
    for folder in ("tests", "tools", "benchmarks"):
        parts[folder] = sorted((ROOT / folder).rglob("*.py"))
    verbose = "-v" in sys.argv[1:]
    size = {p: kinds(p.read_text(encoding="utf-8")) for files in parts.values() for p in files}
    titles = "".join(f"{name:>12}" for name in COLUMNS)
    print(f"{'part':14}{'files':>7}{'lines':>8}{titles}{'longest':>9}")

    def row(name: str, paths: list[Path]) -> str:
        total = sum((size[p] for p in paths), Counter())
        columns = "".join(f"{total[name]:12}" for name in COLUMNS)
        longest = max((size[p].total() for p in paths), default=0)
        return f"{name:14}{len(paths):7}{total.total():8}{columns}{longest:9}"

    for part, files in parts.items():
        print(row(part, files))
        for path in files if verbose else ():
            print(f"  {size[path].total():6}  {path.relative_to(ROOT)}")
    print(row("package", [p for p in size if PACKAGE in p.parents]))
    for path in sorted(size, key=lambda p: -size[p].total()):
        if size[path].total() > LONG:
            print(f"over {LONG} lines: {size[path].total():5}  {path.relative_to(ROOT)}")
    print(f"OpSpecs: {sum(1 for _ in specs())}")


if __name__ == "__main__":
    main()
