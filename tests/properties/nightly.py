"""Random programs by the thousand: ``python -m tests.properties.nightly`` (``make nightly``).

Programs are checked in blocks of seeds by worker processes, each program within a time limit. Every
finished block is a line of JSON in the log: which seeds, what failed (made small, as source that
runs), how long. A run that was stopped goes on where the log ends; blocks in which
something failed are run again.
"""

from __future__ import annotations

import argparse
import contextlib
import datetime
import json
import os
import platform
import queue
import select
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jax
import numpy
import scipy

from tests.engines.native import random_programs
from tests.properties import magnitudes, sparse_programs, views
from tests.properties.drawing import Drawing
from tests.properties.gradients import check_gradients
from tests.properties.programs.checking import check_seed
from tests.properties.running import MODES, check

ROOT = Path(__file__).parents[2]
BLOCK = 40
#: how many of each generator are drawn if nothing else is said
COUNTS = {
    "programs": 20_000,
    "views": 20_000,
    "graphs": 2_000,
    "sparse": 2_000,
    "magnitudes": 25_000,
    "native": 20_000,
}
#: programs that one process checks before another takes over: compiled ones stay in memory
_MOST_BY_ONE = 400
_SHRINKING = 60.0  # seconds to make one failure small


_COMMAND = [sys.executable, "-m", "tests.properties.nightly", "--worker"]


@dataclass(frozen=True)
class Block:
    kind: str
    first: int
    count: int


# ---- the worker: seeds come in, results go out, a line of JSON each


def _programs(seeds: list[int]) -> list[dict[str, Any]]:
    found = []
    for seed in seeds:
        _, failures = check_seed(seed, _SHRINKING)
        found += [{"seed": seed, "words": failure.report()} for failure in failures]
    return found


def _views(seeds: list[int]) -> list[dict[str, Any]]:
    # XLA without rewriting takes longest to compile and shares its code with the rewritten form
    whole = seeds[0] // views.TOGETHER % 4 == 0
    modes = [mode for mode in views.MODES if whole or mode != views.UNREWRITTEN_XLA]
    failures = views.check_all(seeds, modes)
    return [{"seed": seed, "words": words} for seed, words in failures.items()]


def _graphs(seeds: list[int]) -> list[dict[str, Any]]:
    found = []
    for seed in seeds:
        floats = seed % 8 == 7
        program = Drawing(seed, floats).draw_program()
        if program is None:
            continue
        try:
            if floats:
                check_gradients([program])
            else:
                for mode in MODES:
                    check([program], mode)
        except Exception as e:
            found.append({"seed": seed, "words": f"{type(e).__name__}: {e}"})
    return found


def _sparse(seeds: list[int]) -> list[dict[str, Any]]:
    found = ((seed, sparse_programs.check(seed)) for seed in seeds)
    return [{"seed": seed, "words": words} for seed, words in found if words is not None]


def _magnitudes(seeds: list[int]) -> list[dict[str, Any]]:
    return [{"seed": seed, "words": words} for seed, words in magnitudes.check(seeds).items()]


def _native(seeds: list[int]) -> list[dict[str, Any]]:
    found = ((seed, random_programs.check(seed)[0]) for seed in seeds)
    return [{"seed": seed, "words": words} for seed, words in found if words is not None]


#: what checks some seeds of a generator, and how many at once
_CHECKS: dict[str, tuple[Callable[[list[int]], list[dict[str, Any]]], int]] = {
    "programs": (_programs, 1),
    "views": (_views, views.TOGETHER),
    "graphs": (_graphs, 1),
    "sparse": (_sparse, 1),
    "magnitudes": (_magnitudes, BLOCK),
    "native": (_native, 1),
}


def work() -> None:
    """Read ``{"kind", "seeds"}`` lines until there are no more; answer each."""
    out = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)  # whatever prints must not be taken for an answer
    for text in sys.stdin:
        asked = json.loads(text)
        failures = _CHECKS[asked["kind"]][0](asked["seeds"])
        out.write(json.dumps({"failures": failures}) + "\n")


