"""Runs a package's tests in processes, and keeps what they say."""

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path

from tools.downstream.environments import Place
from tools.downstream.scripts import run_script
from tools.original.running import Result, run_through, watch


def run(
    place: Place, ids: set[str] | None = None, limit: float = 120.0, part: str = ""
) -> dict[str, Result]:
    """The results of tests and scripts: of `ids`, of the file `part`, or of all."""
    if part:
        return run_through(lambda left, to: _records(place, left, limit, to, (part,)), ids)
    scripts = {script.name: script for script in place.package.scripts}
    chosen = scripts if ids is None else {name: scripts[name] for name in scripts.keys() & ids}
    results = {name: run_script(place, script) for name, script in sorted(chosen.items())}
    if place.package.tests:
        rest = None if ids is None else ids - scripts.keys()
        results |= run_through(lambda left, folder: _records(place, left, limit, folder), rest)
    return results


def _records(
    place: Place,
    ids: set[str] | None,
    limit: float,
    folder: Path,
    tests: tuple[str, ...] | None = None,
) -> Iterator[dict]:
    environment = place.environment()
    record = folder / "record"
    record.touch()
    environment |= {"DOWNSTREAM_RECORD": str(record), "DOWNSTREAM_LIMIT": str(limit)}
    if ids is not None:
        wanted = folder / "ids"
        wanted.write_text("\n".join(sorted(ids)), encoding="utf-8")
        environment["DOWNSTREAM_IDS"] = str(wanted)
    command = [place.python, "-m", "pytest", "-p", "tools.downstream.shim"]
    command += ["-p", "tools.downstream.plugin"]
    command += ["-c", "/dev/null", "--rootdir", str(place.suite), "-p", "no:cacheprovider", "-q"]
    command += ["--tb=no", "--continue-on-collection-errors"]
    command += place.package.tests if tests is None else tests
    with (place.path / "log").open("a") as log:
        process = subprocess.Popen(
            command, cwd=place.suite, env=environment, stdout=log, stderr=log,
            start_new_session=True,
        )  # fmt: skip
        killed = watch(process, record, limit)
    for line in record.read_text(encoding="utf-8").splitlines():
        yield json.loads(line)
    yield {"ended": "timeout" if killed else "crash"}
