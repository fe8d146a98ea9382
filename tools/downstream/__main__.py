"""`python -m tools.downstream`: see the package."""

import argparse
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tools.downstream import recipes, report
from tools.downstream.environments import Place
from tools.downstream.packages import FOLDER, Package, read_packages
from tools.downstream.running import run
from tools.downstream.scripts import numbers_of
from tools.original.running import Result, save


def options_of(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m tools.downstream",
        description="Run the tests of packages written for Theano on this one, and hold the lists "
        "of those that pass. Fails when one on a list no longer passes.",
    )
    parser.add_argument("--shared", type=Path, default=Path("../shared"))
    parser.add_argument(
        "--folder",
        type=Path,
        default=Path("build/downstream"),
        help="for environments and sources, made if they are not there (default: build/downstream)",
    )
    parser.add_argument("--mirrors", type=Path, help="folder with copies of repositories")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--limit", type=float, default=120, help="processor seconds of a test")
    parser.add_argument("--quick", action="store_true", help="the packages that the gate runs")
    parser.add_argument("--every", action="store_true", help="all tests, not those of the lists")
    parser.add_argument("--sound", action="store_true", help="ask the original which tests pass")
    parser.add_argument("--only", default="", help="packages whose name holds this text")
    parser.add_argument("--part", default="", help="of a package, the tests of this file alone")
    parser.add_argument("--write", action="store_true", help="add what newly passes to the lists")
    parser.add_argument("--results", type=Path, help="keep each test's result, as JSON lines")
    return parser.parse_args(arguments)


def main(arguments: list[str] | None = None) -> int:
    options = options_of(arguments)
    shared = options.shared.resolve()
    if not (shared / "downstream").exists():
        print(f"downstream: {options.shared}/downstream is absent, so nothing was checked;")
        print("give the folder that holds downstream/ with --shared")
        return 0
    chosen = [p for p in read_packages(FOLDER) if options.only in p.name]
    chosen = [p for p in chosen if p.quick or not options.quick]
    # one after another: packages may share an environment
    places = [place for p in chosen if (place := made(p, shared, options)) is not None]
    with ThreadPoolExecutor(options.jobs) as pool:
        lost = list(pool.map(lambda place: hold(place, options), places))
    if options.write:
        report.write_page(read_packages(FOLDER))
        recipes.TABLE.write_text(recipes.text(read_packages(FOLDER)), encoding="utf-8")
    return int(any(lost))


def made(package: Package, shared: Path, options: argparse.Namespace) -> Place | None:
    """Where a package runs; or None, with a message, where it cannot be installed."""
    mirrors = options.mirrors.resolve() if options.mirrors else None
    try:
        return Place(options.folder.resolve(), package, shared, mirrors, options.sound).ready()
    except (FileNotFoundError, subprocess.CalledProcessError) as error:
        # what the package index does not give is no failure of ours
        print(f"{package.name}: not run: {error}", flush=True)
        return None


def hold(place: Place, options: argparse.Namespace) -> set[str]:
    """Run a package, compare with its lists, and return what no longer passes."""
    package = place.package
    if options.sound:
        results = run(place, None, options.limit, options.part)
        passed = {test for test, result in results.items() if result.passed}
        if options.write:
            package.hold_sound(passed, options.part)
            package.hold_numbers(numbers_of(place, passed))
        say(package, results, f"on {place.original.title}")
        return set()
    held = {test for test in package.passing if test.startswith(options.part)}
    chosen = None if options.every or not held else held
    results = run(place, chosen, options.limit, options.part)
    passed = {test for test, result in results.items() if result.passed}
    lost = held - passed
    if lost:
        # a test that a busy machine or its neighbours made fail is not lost
        second = run(place, lost, options.limit)
        results |= second
        lost = {test for test in lost if not second[test].passed}
    if options.results:
        save(options.results, {f"{package.name} {test}": r for test, r in results.items()})
    say(package, results, "here")
    for test in sorted(lost):
        print(f"  no longer passes: {test}: {results[test].kind} {results[test].message[:160]}")
    if options.write:
        print(f"  {len(package.add(passed))} ids added", flush=True)
    return lost


def say(package: Package, results: dict[str, Result], where: str) -> None:
    passed = sum(r.passed for r in results.values())
    seconds = sum(r.seconds for r in results.values())
    print(f"{package.name}: {passed} of {len(results)} pass {where}, {seconds:.0f} s", flush=True)


if __name__ == "__main__":
    sys.exit(main())
