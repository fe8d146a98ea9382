"""`python -m tools.hardware`: see the package."""

import argparse
import sys
import time
from collections import Counter
from pathlib import Path

from tools.hardware.cases import items
from tools.hardware.lists import CHIPS, ROOT, compiling, reason_for, reasons, write
from tools.hardware.programs import programs
from tools.hardware.sweep import Result, read, run


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.hardware", description=__doc__)
    parser.add_argument("chips", nargs="*", help=f"of {', '.join(CHIPS)}; all by default")
    parser.add_argument("--only", nargs="*", default=[""], help="items with one of these texts")
    parser.add_argument("--results", type=Path, default=ROOT / "build" / "hardware.jsonl")
    parser.add_argument("--minutes", type=float, default=float("inf"), help="then stop")
    parser.add_argument("--mirrors", type=Path, help="folder with copies of old packages' sources")
    parser.add_argument("--write", action="store_true", help="add what compiles to the lists")
    options = parser.parse_args()
    if unknown := set(options.chips) - set(CHIPS):
        parser.error(f"no such chips: {', '.join(sorted(unknown))}")
    end = time.monotonic() + 60 * options.minutes
    everything = [*items(), *programs(options.mirrors)]
    wanted = [i for i in everything if any(text in str(i) for text in options.only)]
    problems = 0
    for chip in options.chips or CHIPS:
        for result in run(chip, wanted, options.results):
            if result.what in ("refused", "fails"):
                print(f"{chip} {result.item}: {result.what}: {result.why[:150]}", flush=True)
            if time.monotonic() > end:
                break
        names = {str(i) for i in wanted}
        problems += summed(
            chip,
            [r for r in read(options.results).values() if r.chip == chip and r.item in names],
            options.write,
        )
    return bool(problems)


def summed(chip: str, results: list[Result], add: bool) -> int:
    """Print what became of a chip's items; return how many problems there are."""
    counts = Counter(r.what for r in results)
    print(f"{chip}: " + ", ".join(f"{n} {what}" for what, n in sorted(counts.items())))
    good = {r.item for r in results if r.what in ("compiled", "host", "none")}
    bad = {r.item for r in results} - good
    before, groups = compiling(chip), reasons()
    worse = sorted(bad & before)
    without = sorted(i for i in bad - before if reason_for(chip, i, groups) is None)
    for item in worse:
        print(f"{chip}: {item} compiled before")
    for item in without:
        print(f"{chip}: {item} does not compile, and tests/hardware/reasons.toml does not say why")
    if add:
        write(chip, (r.item for r in results if r.what in ("compiled", "host")))
    return len(worse) + len(without)


if __name__ == "__main__":
    sys.exit(main())
