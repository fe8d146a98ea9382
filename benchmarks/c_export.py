"""Functions as C, called from C: eight schools, a controller beside CasADi's, and threads.

    python benchmarks/c_export.py [--quick] [--cc gcc]

- *eight schools*: its log-density and gradient, from C. Beside it `np.add(x, 1.0)` of ten numbers
  from Python, which says how fast the machine is.
- *controller*: the cost of steering a pole on a cart over some steps by Runge-Kutta, with its
  gradient: about a thousand scalar operations. CasADi writes the same expressions as C when it is
  installed; both files are compiled with the same flags. Compilations take turns too.
- *threads*: calls a second of as many threads as there are cores, beside one thread.

Blocks of calls take turns in one process; given are the least time of a call, and the median ratio
of the blocks of one turn.
"""

import argparse
import ctypes
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import numpy as np

import theano
import theano.tensor as T

sys.path.insert(0, str(Path(__file__).parents[1] / "examples"))
from native_sampler import eight_schools

#: what both files are compiled with
FLAGS = ("-O2", "-ffp-contract=off")
STEPS, LENGTH = 4, 0.1
#: microseconds of eight schools that were aimed at, on a machine where np.add takes ADDING
AIM, ADDING = 0.35, 0.78

DRIVER = """
#include <stdlib.h>
#include "{name}.h"
void turn(const double *q, double *out, double *slopes, void *scratch, int64_t calls);
void turn(const double *q, double *out, double *slopes, void *scratch, int64_t calls)
{{
  for (int64_t i = 0; i < calls; i++) {{
    {call};
  }}
}}
"""


class Library:
    """A C file with a function `turn` that calls it again and again."""

    def __init__(self, folder: Path, name: str, call: str, cc: str) -> None:
        self.cc, self.source = cc, folder / f"{name}.c"
        driver = folder / f"{name}_driver.c"
        driver.write_text(DRIVER.format(name=name, call=call))
        library = folder / f"{name}.so"
        command = [cc, *FLAGS, "-shared", "-fPIC", driver, self.source, "-o", library, "-lm"]
        subprocess.run(command, check=True)
        self._turn = ctypes.CDLL(str(library)).turn
        self._turn.argtypes = [ctypes.c_void_p] * 4 + [ctypes.c_int64]

    def turn(self, q: np.ndarray, calls: int) -> tuple[float, np.ndarray, np.ndarray]:
        """Seconds a call, the value and the gradient."""
        out, slopes, scratch = np.zeros(1), np.zeros(len(q)), np.zeros(1 << 14)
        begun = time.perf_counter()
        self._turn(*(x.ctypes.data for x in (q, out, slopes, scratch)), calls)
        return (time.perf_counter() - begun) / calls, out, slopes

    def compile(self) -> float:
        """Seconds that the compiler takes."""
        begun = time.perf_counter()
        subprocess.run([self.cc, *FLAGS, "-c", self.source, "-o", os.devnull], check=True)
        return time.perf_counter() - begun


def pole(state, force, sin, cos):
    """How position, angle and their speeds change: a pole of 0.1 kg and 0.5 m on a cart of 1 kg."""
    _, angle, speed, turning = state
    s, c = sin(angle), cos(angle)
    push = (force + 0.05 * turning * turning * s) / 1.1
    turn = (9.81 * s - c * push) / (0.5 * (4.0 / 3.0 - 0.1 * c * c / 1.1))
    return [speed, turning, push - 0.05 * turn * c / 1.1, turn]


def cost(forces, sin, cos):
    """What steering costs: a Runge-Kutta step for each force."""
    state, total = [0.0, 0.3, 0.0, 0.0], 0.0
    moved = lambda by, h: [x + h * d for x, d in zip(state, by, strict=True)]
    for force in forces:
        k1 = pole(state, force, sin, cos)
        k2 = pole(moved(k1, LENGTH / 2), force, sin, cos)
        k3 = pole(moved(k2, LENGTH / 2), force, sin, cos)
        k4 = pole(moved(k3, LENGTH), force, sin, cos)
        by = [(a + 2 * b + 2 * c + d) / 6 for a, b, c, d in zip(k1, k2, k3, k4, strict=True)]
        state = moved(by, LENGTH)
        position, angle, *_ = state
        total = total + position * position + 10 * angle * angle + 0.01 * force * force
    return total


def ours(folder: Path, name: str, q, value, cc: str, n: int) -> Library:
    f = theano.function([q], [value, T.grad(value, q)])
    theano.export(f, folder / f"{name}.c", shapes={q: (n,)})
    return Library(folder, name, f"{name}(q, out, slopes, scratch)", cc)


