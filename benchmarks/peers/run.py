"""Our language beside JAX, PyTensor, PyTorch, CasADi and NumPy, each in its own environment.

Each program runs in one process a framework. Its first result is timed there from nothing, its
results are compared with NumPy's, and then the processes take turns: a block of calls here, a
block there, so that a busy moment falls on all of them. Sequences of changing shapes run once
through, each in a new process. ``--quick`` measures briefly with short sequences; ``--only``,
``--short`` and ``--frameworks`` pick rows and columns; ``--write`` puts tables and a plot into
``docs``. ``--theano PYTHON`` adds Theano 1.0.5 and its C code: PYTHON is the interpreter (3.10 or
later) of an environment that has it, with a C++ compiler beside it.
"""

import argparse
import contextlib
import json
import os
import platform
import random
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from envs import FRAMEWORKS, Framework, python_of
from report import printed, write_section
from tasks import TASKS, Task

HERE = Path(__file__).resolve().parent
# threads of OpenBLAS use a processor for 0.1 s after their work: the next one is not to pay for it
PAUSE = 0.25
# seconds of calls before steady ones, and of those that our language may take to choose an engine
WARM = {"seconds": 0.4, "most": 12.0}


class Failed(Exception):
    """A worker that answered with an error, ended, or took too long."""


