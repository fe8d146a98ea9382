"""``theano-launch``: start the processes of a program, and restart all of them when one dies."""

from __future__ import annotations

import argparse
import ctypes
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from typing import IO, Any

_PR_SET_PDEATHSIG = 1
#: seconds between two checks of the processes
_LOOK = 0.05


def options_of(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="theano-launch",
        description="Run a program in several processes of this machine, which "
        "theano.distributed.initialize() joins. When one dies, all restart: the program "
        "continues from its last checkpoint.",
    )
    parser.add_argument("-n", type=int, default=1, help="how many processes")
    parser.add_argument("--restarts", type=int, default=3, help="how often all restart (3)")
    parser.add_argument(
        "--stall",
        type=float,
        help="seconds without a call of should_stop in a process after which all restart",
    )
    parser.add_argument("--devices", type=int, help="make so many devices of each process's CPU")
    parser.add_argument(
        "--grace", type=float, default=30, help="seconds to save and end after SIGTERM (30)"
    )
    parser.add_argument("-m", dest="module", action="store_true", help="PROGRAM is a module")
    parser.add_argument("program", help="a Python file")
    parser.add_argument("arguments", nargs=argparse.REMAINDER)
    chosen = parser.parse_args(arguments)
    if chosen.n < 1:
        parser.error(f"-n takes a number of processes, got {chosen.n}")
    return chosen


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return its exit code."""
    options = options_of(arguments)
    signals: list[int] = []

    def note(number: int, frame: Any) -> None:
        signals.append(number)

    before = {s: signal.signal(s, note) for s in (signal.SIGTERM, signal.SIGINT)}
    try:
        for attempt in range(options.restarts + 1):
            group = _Group(options, attempt)
            try:
                code, why = group.watch(signals)
            finally:
                group.end()
            if code == 0 or signals:
                return code
            left = options.restarts - attempt
            then = f"all restart ({left} left)" if left else "no restart is left"
            print(f"theano-launch: {why}; {then}", file=sys.stderr, flush=True)
        return code
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


class _Group:
    """The processes of one attempt."""

    def __init__(self, options: argparse.Namespace, attempt: int) -> None:
        self._options = options
        self._marks = tempfile.TemporaryDirectory(prefix="theano-launch-")
        self._processes: list[subprocess.Popen[str]] = []
        self._pumps: list[threading.Thread] = []
        address = f"127.0.0.1:{_free_port()}"
        for k in range(options.n):
            self._start(k, address, attempt)

    def _start(self, k: int, address: str, attempt: int) -> None:
        options = self._options
        environ = dict(os.environ)
        environ |= {
            "THEANO_COORDINATOR": address,
            "THEANO_PROCESSES": str(options.n),
            "THEANO_PROCESS": str(k),
            "THEANO_ATTEMPT": str(attempt),
            "THEANO_PROGRESS": self._mark(k),
            "PYTHONUNBUFFERED": "1",
        }
        if options.devices:
            flag = f"--xla_force_host_platform_device_count={options.devices}"
            environ["XLA_FLAGS"] = f"{environ.get('XLA_FLAGS', '')} {flag}".strip()
        command = [sys.executable, *(["-m"] if options.module else []), options.program]
        process = subprocess.Popen(
            command + options.arguments,
            env=environ,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            preexec_fn=_die_with_parent if sys.platform == "linux" else None,
        )
        self._processes.append(process)
        pump = threading.Thread(target=_pump, args=(k, process.stdout), daemon=True)
        pump.start()
        self._pumps.append(pump)

    def _mark(self, k: int) -> str:
        return os.path.join(self._marks.name, str(k))

    def watch(self, signals: list[int]) -> tuple[int, str]:
        """Wait for the end; return the exit code, and what went wrong."""
        while True:
            codes = [p.poll() for p in self._processes]
            failed = next((k for k, code in enumerate(codes) if code), None)
            if failed is not None:
                return codes[failed] or 1, f"process {failed} ended with {codes[failed]}"
            if all(code == 0 for code in codes):
                return 0, ""
            if signals:
                return self._end_softly(signals[0])
            if self._options.stall is not None and (who := self._stalled()) is not None:
                seconds = self._options.stall
                return 1, f"process {who} has given no sign of life for {seconds:g} s"
            time.sleep(_LOOK)

    def _end_softly(self, number: int) -> tuple[int, str]:
        """Pass a signal on as SIGTERM, and give the program time to save."""
        for process in self._processes:
            if process.poll() is None:
                process.terminate()
        limit = time.monotonic() + self._options.grace
        while time.monotonic() < limit and any(p.poll() is None for p in self._processes):
            time.sleep(_LOOK)
        codes = [p.poll() for p in self._processes]
        return (0, "") if all(code == 0 for code in codes) else (128 + number, "asked to end")

    def _stalled(self) -> int | None:
        now = time.time()
        for k, process in enumerate(self._processes):
            if process.poll() is not None:
                continue
            try:
                last = os.path.getmtime(self._mark(k))
            except FileNotFoundError:
                continue  # it has not finished its first step
            if now - last > self._options.stall:
                return k
        return None

    def end(self) -> None:
        """Make sure that no process is left."""
        for process in self._processes:
            if process.poll() is None:
                # NOTE: jax catches SIGTERM, and a process in a collective does not react to it
                process.kill()
        for process in self._processes:
            process.wait()
        for pump in self._pumps:
            pump.join(timeout=5)
        self._marks.cleanup()


#: the line that jax's CPU collectives print when processes have connected
_GLOO = re.compile(r"\[Gloo\] Rank \d+ is connected to \d+ peer ranks")


def _pump(k: int, stream: IO[str] | None) -> None:
    """Print the lines of a process, each with the process's number."""
    for line in stream or ():
        if _GLOO.match(line):
            continue
        sys.stdout.write(f"[{k}] {line}")
        sys.stdout.flush()


def _free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])


def _die_with_parent() -> None:
    """Make the kernel kill this process when the launcher has ended for any reason."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


if __name__ == "__main__":
    sys.exit(main())
