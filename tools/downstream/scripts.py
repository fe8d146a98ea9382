"""Programs of packages: run them, and compare the numbers that they print with the original's."""

import math
import os
import re
import shlex
import signal
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path

from tools.downstream.environments import Place
from tools.downstream.packages import Script
from tools.original.running import PATIENCE, Result

PROGRAM = Path(__file__).with_name("program.py")


def run_script(place: Place, script: Script) -> Result:
    """Passed, where it ends with 0 and its numbers are near those of Theano 1.0.5."""
    code, seconds = _start(place, script)
    text = _output(place, script).read_text(encoding="utf-8", errors="replace")
    if code in (-signal.SIGXCPU, -signal.SIGKILL):
        return Result("timeout", seconds, message=f"took more than {script.limit:g} s")
    if code != 0:
        lines = text.strip().splitlines() or [""]
        return Result("failed", seconds, f"ended with {code}", lines[-1][:600])
    wrong = None
    if not place.on_oracle and script.numbers:
        expected = place.package.numbers.get(script.name)
        wrong = difference(numbers_in(text, script), expected, script.tolerance)
    return Result("failed", seconds, "numbers", wrong) if wrong else Result("passed", seconds)


def command_of(place: Place, script: Script) -> list[str]:
    """What starts a script, in its folder of the sources."""
    words = shlex.split(script.run)
    ours = place.package.folder / "data" / words[0]
    if not (place.suite / script.folder / words[0]).exists() and ours.exists():
        words[0] = str(ours)
    return [place.python, "-u", str(PROGRAM), f"{script.limit:g}", *words]


def _start(place: Place, script: Script) -> tuple[int, float]:
    output = _output(place, script)
    output.parent.mkdir(exist_ok=True)
    with output.open("w") as log:
        process = subprocess.Popen(
            command_of(place, script), cwd=place.suite / script.folder, env=place.environment(),
            stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True,
        )  # fmt: skip
        return _wait(process, PATIENCE * script.limit)


def _wait(process: subprocess.Popen, patience: float) -> tuple[int, float]:
    """How a process ended, and the seconds of the processor that it took."""
    end = time.monotonic() + patience
    while True:
        pid, status, used = os.wait4(process.pid, os.WNOHANG)
        if pid:
            process.returncode = os.waitstatus_to_exitcode(status)
            return process.returncode, round(used.ru_utime + used.ru_stime, 2)
        if time.monotonic() > end:
            # its own session: nothing that it started is left
            os.killpg(process.pid, signal.SIGKILL)
        time.sleep(0.05)


def _output(place: Place, script: Script) -> Path:
    return place.path / "output" / f"{script.name}.txt"


def numbers_in(text: str, script: Script) -> list[float]:
    """The numbers that the script's regular expression finds in what it printed."""
    found = re.findall(script.numbers, text)
    flat = [x for match in found for x in (match if isinstance(match, tuple) else (match,))]
    return [float(x) for x in flat[-script.last :]]


def numbers_of(place: Place, passed: set[str]) -> dict[str, list[float]]:
    """What the scripts that passed have printed, of those whose numbers are compared."""
    asked = [s for s in place.package.scripts if s.numbers and s.name in passed]
    return {s.name: numbers_in(_output(place, s).read_text(errors="replace"), s) for s in asked}


def difference(
    found: Sequence[float], expected: Sequence[float] | None, tolerance: float
) -> str | None:
    """What is wrong with the numbers; None, where nothing is.

    >>> difference([1.0, 2.0], [1.0, 2.1], tolerance=0.1)
    >>> difference([1.0, 2.0], [1.0, 2.1], tolerance=0.01)
    'number 2 is 2.0, on Theano 1.0.5 2.1'
    """
    if not found:
        return "it printed no such numbers"
    if expected is None:
        return None
    if len(found) != len(expected):
        return f"{len(found)} numbers, on Theano 1.0.5 {len(expected)}"
    for i, (one, other) in enumerate(zip(found, expected, strict=True), start=1):
        if not math.isclose(one, other, rel_tol=tolerance):
            return f"number {i} is {one}, on Theano 1.0.5 {other}"
    return None