class Worker:
    """A process of one framework; ``cache`` is the folder of what it keeps on disk."""

    def __init__(self, framework: Framework, python: str, scratch: Path, cache: Path, quick: bool):
        own = {k: v.format(cache=cache) for k, v in framework.variables.items()}
        inherited = dict(os.environ)
        if framework.given:
            # it would lead that interpreter to our package
            inherited.pop("PYTHONPATH", None)
        self._log = open(scratch / f"{framework.name}.log", "ab")  # noqa: SIM115
        self._process = subprocess.Popen(
            [python, "-W", "ignore", "worker.py", framework.module, str(scratch)]
            + ["--quick"] * quick,
            cwd=HERE,
            env={**inherited, **own},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            start_new_session=True,
        )

    def ask(self, do: str, limit: float = 60.0, **more) -> dict:
        try:
            self._process.stdin.write(json.dumps({"do": do, **more}).encode() + b"\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            raise Failed("the process ended") from None
        ready, _, _ = select.select([self._process.stdout], [], [], limit)
        if not ready:
            raise Failed(f"over {limit:.0f} s")
        line = self._process.stdout.readline()
        if not line:
            raise Failed("the process ended")
        answer = json.loads(line)
        if "error" in answer:
            raise Failed(answer["error"])
        return answer

    def end(self) -> None:
        # torch.compile has processes of its own, in this group
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        self._process.stdin.close()
        self._process.stdout.close()
        self._log.close()


class Bench:
    """The run: what was asked for, where it works, and what has been found."""

    def __init__(self, options: argparse.Namespace, scratch: Path) -> None:
        self.options, self.scratch = options, scratch
        self.began = 0.0
        self.pythons: dict[str, str] = {}
        self.found: dict = {"versions": {}, "imports": {}, "tasks": {}, "absent": {}}
        #: rows of an earlier part of the run
        self.done: set[str] = set()
        if options.resume and options.json and options.json.exists():
            self.found = json.loads(options.json.read_text())
            self.found["absent"] = {}
            self.done = set(self.found["tasks"])
        self._caches = 0

    def install(self) -> None:
        wanted = self.options.frameworks
        for framework in FRAMEWORKS:
            # NumPy's results are what the others are compared with
            if wanted and framework.name not in {*wanted, "numpy"}:
                continue
            if framework.variant and not wanted and not self.options.variants:
                continue
            if framework.given:
                if self.options.theano:
                    self.pythons[framework.name] = self.options.theano
                continue
            try:
                self.pythons[framework.name] = python_of(framework, self.options.environments)
            except subprocess.CalledProcessError as error:
                self.found["absent"][framework.name] = f"not installed: {error}"

    @property
    def frameworks(self) -> list[Framework]:
        """Those that are there, NumPy first."""
        there = [f for f in FRAMEWORKS if f.name in self.pythons]
        return sorted(there, key=lambda f: f.name != "numpy")

    def start(self, framework: Framework, cache: Path | None = None) -> tuple[Worker, Path]:
        """A new process that has imported its framework; its cache is empty unless one is given."""
        if cache is None:
            self._caches += 1
            cache = self.scratch / f"cache{self._caches}"
            cache.mkdir()
        python = self.pythons[framework.name]
        worker = Worker(framework, python, self.scratch, cache, self.options.quick)
        try:
            hello = worker.ask("hello")
        except BaseException:
            worker.end()
            raise
        self.found["imports"].setdefault(framework.name, []).append(hello["import"])
        self.found["versions"][framework.name] = hello["versions"]
        return worker, cache

    def first(self, task: Task, framework: Framework, row: dict, keep: bool = False) -> Worker:
        """Time a first result from nothing and, where something is kept on disk, a second one."""
        limit = self.options.limit
        worker, cache = self.start(framework)
        try:
            cold = worker.ask("first", limit, task=task.name)
            if wrong := worker.ask("check", limit)["wrong"]:
                raise Failed(f"wrong: {wrong}")
            row.setdefault("cold", []).append(cold["first"])
            row.setdefault("build", []).append(cold["build"])
            if framework.keeps:
                row.setdefault("warm", []).append(self._again(task, framework, cache))
        except BaseException:
            worker.end()
            raise
        if not keep:
            worker.end()
        return worker

    def _again(self, task: Task, framework: Framework, cache: Path) -> float:
        worker, _ = self.start(framework, cache)
        try:
            return worker.ask("first", self.options.limit, task=task.name)["first"]
        finally:
            worker.end()

    def row(self, task: Task, framework: Framework) -> dict:
        return self.found["tasks"].setdefault(task.name, {}).setdefault(framework.name, {})

    def columns(self, task: Task) -> list[Framework]:
        return [f for f in self.frameworks if f.name in task.only]

    def steady(self, task: Task, turn: int) -> None:
        """First results, then blocks of calls in turns."""
        live: dict[str, tuple[Worker, int]] = {}
        seconds = 0.005 if self.options.quick else 0.02
        try:
            for framework in self.columns(task):
                row = self.row(task, framework)
                try:
                    worker = self.first(task, framework, row, keep=True)
                    live[framework.name] = worker, 0
                    warm = {"seconds": 0.1, "most": 2.0} if self.options.quick else WARM
                    answer = worker.ask("warm", self.options.limit, **warm)
                    row["once"] = answer["once"]
                    if not answer["settled"]:
                        row["unsettled"] = True
                    live[framework.name] = worker, max(1, int(seconds / row["once"]))
                except Failed as error:
                    row["missing"] = str(error)
                    if framework.name in live:
                        live.pop(framework.name)[0].end()
            order = random.Random(turn)
            for _ in range(3 if self.options.quick else 21):
                # who follows whom changes from round to round
                for name in order.sample(sorted(live), len(live)):
                    worker, times = live[name]
                    time.sleep(PAUSE)
                    row = self.found["tasks"][task.name][name]
                    try:
                        answer = worker.ask("block", self.options.limit, times=times)
                    except Failed as error:
                        row["missing"] = str(error)
                        live.pop(name)[0].end()
                    else:
                        row.setdefault("steady", []).append(answer["seconds"])
            for name, (worker, _) in live.items():
                with contextlib.suppress(Failed):
                    if engine := worker.ask("engine")["engine"]:
                        self.found["tasks"][task.name][name]["engine"] = engine
        finally:
            for worker, _ in live.values():
                worker.end()

    def sequence(self, task: Task) -> None:
        for framework in self.columns(task):
            row = self.row(task, framework)
            try:
                row.update(self._through(task, framework))
            except Failed as error:
                row["missing"] = str(error)

    def _through(self, task: Task, framework: Framework) -> dict:
        worker, _ = self.start(framework)
        try:
            answer = worker.ask("sequence", 3 * self.options.limit, task=task.name)
        finally:
            worker.end()
        if wrong := answer.pop("wrong"):
            raise Failed(f"wrong: {wrong}")
        return answer

    def more_firsts(self, tasks: list[Task]) -> None:
        """First results again, task by task, while there is time; slow ones only once."""
        slowest = 3.0
        for _ in range(4):
            for task in tasks:
                for framework in self.columns(task):
                    row = self.row(task, framework)
                    if "missing" in row or row["cold"][0] > slowest:
                        continue
                    if time.monotonic() - self.began > 60 * self.options.minutes:
                        return
                    try:
                        self.first(task, framework, row)
                    except Failed as error:
                        row["missing"] = str(error)

    def run(self) -> dict:
        tasks = [t for t in TASKS if any(word in t.name for word in self.options.only or [""])]
        if self.options.short:
            tasks = [t for t in tasks if t.short]
        self.began, load = time.monotonic(), os.getloadavg()[0]
        for turn, task in enumerate(tasks):
            if task.name in self.done:
                continue
            started = time.monotonic()
            if started - self.began > 60 * self.options.minutes:
                self.found["absent"][task.title] = "not reached in time"
                continue
            if task.sizes is None:
                self.steady(task, turn)
            else:
                self.sequence(task)
            print(f"{task.name}: {time.monotonic() - started:.0f} s", flush=True)
            self._describe(load)
            if self.options.json:
                # a run that is stopped keeps what it has found
                self.options.json.write_text(json.dumps(self.found, indent=1) + "\n")
        if not self.options.quick:
            self.more_firsts(
                [
                    t
                    for t in tasks
                    if t.sizes is None and t.name in self.found["tasks"] and t.name not in self.done
                ]
            )
        self._describe(load)
        return self.found

    def _describe(self, load: float) -> None:
        self.found["machine"] = {
            "python": platform.python_version(),
            "processor": _processor(),
            "cores": os.cpu_count(),
            "load": [round(load, 1), round(os.getloadavg()[0], 1)],
            "compiler": _compiler(),
            "date": time.strftime("%Y-%m-%d"),
            "quick": self.options.quick,
            "minutes": round((time.monotonic() - self.began) / 60, 1),
        }


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor()
    return next((x.split(":")[1].strip() for x in lines if x.startswith("model name")), "unknown")


def _compiler() -> str:
    """What PyTensor's C and torch.compile will find."""
    if not shutil.which("g++"):
        return "no g++"
    asked = subprocess.run(["g++", "-dumpfullversion"], capture_output=True, text=True)
    return f"g++ {asked.stdout.strip()}"


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    default = Path(tempfile.gettempdir()) / "theano-peers"
    parser.add_argument("--quick", action="store_true", help="short runs, few sizes")
    parser.add_argument("--only", nargs="*", help="rows whose names hold one of these words")
    parser.add_argument("--short", action="store_true", help="only the rows on short arrays")
    parser.add_argument("--frameworks", nargs="*", choices=[f.name for f in FRAMEWORKS])
    parser.add_argument("--variants", action="store_true", help="PyTensor's C, torch.compile too")
    parser.add_argument(
        "--theano", metavar="PYTHON", type=os.path.abspath, help="an interpreter with Theano 1.0.5"
    )
    parser.add_argument("--environments", type=Path, default=default, help="a folder to keep")
    parser.add_argument("--limit", type=float, default=60, help="seconds for a first result")
    parser.add_argument("--minutes", type=float, default=45, help="when no more is begun")
    parser.add_argument("--json", type=Path, help="also write the figures here")
    parser.add_argument("--resume", action="store_true", help="only rows that --json lacks")
    parser.add_argument("--write", action="store_true", help="tables and plot into docs")
    asked = parser.parse_args()
    if "theano-1.0.5" in (asked.frameworks or ()) and not asked.theano:
        parser.error("theano-1.0.5 needs --theano PYTHON")
    return asked


def main() -> int:
    asked = options()
    # stopped from outside, the workers are ended too
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    with tempfile.TemporaryDirectory(prefix="theano-peers-") as scratch:
        bench = Bench(asked, Path(scratch))
        bench.install()
        found = bench.run()
    print(printed(found))
    if asked.json:
        asked.json.write_text(json.dumps(found, indent=1) + "\n")
    if asked.write:
        write_section(found, HERE.parents[1] / "docs")
    return 0


if __name__ == "__main__":
    sys.exit(main())
