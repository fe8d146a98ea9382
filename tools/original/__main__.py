"""`python -m tools.original`: see the package."""

import argparse
import sys
import tempfile
import time
from collections.abc import Collection
from pathlib import Path

from tools.original import report
from tools.original.lists import FOLDER, Lists, module_of, write_ids
from tools.original.room import Room, install_pytest, make_oracle
from tools.original.running import Result, Settings, Task, run_all, save, tasks_of


def options_of(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m tools.original",
        description="Run the tests of Theano 1.0.5 on this package, and hold the list of those "
        "that pass. Fails when one on the list no longer passes.",
    )
    parser.add_argument("--shared", type=Path, default=Path("../shared"))
    parser.add_argument(
        "--oracle",
        type=Path,
        default=Path("build/oracle"),
        help="environment with Theano 1.0.5, made if it is not there (default: build/oracle)",
    )
    parser.add_argument("--lists", type=Path, default=FOLDER, help="folder of the lists of ids")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--limit", type=float, default=60, help="processor seconds of a test")
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--quick", action="store_true", help="the part in quick.toml, and a sample")
    what.add_argument("--failing", action="store_true", help="only what does not pass yet")
    what.add_argument(
        "--every", action="store_true", help="whatever the files have, counted or not"
    )
    what.add_argument("--sound", action="store_true", help="ask Theano itself which tests pass")
    parser.add_argument("--seed", type=int, help="of the sample (default: another every time)")
    parser.add_argument("--only", default="", help="tests whose id holds this text")
    parser.add_argument("--write", action="store_true", help="add what newly passes to the lists")
    parser.add_argument("--results", type=Path, help="keep each test's result, as JSON lines")
    parser.add_argument("-v", "--verbose", action="store_true", help="print every failure")
    return parser.parse_args(arguments)


def main(arguments: list[str] | None = None) -> int:
    options = options_of(arguments)
    shared = options.shared.resolve()
    if not (shared / "oracle" / "setup.sh").exists():
        print(f"original: {options.shared}/oracle is absent, so nothing was checked;")
        print("give the folder that holds oracle/ with --shared")
        return 0
    oracle = make_oracle(shared, options.oracle.resolve())
    with tempfile.TemporaryDirectory(prefix="original-") as folder:
        room = Room(Path(folder), oracle).fill()
        return ask_oracle(room, options) if options.sound else hold(room, options)


def ask_oracle(room: Room, options: argparse.Namespace) -> int:
    """Write the ids that pass on Theano 1.0.5; each module's as soon as it has run."""
    install_pytest(room.oracle)
    lists = Lists(options.lists)
    tasks = [Task((module,)) for module in room.modules() if options.only in module]

    def keep(task: Task, results: dict[str, Result]) -> None:
        lists.sound = {test for test in lists.sound if module_of(test) not in task.modules}
        lists.sound |= {test for test, result in results.items() if result.passed}
        if options.write:
            write_ids(lists.folder / "sound.txt", lists.sound)
        say_done(task, results)

    settings = Settings(room, options.limit, on_oracle=True)
    results = run_all(tasks, settings, options.jobs, keep)
    if options.results:
        save(options.results, results)
    print(report.by_module(results, {}))
    return 0


def hold(room: Room, options: argparse.Namespace) -> int:
    """Run what is asked for on ours, and compare with the lists."""
    lists = Lists(options.lists)
    wanted = chosen(lists, options)
    # in the gate, a few processes run many modules each: importing theano takes seconds
    together = 8 if options.quick else 1

    def run(tests: set[str], soften: bool, together: int = together) -> dict[str, Result]:
        settings = Settings(room, options.limit, soften)
        return run_all(tasks_of(tests, together), settings, options.jobs, say_done)

    strict = wanted - lists.softened if options.quick else wanted
    if options.every:
        tasks = [Task((module,)) for module in room.modules() if options.only in module]
        results = run_all(tasks, Settings(room, options.limit), options.jobs, say_done)
        wanted = set(results)
    else:
        results = run(strict, soften=False)
    passed = {test for test, result in results.items() if result.passed}
    failed = {test for test, result in results.items() if result.outcome in ("failed", "skipped")}
    softly = run(wanted - strict if options.quick else failed, soften=True)
    passed_softly = {test for test, result in softly.items() if result.passed}

    lost, lost_softly = lost_of(lists, wanted, passed, passed_softly)
    # a test that a busy machine or its neighbours made fail is not lost
    second = run(lost, soften=False, together=1) | run(lost_softly, soften=True, together=1)
    unsteady = {test for test, result in second.items() if result.passed}
    results |= {test: result for test, result in second.items() if test in lost}
    if options.results:
        save(options.results, results)

    classes = {
        test: report.class_of(result, softly.get(test))
        for test, result in results.items()
        if not result.passed
    }
    print(report.by_module(results, classes))
    if options.verbose:
        say("do not pass as they stand", classes, results, classes)
    say("passed only when they were tried again", unsteady, second)
    say("no longer pass", (lost | lost_softly) - unsteady, second)
    if options.write:
        new, newly_soft = lists.add(passed | (unsteady & lost), passed_softly)
        report.write_page(lists)
        print(f"{len(new)} ids added to passing.txt, {len(newly_soft)} to softened.txt")
    elif not options.quick:
        print(f"{len(lists.included(passed) - lists.passing)} pass and are not listed")
        print("(--write adds them)")
    return int(bool((lost | lost_softly) - unsteady))


def chosen(lists: Lists, options: argparse.Namespace) -> set[str]:
    """The ids that were asked for."""
    wanted = lists.known
    if options.quick:
        seed = time.time_ns() % 100_000 if options.seed is None else options.seed
        wanted = lists.quick(seed)
        print(f"original: {len(wanted)} tests; --quick --seed {seed} draws the same")
    elif options.failing:
        wanted = wanted - lists.passing
    return {test for test in wanted if options.only in test}


def lost_of(
    lists: Lists, wanted: set[str], passed: set[str], passed_softly: set[str]
) -> tuple[set[str], set[str]]:
    """The listed tests that no longer pass: as they stand, and softened."""
    lost = (lists.passing & wanted) - passed
    return lost, (lists.softened & wanted) - passed - passed_softly


def say_done(task: Task, results: dict[str, Result]) -> None:
    passed = sum(result.passed for result in results.values())
    seconds = sum(result.seconds for result in results.values())
    names = ", ".join(map(report.short, task.modules[:3])) + ", ..." * (len(task.modules) > 3)
    print(f"{passed:5} of {len(results):5} pass  {seconds:6.0f} s  {names}", flush=True)


def say(
    what: str,
    tests: Collection[str],
    results: dict[str, Result],
    classes: dict[str, str] | None = None,
) -> None:
    """Print tests with what became of them."""
    if not tests:
        return
    print(f"\n{len(tests)} {what}:")
    for test in sorted(tests):
        found = results[test]
        note = (classes or {}).get(test) or found.outcome
        first = (found.message.strip().splitlines() or [""])[0][:160]
        print(f"  {test}\n      {note}: {found.kind} {first}\n      {found.line}")


if __name__ == "__main__":
    sys.exit(main())
