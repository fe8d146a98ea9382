"""The default mode while other processes use the processors too, beside each engine by force.

For each program and for 0, 2 and 4 busy processes beside it, a process of its own calls the program
in the default mode for ten seconds. Then the default mode and the engines by force take turns: the
first ratio is the default mode's median call over the best engine's. The totals are what the first
ten seconds, and all of them, took over what their calls take on the best engine by its mean: with
its compilation, and on XLA the loading of jax as a process beside takes it. Last is the longest
call, and 5 times the median call plus 50 ms.

As after an installation by pip, there is bytecode of all modules: without it loading jax takes
three times as long.

``--loops`` takes the programs of ``loop_programs.py`` instead of the peers'; ``--only TEXT|TEXT``
picks programs; ``--busy N,N`` numbers of processes; ``--seconds N`` the length of the first part;
``--markdown`` prints rows of a table; ``--assert`` fails on a row that misses an aim.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).parent
PROGRAMS = (
    "mlp", "lenet", "logistic", "rnn",
    "polynomial", "transcendental", "logsoftmax", "matmul", "sort",
)  # fmt: skip
STEP_AIM, TOTAL_AIM = 1.25, 2.2
FIRST = 10.0
ENGINES = ("numpy", "native", "xla")
TURNS, TURN = 8, 0.25


def maker_of(name: str):
    """What makes a program for a linker: its call, and arguments that come in turn."""
    if name in PROGRAMS:
        sys.path.insert(0, str(HERE / "peers"))
        import in_theano
        from tasks import BY_NAME

        task = BY_NAME[name]
        state, args = task.data(quick=False)
        return lambda: (getattr(in_theano, task.program)(*state), list(args))
    import loop_programs

    return loop_programs.PROGRAMS[name]


def measure(name: str, seconds: float) -> dict[str, float]:
    """What one program takes, in this process."""
    import theano

    theano.config.xla.disk_cache = False
    theano.config.xla.announce_after = 0.0
    make = maker_of(name)
    f, args = make()
    took, start, among = [], time.perf_counter(), 0
    while (now := time.perf_counter()) - start < seconds:
        among += now - start < FIRST
        f(*args[len(took) % len(args)])
        took.append(time.perf_counter() - now)
    whole = [(among, sum(took[:among])), (len(took), sum(took))]
    forced, once = {}, {}
    for linker in ENGINES:
        with theano.config.change_flags(linker=linker):
            forced[linker], _ = make()
        compiling = time.perf_counter()
        for one in args:
            forced[linker](*one)
        once[linker] = 0.0 if linker == "numpy" else time.perf_counter() - compiling
    once["xla"] += _loading()
    times: dict[str, list[float]] = {"default": [], **{linker: [] for linker in ENGINES}}
    for _ in range(TURNS):
        for who, g in {"default": f, **forced}.items():
            end = time.perf_counter() + TURN
            while True:
                for one in args:
                    before = time.perf_counter()
                    g(*one)
                    now = time.perf_counter()
                    times[who].append(now - before)
                if now > end:
                    break
    row = {who: statistics.median(times[who]) for who in times}
    # means: other processes take their share of a second, which the median of short calls hides
    mean = {linker: statistics.fmean(times[linker]) for linker in ENGINES}
    row["step"] = row["default"] / min(row[linker] for linker in ENGINES)
    for mark, (calls, spent) in zip(("first", "total"), whole, strict=True):
        row[mark] = spent / min(calls * mean[linker] + once[linker] for linker in ENGINES)
    row["longest"] = max(took)
    row["bound"] = 5 * statistics.median(took) + 0.05
    return row


def _loading() -> float:
    """Seconds to load jax, which the first program waits for, beside what else runs here."""
    script = "import time; t = time.perf_counter(); import jax; jax.numpy.zeros(1)\n"
    script += "print(time.perf_counter() - t)"
    return float(subprocess.check_output([sys.executable, "-c", script]))


def beside(name: str, busy: int, seconds: float) -> dict[str, float]:
    """The same in a process of its own, with so many others that only count."""
    limit = seconds + 120
    spin = f"import time; end = time.time() + {limit}\nwhile time.time() < end: pass"
    others = [subprocess.Popen([sys.executable, "-c", spin]) for _ in range(busy)]
    try:
        ran = subprocess.run(
            [sys.executable, __file__, "--worker", name, "--seconds", str(seconds)],
            env=os.environ,
            capture_output=True,
            text=True,
            timeout=limit,
        )
    finally:
        for other in others:
            other.kill()
            other.wait()
    if ran.returncode:
        raise RuntimeError(ran.stderr)
    return json.loads(ran.stdout.splitlines()[-1])


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--worker")
    parser.add_argument("--loops", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("--busy", default="0,2,4")
    parser.add_argument("--seconds", type=float, default=FIRST)
    parser.add_argument("--markdown", action="store_true")
    parser.add_argument("--assert", action="store_true", dest="strict")
    chosen = parser.parse_args()
    if chosen.worker:
        print(json.dumps(measure(chosen.worker, chosen.seconds)))
        return
    with tempfile.TemporaryDirectory() as bytecode:
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
        os.environ["PYTHONPYCACHEPREFIX"] = bytecode
        measure_all(chosen)


def measure_all(chosen: argparse.Namespace) -> None:
    _loading()  # for the bytecode
    names = list(PROGRAMS)
    if chosen.loops:
        import loop_programs

        names = list(loop_programs.PROGRAMS)
    names = [n for n in names if not chosen.only or n in chosen.only.split("|")]
    print(f"{os.cpu_count()} processors, load {os.getloadavg()[0]:.1f} before")
    line = "| {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} |"
    if not chosen.markdown:
        line = "{:18}{:>5}{:>9}{:>9}{:>9}{:>9}{:>7}{:>7}{:>7}{:>9}{:>8}"
    print(
        line.format(
            "", "busy", "default", "NumPy", "native", "XLA", "step", "10 s",
            f"{chosen.seconds:g} s", "longest", "bound",
        )
    )  # fmt: skip
    missed = []
    for name in names:
        for busy in map(int, chosen.busy.split(",")):
            row = beside(name, busy, chosen.seconds)
            ms = [f"{row[who] * 1e3:.3g}" for who in ("default", *ENGINES)]
            ratios = [f"{row[what]:.2f}" for what in ("step", "first", "total")]
            longest = [f"{row[what] * 1e3:.0f}" for what in ("longest", "bound")]
            print(line.format(name.replace("_", " "), busy, *ms, *ratios, *longest), flush=True)
            if row["step"] > STEP_AIM or max(row["first"], row["total"]) > TOTAL_AIM:
                missed.append((name, busy))
    if missed:
        print("aims missed:", *(f"{name} with {busy} busy" for name, busy in missed))
        if chosen.strict:
            raise SystemExit(1)


if __name__ == "__main__":
    main()
