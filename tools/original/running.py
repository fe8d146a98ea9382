"""Runs tests in processes, and keeps what they say: nothing that a test does ends the run."""

import json
import os
import signal
import subprocess
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path

from tools.original.lists import module_of
from tools.original.room import Room

# A process is killed where a test takes so many times its limit by the clock on the wall:
# compiled code hears no alarm, and one that waits takes no time of the processor.
PATIENCE = 4
# Seconds for importing and collecting.
START = 120


@dataclass
class Result:
    """What became of one test: passed, failed, skipped, timeout or crash, or absent.

    `seconds` are of the processor.
    """

    outcome: str
    seconds: float = 0.0
    kind: str = ""
    message: str = ""
    line: str = ""

    @property
    def passed(self) -> bool:
        return self.outcome == "passed"


@dataclass(frozen=True)
class Task:
    """Test files for one process, and the ids to run of them; all, where there are none."""

    modules: tuple[str, ...]
    ids: tuple[str, ...] | None = None


@dataclass(frozen=True)
class Settings:
    """How tests are run."""

    room: Room
    limit: float = 60.0
    soften: bool = False
    on_oracle: bool = False


def tasks_of(ids: Iterable[str], together: int = 1) -> list[Task]:
    """A task for every module that has one of the ids, or for so many modules, largest first."""
    by_module: dict[str, list[str]] = defaultdict(list)
    for test in sorted(ids):
        by_module[module_of(test)].append(test)
    modules = sorted(by_module, key=lambda module: -len(by_module[module]))
    count = -(-len(modules) // together)
    shares = [modules[start::count] for start in range(count)]
    return [
        Task(tuple(share), tuple(test for module in share for test in by_module[module]))
        for share in shares
    ]


def run_all(
    tasks: list[Task],
    settings: Settings,
    jobs: int,
    done: Callable[[Task, dict[str, Result]], None] = lambda task, results: None,
) -> dict[str, Result]:
    """The results of all tasks, so many at a time; `done` is called as each ends."""
    results: dict[str, Result] = {}
    with ThreadPoolExecutor(jobs) as pool:

        def one(task: Task) -> tuple[Task, dict[str, Result]]:
            found = run(task, settings)
            done(task, found)
            return task, found

        for _, found in pool.map(one, tasks):
            results |= found
    return results


def run(task: Task, settings: Settings) -> dict[str, Result]:
    """The results of one task."""
    ids = None if task.ids is None else set(task.ids)
    return run_through(lambda left, to: one_process(task.modules, left, settings, to), ids)


def run_through(
    process: Callable[[set[str] | None, Path], Iterable[dict]], ids: set[str] | None
) -> dict[str, Result]:
    """The results of tests: one that ends its process is noted, and the rest run in another.

    `process` runs the tests of these ids, or all that it collects where there are none, keeps its
    files in a folder, and gives its records.
    """
    results: dict[str, Result] = {}
    while ids is None or ids:
        with tempfile.TemporaryDirectory() as folder:
            records = list(process(ids, Path(folder)))
        found, collected = read(records)
        results |= found
        left = collected - set(found)
        if not (found and left):
            why = [r["why"] for r in records if "uncollected" in r] or ["it was not collected"]
            absent = (left | (ids or set())) - set(found)
            results |= {test: Result("absent", message=why[0]) for test in absent}
            break
        ids = left
    return results


def read(records: list[dict]) -> tuple[dict[str, Result], set[str]]:
    """The results, that of a test which ended the process among them, and what was to run."""
    results: dict[str, Result] = {}
    collected: set[str] = set()
    started = None
    for facts in records:
        if "collected" in facts:
            collected = set(facts["collected"])
        elif "started" in facts:
            started = facts["started"]
        elif "id" in facts:
            result = Result(**{key: value for key, value in facts.items() if key != "id"})
            # a test that passes and then fails to clean up has failed
            if facts["id"] not in results or not result.passed:
                results[facts["id"]] = result
        elif "ended" in facts and started is not None and started not in results:
            results[started] = Result(facts["ended"], message="it ended its process")
    return results, collected


def one_process(
    modules: tuple[str, ...], ids: set[str] | None, settings: Settings, folder: Path
) -> Iterator[dict]:
    """The records of one process; the last says how it ended, if a test has ended it."""
    environment = settings.room.environment(settings.on_oracle)
    record = folder / "record"
    record.touch()
    environment |= {"ORIGINAL_RECORD": str(record), "ORIGINAL_LIMIT": str(settings.limit)}
    if settings.soften:
        environment["ORIGINAL_SOFTEN"] = "1"
    if ids is not None:
        wanted = folder / "ids"
        wanted.write_text("\n".join(ids), encoding="utf-8")
        environment["ORIGINAL_IDS"] = str(wanted)
    command = [settings.room.python(settings.on_oracle), "-W", "ignore", "-m", "pytest"]
    process = subprocess.Popen(
        [*command, "-p", "tools.original.plugin", *modules],
        cwd=settings.room.suite,
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    killed = watch(process, record, settings.limit)
    for line in record.read_text(encoding="utf-8").splitlines():
        yield json.loads(line)
    yield {"ended": "timeout" if killed else "crash"}


def watch(process: subprocess.Popen, record: Path, limit: float) -> bool:
    """Wait for a process; kill it where it records nothing for too long, and say so."""
    size, since = 0, time.monotonic()
    while True:
        try:
            process.wait(1.0)
            return False
        except subprocess.TimeoutExpired:
            pass
        now = record.stat().st_size
        if now != size:
            size, since = now, time.monotonic()
        elif time.monotonic() - since > (PATIENCE * limit if size else START):
            # its own session: nothing that it started is left
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            return True


def save(path: Path, results: dict[str, Result]) -> None:
    """Keep results as lines of JSON, those of other tests in the file included."""
    kept = load(path) if path.exists() else {}
    lines = (json.dumps({"id": test, **asdict(r)}) for test, r in sorted((kept | results).items()))
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def load(path: Path) -> dict[str, Result]:
    lines = map(json.loads, filter(None, path.read_text(encoding="utf-8").splitlines()))
    return {facts.pop("id"): Result(**facts) for facts in lines}