def controller(folder: Path, cc: str) -> Library:
    q = T.dvector("q")
    return ours(folder, "steering", q, cost([q[i] for i in range(STEPS)], T.sin, T.cos), cc, STEPS)


def casadi_controller(folder: Path, cc: str) -> tuple[Library, int]:
    """CasADi's library, and its number of operations."""
    import casadi as ca

    q = ca.SX.sym("q", STEPS)
    value = cost([q[i] for i in range(STEPS)], ca.sin, ca.cos)
    function = ca.Function("other", [q], [value, ca.gradient(value, q)])
    before = Path.cwd()
    os.chdir(folder)  # it writes into the present folder alone
    try:
        function.generate("other.c", {"with_header": True})
    finally:
        os.chdir(before)
    header = folder / "other.h"
    header.write_text("#include <stdint.h>\n" + header.read_text())
    call = (
        "const double *in[1] = {q}; double *results[2] = {out, slopes}; "
        "other(in, results, (long long *)scratch, (double *)scratch + 64, 0)"
    )
    return Library(folder, "other", call, cc), function.n_instructions()


def in_turns(one, other, turns: int) -> tuple[float, float, float]:
    """The least of both, and the median ratio of the first to the second."""
    one(), other()
    pairs = [(one(), other()) for _ in range(turns)]
    return *map(min, zip(*pairs, strict=True)), statistics.median(a / b for a, b in pairs)


def adding() -> float:
    """Microseconds of np.add of ten numbers."""
    x = np.arange(10.0)
    blocks = []
    for _ in range(20):
        begun = time.perf_counter()
        for _ in range(2000):
            np.add(x, 1.0)
        blocks.append(time.perf_counter() - begun)
    return min(blocks) / 2000 * 1e6


def rate(library: Library, q: np.ndarray, calls: int, count: int) -> float:
    """Calls a second of some threads together."""
    start = threading.Barrier(count + 1)

    def work() -> None:
        start.wait()
        library.turn(q, calls)

    threads = [threading.Thread(target=work) for _ in range(count)]
    for t in threads:
        t.start()
    start.wait()
    begun = time.perf_counter()
    for t in threads:
        t.join()
    return count * calls / (time.perf_counter() - begun)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--cc", default="gcc")
    args = parser.parse_args()
    turns, calls = (5, 2_000) if args.quick else (25, 20_000)
    version = subprocess.run([args.cc, "--version"], capture_output=True, text=True).stdout
    print(f"{version.splitlines()[0]}, {platform.machine()}, load {os.getloadavg()[0]:.1f}")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        q = T.dvector("q")
        schools = ours(folder, "schools", q, eight_schools(q), args.cc, 10)
        point = np.linspace(-0.5, 0.5, 10)
        least = min(schools.turn(point, calls)[0] for _ in range(turns)) * 1e6
        add = adding()
        size = schools.source.stat().st_size
        print(
            f"eight schools: {least:.3f} us a call, file {size / 1000:.1f} kB; np.add {add:.2f} us,"
            f" ratio {least / add:.2f} (aim {AIM} us beside {ADDING}: {AIM / ADDING:.2f})"
        )
        steer, forces = controller(folder, args.cc), np.linspace(-1, 1, STEPS)
        try:
            other, operations = casadi_controller(folder, args.cc)
        except ImportError:
            least = min(steer.turn(forces, calls)[0] for _ in range(turns)) * 1e6
            print(f"controller: {least:.3f} us a call (casadi is not installed)")
        else:
            for mine, theirs in zip(steer.turn(forces, 1), other.turn(forces, 1), strict=True):
                if isinstance(mine, np.ndarray):
                    np.testing.assert_allclose(mine, theirs, rtol=1e-9)
            a, b, ratio = in_turns(
                lambda: steer.turn(forces, calls // 10)[0],
                lambda: other.turn(forces, calls // 10)[0],
                turns,
            )
            print(
                f"controller of {operations} operations: {a * 1e6:.2f} us a call,"
                f" CasADi {b * 1e6:.2f} us, ratio {ratio:.2f}"
            )
            a, b, ratio = in_turns(steer.compile, other.compile, max(3, turns // 5))
            print(f"compiling it: {a:.2f} s, CasADi {b:.2f} s, ratio {ratio:.2f}")
        cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
        count = min(4, cores or 1)
        rates = [
            (rate(schools, point, 10 * calls, count), rate(schools, point, 10 * calls, 1))
            for _ in range(max(3, turns // 3))
        ]
        best = max(a for a, _ in rates) / max(b for _, b in rates)
        print(f"{count} threads: {best:.2f} x the calls of one (aim {0.95 * count:.2f})")


if __name__ == "__main__":
    main()
