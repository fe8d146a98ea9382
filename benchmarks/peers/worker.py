"""One framework in a process of its own: it does what the driver asks for, a line of JSON each way.

Usage: ``python worker.py MODULE SCRATCH [--quick]``; see ``run.py``.
"""

import importlib
import json
import os
import resource
import sys
import time

# everyone's: not a part of a framework's import
import numpy as np
from tasks import BY_NAME


class Worker:
    def __init__(self, module: str, scratch: str, quick: bool) -> None:
        before = time.perf_counter()
        self.programs = importlib.import_module(module)
        self.imported = time.perf_counter() - before
        self.is_reference = module == "in_numpy"
        self.scratch, self.quick = scratch, quick

    def do_hello(self) -> dict:
        return {"import": self.imported, "versions": self.programs.versions()}

    def do_first(self, task: str) -> dict:
        """From nothing to the first result: the graph, the function, one call."""
        self.task = BY_NAME[task]
        state, calls = self.task.data(self.quick)
        started = time.perf_counter()
        self.call = getattr(self.programs, self.task.program)(*state)
        built = time.perf_counter()
        self.args = calls[0]
        self.results = [self.call(*self.args)]
        ended = time.perf_counter()
        return {"build": built - started, "first": ended - started}

    def do_check(self) -> dict:
        """Two more results, for state moves; all of them compared with NumPy's."""
        self.results += [self.call(*self.args) for _ in range(2)]
        return {"wrong": self._compared(self.results)}

    def do_warm(self, seconds: float, most: float) -> dict:
        """Call until ``seconds`` have passed; the time of a call among the last of them.

        A framework that chooses between engines by what calls have taken is called until it has
        settled, ``most`` seconds at most.
        """
        times = self._calls(seconds)
        settled = getattr(self.programs, "settled", None)
        spent = sum(times)
        while settled is not None and not settled(self.call) and spent < most:
            times = self._calls(seconds / 4)
            spent += sum(times)
        if settled is not None:
            times = self._calls(seconds / 4)  # with what was compiled last
        recent = sorted(times[-50:])
        done = settled is None or settled(self.call)
        return {"once": recent[len(recent) // 2], "settled": done}

    def _calls(self, seconds: float) -> list[float]:
        began = last = time.perf_counter()
        times: list[float] = []
        while last - began < seconds or len(times) < 3:
            self.call(*self.args)
            before, last = last, time.perf_counter()
            times.append(last - before)
        return times

    def do_block(self, times: int) -> dict:
        call, args = self.call, self.args
        call(*args)  # another process had the caches
        rounds = range(times)
        started = time.perf_counter()
        for _ in rounds:
            call(*args)
        return {"seconds": (time.perf_counter() - started) / times}

    def do_engine(self) -> dict:
        """Which engine a framework with several has chosen; nothing for the others."""
        told = getattr(self.programs, "engine", None)
        return {"engine": told(self.call) if told else ""}

    def do_sequence(self, task: str) -> dict:
        """All calls of a sequence, the building of the function included."""
        self.task = BY_NAME[task]
        state, calls = self.task.data(self.quick)
        results, times = [], []
        started = before = time.perf_counter()
        call = getattr(self.programs, self.task.program)(*state)
        built = time.perf_counter() - started
        for args in calls:
            before = time.perf_counter()
            results.append(call(*args))
            times.append(time.perf_counter() - before)
        total = time.perf_counter() - started
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        wrong = self._compared(results)
        return {
            "build": built,
            "total": total,
            "longest": max(times),
            "calls": len(times),
            "peak MB": peak / 1024,
            "wrong": wrong,
        }

    def _compared(self, results: list) -> str:
        """What differs from NumPy's results, in a few words; nothing if they agree."""
        several = [r if isinstance(r, (list, tuple)) else [r] for r in results]
        outputs = [np.array([np.asarray(a) for a in r]) for r in zip(*several, strict=True)]
        wrong = [self._differs(k, output) for k, output in enumerate(outputs)]
        return next(filter(None, wrong), "")

    def _differs(self, output: int, values: np.ndarray) -> str:
        """What differs in one of the outputs; NumPy's own is kept for the others."""
        number = f".{output}" if output else ""
        path = os.path.join(self.scratch, f"{self.task.name}{number}.npy")
        if self.is_reference:
            np.save(path, values)
            return ""
        expected = np.load(path)
        if values.shape != expected.shape or values.dtype != expected.dtype:
            return f"{values.dtype}{values.shape}, not {expected.dtype}{expected.shape}"
        error, scale = abs(values - expected).max(), abs(expected).max()
        ok = error <= self.task.rtol * scale
        return "" if ok else f"off by {error:.2g}, results up to {scale:.2g}"


def main() -> None:
    module, scratch = sys.argv[1:3]
    # what a framework prints must not mix with the answers
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    worker = None
    for line in sys.stdin:
        request = json.loads(line)
        try:
            if worker is None:
                worker = Worker(module, scratch, "--quick" in sys.argv)
            answer = getattr(worker, "do_" + request.pop("do"))(**request)
        except Exception as error:
            answer = {"error": f"{type(error).__name__}: {error}".splitlines()[0][:200]}
        answers.write(json.dumps(answer) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