# ---- the driver


class Worker:
    """A process that checks one program at a time, and is replaced when it is stuck or gone."""

    def __init__(self, limit: float, errors: Path) -> None:
        self._limit, self._errors = limit, errors
        self._process: subprocess.Popen[str] | None = None
        self._checked = 0

    def _start(self) -> subprocess.Popen[str]:
        self._checked = 0
        env = {**os.environ, "THEANORC": os.devnull, "TF_CPP_MIN_LOG_LEVEL": "3"}
        # what is compiled is never used again
        env["THEANO_FLAGS"] = "xla.disk_cache=False"
        with self._errors.open("a") as errors:
            return subprocess.Popen(
                _COMMAND,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
                env=env,
                cwd=ROOT,
            )

    def check(self, kind: str, seeds: list[int]) -> list[dict[str, Any]]:
        """What fails; a process that is stuck or ends is a failure too."""
        if self._process is None or self._checked >= _MOST_BY_ONE:
            self.stop()
            self._process = self._start()
        self._checked += len(seeds)
        process = self._process
        assert process.stdin is not None and process.stdout is not None
        limit = self._limit * len(seeds)
        started = time.monotonic()
        try:
            process.stdin.write(json.dumps({"kind": kind, "seeds": seeds}) + "\n")
            process.stdin.flush()
            # a failure is made small in each mode
            ready, _, _ = select.select([process.stdout], [], [], limit + 6 * _SHRINKING)
            answer = process.stdout.readline() if ready else ""
        except BrokenPipeError:
            ready, answer = [process.stdout], ""
        took = time.monotonic() - started
        if answer:
            failures: list[dict[str, Any]] = json.loads(answer)["failures"]
            if not failures and took > limit:
                return [{"seed": seeds[0], "words": f"took {took:.0f} s, the limit is {limit:.0f}"}]
            return failures
        words = (
            f"the process ended with {process.wait()}" if ready else f"stopped after {took:.0f} s"
        )
        self.stop()
        if len(seeds) > 1:
            return [found for seed in seeds for found in self.check(kind, [seed])]
        return [{"seed": seeds[0], "words": words}]

    def stop(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            for stream in (self._process.stdin, self._process.stdout):
                if stream is not None:
                    with contextlib.suppress(BrokenPipeError):
                        stream.close()
        self._process = None


def finished(log: Path) -> set[Block]:
    """Blocks that the log says were checked without a failure."""
    if not log.exists():
        return set()
    done = set()
    for text in log.read_text().splitlines():
        line = json.loads(text)
        if line.get("block") and not line["failures"]:
            done.add(Block(*line["block"]))
    return done


def blocks(counts: dict[str, int], base: int) -> list[Block]:
    """The work, the generators by turns, so that a part of a run has some of each."""
    made = []
    for kind, count in counts.items():
        for first in range(0, count, BLOCK):
            place = first / max(count, 1)
            made.append((place, Block(kind, base + first, min(BLOCK, count - first))))
    return [block for _, block in sorted(made, key=lambda pair: pair[0])]


def facts() -> dict[str, Any]:
    """What the run was taken with."""
    commit = subprocess.run(
        ["git", "describe", "--always", "--dirty"], capture_output=True, text=True, check=False
    )
    return {
        "commit": commit.stdout.strip(),
        "python": platform.python_version(),
        "numpy": numpy.__version__,
        "scipy": scipy.__version__,
        "jax": jax.__version__,
        "machine": platform.machine(),
        "cores": os.cpu_count(),
    }


class Run:
    """Blocks, the workers that take them, and the log."""

    def __init__(self, work: list[Block], log: Path, jobs: int, limit: float) -> None:
        self._log, self._jobs, self._limit = log, jobs, limit
        self._left: queue.SimpleQueue[Block] = queue.SimpleQueue()
        for block in work:
            self._left.put(block)
        self._lock = threading.Lock()
        self.checked = 0
        self.failures: list[dict[str, Any]] = []

    def _write(self, line: dict[str, Any]) -> None:
        with self._lock, self._log.open("a") as file:
            file.write(json.dumps(line) + "\n")

    def _take(self) -> None:
        worker = Worker(self._limit, self._log.with_suffix(".stderr"))
        try:
            while True:
                try:
                    block = self._left.get_nowait()
                except queue.Empty:
                    return
                started = time.monotonic()
                found = []
                together = _CHECKS[block.kind][1]
                seeds = list(range(block.first, block.first + block.count))
                for i in range(0, len(seeds), together):
                    found += worker.check(block.kind, seeds[i : i + together])
                seconds = round(time.monotonic() - started, 1)
                self._finish(block, found, seconds)
        finally:
            worker.stop()

    def _finish(self, block: Block, found: list[dict[str, Any]], seconds: float) -> None:
        when = datetime.datetime.now().isoformat(timespec="seconds")
        named = [block.kind, block.first, block.count]
        self._write({"when": when, "block": named, "failures": found, "seconds": seconds})
        with self._lock:
            self.checked += block.count
            self.failures += found
        last = block.first + block.count - 1
        print(f"{when} {block.kind} {block.first}..{last}: {len(found)} failed, {seconds} s")
        for failure in found:
            print(f"---- {block.kind}, seed {failure['seed']}\n{failure['words']}")
        sys.stdout.flush()

    def __call__(self, seed: int) -> None:
        self._write({"run": facts(), "seed": seed, "jobs": self._jobs})
        threads = [threading.Thread(target=self._take) for _ in range(self._jobs)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()


def summary(log: Path) -> str:
    """What a log holds: blocks, programs, failures and seconds of each generator."""
    latest: dict[Block, dict[str, Any]] = {}
    for text in log.read_text().splitlines():
        line = json.loads(text)
        if line.get("block"):
            latest[Block(*line["block"])] = line
    rows = []
    for kind in COUNTS:
        mine = [(block, line) for block, line in latest.items() if block.kind == kind]
        if mine:
            count = sum(block.count for block, _ in mine)
            failed = sum(len(line["failures"]) for _, line in mine)
            seconds = sum(line["seconds"] for _, line in mine)
            rows.append(f"{kind}: {count} seeds, {failed} failures, {seconds:.0f} s of one process")
    return "\n".join(rows)


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Check random programs by the thousand.")
    for kind, count in COUNTS.items():
        parser.add_argument(f"--{kind}", type=int, default=count, help=f"how many ({count})")
    parser.add_argument("--seed", type=int, default=0, help="the first seed of each generator")
    parser.add_argument("--log", type=Path, default=Path("build/nightly.jsonl"))
    parser.add_argument("--jobs", type=int, default=1, help="worker processes")
    parser.add_argument("--limit", type=float, default=120.0, help="seconds for one program")
    parser.add_argument("--summary", action="store_true", help="only say what the log holds")
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args(argv)
    if args.worker:
        work()
        return 0
    if args.summary:
        print(summary(args.log))
        return 0
    args.log.parent.mkdir(parents=True, exist_ok=True)
    counts = {kind: getattr(args, kind) for kind in COUNTS}
    all_blocks = blocks(counts, args.seed)
    done = finished(args.log)
    left = [block for block in all_blocks if block not in done]
    print(f"seeds from {args.seed}: {counts}; {len(all_blocks) - len(left)} blocks are done")
    sys.stdout.flush()
    run = Run(left, args.log, args.jobs, args.limit)
    run(args.seed)
    print(summary(args.log))
    print(f"{run.checked} checked now, {len(run.failures)} failures; log: {args.log}")
    return 1 if run.failures else 0


if __name__ == "__main__":
    sys.exit(main())
