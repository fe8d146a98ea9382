"""Lines per layer and file, files that have grown too long, and the number of OpSpecs."""

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from tests.architecture.sources import LAYERS, PACKAGE, SRC, public_modules  # noqa: E402

LONG = 500  # a longer file needs a reason; at 800 it is split


def lines(path: Path) -> int:
    return len(path.read_text(encoding="utf-8").splitlines())


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
    size = {path: lines(path) for files in parts.values() for path in files}
    print(f"{'part':14}{'files':>7}{'lines':>8}{'longest':>9}")
    for part, files in parts.items():
        count = [size[path] for path in files]
        print(f"{part:14}{len(files):7}{sum(count):8}{max(count, default=0):9}")
        for path in files if verbose else ():
            print(f"  {size[path]:6}  {path.relative_to(ROOT)}")
    print(f"{'package':14}{'':7}{sum(size[p] for p in PACKAGE.rglob('*.py') if p in size):8}")
    for path in sorted(size, key=lambda p: -size[p]):
        if size[path] > LONG:
            print(f"over {LONG} lines: {size[path]:5}  {path.relative_to(ROOT)}")
    print(f"OpSpecs: {sum(1 for _ in specs())}")


if __name__ == "__main__":
    main()
